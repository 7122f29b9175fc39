// A chat-completions server that behaves as its URL says, for tests that need a real connection.
//
//   node tests/servers/summarizer.mjs [--port 18431]      port 0 takes any free one
//
// The first line on stdout is `listening http://127.0.0.1:PORT`. It ends on SIGTERM or SIGINT.
//
// A test chooses the behaviour by the base URL `http://127.0.0.1:PORT/SCENARIO/v1`, or
// `http://127.0.0.1:PORT/SCENARIO/KEY/v1` to have a log, and a state, of its own. Every scenario takes
// `POST …/chat/completions` and answers `GET …/models` with the one model `scripted`.
//
//   ok                     a summary: streamed if the request says so, otherwise plain; with usage
//   plain                  a plain answer, even to a request that wants a stream
//   think                  the summary behind `<think>…</think>`, and `reasoning_content` before it
//   torn                   the stream in pieces of 3 bytes: inside characters, lines and line ends
//   comments               keep-alive comments for 300 ms, then the summary
//   dawdle                 the summary and `[DONE]`, and the connection stays open
//   late-end               the summary and `[DONE]`, and 50 ms later the end
//   no-content-type        a stream without `content-type`
//   stream-as-json         a stream as `application/json`, with a byte order mark
//   json-as-stream         a plain answer as `text/event-stream`, with a byte order mark
//   redirect               307 to the scenario ok with the key KEY-2, on `localhost`, which is another origin
//   slow                   60 deltas, one each 50 ms
//   max-completion-tokens  400 to `max_tokens`; the summary to `max_completion_tokens`
//   no-stream-options      422 to `stream_options`; the summary without
//   429-then-ok            429 with `retry-after: 1` to the first request of each KEY, then the summary
//   429-date               429 with `retry-after` as a date, 30 s from now
//   429-hidden             429 whose `retry-after` is not exposed, and whose message says 1.5 s
//   quota                  429 with the code `insufficient_quota`
//   400 401 403 500 503    that status with an error object; 401 quotes the key it was given
//   404-model              404 with the code `model_not_found`
//   404-path               404 as a web page
//   too-long               400 with llama.cpp's error
//   too-long-if-long       the same for prompts of more than 2000 characters, otherwise the summary
//   too-long-in-all        the same for requests of more than 3000 characters in all messages
//   no-cors                the summary, without CORS headers
//   stall-first-byte       never answers
//   stall-after-head       status and headers, then nothing
//   stall-mid              3 deltas, then nothing
//   cut                    3 deltas, then the connection is destroyed
//   unfinished             3 deltas, then a normal end without `finish_reason` and `[DONE]`
//   error-in-stream        3 deltas, then `data: {"error": …}` with the code 503
//   json-error-200         status 200, `{"error": …}` as llama.cpp sends it
//   length filtered tools  the finish reasons `length`, `content_filter`, `tool_calls`
//   empty                  a complete answer without text
//   no-choices             `{}`
//   not-json               a stream whose data is not JSON
//   html                   status 200, a web page
//   huge-line              a stream with one line of 2 MB
//
// `GET /log?key=KEY` reports the requests of a KEY (or of a scenario used without one):
// `{ key, requests, preflights, aborted, open, last: { authorization, headers, body } }`, where `aborted`
// counts the connections that the client closed before the answer was complete. A client's close takes a
// moment to arrive: `GET /log?key=KEY&aborted=N` waits for the Nth, at the longest 10 s.
// All but no-cors allow every origin, and expose `retry-after` and `retry-after-ms`.

import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

const LONGEST_LOG_WAIT_MS = 10_000;

const logs = new Map();
/** Emits the key of a log whose client has just closed a connection. */
const aborts = new EventEmitter().setMaxListeners(0);

function logOf(key) {
  if (!logs.has(key)) {
    logs.set(key, { key, requests: 0, preflights: 0, aborted: 0, open: 0, last: null });
  }
  return logs.get(key);
}

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "authorization, content-type",
  "access-control-allow-methods": "GET, POST, OPTIONS",
  "access-control-expose-headers": "retry-after, retry-after-ms",
};

