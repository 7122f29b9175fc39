// The errors that this package throws, from Rust and from TypeScript.

import type { Encoding, ErrorCode } from "./glue/epitome.js";

/** What this package throws and rejects with. */
export interface EpitomeError extends Error {
  readonly name: "EpitomeError";
  /** What went wrong, for code to decide by. */
  readonly code: ErrorCode;
  /** Of an endpoint: whether the same request may succeed later. */
  readonly retryable?: boolean;
  /** Of an endpoint: how long it asks to wait before the next request, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Of an endpoint: the HTTP status, if there was a response. */
  readonly status?: number;
  /** With `encoding-not-loaded`: the encoding, unless it is a tokenizer that is missing. */
  readonly encoding?: Encoding;
  /** With `encoding-not-loaded`: the name of the tokenizer. */
  readonly tokenizer?: string;
}

/** True for what this package throws and rejects with, also if it comes from another copy of the package. */
export function isEpitomeError(error: unknown): error is EpitomeError {
  try {
    return error instanceof Error && error.name === "EpitomeError" && "code" in error;
  } catch {
    // A revoked proxy throws whatever is asked of it.
    return false;
  }
}

/** An error of this package. */
export function epitomeError(code: ErrorCode, message: string, cause?: unknown): EpitomeError {
  const error = cause === undefined ? new Error(message) : new Error(message, { cause });
  return Object.assign(error, { name: "EpitomeError", code } as const);
}

/** The message of a value that the app threw, which may be anything; `fallback` if it is empty or throws when it is read. */
export function messageOf(error: unknown, fallback: string): string {
  try {
    const message = typeof error === "object" && error !== null ? Reflect.get(error, "message") : undefined;
    const text = typeof message === "string" ? message : String(error);
    return text === "" ? fallback : text;
  } catch {
    return fallback;
  }
}

/** A property of a value that the app gave or threw; undefined if it is not an object, or throws when it is read. */
export function property(value: unknown, name: string): unknown {
  try {
    return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
  } catch {
    return undefined;
  }
}

/** What was thrown, as an error of this package. Whatever it is, it is kept as the cause. */
export function asEpitomeError(thrown: unknown): EpitomeError {
  if (isEpitomeError(thrown)) {
    return thrown;
  }
  if (property(thrown, "name") === "AbortError") {
    return epitomeError("aborted", messageOf(thrown, "it was aborted"), thrown);
  }
  return epitomeError("internal", `this package has made a mistake: ${messageOf(thrown, "no reason was given")}`, thrown);
}

/** What `work` resolves to. It rejects with nothing but errors of this package. */
export async function guarded<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw asEpitomeError(thrown);
  }
}
