// The loop middleware: its document's rules through the package, section by section.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, resolvePolicy } from "epitome";
import { chatOf, said, scripted } from "../node/harness.mjs";

const LOOP = { preset: "loop", counting: { charactersPerToken: 1 } };

/** A compactor with the preset and these messages, which compacts as soon as it is asked. */
async function loopOf(messages, options = {}) {
  const compactor = await createCompactor({ format: "openai-chat", policy: LOOP, ...options });
  compactor.append(messages);
  return compactor;
}

// Timeouts of the HTTP client

test("h4: an app's summarizer that does not answer in time is aborted, and the conversation stays", async () => {
  const messages = chatOf(20, 4_000);
  const seen = [];
  const summarize = (request, { signal }) => {
    seen.push(signal);
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
  };
  const compactor = await loopOf(messages, { summarize, summarizeTimeoutMs: 5 });
  const report = await compactor.compact();
  assert.equal(report.outcome, "failed");
  assert.match(report.message, /did not answer within 5 ms.*summarizeTimeoutMs/);
  assert.deepEqual(seen.map(({ aborted }) => aborted), [true]);
  assert.deepEqual(compactor.messages(), messages);
  compactor.dispose();
});

test("h4: a summarizer that never settles ends with its time limit as well", async () => {
  const compactor = await loopOf(chatOf(20, 4_000), { summarize: () => new Promise(() => {}), summarizeTimeoutMs: 5 });
  const report = await compactor.compact();
  assert.match(report.message, /did not answer within 5 ms/);
  compactor.dispose();
});

test("h4: without a setting, a call of the summarizer may take twelve minutes", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let resolve;
  const asked = new Promise((asked) => {
    resolve = asked;
  });
  const summarize = () => {
    resolve();
    return new Promise(() => {});
  };
  const compactor = await loopOf(chatOf(20, 4_000), { summarize });
  let report;
  const compacted = compactor.compact().then((done) => {
    report = done;
  });
  await asked;
  context.mock.timers.tick(12 * 60_000 - 1);
  await Promise.resolve();
  assert.equal(report, undefined, "not yet");
  context.mock.timers.tick(1);
  await compacted;
  assert.match(report.message, /did not answer within 720000 ms/);
  compactor.dispose();
});

test("h4: a time limit that is no number above 0 is refused, and Infinity waits as long as it takes", async () => {
  for (const summarizeTimeoutMs of [0, -1, Number.NaN, "5", null]) {
    const refused = loopOf([], { summarizeTimeoutMs });
    await assert.rejects(refused, { name: "EpitomeError", code: "invalid-option", message: /^summarizeTimeoutMs: / });
  }
  const summarize = () => new Promise((resolve) => setTimeout(() => resolve("They worked."), 20));
  const compactor = await loopOf(chatOf(20, 4_000), { summarize, summarizeTimeoutMs: Number.POSITIVE_INFINITY });
  assert.equal((await compactor.compact()).outcome, "applied");
  compactor.dispose();
});

// Section 11: the heartbeat pattern

test("c6: heartbeats and their answers do not reach the summarizer", async () => {
  const beat = (answer) => [said("user", "Checking whether you are alive."), said("assistant", answer)];
  const messages = [
    ...chatOf(6, 4_000),
    ...beat("HEARTBEAT_OK"),
    ...chatOf(6, 4_000),
    ...beat("HEARTBEAT_OK."),
    ...beat("The disk is full."),
    ...chatOf(4, 4_000),
  ];
  const { requests, summarize } = scripted("They worked.");
  const compactor = await loopOf(messages, { summarize });
  assert.equal((await compactor.compact()).outcome, "applied");
  const input = requests.map(({ input }) => input).join("\n");
  assert.ok(input.includes("Turn 0") && input.includes("The disk is full."));
  assert.equal(input.match(/HEARTBEAT_OK/g), null);
  assert.equal(input.match(/Checking whether you are alive/g).length, 1, "only the one that was answered otherwise");
  compactor.dispose();
});

// Section 4: the summarization prompt, and what is put back

test("d20: the summary is asked for as notes to go on from, and what is put back demands no clarifying questions", async () => {
  const { summary } = await resolvePolicy({ preset: "loop" });
  assert.match(summary.closing, /without asking .*questions/);
  const { requests, summarize } = scripted("They worked.");
  const compactor = await loopOf([said("system", "be kind"), ...chatOf(7, 4_000)], { summarize });
  for (let round = 0; round < 3; round += 1) {
    compactor.append(chatOf(7, 4_000));
    assert.equal((await compactor.compact()).outcome, "applied");
    const view = compactor.messages();
    assert.deepEqual(view.map(({ role }) => role), ["system", "user"]);
    assert.ok(view[1].content.endsWith(`\n${summary.closing}`), view[1].content.slice(-300));
    assert.equal(view[1].content.split(summary.closing).length, 2, "once");
    assert.ok(view[1].content.indexOf("Turn 6") < view[1].content.indexOf(summary.closing), "behind the last request");
  }
  assert.match(requests[0].system, /without a question/);
  assert.ok(requests.every(({ input }) => !input.includes(summary.closing)));
  compactor.dispose();
});

test("d20: other presets put no demand back unless the policy has one", async () => {
  for (const name of ["recommended", "workstream", "team", "fill", "request"]) {
    assert.equal((await resolvePolicy({ preset: name })).summary.closing, null, name);
  }
  const policy = { ...LOOP, preset: "fill", window: 20_000, summary: { closing: "Mach weiter, ohne zu fragen." } };
  const compactor = await loopOf(chatOf(40, 400), { policy, summarize: () => "They worked." });
  await compactor.compact();
  const [summary] = compactor.messages();
  assert.ok(summary.content.endsWith("\nMach weiter, ohne zu fragen."), summary.content);
  compactor.dispose();
});
