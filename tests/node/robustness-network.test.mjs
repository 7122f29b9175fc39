// What must hold against any server: keys stay hidden, redirects are not followed, odd answers are read or refused for good.

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { inspect } from "node:util";
import { isEpitomeError, openAICompatible } from "epitome";
import { CLIENTS, COUNTERS, REQUEST, resultOf, sendHealthy, sendJson, SUMMARIZERS, withServer } from "./clients.mjs";

const KEY = 'sk-Zq8"w\\7/K+pe=9xTv24LmN';

/** The error that a promise rejects with. */
async function failure(promise) {
  const error = await promise.then(
    (answer) => assert.fail(`answered ${JSON.stringify(answer)}`),
    (error) => error,
  );
  assert.ok(isEpitomeError(error), inspect(error));
  return error;
}

const percent = (text, digits = (byte) => byte) =>
  [...Buffer.from(text)].map((byte) => `%${digits(byte.toString(16).padStart(2, "0"))}`).join("");
const units = (text) => [...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
const base64 = (text) => Buffer.from(text).toString("base64");

/** Each form in which a server may echo a key. */
const FORMS = {
  bare: (key) => key,
  "with its scheme": (key) => `Bearer ${key}`,
  "in capitals": (key) => key.toUpperCase(),
  "in small letters": (key) => key.toLowerCase(),
  "URL-encoded": (key) => encodeURIComponent(key),
  "URL-encoded, every byte": (key) => percent(key),
  "URL-encoded in capitals": (key) => percent(key, (digits) => digits.toUpperCase()),
  "URL-encoded twice": (key) => encodeURIComponent(encodeURIComponent(key)),
  "as JSON": (key) => JSON.stringify(key),
  "as JSON in JSON": (key) => JSON.stringify(JSON.stringify(key)),
  "as JSON with escaped slashes": (key) => JSON.stringify(key).replaceAll("/", "\\/"),
  "as JSON in code units": units,
  base64,
  "base64 without padding": (key) => base64(key).replace(/=+$/, ""),
  "base64 for URLs": (key) => Buffer.from(key).toString("base64url"),
  "base64 one byte later": (key) => base64(`:${key}`),
  "base64 two bytes later": (key) => base64(`u:${key}`),
  "base64 of credentials": (key) => `Basic ${base64(`user:${key}`)}`,
  "broken by spaces": (key) => key.match(/.{1,3}/g).join(" "),
  "broken by lines": (key) => key.match(/.{1,5}/g).join("\r\n\t"),
  "its beginning": (key) => `${key.slice(0, 12)}…`,
  "its first eight": (key) => `${key.slice(0, 8)}***`,
  "its end": (key) => `…${key.slice(-9)}`,
};

/** Fails if the text has more than seven characters in a row of the key's beginning or end, in any form. */
function assertHidden(error, key, place) {
  const text = inspect(error) + JSON.stringify(error) + error.message + error.stack;
  const decoded = text.replace(/(%25|%)([0-9a-f]{2})/gi, (_, __, hex) => String.fromCharCode(parseInt(hex, 16)));
  const read = (whole) => whole.replace(/\\u([0-9a-f]{4})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))).replace(/[\s\\]/g, "").toLowerCase();
  const parts = [key.slice(0, 8), key.slice(-8)].map(read);
  const encoded = [0, 1, 2].flatMap((offset) => {
    const whole = base64("x".repeat(offset) + key).replaceAll("=", "");
    return [whole.slice(4, 12), whole.slice(-10, -2)].map((part) => part.toLowerCase());
  });
  for (const seen of [read(text), read(decoded)]) {
    for (const part of [...parts, ...encoded]) {
      assert.ok(!seen.includes(part), `${place}: ${part} in ${error.message}`);
    }
  }
}

/** Where an app gives a key. */
const GIVEN = {
  apiKey: (baseURL) => ({ baseURL, apiKey: KEY }),
  "a header with a scheme": (baseURL) => ({ baseURL, headers: { Authorization: `Bearer ${KEY}` } }),
  "a header with an unknown scheme": (baseURL) => ({ baseURL, headers: { Authorization: `Garden ${KEY}` } }),
  "a header": (baseURL) => ({ baseURL, headers: { "x-key": KEY } }),
  "the query of the base URL": (baseURL) => ({ baseURL: `${baseURL}?api-key=${encodeURIComponent(KEY)}&v=1` }),
};

for (const { name, ask } of CLIENTS) {
  test(`j4: no error of ${name} has the key, wherever it was given and in whatever form it is echoed`, async () => {
    let said;
    await withServer(
      ({ response }) => sendJson(response, 401, { error: { message: `the key ${said} is wrong` } }),
      async ({ baseURL }) => {
        for (const [place, options] of Object.entries(GIVEN)) {
          for (const [form, write] of Object.entries(FORMS)) {
            said = write(KEY);
            const error = await failure(ask(options(baseURL)));
            assert.equal(error.code, "unauthorized");
            assertHidden(error, KEY, `${place}, ${form}`);
            assert.match(error.message, /the key .*\[key\].* is wrong/, `${place}, ${form}`);
          }
        }
      },
    );
  });
}

