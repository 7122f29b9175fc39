// The AI SDK with a compactor in `prepareStep`, for apps that keep model messages and for pages that keep UI messages.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AbstractChat, convertToModelMessages, DefaultChatTransport, generateText, stepCountIs, streamText, tool } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import { compactMessages, createCompactor } from "epitome";
import { z } from "zod";
import { lookUp, POLICY, question, ScriptedModel } from "./scripted-model.mjs";

const ROUNDS = 9;

const tools = {
  look: tool({
    description: "Reads a file.",
    inputSchema: z.object({ at: z.string() }),
    execute: ({ at }) => lookUp(at),
  }),
};

/** A message of a prompt as the scripted model takes it. */
function neutral({ role, content }) {
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const ofType = (type) => parts.filter((part) => part.type === type);
  return {
    role,
    text: ofType("text").map(({ text }) => text).join(""),
    calls: ofType("tool-call").map(({ toolCallId: id, toolName: name, input }) => ({ id, name, input })),
    results: ofType("tool-result").map(({ toolCallId: id, output }) => ({ id, text: String(output.value) })),
  };
}

/** The scripted model behind the interface of a provider. */
function modelOf(script) {
  const answerTo = (prompt) => {
    const { text, calls, usage } = script.answer(prompt.map(neutral));
    const content = calls.map(({ id, name, input }) => ({ type: "tool-call", toolCallId: id, toolName: name, input: JSON.stringify(input) }));
    const reason = calls.length > 0 ? "tool-calls" : "stop";
    return {
      content: text === "" ? content : [{ type: "text", text }, ...content],
      finishReason: { unified: reason, raw: reason },
      usage: {
        inputTokens: { total: usage.prompt, noCache: usage.prompt, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: usage.completion, text: usage.completion, reasoning: 0 },
      },
    };
  };
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => ({ ...answerTo(prompt), warnings: [] }),
    doStream: async ({ prompt }) => {
      const { content, finishReason, usage } = answerTo(prompt);
      const chunks = content.flatMap((part) =>
        part.type === "text"
          ? [{ type: "text-start", id: "t" }, ...part.text.match(/.{1,40}/gs).map((delta) => ({ type: "text-delta", id: "t", delta })), { type: "text-end", id: "t" }]
          : [part],
      );
      const all = [{ type: "stream-start", warnings: [] }, ...chunks, { type: "finish", finishReason, usage }];
      return { stream: convertArrayToReadableStream(all) };
    },
  });
}

/** A compactor, the options that make the SDK use it, and how many compactions it has applied. */
async function following(script, lengthNow) {
  const applied = [];
  const onEvent = (event) => event.type === "end" && applied.push(event.report.outcome);
  const compactor = await createCompactor({ format: "ai-sdk-model", policy: POLICY, onEvent });
  const prepareStep = async ({ messages, steps }) => {
    compactor.sync(messages);
    compactor.reportUsage(steps.at(-1)?.usage);
    await compactor.compactIfNeeded();
    assert.equal(compactor.history().length, lengthNow(steps), `${steps.length} steps`);
    script.promise(compactor.status());
    return { messages: compactor.messages() };
  };
  return { compactor, applied, options: { model: modelOf(script), tools, stopWhen: stepCountIs(30), prepareStep, maxRetries: 0 } };
}

function assertCompacted(script, applied, turns) {
  assert.equal(script.prompts.length, turns * (ROUNDS + 1));
  assert.ok(applied.length >= turns && applied.every((outcome) => outcome === "applied"), applied.join());
}

