// Request boundaries and reactive compaction: its document's rules through the package, section by section. The function
// that summarizes is in `request-summarize.test.mjs`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, recentWithin, resolvePolicy, restoreCompactor } from "epitome";
import { FORMATS, chatOf, chatOfTokens, preset, said, scripted } from "../node/harness.mjs";
import { refusals } from "../node/legality.mjs";
import { calling, resulting } from "../node/model-server.mjs";

/** Rounds of a tool: the pairs of a call and its result, with these numbers, of about this many tokens each. */
const roundsOf = (format, from, to, tokens) =>
  Array.from({ length: to - from }, (_, index) => {
    const id = `call_${from + index}`;
    return [calling(format, id), resulting(format, id, `${id} roses `.padEnd(tokens - 40, "and figs "))];
  });

// Context window budget

test("b8, b9, b10, d1, d19: the settings have the document's values", async () => {
  const { window, triggers, keep, summary, summaryPlacement } = await resolvePolicy({ preset: "request" });
  const reactive = { microFraction: 0.85, fullFraction: 0.92, keepRounds: 2, microBatchRounds: 2, maxPerRequest: 3 };
  assert.equal(window, 200_000);
  assert.deepEqual(triggers, [{ requestBoundary: { triggerTokens: 80_000, minMessages: 20 } }, { reactive }]);
  assert.deepEqual([keep, summary.input, summaryPlacement], [{ rounds: 2 }, "messages", "inPlace"]);
});

for (const format of FORMATS) {
  test(`b12: ${format}: the used share of the window is in the status and in every event, of 200,000 tokens if none is set`, async () => {
    for (const [window, size] of [[undefined, 200_000], [8_000, 8_000]]) {
      const events = [];
      const onEvent = (event) => events.push(event);
      const compactor = await createCompactor({ format, policy: preset("request", window), onEvent, summarize: () => "They worked." });
      compactor.append(chatOfTokens(20, 0.25 * size));
      assert.equal(compactor.status().budgetUsedPct, 25);
      compactor.append(chatOfTokens(20, 0.5 * size));
      assert.equal(compactor.status().budgetUsedPct, 75);
      const report = await compactor.compactIfNeeded({ phase: "requestStart" });
      assert.equal(events.find(({ type }) => type === "start").budgetUsedPct, 75);
      const after = (100 * report.tokensAfter) / size;
      assert.ok(Math.abs(report.budgetUsedPct - after) < 1e-9 && after < 25);
      assert.equal(events.find(({ type }) => type === "end").report.budgetUsedPct, report.budgetUsedPct);
      compactor.dispose();
    }
  });

  test(`b13: ${format}: a budget loads the most recent messages that fit, and no result without its call`, async () => {
    for (const size of [100, 10_000]) {
      const chat = chatOf(6, size - 4);
      const [[call, result]] = roundsOf(format, 1, 2, size);
      const messages = [...chat.slice(0, 4), call, result, ...chat.slice(4)];
      const compactor = await createCompactor({ format, policy: preset("request", 1_000_000) });
      compactor.append([call, result]);
      const pair = compactor.status().tokens;
      compactor.dispose();
      const load = async (tokens) => (await recentWithin(messages, { format, tokens, counting: { charactersPerToken: 1 } })).map((message) => messages.indexOf(message));
      assert.deepEqual([await load(size - 1), await load(size), await load(size + 1)], [[], [7], [7]]);
      const two = 2 * size;
      assert.deepEqual([await load(two + pair - 1), await load(two + pair), await load(two + pair + 1)], [[6, 7], [4, 5, 6, 7], [4, 5, 6, 7]]);
      const all = 6 * size + pair;
      assert.deepEqual([(await load(all - 1)).length, (await load(all)).length], [7, 8]);
    }
  });
}

// Request-boundary compaction

