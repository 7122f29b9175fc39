// Request boundaries and reactive compaction: the function that summarizes, by its document and through the package.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, restoreCompactor } from "epitome";
import { FORMATS, chatOf, chatOfTokens, preset, said } from "../node/harness.mjs";
import { refusals } from "../node/legality.mjs";
import { calling, resulting } from "../node/model-server.mjs";

const POLICY = { preset: "request", counting: { charactersPerToken: 1 } };

/** Requests of a user, each with two rounds of a tool and an answer. */
function requestsOf(format, from, to) {
  const messages = [];
  for (let request = from; request < to; request += 1) {
    const [one, other] = [`call_${request}_1`, `call_${request}_2`];
    messages.push(
      said("user", `Request ${request}: look at bed ${request}.`),
      calling(format, one),
      resulting(format, one, `${request} roses `.padEnd(2_000, "and figs ")),
      calling(format, other),
      resulting(format, other, `${request} figs `.padEnd(2_000, "and roses ")),
      said("assistant", `Bed ${request} is fine.`),
    );
  }
  return messages;
}

/** A compactor over these messages whose summarizer is the document's: it gets the old messages and the reason. */
async function requestOf(format, messages, policy = {}) {
  const calls = [];
  const own = (old, context) => {
    calls.push({ old, context });
    return `They looked at ${old.length} messages.`;
  };
  const requests = [];
  const summarize = (request) => {
    requests.push(request);
    return own(request.messages, { reason: request.reason });
  };
  const compactor = await createCompactor({ format, policy: { ...POLICY, ...policy }, summarize });
  compactor.append(messages);
  return { compactor, calls, requests, summarize };
}

/** Rounds of a tool: the pairs of a call and its result, with these numbers, of about this many tokens each. */
const roundsOf = (format, from, to, tokens) =>
  Array.from({ length: to - from }, (_, index) => {
    const id = `call_${from + index}`;
    return [calling(format, id), resulting(format, id, `${id} roses `.padEnd(tokens - 40, "and figs "))];
  });

// "The Summarize Function": it receives the old messages and the reason

