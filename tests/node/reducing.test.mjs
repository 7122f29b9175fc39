// Reducers: they save tokens without a model, and change copies instead of the app's objects.

import assert from "node:assert/strict";
import { test } from "node:test";
import { restoreCompactor } from "epitome";
import { chatOf, compactorWith, preset, said, toolRound } from "./harness.mjs";

const always = (reducer) => ({ reducers: [{ reducer, when: "always" }] });
const unasked = { summarize: () => assert.fail("a summarizer was asked") };

/** Runs reducers without a summary, checks what holds for all of them, and returns what the model sees. */
async function reduced(compactor, before) {
  const was = structuredClone(before);
  const report = await compactor.compactIfNeeded({ phase: "turnEnd" });
  assert.equal(report?.reason, "reduce");
  assert.equal(report.outcome, "applied", report.message);
  assert.deepEqual(before, was, "the app's own objects stay as they are");
  assert.deepEqual(compactor.history(), before);
  assert.equal(compactor.status().tokens, report.tokensAfter);
  const view = compactor.messages();
  assert.deepEqual(compactor.messages().map((message, index) => message === view[index]), view.map(() => true));
  return view;
}

test("c1: tool results are truncated by their age, with a notice", async () => {
  const long = "a long result ".repeat(400);
  const messages = [said("user", "go"), ...Array.from({ length: 25 }, (_, index) => toolRound(`c${index}`, long)).flat()];
  const compactor = await compactorWith(preset("team", 1_000_000, { triggers: ["manual"] }), messages, unasked);
  const plan = compactor.plan({ reason: "reduce" });
  assert.equal(plan.summarizes, false);
  const truncated = plan.actions.filter(({ action }) => action === "truncateToolResults");
  assert.equal(truncated.length, plan.reduced);
  assert.ok(truncated.every(({ tokensBefore, tokensAfter }) => tokensBefore > tokensAfter && tokensAfter > 0));
  const view = await reduced(compactor, messages);
  const results = view.filter(({ role }) => role === "tool").map(({ content }) => content.length).reverse();
  // The newest ten messages are five tool rounds.
  assert.ok(results.slice(0, 5).every((length) => length === long.length), results.join());
  assert.ok(results.slice(5, 10).every((length) => length > 1_000 && length <= 2_000), results.join());
  assert.ok(results.slice(10, 20).every((length) => length > 500 && length <= 1_000), results.join());
  assert.ok(results.slice(20).every((length) => length <= 500), results.join());
  const [oldest] = view.filter(({ role }) => role === "tool");
  assert.ok(oldest.content.includes("[truncated: "));
  assert.deepEqual({ ...oldest, content: long }, messages[2], "everything else in it is as it came");
  assert.ok(view.filter((message) => messages.includes(message)).length > 25);
  compactor.undo();
  assert.ok(compactor.messages().every((message, index) => message === messages[index]));
  compactor.dispose();
});

test("c2: a synthetic message that a later one repeats is left out", async () => {
  const note = said("user", "The time is noon.");
  const messages = [said("system", "s"), note, said("user", "hi"), said("assistant", "hello"), { ...note }, said("user", "bye")];
  const compactor = await compactorWith(always("deduplicate"), messages.slice(0, 1), unasked);
  compactor.append(messages[1], { synthetic: "reminder" });
  compactor.append(messages.slice(2, 4));
  compactor.append(messages[4], { synthetic: "reminder" });
  compactor.append(messages[5]);
  const view = await reduced(compactor, messages);
  assert.deepEqual(view, [messages[0], ...messages.slice(2)]);
  assert.ok(view.every((message) => messages.includes(message)));
  compactor.dispose();
});

