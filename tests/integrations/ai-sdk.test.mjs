// The AI SDK with a compactor in `prepareStep`, for apps that keep model messages and for pages that keep UI messages.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AbstractChat, convertToModelMessages, DefaultChatTransport, generateText, stepCountIs, streamText } from "ai";
import { compactMessages, createCompactor } from "epitome";
import { modelOf, tools } from "./scripted-ai-sdk.mjs";
import { POLICIES, POLICY, question, ScriptedModel } from "./scripted-model.mjs";

const ROUNDS = 9;

/** A compactor, the options that make the SDK use it, and how many compactions it has applied. */
async function following(script, policy, lengthNow) {
  const applied = [];
  const onEvent = (event) => event.type === "end" && applied.push(event.report.outcome);
  const compactor = await createCompactor({ format: "ai-sdk-model", policy, onEvent });
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

const RUNS = {
  generateText: async (options) => (await generateText(options)).responseMessages,
  streamText: async (options) => {
    const result = streamText({ ...options, onError: ({ error }) => { throw error; } });
    await result.consumeStream({ onError: (error) => { throw error; } });
    return result.responseMessages;
  },
};

const named = Object.entries(RUNS).flatMap(([name, run]) => Object.entries(POLICIES).map(([counts, policy]) => ({ name, run, counts, policy })));
for (const { name, run, counts, policy } of named) {
  test(`k6: ${name} of the AI SDK: over three turns on the app's own messages, nothing doubles and the status is right, with ${counts}`, async () => {
    const script = new ScriptedModel();
    const store = [];
    const { compactor, applied, options } = await following(script, policy, (steps) => store.length + steps.length * 2);
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
  constructor(init, onChange = () => {}) {
    const change = (messages) => {
      state.messages = messages;
      onChange(messages);
    };
    const state = {
      status: "ready",
      error: undefined,
      messages: [],
      pushMessage: (message) => change([...state.messages, message]),
      popMessage: () => change(state.messages.slice(0, -1)),
      // As the SDK's state for React does, since its stream changes its message in place.
      replaceMessage: (index, message) => change(state.messages.with(index, structuredClone(message))),
      snapshot: structuredClone,
    };
    super({ ...init, state });
  }
}

test("k6: useChat of the AI SDK: a route that converts the page's messages each turn follows answers and new answers", async () => {
  const script = new ScriptedModel();
  let sent;
  const { compactor, applied, options } = await following(script, POLICY, (steps) => sent + steps.length * 2);
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

for (const [counts, policy] of Object.entries(POLICIES)) {
  test(`k6: useChat of the AI SDK: a page that syncs at every chunk sends compacted messages to its route, with ${counts}`, async () => {
    const rounds = 3;
    const script = new ScriptedModel({ isPromised: false });
    const applied = [];
    const onEvent = (event) => event.type === "end" && applied.push(event.report.outcome);
    const compactor = await createCompactor({ format: "ai-sdk-ui", policy, onEvent });
    const expected = [];
    const prepareSendMessagesRequest = async ({ messages }) => {
      compactor.sync(messages);
      compactor.reportUsage(messages.at(-2)?.metadata?.usage);
      await compactor.compactIfNeeded();
      const { tokens, errorBand, window } = compactor.status();
      assert.ok(tokens < window);
      expected.push({ request: script.prompts.length, tokens, errorBand });
      return { body: { messages: compactor.messages() } };
    };
    const fetch = async (_, { body }) => {
      const messages = await convertToModelMessages(JSON.parse(body).messages);
      const result = streamText({ model: modelOf(script), tools, stopWhen: stepCountIs(30), maxRetries: 0, messages });
      const messageMetadata = ({ part }) => (part.type === "finish-step" ? { usage: part.usage } : undefined);
      return result.toUIMessageStreamResponse({ messageMetadata, onError: (error) => String(error.stack) });
    };
    const transport = new DefaultChatTransport({ api: "/chat", fetch, prepareSendMessagesRequest });
    const errors = [];
    let chunks = 0;
    const onChange = (messages) => {
      chunks += 1;
      compactor.sync(messages);
      assert.equal(compactor.history().length, messages.length);
    };
    const chat = new Chat({ transport, onError: (error) => errors.push(error.message) }, onChange);
    for (let turn = 0; turn < 6; turn += 1) {
      script.begin(rounds);
      await chat.sendMessage({ text: question(turn) });
      assert.deepEqual(errors, []);
    }
    script.begin(rounds);
    await chat.regenerate();
    assert.deepEqual(errors, []);
    assert.equal(chat.messages.length, 12);
    assert.ok(chunks > 100, `${chunks} chunks`);
    assert.equal(script.prompts.length, 7 * (rounds + 1));
    assert.ok(applied.length >= 2 && applied.every((outcome) => outcome === "applied"), applied.join());
    for (const { request, tokens, errorBand } of expected) {
      const sent = script.prompts[request].tokens;
      assert.ok(Math.abs(tokens - sent) <= errorBand * sent, `request ${request}: ${tokens} tokens promised, ${sent} sent, error band ${errorBand}`);
    }
  });
}

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
