// `epitome/openai-agents` in the runner of the OpenAI Agents SDK: a session that stays inside the window, and a filter in a tool loop.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, MemorySession, Runner, setTracingDisabled, tool, Usage } from "@openai/agents-core";
import { compactingFilter, compactingSession } from "epitome/openai-agents";
import { z } from "zod";
import { both } from "../node/places.mjs";
import { endsWithRecall, forgotten } from "./forgotten.mjs";
import { lookUp, POLICY, question, ScriptedModel } from "./scripted-model.mjs";

setTracingDisabled(true);

const ROUNDS = 9;
const look = tool({ name: "look", description: "Reads a file.", parameters: z.object({ at: z.string() }), execute: ({ at }) => lookUp(at) });
const textOf = (content) => (typeof content === "string" ? content : content.map(({ text = "" }) => text).join(""));

/** An item as the scripted model takes it. */
function neutral(item) {
  const isCall = item.type === "function_call";
  const isResult = item.type === "function_call_result";
  return {
    role: isCall ? "assistant" : (item.role ?? "tool"),
    text: isCall || isResult ? "" : textOf(item.content),
    calls: isCall ? [{ id: item.callId, name: item.name, input: JSON.parse(item.arguments) }] : [],
    results: isResult ? [{ id: item.callId, text: typeof item.output === "string" ? item.output : item.output.text }] : [],
  };
}

/** Calls that follow each other are of one answer. */
function joined(prompt) {
  const list = [];
  for (const message of prompt) {
    const last = list.at(-1);
    if (message.calls.length > 0 && last?.calls.length > 0) {
      last.calls.push(...message.calls);
    } else {
      list.push(message);
    }
  }
  return list;
}

/** The scripted model behind the interface of the SDK. */
const modelOf = (script) => ({
  getResponse: async ({ input }) => {
    const { text, calls, usage } = script.answer(joined(input.map(neutral)));
    const called = calls.map(({ id, name, input }) => ({ type: "function_call", callId: id, name, arguments: JSON.stringify(input), status: "completed" }));
    const said = { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] };
    return {
      usage: new Usage({ requests: 1, inputTokens: usage.prompt, outputTokens: usage.completion, totalTokens: usage.prompt + usage.completion }),
      output: calls.length > 0 ? called : [said],
    };
  },
});

const agentOf = (script) => new Agent({ name: "gardener", model: modelOf(script), tools: [look] });

test("m4: compactingFilter() keeps the tool loops of a runner inside the window over three turns, and the session has everything", async () => {
  const script = new ScriptedModel({ isPromised: false });
  const applied = [];
  const onEvent = (event) => event.type === "end" && applied.push(event.report.outcome);
  const runner = new Runner({ callModelInputFilter: compactingFilter({ policy: POLICY, onEvent }), tracingDisabled: true });
  const session = new MemorySession();
  for (let turn = 0; turn < 3; turn += 1) {
    script.begin(ROUNDS);
    const { finalOutput } = await runner.run(agentOf(script), question(turn), { session, maxTurns: 30 });
    assert.match(finalOutput, new RegExp(`^Answer ${turn + 1}`));
  }
  assert.equal((await session.getItems()).length, 3 * (2 + 2 * (ROUNDS + ROUNDS / 3)));
  assert.equal(script.prompts.length, 3 * (ROUNDS + 1));
  assert.ok(script.prompts.every(({ tokens }) => tokens <= POLICY.window), JSON.stringify(script.prompts));
  assert.ok(applied.length >= 3 && applied.every((outcome) => outcome === "applied"), applied.join());
});

