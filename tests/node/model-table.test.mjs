// What the package knows of models: windows, rates and tokenizers by their names, and what a policy does with them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, loadModels, plan, resolvePolicy } from "epitome";
import { economicsOf, modelInfo, modelNames } from "epitome/models";

const FORMAT = "openai-chat";
const said = (turn) => ({ role: turn % 2 ? "assistant" : "user", content: `All about bed ${turn}. `.repeat(40) });
const chat = (length) => Array.from({ length }, (_, turn) => said(turn));

/** Names of one model, as SDKs, gateways and clouds write them. */
const NAMES = [
  ["gpt-5", "openai/gpt-5", "openai:gpt-5", "GPT-5", "gpt-5-2025-08-07", "openrouter/openai/gpt-5"],
  ["claude-sonnet-4-5", "anthropic/claude-sonnet-4.5", "claude-sonnet-4-5-20250929", "claude-sonnet-4-5@20250929", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic:claude-sonnet-4-5-latest"],
  ["gemini-2.5-pro", "models/gemini-2.5-pro", "google/gemini-2.5-pro-preview-05-06", "gemini-2.5-pro-001"],
  ["gpt-4o", "gpt-4o-latest", "gpt-4o-2024-11-20"],
  ["claude-3-5-sonnet-20241022", "claude-3-5-sonnet", "claude-3-5-sonnet-latest"],
];

for (const [plain, ...others] of NAMES) {
  test(`m2: ${plain} is found by its other names`, () => {
    const { window, maxOutput } = modelInfo(plain);
    assert.ok(window > 0 && maxOutput > 0);
    for (const name of others) {
      assert.equal(modelInfo(name)?.window, window, name);
    }
  });
}

test("m2: the table says what providers publish: windows, largest prompts and answers, rates with the cache", () => {
  assert.deepEqual(modelInfo("claude-sonnet-4-5"), {
    id: "claude-sonnet-4-5",
    window: 200_000,
    maxOutput: 64_000,
    rates: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    family: "claude",
  });
  const { window, maxInput, maxOutput } = modelInfo("gpt-5");
  assert.deepEqual([window, maxInput, maxOutput], [400_000, 272_000, 128_000]);
  assert.ok(modelInfo("gpt-5.4").rates.long.aboveTokens > 0, "longer prompts cost something else");
  for (const name of modelNames()) {
    const { window, rates } = modelInfo(name);
    assert.ok(Number.isInteger(window) && window > 0, name);
    assert.ok(rates === undefined || [rates.input, rates.output].every((rate) => rate >= 0), name);
  }
  assert.ok(modelNames().length > 500);
});

test("m2: a provider with another window than the maker's is asked by its name", () => {
  const [own, other] = [modelInfo("claude-opus-4-6"), modelInfo("azure/claude-opus-4-6")];
  assert.equal(other.provider, "azure");
  assert.ok(other.window < own.window);
});

test("m2: what is not known is not guessed", () => {
  for (const name of ["", "nobody-knows", "gpt", "llama3.1:8b", "my/claude", "gpt-99", "constructor", "__proto__"]) {
    assert.equal(modelInfo(name), undefined, name);
  }
});

test("m2: the family of a model is the one by which the engine estimates for its name", async () => {
  const text = "The roses of Ghislaine de Féligonde; const bed = 17; ".repeat(40);
  const expected = {};
  for (const family of ["o200k_base", "cl100k_base", "claude", "gemini"]) {
    expected[family] = (await createdWith({ window: 9_000, counting: { estimate: family } }, text)).tokens;
  }
  assert.equal(new Set(Object.values(expected)).size, 4, "the families differ");
  const names = ["gpt-4", "gpt-4-turbo", "gpt-4o-mini", "gpt-4.1", "gpt-3.5-turbo-0125", "gpt-5", "o3", "gpt-oss-120b", "claude-sonnet-4-5", "us.anthropic.claude-opus-4-7", "gemini-2.5-pro", "gemma-4-31b-it", "deepseek-v4-pro", "grok-4-fast-reasoning"];
  for (const name of names) {
    const { family = "o200k_base" } = modelInfo(name);
    assert.equal((await createdWith({ window: 9_000, model: name }, text)).tokens, expected[family], name);
  }
});

async function createdWith(policy, content) {
  const compactor = await createCompactor({ format: FORMAT, policy });
  compactor.append({ role: "user", content });
  try {
    return compactor.status();
  } finally {
    compactor.dispose();
  }
}

test("m2: a policy's model sets the window unless one is given, for all and for an agent", async () => {
  const windowOf = async (policy, agent) => (await resolvePolicy(policy, agent)).window;
  assert.equal(await windowOf({ model: "gpt-4" }), 8_192);
  assert.equal(await windowOf({ model: "gpt-5" }), 272_000, "the largest prompt is smaller than the window");
  assert.equal(await windowOf({ model: "gpt-4", window: 4_000 }), 4_000);
  assert.equal(await windowOf({ model: "gpt-4", modelWindow: 5_000 }), 5_000);
  assert.equal(await windowOf({ agents: { coder: { model: "gpt-4" } } }, "coder"), 8_192);
  assert.equal(await windowOf({ model: "gpt-5", agents: { coder: { model: "gpt-4" } } }, "coder"), 8_192);
  assert.equal(await windowOf({ window: 4_000, agents: { coder: { model: "gpt-4" } } }, "coder"), 4_000, "a window for all holds for all");
  const compactor = await createCompactor({ format: FORMAT, policy: { model: "openai/gpt-4" } });
  assert.equal(compactor.status().window, 8_192);
  compactor.setPolicy({ model: "gpt-4o" });
  assert.equal(compactor.status().window, 128_000);
  assert.equal(compactor.statusUnder({ model: "gpt-4" }).window, 8_192);
});

test("m2: a model that is not known says so: by an event, or once in the console of an app that does not listen", async (context) => {
  const warned = context.mock.method(console, "warn", () => {});
  const events = [];
  const compactor = await createCompactor({ format: FORMAT, policy: { model: "nobody-1" }, onEvent: (event) => events.push(event) });
  compactor.setPolicy({ model: "nobody-2" });
  assert.deepEqual(events, [
    { type: "unknownModel", model: "nobody-1", window: 200_000 },
    { type: "unknownModel", model: "nobody-2", window: 200_000 },
  ]);
  assert.equal(warned.mock.callCount(), 0);
  await createCompactor({ format: FORMAT, policy: { model: "nobody-3" } });
  await createCompactor({ format: FORMAT, policy: { model: "nobody-3" } });
  await createCompactor({ format: FORMAT, policy: { model: "nobody-4", window: 9_000 } });
  assert.equal(warned.mock.callCount(), 1);
  assert.match(warned.mock.calls[0].arguments[0], /nobody-3.*200000/);
});

test("m3: over the next turns, a plan says what it costs to do nothing, to reduce and to summarize, and when a compaction has paid", async () => {
  const compactor = await createCompactor({
    format: FORMAT,
    policy: { model: "claude-sonnet-4-5" },
    summarize: () => "They spoke of beds.",
  });
  compactor.append(chat(400));
  const { economics, tokensBefore, tokensAfter } = compactor.plan({ turns: 20, turnTokens: 1_000, answerTokens: 500 });
  const { nothing, summarizing, turnsUntilFull } = economics;
  assert.deepEqual([economics.model, economics.turns, economics.turnTokens], ["claude-sonnet-4-5", 20, 1_000]);
  assert.deepEqual([nothing.tokens, summarizing.tokens], [tokensBefore, tokensAfter]);
  assert.equal(turnsUntilFull, Math.floor((200_000 - tokensBefore) / 1_000));
  // By hand: the cache has the prompt before, each later turn adds what is written to it, and an answer.
  const byHand = Array.from({ length: 20 }, (_, turn) => (turn === 0 ? tokensBefore * 0.3 : (tokensBefore + (turn - 1) * 1_000) * 0.3 + 1_000 * 3.75) + 500 * 15);
  assert.ok(Math.abs(nothing.total - byHand.reduce((sum, cost) => sum + cost, 0) / 1e6) < 1e-9);
  assert.equal(nothing.summary, 0);
  assert.ok(summarizing.summary > 0 && summarizing.total > summarizing.summary);
  const before = economicsTotals(compactor, summarizing.breakEvenTurns - 1);
  const after = economicsTotals(compactor, summarizing.breakEvenTurns);
  assert.ok(before.summarizing > before.nothing && after.summarizing <= after.nothing, JSON.stringify([before, after]));
});

function economicsTotals(compactor, turns) {
  const { nothing, summarizing } = compactor.plan({ turns, turnTokens: 1_000, answerTokens: 500 }).economics;
  return { nothing: nothing.total, summarizing: summarizing.total };
}

test("m3: reducing without a summary has its cost beside summarizing, and a summary without a model costs nothing", async () => {
  const call = (id) => [
    { role: "assistant", content: null, tool_calls: [{ id, type: "function", function: { name: "look", arguments: "{}" } }] },
    { role: "tool", tool_call_id: id, content: `${id}: all about beds. `.repeat(200) },
  ];
  const messages = [{ role: "user", content: "Look." }, ...Array.from({ length: 30 }, (_, index) => call(`c${index}`)).flat(), ...chat(40)];
  const policy = { model: "gpt-5", clearToolResults: {} };
  const { economics } = await plan(messages, { format: FORMAT, policy, turns: 5 });
  const { nothing, reducing, summarizing } = economics;
  assert.ok(reducing.tokens < nothing.tokens, JSON.stringify(economics));
  assert.equal(reducing.summary, 0);
  assert.ok(summarizing === undefined || summarizing.summary === 0);
});

test("m3: without a cache, every turn pays for all; above a limit, longer prompts have their own rates", () => {
  const rates = { input: 1, output: 0, cacheRead: 0.1, cacheWrite: 2, long: { aboveTokens: 1_000, input: 10, output: 0, cacheRead: 1, cacheWrite: 20 } };
  const of = (tokens, options) => economicsOf({ id: "m", rates }, { tokens, window: 9_000 }, { turns: 1, turnTokens: 100, ...options }).nothing.total * 1e6;
  assert.equal(Math.round(of(1_000, {})), 100);
  assert.equal(Math.round(of(1_000, { cached: false })), 1_000);
  assert.equal(Math.round(of(2_000, {})), 2_000);
  assert.equal(economicsOf({ id: "m" }, { tokens: 9, window: 9 }, {}), undefined);
});

test("m3: a plan without a known model has no economics, and one with it keeps its entries the same objects", async () => {
  const compactor = await createCompactor({ format: FORMAT, policy: { window: 9_000 } });
  compactor.append(chat(40));
  assert.equal("economics" in compactor.plan(), false);
  await loadModels();
  compactor.setPolicy({ window: 9_000, model: "gpt-5" });
  const [one, other] = [compactor.plan(), compactor.plan()];
  assert.ok(one.economics.nothing.total > 0);
  assert.ok(one.actions.every((action, index) => action === other.actions[index]));
  for (const options of [{ turns: 0 }, { turns: 1.5 }, { turnTokens: -1 }, { answerTokens: "x" }]) {
    assert.throws(() => compactor.plan(options), ({ code }) => code === "invalid-option", JSON.stringify(options));
  }
});