test("c3: arguments of old calls are cleared: never, after each tool loop, or in compactions", async () => {
  const text = "x".repeat(900);
  const messages = [said("user", "go"), ...toolRound("a", "ok", { args: { path: "a.rs", text } }), ...toolRound("b", "ok", { args: { text } }), said("assistant", "done ".repeat(80)), said("user", "so?")];
  const prune = { clearToolInputs: { protectFraction: 0.05, argThresholdTokens: 200 } };
  const compactor = await compactorWith(always(prune), messages, unasked);
  const view = await reduced(compactor, messages);
  const [call] = view[1].tool_calls;
  assert.deepEqual(JSON.parse(call.function.arguments), { path: "a.rs", text: "[900 characters left out]" });
  assert.deepEqual(view[1]["x-mine"], { id: "a" });
  assert.equal(messages[1].tool_calls[0].function.arguments.length, JSON.stringify({ path: "a.rs", text }).length);
  compactor.dispose();
  const due = async (reducers) => {
    const other = await compactorWith({ reducers }, messages);
    const found = [other.check("loop"), other.check("turnEnd"), other.plan().actions.some(({ action }) => action === "clearToolInputs")];
    other.dispose();
    return found;
  };
  assert.deepEqual(await due([]), [undefined, undefined, false]);
  assert.deepEqual((await due([{ reducer: prune, when: { at: { phase: "loop", trigger: "always" } } }])).slice(0, 2), ["reduce", undefined]);
  assert.deepEqual((await due([{ reducer: prune }])).slice(0, 2), [undefined, undefined]);
});

test("c4: a large tool result is offloaded under a name, and can be read back", async () => {
  const long = Array.from({ length: 900 }, (_, line) => `line ${line}`).join("\n");
  const messages = [said("user", "go"), ...toolRound("call_1", long), ...toolRound("call_2", "short"), said("user", "so?")];
  const paths = [];
  const onEvent = (event) => event.type === "offloaded" && paths.push(event.path);
  const offload = { offloadToolResults: { protectFraction: 0, maxTokens: 500, keepTokens: 200 } };
  const compactor = await compactorWith(always(offload), messages, { ...unasked, onEvent });
  const view = await reduced(compactor, messages);
  assert.deepEqual(paths, ["tool-results/call_1.txt"]);
  assert.ok(view[2].content.includes("tool-results/call_1.txt") && view[2].content.length <= 200);
  assert.equal(compactor.offloaded("tool-results/call_1.txt"), long);
  assert.equal(compactor.offloaded("tool-results/call_2.txt"), undefined);
  assert.deepEqual([view[0], view[1], view[4]].map((message) => messages.includes(message)), [true, true, true]);
  const originals = messages;
  const restored = await restoreCompactor(compactor.snapshot(), { format: "openai-chat", originals });
  assert.deepEqual(restored.messages(), view);
  assert.equal(restored.offloaded("tool-results/call_1.txt"), long);
  compactor.dispose();
  restored.dispose();
});

test("c4: values that JSON cannot hold are still in the copy of a changed message", async () => {
  const when = new Date();
  const [call, result] = toolRound("a", "long ".repeat(200));
  const mine = { ...result, when, self: () => 1, big: 10n };
  const offload = { offloadToolResults: { protectFraction: 0, maxTokens: 100, keepTokens: 60 } };
  const compactor = await compactorWith(always(offload), [call, mine, said("user", "so?")], unasked);
  await compactor.compactIfNeeded({ phase: "turnEnd" });
  const view = compactor.messages();
  assert.notEqual(view[1], mine);
  assert.deepEqual([view[1].when, view[1].self, view[1].big], [when, mine.self, 10n]);
  compactor.dispose();
});

test("c5: without a summarizer, a full window loses its oldest messages", async () => {
  const messages = [said("system", "s"), ...chatOf(11)];
  const compactor = await compactorWith(preset("team-none", 1_000), messages, unasked);
  assert.ok(compactor.status().tokens > 1_000);
  const view = await reduced(compactor, messages);
  assert.equal(view[0], messages[0]);
  assert.ok(view.length < messages.length);
  assert.deepEqual(view.slice(1), messages.slice(messages.length - view.length + 1));
  assert.ok(compactor.status().tokens < 1_000);
  compactor.dispose();
});

test("c6: heartbeats are removed first", async () => {
  const check = () => [said("user", "Are you there?"), said("assistant", "HEARTBEAT_OK")];
  const messages = [said("user", "hi"), said("assistant", "hello"), ...check(), ...check(), said("user", "bye")];
  const compactor = await compactorWith({ ...always("deduplicate"), heartbeatAnswer: "HEARTBEAT_OK" }, messages, unasked);
  const view = await reduced(compactor, messages);
  assert.deepEqual(view, [messages[0], messages[1], messages[6]]);
  compactor.dispose();
});
