// The fill-percent system: its document's rules through the package, section by section. Its settings are in
// `fill-settings.test.mjs`, and what gets preserved in `fill-preserved.test.mjs`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, restoreCompactor } from "epitome";
import { FORMATS, chatOf, chatOfTokens, compactorOf, compactorWith, preset, said, scripted, toolRound, varied } from "../node/harness.mjs";
import { refusals } from "../node/legality.mjs";
import { calling, resulting } from "../node/model-server.mjs";

const WINDOWS = [4_000, 32_000, 200_000];

/** A compactor of the preset with these settings. */
const filled = (format, policy, ...more) => compactorOf(format, preset("fill", undefined, policy), ...more);

const outcomeOf = (report) => report?.outcome ?? "not due";

// How it works: at 50 % repeated synthetic messages go, at 80 % older messages are summarized. Configuration: each number

for (const format of FORMATS) {
  test(`b3: ${format}: one token below 80 % nothing happens, at it and above it older messages are summarized`, async () => {
    const at = async (window, tokens, fill) => {
      const policy = { window, ...(fill && { triggers: [{ fill }] }) };
      const { compactor, requests } = await filled(format, policy, chatOfTokens(20, tokens));
      assert.equal(compactor.status().tokens, tokens);
      const outcome = outcomeOf(await compactor.compactIfNeeded({ phase: "turnEnd" }));
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
      await compactor.compactIfNeeded({ phase: "turnEnd" });
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
        await compactor.compactIfNeeded({ phase: "turnEnd" });
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
          const report = await compactor.compactIfNeeded({ phase: "turnEnd" });
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
      // A summary in which nothing comes twice, as long as what it reads of the results.
      const told = varied(12_000);
      const part = ({ length }, index) => told.slice(index * 300, index * 300 + length);
      const summarize = ({ input }) => `They looked. ${(input.match(/r{5,}/g) ?? []).map(part).join(" ")}`;
      const onEvent = (event) => event.type === "shorter" && shorter.push([event.toolResultMaxCharacters, event.keep.messages]);
      const { compactor } = await filled(format, { window: 10_000 }, [said("user", "Look."), ...looked.flat(), ...chatOf(10, size - 4)], { summarize, onEvent });
      const report = await compactor.compactIfNeeded({ phase: "turnEnd" });
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
      assert.equal((await compactor.compactIfNeeded({ phase: "turnEnd" })).outcome, "skipped");
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
}

// Settings: tool_result_max_length, and the shorter limits of the retries

test("d2: the limit on tool results does not cut the arguments of calls, in no attempt", async () => {
  const args = { path: "src/roses.rs", text: "plant the roses ".repeat(20) };
  const messages = [
    said("user", "go"),
    ...Array.from({ length: 6 }, (_, index) => toolRound(`c${index}`, "r".repeat(400), { args })).flat(),
    ...chatOf(4, 300),
  ];
  const { requests, summarize } = scripted(varied(800));
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

// Not reproduced here:
//
// - `/compact`, `compaction.yaml`, `features.compaction`, `sdk.Result` and plugins: names of that system's commands, files
//   and types. `docs/sources.md` has ours; what they do is tested above.
// - The separate compaction agent: an app runs its agents. A request for a summary says which one is meant.
// - The warning on a screen: the event `tooLarge` has its text, and the app shows it.
// - A summary that "preserves structured data": a model writes it. Tested is what it is asked for, and what is kept
//   whatever it writes.
// - `keep_last_messages` in a window without room for them: fewer stay, see "Where the presets deviate" in `docs/sources.md`.
