// A compaction and its messages when the summarizer answers, fails, is late or is cancelled.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { anthropicCompatible, extractive, geminiCompatible, isEpitomeError, ollamaCompatible, openAICompatible } from "epitome";
import { deferred, fullCompactor } from "./fixtures.mjs";
import { varied } from "./harness.mjs";

/** Compacts with this summarizer, and checks what holds for every compaction that is not applied. */
async function outcome(summarize, options = {}, policy = {}) {
  const compactor = await fullCompactor({ summarize, policy });
  const history = compactor.messages();
  const events = [];
  const report = await compactor.compact({ ...options, onEvent: (event) => events.push(event) });
  if (report.outcome !== "applied") {
    assert.ok(compactor.messages().every((message, index) => message === history[index]));
    assert.equal(compactor.messages().length, history.length);
    assert.equal(report.tokensAfter, report.tokensBefore);
  }
  assert.equal(events.at(-1).type, "end");
  compactor.dispose();
  return { report, events, types: events.map(({ type }) => type) };
}

/** Fails with these errors in order, then answers. */
function failing(...errors) {
  const left = [...errors];
  return () => {
    if (left.length > 0) {
      throw left.shift();
    }
    return "They planned the garden.";
  };
}

const http = (status, more = {}) => Object.assign(new Error(`status ${status}`), { status, ...more });

test("a summary may be a string or an object, at once or as a promise", async () => {
  const text = "They planned the garden.";
  for (const answer of [text, { text }, { text, usage: { a: 1 }, finishReason: "stop" }]) {
    for (const summarize of [() => answer, async () => answer]) {
      const { report } = await outcome(summarize);
      assert.equal(report.outcome, "applied");
      assert.ok(report.summary.startsWith(text), "as it was given, with a ledger behind it");
    }
  }
});

test("a summarizer receives the transcript and the settings", async () => {
  let asked;
  const { report } = await outcome(
    (request) => {
      asked = request;
      return "They planned.";
    },
    { instructions: "Keep the numbers of the beds.", reason: "manual" },
  );
  assert.equal(report.reason, "manual");
  assert.ok(asked.system.includes("Keep the numbers of the beds."));
  assert.ok(asked.input.includes("Turn 0: bed 0"));
  assert.ok(asked.targetTokens > 0 && asked.chunkIndex === 0 && asked.chunkCount === 1);
});

test("a temporary failure is tried again, a permanent one is not", async () => {
  for (const error of [http(408), http(409), http(429), http(500), http(503), http(400, { retryable: true })]) {
    const { report, types } = await outcome(failing(error));
    assert.equal(report.outcome, "applied", error.message);
    assert.deepEqual(types, ["start", "retry", "progress", "after", "end"]);
  }
  for (const error of [http(400), http(401), http(503, { retryable: false }), new Error("no"), "no", null, 7]) {
    const { report, types } = await outcome(failing(error));
    assert.equal(report.outcome, "failed");
    assert.deepEqual(types, ["start", "after", "end"]);
    assert.ok(report.message.length > 0);
  }
});

test("retries end after the last attempt", async () => {
  const { report, types } = await outcome(failing(http(500), http(500), http(500), http(500)));
  assert.equal(report.outcome, "failed");
  assert.equal(report.message, "status 500");
  assert.deepEqual(types, ["start", "retry", "retry", "after", "end"]);
});

test("a server's retry-after is honoured", async () => {
  const started = Date.now();
  const { report } = await outcome(failing(http(429, { retryAfterMs: 150 })));
  assert.equal(report.outcome, "applied");
  assert.ok(Date.now() - started >= 150);
});

test("an invalid answer fails the compaction", async () => {
  const answers = [undefined, null, 7, {}, { text: 7 }, "", "  \n ", { text: "cut", finishReason: "length" }];
  for (const answer of answers) {
    const { report } = await outcome(() => answer);
    assert.equal(report.outcome, "failed", JSON.stringify(answer));
  }
});

test("a summary longer than the messages it replaces is not used", async () => {
  const { report } = await outcome(() => varied(25_000));
  assert.equal(report.outcome, "skipped");
  assert.ok(report.message.includes("would not make the conversation smaller"));
});

test("deltas are passed on until the request ends", async () => {
  let late;
  const { events } = await outcome((_request, { onDelta }) => {
    late = onDelta;
    onDelta("They ");
    onDelta("planned.");
    return "They planned.";
  });
  const deltas = events.filter(({ type }) => type === "delta");
  assert.deepEqual(deltas.map(({ text }) => text), ["They ", "planned."]);
  const { length } = events;
  late("more");
  assert.equal(events.length, length);
});

