// Hooks and events: when they are called, with what, and what their errors do.

import assert from "node:assert/strict";
import { test } from "node:test";
import { deferred } from "./fixtures.mjs";
import { chatOf, compactorWith, said, toolRound } from "./harness.mjs";
import { both } from "./places.mjs";

const KEEP = { keep: { messages: 2 } };

both("g4: a hook before every compaction sees its plan, and one after it sees its result", async ({ compactorWith }) => {
  const seen = [];
  const host = {
    beforeCompaction: (context) => void seen.push(["before", context]),
    afterCompaction: ({ type, ...context }) => void seen.push([type, context]),
  };
  const policy = { ...KEEP, window: 2_000, triggers: [{ tokens: 900 }] };
  const compactor = await compactorWith(policy, chatOf(10), host);
  const report = await compactor.compactIfNeeded({ phase: "turnEnd" });
  const before = { reason: "threshold", forced: false, tokensUsed: 1_000, contextPercent: 50, messageCount: 10, keepLast: 2 };
  const { messagesBefore, messagesAfter, summaryCharacters } = report;
  const after = { success: true, messagesBefore, messagesAfter, summaryCharacters };
  assert.deepEqual(seen, [["before", before], ["after", after]]);
  assert.equal(summaryCharacters, [...report.summary].length);
  seen.length = 0;
  await compactor.append(chatOf(10));
  await compactor.compact();
  assert.equal(seen[0][1].forced, true);
  compactor.dispose();
});

both("g4: a hook may skip, at once or after a wait", async ({ compactorWith }) => {
  for (const answer of [false, { skip: true }, Promise.resolve(false), Promise.resolve({ skip: true })]) {
    const summarize = () => assert.fail("before");
    const after = [];
    const host = { beforeCompaction: () => answer, afterCompaction: (news) => after.push(news), summarize };
    const compactor = await compactorWith(KEEP, chatOf(10), host);
    const report = await compactor.compact();
    assert.equal(report.outcome, "skipped");
    assert.ok(report.message.length > 0);
    assert.deepEqual(after, []);
    assert.equal((await compactor.messages()).length, 10);
    compactor.dispose();
  }
  for (const answer of [undefined, true, { skip: false }, Promise.resolve()]) {
    const compactor = await compactorWith(KEEP, chatOf(10), { beforeCompaction: () => answer });
    assert.equal((await compactor.compact()).outcome, "applied");
    compactor.dispose();
  }
});

both("g4: a hook that throws fails the compaction with its message", async ({ compactorWith }) => {
  const events = [];
  const beforeCompaction = () => {
    throw new Error("not today");
  };
  const compactor = await compactorWith(KEEP, chatOf(10), { beforeCompaction, onEvent: (event) => events.push(event) });
  const report = await compactor.compact();
  assert.deepEqual([report.outcome, report.message], ["failed", "beforeCompaction failed: not today"]);
  assert.deepEqual(events, [{ type: "end", report }]);
  assert.equal((await compactor.messages()).length, 10);
  compactor.dispose();
});

test("g4: an error of an after-hook goes to the console", async (context) => {
  const logged = context.mock.method(console, "error", () => {});
  const throws = () => {
    throw new Error("mine");
  };
  for (const afterCompaction of [async () => throws(), throws]) {
    const compactor = await compactorWith(KEEP, chatOf(10), { afterCompaction });
    assert.equal((await compactor.compact()).outcome, "applied");
    compactor.dispose();
  }
  assert.equal(logged.mock.callCount(), 2);
});

both("g4: neither hook is called if only reducers work", async ({ compactorWith }) => {
  const hooks = { beforeCompaction: () => assert.fail("before"), afterCompaction: () => assert.fail("after") };
  const offload = { offloadToolResults: { protectFraction: 0, maxTokens: 100, keepTokens: 80 } };
  const messages = [said("user", "go"), ...toolRound("a", "long ".repeat(99)), said("user", "so?")];
  const own = await compactorWith({ reducers: [{ reducer: offload, when: "always" }] }, messages, hooks);
  assert.equal((await own.compactIfNeeded({ phase: "turnEnd" })).outcome, "applied");
  own.dispose();
  const withoutSummarizer = { target: 0.01, reducers: [{ reducer: offload }], summary: { defaultAgent: null } };
  const compactor = await compactorWith(withoutSummarizer, messages, hooks);
  const report = await compactor.compact();
  assert.deepEqual([report.outcome, report.requests, report.reduced], ["applied", 0, 1]);
  compactor.dispose();
});

both("a compaction can be cancelled while a hook is pending, and a late answer changes nothing", async ({ compactorWith }) => {
  const { promise, resolve } = deferred();
  const answers = [promise, undefined];
  const compactor = await compactorWith(KEEP, chatOf(10), { beforeCompaction: () => answers.shift() });
  const controller = new AbortController();
  const first = compactor.compact({ signal: controller.signal });
  controller.abort();
  assert.equal((await first).outcome, "cancelled");
  const second = compactor.compact();
  resolve(false);
  assert.equal((await second).outcome, "applied");
  const third = compactor.compact();
  compactor.dispose();
  assert.ok(["cancelled", "skipped"].includes((await third).outcome));
});

both("a compaction cancelled before it begins is not stored, even without a summary", async ({ compactorWith }) => {
  const drops = { heartbeatAnswer: "HEARTBEAT_OK", reducers: [{ reducer: "deduplicate" }], summary: { defaultAgent: null } };
  const messages = [said("user", "hi"), said("user", "alive?"), said("assistant", "HEARTBEAT_OK"), said("user", "bye")];
  const compactor = await compactorWith(drops, messages);
  const report = await compactor.compact({ signal: AbortSignal.abort() });
  assert.equal(report.outcome, "cancelled");
  assert.deepEqual(await compactor.messages(), messages);
  assert.equal((await compactor.compact()).outcome, "applied");
  assert.equal((await compactor.messages()).length, 2);
  compactor.dispose();
});

both("g5: events have tokens and threshold at the start, and both totals and the summary's length at the end", async ({ compactorWith }) => {
  const [everything, own] = [[], []];
  const policy = { ...KEEP, triggers: [{ tokens: 900 }] };
  const compactor = await compactorWith(policy, chatOf(10), { onEvent: (event) => everything.push(event) });
  const report = await compactor.compact({ reason: "threshold", onEvent: (event) => own.push(event) });
  assert.deepEqual(own, everything);
  assert.deepEqual(own[0], { type: "start", tokens: 1_000, threshold: 900, budgetUsedPct: 10, chunks: 1 });
  assert.deepEqual(own.at(-1), { type: "end", report });
  assert.deepEqual([report.tokensBefore, report.tokensAfter < 1_000], [1_000, true]);
  assert.equal(report.summaryCharacters, report.summary.length);
  compactor.dispose();
});
