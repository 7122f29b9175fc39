// What the engine stores about messages, and the rules for them in every view.

import assert from "node:assert/strict";
import { test } from "node:test";
import { restoreCompactor } from "epitome";
import { refusal } from "./provider.mjs";
import { chatOf, compactorWith, said, scripted, toolRound } from "./harness.mjs";

const KEEP = { keep: { messages: 2 } };

test("a1: an app may mark messages as pinned or synthetic, and give their author and time", async () => {
  const [first, ...rest] = chatOf(12);
  const script = scripted();
  const compactor = await compactorWith(KEEP, [first], script);
  const pinned = said("user", "Never water at noon.");
  compactor.append(pinned, { pinned: true, author: "bob", time: 1_700_000_000_000, audience: ["gardener"] });
  compactor.append(rest[0], { author: "carol", synthetic: "reminder" });
  compactor.append(rest.slice(1));
  assert.throws(() => compactor.append(first, { pinnd: true }), { code: "invalid-option", message: /metadata\.pinnd/ });
  assert.throws(() => compactor.append(first, { time: "noon" }), { code: "invalid-option" });
  assert.equal((await compactor.compact()).outcome, "applied");
  assert.ok(compactor.messages().includes(pinned));
  assert.ok(script.requests[0].input.includes("assistant carol:"), script.requests[0].input);
  const originals = [first, pinned, ...rest];
  const restored = await restoreCompactor(compactor.snapshot(), { format: "openai-chat", originals });
  assert.deepEqual(restored.messages(), compactor.messages());
  const wording = said("user", "Never water at night.");
  compactor.edit("m1", wording);
  assert.equal((await compactor.compact()).outcome, "applied");
  assert.ok(compactor.messages().includes(wording), "it is pinned as it was");
  compactor.edit("m1", wording, { pinned: false });
  await compactor.compact();
  assert.ok(!compactor.messages().includes(wording));
  compactor.dispose();
  restored.dispose();
});

test("a2: a summarizer's input has a result for every call, and never ends in a tool message", async () => {
  const [call] = toolRound("lost", "");
  const script = scripted();
  const compactor = await compactorWith(KEEP, [said("user", "go"), call, said("user", "well?"), ...toolRound("b", "found"), ...chatOf(4)], script);
  await compactor.compact();
  const { input } = script.requests[0];
  const speakers = [...input.matchAll(/^\[\d+\] (\w+)/gm)].map(([, speaker]) => speaker);
  assert.equal(speakers.filter((speaker) => speaker === "tool").length, 2, input);
  assert.notEqual(speakers.at(-1), "tool", input);
  compactor.dispose();
});

test("a3: orphans and duplicates are repaired for the model, and listed", async () => {
  const messages = [...chatOf(8), ...toolRound("a", "found"), said("tool", "again", { tool_call_id: "a" }), said("tool", "whose?", { tool_call_id: "z" }), said("user", "so?")];
  const compactor = await compactorWith({ keep: { messages: 4 } }, messages);
  const report = await compactor.compact();
  assert.equal(report.outcome, "applied", report.message);
  assert.equal(refusal(compactor.messages()), undefined);
  assert.deepEqual(report.findings.map(({ defect }) => defect).sort(), ["orphan-result", "repeated-result"]);
  assert.deepEqual(compactor.history(), messages);
  compactor.dispose();
});

test("a4: calls stay with all of their results for every size of the tail", async () => {
  const call = (id) => ({ id, type: "function", function: { name: "look", arguments: "{}" } });
  const parallel = { role: "assistant", content: null, tool_calls: [call("a"), call("b"), call("c")] };
  const results = ["a", "b", "c"].map((id) => said("tool", `found ${id}`, { tool_call_id: id }));
  const messages = [...chatOf(8), parallel, ...results, said("assistant", "done"), said("user", "so?")];
  for (let keep = 0; keep < messages.length; keep += 1) {
    const compactor = await compactorWith({ keep: { messages: keep } }, messages);
    await compactor.compact();
    const view = compactor.messages();
    assert.equal(refusal(view), undefined, `keep ${keep}`);
    const kept = [parallel, ...results].filter((message) => view.includes(message)).length;
    assert.ok(kept === 0 || kept === 4, `keep ${keep}: ${kept}`);
    compactor.dispose();
  }
});

test("a5: the system prompt is kept, and is first", async () => {
  const system = said("system", "be kind");
  for (const summaryPlacement of ["systemSummaryTail", "oneMessage", "leadingSystem", "inPlace"]) {
    const compactor = await compactorWith({ ...KEEP, summaryPlacement }, [system, ...chatOf(10)]);
    assert.equal((await compactor.compact()).outcome, "applied");
    assert.equal(compactor.messages()[0], system, summaryPlacement);
    compactor.append(chatOf(10));
    await compactor.compact();
    assert.equal(compactor.messages()[0], system, summaryPlacement);
    compactor.dispose();
  }
});
