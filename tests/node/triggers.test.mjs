// When a compaction is due, and what is reported about the window.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, estimateTokens, recentWithin, resolvePolicy } from "epitome";
import { chatOf, compactorWith, preset, said, toolRound } from "./harness.mjs";

const PHASES = ["requestStart", "turnStart", "loop", "turnEnd", "overflow"];

/** The phases at which a compaction is due, with its reason. */
function due(compactor) {
  const found = PHASES.map((phase) => {
    const shown = compactor.due(phase);
    assert.equal(compactor.check(phase), shown);
    return [phase, shown];
  });
  return Object.fromEntries(found.filter(([, reason]) => reason !== undefined));
}

/** The phases at which a policy is due with this many tokens in one message. */
async function dueAt(policy, tokens) {
  const compactor = await createCompactor({ format: "openai-chat", policy });
  compactor.append(said("user", "x".repeat(tokens - 4)));
  assert.equal(compactor.status().tokens, tokens);
  const found = due(compactor);
  compactor.dispose();
  return found;
}

test("b1: tokens are counted by characters, estimated, or reported by the provider", async () => {
  const text = "The quick brown fox jumps over the lazy dog."; // 44 characters
  assert.equal(await estimateTokens(text, { charactersPerToken: 3 }), 15);
  assert.equal(await estimateTokens(text, { charactersPerToken: 44 }), 1);
  const estimate = await estimateTokens(text);
  assert.ok(estimate >= 8 && estimate <= 12);
  const compactor = await compactorWith({ counting: { charactersPerToken: 3 } }, [said("user", text)]);
  assert.equal(compactor.status().tokens, 15 + 4);
  compactor.setPolicy({ counting: { charactersPerToken: 4 } });
  assert.equal(compactor.status().tokens, 11 + 4, "the messages are counted again");
  compactor.setPolicy({});
  assert.equal(compactor.status().tokens, estimate + 4 + 3, "a message costs four besides, and a request three");
  compactor.usage({ promptTokens: 70, completionTokens: 7 });
  assert.deepEqual([compactor.status().tokens, compactor.status().exact], [77, true]);
  compactor.dispose();
});

test("b2: at the end of a turn, above the smaller of a fraction of the window and the window without its reserves", async () => {
  const workstream = preset("workstream", 200_000);
  assert.deepEqual(await dueAt(workstream, 140_000), {});
  assert.deepEqual(await dueAt(workstream, 140_001), { turnEnd: "threshold" });
  const own = { budget: { fraction: 0.5, outputReserve: 600, safetyMargin: 100 } };
  const settable = { ...preset("workstream", 1_000), triggers: [own] };
  assert.deepEqual(await dueAt(settable, 300), {});
  assert.ok("turnEnd" in (await dueAt(settable, 301)));
});

test("b3, b4: at a share of the window, or at a number of tokens; reducers at their own trigger", async () => {
  const fill = preset("fill", 1_000, { reducers: [] });
  assert.deepEqual(await dueAt(fill, 799), {});
  assert.equal((await dueAt(fill, 800)).turnEnd, "threshold");
  const tokens = { ...fill, triggers: [{ fill: { fraction: 0.8, maxTokens: 300 } }] };
  assert.equal((await dueAt(tokens, 300)).turnEnd, "threshold");
  const trimmed = async (tokens, more) => {
    const compactor = await compactorWith(preset("fill", 1_000, more));
    compactor.append([said("user", "noon"), said("user", "noon")], { synthetic: "time" });
    compactor.append(said("user", "x".repeat(tokens - 20)));
    assert.equal(compactor.status().tokens, tokens);
    const { level } = compactor.status();
    const found = [level, compactor.check("turnEnd")];
    compactor.dispose();
    return found;
  };
  assert.deepEqual(await trimmed(499), ["ok", undefined]);
  assert.deepEqual(await trimmed(500), ["warn", "reduce"]);
  const reducers = [{ reducer: "deduplicate", when: { fill: { maxTokens: 200 } } }];
  assert.deepEqual(await trimmed(200, { reducers }), ["warn", "reduce"]);
});

test("b5: at absolute tokens before a turn, and never at zero or less", async () => {
  const loop = preset("loop", 1_000_000);
  assert.deepEqual(await dueAt(loop, 199_999), {});
  assert.deepEqual(await dueAt(loop, 200_000), { turnStart: "threshold" });
  for (const tokens of [0, -1]) {
    assert.deepEqual(await dueAt({ ...loop, triggers: [{ tokens }] }, 300_000), {});
  }
});

