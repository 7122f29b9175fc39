// The loop middleware: its document's rules through the package, section by section. How the model is asked for a summary
// is in `loop-inside.test.mjs`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { anthropicCompatible, createCompactor, openAICompatible, resolvePolicy, restoreCompactor } from "epitome";
import { FORMATS, chatOf, preset, said, scripted, varied } from "../node/harness.mjs";
import { refusals } from "../node/legality.mjs";
import { calling, resulting } from "../node/model-server.mjs";

const ENDPOINTS = { "openai-chat": openAICompatible, anthropic: anthropicCompatible };

const LOOP = { preset: "loop", counting: { charactersPerToken: 1 } };

/** A compactor with the preset and these messages, which compacts as soon as it is asked. */
async function loopOf(messages, options = {}) {
  const compactor = await createCompactor({ format: "openai-chat", policy: LOOP, ...options });
  compactor.append(messages);
  return compactor;
}

/** What a provider reports of a call, in its own words. */
const USAGE = {
  "openai-chat": (prompt, completion) => ({ prompt_tokens: prompt, completion_tokens: completion }),
  anthropic: (prompt, completion) => ({ input_tokens: 10, cache_read_input_tokens: prompt - 30, cache_creation_input_tokens: 20, output_tokens: completion }),
};

// Section 2: the trigger mechanism, and what every call reports

test("b5, b6, d9, d12: the settings have the document's defaults", async () => {
  const { triggers, warning, keep, reducers, summary, summaryPlacement } = await resolvePolicy({ preset: "loop" });
  assert.deepEqual(triggers, [{ at: { phase: "turnStart", trigger: { tokens: 200_000 } } }]);
  assert.deepEqual([warning, keep, reducers, summaryPlacement], [null, { messages: 0 }, [], "oneMessage"]);
  assert.deepEqual([summary.shape, summary.lastRequest, summary.input], ["sevenSections", "append", "conversation"]);
});