/** A summary with the lines of the prompt that carry digits, so that receipts have facts to find; under a heading if headings
 * are asked for. */
function summaryOf(body) {
  const prompt = String(body.messages?.at(-1)?.content ?? "");
  const facts = prompt
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /\d/.test(line) && !/^\[\d+\] /.test(line) && !line.startsWith("<"))
    .slice(0, 8)
    .map((line) => `- ${line.slice(0, 160)}`);
  const [heading] = /^## .+$/m.exec(JSON.stringify(body.messages ?? []).replaceAll("\\n", "\n")) ?? [];
  return [...(heading === undefined ? [] : [heading]), "Scripted summary – résumé ✓", ...facts].join("\n");
}

/** Pieces of about twelve characters, as a model would stream them. */
function deltasOf(text) {
  return text.match(/.{1,12}/gsu) ?? [];
}

function chunk(delta, finishReason = null) {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return { id: "scripted-1", object: "chat.completion.chunk", model: "scripted", choices };
}

const event = (data) => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

function usageOf(body, text) {
  const prompt = JSON.stringify(body.messages ?? []).length;
  const tokens = { prompt_tokens: Math.ceil(prompt / 4), completion_tokens: Math.ceil(text.length / 4) };
  return { ...tokens, total_tokens: tokens.prompt_tokens + tokens.completion_tokens };
}

/** The events of a whole stream. */
function eventsOf(body, { text = summaryOf(body), finishReason = "stop", first = [] } = {}) {
  const events = [chunk({ role: "assistant", content: null }), ...first];
  events.push(...deltasOf(text).map((content) => chunk({ content })), chunk({}, finishReason));
  if (body.stream_options?.include_usage) {
    events.push({ ...chunk({}), choices: [], usage: usageOf(body, text) });
  }
  return [...events.map(event), event("[DONE]")];
}

function sendJson(response, status, value, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
}

function sendError(response, status, error, headers) {
  sendJson(response, status, { error: { type: "invalid_request_error", ...error } }, headers);
}

function openStream(response) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
}

function sendEvents(response, events) {
  openStream(response);
  response.end(events.join(""));
}

function sendPlain(response, body, { text = summaryOf(body), finishReason = "stop", message = {} } = {}) {
  const choices = [
    { index: 0, message: { role: "assistant", content: text, ...message }, finish_reason: finishReason },
  ];
  sendJson(response, 200, { id: "scripted-1", object: "chat.completion", choices, usage: usageOf(body, text) });
}

/** Streamed or plain, as the request says. */
function sendAnswer(response, body, answer) {
  if (body.stream) sendEvents(response, eventsOf(body, answer));
  else sendPlain(response, body, answer);
}

/** A stream that begins well. */
function beginStream(response, body) {
  openStream(response);
  response.write(eventsOf(body).slice(0, 4).join(""));
}

const OVERFLOW = {
  code: 400,
  type: "exceed_context_size_error",
  message: "request (6972 tokens) exceeds the available context size (1024 tokens), try increasing it",
  n_prompt_tokens: 6972,
  n_ctx: 1024,
};

