// The fill-percent system: its document's rules through the package, section by section.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, presets, resolvePolicy, restoreCompactor } from "epitome";
import { LineCounter, parse, parseDocument, stringify } from "yaml";
import { chatOf, compactorWith, preset, said, scripted, toolRound } from "../node/harness.mjs";
import { refusals } from "../node/legality.mjs";
import { calling, resulting } from "../node/model-server.mjs";

const FORMATS = ["openai-chat", "anthropic"];
const WINDOWS = [4_000, 32_000, 200_000];

/** A chat of this many messages that takes exactly this many tokens: each costs 4 besides its characters. */
function chatOfTokens(messages, tokens) {
  const [first, ...rest] = chatOf(messages, Math.floor(tokens / messages) - 4);
  const missing = tokens - (rest.length + 1) * (first.content.length + 4);
  return [said("user", first.content + "x".repeat(missing)), ...rest];
}

/** A compactor of the preset in this window, over these messages, with the requests of its summarizer. */
async function filled(format, policy, messages, options = {}) {
  const { requests, summarize } = scripted("They worked.");
  const compactor = await createCompactor({ format, policy: preset("fill", undefined, policy), summarize, ...options });
  compactor.append(messages);
  return { compactor, requests };
}

/** A call with arguments of about this many characters, and its result. */
function writing(format, characters) {
  const call = calling(format, "call_w");
  const text = "x".repeat(characters);
  if (format === "anthropic") {
    call.content[0].input = { text };
  } else {
    call.tool_calls[0].function.arguments = JSON.stringify({ text });
  }
  return [call, resulting(format, "call_w", "ok")];
}

const outcomeOf = (report) => report?.outcome ?? "not due";

// How it works: at 50 % repeated synthetic messages go, at 80 % older messages are summarized. Configuration: each number

test("b3, b4, c3, d1, d2, d5, d7, d11: every setting has the default of the document's table", async () => {
  const { triggers, reducers, keep, summary } = await resolvePolicy({ preset: "fill" });
  assert.deepEqual(triggers, [{ fill: { fraction: 0.8, maxTokens: 0 } }]);
  assert.deepEqual(reducers, [{ reducer: "deduplicate", when: { fill: { fraction: 0.5, maxTokens: 0 } }, minSavingTokens: 0 }]);
  assert.deepEqual(keep, { messages: 10 });
  const { chunks, agent, defaultAgent, prompt, toolResultMaxCharacters, fallbackLevels } = summary;
  assert.deepEqual({ chunks, agent, defaultAgent, prompt }, { chunks: 1, agent: null, defaultAgent: "summarizer", prompt: null });
  assert.deepEqual([toolResultMaxCharacters, ...fallbackLevels], [200, 150, 100, 50, 0]);
  const pruning = await resolvePolicy({ preset: "fill", reducers: [{ reducer: { clearToolInputs: {} } }] });
  assert.deepEqual(pruning.reducers[0].reducer, { clearToolInputs: { protectFraction: 0.3, argThresholdTokens: 200 } });
});

