// `compactMessages`: the same as a compactor that lives on, for an app that stores what it returns; and other calls in one line.

import assert from "node:assert/strict";
import { test } from "node:test";
import { compactMessages, createCompactor, estimateTokens, isEpitomeError, isWithinTokenLimit } from "epitome";
import { chatOf, FORMATS, said, toolRound } from "./harness.mjs";

const OPTIONS = { format: "openai-chat", policy: { window: 3_000, counting: { charactersPerToken: 1 } } };
const isSummary = ({ content }) => JSON.stringify(content).includes("<conversation-summary");

test("k4: messages are compacted if that is due, and returned as they are if not", async () => {
  const messages = chatOf(20);
  const few = await compactMessages(messages.slice(0, 4), OPTIONS);
  assert.deepEqual([few.messages, few.report], [messages.slice(0, 4), undefined]);
  assert.ok(few.messages.every((message, index) => message === messages[index]));
  const { messages: view, report, status } = await compactMessages(messages, { ...OPTIONS, policy: { ...OPTIONS.policy, window: 2_000 } });
  assert.equal(report.outcome, "applied");
  assert.ok(isSummary(view.find((message) => !messages.includes(message))));
  assert.equal(status.tokens, report.tokensAfter);
  const forced = await compactMessages(messages, { ...OPTIONS, reason: "manual" });
  assert.equal(forced.report.reason, "manual");
});

test("k4: what the provider reported decides whether a compaction is due", async () => {
  const messages = chatOf(4);
  const usage = { prompt_tokens: 2_900, completion_tokens: 50 };
  assert.equal((await compactMessages(messages, { ...OPTIONS, usage: undefined })).report, undefined);
  assert.notEqual((await compactMessages(messages, { ...OPTIONS, usage, phase: "requestStart" })).report, undefined);
});

test("k4: an abort cancels the summary, and wrong arguments are named", async () => {
  const controller = new AbortController();
  const summarize = () => {
    controller.abort();
    return new Promise(() => {});
  };
  const messages = chatOf(40);
  const { report, messages: same } = await compactMessages(messages, { ...OPTIONS, summarize, signal: controller.signal });
  assert.equal(report.outcome, "cancelled");
  assert.deepEqual(same, messages);
  await assert.rejects(compactMessages("messages", OPTIONS), { code: "invalid-option", message: /messages/ });
  await assert.rejects(compactMessages(messages, { ...OPTIONS, usage: 7 }), { code: "invalid-option" });
});

/** 400 turns, each of a question, sometimes a tool round, and an answer. */
function* turns() {
  for (let turn = 0; turn < 400; turn += 1) {
    const round = toolRound(`c${turn}`, `The bed number ${turn} has ${turn * 7} roses.`).map(({ "x-mine": _, ...message }) => message);
    yield [
      said("user", `Question ${turn}: what about bed ${turn}?${turn === 3 ? " The gate's code is KX-4711." : ""}`),
      ...(turn % 3 === 0 ? round : []),
      said("assistant", `Answer ${turn}: ${"it blooms in May. ".repeat(1 + (turn % 5))}`),
    ];
  }
}

for (const summarizer of ["a model", "sentences"]) {
  test(`k4: over 400 turns, the result is that of a compactor that lives on, with summaries of ${summarizer}`, async () => {
    const inputs = { living: [], stateless: [] };
    const summarize = (name) => ({ input }) => {
      inputs[name].push(input);
      return `They speak of roses. (${inputs[name].length})`;
    };
    const options = (name) => (summarizer === "a model" ? { ...OPTIONS, summarize: summarize(name) } : OPTIONS);
    const living = await createCompactor(options("living"));
    let [stored, notes, compactions] = [[], "", 0];
    for (const turn of turns()) {
      living.append(turn);
      const report = await living.compactIfNeeded();
      const result = await compactMessages([...stored, ...turn], { ...options("stateless"), notes });
      ({ messages: stored, notes } = result);
      compactions += result.report?.outcome === "applied" ? 1 : 0;
      assert.equal(result.report?.outcome, report?.outcome);
      assert.deepEqual(stored, living.messages(), turn[0].content);
      assert.equal(notes, living.notes());
    }
    assert.ok(compactions > 10, `${compactions} compactions`);
    assert.deepEqual(inputs.stateless, inputs.living);
    assert.equal(stored.filter(isSummary).length, 1);
    assert.ok(JSON.stringify(stored).includes("KX-4711"), "what was said first is known at the end");
    living.dispose();
  });
}