for (const format of FORMATS) {
  test(`d19, d14: ${format}: the summarizer gets the old messages, which are the app's own objects, and the reason`, async () => {
    const messages = [...(format === "openai-chat" ? [said("system", "Be kind.")] : []), ...requestsOf(format, 0, 25)];
    const { compactor, calls, requests } = await requestOf(format, messages, { reducers: [] });
    const report = await compactor.compactIfNeeded({ phase: "requestStart" });
    assert.equal(report.outcome, "applied", report.message);
    assert.deepEqual(report.summarizer, { input: "messages" });
    const [{ old, context }] = calls;
    assert.equal(context.reason, "request-boundary");
    const stays = compactor.messages();
    // The last request stays too, but without it the summarizer could not say what the work is for.
    const request = messages.findLast(({ role, content }) => role === "user" && typeof content === "string");
    const read = messages.filter((message) => message === request || (message.role !== "system" && !stays.includes(message)));
    assert.ok(read.length > 100);
    assert.ok(read.every((message, index) => message === old[index]));
    // The last of them is a result: no provider takes a user message right after it.
    assert.deepEqual(old.slice(read.length).map(({ role }) => role), ["assistant"]);
    // With the message that asks for the summary, they are a request that a provider accepts.
    const [{ prompt }] = requests;
    assert.equal(prompt.role, "user");
    assert.deepEqual(await refusals(format, [...old, prompt], []), []);
    assert.match(JSON.stringify(prompt), /## Key facts/);
    compactor.dispose();
  });

  test(`d19, d18: ${format}: the next time the earlier summary is the first of the messages, and after a restore too`, async () => {
    const first = requestsOf(format, 0, 25);
    const { compactor, calls, summarize } = await requestOf(format, first);
    await compactor.compactIfNeeded({ phase: "requestStart" });
    const originals = [...first, ...requestsOf(format, 25, 50)];
    const restored = await restoreCompactor(compactor.snapshot(), { format, originals, summarize });
    const report = await restored.compact({ reason: "request-boundary" });
    assert.equal(report.outcome, "applied", report.message);
    const { old } = calls.at(-1);
    assert.equal(old[0].role, "user");
    assert.match(JSON.stringify(old[0]), /conversation-summary.*They looked at \d+ messages/);
    assert.equal(old.filter((message) => JSON.stringify(message).includes("conversation-summary")).length, 1);
    // Messages of the first compaction are in that summary, and not given again.
    assert.equal(old.includes(originals[0]), false);
    compactor.dispose();
    restored.dispose();
  });

  test(`d15, d19: ${format}: a reactive micro compaction hands over the oldest two rounds`, async () => {
    const rounds = Array.from({ length: 12 }, (_, index) => [
      calling(format, `call_${index}`),
      resulting(format, `call_${index}`, `${index} roses `.padEnd(900, "and figs ")),
    ]);
    const messages = [said("user", "Look at every bed."), ...rounds.flat()];
    const reactive = { reactive: { microFraction: 0.85, fullFraction: 0.99, microBatchRounds: 2, keepRounds: 2, maxPerRequest: 3 } };
    const { compactor, calls } = await requestOf(format, messages, { window: 13_500, triggers: [reactive], reducers: [] });
    compactor.reportUsage({ promptTokens: 12_000, completionTokens: 0 });
    const report = await compactor.compactIfNeeded({ phase: "loop" });
    assert.deepEqual([report?.outcome, report?.reason], ["applied", "reactive-micro"], report?.message);
    const [{ old, context }] = calls;
    assert.equal(context.reason, "reactive-micro");
    // The request that the rounds are about stays, and is read as well.
    const expected = rounds.slice(0, 2).flat();
    assert.ok(expected.every((message) => old.includes(message)));
    assert.equal(old.some((message) => rounds.slice(2).flat().includes(message)), false);
    compactor.dispose();
  });
}

test("a4, d19: signed thinking is not handed over: behind other messages the provider refuses it", async () => {
  const thought = (text) => ({ type: "thinking", thinking: "The bed is large.", signature: `signed-${text}` });
  const messages = Array.from({ length: 60 }, (_, index) =>
    index % 2 === 0
      ? said("user", `Request ${index}`.padEnd(2_000, "."))
      : said("assistant", [thought(index), { type: "text", text: `Bed ${index} is fine.` }]),
  );
  const { compactor, calls, requests } = await requestOf("anthropic", messages);
  const report = await compactor.compact({ reason: "request-boundary" });
  assert.equal(report.outcome, "applied", report.message);
  assert.equal(JSON.stringify(calls[0].old).includes("signed-"), false);
  assert.ok(JSON.stringify(calls[0].old).includes("Bed 1 is fine."));
  assert.deepEqual(await refusals("anthropic", [...calls[0].old, requests[0].prompt], []), []);
  compactor.dispose();
});

test("d19: messages that do not fit the summarizer's window become a transcript, and the report says why", async () => {
  const requests = [];
  const summarize = (request) => {
    requests.push(request);
    return "They looked.";
  };
  const policy = { ...POLICY, summary: { windowTokens: 40_000, maxTokens: 2_000 } };
  const compactor = await createCompactor({ format: "openai-chat", policy, summarize });
  compactor.append(requestsOf("openai-chat", 0, 25));
  assert.ok(compactor.plan({ reason: "request-boundary" }).requests > 1);
  const report = await compactor.compactIfNeeded({ phase: "requestStart" });
  assert.deepEqual([report.outcome, report.summarizer.input], ["applied", "transcript"], report.message);
  assert.match(report.summarizer.fallback, /window of 40000 tokens is too small/);
  assert.ok(requests.length > 1 && requests.every(({ messages, prompt }) => messages === undefined && prompt === undefined));
  compactor.dispose();
});

// The document's examples of such a function

for (const format of FORMATS) {
  test(`d14, g7: ${format}: the document's summarizer gets the messages and a reason, which is the session's if none is given`, async () => {
    const system = [];
    const llm = {
      complete: async (request) => {
        system.push(request.system);
        return { text: `They looked at ${request.messages.length} messages.` };
      },
    };
    const own = async (messages, ctx) => {
      const response = await llm.complete({
        system: `Summarize the following conversation history concisely. Reason: ${ctx?.reason ?? "session_compaction"}`,
        messages,
      });
      return response.text;
    };
    const named = { "session-compaction": undefined, "request-boundary": "session_compaction", "reactive-micro": "reactive_micro", "reactive-full": "reactive_full" };
    const summarize = ({ messages, reason }) => own(messages, named[reason] && { reason: named[reason] });
    const compactor = await createCompactor({ format, policy: preset("request", 200_000), summarize });
    compactor.append([...chatOf(30, 1_000), ...roundsOf(format, 0, 6, 1_000).flat()]);
    for (const reason of [undefined, "request-boundary", "reactive-micro", "reactive-full"]) {
      const report = await compactor.compact(reason && { reason });
      assert.deepEqual([report.outcome, report.reason], ["applied", reason ?? "session-compaction"], report.message);
      assert.match(report.summary, /^They looked at \d+ messages\.$/);
      compactor.undo();
    }
    assert.deepEqual(system.map((text) => text.split("Reason: ")[1]), ["session_compaction", "session_compaction", "reactive_micro", "reactive_full"]);
    compactor.dispose();
  });

  test(`d17: ${format}: the document's first summarizer writes more than it reads, which changes nothing and is reported`, async () => {
    const own = async (messages) => messages.map((m) => `${m.role}: ${JSON.stringify(m.content)}`).join("\n");
    const compactor = await createCompactor({ format, policy: preset("request", 200_000), summarize: ({ messages }) => own(messages) });
    compactor.append(chatOfTokens(40, 90_000));
    const before = compactor.messages();
    const report = await compactor.compactIfNeeded({ phase: "requestStart" });
    assert.notEqual(report.outcome, "applied");
    assert.ok(report.message.length > 0, report.message);
    assert.deepEqual(compactor.messages(), before);
    compactor.dispose();
  });
}
