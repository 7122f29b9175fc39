// The memory as an app reads, fills and edits it, and where it is shown. When entries are blended, and what a failure does, is in
// the engine's own tests.

import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { test } from "node:test";
import { contextProviders, createCompactor, restoreCompactor, runTurn } from "epitome";
import { FORMATS, chatOf, preset, said, scripted } from "./harness.mjs";

/** A compactor, and what resolves when its memory was blended or was not. */
async function remembering(format, options = {}) {
  const events = new EventEmitter();
  const onEvent = (event) => ["memoryBlended", "memoryFailed"].includes(event.type) && events.emit("memory", event);
  const compactor = await createCompactor({ format, policy: preset("recommended", 10_000), onEvent, ...options });
  return { compactor, settled: () => once(events, "memory").then(([event]) => event) };
}

const notes = (compactor, from, to) => {
  for (let number = from; number < to; number += 1) {
    compactor.remember(`note ${number}`);
  }
};

for (const format of FORMATS) {
  test(`e2: ${format}: 15 entries of the document: the 10 oldest are blended in the background, and both parts are injected`, async () => {
    const { requests, summarize } = scripted("They planted oaks.", "They planted oaks and elms.");
    const { compactor, settled } = await remembering(format, { summarize });
    compactor.append(said("user", "Hello."));
    notes(compactor, 0, 14);
    assert.equal(requests.length, 0);
    const blended = settled();
    compactor.remember("be brief", { standing: true });
    assert.equal(requests.length, 0, "standing instructions do not count");
    compactor.remember("note 14");
    assert.deepEqual(await blended, { type: "memoryBlended", entries: 10 });
    const entries = [10, 11, 12, 13].map((number) => ({ text: `note ${number}` }));
    const memory = { summary: "They planted oaks.", entries: [...entries, { text: "be brief", standing: true }, { text: "note 14" }] };
    assert.deepEqual(compactor.memory(), memory);
    const sent = [];
    const request = (messages) => (sent.push(JSON.stringify(messages)), { messages: said("assistant", "Hi.") });
    await runTurn(compactor, { request, providers: contextProviders({ memory: () => compactor.memoryText() }) });
    assert.ok(["They planted oaks.", "- note 10", "- Always: be brief"].every((text) => sent[0].includes(text)), sent[0]);
    // The summary before goes into the next one.
    const again = settled();
    notes(compactor, 15, 25);
    await again;
    assert.ok(requests[1].input.includes("They planted oaks."));
    assert.equal(compactor.memory().summary, "They planted oaks and elms.");
    const restored = await restoreCompactor(compactor.snapshot(), { format, originals: compactor.history() });
    assert.deepEqual(restored.memory(), compactor.memory());
    restored.dispose();
    compactor.dispose();
  });
}

test("e2: a summarizer that fails costs nothing, and an edit of the memory holds", async () => {
  let fails = true;
  const summarize = () => {
    if (fails) throw new Error("out of order");
    return "They planted oaks.";
  };
  const { compactor, settled } = await remembering("openai-chat", { summarize });
  const failed = settled();
  notes(compactor, 0, 15);
  assert.deepEqual(await failed, { type: "memoryFailed", message: "out of order" });
  assert.equal(compactor.memory().entries.length, 15);
  fails = false;
  const blended = settled();
  compactor.check("turnEnd");
  await blended;
  compactor.setMemory({ ...compactor.memory(), summary: "They planted elms." });
  assert.match(compactor.memoryText(), /^Remembered:\nThey planted elms\.\n- note 10/);
  assert.throws(() => compactor.setMemory({ entries: [{}] }), { code: "invalid-option", message: /entries\[0\].*text/ });
  assert.throws(() => compactor.setMemory(null), { code: "invalid-option" });
  assert.throws(() => compactor.remember(7), { code: "invalid-option", message: /text/ });
  compactor.dispose();
});

test("e2: the memory of an agent is its own, and follows its summaries if the policy says so", async () => {
  const policy = { window: 4_000, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [], keepRequestsTokens: 0, minSaving: 0, memory: { inSummary: true } };
  const { compactor } = await remembering("openai-chat", { policy, summarize: () => "They talked." });
  compactor.append(chatOf(20));
  const ada = compactor.agent("ada");
  ada.remember("likes roses");
  assert.deepEqual(compactor.memory(), {});
  assert.equal((await ada.compact()).outcome, "applied");
  assert.match(ada.messages()[0].content, /They talked\.\n\nRemembered:\n- likes roses/);
  assert.equal((await compactor.compact()).outcome, "applied");
  assert.ok(!JSON.stringify(compactor.messages()).includes("roses"));
  compactor.dispose();
});
