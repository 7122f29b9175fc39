// Compactions as jobs of BullMQ, on a real Redis.

import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Queue, QueueEvents } from "bullmq";
import { compactionSettled, createCompactionWorker, enqueueCompaction, isCompacting } from "epitome/bullmq";
import { sqliteStore } from "epitome/node";
import { exportConversation, memoryStore, openConversation } from "epitome/storage";
import { chatOf, said } from "../node/harness.mjs";
import { lossyLine, noRedis, startRedis } from "./servers.mjs";

const Database = createRequire(import.meta.url)("better-sqlite3");
const POLICY = { window: 2_000, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [], minSaving: 0, keepRequestsTokens: 0 };

const opened = (store, id) => openConversation({ store, id, format: "openai-chat", policy: POLICY });

async function begun(store, id, messages = chatOf(40)) {
  const { compactor, close } = await opened(store, id);
  compactor.append(messages);
  await compactor.commit();
  close();
}

/** The records of a conversation. */
async function records(store, id) {
  let text = "";
  for await (const piece of exportConversation(store, id)) {
    text += piece;
  }
  return text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

const checkpoints = async (store, id) => (await records(store, id)).filter(({ record }) => record === "checkpoint");

/** A promise and what settles it. */
function gate() {
  let open;
  const passed = new Promise((resolve) => (open = resolve));
  return { open, passed };
}

describe("jobs of BullMQ", { skip: noRedis }, () => {
  let redis;
  let connection;
  let queue;
  let events;
  const workers = [];
  const worker = (options) => {
    const made = createCompactionWorker({ connection, format: "openai-chat", ...options });
    workers.push(made);
    return made;
  };

  before(async () => {
    redis = await startRedis();
    connection = { host: "127.0.0.1", port: redis.port, maxRetriesPerRequest: null };
    queue = new Queue("context-compaction", { connection });
    events = new QueueEvents("context-compaction", { connection });
    for (const emitter of [queue, events]) {
      emitter.on("error", () => {});
    }
    await events.waitUntilReady();
  });

  after(async () => {
    await Promise.all(workers.map((made) => made.close()));
    await events?.close();
    await queue?.close();
    await redis?.stop();
  });

  test("h1: a job has the queue's numbers: two attempts, the second after 3 seconds, one for each conversation", async () => {
    const key = { domain: "chat", entityId: "numbers" };
    const id = await enqueueCompaction(queue, key);
    assert.equal(await enqueueCompaction(queue, key), id, "one that waits is the same");
    const job = await queue.getJob(id);
    assert.deepEqual([job.opts.attempts, job.opts.backoff], [2, { type: "exponential", delay: 3_000 }]);
    assert.equal(job.opts.deduplication.id, "compact:chat:numbers");
    assert.equal(await isCompacting(queue, key), true);
    await job.remove();
    assert.equal(await isCompacting(queue, key), false);
  });

  test("h1: a chat request that comes during a compaction waits, and then sees the new view; messages of meanwhile are kept", async () => {
    const store = memoryStore();
    const key = { domain: "chat", entityId: "1" };
    await begun(store, "chat:1");
    const [asked, answered] = [gate(), gate()];
    const seen = [];
    const compactions = worker({
      store,
      summarize: async () => {
        asked.open();
        await answered.passed;
        return "They worked.";
      },
      onEvent: (_, { type }) => seen.push(type),
    });
    const progress = [];
    events.on("progress", ({ data }) => progress.push(data.type));
    const job = await queue.getJob(await enqueueCompaction(queue, key));
    await asked.passed;
    assert.equal(await isCompacting(queue, key), true);
    assert.equal(compactions.metrics().running, 1);
    const meanwhile = await opened(store, "chat:1");
    meanwhile.compactor.append(said("user", "And now?"));
    await meanwhile.compactor.commit();
    const settled = compactionSettled(queue, events, key);
    answered.open();
    await settled;
    assert.equal((await job.waitUntilFinished(events)).outcome, "applied");
    const { compactor } = await opened(store, "chat:1");
    assert.deepEqual(compactor.history().at(-1), said("user", "And now?"));
    assert.match(compactor.messages()[0].content, /They worked\./);
    assert.ok(seen.includes("start") && seen.includes("end"), String(seen));
    assert.ok(progress.includes("end"), `${progress}: fit for server-sent events`);
    meanwhile.compactor.append(said("user", "stale"));
    await assert.rejects(meanwhile.compactor.commit(), { code: "conflict" });
    const { applied, requests, running, failed } = compactions.metrics();
    assert.deepEqual({ applied, requests, running, failed }, { applied: 1, requests: 1, running: 0, failed: 0 });
    await compactions.close();
  });

  test("h1: of the jobs that come while one runs, one runs afterwards", async () => {
    const store = memoryStore();
    const key = { domain: "chat", entityId: "2" };
    await begun(store, "chat:2");
    const [asked, answered] = [gate(), gate()];
    let calls = 0;
    const compactions = worker({
      store,
      summarize: async () => {
        calls += 1;
        asked.open();
        await answered.passed;
        return `They worked ${calls}.`;
      },
    });
    await enqueueCompaction(queue, key);
    await asked.passed;
    for (let times = 0; times < 5; times += 1) {
      await enqueueCompaction(queue, { ...key, reason: "manual", instructions: `focus ${times}` });
    }
    answered.open();
    await compactionSettled(queue, events, key);
    const { applied, skipped } = compactions.metrics();
    assert.equal(applied + skipped, 2);
    await compactions.close();
  });

  test("h1: a job that runs twice has its effect once, and one whose conversation was changed is tried again", async () => {
    const store = memoryStore();
    const key = { domain: "chat", entityId: "3" };
    await begun(store, "chat:3");
    const commit = store.commit.bind(store);
    let isLost = true;
    // The store has the commit, and the answer is lost.
    store.commit = async (id, given) => {
      const isStored = await commit(id, given);
      if (given.job !== undefined && isLost) {
        isLost = false;
        throw new Error("the connection was lost");
      }
      return isStored;
    };
    const compactions = worker({ store, summarize: () => "They worked." });
    const job = await queue.getJob(await enqueueCompaction(queue, key));
    assert.deepEqual(await job.waitUntilFinished(events), { outcome: "done-before" });
    assert.equal((await checkpoints(store, "chat:3")).length, 1);
    assert.equal(compactions.metrics().failed, 1);
    await compactions.close();
  });

  test("h1: a summarizer whose error has the status of a busy server is asked again by the compaction", async () => {
    const store = memoryStore();
    await begun(store, "chat:8");
    const errors = [{ status: 503 }, { statusCode: 429, retryable: true }];
    const compactions = worker({
      store,
      policy: { ...POLICY, retry: { attempts: 3, baseMs: 1, capMs: 1 } },
      summarize: () => {
        const fields = errors.shift();
        return fields === undefined ? "They worked." : Promise.reject(Object.assign(new Error("busy"), fields));
      },
    });
    const job = await queue.getJob(await enqueueCompaction(queue, { domain: "chat", entityId: "8" }));
    assert.equal((await job.waitUntilFinished(events)).outcome, "applied");
    await compactions.close();
    assert.equal(compactions.metrics().requests, 3);
  });

  test("h1: a compaction whose summarizer always fails is counted as failed, and the queue does not repeat it", async () => {
    const store = memoryStore();
    const key = { domain: "chat", entityId: "7" };
    await begun(store, "chat:7");
    const compactions = worker({
      store,
      policy: { ...POLICY, retry: { attempts: 4, baseMs: 1, capMs: 1 } },
      summarize: () => Promise.reject(Object.assign(new Error("the server is busy"), { status: 503 })),
    });
    const job = await queue.getJob(await enqueueCompaction(queue, key));
    const { outcome, message } = await job.waitUntilFinished(events);
    await compactions.close();
    assert.equal(outcome, "failed");
    assert.match(message, /the server is busy/);
    assert.deepEqual(compactions.metrics(), { applied: 0, skipped: 0, failed: 1, running: 0, requests: 4 });
    assert.equal((await queue.getJob(job.id)).attemptsMade, 1, "only the compaction repeats its requests");
    assert.equal((await checkpoints(store, "chat:7")).length, 0);
  });

  test("h1: a job whose answer from Redis was lost is sent again, and stays one job", async () => {
    const store = memoryStore();
    const key = { domain: "chat", entityId: "6" };
    await begun(store, "chat:6");
    const line = await lossyLine(redis.port);
    const sender = new Queue("context-compaction", { connection: { ...connection, port: line.port } });
    sender.on("error", () => {});
    try {
      await sender.waitUntilReady();
      const compactions = worker({ store, summarize: () => "They worked." });
      const ended = once(events, "completed");
      line.holdAnswers();
      const adding = enqueueCompaction(sender, key);
      await ended;
      line.cut();
      const job = await queue.getJob(await adding);
      await job.waitUntilFinished(events);
      assert.deepEqual((await store.head("chat:6")).jobs, [job.id]);
      assert.equal((await checkpoints(store, "chat:6")).length, 1);
      await compactions.close();
      const { applied, skipped } = compactions.metrics();
      assert.deepEqual({ applied, skipped }, { applied: 1, skipped: 0 });
    } finally {
      await sender.close();
      line.close();
    }
  });

  test("h1: a worker that is closed ends its jobs first, or gives them up after a time", async () => {
    const store = memoryStore();
    await begun(store, "chat:4");
    await begun(store, "chat:5");
    const [asked, answered] = [gate(), gate()];
    const first = worker({
      store,
      summarize: async () => {
        asked.open();
        await answered.passed;
        return "They worked.";
      },
    });
    await enqueueCompaction(queue, { domain: "chat", entityId: "4" });
    await asked.passed;
    const closed = first.close();
    answered.open();
    await closed;
    assert.equal((await checkpoints(store, "chat:4")).length, 1);

    const aborted = gate();
    const second = worker({
      store,
      summarize: (_, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => (aborted.open(), reject(signal.reason)));
          void second.close({ graceMs: 0 });
        }),
    });
    const job = await queue.getJob(await enqueueCompaction(queue, { domain: "chat", entityId: "5" }));
    await aborted.passed;
    await second.close();
    assert.equal((await checkpoints(store, "chat:5")).length, 0);
    worker({ store, summarize: () => "They worked." });
    assert.equal((await job.waitUntilFinished(events)).outcome, "applied", "another worker goes on");
  });

  test("h1: four workers, two of them killed, Redis restarted: every job has its effect exactly once", async (context) => {
    const [CONVERSATIONS, ROUNDS] = [12, 5];
    const folder = mkdtempSync(join(tmpdir(), "epitome-jobs-"));
    const file = join(folder, "conversations.db");
    const database = new Database(file);
    const store = sqliteStore(database);
    const ids = Array.from({ length: CONVERSATIONS }, (_, number) => String(number));
    await Promise.all(ids.map((id) => begun(store, `many:${id}`)));
    // Jobs of earlier tests have their own workers; these are on their own queue.
    const own = await startRedis();
    const there = { host: "127.0.0.1", port: own.port, maxRetriesPerRequest: null };
    const [jobs, ended] = [new Queue("context-compaction", { connection: there }), new QueueEvents("context-compaction", { connection: there })];
    for (const emitter of [jobs, ended]) {
      emitter.on("error", () => {});
    }
    await ended.waitUntilReady();
    const script = fileURLToPath(new URL("jobs.mjs", import.meta.url));
    const processes = [];
    const begin = async () => {
      const child = fork(script, [String(own.port), file, join(folder, "requests.log")]);
      processes.push(child);
      await once(child, "message");
      return child;
    };
    try {
      await Promise.all(Array.from({ length: 4 }, begin));
      const effects = new Map(ids.map((id) => [id, []]));
      let done = 0;
      const chat = async (id) => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const name = await enqueueCompaction(jobs, { domain: "many", entityId: id });
          effects.get(id).push(name);
          await compactionSettled(jobs, ended, { domain: "many", entityId: id });
          const { compactor, close } = await opened(store, `many:${id}`);
          compactor.append(chatOf(20).map((message) => ({ ...message, round })));
          await compactor.commit();
          close();
          done += 1;
          if (done === 10 || done === 30) {
            processes[done === 10 ? 0 : 1].kill("SIGKILL");
          }
          if (done === 20) {
            await own.restart();
          }
        }
      };
      await Promise.all(ids.map(chat));
      for (const id of ids) {
        const found = await records(store, `many:${id}`);
        const kinds = found.map(({ record }) => record).filter((record) => ["checkpoint", "message"].includes(record)).join(" ");
        const rounds = Array(ROUNDS).fill(["checkpoint", ...Array(20).fill("message")]).flat();
        assert.equal(kinds, [...Array(40).fill("message"), ...rounds].join(" "), `${id}: each once, and in order`);
        assert.deepEqual((await store.head(`many:${id}`)).jobs, effects.get(id), id);
      }
      context.diagnostic(`${CONVERSATIONS * ROUNDS} jobs of ${CONVERSATIONS} conversations`);
    } finally {
      processes.forEach((child) => child.kill("SIGKILL"));
      await ended.close();
      await jobs.close();
      await own.stop();
      database.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
