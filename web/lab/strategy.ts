// What a strategy is: it makes the messages that are sent of the messages that there are.

import type { Message, Request } from "./requests.js";
import type { TokenMeter } from "./meter.js";
import type { Summarization } from "./summarizer.js";

/** The limits that every strategy gets, by the policy that is set on the page. */
export interface Limits {
  /** Tokens of the window. */
  window: number;
  /** Tokens at which something is to be done. */
  threshold: number;
  /** How much of the end stays as it is: tokens, or a number of messages. */
  keep: { tokens: number } | { messages: number };
  /** Tokens of a summary. */
  summary: number;
}

/** What a run of a strategy may use. */
export interface Tools {
  meter: TokenMeter;
  limits: Limits;
  signal: AbortSignal;
}

/** The messages of a request, and what was summarized for it. */
export interface View {
  messages: Message[];
  summaries: Summarization[];
}

/** One strategy at work on one conversation, request by request. */
export interface Run {
  view(request: Request): Promise<View>;
  dispose(): void;
}

/** A way to keep a conversation inside the window. */
export interface Strategy {
  name: string;
  /** How it is set up, in a sentence. */
  about: string;
  begin(tools: Tools): Promise<Run>;
}

/** A strategy that gets the whole conversation each time and remembers nothing. */
export function stateless(
  name: string,
  about: string,
  apply: (messages: readonly Message[], tools: Tools) => Promise<Message[]>,
): Strategy {
  return {
    name,
    about,
    begin: async (tools) => ({
      view: async ({ messages }) => ({ messages: await apply(messages, tools), summaries: [] }),
      dispose: () => {},
    }),
  };
}

/** The instructions at the beginning, which packages never see that take them apart from the messages, and the messages after them. */
export function withoutInstructions<M extends Message>(messages: readonly M[]): [instructions: M[], others: M[]] {
  const first = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  const end = first < 0 ? messages.length : first;
  return [messages.slice(0, end), messages.slice(end)];
}

/** The text of a message; parts that are no text are left out. */
export function textOf({ content }: Message): string {
  if (typeof content === "string") {
    return content;
  }
  const parts = (content ?? []) as readonly { text?: unknown }[];
  return parts.map(({ text }) => (typeof text === "string" ? text : "")).join("\n");
}

/** A call in an assistant message. */
export interface Call {
  id: string;
  function: { name: string; arguments: string };
}

/** The calls of a message. */
export function callsOf(message: Message): readonly Call[] {
  const { tool_calls: calls } = message as { tool_calls?: readonly Call[] };
  return calls ?? [];
}

/** The arguments of a call, if they can be read. */
export function argumentsOf({ function: called }: Call): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(called.arguments || "{}");
    return typeof read === "object" && read !== null ? { ...read } : {};
  } catch {
    return {};
  }
}
