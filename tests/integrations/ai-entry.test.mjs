// `epitome/ai` in the AI SDK: the hook of its tool loops, and the store behind `useChat`, each in one line of an app.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AbstractChat, convertToModelMessages, DefaultChatTransport, generateText, stepCountIs, streamText } from "ai";
import { chatStore, prepareStep } from "epitome/ai";
import { both, inWorker, servingWorker } from "../node/places.mjs";
import { modelOf, tools } from "./scripted-ai-sdk.mjs";
import { endsWithRecall, forgotten } from "./forgotten.mjs";
import { POLICY, question, ScriptedModel } from "./scripted-model.mjs";

const ROUNDS = 9;

/** Options of an agent that calls its tool, with this hook. */
const looping = (script, hook) => ({ model: modelOf(script), tools, stopWhen: stepCountIs(30), prepareStep: hook, maxRetries: 0 });

const RUNS = {
  generateText: async (options) => (await generateText(options)).responseMessages,
  streamText: async (options) => {
    const result = streamText({ ...options, onError: ({ error }) => { throw error; } });
    await result.consumeStream({ onError: (error) => { throw error; } });
    return result.responseMessages;
  },
};

for (const [name, run] of Object.entries(RUNS)) {
  test(`m4: prepareStep() keeps the tool loops of ${name} inside the window over three turns, and doubles nothing`, async () => {
    const script = new ScriptedModel({ isPromised: false });
    const applied = [];
    const onEvent = (event) => event.type === "end" && applied.push(event.report.outcome);
    const options = looping(script, prepareStep({ policy: POLICY, onEvent }));
    const store = [];
    for (let turn = 0; turn < 3; turn += 1) {
      store.push({ role: "user", content: question(turn) });
      script.begin(ROUNDS);
      store.push(...(await run({ ...options, messages: store })));
    }
    assert.equal(store.length, 3 * (2 + 2 * ROUNDS), "the app has everything");
    assert.equal(script.prompts.length, 3 * (ROUNDS + 1));
    assert.ok(script.prompts.every(({ tokens }) => tokens <= POLICY.window), JSON.stringify(script.prompts));
    assert.ok(applied.length >= 3 && applied.every((outcome) => outcome === "applied"), applied.join());
  });
}

both("m4: prepareStep() takes a compactor of the app, one that is being made, or nothing", async ({ createCompactor }) => {
  const compactor = await createCompactor({ format: "ai-sdk-model", policy: POLICY });
  for (const given of [compactor, createCompactor({ format: "ai-sdk-model", policy: POLICY }), { policy: POLICY }]) {
    const script = new ScriptedModel({ isPromised: false });
    script.begin(ROUNDS);
    await generateText({ ...looping(script, prepareStep(given)), prompt: question(1) });
    assert.ok(script.prompts.every(({ tokens }) => tokens <= POLICY.window));
  }
  assert.equal((await compactor.history()).length, 1 + 2 * ROUNDS, "all but the last answer");
});

both("m4, l4: with recall, prepareStep() brings back what the question speaks of, in each step and for none longer", async ({ createCompactor }) => {
  const { compactor, chat } = await forgotten(createCompactor, "ai-sdk-model", (role, content) => ({ role, content }));
  const script = new ScriptedModel({ isPromised: false });
  script.begin(2);
  const model = modelOf(script);
  const prompts = [];
  const doGenerate = model.doGenerate;
  model.doGenerate = (options) => {
    prompts.push(options.prompt);
    return doGenerate(options);
  };
  await generateText({ ...looping(script, prepareStep(compactor, { recall: { tokens: 200 } })), model, messages: chat });
  assert.equal(prompts.length, 3);
  prompts.forEach(endsWithRecall);
  const history = await compactor.history();
  assert.doesNotMatch(JSON.stringify(history), /recalled-messages/);
  assert.equal(history.length, chat.length + 4, "two calls and their results");
  const { length } = JSON.stringify(prompts.at(-1));
  const { tokens } = await compactor.status();
  assert.ok(Math.abs(tokens - length / 4) < length / 8, `${tokens} tokens of ${length} characters: the summary counts once`);
});

