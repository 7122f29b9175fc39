// What a server may do wrong, as one table: each fault in each phase, and what the package makes of it.

import { createServer } from "node:net";
import { once } from "node:events";
import { sendJson, serve } from "./clients.mjs";

export const KEY = "sk-0123456789abcdefghij";
/** Only what is slow meets a limit of time. */
export const PATIENT = { firstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000 };

/** A response whose connection ends after these bytes, at whatever place they end. */
const tear = (response, bytes) => response.socket.end(bytes);
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\naccess-control-allow-origin: *\r\ntransfer-encoding: chunked\r\n\r\n";
const chunked = (text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const begin = (response, { deltas }) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(deltas.slice(0, 3).join(""));
};

/** Writes the same for as long as the connection is open. */
function writeEndlessly(response, text) {
  const write = () => {
    while (!response.destroyed && response.write(text));
    if (!response.destroyed) response.once("drain", write);
  };
  write();
}

const DEEP = 100_000;
const UNREACHABLE = /no answer from .*: the server is down, or the address is wrong/;
const CUT = /in the middle of the answer/;
const LATE = /sent nothing for|nothing came for|not complete after/;

/**
 * Each fault: what the server does, in which phase, and the codes of the error with what its message says. A fault without
 * codes must not fail: the answer is whole. In a page it may fail with the codes `inPage`, because browsers drop what they have
 * received when a connection breaks. `only` names the clients with which it is possible.
 */