test("b6: a warning comes once per cycle, if the policy has one", async () => {
  const events = [];
  const onEvent = (event) => event.type === "warning" && events.push(event);
  const policy = { triggers: [{ tokens: 2_000 }], warning: 0.5, keep: { messages: 2 } };
  const compactor = await compactorWith(policy, chatOf(9), { onEvent });
  compactor.check("turnEnd");
  assert.deepEqual(events, []);
  compactor.append(chatOf(2));
  compactor.check("turnStart");
  compactor.check("turnEnd");
  const warning = { type: "warning", tokens: 1_100, threshold: 2_000, budgetUsedPct: 11 };
  assert.deepEqual(events, [warning]);
  assert.equal((await compactor.compact()).outcome, "applied");
  compactor.check("turnEnd");
  assert.equal(events.length, 1);
  compactor.append(chatOf(12));
  compactor.check("turnEnd");
  compactor.check("turnEnd");
  assert.equal(events.length, 2);
  compactor.setPolicy({ window: 10_000, triggers: [{ tokens: 2_000 }] });
  compactor.append(chatOf(2));
  compactor.check("turnEnd");
  assert.equal(events.length, 2, "the policy has no warning any more");
  compactor.dispose();
});

test("b7: above a number of messages, by preset", async () => {
  const presets = { "team-aggressive": [7, 5], "team-strong": [12, 10], team: [17, 15], "team-careful": [27, 25] };
  for (const [name, [trigger, keep]] of Object.entries(presets)) {
    const { triggers, keep: kept } = await resolvePolicy({ preset: name });
    assert.deepEqual([triggers, kept], [[{ messages: trigger }], { messages: keep }]);
    const policy = preset(name, 100_000, { reducers: [] });
    const compactor = await compactorWith(policy, [said("system", "s"), ...chatOf(trigger)]);
    assert.deepEqual(due(compactor), {}, name);
    compactor.append(chatOf(1));
    assert.equal(compactor.check("turnEnd"), "threshold", name);
    await compactor.maintain("turnEnd");
    const stays = compactor.messages().filter((message) => compactor.history().includes(message));
    assert.ok(stays.length - 1 >= keep && stays.length - 1 <= keep + 1, `${name}: ${stays.length}`);
    compactor.dispose();
  }
  const none = await compactorWith(preset("team-none", 100_000, { reducers: [] }), chatOf(200));
  assert.deepEqual(due(none), {});
  none.dispose();
});

test("b8: when a request begins, above a number of tokens and of messages", async () => {
  const at = async (messages, characters) => {
    const compactor = await compactorWith(preset("request", 200_000, { reducers: [] }), chatOf(messages, characters - 4));
    const found = due(compactor);
    compactor.dispose();
    return found.requestStart;
  };
  assert.equal(await at(20, 4_000), undefined);
  assert.equal(await at(20, 4_001), "request-boundary");
  assert.equal(await at(19, 5_000), undefined);
});

test("b9: in the tool loop by the last prompt, and after a refused one; at most three times per request", async () => {
  const policy = { window: 1_000, triggers: [{ reactive: {} }] };
  const compactor = await compactorWith(policy, [said("user", "go"), ...Array.from({ length: 20 }, (_, index) => toolRound(`c${index}`, "found it ".repeat(5))).flat()]);
  const after = (promptTokens) => {
    compactor.usage({ promptTokens, completionTokens: 1 });
    return compactor.check("loop");
  };
  assert.equal(compactor.check("loop"), undefined, "nothing but an estimate");
  assert.deepEqual([849, 850, 919, 920].map(after), [undefined, "reactive-micro", "reactive-micro", "reactive-full"]);
  assert.equal(compactor.check("turnEnd"), undefined);
  assert.equal(compactor.check("overflow"), "reactive-full");
  compactor.check("requestStart");
  for (const reason of ["reactive-micro", "reactive-micro", "reactive-full"]) {
    compactor.usage({ promptTokens: reason === "reactive-full" ? 950 : 860, completionTokens: 1 });
    const report = await compactor.maintain("loop");
    assert.deepEqual([report.reason, report.outcome], [reason, "applied"], report.message);
  }
  assert.equal(after(950), undefined, "a fourth time in one request");
  assert.equal(compactor.check("overflow"), undefined);
  compactor.check("requestStart");
  assert.equal(after(950), "reactive-full");
  compactor.dispose();
});