for (const format of FORMATS) {
  test(`b5: ${format}: before a turn, at the threshold and above it, by prompt and completion of the last call`, async () => {
    const at = async (policy, prompt, completion) => {
      const { requests, summarize } = scripted("They worked.");
      const compactor = await createCompactor({ format, policy: preset("loop", undefined, policy), summarize });
      compactor.append(chatOf(20, 1_000));
      compactor.messages();
      compactor.reportUsage(USAGE[format](prompt, completion));
      assert.equal(compactor.status().statistics.contextTokens, prompt + completion);
      for (const phase of ["requestStart", "loop", "turnEnd"]) {
        assert.equal(await compactor.compactIfNeeded({ phase: phase }), undefined, phase);
      }
      const report = await compactor.compactIfNeeded({ phase: "turnStart" });
      assert.equal(requests.length > 0, report !== undefined);
      compactor.dispose();
      return report?.outcome;
    };
    const edges = async (policy, edge) => [await at(policy, edge - 500, 499), await at(policy, edge - 500, 500), await at(policy, edge - 500, 501)];
    const reached = [undefined, "applied", "applied"];
    assert.deepEqual(await edges({ window: 1_000_000 }, 200_000), reached);
    assert.deepEqual(await edges({ window: 200_000 }, 200_000), reached);
    assert.deepEqual(await edges({ window: 32_000 }, 32_000), reached);
    const trigger = (tokens) => ({ window: 1_000_000, triggers: [{ at: { phase: "turnStart", trigger: { tokens } } }] });
    assert.deepEqual(await edges(trigger(50_000), 50_000), reached);
    assert.equal(await at(trigger(1), 40, 1), "applied");
    for (const off of [0, -1, -200_000]) {
      assert.equal(await at(trigger(off), 990_000, 1_000), undefined, `${off}`);
    }
  });

  test(`b11: ${format}: every call updates the statistics as the document's function does`, async () => {
    const compactor = await createCompactor({ format, policy: preset("loop", 200_000), summarize: () => "They worked." });
    compactor.append(chatOf(4, 500));
    const expected = { sessionPromptTokens: 0, sessionCompletionTokens: 0, tokensPerSecond: 0 };
    const calls = [[1_000, 50, 500], [1_200, 30, undefined], [1_300, 0, 2_000], [1_400, 80, 0], [1_500, 80, 4_000]];
    for (const [prompt, completion, durationMs] of calls) {
      compactor.messages();
      compactor.reportUsage({ ...USAGE[format](prompt, completion), ...(durationMs !== undefined && { durationMs }) });
      expected.sessionPromptTokens += prompt;
      expected.sessionCompletionTokens += completion;
      if (durationMs > 0 && completion > 0) {
        expected.tokensPerSecond = (completion * 1_000) / durationMs;
      }
      const now = { ...expected, lastPromptTokens: prompt, lastCompletionTokens: completion, contextTokens: prompt + completion };
      assert.deepEqual(compactor.status().statistics, now);
      assert.equal(compactor.status().tokens, prompt + completion);
    }
    assert.equal((await compactor.compact()).outcome, "applied");
    const { sessionPromptTokens, sessionCompletionTokens } = compactor.status().statistics;
    assert.deepEqual([sessionPromptTokens, sessionCompletionTokens], [6_400, 240], "they go on after a compaction");
    compactor.dispose();
  });

  test(`b6: ${format}: a warning at half of the threshold and above it, once until the next compaction, if it is on`, async () => {
    for (const [window, half] of [[1_000_000, 100_000], [200_000, 100_000], [16_000, 8_000]]) {
      const events = [];
      const onEvent = (event) => event.type === "warning" && events.push(event.tokens);
      const policy = preset("loop", window, { warning: 0.5 });
      const compactor = await createCompactor({ format, policy, onEvent, summarize: () => "They worked." });
      const reported = (tokens) => {
        compactor.append([said("user", "And?"), said("assistant", "So.".repeat(200))]);
        compactor.messages();
        compactor.reportUsage(USAGE[format](tokens - 100, 100));
        assert.equal(compactor.check("turnStart"), undefined);
        return events.splice(0);
      };
      assert.deepEqual([reported(half - 1), reported(half), reported(half + 1), reported(half + 2)], [[], [half], [], []], `${window}`);
      assert.equal((await compactor.compact()).outcome, "applied");
      assert.deepEqual([reported(half - 1), reported(half + 1), reported(half)], [[], [half + 1], []]);
      compactor.setPolicy(preset("loop", window));
      assert.equal((await compactor.compact()).outcome, "applied");
      assert.deepEqual(reported(half + 1), [], "off by default");
      compactor.dispose();
    }
  });
}

// Sections 3 and 5: the process, and what is preserved

