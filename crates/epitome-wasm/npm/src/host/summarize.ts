// How a summary is asked for, and what an answer or an error means to the engine.

import type { SummaryRequest } from "./glue/epitome.js";
import { isEpitomeError, messageOf } from "./error.js";

/** Writes a summary. Whatever it throws leaves the conversation as it is. `request.summarizer` says who is
 * to write it: the app's agent of a name, or the conversation's own model. */
export type Summarize = (
  request: SummaryRequest,
  context: SummarizeContext,
) => Promise<Summary | string> | Summary | string;

/** What a summarizer may make use of. */
export interface SummarizeContext {
  /** Aborts when the summary is no longer wanted. */
  readonly signal: AbortSignal;
  /** To be told each piece of the summary as it comes; shown, and otherwise of no effect. */
  readonly onDelta: (text: string) => void;
}

/** A summary, and what is known about how it came about. */
export interface Summary {
  text: string;
  /** Tokens that writing it took. */
  usage?: unknown;
  /** Why the model stopped. A summary that ends with `length` lacks its end and is not used. */
  finishReason?: string;
}

/** What the engine is told. */
export type Answer =
  | { kind: "summary"; text: string }
  | { kind: "transient"; message: string; retryAfterMs?: number }
  | { kind: "permanent"; message: string }
  | { kind: "cancelled" };

/** What a summarizer's answer means. It may be anything. */
export function answerOf(answer: unknown): Answer {
  if (typeof answer === "string") {
    return { kind: "summary", text: answer };
  }
  const text = property(answer, "text");
  if (typeof text !== "string") {
    const found = answer === null ? "null" : typeof answer;
    const message = `the summarizer answered with ${found}; give a string or { text }`;
    return { kind: "permanent", message };
  }
  const reason = property(answer, "finishReason");
  if (reason === "length" || reason === "max_tokens") {
    const message = "the summary reached its limit of tokens and lacks its end; raise the limit";
    return { kind: "permanent", message };
  }
  return { kind: "summary", text };
}

/** What a summarizer's error means. It may be anything. */
export function failureOf(error: unknown): Answer {
  if (property(error, "name") === "AbortError" || (isEpitomeError(error) && error.code === "aborted")) {
    return { kind: "cancelled" };
  }
  const message = messageOf(error, "the summarizer failed and did not say why");
  if (!isTransient(error)) {
    return { kind: "permanent", message };
  }
  const retryAfterMs = property(error, "retryAfterMs");
  const wish = typeof retryAfterMs === "number" && retryAfterMs >= 0;
  return wish ? { kind: "transient", message, retryAfterMs } : { kind: "transient", message };
}

function isTransient(error: unknown): boolean {
  const retryable = property(error, "retryable");
  if (typeof retryable === "boolean") {
    return retryable;
  }
  const status = property(error, "status");
  return typeof status === "number" && ([408, 409, 429].includes(status) || (status >= 500 && status < 600));
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
