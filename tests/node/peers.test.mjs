// The library compared with JavaScript packages for the same purpose: the same inputs, one table.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { SimpleChatModel } from "@langchain/core/language_models/chat_models";
import { coerceMessageLikeToMessage, trimMessages } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { pruneMessages } from "ai";
import { createCompactor } from "epitome";
import { createAgent, summarizationMiddleware } from "langchain";
import { examples } from "../out/conformance/examples/index.js";
import { instances } from "../out/conformance/examples/langchain.js";
import { story } from "../out/conformance/examples/story.js";
import { checks } from "../out/conformance/index.js";
import { fixtures } from "./fixtures.mjs";
import { said, toolRound } from "./harness.mjs";
import { conversations, skip } from "./recordings.mjs";

const table = [["what is measured", "whose", "result"]];

/** Adds a line to the table. */
function row(measured, whose, result) {
  table.push([measured, whose, result]);
}

after(() => {
  const widths = [0, 1].map((column) => Math.max(...table.map((cells) => cells[column].length)));
  const lines = table.map(([measured, whose, result]) => `${measured.padEnd(widths[0])}  ${whose.padEnd(widths[1])}  ${result}`);
  console.log(lines.toSpliced(1, 0, "-".repeat(Math.max(...lines.map(({ length }) => length)))).join("\n"));
});

/** These messages as LangChain's classes. */
const inLangChain = (messages) =>
  messages.map((message) => coerceMessageLikeToMessage({ ...message, content: message.content ?? "" }));

/** Four characters per token, as every peer here counts by default. */
const tokensOf = (messages) =>
  Math.ceil(
    messages.reduce((sum, { content, tool_calls: calls = [] }) => sum + content.length + JSON.stringify(calls).length, 0) / 4,
  );

const ORPHAN = /answers .* which|comes before the answer/;

/** How many of these views have a call without its results, or a result without its call. */
async function orphaned(check, views) {
  const reasons = await Promise.all(views.map((view) => check(view)));
  return reasons.filter((all) => all.some((reason) => ORPHAN.test(reason))).length;
}

test("no budget leaves an orphan", async () => {
  const turns = Array.from({ length: 15 }, (_, turn) => {
    const [[first, one], [second, other]] = ["left", "right"].map((side) =>
      toolRound(`${side}_${turn}`, `It is ${turn} degrees in the ${side} bed.`),
    );
    const calls = [...first.tool_calls, ...second.tool_calls];
    return [said("user", `How warm is it on day ${turn}?`), { ...first, tool_calls: calls }, one, other];
  });
  const messages = [said("system", "You look after a garden."), ...turns.flat()];
  const theirs = inLangChain(messages);
  const total = tokensOf(theirs);
  const budgets = Array.from({ length: 116 }, (_, index) => Math.ceil((total * (index + 1)) / 116));
  const measured = `views with orphans, of ${budgets.length} budgets over ${messages.length} messages`;

  const trimmed = async (options) => {
    const views = budgets.map((maxTokens) => trimMessages(theirs, { maxTokens, tokenCounter: tokensOf, ...options }));
    return orphaned(checks.langchain, await Promise.all(views));
  };
  const [plain, withSystem, fromHuman] = [
    await trimmed({}),
    await trimmed({ includeSystem: true }),
    await trimmed({ includeSystem: true, startOn: "human" }),
  ];
  row(measured, "LangChain trimMessages", `${plain}`);
  row(measured, "LangChain trimMessages, includeSystem", `${withSystem}`);
  row(measured, "LangChain trimMessages, startOn: human", `${fromHuman}`);

  const compactor = await createCompactor({ format: "openai-chat" });
  compactor.append(messages);
  const views = [];
  for (const budget of budgets) {
    compactor.setPolicy({ window: budget, counting: { charactersPerToken: 4 } });
    const { outcome } = await compactor.compact();
    views.push(compactor.messages());
    if (outcome === "applied") {
      compactor.undo();
    }
  }
  compactor.dispose();
  const ours = await orphaned(checks["openai-chat"], views);
  row(measured, "epitome", `${ours}`);
  assert.equal(ours, 0);
  assert.ok(views.filter((view) => view.length < messages.length).length > 80, "it compacts in most of them");
  assert.ok(plain > 0 && withSystem > 0, "the versions that are pinned leave some");
});

/** A model that records its requests, and gives a scripted answer. */
class Scripted extends SimpleChatModel {
  requests = [];

  constructor(answer) {
    super({});
    this.answer = answer;
  }

  _llmType() {
    return "scripted";
  }

  async _call(messages) {
    this.requests.push(messages.map(({ text }) => text).join("\n"));
    return this.answer();
  }
}

/** The history of a LangChain agent after one more request, with the middleware's default settings. */
async function agentHistory(model, messages) {
  const middleware = [summarizationMiddleware({ model, trigger: { messages: 50 } })];
  const agent = createAgent({ model: new FakeListChatModel({ responses: ["Yes."] }), tools: [], middleware });
  return (await agent.invoke({ messages })).messages;
}

const failing = () => {
  throw new Error("429 Too Many Requests");
};