for (const format of FORMATS) {
  test(`b8: ${format}: one token or one message below it is not due, and only the start of a request counts`, async () => {
    const at = async (messages, tokens, policy) => {
      const { requests, summarize } = scripted("They worked.");
      const compactor = await createCompactor({ format, policy: preset("request", undefined, policy), summarize });
      compactor.append(chatOfTokens(messages, tokens));
      assert.equal(compactor.status().tokens, tokens);
      for (const phase of ["turnStart", "loop", "turnEnd"]) {
        assert.equal(await compactor.compactIfNeeded({ phase: phase }), undefined, phase);
      }
      const report = await compactor.compactIfNeeded({ phase: "requestStart" });
      assert.equal(requests.length, report === undefined ? 0 : 1);
      compactor.dispose();
      return report?.outcome;
    };
    const boundary = (requestBoundary) => ({ window: 200_000, triggers: [{ requestBoundary }] });
    for (const [policy, tokens, messages] of [
      [{}, 80_000, 20],
      [{ window: 1_000_000 }, 80_000, 20],
      [{ window: 8_000 }, 3_200, 20],
      [boundary({ triggerTokens: 5_000, minMessages: 6 }), 5_000, 6],
    ]) {
      const edges = [await at(messages, tokens - 1, policy), await at(messages, tokens, policy), await at(messages, tokens + 1, policy)];
      assert.deepEqual(edges, [undefined, undefined, "applied"], JSON.stringify(policy));
      const counts = [await at(messages - 1, tokens + 1, policy), await at(messages, tokens + 1, policy), await at(messages + 1, tokens + 1, policy)];
      assert.deepEqual(counts, [undefined, "applied", "applied"], JSON.stringify(policy));
    }
  });

  test(`d12, d17, d18: ${format}: one summary message stands for the old ones in all later requests, through failures and a restore`, async () => {
    for (const window of [8_000, 200_000]) {
      const system = format === "anthropic" ? [] : [said("system", "Be kind.")];
      const size = Math.floor(window / 100);
      const calls = [];
      let fails = false;
      const events = [];
      const options = {
        format,
        onEvent: ({ type }) => events.push(type),
        summarize: ({ messages, reason }) => {
          calls.push({ messages, reason });
          if (fails) {
            throw new Error("out of order");
          }
          return `Notes ${calls.length}.`;
        },
      };
      let compactor = await createCompactor({ ...options, policy: preset("request", window, { reducers: [] }) });
      compactor.append(system);
      const views = [];
      let request = 0;
      for (let round = 0; round < 6; round += 1) {
        let asked;
        do {
          request += 1;
          asked = said("user", `Request ${request}: look at bed ${request}.`);
          const [one, other] = roundsOf(format, 2 * request, 2 * request + 2, size);
          compactor.append([asked, ...one, ...other, said("assistant", `Bed ${request} is fine.`)]);
          request += 1;
          asked = said("user", `Request ${request}: and bed ${request}?`);
          compactor.append(asked);
        } while (compactor.due("requestStart") === undefined);
        const before = compactor.messages();
        views.push(before);
        if (round % 3 === 1) {
          fails = true;
          const report = await compactor.compactIfNeeded({ phase: "requestStart" });
          assert.deepEqual([report.outcome, report.message, report.reason], ["failed", "out of order", "request-boundary"]);
          assert.deepEqual(compactor.messages(), before);
          fails = false;
        }
        events.length = 0;
        const report = await compactor.compactIfNeeded({ phase: "requestStart" });
        assert.deepEqual([report?.outcome, report?.reason], ["applied", "request-boundary"], report?.message);
        assert.deepEqual(events, ["start", "progress", "after", "end"], "and no event of the reactive path");
        const view = compactor.messages();
        const [summary, ...tail] = view.slice(system.length);
        assert.deepEqual(view.slice(0, system.length), system);
        assert.ok(summary.role === "user" && summary.content.includes(`Notes ${calls.length}.`));
        assert.equal(JSON.stringify(view).split("Notes ").length, 2, "one summary");
        // Two rounds stay with the new request: an answer, and a call with its result.
        assert.deepEqual(tail.length, 4);
        assert.ok(tail.every((message, index) => message === compactor.history().at(index - 4)));
        assert.equal(tail[3], asked);
        assert.deepEqual(await refusals(format, view, []), []);
        const { messages, reason } = calls.at(-1);
        assert.equal(reason, "request-boundary");
        assert.equal(JSON.stringify(messages[0]).includes("Notes"), round > 0, "the earlier summary comes first");
        if (round === 3) {
          const [snapshot, originals] = [compactor.snapshot(), compactor.history()];
          compactor.dispose();
          compactor = await restoreCompactor(snapshot, { ...options, originals });
          assert.deepEqual(compactor.messages(), view, "the history was stored with its summary");
        }
      }
      for (const before of views.reverse()) {
        compactor.undo();
        assert.deepEqual(compactor.messages().slice(0, before.length), before);
      }
      compactor.dispose();
    }
  });
}

