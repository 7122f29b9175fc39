// Copies of what cannot be sent to another thread as it is, such as an object with methods, or a proxy of a reactive store.

import { epitomeError } from "../error.js";

/** True for an object that has fields and nothing else. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A copy that can be sent: without functions and symbols, and without what is deeper than `depth`. */
export function plain(value: unknown, depth = Infinity, seen = new Map<object, unknown>()): unknown {
  if (typeof value === "function" || typeof value === "symbol") {
    return undefined;
  }
  if (typeof value !== "object" || value === null || seen.has(value)) {
    return seen.get(value as object) ?? value;
  }
  if (depth === 0) {
    return undefined;
  }
  const isError = value instanceof Error;
  const clone = Array.isArray(value) || isPlain(value) || isError ? undefined : cloned(value);
  if (clone !== undefined) {
    return clone;
  }
  const copy: unknown[] | Record<string, unknown> = Array.isArray(value) ? [] : {};
  seen.set(value, copy);
  for (const name of Object.keys(value)) {
    // As `cause` of an error, it is sent with it.
    if (!(isError && name === "cause")) {
      Reflect.set(copy, name, plain(fieldOf(value, name), depth - 1, seen));
    }
  }
  return copy;
}

function fieldOf(value: object, name: string): unknown {
  try {
    return Reflect.get(value, name);
  } catch (error) {
    throw epitomeError("invalid-message", `a field ${JSON.stringify(name)} that throws when it is read`, error);
  }
}

function cloned(value: object): unknown {
  try {
    return structuredClone(value);
  } catch {
    return undefined;
  }
}
