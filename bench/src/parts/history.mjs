// The time of operations on a growing conversation: append, status, plan and view, and the equivalents in packages that
// count everything again each time.

import * as langchain from "@langchain/core/messages";
import { pruneMessages } from "ai";
import { createCompactor } from "epitome";
import { leastTime } from "../clock.mjs";
import { history, inAISDK, inLangChain, inOpenAI, request } from "../histories.mjs";
import { estimators } from "../node-peers.mjs";
import { sum } from "../statistics.mjs";

const SIZES = [100, 1_000, 10_000, 100_000];

/** Messages appended between two readings of the clock. */
const BATCH = 20;

/** Counters for `trimMessages`: four characters per token, of contents only, or of calls too, as LangChain's agents count. */
const COUNTERS = {
  "contents ÷ 4": (messages) => Math.ceil(messages.reduce((sum, { content }) => sum + content.length, 0) / 4),
  "contents and calls ÷ 4": (messages) =>
    Math.ceil(
      messages.reduce((sum, { content, tool_calls: calls = [] }) => sum + content.length + callsOf(calls), 0) / 4,
    ),
};

const callsOf = (calls) => (calls.length > 0 ? JSON.stringify(calls).length : 0);

export async function measure({ quick, fullPeers, progress }) {
  const rows = [];
  const row = (operation, whose, messages, ms) => rows.push({ operation, whose, messages, ms });
  // The first compactor runs on code that is not warm yet, so it is not measured.
  await ours(1_000, quick, () => {});
  for (const messages of SIZES) {
    progress(`${messages} messages`);
    await ours(messages, quick, row);
    await theirs(messages, { quick, fullPeers }, row);
  }
  return { rows };
}

async function ours(size, quick, row) {
  const messages = inOpenAI(history(size));
  let compactor;
  const empty = async () => {
    compactor?.dispose();
    compactor = await createCompactor({ format: "openai-chat" });
  };
  row("append all", "epitome", size, await leastTime(size >= 10_000 ? 1 : 3, () => compactor.append(messages), empty));

  const window = Math.ceil(compactor.status().tokens / 2);
  const fill = async () => {
    await empty();
    compactor.setPolicy({ window });
    compactor.append(messages);
  };
  row("first plan", "epitome", size, await leastTime(size >= 100_000 ? 1 : 3, () => compactor.plan(), fill));
  const times = Math.max(1, Math.ceil(2_000 / size));
  const repeated = (work) => () => {
    for (let time = 0; time < times; time += 1) {
      work();
    }
  };
  let [number, actions] = [0, []];
  const plan = () => ({ actions } = compactor.plan());
  // As in an app: a plan, another message, and the next plan, which is the one that is measured.
  const planning = await leastTime(quick ? 5 : 11, repeated(plan), undefined, () => {
    plan();
    compactor.append([request((number += 1))]);
  });
  if (actions.length !== size + number) {
    throw new Error(`a plan of ${size + number} messages has the actions of ${actions.length}`);
  }
  row("plan after a message more", "epitome", size, planning / times);
  row(
    "view",
    "epitome",
    size,
    (await leastTime(
      5,
      repeated(() => compactor.messages()),
    )) / times,
  );

  const requests = async () => {
    // The appended messages would make a short conversation much longer.
    if (size <= 1_000) {
      await fill();
    }
    const batch = () => Array.from({ length: BATCH }, () => request((number += 1)));
    return { warmUp: batch(), measured: batch() };
  };
  const append = (batch) => {
    for (const message of batch) {
      compactor.append(message);
      compactor.status();
    }
  };
  const appending = await leastTime(
    quick ? 10 : 25,
    ({ measured }) => append(measured),
    requests,
    ({ warmUp }) => append(warmUp),
  );
  row("append one, and status", "epitome", size, appending / BATCH);

  const looks = 2_000;
  const looking = await leastTime(5, () => {
    for (let look = 0; look < looks; look += 1) {
      compactor.status();
    }
  });
  row("status", "epitome", size, looking / looks);
  compactor.dispose();
}

async function theirs(size, { quick, fullPeers }, row) {
  const messages = history(size);
  const runs = size >= 10_000 ? 1 : 3;
  const [instances, parts] = [inLangChain(messages, langchain), inAISDK(messages)];
  for (const [counter, tokenCounter] of Object.entries(COUNTERS)) {
    for (const kept of [0.1, 0.7]) {
      // Ten times the messages take up to a hundred times as long, and counting calls multiplies that again.
      const isIncluded =
        size <= 10_000 ? kept === 0.7 || !quick || size < 10_000 : fullPeers && counter === "contents ÷ 4";
      if (isIncluded) {
        const options = {
          maxTokens: Math.ceil(tokenCounter(instances) * kept),
          tokenCounter,
          strategy: "last",
        };
        const trimming = await leastTime(runs, () => langchain.trimMessages(instances, options));
        row(`trim to ${kept * 100} %, ${counter}`, "LangChain trimMessages", size, trimming);
      }
    }
  }
  const prune = () => pruneMessages({ messages: parts, reasoning: "all", toolCalls: "before-last-20-messages" });
  const pruning = await leastTime(runs, prune, undefined, prune);
  row("prune calls before the last 20 messages", "AI SDK pruneMessages", size, pruning);
  row(
    "count all again",
    "contents and calls ÷ 4",
    size,
    await leastTime(runs, () => COUNTERS["contents and calls ÷ 4"](instances)),
  );
  const { count } = await estimators.tokenx();
  row("count all again", "tokenx", size, await leastTime(runs, () => sum(messages.map(({ text }) => count(text)))));
}
