// A whole comparison: all strategies on one conversation, in slices between which the page reacts.

import { validate } from "epitome/slim";
import { type Conversation, type LabInput, readConversation } from "./conversation.js";
import { type Message, requestsOf } from "./requests.js";
import { factsOf, survivors } from "./facts.js";
import type { Comparison, Measured } from "./figures.js";
import { Meter } from "./meter.js";
import { type Refusal, simulate } from "./simulation.js";
import { labPolicy, limitsOf, strategiesOf } from "./strategies.js";
import type { Limits } from "./strategy.js";
import { t } from "../language.js";

/** How far a comparison is. */
export interface Progress {
  /** What is done now. */
  what: string;
  /** From 0 to 1. */
  share: number;
}

/** What was compared, and by which limits. */
export interface Outcome {
  comparison: Comparison;
  conversation: Conversation;
  limits: Limits;
}

/** Compares all strategies. Rejects if the signal aborts, if the conversation cannot be read, and if the policy is not valid. */
export async function compare(given: LabInput, signal: AbortSignal, onProgress: (progress: Progress) => void): Promise<Outcome> {
  const input = { ...given, policy: labPolicy(given.policy) };
  const pause = pacer();
  onProgress({ what: t("Looking for facts in the conversation"), share: 0 });
  const conversation = await readConversation(input);
  const requests = requestsOf(conversation.messages);
  const last = requests.at(-1);
  if (last === undefined) {
    throw new Error(t("the conversation has no answer of a model, so there is no request to compare"));
  }
  const limits = await limitsOf(input.policy);
  // What is not found word for word even in the whole conversation says nothing about a strategy.
  const facts = await survivors(await factsOf(last.messages, signal), last.messages, pause);
  const strategies = strategiesOf(input);
  const meter = await Meter.create(input.policy);
  const results: Measured[] = [];
  let done = 0;
  try {
    for (const strategy of strategies) {
      const report = () => onProgress({ what: t("Running: {strategy}", { strategy: strategy.name }), share: done / (strategies.length * requests.length) });
      report();
      const count = () => {
        done += 1;
        report();
      };
      const result = await simulate(strategy, requests, { meter, limits, signal, refusalOf, pause }, count);
      done = requests.length * (results.length + 1);
      const { length } = await survivors(facts, result.last, pause);
      results.push({ ...result, facts: length });
    }
  } finally {
    meter.dispose();
  }
  return { comparison: { results, window: limits.window, requests: requests.length, facts: facts.length }, conversation, limits };
}

async function refusalOf(messages: readonly Message[]): Promise<Refusal | undefined> {
  if (messages.length === 0) {
    return { rule: "no-messages", message: t("there is no message"), path: "messages" };
  }
  const issues = await validate(messages, "openai-chat");
  const issue = issues.find(({ severity }) => severity === "refused");
  return issue && { rule: issue.code, message: issue.message, path: issue.path };
}

/** Milliseconds of work after which the page is let react. */
const SLICE_MS = 12;

/** A function that lets the page draw and react once a slice of time is over. */
function pacer(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await new Promise((resolve) => setTimeout(resolve));
    since = performance.now();
  };
}