const SCENARIOS = {
  ok: ({ response, body }) => sendAnswer(response, body),
  "no-cors": ({ response, body }) => sendAnswer(response, body),
  plain: ({ response, body }) => sendPlain(response, body),
  think: ({ response, body }) => {
    const text = `<think>What matters?</think>\n\n${summaryOf(body)}`;
    sendAnswer(response, body, { text, first: [chunk({ reasoning_content: "Well." })] });
  },
  torn: async ({ response, body, isOpen }) => {
    openStream(response);
    const bytes = Buffer.from(`\ufeff${eventsOf(body).join("")}`.replaceAll("\n", "\r\n"));
    for (let start = 0; start < bytes.length && isOpen(); start += 3) {
      response.write(bytes.subarray(start, start + 3));
      await wait(0);
    }
    response.end();
  },
  comments: async ({ response, body, isOpen }) => {
    openStream(response);
    for (let count = 0; count < 6 && isOpen(); count += 1) {
      response.write(": processing\n\n");
      await wait(50);
    }
    response.end(eventsOf(body).join(""));
  },
  dawdle: ({ response, body }) => {
    openStream(response);
    response.write(eventsOf(body).join(""));
  },
  "late-end": async ({ response, body }) => {
    openStream(response);
    response.write(eventsOf(body).join(""));
    await wait(50);
    response.end();
  },
  "no-content-type": ({ response, body }) => response.end(eventsOf(body).join("")),
  "stream-as-json": ({ response, body }) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(`\ufeff${eventsOf(body).join("")}`);
  },
  "json-as-stream": ({ response, body }) => {
    openStream(response);
    const message = { role: "assistant", content: summaryOf(body) };
    response.end(`\ufeff\n${JSON.stringify({ choices: [{ message, finish_reason: "stop" }] })}`);
  },
  redirect: ({ response, log }) => {
    const location = `http://localhost:${server.address().port}/ok/${log.key}-2/v1/chat/completions`;
    response.writeHead(307, { location });
    response.end();
  },
  slow: async ({ response, body, isOpen }) => {
    openStream(response);
    for (let count = 1; count <= 60 && isOpen(); count += 1) {
      response.write(event(chunk({ content: `word ${count} ` })));
      await wait(50);
    }
    response.end(event(chunk({}, "stop")) + event("[DONE]"));
  },
  "max-completion-tokens": ({ response, body }) => {
    if (body.max_tokens === undefined) return sendAnswer(response, body);
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    return sendError(response, 400, { message, param: "max_tokens", code: "unsupported_parameter" });
  },
  "no-stream-options": ({ response, body }) => {
    if (body.stream_options === undefined) return sendAnswer(response, body);
    const detail = [{ loc: ["body", "stream_options"], msg: "Extra inputs are not permitted" }];
    return sendJson(response, 422, { detail });
  },
  "429-then-ok": ({ response, body, log }) => {
    if (log.requests > 1) return sendAnswer(response, body);
    return sendError(response, 429, { message: "Rate limit reached" }, { "retry-after": "1" });
  },
  "429-date": ({ response }) => {
    const date = new Date(Date.now() + 30_000).toUTCString();
    sendError(response, 429, { message: "Rate limit reached" }, { "retry-after": date });
  },
  "429-hidden": ({ response }) => {
    response.setHeader("access-control-expose-headers", "");
    sendError(response, 429, { message: "Please try again in 1.5s." }, { "retry-after": "900" });
  },
  quota: ({ response }) =>
    sendError(response, 429, { message: "You exceeded your current quota", code: "insufficient_quota" }),
  400: ({ response }) => sendError(response, 400, { message: "messages: unexpected role" }),
  401: ({ request, response }) => {
    const key = (request.headers.authorization ?? "").replace("Bearer ", "");
    const message = key ? `Incorrect API key provided: ${key}` : "You didn't provide an API key";
    sendError(response, 401, { message, code: "invalid_api_key" });
  },
  403: ({ response }) => sendError(response, 403, { message: "Your key may not use this model" }),
  500: ({ response }) => sendError(response, 500, { message: "internal error", type: "server_error" }),
  503: ({ response }) => sendError(response, 503, { message: "Loading model" }, { "retry-after-ms": "700" }),
  "404-model": ({ response, body }) =>
    sendError(response, 404, {
      message: `The model \`${body.model}\` does not exist`,
      code: "model_not_found",
    }),
  "404-path": ({ response }) => {
    response.writeHead(404, { "content-type": "text/html" });
    response.end("<!doctype html><h1>Not Found</h1>");
  },
  "too-long": ({ response }) => sendError(response, 400, OVERFLOW),
  "too-long-if-long": ({ response, body }) => {
    if (String(body.messages?.at(-1)?.content ?? "").length > 2000) sendError(response, 400, OVERFLOW);
    else sendAnswer(response, body);
  },
  "too-long-in-all": ({ response, body }) => {
    const characters = (body.messages ?? []).reduce((sum, { content }) => sum + String(content).length, 0);
    if (characters > 3000) sendError(response, 400, OVERFLOW);
    else sendAnswer(response, body);
  },
  "stall-first-byte": () => {},
  "stall-after-head": ({ response }) => {
    openStream(response);
    response.flushHeaders();
  },
  "stall-mid": ({ response, body }) => beginStream(response, body),
  cut: async ({ response, body, cut }) => {
    beginStream(response, body);
    await wait(20);
    cut();
  },
  unfinished: ({ response, body }) => {
    beginStream(response, body);
    response.end();
  },
  "error-in-stream": ({ response, body }) => {
    beginStream(response, body);
    response.end(event({ error: { code: 503, message: "upstream overloaded" } }));
  },
  "json-error-200": ({ response }) => sendJson(response, 200, { error: OVERFLOW }),
  length: ({ response, body }) => sendAnswer(response, body, { finishReason: "length" }),
  filtered: ({ response, body }) => sendAnswer(response, body, { finishReason: "content_filter" }),
  tools: ({ response, body }) => {
    const call = { index: 0, id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
    const answer = { text: "", finishReason: "tool_calls", message: { tool_calls: [call] } };
    sendAnswer(response, body, { ...answer, first: [chunk({ tool_calls: [call] })] });
  },
  empty: ({ response, body }) => sendAnswer(response, body, { text: "" }),
  "no-choices": ({ response }) => sendJson(response, 200, {}),
  "not-json": ({ response }) => sendEvents(response, [event("not json"), event("[DONE]")]),
  html: ({ response }) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end("<!doctype html><title>Welcome</title>");
  },
  "huge-line": ({ response }) => sendEvents(response, [event("x".repeat(2 * 1024 * 1024))]),
};

