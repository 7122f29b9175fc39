// The clients: the functions of the package that send requests to a server. Each has a healthy answer here. Also the servers on
// loopback whose answers a test chooses.

import { once } from "node:events";
import { createServer } from "node:http";
import {
  anthropicCompatible,
  anthropicCounter,
  geminiCompatible,
  geminiCounter,
  llamaCppCounter,
  ollamaCompatible,
  openAICompatible,
  openAICounter,
} from "epitome";

/** The healthy answer of every summarizer, and of every counter. */
export const SUMMARY = "## Key facts\nThey planned the garden, and bought compost.";
export const TOKENS = 321;

export const REQUEST = { system: "Summarize.", input: "[1] user:\nWe plan.", maxTokens: 50 };
const user = { role: "user", content: "How many beds are there?" };

const data = (value) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;

const CHAT = {
  whole: { choices: [{ message: { role: "assistant", content: SUMMARY }, finish_reason: "stop" }] },
  deltas: SUMMARY.split(/(?<= )/).map((content) => data({ choices: [{ delta: { content } }] })),
  end: data({ choices: [{ delta: {}, finish_reason: "stop" }] }) + data("[DONE]"),
  delta: (content) => data({ choices: [{ delta: { content } }] }),
};

const delta = (text) => data({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
const MESSAGES = {
  whole: { type: "message", content: [{ type: "text", text: SUMMARY }], stop_reason: "end_turn" },
  deltas: [data({ type: "message_start", message: { content: [] } }), ...SUMMARY.split(/(?<= )/).map(delta)],
  end: data({ type: "message_delta", delta: { stop_reason: "end_turn" } }) + data({ type: "message_stop" }),
  delta,
};

const parts = (text) => ({ candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0 }] });
const usageMetadata = { promptTokenCount: 12, candidatesTokenCount: 9, totalTokenCount: 21 };
const CONTENTS = {
  whole: { candidates: [{ ...parts(SUMMARY).candidates[0], finishReason: "STOP" }], usageMetadata },
  deltas: SUMMARY.split(/(?<= )/).map((text) => data(parts(text))),
  end: data({ candidates: [{ content: { role: "model", parts: [{ text: "" }] }, finishReason: "STOP" }], usageMetadata }),
  delta: (text) => data(parts(text)),
};

const line = (value) => `${JSON.stringify(value)}\n`;
const said = (content) => line({ model: "m", message: { role: "assistant", content }, done: false });
const ended = (content) => ({ model: "m", message: { role: "assistant", content }, done: true, done_reason: "stop", prompt_eval_count: 12, eval_count: 9 });
const LINES = { whole: ended(SUMMARY), deltas: SUMMARY.split(/(?<= )/).map(said), end: line(ended("")), delta: said, type: "application/x-ndjson" };

/** The summarizers: the function that creates each, and the parts of an answer. */
export const SUMMARIZERS = [
  { name: "openAICompatible", create: openAICompatible, answer: CHAT },
  { name: "anthropicCompatible", create: anthropicCompatible, answer: MESSAGES },
  { name: "geminiCompatible", create: geminiCompatible, answer: CONTENTS },
  { name: "ollamaCompatible", create: ollamaCompatible, answer: LINES },
].map((row) => ({ ...row, ask: (options, context) => row.create({ model: "m", ...options })(REQUEST, context), expected: SUMMARY }));

/** The counters: the function that creates each, and the answer in one piece. */
export const COUNTERS = [
  { name: "anthropicCounter", create: anthropicCounter, answer: { whole: { input_tokens: TOKENS } } },
  { name: "openAICounter", create: openAICounter, answer: { whole: { input_tokens: TOKENS } } },
  {
    name: "geminiCounter",
    create: geminiCounter,
    answer: { whole: { totalTokens: TOKENS } },
    messages: [{ role: "user", parts: [{ text: "How many?" }] }],
  },
  { name: "llamaCppCounter", create: llamaCppCounter, answer: { whole: { prompt: "p", tokens: Array(TOKENS).fill(1) } } },
].map((row) => ({
  ...row,
  messages: row.messages ?? [user],
  ask: (options, context) => row.create({ model: "m", ...options })(row.messages ?? [user], context),
  expected: TOKENS,
}));

/** All clients. */
export const CLIENTS = [...SUMMARIZERS, ...COUNTERS];

/** The result of a client: the text of a summary, or the count. */
export const resultOf = (answer) => answer.text ?? answer;

export const sendJson = (response, status, value, headers = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));

/** Answers as this client expects it: a counter in one piece, a summarizer in a stream. */
export function sendHealthy(response, { answer }) {
  if (answer.deltas === undefined) {
    return sendJson(response, 200, answer.whole);
  }
  response.writeHead(200, { "content-type": answer.type ?? "text/event-stream" });
  return response.end(answer.deltas.join("") + answer.end);
}

/** A server on any free port of 127.0.0.1 that answers each request by `act`. `requests` are those so far. */
export async function serve(act) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    requests.push({ url: request.url, headers: request.headers, body: Buffer.concat(pieces).toString("utf8") });
    act({ request, response, count: requests.length });
  });
  server.on("clientError", (_, socket) => socket.destroy());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${server.address().port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin, baseURL: `${origin}/v1`, requests, close };
}

/** Runs with a server that acts so, and closes it. */
export async function withServer(act, run) {
  const server = await serve(act);
  try {
    return await run(server);
  } finally {
    server.close();
  }
}
