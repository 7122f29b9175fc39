// The fill-percent system: its document's rules through the package, section by section.

import assert from "node:assert/strict";
import { test } from "node:test";
import { chatOf, compactorWith, said, scripted, toolRound } from "../node/harness.mjs";

// Settings: tool_result_max_length, and the shorter limits of the retries

test("d2: the limit on tool results does not cut the arguments of calls, in no attempt", async () => {
  const args = { path: "src/roses.rs", text: "plant the roses ".repeat(20) };
  const messages = [
    said("user", "go"),
    ...Array.from({ length: 6 }, (_, index) => toolRound(`c${index}`, "r".repeat(400), { args })).flat(),
    ...chatOf(4, 300),
  ];
  const { requests, summarize } = scripted("They planted roses. ".repeat(40));
  const policy = {
    window: 6_000,
    triggers: [{ tokens: 300 }],
    target: 0.9,
    keep: { messages: 4 },
    summary: { fallbackLevels: [150, 50, 0], toolResultMaxCharacters: 200 },
  };
  const compactor = await compactorWith(policy, messages, { summarize });
  await compactor.compact();
  assert.ok(requests.length > 3, `${requests.length} requests`);
  for (const { input } of requests.slice(0, 4)) {
    assert.ok(input.includes(JSON.stringify(args)), "the arguments are whole");
  }
  assert.equal(requests[3].input.match(/r{3,}/g), null, "the results are cut to nothing");
  compactor.dispose();
});

test("d2: arguments have a limit of their own", async () => {
  const args = { text: "plant the roses ".repeat(20) };
  const messages = [said("user", "go"), ...toolRound("a", "ok", { args }), ...chatOf(4, 300)];
  const { requests, summarize } = scripted("They planted roses.");
  const policy = { keep: { messages: 2 }, summary: { toolInputMaxCharacters: 30 } };
  const compactor = await compactorWith(policy, messages, { summarize });
  await compactor.compact();
  assert.match(requests[0].input, /calls look \{"text":"plant the roses plant… \[\d+ more characters\]/);
  assert.ok(requests[0].input.includes("look answers: ok"));
  compactor.dispose();
});

// Pruning of tool-call arguments

const always = (argThresholdTokens) => ({
  reducers: [{ reducer: { clearToolInputs: { protectFraction: 0, argThresholdTokens } }, when: "always" }],
});

/** The arguments that the model sees of a call with these. */
async function pruned(args, argThresholdTokens = 200) {
  const messages = [said("user", "go"), ...toolRound("a", "ok", { args }), said("assistant", "done"), said("user", "so?")];
  const compactor = await compactorWith(always(argThresholdTokens), messages);
  await compactor.maintain("turnEnd");
  const seen = compactor.messages()[1].tool_calls[0].function.arguments;
  compactor.dispose();
  return seen;
}

test("c3: arguments of many short values are pruned, and their names stay", async () => {
  const args = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`field${at}`, `a short value ${at}`]));
  const seen = JSON.parse(await pruned(args));
  assert.deepEqual(Object.keys(seen), Object.keys(args));
  assert.ok(Object.values(seen).every((value) => value === "…"));
});

test("c3: arguments that are an array are pruned to its first items", async () => {
  const args = Array.from({ length: 100 }, (_, at) => at);
  const seen = JSON.parse(await pruned(args));
  assert.deepEqual(seen.slice(0, 3), [0, 1, 2]);
  assert.match(seen.at(-1), /^\[\d+ more left out\]$/);
  assert.ok(JSON.stringify(seen).length <= 200);
});

test("c3: arguments at the threshold stay, and one above it are pruned", async () => {
  const args = { text: "x".repeat(189) };
  const { length } = JSON.stringify(args);
  assert.equal(length, 200);
  assert.equal(await pruned(args, 200), JSON.stringify(args));
  assert.deepEqual(JSON.parse(await pruned(args, 199)), { text: "[189 characters left out]" });
});