async function sendLog(response, query) {
  const log = logOf(query.get("key") ?? "");
  const signal = AbortSignal.timeout(LONGEST_LOG_WAIT_MS);
  while (log.aborted < Number(query.get("aborted") ?? 0) && !signal.aborted) {
    await once(aborts, log.key, { signal }).catch(() => {});
  }
  sendJson(response, 200, log, CORS);
}

async function readBody(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

async function handle(request, response) {
  const url = new URL(request.url, "http://127.0.0.1");
  if (url.pathname === "/log") {
    return sendLog(response, url.searchParams);
  }
  const [, scenario, key, path] =
    /^\/([^/]+)(?:\/([^/]+))?\/v1\/(chat\/completions|models)$/.exec(url.pathname) ?? [];
  const act = Object.hasOwn(SCENARIOS, scenario ?? "") ? SCENARIOS[scenario] : undefined;
  if (scenario !== "no-cors") {
    for (const [name, value] of Object.entries(CORS)) response.setHeader(name, value);
  }
  if (act === undefined) return sendJson(response, 404, { error: { message: `no scenario at ${url.pathname}` } });
  const log = logOf(key ?? scenario);
  if (request.method === "OPTIONS") {
    log.preflights += 1;
    response.writeHead(204);
    return response.end();
  }
  if (path === "models") {
    return sendJson(response, 200, { object: "list", data: [{ id: "scripted", object: "model" }] });
  }
  log.requests += 1;
  log.open += 1;
  let open = true;
  let cutByServer = false;
  response.on("close", () => {
    open = false;
    log.open -= 1;
    if (response.writableEnded || cutByServer) return;
    log.aborted += 1;
    aborts.emit(log.key);
  });
  const cut = () => {
    cutByServer = true;
    response.destroy();
  };
  let body;
  try {
    body = JSON.parse(await readBody(request));
  } catch {
    return open ? sendError(response, 500, { message: "the body is not JSON" }) : undefined;
  }
  const { authorization = null } = request.headers;
  log.last = { authorization, headers: Object.keys(request.headers), body };
  return act({ request, response, body, log, cut, isOpen: () => open });
}

const portFlag = process.argv.indexOf("--port");
const port = portFlag < 0 ? 18431 : Number(process.argv[portFlag + 1]);

const server = createServer((request, response) => {
  handle(request, response).catch((error) => {
    console.error(error);
    response.destroy();
  });
});
server.listen(port, "127.0.0.1", () => {
  console.log(`listening http://127.0.0.1:${server.address().port}`);
});
for (const signal of ["SIGTERM", "SIGINT"]) {
  process.on(signal, () => {
    server.close();
    server.closeAllConnections();
  });
}
