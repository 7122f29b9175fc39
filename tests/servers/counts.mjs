// A server that counts tokens as the providers do, for tests that need a real connection.
//
//   const server = await counts();      on any free port of 127.0.0.1; `server.url`, `server.close()`
//
// The paths are those of the providers, after `/SCENARIO`. It counts the characters of everything in the request
// except the model, so that a test can check what arrived. `server.last` is the last request:
// `{ path, headers, body }`.
//
//   ok           the count
//   refused      401 with the provider's error, which quotes the key
//   no-template  404 to `/apply-template`, as an older llama.cpp; otherwise the count
//   odd          status 200 with no count in it
//   web-page     status 200, a web page
//   stalled      never answers
//   busy         529 with `retry-after: 2`

import { once } from "node:events";
import { createServer } from "node:http";

const ANSWERS = {
  "/v1/messages/count_tokens": (tokens) => ({ input_tokens: tokens }),
  "/v1/responses/input_tokens": (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
  "/v1beta/models/gemini-2.5-pro:countTokens": (tokens) => ({ totalTokens: tokens, promptTokensDetails: [] }),
  "/apply-template": (_, body) => ({ prompt: body.messages.map(({ role, content }) => `<|${role}|>${content}`).join("") }),
  "/tokenize": (_, body) => ({ tokens: [...body.content].map((_, index) => index) }),
};

function send(response, status, value, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof value === "string" ? value : JSON.stringify(value));
}

/** Starts one. */
export async function counts() {
  const state = { last: undefined, paths: [], aborted: 0 };
  const server = createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const [, scenario, path] = /^\/([^/]+)(\/.*)$/.exec(request.url) ?? [];
    const body = JSON.parse(Buffer.concat(pieces).toString("utf8"));
    state.last = { path, headers: request.headers, body };
    state.paths.push(path);
    response.on("close", () => {
      state.aborted += response.writableFinished ? 0 : 1;
    });
    const { model: _, ...rest } = body;
    const key = request.headers["x-api-key"] ?? request.headers["x-goog-api-key"] ?? request.headers.authorization;
    if (scenario === "stalled") return;
    if (scenario === "refused") return send(response, 401, { type: "error", error: { message: `invalid key: ${key}` } });
    if (scenario === "busy") return send(response, 529, { error: { message: "Overloaded" } }, { "retry-after": "2" });
    if (scenario === "odd") return send(response, 200, { tokens: "many" });
    if (scenario === "web-page") return send(response, 200, "<!doctype html>", { "content-type": "text/html" });
    const answer = ANSWERS[path];
    if (answer === undefined || (scenario === "no-template" && path === "/apply-template")) {
      return send(response, 404, { error: { code: 404, message: "File Not Found", type: "not_found_error" } });
    }
    return send(response, 200, answer(JSON.stringify(rest).length, body));
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