test("b10: the window is the agent's, then the policy's, then the model's, then 200,000", async () => {
  const window = async (policy, agent) => (await resolvePolicy(policy, agent)).window;
  assert.equal(await window(undefined), 200_000);
  assert.equal(await window({ modelWindow: 64_000 }), 64_000);
  assert.equal(await window({ modelWindow: 64_000, window: 9_000 }), 9_000);
  const agents = { coder: { window: 5_000 }, writer: { modelWindow: 32_000 } };
  assert.equal(await window({ window: 9_000, agents }, "coder"), 5_000);
  assert.equal(await window({ agents }, "writer"), 32_000);
  const compactor = await createCompactor({ format: "openai-chat", policy: { agents }, agent: "writer" });
  assert.equal(compactor.status().threshold, 24_000);
  compactor.setPolicy({ agents: { writer: { modelWindow: 128_000 } } });
  assert.equal(compactor.status().threshold, 96_000, "another model, another threshold");
  compactor.append(chatOf(4, 200));
  const smaller = compactor.statusUnder({ triggers: [{ tokens: 40 }], agents: { writer: { window: 50 } } });
  assert.deepEqual([smaller.level, smaller.window], ["compact", 50]);
  assert.deepEqual([compactor.status().level, compactor.status().window], ["ok", 128_000]);
  compactor.dispose();
});

test("b11: usage is counted per call and for the session", async () => {
  const compactor = await compactorWith({});
  compactor.usage({ promptTokens: 1_000, completionTokens: 50, durationMs: 500 });
  compactor.usage({ prompt_tokens: 1_200, completion_tokens: 30 });
  assert.deepEqual(compactor.status().statistics, {
    lastPromptTokens: 1_200,
    lastCompletionTokens: 30,
    sessionPromptTokens: 2_200,
    sessionCompletionTokens: 80,
    contextTokens: 1_230,
    tokensPerSecond: 100,
  });
  compactor.usage({ prompt_tokens: 1, completion_tokens: 20, durationMs: 99.6 });
  assert.equal(compactor.status().statistics.tokensPerSecond, 200);
  compactor.dispose();
});

test("b12: status, events and report have the used share of the window", async () => {
  const events = [];
  const policy = { window: 2_000, triggers: [{ tokens: 1_000 }], keep: { messages: 2 } };
  const compactor = await compactorWith(policy, chatOf(15), { onEvent: (event) => events.push(event) });
  assert.equal(compactor.status().budgetUsedPct, 75);
  const report = await compactor.maintain("turnEnd");
  assert.equal(events.find(({ type }) => type === "start").budgetUsedPct, 75);
  const used = (report.tokensAfter / 2_000) * 100;
  assert.deepEqual([report.budgetUsedPct, compactor.status().budgetUsedPct].map((pct) => pct.toFixed(6)), [used, used].map((pct) => pct.toFixed(6)));
  compactor.dispose();
});

test("b13: loading by budget takes the most recent exchanges that fit, system prompt first", async () => {
  const system = said("system", "be kind");
  const messages = [system, said("user", "one"), ...toolRound("a", "found"), said("assistant", "two"), said("user", "three")];
  const load = (tokens) => recentWithin(messages, { tokens, counting: { charactersPerToken: 1 } });
  const whole = await load(10_000);
  assert.ok(whole.every((message, index) => message === messages[index]));
  assert.deepEqual(await load(11 + 9), [system, messages[5]]);
  assert.deepEqual(await load(11 + 9 + 7), [system, messages[4], messages[5]]);
  assert.deepEqual(await load(11 + 9 + 7 + 12), [system, messages[4], messages[5]], "no result without its call");
  assert.deepEqual(await load(0), [system]);
  assert.deepEqual(await recentWithin([], { tokens: 5 }), []);
  await assert.rejects(recentWithin(messages, { tokens: -1 }), { code: "invalid-option" });
  await assert.rejects(recentWithin(messages, { tokens: 5, format: "html" }), { code: "unknown-format" });
  await assert.rejects(recentWithin([1], { tokens: 5 }), { code: "unknown-format" });
});

test("conditions can be combined, and limited to a phase", async () => {
  const triggers = [{ at: { phase: "turnEnd", trigger: { all: [{ tokens: 500 }, { any: [{ messages: 5 }, "manual"] }] } } }];
  const compactor = await compactorWith({ triggers }, chatOf(5));
  assert.deepEqual(due(compactor), {});
  compactor.append(chatOf(1));
  assert.deepEqual(due(compactor), { turnEnd: "threshold" });
  assert.equal(await compactor.maintain("turnStart"), undefined);
  assert.throws(() => compactor.check("noon"), { code: "invalid-option" });
  compactor.dispose();
});
