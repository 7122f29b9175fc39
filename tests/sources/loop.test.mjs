// The loop middleware: its document's rules through the package, section by section.

import assert from "node:assert/strict";
import { test } from "node:test";
import { anthropicCompatible, createCompactor, openAICompatible, resolvePolicy } from "epitome";
import { chatOf, said, scripted } from "../node/harness.mjs";
import { APP, calling, resulting, serveModel } from "../node/model-server.mjs";

const LOOP = { preset: "loop", counting: { charactersPerToken: 1 } };

/** A compactor with the preset and these messages, which compacts as soon as it is asked. */
async function loopOf(messages, options = {}) {
  const compactor = await createCompactor({ format: "openai-chat", policy: LOOP, ...options });
  compactor.append(messages);
  return compactor;
}

// Timeouts of the HTTP client

test("h4: an app's summarizer that does not answer in time is aborted, and the conversation stays", async () => {
  const messages = chatOf(20, 4_000);
  const seen = [];
  const summarize = (request, { signal }) => {
    seen.push(signal);
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
  };
  const compactor = await loopOf(messages, { summarize, summarizeTimeoutMs: 5 });
  const report = await compactor.compact();
  assert.equal(report.outcome, "failed");
  assert.match(report.message, /did not answer within 5 ms.*summarizeTimeoutMs/);
  assert.deepEqual(seen.map(({ aborted }) => aborted), [true]);
  assert.deepEqual(compactor.messages(), messages);
  compactor.dispose();
});

test("h4: a summarizer that never settles ends with its time limit as well", async () => {
  const compactor = await loopOf(chatOf(20, 4_000), { summarize: () => new Promise(() => {}), summarizeTimeoutMs: 5 });
  const report = await compactor.compact();
  assert.match(report.message, /did not answer within 5 ms/);
  compactor.dispose();
});

test("h4: without a setting, a call of the summarizer may take twelve minutes", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let resolve;
  const asked = new Promise((asked) => {
    resolve = asked;
  });
  const summarize = () => {
    resolve();
    return new Promise(() => {});
  };
  const compactor = await loopOf(chatOf(20, 4_000), { summarize });
  let report;
  const compacted = compactor.compact().then((done) => {
    report = done;
  });
  await asked;
  context.mock.timers.tick(12 * 60_000 - 1);
  await Promise.resolve();
  assert.equal(report, undefined, "not yet");
  context.mock.timers.tick(1);
  await compacted;
  assert.match(report.message, /did not answer within 720000 ms/);
  compactor.dispose();
});

test("h4: a time limit that is no number above 0 is refused, and Infinity waits as long as it takes", async () => {
  for (const summarizeTimeoutMs of [0, -1, Number.NaN, "5", null]) {
    const refused = loopOf([], { summarizeTimeoutMs });
    await assert.rejects(refused, { name: "EpitomeError", code: "invalid-option", message: /^summarizeTimeoutMs: / });
  }
  const summarize = () => new Promise((resolve) => setTimeout(() => resolve("They worked."), 20));
  const compactor = await loopOf(chatOf(20, 4_000), { summarize, summarizeTimeoutMs: Number.POSITIVE_INFINITY });
  assert.equal((await compactor.compact()).outcome, "applied");
  compactor.dispose();
});

// Section 11: the heartbeat pattern

test("c6: heartbeats and their answers do not reach the summarizer", async () => {
  const beat = (answer) => [said("user", "Checking whether you are alive."), said("assistant", answer)];
  const messages = [
    ...chatOf(6, 4_000),
    ...beat("HEARTBEAT_OK"),
    ...chatOf(6, 4_000),
    ...beat("HEARTBEAT_OK."),
    ...beat("The disk is full."),
    ...chatOf(4, 4_000),
  ];
  const { requests, summarize } = scripted("They worked.");
  const compactor = await loopOf(messages, { summarize });
  assert.equal((await compactor.compact()).outcome, "applied");
  const input = requests.map(({ input }) => input).join("\n");
  assert.ok(input.includes("Turn 0") && input.includes("The disk is full."));
  assert.equal(input.match(/HEARTBEAT_OK/g), null);
  assert.equal(input.match(/Checking whether you are alive/g).length, 1, "only the one that was answered otherwise");
  compactor.dispose();
});

