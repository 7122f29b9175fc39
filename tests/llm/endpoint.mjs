// A small real model behind an endpoint on loopback, as llama.cpp's server has it, on any x86-64 processor with Linux.
//
//   node tests/llm/endpoint.mjs MODEL.gguf [--port 0] [--context 4096]
//
// The first line on stdout is `listening http://127.0.0.1:PORT`. It ends on SIGTERM or SIGINT, and with the process that
// started it, if that has connected an IPC channel. One request runs at a time, on one thread: the tests run beside others.
//
//   POST /v1/chat/completions   plain and streamed; max_tokens, temperature, stop, and, as constraints of what is written,
//                               `grammar` (GBNF) and `response_format` with a JSON schema
//   POST /apply-template        { messages } → { prompt }, by the chat template of the model
//   POST /tokenize              { content } → { tokens }
//   GET  /health, /v1/models
//   GET  /log                   { requests, refused, aborted, written, running }: `aborted` counts requests whose client left,
//                               and `written` the tokens of all answers; `?aborted=N` waits for the Nth, at most 30 s

import { once } from "node:events";
import { createServer } from "node:http";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { Template } from "@huggingface/jinja";
import { getLlama, LlamaCompletion, LlamaGrammar } from "node-llama-cpp";

const LONGEST_LOG_WAIT_MS = 30_000;
/** Small models repeat themselves without it. */
const REPEAT_PENALTY = { penalty: 1.1 };
const MOST_TOKENS = 512;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { port: { type: "string", default: "0" }, context: { type: "string", default: "4096" } },
});
const [modelPath] = positionals;
const contextTokens = Number(values.context);
const llama = await getLlama({ gpu: false, build: "never", logLevel: "error", maxThreads: 1 });
const model = await llama.loadModel({ modelPath });
const context = await model.createContext({ contextSize: contextTokens, threads: 1, batchSize: 512 });
const sequence = context.getSequence();
const template = new Template(model.fileInfo.metadata.tokenizer.chat_template);
const name = basename(modelPath, ".gguf");

const log = { requests: 0, refused: 0, aborted: 0, written: 0, running: 0 };
const waiting = new Set();
let queue = Promise.resolve();

/** The prompt of these messages. The template takes texts only, so that calls are written as JSON. */
function promptOf(messages) {
  const textOf = (part) => (typeof part === "string" ? part : (part.text ?? JSON.stringify(part)));
  const plain = messages.map(({ role, content, tool_calls: calls }) => {
    const parts = [content ?? []].flat().map(textOf);
    return { role, content: [...parts, ...(calls ?? []).map((call) => JSON.stringify(call.function))].join("\n") };
  });
  return template.render({ messages: plain, add_generation_prompt: true, bos_token: "", eos_token: "" });
}

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "authorization, content-type",
  "access-control-allow-methods": "GET, POST, OPTIONS",
};

function send(response, status, value) {
  response.writeHead(status, { ...CORS, "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function refuse(response, code, type, message, more) {
  log.refused += 1;
  send(response, code, { error: { code, type, message, ...more } });
}

/** The grammar that an answer has to follow; undefined if the request has none. */
async function grammarOf({ grammar, response_format: format }) {
  if (typeof grammar === "string") return new LlamaGrammar(llama, { grammar });
  const schema = format?.type === "json_schema" ? format.json_schema?.schema : undefined;
  return schema === undefined ? undefined : llama.createGrammarForJsonSchema(schema);
}

async function complete(body, response) {
  const { messages, stream = false, temperature = 0, stop } = body;
  const tokens = model.tokenize(promptOf(messages), true);
  const promptTokens = tokens.length;
  if (promptTokens >= contextTokens) {
    const message = `request (${promptTokens} tokens) exceeds the available context size (${contextTokens} tokens), try increasing it`;
    return refuse(response, 400, "exceed_context_size_error", message, { n_prompt_tokens: promptTokens, n_ctx: contextTokens });
  }
  const wanted = body.max_tokens ?? body.max_completion_tokens ?? MOST_TOKENS;
  const maxTokens = Math.min(wanted, contextTokens - promptTokens);
  const abort = new AbortController();
  response.once("close", () => abort.abort());
  if (response.destroyed) abort.abort();
  const chunk = (delta, finish = null) => ({ object: "chat.completion.chunk", model: name, choices: [{ index: 0, delta, finish_reason: finish }] });
  const event = (value) => response.write(`data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`);
  if (stream) {
    response.writeHead(200, { ...CORS, "content-type": "text/event-stream" });
    event(chunk({ role: "assistant", content: null }));
  }
  log.running += 1;
  let written = 0;
  let finish = "stop";
  let text = "";
  try {
    const completion = new LlamaCompletion({ contextSequence: sequence });
    const grammar = await grammarOf(body);
    const answer = await completion.generateCompletionWithMeta(tokens, {
      maxTokens,
      temperature,
      ...(grammar === undefined ? { repeatPenalty: REPEAT_PENALTY } : { grammar }),
      ...(stop === undefined ? {} : { customStopTriggers: [stop].flat() }),
      signal: abort.signal,
      onToken: (more) => (written += more.length),
      onTextChunk: (content) => stream && event(chunk({ content })),
    });
    text = answer.response;
    if (answer.metadata.stopReason === "maxTokens") finish = "length";
    completion.dispose({ disposeSequence: false });
  } catch (error) {
    if (!abort.signal.aborted) throw error;
  } finally {
    log.running -= 1;
    log.written += written;
  }
  if (response.destroyed) {
    log.aborted += 1;
    waiting.forEach((check) => check());
    return;
  }
  const usage = { prompt_tokens: promptTokens, completion_tokens: written, total_tokens: promptTokens + written };
  if (!stream) {
    const choices = [{ index: 0, message: { role: "assistant", content: text }, finish_reason: finish }];
    return send(response, 200, { object: "chat.completion", model: name, choices, usage });
  }
  event(chunk({}, finish));
  if (body.stream_options?.include_usage === true) event({ ...chunk({}), choices: [], usage });
  event("[DONE]");
  response.end();
}

async function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  if (request.method === "OPTIONS") return response.writeHead(204, CORS).end();
  if (pathname === "/health") return send(response, 200, { status: "ok" });
  if (pathname === "/v1/models") return send(response, 200, { object: "list", data: [{ id: name, object: "model" }] });
  if (pathname === "/log") {
    const wanted = Number(searchParams.get("aborted") ?? 0);
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, LONGEST_LOG_WAIT_MS);
      const check = () => {
        if (log.aborted < wanted) return;
        clearTimeout(timer);
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
    return send(response, 200, log);
  }
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += part;
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return refuse(response, 400, "invalid_request_error", "the body is no JSON");
  }
  if (pathname === "/apply-template") return send(response, 200, { prompt: promptOf(body.messages) });
  if (pathname === "/tokenize") return send(response, 200, { tokens: model.tokenize(body.content, true) });
  if (pathname !== "/v1/chat/completions") return refuse(response, 404, "not_found_error", `there is no ${pathname}`);
  log.requests += 1;
  const turn = queue.then(() => complete(body, response));
  queue = turn.catch(() => {});
  return turn;
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    if (!response.headersSent) refuse(response, 500, "server_error", String(error));
    else response.destroy();
  });
});
server.listen(Number(values.port), "127.0.0.1");
await once(server, "listening");
console.log(`listening http://127.0.0.1:${server.address().port}`);

const end = () => process.exit(0);
process.once("SIGTERM", end).once("SIGINT", end).once("disconnect", end);
