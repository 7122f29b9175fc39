// A server with the APIs of Gemini and Ollama, and with those by which OpenAI and Anthropic compact messages themselves, for tests that
// need a real connection.
//
//   const server = await providers();      on any free port of 127.0.0.1; `server.url`, `server.close()`
//
// `server.requests` are the requests so far: `{ path, headers, body }`. A token has four characters here.
//
//   POST /v1beta/models/MODEL:generateContent, and :streamGenerateContent?alt=sse
//     gemini-scripted    the summary, behind a thought
//     gemini-thinks      400 to a request without thinking, otherwise the summary
//     gemini-blocks      a prompt that a filter blocks
//     Without the key `KEY` it answers 400, as Gemini does.
//
//   POST /api/chat       Ollama: lines if the request is streamed. The window is `options.num_ctx`, or `window`. A longer prompt is
//                        refused with 400 if the request says `truncate: false`, and otherwise cut to half of the window.
//   POST /v1/chat/completions   the same by OpenAI's API: the window is `window`, and a longer prompt is cut.
//
//   POST /v1/responses/compact, /v1/messages with `compaction`   the compacted messages; nothing for the model `fails`

import { once } from "node:events";
import { createServer } from "node:http";

export const KEY = "AIza-a-key-of-some-length";
export const SUMMARY = "## Key facts\nThey planned the garden, and bought compost.";

const pieces = SUMMARY.match(/.{1,12}/gsu);
const tokensOf = (texts) => Math.ceil(texts.join("").length / 4);

const HANDLERS = [
  [/^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent\?alt=sse)$/, gemini],
  [/^\/api\/chat$/, ollama],
  [/^\/v1\/chat\/completions$/, chat],
  [/^\/v1\/responses\/compact$/, compactResponses],
  [/^\/v1\/messages$/, compactMessages],
];

/** Starts one. `window` is Ollama's window if the request does not say one. */
export async function providers({ window = 4_096 } = {}) {
  const state = { requests: [] };
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = JSON.parse(Buffer.concat(parts).toString("utf8"));
    state.requests.push({ path: request.url, headers: request.headers, body });
    const handler = HANDLERS.map(([path, handle]) => [path.exec(request.url), handle]).find(([found]) => found !== null);
    if (handler === undefined) return send(response, 404, { error: { code: 404, message: `no ${request.url}` } });
    const [found, handle] = handler;
    return handle({ response, body, headers: request.headers, found, window });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(state, {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
}

function send(response, status, value, type = "application/json") {
  response.writeHead(status, { "content-type": type });
  response.end(typeof value === "string" ? value : JSON.stringify(value));
}

const events = (values) => values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("");

function gemini({ response, body, headers, found: [, model, method] }) {
  const refuse = (code, message, status) => send(response, code, { error: { code, message, status } });
  if (headers["x-goog-api-key"] !== KEY) {
    return refuse(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT");
  }
  if (model === "gemini-thinks" && body.generationConfig.thinkingConfig?.thinkingBudget === 0) {
    return refuse(400, "Budget 0 is invalid. This model only works in thinking mode.", "INVALID_ARGUMENT");
  }
  const texts = [body.systemInstruction, ...body.contents].flatMap((content) => content?.parts ?? []).map((part) => part.text ?? "");
  const usageMetadata = { promptTokenCount: tokensOf(texts), candidatesTokenCount: 9, thoughtsTokenCount: 4 };
  const answer = (parts, more) => ({ candidates: [{ content: { role: "model", parts }, index: 0, ...more }], usageMetadata });
  if (model === "gemini-blocks") {
    const blocked = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata };
    return method === "generateContent" ? send(response, 200, blocked) : send(response, 200, events([blocked]), "text/event-stream");
  }
  const thought = { text: "They want a garden.", thought: true };
  if (method === "generateContent") {
    return send(response, 200, answer([thought, { text: SUMMARY }], { finishReason: "STOP" }));
  }
  const deltas = pieces.map((text) => answer([{ text }]));
  const last = answer([{ text: "", thoughtSignature: "c2ln" }], { finishReason: "STOP" });
  return send(response, 200, events([answer([thought]), ...deltas, last]), "text/event-stream");
}

function ollama({ response, body, window }) {
  const limit = body.options?.num_ctx ?? window;
  const tokens = tokensOf(body.messages.map(({ content }) => content));
  const fits = tokens <= limit;
  if (!fits && body.truncate === false) {
    // The error of its runner, which is llama.cpp, inside of its own.
    const message = `request (${tokens} tokens) exceeds the available context size (${limit} tokens), try increasing it`;
    const error = { code: 400, message, type: "exceed_context_size_error", n_prompt_tokens: tokens, n_ctx: limit };
    return send(response, 400, { error: JSON.stringify({ error }) });
  }
  const message = (content, more = {}) => ({ model: body.model, message: { role: "assistant", content, ...more } });
  const end = { done: true, done_reason: "stop", prompt_eval_count: fits ? tokens : Math.floor(limit / 2), eval_count: 9 };
  if (!body.stream) return send(response, 200, { ...message(SUMMARY), ...end });
  const lines = [message("", { thinking: "They want a garden." }), ...pieces.map((piece) => message(piece))];
  const all = [...lines.map((line) => ({ ...line, done: false })), { ...message(""), ...end }];
  return send(response, 200, all.map((line) => `${JSON.stringify(line)}\n`).join(""), "application/x-ndjson");
}

function chat({ response, body, window }) {
  const tokens = tokensOf(body.messages.map(({ content }) => content));
  const usage = { prompt_tokens: tokens <= window ? tokens : Math.floor(window / 2), completion_tokens: 9 };
  const choices = [{ index: 0, message: { role: "assistant", content: SUMMARY }, finish_reason: "stop" }];
  return send(response, 200, { object: "chat.completion", choices, usage });
}

/** As OpenAI does: what the user has said, and then one item that nobody else can read. */
function compactResponses({ response, body }) {
  const said = body.input.filter(({ role }) => role === "user");
  const output = said.map((item, index) => ({ id: `msg_${index}`, type: "message", status: "completed", ...item }));
  const compaction = { id: "cmp_1", type: "compaction", encrypted_content: `gAAAA${Buffer.from(JSON.stringify(body.input)).toString("base64").slice(0, 400)}` };
  const usage = { input_tokens: 900, output_tokens: 80, total_tokens: 980 };
  send(response, 200, { id: "resp_1", object: "response.compaction", created_at: 1, output: body.model === "fails" ? output : [...output, compaction], usage });
}

/** As Anthropic does on demand: one signed block, and nothing else. */
function compactMessages({ response, body, headers }) {
  const refuse = (message) => send(response, 400, { type: "error", error: { type: "invalid_request_error", message } });
  if (!headers["anthropic-beta"]?.split(",").includes("compact-2026-09-04")) return refuse("compaction: Extra inputs are not permitted");
  if (body.compaction?.type !== "summarize") return refuse("this server only compacts");
  const content = body.model === "fails" ? null : "They planned a garden with twelve beds.";
  const block = { type: "compaction", content, encrypted_content: null, signature: "c2lnbmF0dXJl" };
  const usage = { input_tokens: 0, output_tokens: 0, iterations: [{ type: "compaction", input_tokens: 900, output_tokens: 80 }] };
  return send(response, 200, { type: "message", role: "assistant", content: [block], stop_reason: "compaction", usage });
}
