// The provider's token counting endpoints: each request in its own format, counts after a compaction, and calibration.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  anthropicCounter,
  createCompactor,
  geminiCounter,
  isEpitomeError,
  llamaCppCounter,
  openAICounter,
  restoreCompactor,
} from "epitome";
import { counts } from "../servers/counts.mjs";

const KEY = "sk-a-key-of-some-length";
let server;

before(async () => {
  server = await counts();
});
after(() => server.close());

const user = { role: "user", content: "How many beds are there?" };
const TOOLS = [{ name: "look", input_schema: { type: "object" } }];

/** Every provider: its counter, the end of its base URL, messages in its format, and where its key goes. */
const PROVIDERS = [
  {
    createCounter: anthropicCounter,
    model: "claude-sonnet-4-5",
    base: "/v1",
    path: "/v1/messages/count_tokens",
    messages: [user],
    header: ["x-api-key", KEY],
    sent: (body) => [body.messages, body.tools],
  },
  {
    createCounter: openAICounter,
    model: "gpt-5",
    base: "/v1",
    path: "/v1/responses/input_tokens",
    messages: [user],
    header: ["authorization", `Bearer ${KEY}`],
    sent: (body) => [body.input, body.tools],
  },
  {
    createCounter: geminiCounter,
    model: "gemini-2.5-pro",
    base: "/v1beta",
    path: "/v1beta/models/gemini-2.5-pro:countTokens",
    messages: [{ role: "user", parts: [{ text: "How many?" }] }],
    header: ["x-goog-api-key", KEY],
    sent: ({ generateContentRequest }) => [generateContentRequest.contents, generateContentRequest.tools],
  },
  {
    createCounter: llamaCppCounter,
    model: "local",
    base: "/v1",
    path: "/tokenize",
    messages: [user],
    header: ["authorization", `Bearer ${KEY}`],
    sent: (body) => [body.content.includes("How many beds") && [user], TOOLS],
  },
];

for (const { createCounter, model, base, path, messages, header, sent } of PROVIDERS) {
  const options = (scenario, more = {}) => ({
    model,
    apiKey: KEY,
    baseURL: `${server.url}/${scenario}${base}`,
    request: { tools: TOOLS },
    ...more,
  });
  const failure = async (count) => {
    const error = await count.then(
      (tokens) => assert.fail(`counted ${tokens}`),
      (error) => error,
    );
    assert.ok(isEpitomeError(error), String(error));
    assert.ok(!error.message.includes(KEY), error.message);
    return error;
  };

  test(`${createCounter.name} sends a request in the provider's format, with the key in the right place`, async () => {
    const tokens = await createCounter(options("ok"))(messages);
    assert.ok(Number.isInteger(tokens) && tokens > 10, String(tokens));
    assert.equal(server.last.path, path);
    assert.equal(server.last.headers[header[0]], header[1]);
    assert.deepEqual(sent(server.last.body), [messages, TOOLS]);
    assert.ok(!server.last.path.includes(KEY));
  });

  test(`${createCounter.name} reports what is wrong, and never the key`, async () => {
    const refused = await failure(createCounter(options("refused"))(messages));
    assert.equal(refused.code, "unauthorized");
    assert.match(refused.message, /does not accept the API key \(401\).*the server says: invalid key/);
    const missing = await failure(createCounter(options("refused", { apiKey: undefined }))(messages));
    assert.match(missing.message, /wants an API key \(401\), and none is set/);
    const busy = await failure(createCounter(options("busy"))(messages));
    assert.deepEqual([busy.code, busy.retryable, busy.retryAfterMs], ["overloaded", true, 2_000]);
    for (const scenario of ["odd", "web-page"]) {
      const odd = await failure(createCounter(options(scenario))(messages));
      assert.equal(odd.code, "bad-answer");
      assert.match(odd.message, /no count of tokens; is that the address of the API\?/);
    }
    const elsewhere = await failure(createCounter(options("ok", { baseURL: `${server.url}/ok/v7` }))(messages));
    assert.match(elsewhere.message, /count of tokens \(404\)|knows no model|File Not Found/);
    const wrong = await failure(createCounter(options("ok", { baseURL: "localhost" }))(messages));
    assert.equal(wrong.code, "misconfigured");
  });

  test(`${createCounter.name} stops at its time limit, and if it is aborted`, async () => {
    const late = await failure(createCounter(options("stalled", { timeoutMs: 50 }))(messages));
    assert.equal(late.code, "total-timeout");
    const controller = new AbortController();
    const stopped = failure(createCounter(options("stalled"))(messages, { signal: controller.signal }));
    controller.abort();
    assert.equal((await stopped).code, "aborted");
    const unknown = await failure(createCounter(options("ok", { temperature: 0 }))(messages));
    assert.equal(unknown.code, "misconfigured");
    assert.match(unknown.message, /temperature/);
  });
}

