// Summarizers by the own APIs of Gemini and Ollama, against a server on loopback that has them.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createCompactor, geminiCompatible, isEpitomeError, ollamaCompatible } from "epitome";
import { KEY, providers, SUMMARY } from "../servers/providers.mjs";
import { longChat } from "./fixtures.mjs";

let server;
before(async () => {
  server = await providers();
});
after(() => server.close());

const REQUEST = { system: "Summarize.", input: "[1] user:\nWe plan a garden.", maxTokens: 50 };

const gemini = (options) => geminiCompatible({ baseURL: `${server.url}/v1beta`, model: "gemini-scripted", apiKey: KEY, ...options });
const ollama = (options) => ollamaCompatible({ baseURL: server.url, model: "llama3.2", ...options });

/** The latest request. */
const sent = () => server.requests.at(-1);

/** What a compaction of a long chat comes to. */
async function compacted(summarize, policy = {}, format = "openai-chat", messages = longChat(60)) {
  const compactor = await createCompactor({ format, policy: { window: 1_000, ...policy }, summarize });
  compactor.append(messages);
  const report = await compactor.compact();
  const result = { report, messages: compactor.messages() };
  compactor.dispose();
  return result;
}

test("i38: Gemini gets its own request, with the key in its own header, and its answer is read without thoughts", async () => {
  for (const [stream, method] of [[true, "streamGenerateContent?alt=sse"], [false, "generateContent"]]) {
    const deltas = [];
    const completion = await gemini({ stream, model: "models/gemini-scripted" })(REQUEST, { onDelta: (text) => deltas.push(text) });
    assert.equal(completion.text, SUMMARY);
    assert.equal(deltas.join(""), SUMMARY);
    assert.ok(stream ? deltas.length > 1 : deltas.length === 1);
    assert.deepEqual([completion.finishReason, completion.instructed], ["stop", true]);
    assert.equal(completion.usage.completionTokens, 13, "thoughts are paid for");
    const { path, headers, body } = sent();
    assert.equal(path, `/v1beta/models/gemini-scripted:${method}`);
    assert.equal(headers["x-goog-api-key"], KEY);
    assert.equal(headers.authorization, undefined);
    assert.deepEqual(Object.keys(body), ["systemInstruction", "contents", "generationConfig"]);
    assert.deepEqual(body.contents.map(({ role }) => role), ["user"]);
    assert.equal(body.generationConfig.maxOutputTokens, 50);
  }
});

test("i38: a query of the base URL stays behind the one of Gemini's stream", async () => {
  const client = geminiCompatible({ baseURL: `${server.url}/v1beta?key=mine`, model: "m", apiKey: KEY });
  await assert.rejects(client(REQUEST), { code: "model-unknown" });
  assert.equal(sent().path, "/v1beta/models/m:streamGenerateContent?alt=sse&key=mine");
});

test("i38: a model of Gemini that has to think is asked once more, with tokens for that", async () => {
  const before = server.requests.length;
  assert.equal((await gemini({ model: "gemini-thinks" })(REQUEST)).text, SUMMARY);
  assert.equal(server.requests.length, before + 2);
  assert.deepEqual(sent().body.generationConfig, { maxOutputTokens: 8_242 });
});

test("i38: what Gemini refuses is an error that says why", async () => {
  const cases = [
    [{ model: "gemini-blocks" }, { code: "filtered", retryable: false }, /blocks the prompt: PROHIBITED_CONTENT/],
    [{ model: "gemini-blocks", stream: false }, { code: "filtered", retryable: false }, /blocks the prompt/],
    [{ apiKey: "AIza-another-key-of-mine" }, { code: "unauthorized", status: 400 }, /does not accept the API key \(400\)/],
  ];
  for (const [options, expected, says] of cases) {
    await assert.rejects(gemini(options)(REQUEST), (error) => {
      assert.ok(isEpitomeError(error));
      assert.deepEqual(Object.fromEntries(Object.keys(expected).map((key) => [key, error[key]])), expected);
      assert.match(error.message, says);
      return true;
    });
  }
});

test("i38: Gemini is asked inside the conversation, with its contents as they are, and calls no tool", async () => {
  const [, ...chat] = longChat(200);
  const messages = chat.map(({ role, content }) => ({ role: role === "user" ? "user" : "model", parts: [{ text: content }] }));
  const request = {
    systemInstruction: { parts: [{ text: "You plan gardens." }] },
    tools: [{ functionDeclarations: [{ name: "look" }] }],
    generationConfig: { temperature: 0 },
  };
  const policy = { window: 9_000, summary: { input: "conversation" } };
  const { report } = await compacted(gemini({ request }), policy, "gemini", messages);
  assert.equal(report.outcome, "applied", report.message);
  assert.equal(report.summarizer.input, "conversation", report.summarizer.fallback);
  const { body } = sent();
  assert.deepEqual(body.contents.slice(0, -1), messages);
  assert.equal(body.contents.at(-1).role, "user");
  assert.deepEqual([body.systemInstruction, body.tools], [request.systemInstruction, request.tools]);
  assert.deepEqual(body.toolConfig, { functionCallingConfig: { mode: "NONE" } });
  assert.equal(body.generationConfig.temperature, undefined, "the endpoint sets it");
});

test("i38: Ollama gets a window into which prompt and answer fit, and is asked to cut nothing", async () => {
  for (const stream of [true, false]) {
    const deltas = [];
    const completion = await ollama({ stream })(REQUEST, { onDelta: (text) => deltas.push(text) });
    assert.equal(completion.text, SUMMARY);
    assert.equal(deltas.join(""), SUMMARY);
    assert.ok(stream ? deltas.length > 1 : deltas.length === 1);
    assert.equal(completion.usage.completionTokens, 9);
    const { path, body } = sent();
    assert.deepEqual([path, body.stream, body.truncate, body.think], ["/api/chat", stream, false, false]);
    assert.deepEqual(body.options, { num_ctx: 4_096, num_predict: 50 });
    assert.equal(body.keep_alive, undefined);
  }
  const long = { ...REQUEST, input: "They planned the garden, and bought compost. ".repeat(4_000) };
  const { text, usage } = await ollama()(long);
  assert.equal(text, SUMMARY);
  assert.ok(usage.promptTokens > 40_000, "nothing is cut");
  assert.equal(sent().body.options.num_ctx, 65_536);
});

test("i38: a prompt that does not fit the window of Ollama is asked for in smaller chunks", async () => {
  const policy = { window: 4_000, summary: { chunkCharacters: 100_000 } };
  const { report } = await compacted(ollama({ contextWindow: 900, state: false }), policy, "openai-chat", longChat(300));
  assert.equal(report.outcome, "applied", report.message);
  const { steps } = report.summarizer;
  assert.ok(steps.length > 0 && steps.every(({ step }) => step === "smallerChunks"), JSON.stringify(steps));
  assert.match(steps[0].because, /exceeds the available context size \(900 tokens\)/);
  assert.equal(sent().body.options.num_ctx, 900);
});

test("i38: Ollama gets a transcript in place of messages, and the report says why", async () => {
  const policy = { window: 9_000, summary: { input: "messages" } };
  const { report } = await compacted(ollama(), policy, "openai-chat", longChat(200));
  assert.equal(report.outcome, "applied", report.message);
  assert.equal(report.summarizer.input, "transcript");
  assert.match(report.summarizer.fallback, /takes a transcript, and no messages/);
});
