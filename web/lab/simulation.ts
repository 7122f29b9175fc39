// Walks through a conversation, request by request, with one strategy after the other.

import type { Message, Request } from "./requests.js";
import type { Run, Strategy, Tools } from "./strategy.js";
import type { Summarization } from "./summarizer.js";

/** Why a provider would refuse a request. */
export interface Refusal {
  /** The rule that is broken. */
  rule: string;
  /** What is wrong, in words. */
  message: string;
  /** Where. */
  path: string;
}

/** One request of a strategy. */
export interface Sent {
  messages: number;
  tokens: number;
  /** How many of them the provider's cache has, because the request before began with the same messages. */
  cachedTokens: number;
  refusal?: Refusal;
  isOverWindow: boolean;
  summaries: Summarization[];
}

/** What a strategy did. */
export interface Result {
  strategy: Strategy;
  sent: Sent[];
  /** The messages of the last request. */
  last: readonly Message[];
  /** Why it ended early. */
  failure?: string;
}

/** What the simulation needs besides strategies. */
export interface SimulationTools extends Tools {
  /** What a provider would refuse; undefined if nothing. */
  refusalOf(messages: readonly Message[]): Promise<Refusal | undefined>;
  /** Lets the page react, if it is time for that. */
  pause(): Promise<void>;
}

/** Runs a strategy through all requests. `onRequest` is called after each of them. Rejects only if the signal aborts. */
export async function simulate(
  strategy: Strategy,
  requests: readonly Request[],
  tools: SimulationTools,
  onRequest: () => void = () => {},
): Promise<Result> {
  const result: Result = { strategy, sent: [], last: [] };
  let run: Run | undefined;
  try {
    run = await strategy.begin(tools);
    for (const request of requests) {
      const { messages, summaries } = await run.view(request);
      result.sent.push(await sentBy(messages, summaries, result.last, tools));
      result.last = messages;
      onRequest();
      await tools.pause();
      tools.signal.throwIfAborted();
    }
  } catch (error) {
    tools.signal.throwIfAborted();
    result.failure = error instanceof Error ? error.message : String(error);
  } finally {
    run?.dispose();
  }
  return result;
}

async function sentBy(
  messages: readonly Message[],
  summaries: Summarization[],
  before: readonly Message[],
  { meter, limits, refusalOf }: SimulationTools,
): Promise<Sent> {
  const tokens = meter.overheadTokens + meter.tokensOfAll(messages);
  const same = messages.findIndex((message, index) => !isSame(message, before[index]));
  const prefix = same < 0 ? messages : messages.slice(0, same);
  const refusal = await refusalOf(messages);
  return {
    messages: messages.length,
    tokens,
    cachedTokens: before.length === 0 ? 0 : meter.overheadTokens + meter.tokensOfAll(prefix),
    ...(refusal !== undefined && { refusal }),
    isOverWindow: tokens > limits.window,
    summaries,
  };
}

/** Kept messages are the same objects; one that a strategy has written again may still have the same content. */
function isSame(one: Message, other: Message | undefined): boolean {
  return one === other || (other !== undefined && one.role === other.role && JSON.stringify(one) === JSON.stringify(other));
}