// Reactive compaction

for (const format of FORMATS) {
  test(`b9, d15: ${format}: 85 % and 92 % of the window, by the real prompt of the last call`, async () => {
    for (const window of [8_000, 200_000]) {
      const rounds = roundsOf(format, 0, 10, Math.floor(window / 40));
      const asked = said("user", "Look at every bed.");
      const at = async (promptTokens) => {
        const { requests, summarize } = scripted("They looked.");
        const compactor = await createCompactor({ format, policy: preset("request", window, { reducers: [] }), summarize });
        compactor.append([asked, ...rounds.flat()]);
        assert.equal(compactor.due("loop"), undefined, "an estimate is no reason");
        compactor.messages();
        compactor.reportUsage({ promptTokens, completionTokens: 7 });
        const report = await compactor.compactIfNeeded({ phase: "loop" });
        const view = compactor.messages();
        assert.equal(requests.length, report === undefined ? 0 : 1);
        assert.ok(view.includes(asked));
        const left = rounds.flatMap((pair, index) => (pair.some((message) => view.includes(message)) ? [] : [index]));
        assert.ok(rounds.every((pair) => view.includes(pair[0]) === view.includes(pair[1])));
        compactor.dispose();
        return [report?.reason, left];
      };
      const [micro, full] = [["reactive-micro", [0, 1]], ["reactive-full", [0, 1, 2, 3, 4, 5, 6, 7]]];
      const [low, high] = [0.85 * window, 0.92 * window];
      assert.deepEqual([await at(low - 1), await at(low), await at(low + 1)], [[undefined, []], micro, micro], `${window}`);
      assert.deepEqual([await at(high - 1), await at(high), await at(high + 1)], [micro, full, full], `${window}`);
    }
  });

  test(`d15: ${format}: the latest rounds stay: of two nothing is summarized, of three one, and of more as many as a batch has`, async () => {
    const leftOf = async (count, reason, reactive = {}) => {
      const triggers = [{ reactive }];
      const compactor = await createCompactor({ format, policy: preset("request", 200_000, { reducers: [], triggers }), summarize: () => "They looked." });
      const rounds = roundsOf(format, 0, count, 1_000);
      compactor.append([said("user", "Look at every bed."), ...rounds.flat()]);
      const { outcome } = await compactor.compact({ reason });
      const view = compactor.messages();
      compactor.dispose();
      const left = rounds.filter((pair) => !view.includes(pair[0])).length;
      assert.equal(outcome, left > 0 ? "applied" : "skipped");
      return left;
    };
    const all = async (counts, reason, reactive) => Promise.all(counts.map((count) => leftOf(count, reason, reactive)));
    assert.deepEqual(await all([1, 2, 3, 4, 5, 12], "reactive-micro"), [0, 0, 1, 2, 2, 2]);
    assert.deepEqual(await all([3, 4, 5, 12], "reactive-full"), [1, 2, 3, 10]);
    assert.deepEqual(await all([2, 3, 4, 5, 12], "reactive-micro", { keepRounds: 3, microBatchRounds: 4 }), [0, 0, 1, 2, 4]);
    assert.deepEqual(await all([2, 3, 12], "reactive-full", { keepRounds: 1 }), [1, 2, 11]);
  });

  test(`b9, d15, d17, g5: ${format}: three times in a request, in a row, with a failure and a restore; then the next request`, async () => {
    for (const window of [8_000, 200_000]) {
      const events = [];
      const reasons = [];
      let fails = false;
      const options = {
        format,
        onEvent: (event) => events.push(event),
        summarize: ({ reason }) => {
          reasons.push(reason);
          if (fails) {
            throw new Error("out of order");
          }
          return `Notes ${reasons.length}.`;
        },
      };
      const size = Math.floor(window / 20);
      let compactor = await createCompactor({ ...options, policy: preset("request", window, { reducers: [] }) });
      const asked = said("user", "Look at every bed.");
      compactor.append(asked);
      assert.equal(compactor.check("requestStart"), undefined);
      const rounds = roundsOf(format, 0, 11, size);
      compactor.append(rounds.slice(0, 10).flat());
      const reported = async (share) => {
        compactor.messages();
        compactor.reportUsage({ promptTokens: share * window, completionTokens: 1 });
        events.length = 0;
        return compactor.compactIfNeeded({ phase: "loop" });
      };
      const left = () => {
        const view = compactor.messages();
        assert.ok(JSON.stringify(view).split("Notes ").length <= 2);
        return rounds.slice(0, 10).filter((pair) => !view.includes(pair[0])).length;
      };
      const first = await reported(0.86);
      assert.deepEqual([first.outcome, first.reason, left()], ["applied", "reactive-micro", 2], first.message);
      assert.deepEqual(events.map(({ type }) => type), ["reacting", "progress", "after", "reacted"], "and no event of the other path");
      const { messagesBefore, messagesAfter } = events.at(-1);
      // Two pairs became one summary.
      assert.deepEqual([messagesBefore, messagesAfter], [21, 18]);
      fails = true;
      const before = compactor.messages();
      const failed = await reported(0.86);
      assert.deepEqual([failed.outcome, failed.message, left()], ["failed", "out of order", 2]);
      assert.deepEqual(compactor.messages(), before);
      fails = false;
      const [snapshot, originals] = [compactor.snapshot(), compactor.history()];
      compactor.dispose();
      compactor = await restoreCompactor(snapshot, { ...options, originals });
      compactor.append(rounds[10]);
      const second = await reported(0.88);
      assert.deepEqual([second.outcome, second.reason, left()], ["applied", "reactive-micro", 4], second.message);
      assert.ok(compactor.messages().includes(asked), "the request stays");
      assert.equal(await reported(0.99), undefined, "a fourth time in this request: the failed one counts");
      assert.equal(await compactor.compactIfNeeded({ phase: "overflow" }), undefined);
      assert.deepEqual(reasons, ["reactive-micro", "reactive-micro", "reactive-micro"]);
      // The next request is compacted twice by the prompt, and once after the provider has refused it as too long.
      const again = said("user", "Now water all of them.");
      compactor.append([said("assistant", "All are fine."), again]);
      compactor.check("requestStart");
      compactor.append(roundsOf(format, 20, 30, size).flat());
      for (const expected of ["reactive-micro", "reactive-micro"]) {
        const next = await reported(0.919);
        assert.deepEqual([next?.outcome, next?.reason], ["applied", expected], next?.message);
        compactor.append(roundsOf(format, 40 + reasons.length, 41 + reasons.length, size).flat());
      }
      const third = await compactor.compactIfNeeded({ phase: "overflow" });
      assert.deepEqual([third.outcome, third.reason, left()], ["applied", "reactive-full", 10], third.message);
      assert.deepEqual([await reported(0.99), await compactor.compactIfNeeded({ phase: "overflow" })], [undefined, undefined]);
      const view = compactor.messages();
      assert.ok(view.includes(again) && view.at(-1) === compactor.history().at(-1));
      // The request, the summary of everything before the last two rounds, and these.
      assert.equal(view.length, 1 + 1 + 4);
      assert.deepEqual(await refusals(format, view, []), []);
      compactor.dispose();
    }
  });
}