for (const format of FORMATS) {
  test(`b3: ${format}: one token below 80 % nothing happens, at it and above it older messages are summarized`, async () => {
    const at = async (window, tokens, fill) => {
      const policy = { window, ...(fill && { triggers: [{ fill }] }) };
      const { compactor, requests } = await filled(format, policy, chatOfTokens(20, tokens));
      assert.equal(compactor.status().tokens, tokens);
      const outcome = outcomeOf(await compactor.maintain("turnEnd"));
      assert.equal(requests.length, outcome === "applied" ? 1 : 0);
      compactor.dispose();
      return outcome;
    };
    const edges = async (window, edge, fill) => [await at(window, edge - 1, fill), await at(window, edge, fill), await at(window, edge + 1, fill)];
    const reached = ["not due", "applied", "applied"];
    for (const window of WINDOWS) {
      assert.deepEqual(await edges(window, 0.8 * window), reached, `${window}`);
      // A number of tokens has priority, whether it is lower or higher than the percentage; 0 is none.
      for (const share of [0.3, 0.95]) {
        assert.deepEqual(await edges(window, share * window, { fraction: 0.8, maxTokens: share * window }), reached, `${share} of ${window}`);
      }
      assert.deepEqual(await edges(window, 0.9 * window, { fraction: 0.9, maxTokens: 0 }), reached);
    }
  });

  test(`b4, c2: ${format}: one token below 50 % a repeated synthetic message stays, at it and above it is removed`, async () => {
    const note = said("user", "It is noon.");
    const at = async (window, tokens, when) => {
      const reducers = when && [{ reducer: "deduplicate", when: { fill: when } }];
      const { compactor, requests } = await filled(format, { window, ...(reducers && { reducers }) }, []);
      compactor.append([note, { ...note }], { synthetic: "time" });
      compactor.append(chatOfTokens(10, tokens - 2 * (note.content.length + 4)));
      assert.equal(compactor.status().tokens, tokens);
      await compactor.maintain("turnEnd");
      assert.equal(requests.length, 0, "no model is asked");
      const stay = compactor.messages().filter(({ content }) => content === note.content);
      compactor.dispose();
      return stay.length;
    };
    const edges = async (window, edge, when) => [await at(window, edge - 1, when), await at(window, edge, when), await at(window, edge + 1, when)];
    for (const window of WINDOWS) {
      assert.deepEqual(await edges(window, 0.5 * window), [2, 1, 1], `${window}`);
      for (const share of [0.2, 0.7]) {
        assert.deepEqual(await edges(window, share * window, { fraction: 0.5, maxTokens: share * window }), [2, 1, 1], `${share} of ${window}`);
      }
      assert.deepEqual(await edges(window, 0.6 * window, { fraction: 0.6, maxTokens: 0 }), [2, 1, 1]);
    }
  });

  test(`b4, c2: ${format}: removing what repeats delays the compaction`, async () => {
    const turnsUntilCompacted = async (reducers) => {
      const { compactor, requests } = await filled(format, { window: 8_000, ...reducers }, []);
      let turns = 0;
      for (; requests.length === 0 && turns < 100; turns += 1) {
        compactor.append(said("user", "Remember: be brief. ".repeat(10)), { synthetic: "reminder" });
        compactor.append(chatOf(2, 96));
        await compactor.maintain("turnEnd");
      }
      compactor.dispose();
      return turns;
    };
    // Each turn has 204 tokens of reminder and 200 of talk.
    assert.equal(await turnsUntilCompacted({ reducers: [] }), 16);
    assert.equal(await turnsUntilCompacted({}), 31);
  });

  test(`d12, d18, d17: ${format}: system prompt, summary and the last ten messages, through failures and a restore`, async () => {
    for (const window of WINDOWS) {
      const size = window / 40;
      const system = format === "anthropic" ? [] : [said("system", "Be kind.")];
      const requests = [];
      let fails = false;
      const after = [];
      const options = {
        format,
        summarize: (request) => {
          requests.push(request);
          if (fails) {
            throw new Error("out of order");
          }
          return `Notes ${requests.length}.`;
        },
        afterCompaction: ({ type, ...more }) => void after.push(more),
      };
      let compactor = await createCompactor({ ...options, policy: preset("fill", window) });
      compactor.append(system);
      const states = [];
      for (let round = 0; round < 6; round += 1) {
        // An odd number, so that the tail begins with either role.
        while (compactor.due("turnEnd") === undefined) {
          compactor.append(chatOf(1, size - 4).map((message) => ({ ...message, role: compactor.history().length % 2 ? "assistant" : "user" })));
        }
        const before = compactor.messages();
        states.push(before);
        fails = round % 3 === 1;
        if (fails) {
          const report = await compactor.maintain("turnEnd");
          assert.deepEqual([report.outcome, report.message], ["failed", "out of order"]);
          assert.deepEqual(compactor.messages(), before);
          const unchanged = { success: false, messagesBefore: before.length, messagesAfter: before.length, summaryCharacters: 0 };
          assert.deepEqual(after.at(-1), unchanged);
          assert.equal(compactor.due("turnEnd"), undefined, "the same messages are not tried again");
          fails = false;
        }
        const report = await compactor.compact();
        assert.equal(report.outcome, "applied", report.message);
        const view = compactor.messages();
        const [summary, ...tail] = view.slice(system.length);
        assert.deepEqual(view.slice(0, system.length), system);
        assert.equal(summary.role, "user");
        assert.ok(summary.content.includes(`Notes ${requests.length}.`), summary.content);
        assert.equal(JSON.stringify(view).split("Notes ").length, 2, "the earlier summary is gone");
        assert.ok(tail.length === 10 && tail.every((message, index) => message === compactor.history().at(index - 10)));
        assert.deepEqual(await refusals(format, view, []), []);
        const [previous] = /(?<=<previous_summary>\n).*/.exec(requests.at(-1).input);
        const applied = requests.length - (round % 3 === 1 ? 2 : 1);
        assert.equal(previous, round === 0 ? "" : `Notes ${applied}.`);
        assert.deepEqual(after.at(-1), { success: true, messagesBefore: before.length, messagesAfter: view.length, summaryCharacters: report.summary.length });
        if (round === 2) {
          const [snapshot, originals] = [compactor.snapshot(), compactor.history()];
          compactor.dispose();
          compactor = await restoreCompactor(snapshot, { ...options, originals });
          assert.deepEqual(compactor.messages(), view);
        }
      }
      for (const before of states.reverse()) {
        compactor.undo();
        assert.deepEqual(compactor.messages().slice(0, before.length), before, "undo gives back what was there");
      }
      compactor.dispose();
    }
  });

  test(`d1: ${format}: keep_last_messages is exact, and a result at the edge brings its call along`, async () => {
    const tailOf = async (keep, messages) => {
      const { compactor } = await filled(format, { window: 100_000, keep: { messages: keep } }, messages);
      assert.equal((await compactor.compact()).outcome, "applied");
      const stays = compactor.messages().filter((message) => messages.includes(message));
      compactor.dispose();
      return stays.length;
    };
    for (const keep of [1, 9, 10, 11, 20]) {
      assert.equal(await tailOf(keep, chatOf(41, 200)), keep);
    }
    const paired = [...chatOf(30, 200), said("user", "Look."), calling(format, "a"), resulting(format, "a", "a rose"), ...chatOf(10, 200).slice(1)];
    assert.deepEqual([await tailOf(9, paired), await tailOf(10, paired), await tailOf(11, paired), await tailOf(12, paired)], [9, 11, 11, 12]);
  });

  // Summarize: messages are preprocessed

  test(`d2: ${format}: thinking is removed, and results are cut above 200 characters`, async () => {
    const thinking =
      format === "anthropic"
        ? said("assistant", [{ type: "thinking", thinking: "secret plan", signature: "s" }, { type: "text", text: "I will look." }])
        : { ...said("assistant", "I will look."), reasoning_content: "secret plan" };
    const lengths = { a: 199, b: 200, c: 201, d: 5_000 };
    const looked = Object.entries(lengths).flatMap(([id, length]) => [calling(format, `call_${id}`), resulting(format, `call_${id}`, id.repeat(length))]);
    const { compactor, requests } = await filled(format, { window: 100_000 }, [said("user", "Look."), thinking, ...looked, ...chatOf(12, 100)]);
    assert.equal((await compactor.compact()).outcome, "applied");
    const [{ input }] = requests;
    assert.ok(input.includes("I will look.") && !input.includes("secret plan"));
    const shown = (id) => new RegExp(`${id}{20,}`).exec(input)[0].length;
    assert.deepEqual([shown("a"), shown("b")], [199, 200]);
    assert.deepEqual([shown("c"), shown("d")], [200, 200]);
    assert.match(input, /c… \[1 more characters\]\n[^]*d… \[4800 more characters\]\n/);
    compactor.dispose();
  });

  // Chunked compaction

  test(`d5: ${format}: N chunks are exactly N requests, each with the summary of the one before, and no pair is split`, async () => {
    for (let chunks = 1; chunks <= 8; chunks += 1) {
      for (const pairs of [1, 3, 4, 7, 12]) {
        const looked = Array.from({ length: pairs }, (_, index) => [calling(format, `call_${index}`), resulting(format, `call_${index}`, `result of call_${index}.`.padEnd(index % 3 ? 100 : 10, "."))]);
        const requests = [];
        const summarize = (request) => `Notes ${requests.push(request)}.`;
        const policy = { window: 100_000, summary: { chunks } };
        const { compactor } = await filled(format, policy, [...looked.flat(), said("assistant", "Done. ".repeat(200)), ...chatOf(10, 1_000)], { summarize });
        compactor.setTodo("- [ ] water bed 7");
        assert.equal((await compactor.compact()).outcome, "applied");
        // Each pair can be a chunk of its own, and so can the answer.
        const expected = Math.min(chunks, pairs + 1);
        assert.equal(requests.length, expected, `${chunks} chunks of ${pairs} pairs`);
        for (const [index, { input, chunkIndex, chunkCount }] of requests.entries()) {
          assert.deepEqual([chunkIndex, chunkCount], [index, expected]);
          assert.equal(/(?<=<previous_summary>\n).*/.exec(input)[0], index === 0 ? "" : `Notes ${index}.`);
          assert.equal(input.includes("water bed 7"), index === expected - 1, "the todo state is in the last chunk only");
          const called = input.match(/(?<="at":"call_)\d+/g) ?? [];
          assert.deepEqual(input.match(/(?<=result of call_)\d+/g) ?? [], called);
        }
        const all = requests.map(({ input }) => input).join("\n");
        assert.equal(all.match(/result of call_/g).length, pairs, "each once");
        compactor.dispose();
      }
    }
  });

  test(`d5: ${format}: one chunk is a single pass, however long the messages are`, async () => {
    const { compactor, requests } = await filled(format, { window: 1_000_000 }, chatOf(60, 10_000));
    assert.equal((await compactor.compact()).outcome, "applied");
    assert.equal(requests.length, 1);
    assert.ok(requests[0].input.length > 500_000);
    compactor.dispose();
  });

  // Progressive retry

  test(`d7: ${format}: 200, 150, 100, 50 and 0 characters, then fewer messages down to none, and then a warning`, async () => {
    const events = [];
    // The last request alone is above 80 %, whatever is left out.
    for (const [share, keeps, warned] of [[0.85, [5, 2, 1, 0], true], [0.3, [], false]]) {
      for (const window of [8_000, 100_000]) {
        const looked = Array.from({ length: 8 }, (_, index) => [calling(format, `call_${index}`), resulting(format, `call_${index}`, "r".repeat(300))]);
        const messages = [said("user", "Look."), ...looked.flat(), ...chatOf(11, 20), said("user", "x".repeat(share * window))];
        const { compactor, requests } = await filled(format, { window }, messages, { onEvent: (event) => events.push(event) });
        const report = await compactor.compact();
        assert.equal(report.outcome, "applied", report.message);
        const shorter = events.splice(0).filter(({ type }) => type === "shorter" || type === "tooLarge");
        const levels = warned ? [150, 100, 50, 0, ...keeps.map(() => 0)] : [];
        assert.deepEqual(shorter.filter(({ type }) => type === "shorter").map(({ toolResultMaxCharacters, keep }) => [toolResultMaxCharacters, keep.messages]), levels.map((level, index) => [level, index < 4 ? 10 : keeps[index - 4]]));
        for (const [index, { input }] of requests.entries()) {
          const longest = Math.max(0, ...(input.match(/r{5,}/g) ?? []).map(({ length }) => length));
          const limit = [200, ...levels][index];
          assert.ok(longest <= limit && longest >= limit - 40, `${longest} of ${limit}`);
        }
        assert.equal(requests.length, levels.length + 1);
        const warning = shorter.find(({ type }) => type === "tooLarge");
        assert.equal(warning !== undefined, warned);
        if (warned) {
          assert.match(warning.message, /manually.*new session/s);
        }
        compactor.dispose();
      }
    }
  });

  test(`d7: ${format}: the retries end as soon as the result is small enough`, async () => {
    // Forty results make a summary of 8,000 tokens, 6,000, 4,000, 2,000 or next to none; 8,000 are too many in all.
    const looked = Array.from({ length: 40 }, (_, index) => [calling(format, `call_${index}`), resulting(format, `call_${index}`, "r".repeat(300))]);
    for (const [size, levels] of [[100, [150]], [300, [150, 100]], [500, [150, 100, 50]], [590, [150, 100, 50, 0]]]) {
      const shorter = [];
      const summarize = ({ input }) => `They looked. ${(input.match(/r{5,}/g) ?? []).join(" ")}`;
      const onEvent = (event) => event.type === "shorter" && shorter.push([event.toolResultMaxCharacters, event.keep.messages]);
      const { compactor } = await filled(format, { window: 10_000 }, [said("user", "Look."), ...looked.flat(), ...chatOf(10, size - 4)], { summarize, onEvent });
      const report = await compactor.maintain("turnEnd");
      assert.equal(report.outcome, "applied", report.message);
      assert.deepEqual(shorter, levels.map((level) => [level, 10]), `messages of ${size} tokens`);
      assert.ok(report.tokensAfter < 8_000);
      assert.equal(compactor.messages().length, 11);
      compactor.dispose();
    }
  });

  // Hooks

  test(`g4, d13: ${format}: hooks know the fill, and whether the compaction was asked for; one that is skipped changes nothing`, async () => {
    for (const window of WINDOWS) {
      const seen = [];
      let skip = true;
      const beforeCompaction = (context) => {
        seen.push(context);
        return { skip };
      };
      const messages = chatOfTokens(20, 0.8 * window);
      const { compactor, requests } = await filled(format, { window }, messages, { beforeCompaction, afterCompaction: (news) => seen.push(news.success) });
      assert.equal((await compactor.maintain("turnEnd")).outcome, "skipped");
      const context = { reason: "threshold", forced: false, tokensUsed: 0.8 * window, contextPercent: 80, messageCount: 20, keepLast: 10 };
      assert.deepEqual(seen.splice(0), [context]);
      assert.deepEqual([requests.length, compactor.messages()], [0, messages]);
      skip = false;
      assert.equal((await compactor.compact()).outcome, "applied");
      assert.deepEqual(seen.splice(0), [{ ...context, reason: "session-compaction", forced: true }, true]);
      compactor.dispose();
    }
  });

  // Manual trigger

  test(`d13: ${format}: a compaction can be asked for at any fill, in a row, and with nothing to do it says so`, async () => {
    const { compactor, requests } = await filled(format, { window: 200_000 }, chatOf(60, 300));
    assert.ok(compactor.status().budgetUsedPct < 10 && compactor.due("turnEnd") === undefined);
    assert.equal((await compactor.compact({ instructions: "focus on the roses" })).outcome, "applied");
    assert.ok(requests[0].system.includes("focus on the roses"));
    assert.equal((await compactor.compact()).outcome, "skipped", "only what has to stay is left");
    compactor.append(chatOf(12, 300));
    assert.equal((await compactor.compact()).outcome, "applied");
    assert.ok(!requests[1].system.includes("focus on the roses"));
    assert.equal(requests.length, 2);
    compactor.dispose();
  });

  // Per-agent overrides: the document's three examples, and no summarizer at all

  test(`d11, b10: ${format}: agents have thresholds, tails, windows and summarizers of their own`, async () => {
    const policy = {
      window: 40_000,
      summary: { prompts: { Compaction: "Condense." } },
      agents: {
        Own: { summary: { prompt: "Compaction", agent: "FastCompactor" } },
        Fast: { summary: { agent: "FastCompactor" } },
        Late: { triggers: [{ fill: { fraction: 0.95 } }], keep: { messages: 20 } },
        Small: { window: 8_000, modelWindow: 128_000 },
        Pruned: {
          summary: { agent: null, defaultAgent: null },
          reducers: [{ reducer: { clearToolInputs: { protectFraction: 0 } } }],
        },
      },
    };
    const run = async (agent, tokens, first = []) => {
      const hooked = [];
      const options = { agent, beforeCompaction: () => void hooked.push("before"), afterCompaction: () => void hooked.push("after") };
      const { compactor, requests } = await filled(format, policy, [...first, ...chatOfTokens(40, tokens)], options);
      const report = await compactor.maintain("turnEnd");
      const stays = compactor.messages().filter((message) => compactor.history().includes(message)).length;
      compactor.dispose();
      return { outcome: outcomeOf(report), summarizer: requests[0]?.summarizer, stays, hooked };
    };
    const agent = (name) => ({ kind: "agent", name });
    const both = ["before", "after"];
    const applied = { outcome: "applied", summarizer: agent("summarizer"), stays: 10, hooked: both };
    const notDue = { outcome: "not due", summarizer: undefined, stays: 40, hooked: [] };
    assert.deepEqual(await run("Anyone", 32_000), applied);
    assert.deepEqual(await run("Own", 32_000), { ...applied, summarizer: { kind: "own", prompt: "Compaction" } });
    assert.deepEqual(await run("Fast", 32_000), { ...applied, summarizer: agent("FastCompactor") });
    assert.deepEqual([await run("Late", 37_999), await run("Late", 38_000)], [notDue, { ...applied, stays: 20 }]);
    assert.deepEqual([await run("Small", 6_399), await run("Small", 6_400)], [notDue, applied]);
    const pruned = await run("Pruned", 32_000, [said("user", "Write."), ...writing(format, 900)]);
    assert.deepEqual(pruned, { outcome: "applied", summarizer: undefined, stays: 42, hooked: [] });
  });

  // Pruning

  const written = writing(format, 900);

  test(`c3: ${format}: pruning is off by default, works after each tool loop, or in compactions`, async () => {
    const clearToolInputs = { protectFraction: 0.3, argThresholdTokens: 200 };
    const modes = {
      off: undefined,
      iteration: [{ reducer: { clearToolInputs }, when: { at: { phase: "loop", trigger: "always" } } }],
      compaction: [{ reducer: { clearToolInputs } }],
    };
    // The pair is old: more than 30 % of the window follow it. It is in the tail, where a compaction leaves it.
    const messages = [...chatOf(20, 100), said("user", "Write."), ...written, ...chatOf(8, 500).slice(1)];
    const isWhole = (compactor) => compactor.messages().includes(written[0]);
    const found = {};
    for (const [mode, reducers] of Object.entries(modes)) {
      const { compactor } = await filled(format, { window: 10_000, ...(reducers && { reducers }) }, messages);
      const steps = [];
      for (const phase of ["requestStart", "turnStart", "turnEnd", "loop"]) {
        await compactor.maintain(phase);
        steps.push(isWhole(compactor));
      }
      await compactor.compact();
      found[mode] = [...steps, isWhole(compactor)];
      compactor.dispose();
    }
    assert.deepEqual(found, {
      off: [true, true, true, true, true],
      iteration: [true, true, true, false, false],
      compaction: [true, true, true, true, false],
    });
  });

  test(`c3: ${format}: the newest messages that cover 30 % of the window are never touched`, async () => {
    const reducers = [{ reducer: { clearToolInputs: {} }, when: "always" }];
    for (const window of [10_000, 200_000]) {
      const prunedWith = async (covered) => {
        const { compactor } = await filled(format, { window, reducers }, [said("user", "Write."), ...written]);
        const pair = compactor.status().tokens - "Write.".length - 4;
        compactor.append(chatOfTokens(4, covered - pair));
        await compactor.maintain("turnEnd");
        const pruned = !compactor.messages().includes(written[0]);
        compactor.dispose();
        return pruned;
      };
      const edge = 0.3 * window;
      assert.deepEqual([await prunedWith(edge - 1), await prunedWith(edge), await prunedWith(edge + 1)], [false, false, true], `${window}`);
    }
  });
}

// Settings: tool_result_max_length, and the shorter limits of the retries

test("d2: the limit on tool results does not cut the arguments of calls, in no attempt", async () => {
  const args = { path: "src/roses.rs", text: "plant the roses ".repeat(20) };
  const messages = [
    said("user", "go"),
    ...Array.from({ length: 6 }, (_, index) => toolRound(`c${index}`, "r".repeat(400), { args })).flat(),
    ...chatOf(4, 300),
  ];
  const { requests, summarize } = scripted("They planted roses. ".repeat(40));
  const policy = {
    window: 6_000,
    triggers: [{ tokens: 300 }],
    target: 0.9,
    keep: { messages: 4 },
    summary: { fallbackLevels: [150, 50, 0], toolResultMaxCharacters: 200 },
  };
  const compactor = await compactorWith(policy, messages, { summarize });
  await compactor.compact();
  assert.ok(requests.length > 3, `${requests.length} requests`);
  for (const { input } of requests.slice(0, 4)) {
    assert.ok(input.includes(JSON.stringify(args)), "the arguments are whole");
  }
  assert.equal(requests[3].input.match(/r{3,}/g), null, "the results are cut to nothing");
  compactor.dispose();
});

test("d2: arguments have a limit of their own", async () => {
  const args = { text: "plant the roses ".repeat(20) };
  const messages = [said("user", "go"), ...toolRound("a", "ok", { args }), ...chatOf(4, 300)];
  const { requests, summarize } = scripted("They planted roses.");
  const policy = { keep: { messages: 2 }, summary: { toolInputMaxCharacters: 30 } };
  const compactor = await compactorWith(policy, messages, { summarize });
  await compactor.compact();
  assert.match(requests[0].input, /calls look \{"text":"plant the roses plant… \[\d+ more characters\]/);
  assert.ok(requests[0].input.includes("look answers: ok"));
  compactor.dispose();
});

// Pruning of tool-call arguments

const always = (argThresholdTokens) => ({
  reducers: [{ reducer: { clearToolInputs: { protectFraction: 0, argThresholdTokens } }, when: "always" }],
});

/** The arguments that the model sees of a call with these. */
async function pruned(args, argThresholdTokens = 200) {
  const messages = [said("user", "go"), ...toolRound("a", "ok", { args }), said("assistant", "done"), said("user", "so?")];
  const compactor = await compactorWith(always(argThresholdTokens), messages);
  await compactor.maintain("turnEnd");
  const seen = compactor.messages()[1].tool_calls[0].function.arguments;
  compactor.dispose();
  return seen;
}

test("c3: arguments of many short values are pruned, and their names stay", async () => {
  const args = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`field${at}`, `a short value ${at}`]));
  const seen = JSON.parse(await pruned(args));
  assert.deepEqual(Object.keys(seen), Object.keys(args));
  assert.ok(Object.values(seen).every((value) => value === "…"));
});

test("c3: arguments that are an array are pruned to its first items", async () => {
  const args = Array.from({ length: 100 }, (_, at) => at);
  const seen = JSON.parse(await pruned(args));
  assert.deepEqual(seen.slice(0, 3), [0, 1, 2]);
  assert.match(seen.at(-1), /^\[\d+ more left out\]$/);
  assert.ok(JSON.stringify(seen).length <= 200);
});

test("c3: arguments at the threshold stay, and one above it are pruned", async () => {
  const args = { text: "x".repeat(189) };
  const { length } = JSON.stringify(args);
  assert.equal(length, 200);
  assert.equal(await pruned(args, 200), JSON.stringify(args));
  assert.deepEqual(JSON.parse(await pruned(args, 199)), { text: "[189 characters left out]" });
});

// What gets preserved: what the summarizer is asked to copy, and the todo state

for (const format of FORMATS) {
  test(`d10: ${format}: paths, packages and decisions are asked for, and the todo state follows every summary`, async () => {
    const facts = ["We keep src/beds/rose.rs as it is.", "We use serde_json 1.0.140.", "We decided to use SQLite, because one file is enough."];
    const requests = [];
    // A summarizer that does what it is asked to: it copies the lines of facts that it reads.
    const summarize = (request) => {
      requests.push(request);
      return ["They worked.", ...facts.filter((fact) => request.input.includes(fact))].join("\n");
    };
    const policy = { window: 60_000 };
    const { compactor } = await filled(format, policy, [said("user", facts.join("\n"))], { summarize });
    for (const todo of ["- [ ] plant\n- [x] dig", "- [x] plant\n- [ ] water", "", "  - any text is kept: <b>&amp;</b>"]) {
      compactor.setTodo(todo);
      compactor.append(chatOf(30, 300).slice(1));
      const report = await compactor.compact();
      assert.equal(report.outcome, "applied", report.message);
      const { system, input } = requests.at(-1);
      for (const asked of [/checklists and acceptance criteria/, /file paths, package names and versions/, /decisions with their reasons/]) {
        assert.match(system, asked);
      }
      const [summary] = compactor.messages();
      assert.ok(facts.every((fact) => summary.content.includes(fact)), "also from the earlier summary");
      assert.ok(summary.content.includes(todo));
      assert.equal(summary.content.includes("dig"), todo.includes("dig"), "only the latest state");
      assert.equal(input.includes("water"), todo.includes("water"));
    }
    compactor.dispose();
  });
}

// What gets preserved: requirement checklists and acceptance criteria

const ITEMS = Array.from({ length: 120 }, (_, item) => `- [ ] Requirement ${item + 1}: the greenhouse reports sensor ${item + 1} to the gardener`);

/** A compactor of this policy whose summarizer copies nothing, over a conversation that begins with this text. */
async function forgetful(policy, text, options = {}) {
  const { requests, summarize } = scripted("They talked about a greenhouse.");
  const compactor = await createCompactor({ format: "openai-chat", policy, summarize, ...options });
  compactor.append([said("user", text), ...chatOf(39, 6_000).slice(1)]);
  return { compactor, requests };
}

const linesOf = (messages) => messages.flatMap(({ content }) => String(content).split("\n"));
const itemsIn = (messages) => linesOf(messages).filter((line) => ITEMS.includes(line));
const checklist = (facts) => facts.filter(({ kind }) => kind === "checklist");

for (const name of ["fill", "recommended"]) {
  test(`d10: a checklist of 120 items stays whole through several compactions, by ${name}`, async () => {
    const policy = { preset: name, keepRequestsTokens: 0 };
    let { compactor } = await forgetful(policy, `Build it.\n\n${ITEMS.join("\n")}\n\nThanks.`);
    for (let round = 0; round < 4; round += 1) {
      const report = await compactor.compact();
      assert.equal(report.outcome, "applied", report.message);
      assert.deepEqual(itemsIn(compactor.messages()), ITEMS, `after compaction ${round + 1}`);
      assert.equal(checklist(report.receipt.appended).length, 120);
      assert.deepEqual(checklist(report.receipt.givenUp), []);
      assert.doesNotMatch(report.summary, /left out/);
      const [snapshot, originals] = [compactor.snapshot(), compactor.history()];
      compactor.dispose();
      compactor = await restoreCompactor(snapshot, { format: "openai-chat", originals, summarize: () => "They went on." });
      compactor.append(chatOf(40, 6_000));
    }
    compactor.undo();
    assert.deepEqual(itemsIn(compactor.messages()), ITEMS);
    compactor.dispose();
  });
}

test("d10: a checklist above the policy's size is cut with a note, and the receipt lists what is left out", async () => {
  for (const checklistTokens of [0, 100, 300, 1_000, 2_000]) {
    const policy = { preset: "fill", counting: { charactersPerToken: 4 }, window: 60_000, summary: { checklistTokens } };
    const { compactor } = await forgetful(policy, ITEMS.join("\n"));
    for (let round = 0; round < 2; round += 1) {
      const { outcome, message, receipt, summary } = await compactor.compact();
      assert.equal(outcome, "applied", message);
      const kept = itemsIn(compactor.messages());
      assert.deepEqual(kept, ITEMS.slice(0, kept.length), "from its beginning");
      assert.equal(checklist(receipt.appended).length, kept.length);
      // Without the setting nothing is known of a list that an earlier summary has lost.
      const known = checklistTokens === 0 && round > 0 ? 0 : 120;
      assert.equal(checklist(receipt.givenUp).length + kept.length, known, `compaction ${round + 1}`);
      assert.ok(kept.join("\n").length / 4 <= checklistTokens, `${kept.length} items in ${checklistTokens} tokens`);
      assert.ok(checklistTokens < 300 || kept.join("\n").length / 4 > checklistTokens * 0.8, `${kept.length} items use ${checklistTokens} tokens`);
      assert.equal(/\[(\d+) .*left out\]/.exec(summary)?.[1], checklistTokens === 0 ? undefined : String(120 - kept.length));
      compactor.append(chatOf(40, 6_000));
    }
    compactor.dispose();
  }
});

test("d10: a list has the state of its latest mention, and one that the tail has is not repeated", async () => {
  const done = ITEMS.map((item, index) => (index < 30 ? item.replace("[ ]", "[x]") : item));
  const { compactor } = await forgetful({ preset: "fill" }, ITEMS.join("\n"));
  compactor.append([said("assistant", `Now:\n${done.slice(0, 60).join("\n")}`), ...chatOf(20, 6_000)]);
  await compactor.compact();
  const lines = linesOf(compactor.messages()).filter((line) => /^- \[.\] Requirement/.test(line));
  assert.deepEqual(lines.sort(), done.toSorted(), "each once, as it was last");
  compactor.append([...chatOf(20, 6_000), said("assistant", done.map((item) => item.replace("[ ]", "[x]")).join("\n")), said("user", "Good.")]);
  const { receipt } = await compactor.compact();
  assert.equal(checklist(receipt.appended).length, 0);
  assert.equal(checklist(receipt.kept).length, 120);
  compactor.dispose();
});

test("d10: acceptance criteria survive: under a heading, labelled, as steps, and as one sentence", async () => {
  const criteria = [
    "1. The gardener sees every sensor within a second",
    "2. A broken sensor is shown in red",
    "AC3: an export has one line per sensor",
    "Scenario: A cold night",
    "Given a greenhouse below four degrees",
    "And a gardener who is asleep",
    "When the alarm is due",
    "Then the heating starts first",
    "But the alarm is not silenced",
    "Given a full log, when a line is added, then the oldest line is removed.",
  ];
  const [one, two, labelled, ...rest] = criteria;
  const steps = rest.slice(0, -1).join("\n  ");
  const text = `Please build it.\n## Acceptance criteria\n${one}\n${two}\n\nOther things:\n- a nice logo\n${labelled}\n\n  ${steps}\n\nAlso: ${rest.at(-1)} That is all.`;
  const { compactor } = await forgetful({ preset: "fill", summary: { ledgerTokens: 0 } }, text);
  const { receipt } = await compactor.compact();
  assert.deepEqual(checklist(receipt.appended).map((fact) => fact.text), criteria);
  const lines = linesOf(compactor.messages());
  assert.deepEqual(criteria.filter((criterion) => !lines.includes(criterion)), []);
  assert.ok(!lines.includes("- a nice logo"));
  compactor.dispose();
});

test("d10: names of people are facts, and what is no name is none", async () => {
  const text = [
    "Yesterday we met with Maria Gonzalez and Jean-Luc van der Berg about the plan.",
    "Priya said that the pumps are late, and Dr. Chen disagrees.",
    "Please ask Tom; it was approved by Olga.",
    "Alice, Bob and Carol agreed on it. My name is Søren O'Neill.",
    "Let us use the API. This Is fine. The end.",
  ];
  const { compactor } = await forgetful({ preset: "recommended", keepRequestsTokens: 0 }, text.join("\n"));
  const { receipt } = await compactor.compact();
  const names = [...receipt.kept, ...receipt.appended, ...receipt.givenUp].filter(({ kind }) => kind === "name");
  const expected = ["Alice", "Bob", "Carol", "Chen", "Jean-Luc van der Berg", "Maria Gonzalez", "Olga", "Priya", "Søren O'Neill", "Tom"];
  assert.deepEqual(names.map((fact) => fact.text).sort(), expected);
  const view = JSON.stringify(compactor.messages());
  assert.deepEqual(expected.filter((name) => !view.includes(name)), []);
  compactor.dispose();
});

// Configuration: the full YAML, and overrides in an agent's front matter. The app reads YAML with a library of its own.

const YAML = `# settings of the app
log: debug
compaction:
  preset: fill
  keep:
    messages: 10
  triggers:
    - fill: { fraction: 0.8, maxTokens: 0 }
  reducers:
    - reducer: deduplicate
      when: { fill: { fraction: 0.5 } }
    - reducer:
        clearToolInputs:
          protectFraction: 0.3
          argThresholdTokens: 200
  summary:
    chunks: 1
    toolResultMaxCharacters: 200
    prompt: null
`;

const AGENTS = {
  Own: "---\nname: Own\nfeatures:\n  compaction:\n    summary: { prompt: conclusions }\n---\n# Own\n\nYou are on your own.\n",
  Fast: "---\nfeatures:\n  compaction:\n    summary: { agent: FastCompactor }\n---\n",
  Late: "---\nfeatures:\n  compaction:\n    triggers: [{ fill: { fraction: 0.95 } }]\n    keep: { messages: 20 }\n---\nYou are late.\n\n---\n",
  Plain: "# Plain\n\n---\nfeatures: none\n---\n",
};

/** The front matter of a Markdown file, behind an empty line in place of its first fence: lines keep their numbers. */
const frontMatter = (markdown) => /^---\r?(\n.*?)^---\r?$/ms.exec(markdown.startsWith("---") ? markdown : "")?.[1] ?? "";

test("h6: settings from YAML and front matter are the same as from JSON", async () => {
  const json = {
    preset: "fill",
    keep: { messages: 10 },
    triggers: [{ fill: { fraction: 0.8, maxTokens: 0 } }],
    reducers: [
      { reducer: "deduplicate", when: { fill: { fraction: 0.5 } } },
      { reducer: { clearToolInputs: { protectFraction: 0.3, argThresholdTokens: 200 } } },
    ],
    summary: { chunks: 1, toolResultMaxCharacters: 200, prompt: null },
  };
  const { compaction } = parse(YAML);
  assert.deepEqual(await resolvePolicy(compaction), await resolvePolicy(json));
  const settings = Object.entries(AGENTS).map(([name, file]) => [name, parse(frontMatter(file))?.features?.compaction ?? {}]);
  const policy = { ...compaction, agents: Object.fromEntries(settings) };
  const own = await resolvePolicy(policy, "Own");
  assert.deepEqual([own.summary.prompt, own.keep], ["conclusions", { messages: 10 }]);
  assert.equal((await resolvePolicy(policy, "Fast")).summary.agent, "FastCompactor");
  const late = await resolvePolicy(policy, "Late");
  assert.deepEqual([late.keep, late.triggers[0].fill.fraction], [{ messages: 20 }, 0.95]);
  assert.deepEqual(await resolvePolicy(policy, "Plain"), await resolvePolicy(compaction));
  const { requests, summarize } = scripted("They worked.");
  const compactor = await createCompactor({ format: "openai-chat", policy: { ...policy, window: 60_000 }, agent: "Own", summarize });
  compactor.append(chatOf(40, 6_000));
  assert.equal((await compactor.maintain("turnEnd"))?.outcome, "applied");
  assert.deepEqual(requests[0].summarizer, { kind: "own", prompt: "conclusions" });
  compactor.dispose();
});

test("h6: every preset survives being written as YAML and read again", async () => {
  for (const { name } of await presets()) {
    const policy = await resolvePolicy({ preset: name });
    assert.deepEqual(await resolvePolicy(parse(stringify(policy))), policy, name);
  }
});

test("h6: an error names the field, by which the YAML library finds the line", async () => {
  const lineOf = async (text, path) => {
    const lineCounter = new LineCounter();
    const document = parseDocument(text, { lineCounter });
    if (document.errors.length > 0) return document.errors[0].linePos[0].line;
    const error = await resolvePolicy(document.getIn(path).toJSON()).then(assert.fail, (error) => error);
    assert.equal(error.code, "invalid-policy", error.message);
    const field = /^policy\.([\w.[\]]+): /.exec(error.message)[1].split(/[.[\]]+/).filter(Boolean);
    return lineCounter.linePos(document.getIn([...path, ...field], true).range[0]).line;
  };
  assert.equal(await lineOf(YAML.replace("messages: 10", "messages: -1"), ["compaction"]), 6);
  assert.equal(await lineOf(YAML.replace("fraction: 0.8", "fraction: 80"), ["compaction"]), 8);
  assert.equal(await lineOf(YAML.replace("chunks: 1", "chunk: 1"), ["compaction"]), 17);
  assert.equal(await lineOf(YAML.replace("messages: 10", "messages: ["), ["compaction"]), 7);
  assert.equal(await lineOf(frontMatter(AGENTS.Late.replace("20", "many")), ["features", "compaction"]), 5);
});

// Not reproduced here:
//
// - `/compact`, `compaction.yaml`, `features.compaction`, `sdk.Result` and plugins: names of that system's commands, files
//   and types. `docs/sources.md` has ours; what they do is tested above.
// - The separate compaction agent: an app runs its agents. A request for a summary says which one is meant.
// - The warning on a screen: the event `tooLarge` has its text, and the app shows it.
// - A summary that "preserves structured data": a model writes it. Tested is what it is asked for, and what is kept
//   whatever it writes.
// - `keep_last_messages` in a window without room for them: fewer stay, see "Where the presets deviate" in `docs/sources.md`.