for (const format of FORMATS) {
  test(`d9, d12, d16, d17: ${format}: system prompt and one message with summary and last request, through failures and a restore`, async () => {
    for (const window of [4_000, 32_000, 200_000]) {
      const system = format === "anthropic" ? [] : [said("system", "Be kind.")];
      const requests = [];
      let fails = false;
      const saved = [];
      const options = {
        format,
        summarize: (request) => {
          requests.push(request);
          if (fails) {
            throw new Error("out of order");
          }
          return `Notes of part ${requests.length}.`;
        },
        save: (occasion) => void saved.push(occasion),
      };
      let compactor = await createCompactor({ ...options, policy: preset("loop", window) });
      const { closing } = (await resolvePolicy({ preset: "loop" })).summary;
      compactor.append(system);
      const views = [];
      let turn = 0;
      let session = 1;
      for (let round = 0; round < 6; round += 1) {
        let request;
        // The last turn is in its tool loop: its last messages are a call and a result, which has the role `user` in one format.
        do {
          turn += 1;
          request = `Request ${turn}: look at bed ${turn}.\nWord for word: <b>№${turn}</b> & "more".`;
          const id = `call_${turn}`;
          compactor.append([said("assistant", "Done."), said("user", request), calling(format, id), resulting(format, id, "roses ".repeat(window / 60))].slice(turn === 1 ? 1 : 0));
        } while (compactor.due("turnStart") === undefined);
        const before = compactor.messages();
        views.push(before);
        if (round % 3 === 1) {
          fails = true;
          const report = await compactor.compactIfNeeded({ phase: "turnStart" });
          assert.deepEqual([report.outcome, report.message, report.session], ["failed", "out of order", session]);
          assert.deepEqual(compactor.messages(), before, "the history is as it was");
          assert.deepEqual(saved.splice(0), [{ when: "before", session }, { when: "after", session, success: false }]);
          fails = false;
        }
        const report = await compactor.compact();
        assert.equal(report.outcome, "applied", report.message);
        assert.deepEqual(saved.splice(0), [{ when: "before", session }, { when: "after", session: session + 1, success: true }]);
        session += 1;
        assert.equal(report.session, session);
        const view = compactor.messages();
        assert.deepEqual(view.slice(0, -1), system);
        const [{ role, content }] = view.slice(-1);
        assert.equal(role, "user");
        const places = [`Notes of part ${requests.length}.`, request, closing].map((text) => content.indexOf(text));
        assert.ok(places[0] >= 0 && places[0] < places[1] && places[1] < places[2], content);
        assert.ok(content.endsWith(closing));
        assert.deepEqual([content.split("Notes of part").length, content.split("Word for word").length], [2, 2], "neither an earlier summary nor an earlier request");
        assert.deepEqual(await refusals(format, view, []), []);
        if (round === 3) {
          const [snapshot, originals] = [compactor.snapshot(), compactor.history()];
          compactor.dispose();
          compactor = await restoreCompactor(snapshot, { ...options, originals });
          assert.deepEqual(compactor.messages(), view);
        }
      }
      for (const before of views.reverse()) {
        compactor.undo();
        assert.deepEqual(compactor.messages().slice(0, before.length), before);
      }
      assert.deepEqual(compactor.messages(), compactor.history());
      compactor.dispose();
    }
  });

  // Section 7: tokens are counted again

  test(`d16: ${format}: the count after a compaction decides about the next one, and a failed compaction is not counted`, async () => {
    for (const window of [8_000, 200_000]) {
      // The number that the provider counts, and the one that is known when the model has answered.
      const answered = async (count) => {
        const counted = [];
        let fails = true;
        const countTokens = (messages) => {
          counted.push(messages);
          return count;
        };
        const summarize = () => {
          if (fails) {
            throw new Error("no");
          }
          return "They worked.";
        };
        const compactor = await createCompactor({ format, policy: preset("loop", window), countTokens, summarize });
        compactor.append(chatOf(21, window / 20 - 4));
        assert.equal((await compactor.compactIfNeeded({ phase: "turnStart" })).outcome, "failed");
        assert.deepEqual(counted, []);
        fails = false;
        assert.equal((await compactor.compact()).outcome, "applied");
        assert.deepEqual(counted, [compactor.messages()], "the messages that are sent next");
        assert.equal(compactor.messages().length, 1);
        assert.equal(compactor.status().tokens, count);
        assert.equal(compactor.due("turnStart"), undefined, "before the model was called");
        compactor.append(said("assistant", "So."));
        const [{ tokens }, due] = [compactor.status(), compactor.due("turnStart")];
        compactor.dispose();
        return [tokens, due];
      };
      const [tokens] = await answered(window);
      const edge = 2 * window - tokens;
      assert.deepEqual(await answered(edge - 1), [window - 1, undefined]);
      assert.deepEqual(await answered(edge), [window, "threshold"]);
      assert.deepEqual(await answered(edge + 1), [window + 1, "threshold"]);
    }
  });

  // Section 9: the events, with the document's numbers

  test(`g5: ${format}: 200,000 → 15,000 tokens (-92%)`, async () => {
    const events = [];
    let summary = "They worked.";
    const onEvent = (event) => events.push(event);
    const summarize = () => {
      events.push({ type: "summarize" });
      return summary;
    };
    const compactor = await createCompactor({ format, policy: preset("loop", 1_000_000), summarize, onEvent });
    compactor.append(chatOf(41, 4_800));
    compactor.messages();
    const rest = 200_000 - compactor.status().tokens;
    compactor.append(said("assistant", "x".repeat(rest - 4)));
    const short = await compactor.compact();
    compactor.undo();
    summary = `${summary} `.padEnd(summary.length + 15_000 - short.tokensAfter, varied(15_000)).replace(/.$/, "!");
    events.length = 0;
    const report = await compactor.compactIfNeeded({ phase: "turnStart" });
    assert.equal(report.outcome, "applied", report.message);
    const shown = events.filter(({ type }) => ["start", "summarize", "end"].includes(type));
    assert.deepEqual(shown, [{ type: "start", tokens: 200_000, threshold: 200_000, budgetUsedPct: 20, chunks: 1 }, { type: "summarize" }, { type: "end", report }]);
    assert.deepEqual([report.tokensBefore, report.tokensAfter], [200_000, 15_000]);
    assert.equal(Math.trunc(100 * (report.tokensAfter / report.tokensBefore - 1)), -92);
    assert.equal(report.summaryCharacters, report.summary.length);
    assert.ok(report.summary.includes(summary));
    compactor.dispose();
  });
}

