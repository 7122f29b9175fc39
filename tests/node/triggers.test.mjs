// When a compaction is due, and what is reported about the window.

import assert from "node:assert/strict";
import { test } from "node:test";
import { convert, createCompactor, estimateTokens, recentWithin, resolvePolicy } from "epitome";
import { chatOf, compactorWith, preset, said, toolRound } from "./harness.mjs";

const PHASES = ["requestStart", "turnStart", "loop", "turnEnd"];

/** The phases at which a compaction is due, with its reason, except after a rejected request, when it always is. */
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
  compactor.append(said("assistant", text));
  compactor.reportUsage({ promptTokens: 70, completionTokens: 7 });
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
    const full = { fill: { fraction: 1, maxTokens: 0 } };
    assert.deepEqual([triggers, kept], [[{ messages: trigger }, full], { messages: keep }]);
    const policy = preset(name, 100_000, { reducers: [] });
    const compactor = await compactorWith(policy, [said("system", "s"), ...chatOf(trigger)]);
    assert.deepEqual(due(compactor), {}, name);
    compactor.append(chatOf(1));
    assert.equal(compactor.check("turnEnd"), "threshold", name);
    await compactor.compactIfNeeded({ phase: "turnEnd" });
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
    compactor.reportUsage({ promptTokens, completionTokens: 1 });
    return compactor.check("loop");
  };
  assert.equal(compactor.check("loop"), undefined, "nothing but an estimate");
  assert.deepEqual([849, 850, 919, 920].map(after), [undefined, "reactive-micro", "reactive-micro", "reactive-full"]);
  assert.equal(compactor.check("turnEnd"), undefined);
  assert.equal(compactor.check("overflow"), "reactive-full");
  compactor.check("requestStart");
  for (const reason of ["reactive-micro", "reactive-micro", "reactive-full"]) {
    compactor.reportUsage({ promptTokens: reason === "reactive-full" ? 950 : 860, completionTokens: 1 });
    const report = await compactor.compactIfNeeded({ phase: "loop" });
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
  compactor.reportUsage({ promptTokens: 1_000, completionTokens: 50, durationMs: 500 });
  compactor.reportUsage({ prompt_tokens: 1_200, completion_tokens: 30 });
  assert.deepEqual(compactor.status().statistics, {
    lastPromptTokens: 1_200,
    lastCompletionTokens: 30,
    sessionPromptTokens: 2_200,
    sessionCompletionTokens: 80,
    contextTokens: 1_230,
    tokensPerSecond: 100,
  });
  compactor.reportUsage({ prompt_tokens: 1, completion_tokens: 20, durationMs: 99.6 });
  assert.equal(compactor.status().statistics.tokensPerSecond, 200);
  compactor.dispose();
});