// Section 4: the summarization prompt, and what is put back

test("d20: the summary is asked for as notes to go on from, and what is put back demands no clarifying questions", async () => {
  const { summary } = await resolvePolicy({ preset: "loop" });
  assert.match(summary.closing, /without asking .*questions/);
  const { requests, summarize } = scripted("They worked.");
  const compactor = await loopOf([said("system", "be kind"), ...chatOf(7, 4_000)], { summarize });
  for (let round = 0; round < 3; round += 1) {
    compactor.append(chatOf(7, 4_000));
    assert.equal((await compactor.compact()).outcome, "applied");
    const view = compactor.messages();
    assert.deepEqual(view.map(({ role }) => role), ["system", "user"]);
    assert.ok(view[1].content.endsWith(`\n${summary.closing}`), view[1].content.slice(-300));
    assert.equal(view[1].content.split(summary.closing).length, 2, "once");
    assert.ok(view[1].content.indexOf("Turn 6") < view[1].content.indexOf(summary.closing), "behind the last request");
  }
  assert.match(requests[0].system, /without a question/);
  assert.ok(requests.every(({ input }) => !input.includes(summary.closing)));
  compactor.dispose();
});

test("d20: other presets put no demand back unless the policy has one", async () => {
  for (const name of ["recommended", "workstream", "team", "fill", "request"]) {
    assert.equal((await resolvePolicy({ preset: name })).summary.closing, null, name);
  }
  const policy = { ...LOOP, preset: "fill", window: 20_000, summary: { closing: "Mach weiter, ohne zu fragen." } };
  const compactor = await loopOf(chatOf(40, 400), { policy, summarize: () => "They worked." });
  await compactor.compact();
  const [summary] = compactor.messages();
  assert.ok(summary.content.endsWith("\nMach weiter, ohne zu fragen."), summary.content);
  compactor.dispose();
});

// Section 3, step 3: the prompt is put behind the history, and the same model is asked with the same tools

const SUMMARY = "## 1. Goals\nA garden.\n## 7. Next step\nWater the roses.";
const ENDPOINTS = { "openai-chat": openAICompatible, anthropic: anthropicCompatible };
const COST = { input: 3, cachedInput: 0.3, output: 15 };

/** The text of a body from `"messages":` on. */
const messagesIn = (text) => text.slice(text.indexOf('"messages":'));

/** A model, an app that talks to it, and a compactor that asks the same model for summaries. */
async function inside(context, format, { window = 200_000, refuses, answer, summary = {}, request, ...more } = {}) {
  const isAsked = ({ messages }) => JSON.stringify(messages.at(-1)).includes("condense the conversation");
  const server = await serveModel(format, {
    answer: (body) => answer?.(body) ?? (isAsked(body) || body.tools === undefined ? SUMMARY : `Done, ${body.messages.length}.`),
    refuses,
  });
  const { request: fields, first } = APP[format];
  const summarize = ENDPOINTS[format]({ baseURL: server.baseURL, model: "m", request: request ?? fields });
  const compactor = await createCompactor({
    format,
    policy: { preset: "loop", window, triggers: ["manual"], summary },
    summarize,
    ...more,
  });
  compactor.append(first);
  const turn = async (text) => {
    compactor.append(said("user", text));
    const { message, usage } = await server.ask(compactor.messages());
    compactor.append(message);
    compactor.usage(usage);
  };
  context.after(() => {
    compactor.dispose();
    server.close();
  });
  return { server, compactor, turn };
}

const text = (turn) => `Turn ${turn}: look at bed ${turn}. `.padEnd(600, "roses and figs ");