test("a signal cancels at any time", async () => {
  const { report } = await outcome(() => assert.fail("asked"), { signal: AbortSignal.abort() });
  assert.equal(report.outcome, "cancelled");

  const flight = new AbortController();
  let seen;
  const inFlight = await outcome(
    (_request, { signal }) => {
      seen = signal;
      setTimeout(() => flight.abort(), 5);
      return new Promise(() => {});
    },
    { signal: flight.signal },
  );
  assert.equal(inFlight.report.outcome, "cancelled");
  assert.equal(seen.aborted, true);

  const backoff = new AbortController();
  const waiting = await outcome(
    () => {
      setTimeout(() => backoff.abort(), 5);
      throw http(429, { retryAfterMs: 30_000 });
    },
    { signal: backoff.signal },
  );
  assert.equal(waiting.report.outcome, "cancelled");
  assert.deepEqual(waiting.types, ["start", "retry", "after", "end"]);
});

test("a summarizer is not called for a cancelled compaction", async (context) => {
  const summarize = context.mock.fn(() => "They planned.");
  const controller = new AbortController();
  const compactor = await fullCompactor({ summarize });
  const aborted = compactor.compact({ signal: controller.signal });
  controller.abort();
  assert.equal((await aborted).outcome, "cancelled");
  const disposed = compactor.compact();
  compactor.dispose();
  assert.equal((await disposed).outcome, "cancelled");
  assert.equal(summarize.mock.callCount(), 0);
});

test("a signal that aborts after the end changes nothing", async () => {
  const controller = new AbortController();
  const compactor = await fullCompactor({ summarize: () => "They planned." });
  await compactor.compact({ signal: controller.signal });
  const { length } = compactor.messages();
  controller.abort();
  assert.equal(compactor.messages().length, length);
  compactor.dispose();
});

test("a summarizer that aborts by itself cancels", async () => {
  const { report } = await outcome(failing(new DOMException("stop", "AbortError")));
  assert.equal(report.outcome, "cancelled");
});

test("one compaction at a time", async () => {
  const { promise, resolve } = deferred();
  const compactor = await fullCompactor({ summarize: () => promise });
  const first = compactor.compact();
  const busy = (error) => isEpitomeError(error) && error.code === "busy";
  await assert.rejects(compactor.compact(), busy);
  assert.throws(() => compactor.undo(), busy);
  assert.throws(() => compactor.setPolicy({ window: 9_000 }), busy);
  resolve("They planned.");
  assert.equal((await first).outcome, "applied");
  compactor.dispose();
});

test("disposing during a compaction settles it", async () => {
  for (const summarize of [
    () => new Promise(() => {}),
    failing(http(429, { retryAfterMs: 30_000 })),
  ]) {
    const compactor = await fullCompactor({ summarize });
    const compaction = compactor.compact();
    await wait(5);
    compactor.dispose();
    assert.equal((await compaction).outcome, "cancelled");
  }
});

test("an app may call the compactor from an event handler", async () => {
  for (const type of ["start", "progress", "end"]) {
    const compactor = await fullCompactor({ summarize: () => "They planned." });
    const onEvent = (event) => event.type === type && compactor.dispose();
    const { outcome } = await compactor.compact({ onEvent });
    assert.equal(outcome, type === "start" ? "cancelled" : "applied");
  }
});

test("an event handler that throws does not stop a compaction", async (context) => {
  const logged = context.mock.method(console, "error", () => {});
  const compactor = await fullCompactor();
  const onEvent = () => {
    throw new Error("mine");
  };
  assert.equal((await compactor.compact({ onEvent })).outcome, "applied");
  assert.equal(logged.mock.callCount(), 4);
  compactor.dispose();
});

test("an answer that comes too late is ignored and reported", async () => {
  const { promise, resolve } = deferred();
  const answers = [promise, new Promise(() => {})];
  const compactor = await fullCompactor({ summarize: () => answers.shift() });
  const controller = new AbortController();
  const first = compactor.compact({ signal: controller.signal });
  await wait(1);
  controller.abort();
  assert.equal((await first).outcome, "cancelled");
  const events = [];
  const second = compactor.compact({ onEvent: ({ type }) => events.push(type) });
  await wait(1);
  resolve("too late");
  await wait(1);
  assert.deepEqual(events, ["start", "stale"]);
  compactor.dispose();
  assert.equal((await second).outcome, "cancelled");
});

test("a failed compaction is not repeated by itself until a message is appended", async () => {
  const compactor = await fullCompactor({ summarize: failing(new Error("no"), new Error("no")) });
  assert.equal((await compactor.compact({ reason: "threshold" })).outcome, "failed");
  const exhausted = (error) => isEpitomeError(error) && error.code === "exhausted";
  await assert.rejects(compactor.compact({ reason: "threshold" }), exhausted);
  assert.equal((await compactor.compact({ reason: "manual" })).outcome, "failed");
  compactor.append({ role: "user", content: "hello?" });
  assert.equal((await compactor.compact({ reason: "threshold" })).outcome, "applied");
  compactor.dispose();
});

