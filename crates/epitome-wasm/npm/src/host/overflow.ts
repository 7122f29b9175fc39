// What an error of a model server says about the prompt, however the app's client wraps it.

import { isEpitomeError, property } from "../error.js";
import type { ContextOverflow } from "../glue/epitome.js";
import type { Engine } from "../wasm/instances.js";

/** Fields in which clients keep the server's error, or the error that they got. */
const NESTED = ["error", "cause", "lastError", "response", "data", "body", "responseBody", "detail", "$metadata"];
/** Fields with an HTTP status. */
const STATUSES = ["status", "statusCode", "httpStatusCode"];
/** Fields with a code or type. */
const CODES = ["code", "type", "name"];
/** How deep clients nest errors. */
const MOST_DEPTH = 5;

interface Found {
  status: number | undefined;
  codes: string[];
  texts: string[];
}

/** The overflow that an error reports; undefined for any other error, and for what is not an error. */
export function overflowOf(engine: Engine, error: unknown): ContextOverflow | undefined {
  if (isEpitomeError(error) && error.code === "too-long") {
    return engine.contextOverflow(undefined, "context_length_exceeded", error.message) ?? {};
  }
  const found: Found = { status: undefined, codes: [], texts: [] };
  collect(error, found, 0);
  const text = found.texts.join("\n");
  for (const code of ["", ...found.codes]) {
    const overflow = engine.contextOverflow(found.status, code, text);
    if (overflow !== undefined) {
      return overflow;
    }
  }
  return undefined;
}

function collect(value: unknown, found: Found, depth: number): void {
  if (typeof value === "string") {
    found.texts.push(value);
    return;
  }
  if (typeof value !== "object" || value === null || depth > MOST_DEPTH) {
    return;
  }
  for (const name of STATUSES) {
    const status = property(value, name);
    if (typeof status === "number" && Number.isInteger(status) && status >= 0 && status < 1000) {
      found.status ??= status;
    }
  }
  for (const name of CODES) {
    const code = property(value, name);
    if (typeof code === "string") {
      found.codes.push(code);
    }
  }
  for (const name of ["message", ...NESTED]) {
    collect(property(value, name), found, depth + 1);
  }
  for (const name of ["n_prompt_tokens", "n_ctx"]) {
    const number = property(value, name);
    if (typeof number === "number") {
      found.texts.push(`${name}: ${number}`);
    }
  }
}