test("a summarizer that fails changes nothing", async () => {
  const measured = "messages that are kept after the summarizer fails";
  const theirs = instances(24);
  const asked = theirs.length;
  const history = await agentHistory(new Scripted(failing), [...theirs]);
  const kept = theirs.filter(({ id }) => id !== undefined && history.slice(1).some((message) => message.id === id)).length;
  row(
    measured,
    "LangChain summarizationMiddleware",
    `${kept} of ${asked}, the others are "${history[0].text.match(/Error.*/)?.[0]}"`,
  );

  const messages = examples["openai-chat"].valid(24);
  const compactor = await createCompactor({ format: "openai-chat", summarize: failing });
  compactor.append(messages);
  compactor.setPolicy({ window: Math.ceil(compactor.status().tokens * 0.6), keep: { messages: 20 }, retry: { attempts: 1 } });
  const { outcome } = await compactor.compact();
  const view = compactor.messages();
  row(
    measured,
    "epitome",
    `${view.filter((message) => messages.includes(message)).length} of ${messages.length}, outcome "${outcome}"`,
  );
  assert.equal(outcome, "failed");
  assert.equal(view.length, messages.length);
  assert.ok(view.every((message, index) => message === messages[index]));
  compactor.dispose();

  assert.match(history[0].text, /Error generating summary/, "the version that is pinned writes the error into the history");
  assert.ok(kept < asked / 2);
});

/** Texts that are in exactly one message each. */
const marks = (turns) =>
  story(turns).flatMap(({ rounds, answer }, turn) => [
    `Turn ${turn}: how`,
    ...rounds.flatMap(({ calls }) => calls.map(({ result }) => result.slice(0, result.indexOf(":") + 1))),
    answer.slice(0, answer.indexOf("litres")),
  ]);

/** The share of the removed messages that was in the requests for their summary. */
function reached(turns, kept, requests) {
  const [view, asked] = [JSON.stringify(kept), requests.join("\n")];
  const prefix = marks(turns).filter((mark) => !view.includes(mark));
  const read = prefix.filter((mark) => asked.includes(mark)).length;
  return {
    share: read / prefix.length,
    text: `${Math.round((read / prefix.length) * 100)} %, ${read} of ${prefix.length} messages`,
  };
}

test("all of the prefix reaches the summarizer", async () => {
  const turns = 107;
  const messages = examples["openai-chat"].valid(turns);
  const measured = `share of the prefix that reaches the summarizer, of ${messages.length} messages`;
  const model = new Scripted(() => "They gardened.");
  const history = await agentHistory(model, instances(turns));
  const kept = history.filter(({ additional_kwargs: { lc_source: source } }) => source !== "summarization");
  const theirs = reached(turns, kept, model.requests);
  row(measured, "LangChain summarizationMiddleware", theirs.text);

  const requests = [];
  const summarize = ({ input }) => {
    requests.push(input);
    return "They gardened.";
  };
  const compactor = await createCompactor({ format: "openai-chat", summarize });
  compactor.append(messages);
  compactor.setPolicy({ window: Math.ceil(compactor.status().tokens * 0.6), keep: { messages: 20 } });
  assert.equal((await compactor.compact()).outcome, "applied");
  const ours = reached(
    turns,
    compactor.messages().filter((message) => messages.includes(message)),
    requests,
  );
  row(measured, "epitome", ours.text);
  compactor.dispose();
  assert.equal(ours.share, 1);
  assert.ok(theirs.share < 0.5, "the version that is pinned gives it the last 4,000 tokens");
});

/** Settings of `pruneMessages`, and equal settings here: this many messages stay, and the others are not summarized. */
const SETTINGS = [
  [2, "remove"],
  [4, "remove"],
  [10, "remove"],
  [4, "keep"],
].map(([messages, emptyMessages]) => ({
  name: `before-last-${messages}-messages, ${emptyMessages} empty ones`,
  theirs: { toolCalls: `before-last-${messages}-messages`, reasoning: "before-last-message", emptyMessages },
  ours: { keep: { messages }, keepRequestsTokens: 0, reducers: [{ reducer: "dropOldest" }], summary: { defaultAgent: null } },
}));

test("with the settings of pruneMessages, a budget is met too", async () => {
  const recorded = skip ? [] : conversations("reshaped-aisdk-modelmessage.jsonl.gz", "shapes").slice(0, 12);
  const all = [examples["ai-sdk-model"].valid(24), ...[...fixtures("ai-sdk-model"), ...recorded].map(({ messages }) => messages)];
  for (const { name, theirs, ours } of SETTINGS) {
    const totals = { theirs: { findings: 0, met: 0 }, ours: { findings: 0, met: 0 } };
    for (const messages of all) {
      const compactor = await createCompactor({ format: "ai-sdk-model" });
      compactor.append(messages);
      const budget = Math.ceil(compactor.status().tokens * 0.4);
      const counted = async (view) => {
        const counter = await createCompactor({ format: "ai-sdk-model" });
        counter.append(view);
        const { tokens } = counter.status();
        counter.dispose();
        return { findings: (await checks["ai-sdk-model"](view)).length, met: tokens <= budget };
      };
      const pruned = await counted(pruneMessages({ messages, ...theirs }));
      compactor.setPolicy({ window: budget, ...ours });
      const report = await compactor.compact();
      const compacted = await counted(compactor.messages());
      assert.ok(compacted.findings <= pruned.findings);
      assert.ok(compacted.met || report.floor !== undefined, report.message);
      for (const [whose, { findings, met }] of Object.entries({ theirs: pruned, ours: compacted })) {
        totals[whose].findings += findings;
        totals[whose].met += met ? 1 : 0;
      }
      compactor.dispose();
    }
    for (const [whose, { findings, met }] of [
      ["AI SDK pruneMessages", totals.theirs],
      ["epitome", totals.ours],
    ]) {
      row(`prune ${name}, in a budget of 40 %`, whose, `${findings} findings, met in ${met} of ${all.length} conversations`);
    }
    assert.ok(totals.theirs.met < all.length, "pruneMessages knows no budget");
  }
});