both("m4, l4: with recall, the store behind useChat sends what comes back, and the page does not have it", async ({ createCompactor }) => {
  const { compactor, chat } = await forgotten(createCompactor, "ai-sdk-ui", (role, text) => ({ id: `${role} ${text}`, role, parts: [{ type: "text", text }] }));
  const store = await chatStore(compactor, { recall: true });
  const { body } = await store.prepareSendMessagesRequest({ id: "chat", messages: chat, trigger: "submit-message", messageId: undefined, body: undefined });
  assert.match(JSON.stringify(body.messages.at(-1)), /<recalled-messages>.*blue door/);
  assert.doesNotMatch(JSON.stringify([await compactor.history(), store.getSnapshot().messages]), /recalled-messages/);
});

test("m2, m4: without a policy, the window of prepareStep() is that of the model of the first step", async () => {
  const compactors = [];
  const step = prepareStep({ beforeCompaction: () => false, onEvent: (event) => compactors.push(event) });
  await step({ messages: [{ role: "user", content: "hi" }], steps: [], model: "openai/gpt-4" });
  assert.deepEqual(compactors, [], "the model is known");
  const other = prepareStep({ onEvent: (event) => compactors.push(event) });
  await other({ messages: [{ role: "user", content: "hi" }], steps: [], model: { modelId: "nobody-knows" } });
  assert.deepEqual(compactors, [{ type: "unknownModel", model: "nobody-knows", window: 200_000 }]);
});

/** The store behind `useChat`, without React. */
class Chat extends AbstractChat {
  constructor(init, onChange) {
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
      replaceMessage: (index, message) => change(state.messages.with(index, structuredClone(message))),
      snapshot: structuredClone,
    };
    super({ ...init, state });
  }
}

both("m4: chatStore() follows useChat at each chunk, sends its view to the route with the app's own fields, and shows its state", async ({ createCompactor }) => {
  const script = new ScriptedModel({ isPromised: false });
  const applied = [];
  const onEvent = (event) => event.type === "end" && applied.push(event.report.outcome);
  const store = await chatStore(createCompactor({ format: "ai-sdk-ui", policy: POLICY, onEvent }));
  const bodies = [];
  const fetch = async (_, { body }) => {
    bodies.push(JSON.parse(body));
    const messages = await convertToModelMessages(bodies.at(-1).messages);
    const result = streamText({ model: modelOf(script), tools, stopWhen: stepCountIs(30), maxRetries: 0, messages });
    const messageMetadata = ({ part }) => (part.type === "finish-step" ? { usage: part.usage } : undefined);
    return result.toUIMessageStreamResponse({ messageMetadata, onError: (error) => String(error.stack) });
  };
  const { prepareSendMessagesRequest } = store;
  const transport = new DefaultChatTransport({ api: "/chat", fetch, prepareSendMessagesRequest, body: { theme: "dark" } });
  const errors = [];
  const chat = new Chat({ transport, onError: ({ message }) => errors.push(message) }, store.follow);
  const fills = [];
  const unsubscribe = store.subscribe(({ status }) => fills.push(status.fill));
  for (let turn = 0; turn < 6; turn += 1) {
    script.begin(3);
    await chat.sendMessage({ text: question(turn) });
  }
  script.begin(3);
  await chat.regenerate();
  unsubscribe();
  assert.deepEqual(errors, []);
  assert.equal(chat.messages.length, 12);
  assert.equal((await store.compactor.history()).length, 12);
  assert.ok(applied.length >= 2 && applied.every((outcome) => outcome === "applied"), applied.join());
  assert.deepEqual(bodies.map(({ trigger, theme, id }) => [trigger, theme, id === chat.id]).at(-1), ["regenerate-message", "dark", true]);
  assert.ok(bodies.at(-1).messages.length < chat.messages.length, "the route gets the view");
  assert.ok(new Set(fills).size > 20, `${fills.length} states`);
  assert.equal(store.getSnapshot(), store.getSnapshot());
});

test("m4, m6: a store by a compactor in a worker takes messages that cannot be read, and says so when they are sent", async (context) => {
  const { createCompactor } = inWorker(servingWorker());
  const store = await chatStore(createCompactor({ format: "ai-sdk-ui" }));
  const unhandled = context.mock.fn();
  process.on("unhandledRejection", unhandled);
  store.follow([{ id: "1", role: "user", parts: [] }, 7]);
  await assert.rejects(
    store.prepareSendMessagesRequest({ id: "chat", messages: [{ id: "1", role: "user", parts: [] }, 7], trigger: "submit-message" }),
    { code: "invalid-message" },
  );
  process.off("unhandledRejection", unhandled);
  assert.equal(unhandled.mock.callCount(), 0);
  store.compactor.dispose();
});
