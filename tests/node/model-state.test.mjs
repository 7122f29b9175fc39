// Summaries by a model that begin with the state of the messages: what the model is given, and what the summary is then.

import assert from "node:assert/strict";
import { test } from "node:test";
import { anthropicCompatible, createCompactor, openAICompatible, withState } from "epitome";
import { sendJson, withServer } from "./clients.mjs";
import { chatOf, said, scripted, section, toolRound } from "./harness.mjs";

const POLICY = { window: 40_000, counting: { charactersPerToken: 4 }, triggers: ["manual"], reducers: [], keep: { messages: 0 }, keepRequestsTokens: 0 };
const NOTES = "## Key facts\nThe customer is in a hurry.\n## Course of the conversation\nA reservation was looked up.\n## Open points\nNone.";
const CHAT = [
  said("user", "Please cancel my reservation DQST39. Never call me before noon."),
  ...toolRound("c1", '{"reservation_id": "DQST39", "status": "confirmed"}', { name: "get_reservation", args: { reservation_id: "DQST39" } }),
  ...chatOf(20, 3_500),
];
const LABEL = "Read from the messages by a program:";

const compactorFor = async (summarize, summary = {}) => {
  const compactor = await createCompactor({ format: "openai-chat", policy: { ...POLICY, summary }, summarize });
  compactor.append(CHAT);
  return compactor;
};

const answerOf = {
  openai: (text) => ({ choices: [{ message: { role: "assistant", content: text }, finish_reason: "stop" }] }),
  anthropic: (text) => ({ content: [{ type: "text", text }], stop_reason: "end_turn" }),
};
const inputOf = {
  openai: ({ body }) => JSON.parse(body).messages.at(-1).content,
  anthropic: ({ body }) => [JSON.parse(body).messages.at(-1).content].flat().map((block) => block.text ?? block).join(""),
};

for (const [provider, endpoint] of Object.entries({ openai: openAICompatible, anthropic: anthropicCompatible })) {
  test(`d10: an endpoint of ${provider} is given the state of the messages, and its summary begins with it`, async () => {
    await withServer(
      ({ response }) => sendJson(response, 200, answerOf[provider](NOTES)),
      async ({ baseURL, requests }) => {
        const compactor = await compactorFor(endpoint({ baseURL, model: "m", stream: false }));
        const { outcome, summary, receipt } = await compactor.compact();
        assert.equal(outcome, "applied");
        const [state] = summary.split("\nNotes:\n");
        assert.ok(summary.startsWith(`${state}\nNotes:\n${NOTES}`), summary);
        for (const line of [
          "Requests:\n",
          "\nInstructions and decisions:\n- [1] Never call me before noon.\n",
          "\nDone with tools:\n- [2] get_reservation DQST39",
          "\n- [1, 2, 3] reservation_id: DQST39 (confirmed)",
        ]) {
          assert.ok(state.includes(line), summary);
        }
        const input = inputOf[provider](requests[0]);
        assert.equal(section({ input }, "current_state"), `${LABEL}\n${state}`);
        assert.deepEqual(receipt.unsupported, []);

        compactor.append(chatOf(20, 3_500).map((message) => ({ ...message })));
        const again = await compactor.compact();
        assert.equal(again.outcome, "applied");
        const later = inputOf[provider](requests.at(-1));
        assert.ok(section({ input: later }, "previous_summary").startsWith("## Key facts"), later);
        assert.ok(again.summary.includes("\n- [1] Never call me before noon.\n"), again.summary);
        assert.equal(again.summary.split("\nNotes:\n").length, 2, again.summary);
        compactor.undo();
        assert.ok(JSON.stringify(compactor.messages()).includes("in a hurry"));
        compactor.dispose();
      },
    );
  });
}

test("d10: an endpoint whose state is switched off gets and writes none", async () => {
  await withServer(
    ({ response }) => sendJson(response, 200, answerOf.openai(NOTES)),
    async ({ baseURL, requests }) => {
      const compactor = await compactorFor(openAICompatible({ baseURL, model: "m", stream: false, state: false }));
      const { summary } = await compactor.compact();
      assert.ok(summary.startsWith(NOTES), summary);
      assert.ok(!inputOf.openai(requests[0]).includes(LABEL));
      compactor.dispose();
    },
  );
  assert.throws(() => openAICompatible({ baseURL: "https://host/v1", model: "m", state: "yes" }), { code: "misconfigured", message: /^state: / });
});

for (const [kind, answer] of Object.entries({ "a text": NOTES, "an object": { text: NOTES, usage: { prompt_tokens: 900, completion_tokens: 30, total_tokens: 930 } } })) {
  test(`d10: any summarizer that answers with ${kind} can be given the state`, async () => {
    const { requests, summarize } = scripted(answer);
    const compactor = await compactorFor(withState(summarize));
    const { outcome, summary, summarizer } = await compactor.compact();
    assert.equal(outcome, "applied");
    assert.ok(requests[0].system.includes(`"${LABEL}"`) && requests[0].input.includes(LABEL));
    assert.ok(summary.includes(`\nNotes:\n${NOTES}`), summary);
    assert.equal(summarizer.tokens?.prompt, kind === "a text" ? undefined : 900);
    compactor.dispose();
  });
}

test("d10: after an answer that is no summary, the model is not shown the state, and the summary begins with it all the same", async () => {
  const { requests, summarize } = scripted("", NOTES);
  const compactor = await compactorFor(withState(summarize));
  const { outcome, summary } = await compactor.compact();
  assert.equal(outcome, "applied");
  assert.deepEqual(requests.map(({ givenState, input }) => [givenState, input.includes(LABEL)]), [["shown", true], ["hidden", false]]);
  assert.ok(summary.startsWith("Requests:\n") && summary.includes(`\nNotes:\n${NOTES}`), summary);
  compactor.dispose();
});

test("d10: a request about the memory has no state", async () => {
  const { requests, summarize } = scripted("They plant roses.");
  let onEvent;
  const blended = new Promise((resolve) => {
    onEvent = ({ type }) => type === "memoryBlended" && resolve();
  });
  const compactor = await createCompactor({ format: "openai-chat", policy: POLICY, summarize: withState(summarize), onEvent });
  for (let number = 0; number < 15; number += 1) {
    compactor.remember(`Rose ${number} of bed R${number}7 needs ${"water ".repeat(20)}`);
  }
  await blended;
  assert.deepEqual(requests.map(({ givenState }) => givenState), ["none"]);
  assert.ok(!requests[0].system.includes(LABEL) && !requests[0].input.includes(LABEL));
  compactor.dispose();
});

test("d10: a request with messages in place of a transcript stays as it is", async () => {
  const { requests, summarize } = scripted(NOTES);
  const compactor = await compactorFor(withState(summarize), { input: "messages" });
  const { summary } = await compactor.compact();
  assert.ok(requests[0].messages.length > 0 && !requests[0].system.includes(LABEL));
  assert.ok(summary.startsWith(NOTES), summary);
  compactor.dispose();
});

test("d10: only a function can be given the state", () => {
  assert.throws(() => withState("model"), { code: "invalid-option", message: /^summarize: / });
});
