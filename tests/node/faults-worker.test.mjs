// What a worker may do to a conversation whose engine is in it: nothing, and nobody waits for it for ever. One table: each fault × each
// phase.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { isEpitomeError, validate } from "epitome";
import { createWorkerCompactor, restoreWorkerCompactor } from "epitome/worker";
import { deferred, longChat } from "./fixtures.mjs";
import { servingWorker } from "./places.mjs";

const OPTIONS = { format: "openai-chat", policy: { window: 1_000, retry: { attempts: 1 } }, summarize: () => "They planned the garden." };
const run = promisify(execFile);

/** A worker with this code. */
const running = (code) => new Worker(code, { eval: true });

/** What a promise rejects with, as an error of the package. */
async function refused(promise) {
  const error = await promise.then(() => assert.fail("it resolved"), (thrown) => thrown);
  assert.ok(isEpitomeError(error), String(error));
  return error;
}

/** Each fault at the start: the worker, and what is said of it. */
const STARTS = [
  { fault: "absent", worker: () => new Worker(new URL("./absent.mjs", import.meta.url)), says: /Cannot find module/ },
  { fault: "throwing at once", worker: () => running("throw new Error('no memory');"), says: /no memory/ },
  { fault: "ending at once", worker: () => running("process.exit(0);"), says: /it has ended/ },
];

for (const { fault, worker, says } of STARTS) {
  test(`m6: a worker that is ${fault} makes no compactor, and the error says why`, async () => {
    const { code, message } = await refused(createWorkerCompactor({ ...OPTIONS, worker: worker() }));
    assert.equal(code, "not-loaded");
    assert.match(message, says);
  });
}

test("m6: one who waits for a worker that never answers can give up", async () => {
  const worker = running("setInterval(() => {}, 1_000);");
  const reason = new Error("too slow");
  const controller = new AbortController();
  setImmediate(() => controller.abort(reason));
  for (const signal of [controller.signal, AbortSignal.abort(reason)]) {
    const error = await refused(createWorkerCompactor({ ...OPTIONS, worker, signal }));
    assert.deepEqual([error.code, error.cause], ["aborted", reason]);
  }
  await worker.terminate();
});

/** Each way in which a worker is gone, and the code of what waits for it. */
const ENDS = [
  { fault: "is terminated by the app", end: ({ worker }) => void worker.terminate(), code: "broken" },
  { fault: "crashes", end: ({ worker }) => worker.postMessage("crash"), code: "broken" },
  { fault: "is given up with terminate()", end: ({ compactor }) => compactor.terminate(), code: "disposed" },
];
const PHASES = ["idle", "before the summary", "while the summary is written", "while it is stored"];

for (const { fault, end, code } of ENDS) {
  for (const phase of PHASES) {
    test(`m6: a worker that ${fault} (${phase}) leaves nobody waiting, and the conversation can be restored`, async () => {
      const worker = new Worker(new URL("./serving-worker.mjs", import.meta.url));
      const reached = deferred();
      const never = new Promise(() => {});
      const at = (name) => name === phase && (reached.resolve(), never);
      const signals = [];
      const compactor = await createWorkerCompactor({
        ...OPTIONS,
        worker,
        beforeCompaction: () => at("before the summary") || undefined,
        summarize: (_, { signal }) => (signals.push(signal), at("while the summary is written") || "They planned the garden."),
        commit: () => at("while it is stored") || undefined,
      });
      const messages = longChat(60);
      await compactor.append(messages);
      const snapshot = await compactor.snapshot();
      const compaction = phase === "idle" ? undefined : compactor.compact();
      await (compaction === undefined ? undefined : reached.promise);
      const waiting = [...(compaction === undefined ? [] : [compaction]), ...(code === "disposed" ? [compactor.status()] : [])];
      end({ worker, compactor });
      for (const promise of waiting) {
        assert.equal((await refused(promise)).code, code);
      }
      if (compaction === undefined && code === "broken") {
        await new Promise((resolve) => worker.once("exit", resolve));
      }
      assert.equal((await refused(compactor.append(messages))).code, code);
      assert.ok(phase !== "while the summary is written" || signals[0].aborted, "the signal of the summarizer has aborted");
      compactor.terminate();
      compactor.dispose();
      await worker.terminate();

      const restored = await restoreWorkerCompactor(snapshot, { ...OPTIONS, originals: messages });
      assert.deepEqual(await restored.history(), messages);
      assert.equal((await restored.compact()).outcome, "applied");
      assert.deepEqual(await validate(await restored.messages(), "openai-chat"), []);
      restored.dispose();
    });
  }
}

test("m6: a worker that is slow keeps the order of calls and events, and a compaction can be cancelled meanwhile", async () => {
  const events = [];
  const compactor = await createWorkerCompactor({
    ...OPTIONS,
    worker: servingWorker(),
    summarize: (_, { onDelta, signal }) => {
      [..."They planned."].forEach((letter) => onDelta(letter));
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
    onEvent: ({ type, text }) => events.push(text ?? type),
  });
  const controller = new AbortController();
  const calls = [compactor.append(longChat(20_000)), compactor.history(), compactor.compact({ signal: controller.signal }), compactor.status()];
  const settled = [];
  calls.forEach((call, index) => call.then(() => settled.push(index)));
  const [ids, history] = await Promise.all(calls.slice(0, 2));
  assert.equal(ids.length, history.length);
  while (!events.includes(".")) await new Promise(setImmediate);
  controller.abort();
  assert.equal((await calls[2]).outcome, "cancelled");
  assert.deepEqual(settled, [0, 1, 3, 2]);
  assert.equal(events.slice(1, 14).join(""), "They planned.");
  compactor.dispose();
});

test("m6: two compactors in one worker end each for itself, and ending twice is allowed", async () => {
  const worker = servingWorker();
  const [one, other] = await Promise.all([1, 2].map(() => createWorkerCompactor({ ...OPTIONS, worker })));
  await Promise.all([one.append(longChat(60)), other.append(longChat(4))]);
  for (let time = 0; time < 2; time += 1) {
    one.dispose();
    one.terminate();
  }
  assert.equal((await refused(one.status())).code, "disposed");
  assert.equal((await other.history()).length, 5);
  await other.append(longChat(60));
  assert.equal((await other.compact()).outcome, "applied");
  other.dispose();
});

test("m6: a call that waits keeps the process running, and a compactor that is idle does not", async () => {
  const script = `import("epitome/worker")
    .then(({ createWorkerCompactor }) => createWorkerCompactor({ format: "openai-chat" }))
    .then((compactor) => compactor.append({ role: "user", content: "Which rose?" }))
    .then(console.log);`;
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const { stdout } = await run(process.execPath, ["--eval", script], { cwd, timeout: 60_000 });
  assert.equal(stdout.trim(), "[ 'm0' ]");
});