test("an older llama.cpp without a template endpoint counts the texts", async () => {
  const tokens = await llamaCppCounter({ model: "local", baseURL: `${server.url}/no-template` })([user]);
  assert.ok(tokens >= user.content.length);
  assert.deepEqual(server.paths.slice(-2), ["/apply-template", "/tokenize"]);
});

test("messages of another format are converted before they are counted", async () => {
  const count = anthropicCounter({ model: "claude", baseURL: `${server.url}/ok/v1`, format: "openai-chat" });
  const messages = [
    { role: "system", content: "Be brief." },
    user,
    { role: "assistant", content: null, tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: "{}" } }] },
    { role: "tool", tool_call_id: "c1", content: "three" },
  ];
  await count(messages);
  const { system, messages: sent } = server.last.body;
  assert.match(JSON.stringify(system ?? sent), /Be brief\./);
  assert.match(JSON.stringify(sent), /"tool_use".*"tool_result"/);
});

test("b1: the provider's count is used after a compaction, and the estimate if counting fails", async () => {
  const talk = Array.from({ length: 40 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Turn ${index}: we talk about the garden and about what to plant in it this year.`,
  }));
  for (const scenario of ["ok", "refused"]) {
    const events = [];
    const compactor = await createCompactor({
      format: "anthropic",
      policy: { window: 2_000 },
      countTokens: anthropicCounter({ model: "claude", apiKey: KEY, baseURL: `${server.url}/${scenario}/v1` }),
      onEvent: (event) => events.push(event),
    });
    compactor.append(talk);
    const report = await compactor.compact();
    assert.equal(report.outcome, "applied");
    const { tokens, exact } = compactor.status();
    assert.equal(exact, scenario === "ok");
    assert.equal(tokens, scenario === "ok" ? events.at(-1).tokens : report.tokensAfter);
    assert.equal(events.at(-1).type, scenario === "ok" ? "counted" : "countFailed");
    assert.ok(!JSON.stringify(events).includes(KEY));
    compactor.dispose();
  }
});

const TEXT = "We talk about the garden, and about what to plant in its beds this year. ".repeat(40);

test("b1: the estimate's model family comes from the policy, the model's name or the format", async () => {
  const tokens = async (format, policy) => {
    const compactor = await createCompactor({ format, policy });
    compactor.append({ role: "user", ...(format === "gemini" ? { parts: [{ text: TEXT }] } : { content: TEXT }) });
    const status = compactor.status();
    compactor.dispose();
    return status.tokens;
  };
  const openai = await tokens("openai-chat", {});
  const claude = await tokens("anthropic", {});
  const gemini = await tokens("gemini", {});
  assert.ok(claude > openai * 1.2 && gemini > openai && gemini < claude, `${openai} ${claude} ${gemini}`);
  assert.equal(await tokens("openai-chat", { model: "anthropic/claude-sonnet-4-5" }), claude);
  assert.equal(await tokens("openai-chat", { counting: { estimate: "gemini" } }), gemini);
  assert.equal(await tokens("anthropic", { counting: { estimate: "o200k_base" }, model: "claude-opus" }), openai);
  const wrong = tokens("anthropic", { counting: { estimate: "p50k_base" } });
  await assert.rejects(wrong, { code: "invalid-policy", message: /policy\.counting.*p50k_base/ });
});

test("b11: reports of usage calibrate the estimate, also after a compaction and in a snapshot", async () => {
  const policy = { window: 20_000 };
  const real = (counted) => Math.round(counted * 1.3) + 1_500;
  const compactor = await createCompactor({ format: "openai-chat", policy });
  const own = await createCompactor({ format: "openai-chat", policy });
  const say = (role, index) => {
    const message = { role, content: `${index}: ${TEXT}` };
    compactor.append(message);
    own.append(message);
  };
  for (let turn = 0; turn < 8; turn += 1) {
    say("user", turn);
    const promptTokens = real(own.status().tokens);
    say("assistant", turn);
    compactor.reportUsage({ promptTokens, completionTokens: real(own.status().tokens) - promptTokens });
  }
  const { tokens, exact } = compactor.status();
  assert.deepEqual([tokens, exact], [real(own.status().tokens), true]);
  say("user", 9);
  const since = compactor.status();
  assert.ok(Math.abs(since.tokens - real(own.status().tokens)) < 40 && !since.exact, `${since.tokens}`);
  assert.ok(since.errorBand > 0 && since.errorBand < own.status().errorBand / 10, `${since.errorBand}`);
  const report = await compactor.compact();
  assert.equal(report.outcome, "applied");
  const after = compactor.status();
  assert.equal(after.tokens, report.tokensAfter);
  assert.ok(Math.abs(after.breakdown.tools - 1_500) < 300, `${after.breakdown.tools}`);
  const originals = compactor.history();
  const restored = await restoreCompactor(compactor.snapshot(), { format: "openai-chat", originals });
  assert.deepEqual(restored.status(), after);
  for (const one of [compactor, own, restored]) one.dispose();
});