test("b12: status, events and report have the used share of the window", async () => {
  const events = [];
  const policy = { window: 2_000, triggers: [{ tokens: 1_000 }], keep: { messages: 2 } };
  const compactor = await compactorWith(policy, chatOf(15), { onEvent: (event) => events.push(event) });
  assert.equal(compactor.status().budgetUsedPct, 75);
  const report = await compactor.compactIfNeeded({ phase: "turnEnd" });
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

// An image of 1280 × 720 pixels, of which a PNG's first bytes say the size, two pages of a PDF, and two seconds of sound.
const base64 = (bytes) => "A".repeat((bytes / 3) * 4);
const PNG = `iVBORw0KGgoAAAANSUhEUgAABQAAAALQCAYA${base64(3_000)}`;
const PDF = base64(150_000);
const SOUND = base64(30_000);
// What they cost if characters are counted: six tiles of 170 tokens and 85 besides, 1,500 for each page, 10 for each second.
const IMAGE_TOKENS = 6 * 170 + 85;
const PDF_TOKENS = 2 * 1_500;
const SOUND_TOKENS = 2 * 10;

/** A user's message with attachments in two formats, and the tokens of the attachments. */
const ATTACHED = {
  "openai-chat": {
    tokens: IMAGE_TOKENS + PDF_TOKENS + SOUND_TOKENS,
    parts: [
      { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
      { type: "file", file: { filename: "plan.pdf", file_data: `data:application/pdf;base64,${PDF}` } },
      { type: "input_audio", input_audio: { data: SOUND, format: "mp3" } },
    ],
  },
  gemini: {
    tokens: IMAGE_TOKENS + PDF_TOKENS + SOUND_TOKENS,
    parts: [
      { inlineData: { mimeType: "image/png", data: PNG } },
      { inlineData: { mimeType: "application/pdf", data: PDF } },
      { inlineData: { mimeType: "audio/mp3", data: SOUND } },
    ],
  },
  anthropic: {
    tokens: IMAGE_TOKENS + PDF_TOKENS,
    parts: [
      { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: PDF } },
    ],
  },
};

/** 24 messages, one of them with these attachments. */
async function attachedChat(format, parts) {
  const { messages } = await convert(chatOf(24), "openai-chat", format);
  const [first, ...rest] = messages;
  const text = format === "gemini" ? { text: "Look." } : { type: "text", text: "Look." };
  const key = format === "gemini" ? "parts" : "content";
  return [first, rest[0], { role: "user", [key]: [text, ...parts] }, ...rest.slice(2)];
}

for (const [format, { tokens: attached, parts }] of Object.entries(ATTACHED)) {
  test(`b14: ${format}: attachments count toward every trigger, one below, at and one above its edge`, async () => {
    const window = 20_000;
    const policy = (fields) => ({ window, counting: { charactersPerToken: 1 }, reducers: [], keep: { messages: 2 }, ...fields });
    const [all, without] = await Promise.all([attachedChat(format, parts), attachedChat(format, [])]);
    const compactors = await Promise.all([all, without].map(() => createCompactor({ format, policy: policy({}) })));
    const [compactor, bare] = compactors;
    compactor.append(all);
    bare.append(without);
    const { tokens } = compactor.status();
    assert.equal(tokens - bare.status().tokens, attached);
    const dueWith = (triggers, phase) => {
      const found = compactors.map((each) => {
        each.setPolicy(policy({ triggers }));
        return each.due(phase) !== undefined;
      });
      assert.equal(found[1], false, `without attachments: ${JSON.stringify(triggers)}`);
      return found[0];
    };
    const edges = (trigger, phase) => [tokens - 1, tokens, tokens + 1].map((edge) => dueWith([trigger(edge)], phase));
    const above = [true, false, false];
    const reached = [true, true, false];
    assert.deepEqual(edges((edge) => ({ budget: { fraction: 1, outputReserve: window - edge - 100, safetyMargin: 100 } }), "turnEnd"), above);
    assert.deepEqual(edges((edge) => ({ budget: { fraction: edge / window, outputReserve: 0, safetyMargin: 0 } }), "turnEnd"), above);
    assert.deepEqual(edges((edge) => ({ fill: { fraction: edge / window } }), "turnEnd"), reached);
    assert.deepEqual(edges((maxTokens) => ({ fill: { maxTokens } }), "turnEnd"), reached);
    assert.deepEqual(edges((edge) => ({ tokens: edge }), "turnStart"), reached);
    assert.deepEqual(edges((triggerTokens) => ({ requestBoundary: { triggerTokens, minMessages: 20 } }), "requestStart"), above);
    assert.deepEqual(edges((edge) => ({ all: [{ tokens: edge }, { messages: 5 }] }), "turnEnd"), reached);
    for (const each of compactors) {
      each.dispose();
    }
  });

  test(`b14: ${format}: attachments count toward reducers, the warning, the window and the tail`, async () => {
    const window = 20_000;
    const all = await attachedChat(format, parts);
    const policy = (fields) => ({ window, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [], minSaving: 0, keepRequestsTokens: 0, ...fields });
    const compactor = await createCompactor({ format, policy: policy({}), summarize: () => "They worked." });
    compactor.append(all.slice(0, 1), { synthetic: "time" });
    compactor.append(all.slice(1));
    compactor.append(all.slice(0, 1), { synthetic: "time" });
    const { tokens } = compactor.status();
    const reduces = (maxTokens) => {
      compactor.setPolicy(policy({ reducers: [{ reducer: "deduplicate", when: { fill: { maxTokens } } }] }));
      return compactor.due("turnEnd");
    };
    assert.deepEqual([tokens - 1, tokens, tokens + 1].map(reduces), ["reduce", "reduce", undefined]);
    const warns = (edge) => compactor.statusUnder(policy({ triggers: [{ tokens: 2 * edge }], warning: 0.5 })).level;
    assert.deepEqual([tokens - 1, tokens, tokens + 1].map(warns), ["warn", "warn", "ok"]);
    assert.equal(compactor.statusUnder(policy({ window: tokens })).budgetUsedPct, 100);
    // The tail from the message with the attachments on: all but the two messages before it, and the last request, which
    // stays in any case.
    const tail = tokens - 3 * (96 + 4);
    for (const [edge, kept] of [[tail - 1, false], [tail, true], [tail + 1, true]]) {
      compactor.setPolicy(policy({ keep: { tokens: edge }, target: 0.9 }));
      assert.equal((await compactor.compact()).outcome, "applied");
      assert.equal(compactor.messages().some((message) => JSON.stringify(message).includes(PDF)), kept, `${edge - tail}`);
      compactor.undo();
    }
    const recent = (edge) => recentWithin(all, { format, tokens: edge, counting: { charactersPerToken: 1 } });
    const whole = tokens - 100;
    assert.deepEqual([(await recent(whole - 1)).length, (await recent(whole)).length], [all.length - 1, all.length]);
    assert.ok(!(await recent(attached)).includes(all[2]));
    compactor.dispose();
  });

  test(`b14: ${format}: in the tool loop, the provider's count of the prompt includes attachments, and later ones are added`, async () => {
    const policy = { window: 100_000, counting: { charactersPerToken: 1 }, triggers: [{ reactive: {} }, { tokens: 90_000 }], keep: { messages: 2 } };
    const all = await attachedChat(format, parts);
    for (const [promptTokens, reason] of [[84_999, undefined], [85_000, "reactive-micro"], [85_001, "reactive-micro"]]) {
      const compactor = await createCompactor({ format, policy });
      compactor.append(all);
      compactor.messages();
      compactor.reportUsage({ promptTokens, completionTokens: 0 });
      assert.equal(compactor.due("loop"), reason);
      compactor.dispose();
    }
    // The message with the attachments comes after the count.
    const after = attached + "Look.".length + 4;
    for (const [above, reason] of [[1, undefined], [0, "threshold"], [-1, "threshold"]]) {
      const compactor = await createCompactor({ format, policy });
      compactor.append([...all.slice(0, 2), ...all.slice(3)]);
      compactor.messages();
      const { tokens: counted } = compactor.status();
      // The last message is the answer.
      compactor.reportUsage({ promptTokens: counted - 100, completionTokens: 100 });
      compactor.append(all[2]);
      assert.equal(compactor.status().tokens, counted + after);
      compactor.setPolicy({ ...policy, triggers: [{ tokens: counted + after + above }] });
      assert.equal(compactor.due("loop"), reason);
      compactor.dispose();
    }
  });
}

test("conditions can be combined, and limited to a phase", async () => {
  const triggers = [{ at: { phase: "turnEnd", trigger: { all: [{ tokens: 500 }, { any: [{ messages: 5 }, "manual"] }] } } }];
  const compactor = await compactorWith({ triggers }, chatOf(5));
  assert.deepEqual(due(compactor), {});
  compactor.append(chatOf(1));
  assert.deepEqual(due(compactor), { turnEnd: "threshold" });
  assert.equal(await compactor.compactIfNeeded({ phase: "turnStart" }), undefined);
  assert.throws(() => compactor.check("noon"), { code: "invalid-option" });
  compactor.dispose();
});
