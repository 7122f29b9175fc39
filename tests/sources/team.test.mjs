// The team of agents: its document's rules through the package, section by section.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, extractive, resolvePolicy } from "epitome";
import { chatOf, FORMATS, preset, restored, said, same, scripted, section } from "../node/harness.mjs";
import { refusals } from "../node/legality.mjs";
import { calling, resulting } from "../node/model-server.mjs";

const SUMMARIZING = ["team", "team-aggressive", "team-strong", "team-careful"];

/** The document's table: after how many messages an agent is compacted, and how many of the most recent stay. */
const COUNTS = { "team-aggressive": [7, 5], "team-strong": [12, 10], team: [17, 15], "team-careful": [27, 25] };

const headingsOf = ({ system }) => system.match(/^## .+$/gm) ?? [];

/** A compactor for one agent. */
async function agentWith(format, policy, messages = [], options = {}) {
  const compactor = await createCompactor({ format, policy, ...options });
  compactor.append(messages);
  return compactor;
}

const unasked = { summarize: () => assert.fail("a summarizer was asked") };

/** A call of a tool and its result. */
const round = (format, id, text) => [calling(format, id), resulting(format, id, text)];

/** The text of the first tool result that the model gets. */
function resultIn(messages) {
  const result = messages.find(({ role, content }) => role === "tool" || content?.[0]?.type === "tool_result");
  return result.role === "tool" ? result.content : result.content[0].content;
}

// Layer 1: tool result truncation

/** The longest result of this age, in tokens. */
const limitAt = (age) => [[41, 500], [21, 1_000], [11, 2_000]].find(([from]) => age >= from)?.[1] ?? Number.POSITIVE_INFINITY;

/** A result of this many tokens that differs everywhere. */
const resultOf = (tokens) => Array.from({ length: Math.ceil(tokens / 10) }, (_, line) => `roses${String(line).padStart(4, "0")} `).join("").slice(0, tokens);

/** The lines of a summary without a model but its headings, each with the name of who said it. A long one has letters for its speakers. */
function saidBy(summary) {
  let speakers = new Map();
  return summary.split("\n").flatMap((line) => {
    if (line.endsWith(":")) return [];
    if (line.startsWith("Speakers: ")) {
      speakers = new Map(line.slice("Speakers: ".length).split("; ").map((entry) => entry.split(" = ")));
      return [];
    }
    const [, label, text] = /^(?:- \[\d+\] )?([\w ]+): (.*)$/.exec(line) ?? assert.fail(line);
    const speaker = speakers.get(label) ?? label;
    return [[speaker.replace(/^(user|assistant) /, ""), text]];
  });
}

for (const format of FORMATS) {
  test(`c1: ${format}: results 11–20, 21–40 and 41 or more messages ago have at most 2,000, 1,000 and 500 tokens, with a notice`, async () => {
    for (const name of SUMMARIZING) {
      for (const window of [8_000, 1_000_000]) {
        for (const age of [1, 2, 10, 11, 20, 21, 40, 41, 42, 60]) {
          const limit = limitAt(age);
          const sizes = Number.isFinite(limit) ? [limit - 1, limit, limit + 1, 5_000] : [500, 2_001, 5_000];
          for (const size of sizes) {
            const text = resultOf(size);
            const messages = [said("user", "Go."), ...round(format, "a", text), ...chatOf(age - 1, 10)];
            // Without the trigger, which would summarize the older ones.
            const compactor = await agentWith(format, preset(name, window, { triggers: ["manual"] }), messages, unasked);
            const report = await compactor.compactIfNeeded({ phase: "turnEnd" });
            const seen = resultIn(compactor.messages());
            const about = `${name}, ${window}: ${size} tokens, ${age} messages ago`;
            if (size <= limit) {
              assert.equal(report, undefined, about);
              assert.ok(same(compactor.messages(), messages), about);
            } else {
              assert.deepEqual([report.reason, report.outcome, report.reduced, report.requests], ["reduce", "applied", 1, 0], about);
              assert.ok(seen.length <= limit && seen.length > 0.95 * limit, `${about}: ${seen.length}`);
              const [beginning, end, ...more] = seen.split(`\n[truncated: ${size} tokens at first, at most ${limit} now]\n`);
              assert.deepEqual(more, [], about);
              assert.ok(text.startsWith(beginning) && text.endsWith(end), about);
              assert.ok(same(compactor.history(), messages));
              compactor.undo();
              assert.equal(resultIn(compactor.messages()), text);
            }
            compactor.dispose();
          }
        }
      }
    }
  });

  test(`c1: ${format}: a result that ages is truncated again from its whole text, also after a restore, and costs no call`, async () => {
    const policy = preset("team", 100_000, { triggers: ["manual"] });
    const start = [said("user", "Go."), ...round(format, "a", resultOf(5_000))];
    const chat = chatOf(60, 40);
    let compactor = await agentWith(format, policy, start, unasked);
    const changes = [];
    for (let age = 2; age <= 50; age += 1) {
      compactor.append(chat[age - 2]);
      const report = await compactor.compactIfNeeded({ phase: age % 2 ? "turnEnd" : "turnStart" });
      const fresh = await agentWith(format, policy, [...start, ...chat.slice(0, age - 1)], unasked);
      assert.equal((await fresh.compactIfNeeded({ phase: "turnEnd" }))?.outcome, age > 10 ? "applied" : undefined);
      assert.equal(resultIn(compactor.messages()), resultIn(fresh.messages()), `${age} messages ago`);
      fresh.dispose();
      if (report !== undefined) changes.push(age);
      if (age % 5 === 0) compactor = await restored(compactor, format, unasked);
    }
    assert.deepEqual(changes, [11, 21, 41]);
    compactor.dispose();
  });
}

// Layer 2: conversation compaction, and the presets

for (const format of FORMATS) {
  for (const [name, [trigger, keep]] of Object.entries(COUNTS)) {
    test(`b7, d1, d17, d18: ${format}: ${name} compacts with more than ${trigger} messages and keeps ${keep}, several times, in every window`, async () => {
      for (const window of [4_000, 32_000, 1_000_000]) {
        const system = format === "anthropic" ? [] : [said("system", "You are one of five agents.")];
        const requests = [];
        let fails = false;
        const summarize = (request) => {
          requests.push(request);
          if (fails) throw new Error("out of order");
          return `## Conclusions\nResult no ${requests.length}.`;
        };
        let compactor = await agentWith(format, preset(name, window), system, { summarize });
        let [covered, applied, failed, paused, previous] = [0, 0, 0, false, ""];
        const messages = chatOf(trigger + 40, 50);
        for (const [index, message] of messages.entries()) {
          compactor.append(message);
          const uncompacted = index + 1 - covered;
          const phase = message.role === "user" ? "requestStart" : "turnEnd";
          // A failed compaction is tried again with the next request.
          paused &&= phase !== "requestStart";
          const view = compactor.messages();
          fails = applied === 1 && failed < 2;
          const report = await compactor.compactIfNeeded({ phase: phase });
          assert.equal(report !== undefined, uncompacted > trigger && !paused, `${uncompacted} messages`);
          if (report === undefined) continue;
          assert.equal(section(requests.at(-1), "previous_summary"), previous);
          if (fails) {
            [failed, paused] = [failed + 1, true];
            assert.equal(report.outcome, "failed");
            assert.ok(same(compactor.messages(), view));
            continue;
          }
          assert.equal(report.outcome, "applied", report.message);
          [applied, previous] = [applied + 1, `## Conclusions\nResult no ${requests.length}.`];
          const turns = [...section(requests.at(-1), "new_messages").matchAll(/Turn (\d+):/g)].map(([, turn]) => Number(turn));
          const end = index + 1 - keep;
          assert.deepEqual(turns, Array.from({ length: end - covered }, (_, turn) => covered + turn), "the oldest are summarized");
          covered = end;
          compactor = await restored(compactor, format, { summarize });
          const [summary, ...tail] = compactor.messages().slice(system.length);
          assert.ok(same(compactor.messages().slice(0, system.length), system));
          assert.ok(same(tail, messages.slice(end, index + 1)), "the most recent stay as they are");
          assert.equal(summary.content.split("Result no").length, 2, "one summary, which replaces the one before");
          assert.ok(summary.content.includes(previous));
          assert.deepEqual(await refusals(format, compactor.messages(), compactor.history()), []);
          for (const other of ["turnStart", "loop", "turnEnd"]) {
            assert.equal(compactor.check(other), undefined, "a compaction is used before the next one");
          }
        }
        assert.ok(applied > 8 && failed === 2, `${applied} compactions, ${failed} failures`);
        compactor.dispose();
      }
    });

    test(`b7, d1, a4: ${format}: ${name} in a long loop of a coding agent: calls stay with their results, and the request stays`, async () => {
      const request = said("user", "Look at all beds.");
      const { requests, summarize } = scripted("## Conclusions\nThey have roses.");
      let compactor = await agentWith(format, preset(name, 32_000), [request], { summarize });
      const rounds = Array.from({ length: 60 }, (_, bed) => round(format, `call_${bed}`, `Bed ${bed} has roses. `.repeat(12)));
      // A tail of an odd number of messages would begin with a result.
      const tail = keep + (keep % 2);
      let uncompacted = 1;
      for (const [index, pair] of rounds.entries()) {
        compactor.append(pair);
        uncompacted += 2;
        const report = await compactor.compactIfNeeded({ phase: "loop" });
        assert.equal(report !== undefined, uncompacted > trigger, `${uncompacted} messages`);
        if (report === undefined) continue;
        assert.equal(report.outcome, "applied", report.message);
        const kept = compactor.messages().filter((message) => compactor.history().includes(message));
        assert.ok(same(kept, [request, ...rounds.slice(0, index + 1).flat().slice(-tail)]));
        assert.deepEqual(await refusals(format, compactor.messages(), compactor.history()), []);
        // The request stays besides, and does not make compactions more frequent.
        uncompacted = tail;
        compactor = await restored(compactor, format, { summarize });
      }
      assert.ok(requests.length > 10, `${requests.length}`);
      compactor.dispose();
    });

    test(`b10, b15: ${format}: ${name} takes its window from the agent's model, and is due when that is full`, async () => {
      const policy = { ...preset(name, undefined), agents: { large: { modelWindow: 128_000 }, small: { modelWindow: 8_000 } } };
      const few = (tokens) => [...chatOf(4, 50), said("user", "x".repeat(tokens - 4 * 54 - 4))];
      for (const [agent, window] of [["large", 128_000], ["small", 8_000], ["unknown", 200_000]]) {
        for (const [tokens, due] of [[window - 1, undefined], [window, "threshold"], [window + 1, "threshold"]]) {
          // The settings hold for the agent, wherever it is used.
          for (const stage of await Promise.all(["one", "other"].map(() => agentWith(format, policy, few(tokens), { agent })))) {
            const status = stage.status();
            assert.deepEqual([status.tokens, status.window, status.threshold], [tokens, window, window]);
            assert.equal(stage.check("turnEnd"), due, `${agent}: ${tokens}`);
            stage.dispose();
          }
        }
      }
      const compactor = await agentWith(format, policy, few(9_000), { agent: "large", summarize: () => "## Conclusions\nRoses." });
      assert.equal(compactor.check("turnStart"), undefined);
      const smaller = { ...policy, agents: { large: { modelWindow: 8_000 } } };
      assert.equal(compactor.statusUnder(smaller).level, "compact");
      compactor.setPolicy(smaller);
      const report = await compactor.compactIfNeeded({ phase: "turnStart" });
      assert.equal(report?.reason, "threshold", "another model, another threshold");
      compactor.dispose();
    });
  }

  test(`b7, d11: ${format}: each agent has a preset of its own, and the default of a team is Standard`, async () => {
    const agents = { coder: { preset: "team-aggressive" }, tester: { preset: "team-strong" }, analyst: { preset: "team-careful" }, visitor: { preset: "team-none" }, writer: {} };
    const policy = { ...preset("team", 32_000), agents };
    for (const [agent, trigger] of [["coder", 7], ["tester", 12], ["writer", 17], [undefined, 17], ["analyst", 27], ["visitor", Number.POSITIVE_INFINITY]]) {
      for (const messages of [7, 8, 12, 13, 17, 18, 27, 28, 100]) {
        // The preset of an agent replaces the one of all, but not what else the policy says.
        const compactor = await agentWith(format, policy, chatOf(messages, 50), { agent });
        assert.equal(compactor.status().window, 32_000);
        for (const phase of ["requestStart", "turnStart", "loop", "turnEnd"]) {
          assert.equal(compactor.check(phase), messages > trigger ? "threshold" : undefined, `${agent}: ${messages} messages`);
        }
        compactor.dispose();
      }
    }
  });

  // Preset None

  test(`c5, b7: ${format}: None never summarizes; a full window loses its messages from the beginning, and nothing of them is preserved`, async () => {
    for (const window of [4_000, 128_000]) {
      const system = format === "anthropic" ? [] : [said("system", "Be kind.")];
      const size = Math.floor(window / 40);
      const all = chatOf(200, size - 4);
      let compactor = await agentWith(format, preset("team-none", window), system, unasked);
      const fixed = compactor.status().tokens;
      let dropped = 0;
      let appended = 0;
      for (let time = 0; time < 4; time += 1) {
        // Messages up to exactly one token below the window.
        while (compactor.status().tokens + size < window) {
          compactor.append(all[appended]);
          appended += 1;
          assert.equal(compactor.check("turnEnd"), undefined, `${compactor.status().tokens}`);
        }
        const room = window - compactor.status().tokens;
        const [id] = compactor.append({ ...all[appended], content: "y".repeat(room - 1 - 4) });
        all[appended] = compactor.history().at(-1);
        assert.deepEqual([compactor.status().tokens, compactor.check("turnEnd")], [window - 1, undefined]);
        all[appended] = { ...all[appended], content: "y".repeat(room - 4 + (time % 2)) };
        compactor.edit(id, all[appended]);
        appended += 1;
        assert.equal(compactor.status().tokens, window + (time % 2));
        const report = await compactor.compactIfNeeded({ phase: "turnEnd" });
        assert.deepEqual([report?.reason, report?.outcome, report?.summary, report?.requests], ["reduce", "applied", undefined, 0]);
        compactor = await restored(compactor, format, unasked);
        const view = compactor.messages();
        assert.ok(same(view.slice(0, system.length), system));
        assert.deepEqual(await refusals(format, view, compactor.history()), []);
        // A conversation with Anthropic begins with a user message: if what is left does not, a note is put before it.
        const note = format === "anthropic" && view[1].role === "assistant" && view[0].content.startsWith("[") ? 1 : 0;
        const tail = view.slice(system.length + note);
        assert.ok(same(tail, all.slice(appended - tail.length, appended)), "from the beginning, without gaps");
        assert.ok(appended - tail.length > dropped);
        dropped = appended - tail.length;
        const { tokens } = compactor.status();
        assert.ok(tokens <= 0.8 * window && tokens > 0.8 * window - 2 * size - fixed, `${tokens} of ${window}`);
        assert.equal(compactor.history().length, system.length + appended);
      }
      compactor.dispose();
    }
  });

  test(`c5, d9: ${format}: None in a long loop: no call loses its result, and the request stays`, async () => {
    const request = said("user", "Look at all beds.");
    let compactor = await agentWith(format, preset("team-none", 4_000), [request], unasked);
    let drops = 0;
    for (let bed = 0; bed < 120; bed += 1) {
      compactor.append(round(format, `call_${bed}`, `Bed ${bed} has roses. `.repeat(6)));
      const report = await compactor.compactIfNeeded({ phase: "loop" });
      assert.ok(compactor.status().tokens < 4_000);
      if (report === undefined) continue;
      drops += 1;
      assert.equal(compactor.messages()[0], request);
      assert.deepEqual(await refusals(format, compactor.messages(), compactor.history()), []);
      compactor = await restored(compactor, format, unasked);
    }
    assert.ok(drops >= 3, `${drops}`);
    compactor.dispose();
  });

  // What the compression preserves

  test(`d2, d10, d21: ${format}: the summarizer reads tool results whole, also those that are truncated for the agent, and copies details`, async () => {
    const { requests, summarize } = scripted("## Conclusions\nThey have roses.");
    const long = resultOf(9_000);
    const messages = [said("user", "Go."), ...round(format, "a", long), ...chatOf(14, 50)];
    const compactor = await agentWith(format, preset("team", 100_000), messages, { summarize });
    assert.equal((await compactor.compactIfNeeded({ phase: "turnEnd" })).reason, "reduce");
    assert.equal(resultIn(compactor.messages()).length, 2_000);
    compactor.append(chatOf(2, 50));
    assert.equal((await compactor.compactIfNeeded({ phase: "turnEnd" })).reason, "threshold");
    const input = section(requests[0], "new_messages");
    assert.ok(input.includes(`look answers: ${long.trim()}`));
    assert.ok(input.includes("calls look"));
    for (const detail of ["numbers", "names", "decisions with their reasons", "Say who said or found what", "tool results"]) {
      assert.ok(requests[0].system.includes(detail), detail);
    }
    compactor.dispose();
  });

  test(`f4: ${format}: who said something is in the transcript, in the quoted summary and in all that build on it`, async () => {
    const team = ["alice", "bob", "carol"];
    const author = (fact) => team[fact % team.length];
    const inputs = [];
    // The summarizer that quotes needs no model.
    const options = { summarize: (request, context) => (inputs.push(request), extractive(request, context)) };
    let compactor = await agentWith(format, { preset: "team", window: 32_000 }, [], options);
    let compactions = 0;
    for (let fact = 0; fact < 60; fact += 1) {
      const text = `Fact ${fact}: we decided to use port ${8_400 + fact} because pump ${fact} needs it. ${"The trip takes long, as nobody knows. ".repeat(9)}`;
      compactor.append(said(fact % 2 ? "assistant" : "user", text), { author: author(fact) });
      const report = await compactor.compactIfNeeded({ phase: fact % 2 ? "turnEnd" : "requestStart" });
      if (report === undefined) continue;
      assert.equal(report.outcome, "applied", report.message);
      compactions += 1;
      const heads = [...section(inputs.at(-1), "new_messages").matchAll(/^\[\d+\] (?:user|assistant) (\w+):\nFact (\d+):/gm)];
      assert.ok(heads.length >= 3);
      assert.ok(heads.every(([, who, number]) => who === author(Number(number))));
      const lines = saidBy(report.summary);
      const quoted = lines.flatMap(([who, text]) => [...text.matchAll(/Fact (\d+):/g)].map(([, number]) => [who, Number(number)]));
      assert.ok(quoted.length >= 3, report.summary);
      assert.ok(quoted.every(([who, number]) => who === author(number)), report.summary);
      compactor = await restored(compactor, format, options);
    }
    assert.ok(compactions > 10, `${compactions}`);
    compactor.dispose();
  });

  test(`d18: ${format}: a summary is asked to be at most half as long as the messages it replaces, and the summary before it`, async () => {
    for (const name of SUMMARIZING) {
      const { requests, summarize } = scripted("## Conclusions\nThey agreed on port 8443.");
      const compactor = await agentWith(format, preset(name, 100_000), [], { summarize });
      for (let time = 0; time < 3; time += 1) {
        compactor.append(chatOf(40, 400));
        const { tokens, breakdown } = compactor.status();
        const report = await compactor.compactIfNeeded({ phase: "turnEnd" });
        const tail = report.tokensAfter - compactor.status().breakdown.summary;
        const replaced = tokens - tail - breakdown.summary;
        assert.ok(breakdown.summary > 0 === time > 0);
        // What the summary before it says has been shortened already.
        const longest = replaced / 2 + breakdown.summary;
        assert.ok(requests.at(-1).targetTokens <= longest, `${requests.at(-1).targetTokens} for ${replaced}`);
        assert.ok(report.tokensAfter < report.tokensBefore);
      }
      compactor.dispose();
    }
  });
}

test("d21: every preset of a team asks for conclusions and results, not for the course of the discussion", async () => {
  for (const name of SUMMARIZING) {
    assert.equal((await resolvePolicy({ preset: name })).summary.shape, "conclusions");
    const { requests, summarize } = scripted("## Conclusions\nassistant Alice decided on port 8443.");
    const compactor = await createCompactor({ format: "openai-chat", policy: preset(name, 100_000), summarize });
    compactor.append(chatOf(40, 400));
    const report = await compactor.compactIfNeeded({ phase: "turnStart" });
    assert.equal(report?.outcome, "applied", name);
    assert.deepEqual(headingsOf(requests[0]), ["## Conclusions", "## Results that matter", "## Open points"]);
    assert.match(requests[0].system, /leave out the way to them/);
    assert.match(requests[0].system, /who said or found/i);
    compactor.dispose();
  }
});

test("d21: the shape and the built-in prompt of that name ask for the same, and headings that are missing are asked for once more", async () => {
  const policy = preset("fill", 20_000);
  const asked = async (summary, ...answers) => {
    const { requests, summarize } = scripted(...answers);
    const compactor = await createCompactor({ format: "openai-chat", policy: { ...policy, summary }, summarize });
    compactor.append(chatOf(30, 400));
    const { outcome, message } = await compactor.compact();
    assert.equal(outcome, "applied", message);
    compactor.dispose();
    return requests;
  };
  const [byShape] = await asked({ shape: "conclusions" }, "They worked.");
  const [byPrompt] = await asked({ prompt: "conclusions" }, "They worked.");
  assert.equal(byShape.system, byPrompt.system);
  assert.deepEqual(byPrompt.summarizer, { kind: "own", prompt: "conclusions" });
  const reminded = await asked({ shape: "conclusions", checkHeadings: true }, "They worked.", "## Conclusions\nThey worked.");
  assert.equal(reminded.length, 2);
});

test("d18: a later summary builds on the conclusions of the one before", async () => {
  const { requests, summarize } = scripted("## Conclusions\nAlice found that port 8443 is free.", "## Conclusions\nBoth.");
  const compactor = await createCompactor({ format: "openai-chat", policy: preset("team", 100_000), summarize });
  for (let round = 0; round < 2; round += 1) {
    compactor.append(chatOf(40, 400).map((message) => ({ ...message, name: `agent-${round}` })));
    assert.equal((await compactor.compactIfNeeded({ phase: "turnStart" }))?.outcome, "applied");
  }
  const [, previous] = requests[1].input.match(/<previous_summary>\n(.*?)\n<\/previous_summary>/s);
  assert.ok(previous.includes("port 8443 is free"));
  assert.ok(requests[1].input.includes("user agent-1:"), "who said it");
  compactor.dispose();
});

// Where the document says two things: a compaction fires when the trigger "exceeds", and "after 7 messages". Here it is due
// with the eighth.
//
// What cannot be reproduced here, in the order of the document:
//
// - Views of several agents on one conversation, with private messages: an agent has a compactor of its own, to which the app
//   appends what this agent sees (f1).
// - Layer 3, summaries between the tasks of a workflow, individual (the default) or shared, and one threshold for each of the
//   three layers: there are no tasks; an app calls `compact()` when one ends (f2, f3, f5).
// - "Agents are not aware that compaction is happening": the summary is a message that says it stands for earlier ones.
// - 50 to 70 % fewer tokens, as is typical for that system's model: how long a summary is depends on the model. Half of what it
//   replaces is the most that is asked for.
// - Narrative style of the summaries: the instructions ask for it, and a model follows them or not.
