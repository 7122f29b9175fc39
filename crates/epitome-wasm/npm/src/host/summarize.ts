// How a summary is requested from the app, and what its answer or its error means to the engine.

import { isEpitomeError, messageOf, property } from "../error.js";
import type { ContextOverflow, Format, SummaryRequest } from "../glue/epitome.js";
import type { OfAgent } from "./events.js";

/** A request for a summary. */
export interface SummarizeRequest<M extends object = object> extends SummaryRequest, OfAgent {
  /** The format of `messages` and `prompt`. */
  format: Format;
  /**
   * What to send in place of `system` and `input`, if `form` is not `transcript`: the messages to summarize, or the whole
   * conversation. They are the objects that `messages()` returns. A request with the whole conversation needs its system
   * prompt and its tools too, and should forbid tool calls.
   */
  messages?: M[];
  /** The user message that comes after `messages` and asks for the summary. */
  prompt?: M;
}

/** Writes a summary. If it throws, the conversation stays as it is. `request.summarizer` says who should write it: an
 * agent of the app, or the conversation's own model. */
export type Summarize<M extends object = object> = (
  request: SummarizeRequest<M>,
  context: SummarizeContext,
) => Promise<Summary | string> | Summary | string;

/** What a summarizer may use. */
export interface SummarizeContext {
  /** Aborts when the summary is no longer needed. */
  readonly signal: AbortSignal;
  /** Takes each part of the summary as it is written. It is emitted as a `delta` event and not used otherwise. */
  readonly onDelta: (text: string) => void;
  /**
   * Takes what the summarizer wants to find as `notes` in the request for the summary after this one: at most 100,000 bytes,
   * which are stored with the compaction and no model reads. `extractive` notes which of its quotes matter most; a
   * function that calls it should pass it the context.
   */
  readonly onNotes: (notes: string) => void;
}

/** A summary, and what is known about its request. */
export interface Summary {
  text: string;
  /**
   * What the summary begins with, before `text`: the state of the messages that the model was given. `withState` and the
   * package's endpoints set it. It is not checked for being a summary, as `text` is.
   */
  state?: string | undefined;
  /** Tokens of the request and the summary, as any provider reports them, for the report of the compaction. */
  usage?: unknown;
  /** Why the model stopped. A summary with the finish reason `length` lacks its end and is not used. */
  finishReason?: string;
  /**
   * True if a model was given `system` as its instructions, or the messages with `prompt`: then an answer without the
   * headings that these ask for is no summary. The package's endpoints set it.
   */
  instructed?: boolean;
}

/** The result of a summarizer request, as the engine takes it. */
export type Answer =
  | { kind: "summary"; text: string; state?: string; usage?: unknown; instructed: boolean }
  | { kind: "too-long"; message: string; overflow: ContextOverflow }
  | { kind: "truncated"; message: string }
  | { kind: "transient"; message: string; retryAfterMs?: number }
  | { kind: "permanent"; message: string }
  | { kind: "unsuitable"; message: string }
  | { kind: "cancelled" };

/** The longest delay of a timer. A timer with a longer one would fire at once. */
export const LONGEST_DELAY_MS = 2 ** 31 - 1;

/**
 * Calls a summarizer and resolves to its answer. After `timeoutMs` it aborts `controller`, whose signal the summarizer has,
 * and does not wait any longer. Like a time limit of an endpoint, that is permanent: another try would take as long again.
 * `overflowOf` says what an error says of a prompt that is too long.
 */
export function answerWithin(
  timeoutMs: number,
  controller: AbortController,
  summarize: () => unknown,
  overflowOf: (error: unknown) => ContextOverflow | undefined,
): Promise<Answer> {
  return new Promise((resolve) => {
    const expire = (): void => {
      const message = `the summarizer did not answer within ${timeoutMs} ms; make it faster, or raise summarizeTimeoutMs`;
      // Before the abort: what the summarizer throws then is not why it failed.
      resolve({ kind: "permanent", message });
      controller.abort();
    };
    const timer = timeoutMs <= LONGEST_DELAY_MS ? setTimeout(expire, timeoutMs) : undefined;
    // A compaction that was cancelled must not keep a process alive.
    controller.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    // In a microtask, so that a summarizer that throws synchronously fails like any other, and none is called while the
    // engine is polled.
    void Promise.resolve()
      .then(() => {
        controller.signal.throwIfAborted();
        return summarize();
      })
      .then(answerOf)
      .catch((error: unknown) => failureOf(error, overflowOf))
      .then((answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
  });
}

/** What a summarizer returned, which may be anything. */
function answerOf(answer: unknown): Answer {
  if (typeof answer === "string") {
    return { kind: "summary", text: answer, instructed: false };
  }
  if (typeof answer !== "object" || answer === null) {
    return noText(answer);
  }
  // Not by `property`: what a getter throws says more than that there is no text.
  const text: unknown = Reflect.get(answer, "text");
  if (typeof text !== "string") {
    return noText(answer);
  }
  const reason = property(answer, "finishReason");
  if (reason === "length" || reason === "max_tokens") {
    const message = "the summary reached its limit of tokens and lacks its end; raise the limit";
    return { kind: "truncated", message };
  }
  const instructed = property(answer, "instructed") === true;
  const state = property(answer, "state");
  const stated = typeof state === "string" ? { state } : {};
  return { kind: "summary", text, ...stated, usage: property(answer, "usage"), instructed };
}

function noText(answer: unknown): Answer {
  const found = answer === null ? "null" : typeof answer;
  return { kind: "permanent", message: `the summarizer answered with ${found}; give a string or { text }` };
}

/** What a summarizer threw, which may be anything. Never throws itself, so that every request gets an answer. */
function failureOf(error: unknown, overflowOf: (error: unknown) => ContextOverflow | undefined): Answer {
  if (property(error, "name") === "AbortError" || (isEpitomeError(error) && error.code === "aborted")) {
    return { kind: "cancelled" };
  }
  const message = messageOf(error, "the summarizer failed and did not say why");
  if (isEpitomeError(error) && error.code === "truncated") {
    return { kind: "truncated", message };
  }
  // Some servers send it with a status after which a retry would seem to help.
  const overflow = overflowOf(error);
  if (overflow !== undefined) {
    return { kind: "too-long", message, overflow };
  }
  if (!isTransient(error)) {
    return { kind: isUnsuitable(error) ? "unsuitable" : "permanent", message };
  }
  const retryAfterMs = property(error, "retryAfterMs");
  const isDelay = typeof retryAfterMs === "number" && retryAfterMs >= 0;
  return isDelay ? { kind: "transient", message, retryAfterMs } : { kind: "transient", message };
}

/** True for an error that says that the request cannot be answered as it is: a transcript may. */
function isUnsuitable(error: unknown): boolean {
  if (isEpitomeError(error)) {
    return ["refused", "bad-answer", "filtered", "empty"].includes(error.code);
  }
  return [400, 413, 422].includes(property(error, "status") as number);
}

function isTransient(error: unknown): boolean {
  const retryable = property(error, "retryable");
  if (typeof retryable === "boolean") {
    return retryable;
  }
  const status = property(error, "status");
  return typeof status === "number" && ([408, 409, 429].includes(status) || (status >= 500 && status < 600));
}
