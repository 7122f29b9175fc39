// LangChain's agents with a checkpointer: a compactor around each model call, or state that is compacted before it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AIMessage, HumanMessage, isBaseMessage, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import { MemorySaver, REMOVE_ALL_MESSAGES } from "@langchain/langgraph";
import { createAgent, createMiddleware } from "langchain";
import { compactMessages, createCompactor } from "epitome";
import { look, ScriptedChatModel } from "./scripted-langchain.mjs";
import { lookUp, POLICIES, POLICY, question, ScriptedModel } from "./scripted-model.mjs";

const ROUNDS = 9;

/** Runs an agent with this middleware three times in one thread, and returns its messages after each run. */
async function* runs(script, middleware) {
  const agent = createAgent({ model: new ScriptedChatModel(script), tools: [look], middleware: [middleware], checkpointer: new MemorySaver() });
  for (let turn = 0; turn < 3; turn += 1) {
    script.begin(ROUNDS);
    const config = { configurable: { thread_id: "t" }, recursionLimit: 200 };
    yield (await agent.invoke({ messages: [new HumanMessage(question(turn))] }, config)).messages;
  }
}

const CALLS = Math.ceil(ROUNDS / 3);
const PER_TURN = 2 + 2 * ROUNDS + CALLS;

for (const [counts, policy] of Object.entries(POLICIES)) {
  test(`k6: a LangChain agent with a compactor in wrapModelCall: over three runs of a thread, nothing doubles and the status is right, with ${counts}`, async () => {
    const script = new ScriptedModel({ name: "model" });
    const applied = [];
    const onEvent = (event) => event.type === "end" && applied.push(event.report.outcome);
    const compactor = await createCompactor({ format: "langchain", policy, onEvent });
    const middleware = createMiddleware({
      name: "Compaction",
      wrapModelCall: async (request, handler) => {
        compactor.sync(request.messages);
        compactor.reportUsage(request.messages.findLast(AIMessage.isInstance)?.usage_metadata);
        await compactor.compactIfNeeded();
        assert.equal(compactor.history().length, request.messages.length);
        script.promise(compactor.status());
        return handler({ ...request, messages: compactor.messages() });
      },
    });
    let turn = 0;
    for await (const messages of runs(script, middleware)) {
      turn += 1;
      assert.equal(messages.length, turn * PER_TURN, "the state keeps everything");
      compactor.sync(messages);
      assert.equal(compactor.history().length, messages.length);
    }
    assert.equal(script.prompts.length, 3 * (ROUNDS + 1));
    assert.ok(applied.length >= 3 && applied.every((outcome) => outcome === "applied"), applied.join());
  });
}

test("k6: a LangChain agent with compactMessages in beforeModel: the state is compacted over three runs of a thread", async () => {
  const script = new ScriptedModel({ name: "model" });
  const applied = [];
  const middleware = createMiddleware({
    name: "Compaction",
    beforeModel: async ({ messages }) => {
      const usage = messages.findLast(AIMessage.isInstance)?.usage_metadata;
      const result = await compactMessages(messages, { format: "langchain", policy: POLICY, usage });
      script.promise(result.status);
      if (result.report?.outcome !== "applied") {
        return undefined;
      }
      applied.push(result.report.outcome);
      return { messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...result.messages] };
    },
  });
  for await (const messages of runs(script, middleware)) {
    const summaries = messages.filter(({ text }) => text.includes("<conversation-summary"));
    assert.ok(summaries.length <= 1, "one summary");
    const ids = messages.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, "each message once");
  }
  assert.equal(script.prompts.length, 3 * (ROUNDS + 1));
  assert.ok(applied.length >= 3, applied.join());
});

test("k6: a LangChain agent with a compactor in beforeModel: the state is what it returned, and the compactor still has everything", async () => {
  const script = new ScriptedModel({ name: "model" });
  const applied = [];
  const onEvent = (event) => event.type === "end" && applied.push(event.report.outcome);
  const compactor = await createCompactor({ format: "langchain", policy: POLICY, onEvent });
  let said = 0;
  const middleware = createMiddleware({
    name: "Compaction",
    beforeModel: async ({ messages }) => {
      const { appended, inserted, removed, left, inactive } = compactor.sync(messages);
      assert.deepEqual([inserted, removed, left, inactive], [[], [], [], []]);
      said += appended.length;
      compactor.reportUsage(messages.findLast(AIMessage.isInstance)?.usage_metadata);
      const report = await compactor.compactIfNeeded();
      assert.equal(compactor.history().length, said);
      script.promise(compactor.status());
      return report?.outcome === "applied"
        ? { messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...compactor.messages()] }
        : undefined;
    },
  });
  for await (const messages of runs(script, middleware)) {
    assert.ok(messages.length < 2 * PER_TURN);
  }
  assert.equal(said, 3 * PER_TURN - 1, "the last answer comes with the next run");
  assert.ok(applied.length >= 3 && applied.every((outcome) => outcome === "applied"), applied.join());
});

test("k5: what a compactor makes of LangChain's instances are instances: a summary, a result that is shortened or missing", async () => {
  const truncate = { reducer: { truncateToolResults: { steps: [{ fromMessages: 1, maxTokens: 400 }] } }, when: "always" };
  const compactor = await createCompactor({ format: "langchain", policy: { ...POLICY, reducers: [truncate] } });
  for (let turn = 0; turn < 24; turn += 1) {
    const call = { id: `c${turn}`, name: "look", args: {} };
    compactor.append([
      new HumanMessage(question(turn)),
      new AIMessage({ content: "", tool_calls: [call] }),
      ...(turn === 22 ? [] : [new ToolMessage({ tool_call_id: call.id, content: lookUp(`b${turn}`), id: `r${turn}` })]),
      new AIMessage("So."),
    ]);
  }
  assert.equal((await compactor.compact()).outcome, "applied");
  const messages = compactor.messages();
  const own = new Set(compactor.history());
  const made = messages.filter((message) => !own.has(message));
  const names = made.map((message) => message.constructor.name);
  assert.ok(["HumanMessage", "ToolMessage"].every((name) => names.includes(name)), names.join());
  assert.ok(messages.every(isBaseMessage), "all are instances");
  assert.ok(made.some((message) => ToolMessage.isInstance(message) && /^r\d/.test(message.id ?? "")), "with their own ids");
  assert.deepEqual(compactor.messages(), messages);
});
