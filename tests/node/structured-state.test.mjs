// The structured state as an app reads and sets it. What a summarizer's answer does to it is in the engine's own tests, and the
// limits and the injection are in `tests/sources/workstream.test.mjs`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, restoreCompactor } from "epitome";
import { FORMATS, chatOf, scripted } from "./harness.mjs";

const POLICY = {
  window: 4_000,
  counting: { charactersPerToken: 1 },
  triggers: ["manual"],
  reducers: [],
  keepRequestsTokens: 0,
  minSaving: 0,
  summary: { structuredState: true },
};
const ANSWER = 'They talked.\n```json\n{"decisions": [{"text": "Plant oaks.", "sources": [2]}], "tasks": ["dig"]}\n```';

for (const format of FORMATS) {
  test(`e1: ${format}: the app reads, sets and stores the state, and an undo takes it back`, async () => {
    const { requests, summarize } = scripted(ANSWER, "They went on.");
    const compactor = await createCompactor({ format, policy: POLICY, summarize });
    const ids = compactor.append(chatOf(20));
    assert.deepEqual(compactor.structuredState(), {});
    compactor.setStructuredState({ risks: [{ text: "It may rain." }] });
    assert.equal((await compactor.compact()).outcome, "applied");
    const state = {
      decisions: [{ text: "Plant oaks.", sources: [ids[1]] }],
      tasks: [{ text: "dig" }],
      risks: [{ text: "It may rain." }],
    };
    assert.deepEqual(compactor.structuredState(), state);
    const edited = { ...state, tasks: [{ text: "dig", done: true }] };
    compactor.setStructuredState(edited);
    const again = await restoreCompactor(compactor.snapshot(), { format, summarize, originals: compactor.history() });
    assert.deepEqual(again.structuredState(), edited);
    again.append(chatOf(20));
    assert.equal((await again.compact()).outcome, "applied");
    assert.ok(requests.at(-1).input.includes("- [x] dig"), "the next summarizer gets what the app has set");
    assert.deepEqual(again.structuredState(), edited);
    again.undo();
    assert.deepEqual(again.structuredState(), edited);
    again.undo();
    assert.deepEqual(again.structuredState(), { risks: [{ text: "It may rain." }] });
    again.dispose();
    compactor.dispose();
  });
}

test("e1: each agent has a state of its own", async () => {
  const { summarize } = scripted(ANSWER);
  const compactor = await createCompactor({ format: "openai-chat", policy: POLICY, summarize });
  compactor.append(chatOf(20));
  const ada = compactor.agent("ada");
  ada.setStructuredState({ questions: [{ text: "Which soil?" }] });
  assert.equal((await ada.compact()).outcome, "applied");
  assert.deepEqual(Object.keys(ada.structuredState()), ["decisions", "tasks", "questions"]);
  assert.deepEqual(compactor.structuredState(), {});
  assert.deepEqual(compactor.agent("bob").structuredState(), {});
  const again = await restoreCompactor(compactor.snapshot(), { format: "openai-chat", originals: compactor.history() });
  assert.deepEqual(again.agent("ada").structuredState(), ada.structuredState());
  again.dispose();
  compactor.dispose();
});

test("e1: a value that is not a state is refused with the field that is wrong", async () => {
  const compactor = await createCompactor({ format: "openai-chat", policy: POLICY });
  const refused = (state, message) => assert.throws(() => compactor.setStructuredState(state), { code: "invalid-option", message });
  refused(null, /state/);
  refused({ decisions: [{ by: "Ada" }] }, /state.*decisions\[0\].*text/);
  refused({ decision: [] }, /decision/);
  refused({ tasks: [{ text: "dig", done: "yes" }] }, /tasks\[0\]\.done/);
  assert.deepEqual(compactor.structuredState(), {});
  compactor.dispose();
});