test("a transcript of several chunks is folded chunk by chunk", async () => {
  const chunks = [];
  const summarize = ({ chunkIndex, chunkCount, input }) => {
    chunks.push([chunkIndex, chunkCount, input.includes(`part ${chunkIndex - 1}`)]);
    return `part ${chunkIndex}`;
  };
  const compactor = await fullCompactor({ summarize, policy: { summary: { chunks: 3 } } });
  const report = await compactor.compact();
  assert.deepEqual(chunks, [[0, 3, false], [1, 3, true], [2, 3, true]]);
  assert.ok(report.summary.startsWith("part 2"), report.summary);
  assert.equal(report.requests, 3);
  compactor.dispose();
});

test("the extractive summarizer can be called manually, and aborted", async () => {
  const request = { input: "[1] user:\nThe code is 4711. The weather is fine.", targetTokens: 40 };
  assert.ok((await extractive(request)).includes("4711"));
  await assert.rejects(extractive(request, { signal: AbortSignal.abort() }), (error) => {
    return isEpitomeError(error) && error.code === "aborted" && error.cause.name === "AbortError";
  });
});

let server;
let origin;

before(async () => {
  const script = new URL("../servers/summarizer.mjs", import.meta.url).pathname;
  server = spawn(process.execPath, [script, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface(server.stdout), "line");
  origin = line.replace("listening ", "");
});

after(() => server.kill());

const endpoint = (scenario, more = {}) =>
  openAICompatible({ baseURL: `${origin}/${scenario}/v1`, model: "scripted", ...more });

test("an endpoint summarizes, streamed or not", async () => {
  for (const [scenario, more] of [["ok", {}], ["ok/plain", { stream: false, apiKey: "sk-1" }], ["torn", {}]]) {
    const { report, events } = await outcome(endpoint(scenario, more));
    assert.equal(report.outcome, "applied", report.message);
    assert.ok(report.summary.startsWith("## Key facts\nScripted summary – résumé ✓"), report.summary);
    const deltas = events.filter(({ type }) => type === "delta");
    const written = deltas.map(({ text }) => text).join("").trim();
    assert.ok(report.summary.startsWith(written), "the summary as written, and its ledger behind it");
  }
});

test("an endpoint's error has everything that code may decide by", async () => {
  const request = { system: "s", input: "i", maxTokens: 50 };
  const cases = [
    ["401", { code: "unauthorized", status: 401, retryable: false }],
    ["503", { code: "overloaded", status: 503, retryable: true }],
    ["429-then-ok/told", { code: "rate-limited", status: 429, retryable: true, retryAfterMs: 1_000 }],
    ["404-model", { code: "model-unknown", status: 404, retryable: false }],
    ["too-long", { code: "too-long", status: 400, retryable: false }],
    ["length", { code: "truncated", retryable: false }],
    ["html", { code: "bad-answer", retryable: false }],
    ["cut", { code: "cut-off", retryable: true }],
  ];
  for (const [scenario, expected] of cases) {
    await assert.rejects(endpoint(scenario)(request), (error) => {
      assert.ok(isEpitomeError(error), scenario);
      const found = Object.fromEntries(Object.keys(expected).map((key) => [key, error[key]]));
      assert.deepEqual(found, expected, scenario);
      return true;
    });
  }
});

test("j17: a wrong option of an endpoint is refused when its summarizer is made, and named without its value", () => {
  const good = { baseURL: "https://host/v1", model: "m" };
  const wrong = [
    ["baseURL", { model: "m" }],
    ["baseURL", { ...good, baseURL: "host/v1" }],
    ["baseURL", { ...good, baseURL: "https://me:secret@host/v1" }],
    ["model", { baseURL: good.baseURL }],
    ["model", { ...good, model: 7 }],
    ["timeout", { ...good, timeout: 7 }],
    ["timeouts.firstByteMs", { ...good, timeouts: { firstByteMs: -1 } }],
    ["timeouts.total", { ...good, timeouts: { total: 7 } }],
    ["headers.x", { ...good, headers: { x: 7 } }],
    ["apiKey", { ...good, apiKey: ["secret"] }],
    ["stream", { ...good, stream: "yes" }],
  ];
  for (const make of [openAICompatible, anthropicCompatible, geminiCompatible, ollamaCompatible]) {
    const window = make === ollamaCompatible ? [0, 1.5, "4096"] : [4_096];
    const windows = window.map((contextWindow) => ["contextWindow", { ...good, contextWindow }]);
    for (const [name, options] of [...wrong, ...windows]) {
      assert.throws(() => make(options), (error) => {
        assert.deepEqual([isEpitomeError(error), error.code], [true, "misconfigured"]);
        assert.ok(error.message.startsWith(`${name}: `) && !error.message.includes("secret"), error.message);
        return true;
      });
    }
    make({ ...good, timeouts: { totalMs: 1 }, headers: { x: "y" }, apiKey: "", stream: false, request: () => ({}) });
  }
});

test("i36: a time limit of more than five minutes holds in Node, whose fetch has one of its own", async (t) => {
  const server = createServer((request, response) => {
    request.resume();
    setTimeout(() => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content: "Done." }, finish_reason: "stop" }] }));
    }, 1_500);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}/v1`;
  await fetch(`${origin}/log?key=none`);
  // In place of five minutes, Node's own limit is a third of a second.
  const place = Symbol.for("undici.globalDispatcher.1");
  const usual = globalThis[place];
  globalThis[place] = new usual.constructor({ headersTimeout: 300, bodyTimeout: 300 });
  t.after(() => {
    globalThis[place] = usual;
    server.close();
    server.closeAllConnections();
  });
  await assert.rejects(fetch(`${url}/chat/completions`, { method: "POST" }), { message: "fetch failed" });
  const timeouts = { firstByteMs: 400_000, totalMs: 400_000 };
  const asked = openAICompatible({ baseURL: url, model: "m", stream: false, timeouts });
  assert.equal((await asked({ system: "s", input: "i", maxTokens: 5 })).text, "Done.");
});

test("i36: the package's own summarizer is the next one, and the report tells why", async () => {
  const policy = { summary: { fallbackSummarizers: ["small", "extractive"] } };
  const asked = [];
  const summarize = ({ summarizer }) => {
    asked.push(summarizer.name);
    throw new Error(`${summarizer.name} is broken`);
  };
  const { report } = await outcome(summarize, {}, policy);
  assert.equal(report.outcome, "applied");
  assert.deepEqual(asked, ["summarizer", "small"]);
  assert.deepEqual(report.summarizer.steps, [
    { step: "nextSummarizer", because: "summarizer is broken", summarizer: "small" },
    { step: "nextSummarizer", because: "small is broken", summarizer: "extractive" },
  ]);
  assert.deepEqual(report.receipt.unsupported, []);
});

test("i36: a prompt that is too long and a summary without its end are asked for in smaller chunks", async () => {
  const limit = 3_000;
  const tooLong = ({ system, input }) => {
    const tokens = Math.ceil((system.length + input.length) / 2);
    if (tokens <= limit) return { text: "## Key facts\nThey planned the garden.", instructed: true };
    // As an SDK wraps the error of a llama.cpp server.
    const error = { code: 400, type: "exceed_context_size_error", message: "too long", n_prompt_tokens: tokens, n_ctx: limit };
    throw Object.assign(new Error("400 too long"), { status: 400, error });
  };
  const cut = ({ input }) =>
    input.length > 2_000 ? { text: "## Key facts", finishReason: "length" } : "They planned the garden.";
  for (const summarize of [tooLong, cut]) {
    const { report } = await outcome(summarize);
    assert.equal(report.outcome, "applied", report.message);
    const { steps } = report.summarizer;
    assert.ok(steps.length > 0 && steps.every(({ step }) => step === "smallerChunks"), JSON.stringify(steps));
  }
});

test("i34: a reply to the user is no summary of a model that was given the instructions", async () => {
  const reply = { text: "Sure, I have moved the roses! Anything else?", instructed: true };
  const good = { text: "## Key facts\nThey planned the garden.", instructed: true };
  const answers = [reply, good];
  const { report } = await outcome(() => answers.shift());
  assert.equal(report.outcome, "applied");
  assert.deepEqual(report.summarizer.steps.map(({ step }) => step), ["askAgain"]);
  assert.equal((await outcome(() => reply)).report.outcome, "failed");
});

test("a busy endpoint is tried again, and a slow one can be cancelled", async () => {
  const busy = await outcome(endpoint("429-then-ok/again"));
  assert.equal(busy.report.outcome, "applied");
  assert.deepEqual(busy.types.filter((type) => type !== "delta"), ["start", "retry", "progress", "after", "end"]);
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 100);
  const slow = await outcome(endpoint("slow/off"), { signal: controller.signal });
  assert.equal(slow.report.outcome, "cancelled");
  const log = await (await fetch(`${origin}/log?key=off&aborted=1`)).json();
  assert.equal(log.aborted, 1);
});