for (const format of ["openai-chat", "anthropic"]) {
  test(`d19: ${format}: the model is asked inside the conversation, whose beginning is byte for byte what it was sent`, async (context) => {
    const { server, compactor, turn } = await inside(context, format, { summary: { cost: COST } });
    for (let index = 0; index < 8; index += 1) {
      await turn(text(index));
    }
    compactor.append([calling(format, "call_1"), resulting(format, "call_1", "12 roses"), said("assistant", "There are 12.")]);
    await turn("What next?");
    const last = server.bodies.at(-1);
    const report = await compactor.compact();
    assert.equal(report.outcome, "applied", report.message);
    const asked = server.bodies.at(-1);
    const sent = messagesIn(last.text).slice(0, -"]}".length);
    assert.ok(messagesIn(asked.text).startsWith(`${sent},`), "the provider finds it in its cache");
    const { messages, system, tools, tool_choice: choice } = asked.body;
    assert.deepEqual({ system, tools }, { system: last.body.system, tools: last.body.tools });
    assert.deepEqual(choice, format === "anthropic" ? { type: "none" } : "none");
    // The answer to the last request, and the prompt.
    assert.equal(messages.length, last.body.messages.length + 2);
    assert.equal(messages.at(-1).role, "user");
    assert.match(JSON.stringify(messages.at(-1)), /## 7\. Next step/);
    const { input, fallback, tokens, cost, saved } = report.summarizer;
    assert.deepEqual({ input, fallback }, { input: "conversation", fallback: undefined });
    assert.ok(tokens.cached > 0.6 * tokens.prompt && tokens.cached < tokens.prompt, JSON.stringify(tokens));
    const total = ((tokens.prompt - tokens.cached) * 3 + tokens.cached * 0.3 + tokens.completion * 15) / 1e6;
    assert.ok(Math.abs(cost - total) < 1e-12 && Math.abs(saved - (tokens.cached * 2.7) / 1e6) < 1e-12);
    // What follows is legal too, and so is the next compaction.
    for (let index = 0; index < 3; index += 1) {
      await turn(text(index));
    }
    assert.equal((await compactor.compact()).summarizer.fallback, undefined);
  });

  test(`a2, d19: ${format}: in mid tool loop every call has a result before the prompt`, async (context) => {
    const { server, compactor, turn } = await inside(context, format);
    for (let index = 0; index < 8; index += 1) {
      await turn(text(index));
    }
    compactor.append(said("user", "Look at both."));
    compactor.append([calling(format, "call_1", "call_2"), resulting(format, "call_1", "12 roses")]);
    const before = compactor.messages();
    const report = await compactor.compact();
    assert.deepEqual([report.outcome, report.summarizer.fallback], ["applied", undefined], report.message);
    const { messages } = server.bodies.at(-1).body;
    assert.deepEqual(messages.slice(0, before.length - 1), JSON.parse(JSON.stringify(before.slice(0, -1))));
    assert.match(JSON.stringify(messages), /no result was recorded for this call/);
    assert.deepEqual(messages.slice(-2).map(({ role }) => role), ["assistant", "user"]);
  });

  test(`d19: ${format}: a conversation that is too long is asked about by a transcript, and the report says why`, async (context) => {
    const { compactor, turn } = await inside(context, format, { window: 2_000, summary: { maxTokens: 200 } });
    for (let index = 0; index < 7; index += 1) {
      await turn(text(index));
    }
    const known = await compactor.compact();
    assert.deepEqual([known.outcome, known.summarizer.input], ["applied", "transcript"], known.message);
    assert.match(known.summarizer.fallback, /window of 2000 tokens is too small/);
    // The provider's window is smaller than the app says.
    const refuses = ({ tool_choice: choice }) => (choice === undefined ? undefined : "prompt is too long: 2001 tokens > 2000 maximum");
    const other = await inside(context, format, { refuses });
    for (let index = 0; index < 7; index += 1) {
      await other.turn(text(index));
    }
    const refused = await other.compactor.compact();
    assert.deepEqual([refused.outcome, refused.summarizer.input], ["applied", "transcript"], refused.message);
    assert.equal(refused.requests, 2);
    assert.match(refused.summarizer.fallback, /prompt is too long/);
  });

  test(`d19: ${format}: a model that calls a tool in place of an answer gets a transcript`, async (context) => {
    const answer = ({ tool_choice: choice }) => (choice === undefined ? undefined : calling(format, "call_9"));
    const { server, compactor, turn } = await inside(context, format, { answer });
    for (let index = 0; index < 8; index += 1) {
      await turn(text(index));
    }
    const report = await compactor.compact();
    assert.deepEqual([report.outcome, report.summarizer.input], ["applied", "transcript"], report.message);
    assert.match(report.summarizer.fallback, /called a tool/);
    assert.equal(server.bodies.at(-1).body.tools, undefined);
  });

  test(`d19: ${format}: an app's summarizer gets the objects of the app, and may answer with the usage of its provider`, async (context) => {
    const requests = [];
    const usage =
      format === "anthropic"
        ? { input_tokens: 10, cache_read_input_tokens: 990, output_tokens: 5 }
        : { prompt_tokens: 1_000, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 990 } };
    const summarize = (request) => {
      requests.push(request);
      return { text: SUMMARY, usage };
    };
    const { compactor, turn } = await inside(context, format, { summarize });
    for (let index = 0; index < 4; index += 1) {
      await turn(text(index));
    }
    const sent = compactor.messages();
    const report = await compactor.compact();
    const [{ messages, prompt, form, format: own, summarizer }] = requests;
    assert.ok(messages.length === sent.length && messages.every((message, index) => message === sent[index]));
    assert.deepEqual([prompt.role, form, own], ["user", "conversation", format]);
    assert.deepEqual(summarizer, { kind: "own", prompt: "seven-sections" });
    assert.deepEqual(report.summarizer.tokens, { prompt: 1_000, cached: 990, completion: 5 });
    assert.deepEqual([report.summarizer.cost, report.summarizer.saved], [undefined, undefined]);
  });
}

