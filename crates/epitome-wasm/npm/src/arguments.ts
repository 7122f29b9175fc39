// Checks of what apps pass to functions. An app without types may pass anything, also objects that throw when they are read.

import { epitomeError, isEpitomeError, messageOf } from "./error.js";
import type { ErrorCode } from "./glue/epitome.js";

/** Most messages that one call takes. An array can claim to have four thousand million elements without having one. */
const MOST_MESSAGES = 1_000_000;

const LARGEST_U32 = 0xffff_ffff;

/** The fields of an object with options; `name` is its name in the error. Each is read once, so that a getter cannot give
 * another value later. */
export function fieldsOf<T extends object>(options: T, name: string): T {
  if (typeof options !== "object" || options === null) {
    throw epitomeError("invalid-option", `${name}: expected an object, not ${kindOf(options)}`);
  }
  return reading(name, () => ({ ...options }));
}

/** Does what reads an object of the app. If that throws, the error names the object. */
export function reading<T>(name: string, read: () => T, code: ErrorCode = "invalid-option"): T {
  try {
    return read();
  } catch (thrown) {
    if (isEpitomeError(thrown)) {
      throw thrown;
    }
    throw epitomeError(code, `${name} throws when it is read: ${messageOf(thrown, "no reason was given")}`, thrown);
  }
}

/** A list of messages, each of any kind: what reads them says what is wrong with one. */
export function messagesOf<M>(messages: readonly M[], name: string, code: ErrorCode = "invalid-option"): M[] {
  const { isArray, length } = reading(name, () => ({ isArray: Array.isArray(messages), length: messages?.length }), code);
  if (!isArray) {
    throw epitomeError(code, `${name}: give the messages as an array, not ${kindOf(messages)}`);
  }
  if (length > MOST_MESSAGES) {
    throw epitomeError("too-large", `${name}: has ${length} elements; at most ${MOST_MESSAGES} are taken at once`);
  }
  return reading(name, () => Array.from(messages), code);
}

/** A text. */
export function textOf(text: string, name: string, code: ErrorCode = "invalid-option"): string {
  if (typeof text !== "string") {
    throw epitomeError(code, `${name}: expected a string, not ${kindOf(text)}`);
  }
  return text;
}

/** A whole number that the engine can hold. */
export function wholeOf(number: number, name: string, least = 0): number {
  if (typeof number !== "number" || !Number.isInteger(number) || number < least || number > LARGEST_U32) {
    const given = typeof number === "number" ? String(number) : kindOf(number);
    throw epitomeError("invalid-option", `${name}: expected a whole number from ${least} to ${LARGEST_U32}, not ${given}`);
  }
  return number;
}

/** How many tokens there may be. */
export function limitOf(limit: number): number {
  if (typeof limit !== "number" || Number.isNaN(limit)) {
    throw epitomeError("invalid-option", `limit: expected a number of tokens, not ${typeof limit === "number" ? "NaN" : kindOf(limit)}`);
  }
  return limit;
}

/** A text, or nothing. */
export function optionalText(text: string | undefined, name: string): string | undefined {
  return text === undefined ? undefined : textOf(text, name);
}

/** A callback, or nothing. */
export function optionalFunction<F>(callback: F | undefined, name: string): F | undefined {
  return callback === undefined ? undefined : functionOf(callback, name);
}

/** A callback. */
export function functionOf<F>(callback: F, name: string): F {
  if (typeof callback !== "function") {
    throw epitomeError("invalid-option", `${name}: expected a function, not ${kindOf(callback)}`);
  }
  return callback;
}

/** An abort signal, or nothing. Not by `instanceof`: a signal of another window works as well. */
export function optionalSignal(signal: AbortSignal | undefined, name = "signal"): AbortSignal | undefined {
  const isSignal = (): boolean =>
    typeof signal?.aborted === "boolean" &&
    typeof signal.addEventListener === "function" &&
    typeof signal.removeEventListener === "function";
  if (signal !== undefined && !reading(name, isSignal)) {
    throw epitomeError("invalid-option", `${name}: expected an AbortSignal, not ${kindOf(signal)}; give the controller's \`signal\``);
  }
  return signal;
}

/** What kind of value was given, for an error. The value itself may be long, a secret, or throw when it is read. */
export function kindOf(value: unknown): string {
  return value === null ? "null" : typeof value === "object" ? "an object" : `a value of the type ${typeof value}`;
}