for (const [name, run] of [
  ["generateText", async (options) => (await generateText(options)).responseMessages],
  ["streamText", async (options) => {
    const result = streamText({ ...options, onError: ({ error }) => { throw error; } });
    await result.consumeStream({ onError: (error) => { throw error; } });
    return result.responseMessages;
  }],
]) {
  test(`k6: ${name} of the AI SDK: over three turns on the app's own messages, nothing doubles and the status is right`, async () => {
    const script = new ScriptedModel();
    const store = [];
    const { compactor, applied, options } = await following(script, (steps) => store.length + steps.length * 2);
    for (let turn = 0; turn < 3; turn += 1) {
      store.push({ role: "user", content: question(turn) });
      script.begin(ROUNDS);
      store.push(...(await run({ ...options, messages: store })));
    }
    assert.equal(store.length, 3 * (2 + 2 * ROUNDS));
    compactor.sync(store);
    assert.equal(compactor.history().length, store.length);
    assertCompacted(script, applied, 3);
  });
}

/** The store behind `useChat`, without React. */
class Chat extends AbstractChat {
  constructor(init) {
    const state = {
      status: "ready",
      error: undefined,
      messages: [],
      pushMessage: (message) => (state.messages = [...state.messages, message]),
      popMessage: () => (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (index, message) => (state.messages = state.messages.with(index, message)),
      snapshot: structuredClone,
    };
    super({ ...init, state });
  }
}

test("k6: useChat of the AI SDK: a route that converts the page's messages each turn follows answers and new answers", async () => {
  const script = new ScriptedModel();
  let sent;
  const { compactor, applied, options } = await following(script, (steps) => sent + steps.length * 2);
  const fetch = async (_, { body }) => {
    const messages = await convertToModelMessages(JSON.parse(body).messages);
    sent = messages.length;
    const result = streamText({ ...options, messages });
    return result.toUIMessageStreamResponse({ onError: (error) => String(error.stack) });
  };
  const transport = new DefaultChatTransport({ api: "/chat", fetch });
  const errors = [];
  const chat = new Chat({ transport, onError: (error) => errors.push(error.message) });
  for (let turn = 0; turn < 3; turn += 1) {
    script.begin(ROUNDS);
    await chat.sendMessage({ text: question(turn) });
    assert.deepEqual(errors, []);
  }
  assert.equal(chat.messages.length, 6, "a question and an answer for each turn");
  assert.equal(compactor.history().length, 3 * (2 + 2 * ROUNDS) - 1, "the last answer comes with the next request");
  assertCompacted(script, applied, 3);
  const [, , , , asked] = chat.messages;
  script.begin(2);
  await chat.regenerate();
  assert.deepEqual(errors, []);
  assert.equal(compactor.history().length, 2 * (2 + 2 * ROUNDS) + 1 + 2 * 2, "another answer to the same question");
  script.begin(2);
  await chat.sendMessage({ text: "Only those of bed 2.", messageId: asked.id });
  assert.deepEqual(errors, []);
  assert.equal(compactor.history().length, 2 * (2 + 2 * ROUNDS) + 1 + 2 * 2);
  assert.ok(JSON.stringify(compactor.history()).includes("Only those of bed 2."));
});

test("k6: compactMessages in prepareStep: each step goes on from what the last one returned", async () => {
  const script = new ScriptedModel();
  const applied = [];
  const prepareStep = async ({ messages, steps }) => {
    const result = await compactMessages(messages, { format: "ai-sdk-model", policy: POLICY, usage: steps.at(-1)?.usage });
    applied.push(...(result.report === undefined ? [] : [result.report.outcome]));
    script.promise(result.status);
    return { messages: result.messages };
  };
  const options = { model: modelOf(script), tools, stopWhen: stepCountIs(30), prepareStep, maxRetries: 0 };
  let store = [];
  for (let turn = 0; turn < 3; turn += 1) {
    store.push({ role: "user", content: question(turn) });
    script.begin(ROUNDS);
    const { responseMessages } = await generateText({ ...options, messages: store });
    store.push(...responseMessages);
    // What the app stores after a turn is compacted too.
    ({ messages: store } = await compactMessages(store, { format: "ai-sdk-model", policy: POLICY }));
  }
  assertCompacted(script, applied, 3);
});