export const FAULTS = [
  { fault: "absent", phase: "before the answer", act: undefined, codes: ["unreachable"], says: UNREACHABLE },
  { fault: "slow", phase: "before the answer", act: () => {}, limits: { firstByteMs: 100, totalMs: 200 }, codes: ["first-byte-timeout", "total-timeout"], says: LATE },
  {
    fault: "slow",
    phase: "during the answer",
    only: "stream",
    act: ({ response, answer }) => begin(response, answer),
    limits: { idleMs: 100 },
    codes: ["idle-timeout"],
    says: LATE,
  },
  {
    fault: "slow",
    phase: "during the answer",
    only: "whole",
    act: ({ response }) => response.writeHead(200, { "content-type": "application/json" }).write('{"input_'),
    limits: { totalMs: 200 },
    codes: ["total-timeout"],
    says: LATE,
  },
  {
    fault: "torn",
    phase: "before the answer",
    act: ({ response }) => tear(response, "HTTP/1.1 200 OK\r\ncontent-ty"),
    codes: ["unreachable"],
    says: UNREACHABLE,
  },
  { fault: "torn", phase: "before the first byte", act: ({ response }) => tear(response, HEAD), codes: ["cut-off"], says: CUT },
  {
    fault: "torn",
    phase: "during the answer, between two events",
    only: "stream",
    act: ({ response, answer }) => tear(response, HEAD + chunked(answer.deltas.slice(0, 3).join(""))),
    codes: ["cut-off"],
    says: CUT,
  },
  {
    fault: "torn",
    phase: "during the answer, inside of an event",
    only: "stream",
    act: ({ response, answer }) => tear(response, HEAD + chunked(answer.deltas.join("").slice(0, -9))),
    codes: ["cut-off"],
    says: CUT,
  },
  {
    fault: "torn",
    phase: "during the answer, with a proper end",
    only: "stream",
    act: ({ response, answer }) => {
      begin(response, answer);
      response.end();
    },
    codes: ["cut-off"],
    says: CUT,
  },
  {
    fault: "torn",
    phase: "during the answer",
    only: "whole",
    act: ({ response }) => tear(response, HEAD + chunked('{"input_tokens": ')),
    codes: ["cut-off"],
    says: CUT,
  },
  {
    fault: "torn",
    phase: "after the answer",
    only: "stream",
    act: ({ response, answer }) => tear(response, HEAD + chunked(answer.deltas.join("") + answer.end)),
    inPage: ["cut-off"],
  },
  {
    fault: "wrong",
    phase: "a web page",
    act: ({ response }) => response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><h1>Welcome</h1>"),
    codes: ["bad-answer"],
    says: /the address of the API\?/,
  },
  {
    fault: "wrong",
    phase: "other JSON",
    act: ({ response }) => sendJson(response, 200, { hello: ["world"] }),
    codes: ["bad-answer"],
    says: /not a chat completion|no count of tokens/,
  },
  {
    fault: "wrong",
    phase: "an empty body",
    act: ({ response }) => response.writeHead(200, { "content-type": "application/json" }).end(),
    codes: ["bad-answer", "cut-off"],
    says: /not JSON|no count|in the middle/,
  },
  ...[-1, 1.5, 1e20, "12", null, [], {}].map((count) => ({
    fault: "wrong",
    phase: `the count ${JSON.stringify(count)}`,
    only: "whole",
    act: ({ response }) => sendJson(response, 200, { input_tokens: count, totalTokens: count, tokens: { count }, prompt: "p" }),
    codes: ["bad-answer"],
    says: /sent no count of tokens/,
  })),
  ...[
    [204, "bad-answer", /not JSON|no count|in the middle/],
    [304, "bad-answer", /\(304\)/],
    [401, "unauthorized", /API key \(401\)/],
    [404, "model-unknown", /\(404\)/],
    [418, "refused", /\(418\)/],
    [500, "overloaded", /cannot answer now \(500\)/],
  ].map(([status, code, says]) => ({
    fault: "wrong",
    phase: `the status ${status}`,
    act: ({ response }) => response.writeHead(status).end(),
    codes: [code, ...(status === 204 ? ["cut-off"] : [])],
    says,
  })),
  {
    fault: "wrong",
    phase: "a redirect",
    act: ({ response }) => response.writeHead(307, { location: "http://127.0.0.1:1/v1" }).end(),
    codes: ["redirected"],
    says: /give its final URL as the base URL/,
  },
  {
    fault: "wrong",
    phase: "something else during the answer",
    only: "stream",
    act: ({ response, answer }) => {
      begin(response, answer);
      response.end("data: <!doctype html>\n\n");
    },
    codes: ["bad-answer"],
    says: /not JSON/,
  },
  {
    fault: "hostile",
    phase: "an endless answer",
    only: "stream",
    act: ({ response, answer }) => {
      begin(response, answer);
      writeEndlessly(response, answer.delta("word ".repeat(10_000)));
    },
    codes: ["bad-answer"],
    says: /longer than 16 megabytes/,
  },
  {
    fault: "hostile",
    phase: "an endless line",
    act: ({ response }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      writeEndlessly(response, "data: x".padEnd(100_000, "x").replaceAll("\n", ""));
    },
    codes: ["bad-answer"],
    says: /one megabyte|no count/,
  },
  {
    fault: "hostile",
    phase: "an endless error",
    act: ({ response }) => {
      response.writeHead(400);
      writeEndlessly(response, "no ".repeat(10_000));
    },
    codes: ["refused"],
    says: /refused the request \(400\); the server says: no no/,
  },
  {
    fault: "hostile",
    phase: "an endless rest after the answer",
    only: "stream",
    act: ({ response, answer }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(answer.deltas.join("") + answer.end);
      writeEndlessly(response, answer.delta("more ".repeat(1_000)));
    },
  },
  {
    fault: "hostile",
    phase: "a huge header",
    act: ({ response }) => response.writeHead(200, { "x-huge": "x".repeat(1_000_000) }).end("{}"),
    codes: ["unreachable"],
    says: /no answer from/,
  },
  {
    fault: "hostile",
    phase: "deep JSON",
    act: ({ response }) => response.writeHead(200, { "content-type": "application/json" }).end("[".repeat(DEEP) + "]".repeat(DEEP)),
    codes: ["bad-answer"],
    says: /not JSON|no count/,
  },
  {
    fault: "hostile",
    phase: "JSON of more values than any answer has",
    act: ({ response }) => response.writeHead(200, { "content-type": "application/json" }).end(`{"choices":[${"[],".repeat(1e6)}1]}`),
    codes: ["bad-answer"],
    says: /not JSON|no count|one megabyte/,
  },
  {
    fault: "hostile",
    phase: "deep JSON in an error",
    act: ({ response }) => response.writeHead(400).end(`{"error":${"[".repeat(DEEP)}`),
    codes: ["refused"],
    says: /\(400\)/,
  },
  {
    fault: "hostile",
    phase: "an echo of the key",
    act: ({ response }) => sendJson(response, 401, { error: { message: `wrong key ${KEY}` } }),
    codes: ["unauthorized"],
    says: /wrong key \[key\]/,
  },
  {
    fault: "twice",
    phase: "the whole stream again",
    only: "stream",
    act: ({ response, answer }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end((answer.deltas.join("") + answer.end).repeat(2));
    },
  },
  {
    fault: "twice",
    phase: "two ends",
    only: "stream",
    act: ({ response, answer }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(answer.deltas.join("") + answer.end + answer.end + answer.end);
    },
  },
  {
    fault: "late",
    phase: "data after the answer",
    only: "stream",
    act: ({ response, answer }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(answer.deltas.join("") + answer.end);
      setTimeout(() => response.end(answer.delta("later ")), 20);
    },
  },
  {
    fault: "gone",
    phase: "before the answer",
    act: ({ server }) => server.close(),
    codes: ["unreachable"],
    says: UNREACHABLE,
  },
  {
    fault: "gone",
    phase: "during the answer",
    only: "stream",
    act: ({ response, server, answer }) => {
      begin(response, answer);
      setTimeout(() => server.close(), 20);
    },
    codes: ["cut-off"],
    says: CUT,
  },
];

/**
 * A server that answers each request by `act`, or a closed port if `act` is undefined. `isAside` answers the requests that the
 * package did not send, and returns true for them.
 */
export async function faulty(act, client, isAside) {
  if (act === undefined) {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const baseURL = `http://127.0.0.1:${closed.address().port}/v1`;
    closed.close();
    await once(closed, "close");
    return { baseURL, requests: [], close: () => {} };
  }
  const server = await serve(({ request, response }) => {
    if (isAside?.(request, response) !== true) {
      act({ request, response, answer: client.answer, server });
    }
  });
  return server;
}