// Section 11: timeouts of the HTTP client

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
  let called;
  const asked = new Promise((resolve) => {
    called = resolve;
  });
  const summarize = (_, { signal }) => {
    called(signal);
    return new Promise(() => {});
  };
  const compactor = await loopOf(chatOf(20, 4_000), { summarize });
  const compacted = compactor.compact();
  const signal = await asked;
  context.mock.timers.tick(12 * 60_000 - 1);
  assert.equal(signal.aborted, false, "not yet");
  context.mock.timers.tick(1);
  assert.equal(signal.aborted, true);
  assert.match((await compacted).message, /did not answer within 720000 ms/);
  compactor.dispose();
});

test("h4: a time limit that is not a number above 0 is refused, and Infinity waits as long as it takes", async () => {
  for (const summarizeTimeoutMs of [0, -1, Number.NaN, "5", null]) {
    const refused = loopOf([], { summarizeTimeoutMs });
    await assert.rejects(refused, { name: "EpitomeError", code: "invalid-option", message: /^summarizeTimeoutMs: / });
  }
  const summarize = () => new Promise((resolve) => setTimeout(() => resolve("They worked."), 20));
  const compactor = await loopOf(chatOf(20, 4_000), { summarize, summarizeTimeoutMs: Number.POSITIVE_INFINITY });
  assert.equal((await compactor.compact()).outcome, "applied");
  compactor.dispose();
});

test("h4: a call of an endpoint may take twelve minutes as well, unless it has another limit", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let called;
  context.mock.method(globalThis, "fetch", (_, { signal }) => {
    called(signal);
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
  });
  for (const [name, endpoint] of Object.entries(ENDPOINTS)) {
    for (const [timeouts, limit] of [[undefined, 720_000], [{ totalMs: 1_000, firstByteMs: 2_000 }, 1_000]]) {
      const asked = new Promise((resolve) => {
        called = resolve;
      });
      const summarize = endpoint({ baseURL: "http://127.0.0.1:1/v1", model: "m", stream: false, ...(timeouts && { timeouts }) });
      const failed = summarize({ system: "s", input: "i", maxTokens: 10 }).then(assert.fail, ({ message }) => message);
      const signal = await asked;
      context.mock.timers.tick(limit - 1);
      assert.equal(signal.aborted, false, `${name}: not yet`);
      context.mock.timers.tick(1);
      assert.equal(signal.aborted, true, name);
      assert.match(await failed, new RegExp(`${limit} ms`));
    }
  }
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
  const full = () => Promise.reject(new Error("the disk is full"));
  const answers = { before: () => allowed, after: full };
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
  answers.before = full;
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

// Not reproduced here:
//
// - Section 2, `action: "compact"`, section 8, `middlewarePipeline.reset`, and section 10: in `turns.test.mjs`.
// - Section 2, `stats.steps`: a counter of the agent's steps, which is the app's. A turn has the number of its step.
// - Section 3, `interactionLogger.save` and a new log file: the app's files. When it is asked to save is tested above.
// - Section 6, the literal texts "Tool no response" and "Understood.": ours are in our own words.
// - Section 7, a call of the model with `max_tokens: 16`: the app's call, behind the option `countTokens`.
// - Section 9, "Compacting conversation history...": the page's words, tested in a browser.
// - Section 11, five connections kept alive and ten in all: the HTTP client is the platform's.
