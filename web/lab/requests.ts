// A conversation as the requests in which an app has sent it.

import type { OpenAIChatMessage } from "epitome/slim";

export type Message = OpenAIChatMessage;

/** A request as it is without a strategy. */
export interface Request {
  /** Everything before the answer. */
  messages: readonly Message[];
  /** What the request before did not have: its answer, and what came after it. */
  added: readonly Message[];
}

/**
 * The requests of a conversation: one for each answer of the model, and one for what has no answer yet. A greeting, before which there
 * are at most instructions, is no answer: the app has written it.
 */
export function requestsOf(messages: readonly Message[]): Request[] {
  const first = messages.findIndex(({ role }) => role === "user" || role === "tool");
  const ends = messages.flatMap(({ role }, index) => (role === "assistant" && first >= 0 && index > first ? [index] : []));
  if (first >= 0 && messages.at(-1)?.role !== "assistant") {
    ends.push(messages.length);
  }
  return ends.map((end, index) => ({
    messages: messages.slice(0, end),
    added: messages.slice(index === 0 ? 0 : ends[index - 1], end),
  }));
}
