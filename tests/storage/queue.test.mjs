// The queue of compactions in a page, by a clock that the test moves.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor } from "epitome";
import { compactionQueue, jobKey } from "epitome/storage";
import { chatOf, said } from "../node/harness.mjs";

/** A clock that stands still until it is moved. */
function clockAt(start) {
  let now = start;
  const timers = new Set();
  return {
    now: () => now,
    after: (ms, callback) => {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    /** Moves the clock, and calls back what was waited for in between. */
    move: async (ms) => {
      const until = now + ms;
      for (;;) {
        await turn();
        const [due] = [...timers].filter(({ at }) => at <= until).sort((one, other) => one.at - other.at);
        if (due === undefined) {
          now = until;
          return;
        }
        timers.delete(due);
        now = Math.max(now, due.at);
        due.callback();
      }
    },
  };
}

/** Lets everything happen that waits for no clock. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A queue whose jobs end when the test says so. */
function stage(options) {
  const clock = clockAt(1_000);
  const runs = [];
  const queue = compactionQueue({
    clock,
    run: ({ entityId }, { signal, attempt }) => new Promise((resolve, reject) => runs.push({ entityId, attempt, signal, resolve, reject, at: clock.now() })),
    ...options,
  });
  const of = (entityId) => ({ domain: "chat", entityId });
  return { clock, runs, queue, enqueue: (id) => queue.enqueue(of(id)), of, begun: () => runs.map(({ entityId, attempt, at }) => `${entityId}${attempt}@${at}`) };
}

test("h1: in the page two jobs run at a time, in the order in which they came", async () => {
  const { runs, enqueue, begun } = stage();
  const jobs = ["a", "b", "c", "d"].map(enqueue);
  await turn();
  assert.deepEqual(begun(), ["a1@1000", "b1@1000"]);
  runs[1].resolve();
  await jobs[1];
  await turn();
  assert.deepEqual(begun(), ["a1@1000", "b1@1000", "c1@1000"]);
  runs[0].resolve();
  runs[2].resolve();
  await Promise.all([jobs[0], jobs[2]]);
  await turn();
  runs[3].resolve();
  await jobs[3];
});

test("h1: in the page of each conversation one job runs and one waits", async () => {
  const { runs, enqueue, queue, of } = stage();
  assert.equal(jobKey(of("a")), "compact:chat:a");
  const first = enqueue("a");
  await turn();
  const [second, third] = [enqueue("a"), enqueue("a")];
  assert.equal(second, third, "the one that waits");
  await turn();
  assert.equal(runs.length, 1);
  assert.equal(queue.isCompacting(of("a")), true);
  runs[0].resolve();
  await first;
  await turn();
  assert.deepEqual([runs.length, queue.isCompacting(of("a"))], [2, true]);
  runs[1].resolve();
  await second;
  assert.equal(queue.isCompacting(of("a")), false);
});

test("h1: in the page a job is tried twice, the second time after 3 seconds, and its last error is that of the job", async () => {
  const { clock, runs, enqueue, begun } = stage();
  const job = enqueue("a");
  await turn();
  runs[0].reject(new Error("the store is away"));
  await clock.move(2_999);
  assert.deepEqual(begun(), ["a1@1000"]);
  await clock.move(1);
  assert.deepEqual(begun(), ["a1@1000", "a2@4000"]);
  runs[1].reject(new Error("still away"));
  await assert.rejects(job, /still away/);
  await clock.move(600_000);
  assert.equal(runs.length, 2);
});

test("h1: in the page each wait is twice the last one", async () => {
  const { clock, runs, enqueue, begun } = stage({ attempts: 4 });
  const job = enqueue("a");
  for (const wait of [3_000, 6_000, 12_000]) {
    await turn();
    runs.at(-1).reject(new Error("no"));
    await clock.move(wait);
  }
  assert.deepEqual(begun(), ["a1@1000", "a2@4000", "a3@10000", "a4@22000"]);
  runs.at(-1).resolve();
  await job;
});

test("h1: in the page a job that takes longer than 5 minutes is aborted and tried again; its late result is not used", async () => {
  const { clock, runs, enqueue, begun } = stage();
  const job = enqueue("a");
  let isDone = false;
  void job.then(() => (isDone = true));
  await clock.move(299_999);
  assert.equal(runs[0].signal.aborted, false);
  await clock.move(1);
  assert.equal(runs[0].signal.aborted, true);
  runs[0].resolve();
  await clock.move(3_000);
  assert.deepEqual([begun(), isDone], [["a1@1000", "a2@304000"], false]);
  runs[1].resolve();
  await job;
});

test("h1: in the page a waiting retry leaves its place to others", async () => {
  const { clock, runs, enqueue, begun } = stage({ concurrency: 1 });
  const jobs = ["a", "b"].map(enqueue);
  await turn();
  runs[0].reject(new Error("no"));
  await clock.move(3_000);
  assert.deepEqual(begun(), ["a1@1000", "b1@1000"]);
  runs[1].resolve();
  await jobs[1];
  await turn();
  assert.deepEqual(begun(), ["a1@1000", "b1@1000", "a2@4000"]);
  runs[2].resolve();
  await jobs[0];
});

test("h1: in the page a chat request waits for the jobs of its conversation, also if they fail, and sees the new view", async () => {
  const compactor = await createCompactor({
    format: "openai-chat",
    policy: { window: 2_000, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [], minSaving: 0, keepRequestsTokens: 0 },
    summarize: () => "They worked.",
  });
  compactor.append(chatOf(40));
  const clock = clockAt(0);
  let attempts = 0;
  const queue = compactionQueue({
    clock,
    run: async (_, { signal }) => {
      attempts += 1;
      if (attempts === 1) {
        throw new Error("not yet");
      }
      await compactor.compact({ signal });
    },
  });
  const key = { domain: "chat", entityId: "1" };
  await queue.settled(key);
  void queue.enqueue(key);
  let asked;
  const request = queue.settled(key).then(() => (asked = compactor.messages()));
  await turn();
  compactor.append(said("user", "And now?"));
  assert.equal(asked, undefined);
  await clock.move(3_000);
  await request;
  assert.match(asked[0].content, /They worked\./);
  assert.deepEqual(asked.at(-1), said("user", "And now?"));
});

test("h1: in the page a closed queue aborts what runs, rejects what waits, and takes nothing more", async () => {
  const { runs, enqueue, queue } = stage({ concurrency: 1 });
  const jobs = ["a", "b"].map(enqueue);
  await turn();
  queue.close();
  assert.equal(runs[0].signal.aborted, true);
  for (const job of [...jobs, enqueue("c")]) {
    await assert.rejects(job, { code: "disposed" });
  }
  runs[0].resolve();
  await turn();
  assert.equal(runs.length, 1);
});