test("j4: no key is in an error, whatever part of a response has it", async () => {
  const streamed = (response, event) =>
    response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`);
  const answers = {
    text: (response) => response.writeHead(500, { "content-type": "text/plain" }).end(`wrong: ${KEY}`),
    "a detail": (response) => sendJson(response, 422, { detail: [{ loc: ["header"], input: KEY, nested: { again: `Bearer ${KEY}` } }] }),
    "a status of 200": (response) => sendJson(response, 200, { error: { message: `wrong: ${KEY}`, code: 400 } }),
    "an event": (response) => streamed(response, { error: { message: `wrong: ${KEY}` } }),
    "the end of what is shown": (response) => sendJson(response, 400, { error: { message: `${"x".repeat(292 - 8)} ${KEY} wrong` } }),
    "the end of what is read": (response) => sendJson(response, 400, { error: { message: `${" é".repeat(2)}${KEY.repeat(4_000)}` } }),
    "a path that is not found": (response, url) => sendJson(response, 404, { error: { message: `no POST ${url}` } }),
  };
  for (const [place, answer] of Object.entries(answers)) {
    await withServer(({ request, response }) => answer(response, request.url), async ({ baseURL }) => {
      for (const { name, ask } of place === "an event" ? SUMMARIZERS : CLIENTS) {
        for (const [given, options] of Object.entries(GIVEN)) {
          const error = await failure(ask(options(baseURL)));
          assertHidden(error, KEY, `${name}, ${place}, ${given}`);
        }
      }
    });
  }
  await withServer(
    ({ response }) => streamed(response, { choices: [{ delta: { refusal: `I will not use ${KEY}. `.repeat(2_000) } }] }),
    async ({ baseURL }) => {
      const error = await failure(openAICompatible({ baseURL, model: "m", apiKey: KEY })(REQUEST));
      assert.equal(error.code, "filtered");
      assertHidden(error, KEY, "a refusal");
      assert.ok(error.message.length < 400, "it is cut");
    },
  );
});

test("j4: the credentials of a Basic header are hidden as they are written, and decoded", async () => {
  let said;
  await withServer(
    ({ response }) => sendJson(response, 401, { error: { message: `wrong, ${said}` } }),
    async ({ baseURL }) => {
      const credentials = base64("gardener:hunter2hunter2");
      for (const { ask } of CLIENTS) {
        for (said of [credentials, `Basic ${credentials}`, "gardener:hunter2hunter2", "hunter2hunter2"]) {
          const error = await failure(ask({ baseURL, headers: { authorization: `Basic ${credentials}` } }));
          assert.match(error.message, /wrong, \[key\]$/);
        }
      }
    },
  );
});

test("j4: a short key is hidden as a word, and other words are left whole", async () => {
  const cases = [
    ["k", "max_tokens: is k a key?", "max_tokens: is [key] a key?"],
    ["tok", "max_tok tokens tok", "max_tok tokens [key]"],
    ["4711", "pin 4711 of 47110", "pin [key] of 47110"],
  ];
  for (const [apiKey, said, shown] of cases) {
    await withServer(
      ({ response }) => sendJson(response, 400, { error: { message: said } }),
      async ({ baseURL }) => {
        const error = await failure(CLIENTS[0].ask({ baseURL, apiKey }));
        assert.ok(error.message.endsWith(shown), error.message);
      },
    );
  }
});

test("j4: options of a wrong type are refused without being quoted", async () => {
  const wrong = [
    { headers: "sk-12345678" },
    { headers: ["sk-12345678"] },
    { headers: { authorization: 12345678 } },
    { headers: { authorization: ["sk-12345678"] } },
    { apiKey: 12345678 },
    { apiKey: { key: "sk-12345678" } },
  ];
  for (const { name, ask } of CLIENTS) {
    for (const options of wrong) {
      const asked = Promise.resolve().then(() => ask({ baseURL: "http://127.0.0.1:1/v1", ...options }));
      const error = await failure(asked);
      assert.equal(error.code, "misconfigured");
      assert.ok(!inspect(error).includes("12345678"), `${name}: ${error.message}`);
      assert.ok(error.message.includes(Object.keys(options)[0]), error.message);
    }
  }
});

for (const { name, ask } of CLIENTS) {
  test(`j12: ${name} does not follow a redirect: nothing is sent there`, async () => {
    await withServer(
      ({ response }) => sendHealthy(response, CLIENTS.find((client) => client.name === name)),
      async (other) => {
        for (const status of [301, 302, 303, 307, 308]) {
          const location = `${other.baseURL}/elsewhere?key=${encodeURIComponent(KEY)}`;
          await withServer(
            ({ response }) => response.writeHead(status, { location }).end(),
            async ({ baseURL, origin, requests }) => {
              const error = await failure(ask({ baseURL, apiKey: KEY, headers: { "x-mine": "a-header-of-mine" } }));
              assert.deepEqual([error.code, error.retryable, error.status], ["redirected", false, status]);
              assert.ok(error.message.includes(origin) && error.message.includes(other.origin), error.message);
              assert.match(error.message, /give its final URL as the base URL/);
              assertHidden(error, KEY, name);
              assert.equal(requests.length, 1, "it is not asked again");
            },
          );
        }
        assert.deepEqual(other.requests, []);
      },
    );
  });
}

test("j12: a redirect on the same server is not followed either", async () => {
  await withServer(
    ({ response }) => response.writeHead(308, { location: "/v2/chat/completions" }).end(),
    async ({ baseURL, origin, requests }) => {
      const error = await failure(openAICompatible({ baseURL, model: "m" })(REQUEST));
      assert.ok(error.message.startsWith(`${baseURL} redirects to ${origin};`), error.message);
      assert.equal(requests.length, 1);
    },
  );
});

/** A response whose whole body has arrived before it is read, as from a cache or a very fast server. */
function arriveAtOnce(context, text, type = "text/event-stream") {
  const bytes = new TextEncoder().encode(text);
  const chunks = () => new ReadableStream({ start: (stream) => (stream.enqueue(bytes), stream.close()) });
  context.mock.method(globalThis, "fetch", async () => new Response(chunks(), { headers: { "content-type": type } }));
}

for (const { name, ask, answer } of SUMMARIZERS) {
  test(`j5: ${name} can be aborted in the middle of a stream that has arrived in one piece`, async (context) => {
    const events = 60_000;
    arriveAtOnce(context, answer.delta("word ").repeat(events) + answer.end);
    const controller = new AbortController();
    let seen = 0;
    const onDelta = () => {
      seen += 1;
      if (seen === 1) setTimeout(() => controller.abort(), 0);
    };
    const error = await failure(ask({ baseURL: "http://127.0.0.1:1/v1" }, { signal: controller.signal, onDelta }));
    assert.equal(error.code, "aborted");
    assert.ok(seen > 0 && seen < events, `${seen} of ${events}`);
  });

  test(`j5: white space at the start of an answer of ${name} does not keep timers waiting`, async (context) => {
    arriveAtOnce(context, answer.delta(" ".repeat(40)).repeat(100_000) + answer.end);
    const error = await failure(ask({ baseURL: "http://127.0.0.1:1/v1", timeouts: { totalMs: 1 } }));
    assert.equal(error.code, "total-timeout");
  });
}

const MARK = "\ufeff";

for (const { name, ask, answer, expected } of SUMMARIZERS) {
  test(`j19: ${name} reads an answer by its first characters, whatever the content type is`, async () => {
    const stream = answer.deltas.join("") + answer.end;
    const whole = JSON.stringify(answer.whole);
    const types = ["text/event-stream", "application/json", "application/json; charset=utf-8", "text/html", "text/plain", undefined];
    for (const type of types) {
      // A comment is one only where events are.
      const commented = answer.type === undefined ? `: hello\n\n${stream}` : `\n\n${stream}`;
      for (const body of [stream, MARK + stream, commented, whole, MARK + whole, ` \r\n${whole}`, `${MARK}\n${whole}`]) {
        await withServer(
          ({ response }) => response.writeHead(200, type === undefined ? {} : { "content-type": type }).end(body),
          async ({ baseURL }) => {
            for (const options of [{}, { stream: false }]) {
              const read = await ask({ baseURL, ...options });
              assert.equal(resultOf(read), expected, `${type}: ${JSON.stringify(body.slice(0, 20))}`);
            }
          },
        );
      }
    }
  });

  test(`j19: ${name} refuses for good what is neither a stream nor an answer`, async () => {
    for (const body of ['{"oops": true}', '{"torn": ', "[1, 2]", "<!doctype html>", `${MARK}{"a":1}\n{"a":2}\n`]) {
      await withServer(
        ({ response }) => response.writeHead(200, { "content-type": "text/event-stream" }).end(body),
        async ({ baseURL, requests }) => {
          const error = await failure(ask({ baseURL }));
          assert.deepEqual([error.code, error.retryable], ["bad-answer", false], body);
          assert.equal(requests.length, 1);
        },
      );
    }
  });
}

test("j19: a byte order mark does not matter, torn or in an error", async () => {
  const { ask, answer, expected } = SUMMARIZERS[0];
  await withServer(
    async ({ response }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const byte of Buffer.from(MARK + JSON.stringify(answer.whole))) {
        if (!response.write(Buffer.of(byte))) await once(response, "drain");
      }
      response.end();
    },
    async ({ baseURL }) => assert.equal(resultOf(await ask({ baseURL })), expected),
  );
  for (const { ask: asked } of CLIENTS) {
    await withServer(
      ({ response }) => response.writeHead(400).end(`${MARK}{"error":{"message":"Nope"}}`),
      async ({ baseURL }) => assert.match((await failure(asked({ baseURL }))).message, /says: Nope$/),
    );
  }
  for (const { ask: count, answer: { whole }, expected: tokens } of COUNTERS) {
    await withServer(
      ({ response }) => response.writeHead(200).end(MARK + JSON.stringify(whole)),
      async ({ baseURL }) => assert.equal(await count({ baseURL }), tokens),
    );
  }
});

test("j16: a timeout that is longer than a timer can wait does not end at once", async () => {
  const longest = 2 ** 32 - 1;
  const timeouts = { firstByteMs: longest, idleMs: longest, totalMs: longest };
  for (const client of CLIENTS) {
    await withServer(
      ({ response }) => setTimeout(() => sendHealthy(response, client), 20),
      async ({ baseURL }) => {
        const more = SUMMARIZERS.includes(client) ? { timeouts } : { timeoutMs: longest };
        assert.equal(resultOf(await client.ask({ baseURL, ...more })), client.expected);
      },
    );
  }
});

const refused = (promise, ...words) =>
  assert.rejects(promise, (error) => {
    assert.ok(isEpitomeError(error), inspect(error));
    assert.equal(error.code, "invalid-option");
    for (const word of words) assert.ok(error.message.includes(word), error.message);
    return true;
  });

for (const { name, create, answer } of SUMMARIZERS) {
  test(`j17: ${name} refuses requests of a wrong type, and sends nothing`, async () => {
    await withServer(
      ({ response }) => sendHealthy(response, { answer }),
      async ({ baseURL, requests }) => {
        const ask = create({ baseURL, model: "m" });
        for (const request of [undefined, null, 5, "summarize"]) await refused(ask(request), "request");
        await refused(ask({ get system() { throw new TypeError("no system"); } }), "request throws when it is read");
        await refused(create({ baseURL, model: "m", request: () => { throw Object.create(null); } })(REQUEST), "request throws");
        await refused(ask({}), "system");
        await refused(ask({ ...REQUEST, system: 5 }), "system");
        await refused(ask({ ...REQUEST, input: null }), "input");
        for (const maxTokens of [-1, 0, 1.5, 1e20, 2 ** 32, NaN, Infinity, "50", undefined, null, 50n]) {
          await refused(ask({ ...REQUEST, maxTokens }), "maxTokens", "from 1 to 4294967295");
        }
        for (const signal of [new AbortController(), {}, "abort", 5, true]) await refused(ask(REQUEST, { signal }), "signal");
        await refused(ask(REQUEST, { onDelta: "log" }), "onDelta");
        await refused(ask(REQUEST, null), "second argument");
        await refused(create({ baseURL, model: "m", request: () => null })(REQUEST), "request");
        for (const options of [undefined, null, 5]) assert.throws(() => create(options), { name: "EpitomeError", code: "invalid-option" });
        assert.deepEqual(requests, []);
        await ask({ ...REQUEST, maxTokens: 2 ** 32 - 1 }, { signal: null });
        const { max_tokens: limit, generationConfig, options } = JSON.parse(requests[0].body);
        assert.equal(limit ?? generationConfig?.maxOutputTokens ?? options.num_predict, 2 ** 32 - 1);
      },
    );
  });
}

for (const { name, create, ask, messages } of COUNTERS) {
  test(`j17: ${name} refuses arguments of a wrong type, and sends nothing`, async () => {
    await withServer(
      ({ response }) => response.end(),
      async ({ baseURL, requests }) => {
        for (const signal of [new AbortController(), {}, "abort", 5]) await refused(ask({ baseURL }, { signal }), "signal");
        await refused(ask({ baseURL }, null), "second argument");
        for (const options of [undefined, null, 5]) assert.throws(() => create(options), { name: "EpitomeError", code: "invalid-option" });
        const cyclic = { role: "user", content: [] };
        cyclic.content.push(cyclic);
        for (const wrong of [undefined, null, 5, {}, [cyclic], [{ role: "user", content: 5n }]]) {
          const error = await failure(create({ baseURL, model: "m" })(wrong));
          assert.equal(error.code, "invalid-message");
        }
        assert.ok(messages.length > 0);
        assert.deepEqual(requests, []);
      },
    );
  });
}
