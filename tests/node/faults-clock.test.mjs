// What a clock that is set may do to a conversation: nothing. One table: each fault × each phase.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, validate } from "epitome";
import { longChat } from "./fixtures.mjs";

const HOUR = 3_600_000;

/** Each fault: what the clock says, given what it should say. */
const FAULTS = [
  { fault: "jumps ahead", says: (now) => now + 10_000 * HOUR },
  { fault: "goes back", says: (now) => now - 10_000 * HOUR },
  { fault: "stands still", says: (_, began) => began },
  { fault: "is before 1970", says: () => -1 },
  { fault: "says nothing", says: () => NaN },
  { fault: "never ends", says: () => Infinity },
  {
    fault: "throws",
    says: () => {
      throw new Error("there is no clock");
    },
  },
];
const PHASES = ["before", "at a failure", "while it waits", "after"];

for (const { fault, says } of FAULTS) {
  for (const phase of PHASES) {
    test(`j22: a clock that ${fault} (${phase}) neither delays nor harms a compaction`, async (context) => {
      const now = Date.now;
      const began = now();
      const set = () => context.mock.method(Date, "now", () => says(now(), began));
      const timers = context.mock.method(globalThis, "setTimeout");
      let calls = 0;
      const summarize = () => {
        calls += 1;
        if (calls === 2 && phase === "at a failure") set();
        if (calls <= 2) throw Object.assign(new Error("busy"), { retryable: true });
        return "They planned the garden.";
      };
      const messages = longChat(60);
      const policy = { window: 1_000, retry: { attempts: 3, baseMs: 20, capMs: 20 } };
      const onEvent = ({ type }) => {
        if (type === "retry" && calls === 1 && phase === "while it waits") setImmediate(set);
      };
      if (phase === "before") set();
      const compactor = await createCompactor({ format: "openai-chat", policy, summarize, onEvent });
      compactor.append(messages);
      const report = await compactor.compact();
      if (phase === "after") set();
      assert.equal(report.outcome, "applied", report.message);
      assert.equal(calls, 3);
      const delays = timers.mock.calls.map(({ arguments: [, delay = 0] }) => delay);
      assert.deepEqual([delays.filter((delay) => delay === 20).length, delays.filter((delay) => delay > HOUR)], [2, []]);
      assert.deepEqual(await validate(compactor.messages(), "openai-chat"), []);
      const next = await compactor.compact({ reason: "manual" });
      assert.notEqual(next.outcome, "failed");
      while (compactor.compacted().length > 0) compactor.undo();
      assert.ok(compactor.messages().every((message, index) => message === messages[index]), "the same objects");
      compactor.dispose();
    });
  }
}

test("j22: calls of the app while a compaction waits do not make it wait longer", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let calls = 0;
  const summarize = () => {
    calls += 1;
    throw Object.assign(new Error("busy"), { retryable: true });
  };
  const policy = { window: 1_000, retry: { attempts: 2, baseMs: 1_000, capMs: 1_000 } };
  let retry;
  const waits = new Promise((resolve) => { retry = resolve; });
  const onEvent = ({ type }) => type === "retry" && retry();
  const compactor = await createCompactor({ format: "openai-chat", policy, summarize, onEvent });
  compactor.append(longChat(60));
  const compaction = compactor.compact();
  await waits;
  await new Promise((resolve) => setImmediate(resolve));
  for (let step = 0; step < 10; step += 1) {
    context.mock.timers.tick(99);
    compactor.check("turnEnd");
    compactor.reportUsage({ prompt_tokens: 10 });
  }
  assert.equal(calls, 1);
  context.mock.timers.tick(10);
  assert.equal((await compaction).outcome, "failed");
  assert.equal(calls, 2);
  compactor.dispose();
});