// compactToolResults: before each call of the model

for (const format of FORMATS) {
  test(`c4: ${format}: a large result is offloaded before the model call that would read it first`, async (context) => {
    const paths = [];
    const onEvent = (event) => event.type === "offloaded" && paths.push(event.path);
    const compactor = await createCompactor({ format, policy: preset("request", 100_000), onEvent });
    context.after(() => compactor.dispose());
    const long = (bed) => `Bed ${bed} has roses. `.repeat(400);
    compactor.append([said("user", "Look at all beds."), calling(format, "call_1"), resulting(format, "call_1", long(1))]);
    assert.equal((await compactor.compactIfNeeded({ phase: "loop" })).outcome, "applied");
    assert.deepEqual(paths, ["tool-results/call_1.txt"]);
    assert.ok(!JSON.stringify(compactor.messages()).includes(long(1)));
    assert.equal(compactor.offloaded("tool-results/call_1.txt"), long(1));
    compactor.append([calling(format, "call_2"), resulting(format, "call_2", long(2)), said("assistant", "They have roses.")]);
    compactor.append([said("user", "And the others?"), calling(format, "call_3"), resulting(format, "call_3", "none")]);
    assert.equal(await compactor.compactIfNeeded({ phase: "turnStart" }).then((report) => report.outcome), "applied");
    assert.deepEqual(paths, ["tool-results/call_1.txt", "tool-results/call_2.txt"]);
    assert.equal(await compactor.compactIfNeeded({ phase: "loop" }), undefined, "a small result stays");
  });

  test(`c4: ${format}: a result above 2,000 tokens is rewritten before the call, at 2,000 and below it stays, and its text is kept`, async () => {
    for (const window of [100_000, 1_000_000]) {
      const compactor = await createCompactor({ format, policy: preset("request", window), summarize: () => "They looked." });
      compactor.append(said("user", "Look."));
      const text = (length) => "A rose. ".repeat(length).slice(0, length);
      const lengths = { call_1: 1_999, call_2: 2_000, call_3: 2_001, "call/4: …": 5_000 };
      for (const [id, length] of Object.entries(lengths)) {
        compactor.append([calling(format, id), resulting(format, id, text(length))]);
        await compactor.compactIfNeeded({ phase: "loop" });
      }
      const found = Object.values(lengths).map((length) => JSON.stringify(compactor.messages()).includes(`"${text(length)}"`));
      assert.deepEqual(found, [true, true, false, false]);
      assert.equal(compactor.offloaded("tool-results/call_3.txt"), text(2_001));
      assert.equal(compactor.offloaded("tool-results/call_2.txt"), undefined);
      // An id that is not a file name has its other characters replaced.
      const [path] = /tool-results\/call_4[^" \]]*\.txt/.exec(JSON.stringify(compactor.messages()));
      assert.equal(compactor.offloaded(path), text(5_000));
      // It can be read when a summary stands for the message, and after a restore.
      compactor.append([said("assistant", "So."), ...chatOf(6, 1_000)]);
      assert.equal((await compactor.compact()).outcome, "applied");
      assert.ok(!JSON.stringify(compactor.messages()).includes("call_3"));
      const restored = await restoreCompactor(compactor.snapshot(), { format, originals: compactor.history() });
      for (const each of [compactor, restored]) {
        assert.deepEqual([each.offloaded("tool-results/call_3.txt"), each.offloaded(path)], [text(2_001), text(5_000)]);
        each.dispose();
      }
    }
  });
}

// Not reproduced here:
//
// - "Context Providers", "Transform Contexts", "Context Pipeline" and "Defaults Layer": in `turns.test.mjs`.
// - `messages.compactions/*.jsonl`: an archive, in `tests/storage`. That nothing is lost is tested with `history()`.
// - Files below `tool-results/`: the app's storage. The names and the texts are tested above.
// - `compactIfNeeded` of the session store, SSE, and the names `context_compaction_start`, `context_compaction_end` and
//   `compaction`: the host's. Our events `start`, `end` and `reacted` are tested above.
// - `timestamp: Date.now()` in messages: the app's own fields.
