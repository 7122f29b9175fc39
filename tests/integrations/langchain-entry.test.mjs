// `epitome/langchain` in LangChain's agents and chains, where an app has `summarizationMiddleware` or `trimMessages`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AIMessage, HumanMessage, isBaseMessage, SystemMessage, trimMessages } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, summarizationMiddleware } from "langchain";
import { compactingMessages, compactionMiddleware } from "epitome/langchain";
import { look, ScriptedChatModel } from "./scripted-langchain.mjs";
import { lookUp, POLICY, question, ScriptedModel } from "./scripted-model.mjs";

const ROUNDS = 9;
const config = { configurable: { thread_id: "t" }, recursionLimit: 200 };

const agentWith = (script, middleware) =>
  createAgent({ model: new ScriptedChatModel(script), tools: [look], middleware: [middleware], checkpointer: new MemorySaver() });

const summariesOf = (messages) => messages.filter(({ additional_kwargs }) => additional_kwargs.lc_source === "summarization");

/** A model that writes short summaries, and counts how often it is asked. */
function summarizer() {
  const asked = [];
  const model = new (class extends ScriptedChatModel {
    async _generate(messages) {
      asked.push(messages);
      return { generations: [{ message: new AIMessage("They read files about roses."), text: "" }] };
    }
  })();
  return { model, asked };
}

for (const mode of ["without a model", "by a model"]) {
  test(`m4: compactionMiddleware() keeps three runs of a checkpointed thread inside the window, ${mode}: one summary with lc_source, no message twice`, async () => {
    const script = new ScriptedModel({ name: "model", isPromised: false });
    const { model, asked } = summarizer();
    const agent = agentWith(script, compactionMiddleware({ policy: POLICY, ...(mode === "by a model" && { model }) }));
    for (let turn = 0; turn < 3; turn += 1) {
      script.begin(ROUNDS);
      const { messages } = await agent.invoke({ messages: [new HumanMessage(question(turn))] }, config);
      assert.ok(messages.every(isBaseMessage));
      assert.equal(summariesOf(messages).length, 1);
      const ids = messages.map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
    }
    assert.equal(script.prompts.length, 3 * (ROUNDS + 1));
    assert.ok(script.prompts.every(({ tokens }) => tokens <= POLICY.window), JSON.stringify(script.prompts));
    assert.equal(asked.length > 0, mode === "by a model");
  });
}

test("m4: compactionMiddleware() takes trigger and keep in the words of summarizationMiddleware", async () => {
  const made = (middleware) => {
    const script = new ScriptedModel({ name: "model", isPromised: false });
    return { script, agent: agentWith(script, middleware) };
  };
  const words = () => ({ model: summarizer().model, trigger: { tokens: 5_000 }, keep: { messages: 6 } });
  const sizes = [];
  for (const middleware of [summarizationMiddleware(words()), compactionMiddleware(words())]) {
    const { script, agent } = made(middleware);
    script.begin(ROUNDS);
    const { messages } = await agent.invoke({ messages: [new HumanMessage(question(1))] }, config);
    assert.equal(summariesOf(messages).length, 1);
    sizes.push(Math.max(...script.prompts.map(({ tokens }) => tokens)));
  }
  assert.ok(sizes[1] <= 6_500, sizes.join());
});

test("m4: compactionMiddleware() on a branch: a thread goes on from an earlier checkpoint and has its own summary", async () => {
  const script = new ScriptedModel({ name: "model", isPromised: false });
  const agent = agentWith(script, compactionMiddleware({ policy: POLICY }));
  const checkpoints = [];
  for (let turn = 0; turn < 2; turn += 1) {
    script.begin(ROUNDS);
    await agent.invoke({ messages: [new HumanMessage(question(turn))] }, config);
    checkpoints.push((await agent.getState(config)).config);
  }
  script.begin(ROUNDS);
  const { messages } = await agent.invoke({ messages: [new HumanMessage(question(7))] }, { ...checkpoints[0], recursionLimit: 200 });
  assert.equal(summariesOf(messages).length, 1);
  assert.ok(!messages.some(({ text }) => text.includes(question(1))), "the other branch");
  assert.ok(messages.some(({ text }) => text === question(7)));
  assert.ok(script.prompts.every(({ tokens }) => tokens <= POLICY.window));
});

test("m4: compactionMiddleware() streams: the agent's messages come, and none of the summary", async () => {
  const script = new ScriptedModel({ name: "model", isPromised: false });
  const { model, asked } = summarizer();
  const agent = agentWith(script, compactionMiddleware({ policy: POLICY, model }));
  script.begin(ROUNDS);
  const seen = [];
  for await (const [message] of await agent.stream({ messages: [new HumanMessage(question(1))] }, { ...config, streamMode: "messages" })) {
    seen.push(message.text);
  }
  assert.ok(asked.length > 0 && seen.some((text) => text.startsWith("Answer 1")));
  assert.ok(!seen.includes("They read files about roses."), seen.join());
});

test("m4: compactingMessages() stands in a chain in the place of trimMessages(), and keeps what that drops", async () => {
  const all = [
    new SystemMessage("You look after a garden."),
    new HumanMessage("My gate code is K7-4411-Q."),
    ...Array.from({ length: 20 }, (_, turn) => [new AIMessage(lookUp(`b${turn}`)), new HumanMessage(question(turn))]).flat(),
  ];
  const tokenCounter = (messages) => messages.reduce((sum, { text }) => sum + text.length / 4, 0);
  const seen = RunnableLambda.from((messages) => messages);
  const trimmed = await trimMessages({ maxTokens: 4_000, tokenCounter, strategy: "last", includeSystem: true }).pipe(seen).invoke(all);
  const compacted = await compactingMessages({ policy: { window: 6_000 } }).pipe(seen).invoke(all);
  const has = (messages) => messages.some(({ text }) => text.includes("K7-4411-Q"));
  assert.deepEqual([has(trimmed), has(compacted)], [false, true]);
  assert.ok(tokenCounter(compacted) < 6_000);
  assert.ok(compacted.every(isBaseMessage));
  assert.equal(compacted.at(-1), all.at(-1), "the same object");
});