test("a4, d19: thinking that Claude has locked to its place stays as it was sent", async (context) => {
  const { server, compactor, turn } = await inside(context, "anthropic");
  for (let index = 0; index < 8; index += 1) {
    await turn(text(index));
  }
  // The model refuses every block that is not behind the messages, the system prompt and the tools it was written behind.
  const report = await compactor.compact();
  assert.deepEqual([report.outcome, report.summarizer.fallback], ["applied", undefined], report.message);
  const blocks = server.bodies.at(-1).body.messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  assert.equal(blocks.filter(({ type }) => type === "thinking").length, 8);
  assert.ok(server.bodies.at(-1).body.max_tokens > 1_024, "the budget for thinking comes on top");
});

test("d19: an app gives its own tool choice and messages before the history, as its model gets them", async (context) => {
  const identity = said("user", "It is Monday.");
  const request = () => ({ ...APP["openai-chat"].request, messages: [identity], tool_choice: "auto", max_tokens: 7, model: "other" });
  const { server, compactor, turn } = await inside(context, "openai-chat", { request });
  for (let index = 0; index < 8; index += 1) {
    await turn(text(index));
  }
  assert.equal((await compactor.compact()).summarizer.fallback, undefined);
  const { messages, model, max_tokens: limit, tool_choice: choice } = server.bodies.at(-1).body;
  assert.deepEqual([messages[0], model, choice], [identity, "m", "auto"]);
  assert.ok(limit > 7);
});

test("d19: the summarizer that quotes gets a transcript, which is divided into chunks", async (context) => {
  const { compactor, turn } = await inside(context, "openai-chat", { summarize: undefined });
  for (let index = 0; index < 8; index += 1) {
    await turn(text(index));
  }
  const report = await compactor.compact();
  assert.deepEqual([report.outcome, report.summarizer.input], ["applied", "transcript"], report.message);
  assert.match(report.summarizer.fallback, /reads only transcripts/);
});

