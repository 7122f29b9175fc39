// Errors that this package throws, whichever side of the wasm boundary they come from.

import type { Encoding, ErrorCode } from "./glue/epitome.js";

/** What this package throws and rejects with. */
export interface EpitomeError extends Error {
  readonly name: "EpitomeError";
  /** What went wrong, for code to decide by. */
  readonly code: ErrorCode;
  /** Of an endpoint: whether the very same request may succeed later. */
  readonly retryable?: boolean;
  /** Of an endpoint: how long it asks to be left alone, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Of an endpoint: the HTTP status, where there was an answer. */
  readonly status?: number;
  /** Of an encoding that is not loaded: which one. */
  readonly encoding?: Encoding;
  /** Of a tokenizer that is not loaded: its name. */
  readonly tokenizer?: string;
}

/** True for what this package throws and rejects with, from whichever copy of it. */
export function isEpitomeError(error: unknown): error is EpitomeError {
  return error instanceof Error && error.name === "EpitomeError" && "code" in error;
}

export function epitomeError(code: ErrorCode, message: string, cause?: unknown): EpitomeError {
  const error = cause === undefined ? new Error(message) : new Error(message, { cause });
  return Object.assign(error, { name: "EpitomeError", code } as const);
}

/** What an error of the app's says. It may be anything. */
export function messageOf(error: unknown, otherwise: string): string {
  const message = typeof error === "object" && error !== null ? Reflect.get(error, "message") : undefined;
  const text = typeof message === "string" ? message : String(error);
  return text === "" ? otherwise : text;
}