both("m4, l4: with recall, compactingFilter() brings back what the question speaks of in each request of a run, and the session does not have it", async ({ createCompactor }) => {
  const said = (role, text) => (role === "user" ? { role, content: text } : { role, status: "completed", content: [{ type: "output_text", text }] });
  const { compactor, chat } = await forgotten(createCompactor, "openai-responses", (role, text) => ({ type: "message", ...said(role, text) }));
  const script = new ScriptedModel({ isPromised: false });
  script.begin(2);
  const prompts = [];
  const model = modelOf(script);
  const agent = new Agent({
    name: "gardener",
    tools: [look],
    model: {
      getResponse: (request) => {
        prompts.push(request.input);
        return model.getResponse(request);
      },
    },
  });
  const session = new MemorySession({ initialItems: chat.slice(0, -1) });
  const runner = new Runner({ callModelInputFilter: compactingFilter(compactor, { recall: { tokens: 200 } }), tracingDisabled: true });
  await runner.run(agent, chat.at(-1).content, { session, maxTurns: 9 });
  assert.equal(prompts.length, 3);
  prompts.forEach(endsWithRecall);
  const stored = JSON.stringify(await session.getItems());
  assert.match(stored, /What did Zephyrine tell us/);
  assert.doesNotMatch(stored + JSON.stringify(await compactor.history()), /recalled-messages/);
});

both("m4: compactingSession() gives a runner the view of a session, over turns that would not fit together", async ({ createCompactor }) => {
  const script = new ScriptedModel({ isPromised: false });
  const stored = new MemorySession({ sessionId: "s" });
  const compactor = await createCompactor({ format: "openai-responses", policy: POLICY });
  const session = compactingSession(stored, compactor);
  const runner = new Runner({ tracingDisabled: true });
  for (let turn = 0; turn < 6; turn += 1) {
    script.begin(4);
    await runner.run(agentOf(script), question(turn), { session, maxTurns: 30 });
  }
  assert.equal(await session.getSessionId(), "s");
  assert.ok(script.prompts.every(({ tokens }) => tokens <= POLICY.window + 3_000), JSON.stringify(script.prompts));
  const [all, view] = [await stored.getItems(), await session.getItems()];
  assert.ok(view.length < all.length / 2, `${view.length} of ${all.length} items`);
  assert.deepEqual(await session.getItems(3), all.slice(-3));
  const last = await session.popItem();
  assert.deepEqual(last, all.at(-1));
  const isSummary = ({ role, content }) => role === "user" && textOf(content).includes("<conversation-summary");
  assert.equal((await session.getItems()).filter(isSummary).length, 1);
  await session.clearSession();
  assert.deepEqual(await session.getItems(), []);
});

test("m4: an item that the view keeps comes back as it was given, whatever it is, and one that was reduced as a copy", async () => {
  const items = [
    { role: "user", content: [{ type: "input_text", text: "Look." }, { type: "input_image", image: "data:image/png;base64,AAAA" }], providerData: { mine: 1 } },
    { type: "reasoning", id: "rs_1", content: [{ type: "input_text", text: "Hm." }], providerData: { encrypted_content: "x" } },
    { type: "function_call", id: "fc_1", callId: "c1", name: "look", arguments: "{}", status: "completed", providerData: { mine: 2 } },
    { type: "function_call_result", callId: "c1", name: "look", status: "completed", output: { type: "text", text: lookUp("b1") }, providerData: { mine: 3 } },
    { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "So." }] },
  ];
  const kept = await compactingFilter({ policy: { window: 9_000 } })({ modelData: { input: items, instructions: "Be brief." } });
  assert.deepEqual(kept, { input: items, instructions: "Be brief." });
  assert.ok(kept.input.every((item, index) => item === items[index]), "the same objects");
  const truncate = { reducer: { truncateToolResults: { steps: [{ fromMessages: 1, maxTokens: 50 }] } }, when: "always" };
  const reduced = await compactingFilter({ policy: { window: 3_000, reducers: [truncate], trigger: { tokens: 200 } } })({ modelData: { input: [{ role: "user", content: "Look." }, ...items.slice(1)] } });
  const result = reduced.input.find(({ type }) => type === "function_call_result");
  assert.deepEqual([result.callId, result.name, result.providerData], ["c1", "look", { mine: 3 }]);
  assert.ok(result.output.text.length < items[3].output.text.length);
});