for (const format of FORMATS) {
  test(`k4: ${format}: a summary that comes back is replaced by the next one, and counts what it stood for`, async () => {
    const options = { ...OPTIONS, format, policy: { ...OPTIONS.policy, window: 2_000 }, summarize: () => "They worked." };
    const first = await compactMessages(chatOf(24), { ...options, reason: "manual" });
    const again = structuredClone(first.messages);
    const compactor = await createCompactor(options);
    compactor.append(again);
    assert.deepEqual(compactor.messages(), first.messages);
    assert.equal(compactor.status().tokens, first.status.tokens);
    const second = await compactMessages([...again, ...chatOf(20).slice(4)], { ...options, reason: "manual" });
    assert.equal(second.messages.filter(isSummary).length, 1);
    const [, before] = /of=.?"(\d+) earlier/.exec(JSON.stringify(first.messages));
    const [, after] = /of=.?"(\d+) earlier/.exec(JSON.stringify(second.messages));
    assert.ok(Number(after) > Number(before) + 10, `${before}, ${after}`);
    compactor.dispose();
  });
}

test("k8: tokens of messages are estimated, and compared with a limit", async () => {
  const messages = [...chatOf(6), ...toolRound("c1", "a cat").map(({ "x-mine": _, ...message }) => message)];
  const compactor = await createCompactor({ format: "openai-chat" });
  compactor.append(messages);
  const { tokens } = compactor.status();
  compactor.dispose();
  assert.equal(await estimateTokens(messages), tokens);
  assert.equal(await estimateTokens(messages, { format: "openai-chat", charactersPerToken: 1 }) > tokens, true);
  assert.equal(await estimateTokens([]), 0);
  assert.equal(await isWithinTokenLimit(messages, tokens), tokens);
  assert.equal(await isWithinTokenLimit(messages, tokens - 1), false);
  assert.equal(await isWithinTokenLimit("", 0), 0);
  assert.equal(await isWithinTokenLimit("The quick brown fox", 3), false);
  await assert.rejects(isWithinTokenLimit("x", "3"), { code: "invalid-option", message: /limit/ });
  await assert.rejects(estimateTokens(7), { code: "invalid-option", message: /text/ });
  await assert.rejects(estimateTokens([7]), isEpitomeError);
});

test("k8: a policy takes the words of other libraries", async () => {
  const due = async (policy, messages) => {
    const compactor = await createCompactor({ format: "openai-chat", policy: { window: 10_000, counting: { charactersPerToken: 1 }, ...policy } });
    compactor.append(messages);
    const reason = compactor.due("requestStart");
    compactor.dispose();
    return reason !== undefined;
  };
  const chat = chatOf(10);
  assert.deepEqual([await due({ trigger: { messages: 10 } }, chat), await due({ trigger: { messages: 11 } }, chat)], [true, false]);
  assert.deepEqual([await due({ trigger: { tokens: 1_000 } }, chat), await due({ trigger: { tokens: 9_000 } }, chat)], [true, false]);
  assert.deepEqual([await due({ trigger: { fraction: 0.1 } }, chat), await due({ trigger: { fraction: 0.2 } }, chat)], [true, false]);
  assert.equal(await due({ trigger: { fraction: 0.1, messages: 11 } }, chat), false, "both have to hold");
  assert.equal(await due({ trigger: [{ fraction: 0.1 }, { messages: 11 }] }, chat), true, "one is enough");
  assert.equal(await due({ trigger: { fraction: 0.2 }, reserveOutput: 5_000 }, chat), true);
  await assert.rejects(due({ trigger: { share: 1 } }, chat), { code: "invalid-policy", message: /policy\.trigger/ });
});
