// The loop middleware: what the model is asked for a summary with, by its document and through the package, and the whole
// loop with a model behind HTTP.

import assert from "node:assert/strict";
import { test } from "node:test";
import { anthropicCompatible, createCompactor, openAICompatible, resolvePolicy, restoreCompactor } from "epitome";
import { FORMATS, chatOf, compactorOf, preset, said, scripted } from "../node/harness.mjs";
import { refusals } from "../node/legality.mjs";
import { APP, calling, resulting, serveModel } from "../node/model-server.mjs";

const ENDPOINTS = { "openai-chat": openAICompatible, anthropic: anthropicCompatible };

// Section 4: the prompt

for (const format of FORMATS) {
  test(`d8: ${format}: the last message of the request asks for seven sections, in the document's order, with what each has`, async () => {
    const { requests, summarize } = scripted("They worked.");
    const compactor = await createCompactor({ format, policy: preset("loop", 200_000), summarize });
    compactor.append(chatOf(9, 1_000));
    await compactor.compact();
    const [{ prompt, system, messages }] = requests;
    const text = typeof prompt.content === "string" ? prompt.content : prompt.content.map((part) => part.text).join("");
    assert.deepEqual([prompt.role, messages.at(-1).content], ["user", chatOf(9, 1_000)[8].content]);
    const asked = [
      [/Goals/, /asks for/, /priorities and limits/],
      [/Course/, /phases in order/, /decided and why/, /went wrong and how it was solved/, /where things stand/],
      [/Technical/, /frameworks and tools/, /patterns/, /limits the design/],
      [/Files/, /full path/, /what it is for/, /changed/, /lines that matter/, /state/],
      [/Work in hand/, /being done right now/, /last finished action/, /half done/, /code/, /Leave nothing of this out/],
      [/Open points/, /Errors that remain/, /tasks not begun/, /decisions that wait/],
      [/Next step/, /one action/, /latest request/, /work in hand/],
    ];
    for (const instructions of [text, system]) {
      const sections = instructions.split(/^## \d\. /m).slice(1);
      assert.deepEqual(instructions.match(/^## (\d)/gm), asked.map((_, index) => `## ${index + 1}`));
      for (const [index, patterns] of asked.entries()) {
        for (const pattern of patterns) {
          assert.match(sections[index], pattern);
        }
      }
      assert.match(sections[6], /go on at the same point without a question back/);
      assert.match(instructions, /file paths/);
    }
    compactor.dispose();
  });

  // Section 6: messages are cleaned before the compaction

  test(`a2: ${format}: missing results are filled in and a result is answered, in what the model is asked with only`, async () => {
    const long = "Yes. ".repeat(500);
    const chat = [said("user", "Look."), said("assistant", long), said("user", "Look again.")];
    const open = "[no result was recorded for this call]";
    const cases = [
      // Fewer than two messages: nobody is asked.
      [[], undefined],
      [[said("user", long)], undefined],
      [[calling(format, "a")], undefined],
      // Two, and a history that is in order.
      [chat.slice(0, 2), []],
      [[...chat, said("assistant", long)], []],
      [[...chat, calling(format, "a"), resulting(format, "a", long)], [long]],
      [[...chat, calling(format, "a")], [open]],
      [[...chat, calling(format, "a", "b"), resulting(format, "a", long)], [long, open]],
    ];
    for (const [messages, results] of cases) {
      const { compactor, requests } = await compactorOf(format, preset("loop", 200_000), messages);
      const { outcome } = await compactor.compact();
      assert.equal(outcome, results === undefined ? "skipped" : "applied");
      assert.equal(requests.length, results === undefined ? 0 : 1);
      assert.deepEqual(compactor.history(), messages, "what the app appended is not changed");
      if (results !== undefined) {
        const [{ messages: asked, prompt }] = requests;
        const found = asked.flatMap((message) => (message.role === "tool" ? [message] : Array.isArray(message.content) ? message.content : []));
        assert.deepEqual(found.flatMap((part) => (part.type === "tool_use" ? [] : [part.content])), results);
        assert.equal(asked.at(-1).role, "assistant", "never a result");
        assert.equal(asked.at(-1) === messages.at(-1), results.length === 0, "the answer is added only after a result");
        assert.deepEqual(await refusals(format, [...asked, prompt], []), []);
      }
      compactor.dispose();
    }
  });
}

// Section 3, step 3: the prompt is put behind the history, and the same model is asked with the same tools

const SUMMARY = "## 1. Goals\nA garden.\n## 7. Next step\nWater the roses.";
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
    compactor.reportUsage(usage);
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

test("d19: costs that are not numbers of 0 or more are refused", async (context) => {
  assert.deepEqual((await resolvePolicy({ preset: "loop", summary: { cost: COST } })).summary.cost, COST);
  for (const cost of [{ ...COST, input: -1 }, { ...COST, output: Number.POSITIVE_INFINITY }]) {
    await assert.rejects(resolvePolicy({ preset: "loop", summary: { cost } }), { code: "invalid-policy" });
  }
});

// Section 10: the whole loop, with a model behind HTTP

for (const format of FORMATS) {
  for (const window of [4_000, 24_000]) {
    test(`b5, d9, d12, d19: ${format}: an agent works through several compactions in a window of ${window} tokens`, async (context) => {
      let calls = 0;
      let broken = false;
      const isAsked = ({ messages }) => JSON.stringify(messages.at(-1)).includes("condense the conversation");
      const answer = (body) => {
        if (isAsked(body) || body.tools === undefined) {
          return "## 1. Goals\nA garden.\n## 7. Next step\nWater the roses.";
        }
        calls += 1;
        return calls % 3 === 0 ? "This bed is fine." : calling(format, `call_${calls}`);
      };
      const refuses = (body) => (broken && (isAsked(body) || body.tools === undefined) ? "out of order" : undefined);
      const server = await serveModel(format, { answer, refuses });
      context.after(() => server.close());
      const events = [];
      const host = {
        format,
        summarize: ENDPOINTS[format]({ baseURL: server.baseURL, model: "m", request: APP[format].request }),
        onEvent: ({ type }) => events.push(type),
      };
      const policy = { preset: "loop", window, counting: { charactersPerToken: 4 }, warning: 0.5 };
      let compactor = await createCompactor({ ...host, policy });
      const { first } = APP[format];
      compactor.append(first);
      const reports = [];
      let request;
      for (let turn = 1; reports.filter(({ outcome }) => outcome === "applied").length < 4; turn += 1) {
        assert.ok(turn < 200, "it goes on");
        request = `Request ${turn}: please look at bed ${turn}.`;
        compactor.append(said("user", request));
        for (let step = 0; step < 3; step += 1) {
          // 1. Before the turn, the middleware; 2. its result; 3. the turn; 4. the tools.
          broken = reports.length === 1;
          const report = await compactor.compactIfNeeded({ phase: "turnStart" });
          if (report !== undefined) {
            reports.push(report);
            if (report.outcome === "applied") {
              const view = compactor.messages();
              assert.deepEqual(view.slice(0, -1), first);
              assert.ok(view.at(-1).content.includes(request), "the request goes on");
            }
          }
          const { message, usage } = await server.ask(compactor.messages());
          compactor.append(message);
          compactor.reportUsage(usage);
          const id = /call_\d+/.exec(JSON.stringify(message))?.[0];
          if (id !== undefined) {
            compactor.append(resulting(format, id, `${id} roses. `.repeat(window / 120)));
          }
        }
        if (reports.length === 3) {
          const [snapshot, originals, view] = [compactor.snapshot(), compactor.history(), compactor.messages()];
          compactor.dispose();
          compactor = await restoreCompactor(snapshot, { ...host, originals });
          assert.deepEqual(compactor.messages(), view);
        }
      }
      assert.ok(reports.some(({ outcome }) => outcome === "failed"), reports.map(({ outcome }) => outcome).join());
      const warnings = events.filter((type) => type === "warning").length;
      assert.ok(warnings >= 4 && warnings <= 5, `one warning in each cycle: ${warnings}`);
      assert.ok(reports.filter(({ outcome }) => outcome === "applied").every(({ tokensBefore, tokensAfter }) => tokensAfter < tokensBefore / 2));
      compactor.dispose();
    });
  }
}