test("d19: an endpoint of another format than the messages gets a transcript", async (context) => {
  const { baseURL, bodies, close } = await serveModel("openai-chat", { answer: () => SUMMARY });
  context.after(close);
  const { compactor, turn } = await inside(context, "anthropic", { summarize: openAICompatible({ baseURL, model: "m" }) });
  for (let index = 0; index < 8; index += 1) {
    await turn(text(index));
  }
  const report = await compactor.compact();
  assert.deepEqual([report.outcome, report.summarizer.input], ["applied", "transcript"], report.message);
  assert.match(report.summarizer.fallback, /takes messages in the format openai-chat, not anthropic/);
  assert.equal(bodies.length, 1);
});

test("d19: costs that are no numbers from 0 are refused", async (context) => {
  assert.deepEqual((await resolvePolicy({ preset: "loop", summary: { cost: COST } })).summary.cost, COST);
  for (const cost of [{ ...COST, input: -1 }, { ...COST, output: Number.POSITIVE_INFINITY }]) {
    await assert.rejects(resolvePolicy({ preset: "loop", summary: { cost } }), { code: "invalid-policy" });
  }
});

// Section 3, steps 1 and 7, and the error path: what is saved, and when

test("d17, h5: the app saves before a compaction and after it, after success and after failure", async () => {
  const happened = [];
  let fails = false;
  const summarize = () => {
    happened.push("summarize");
    if (fails) {
      throw new Error("no");
    }
    return "They worked.";
  };
  const compactor = await loopOf(chatOf(20, 4_000), {
    summarize,
    save: ({ when, session, success }) => {
      happened.push([when, session, success, compactor.messages().length]);
    },
  });
  assert.equal((await compactor.compact()).outcome, "applied");
  assert.deepEqual(happened.splice(0), [["before", 1, undefined, 20], "summarize", ["after", 2, true, 1]]);
  compactor.append(chatOf(6, 4_000));
  fails = true;
  assert.equal((await compactor.compact()).outcome, "failed");
  assert.deepEqual(happened.splice(0), [["before", 2, undefined, 7], "summarize", ["after", 2, false, 7]]);
  compactor.dispose();
});

test("h5: a compaction waits for save, and fails if what was before cannot be saved", async () => {
  const { requests, summarize } = scripted("They worked.");
  const messages = chatOf(20, 4_000);
  let allow;
  const allowed = new Promise((resolve) => {
    allow = resolve;
  });
  const events = [];
  const fails = () => Promise.reject(new Error("the disk is full"));
  const answers = { before: () => allowed, after: fails };
  const compactor = await loopOf(messages, {
    summarize,
    save: ({ when }) => answers[when](),
    onEvent: (event) => events.push(event),
  });
  const compacted = compactor.compact();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(requests.length, 0, "nobody is asked before the state is saved");
  allow();
  assert.equal((await compacted).outcome, "applied", "what is compacted stays so");
  assert.deepEqual(events.filter(({ type }) => type === "saveFailed"), [{ type: "saveFailed", message: "the disk is full" }]);
  compactor.undo();
  answers.before = fails;
  const report = await compactor.compact();
  assert.deepEqual([report.outcome, report.message], ["failed", "save failed: the disk is full"]);
  assert.deepEqual(compactor.messages(), messages);
  compactor.dispose();
});

test("h5: a save that never ends does not hold up a compaction that is cancelled", async () => {
  const compactor = await loopOf(chatOf(20, 4_000), { save: () => new Promise(() => {}) });
  const controller = new AbortController();
  const compacted = compactor.compact({ signal: controller.signal });
  await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  assert.equal((await compacted).outcome, "cancelled");
  const disposed = compactor.compact();
  await new Promise((resolve) => setImmediate(resolve));
  compactor.dispose();
  assert.equal((await disposed).outcome, "cancelled");
});
