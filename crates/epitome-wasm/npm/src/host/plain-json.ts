// Messages that are nothing but JSON, as most are: these cross in one piece.

/** Deeper is nothing that anybody writes. */
const DEEPEST = 32;

/**
 * Messages as JSON, a line each, where that says all that the engine would read of them; undefined where it may not.
 * Numbers with a fraction are read more exactly one by one, and what has a `toJSON`, a getter that throws or bytes in it
 * is looked at closely.
 */
export function plainJson(messages: readonly unknown[]): string | undefined {
  try {
    let lines: string | undefined;
    for (const message of messages) {
      if (!isPlain(message, 0)) {
        return undefined;
      }
      const line = JSON.stringify(message);
      lines = lines === undefined ? line : `${lines}\n${line}`;
    }
    return lines ?? "";
  } catch {
    return undefined;
  }
}

function isPlain(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isSafeInteger(value);
    case "object":
      return value === null || (depth < DEEPEST && hasPlainParts(value, depth + 1));
    default:
      return false;
  }
}

function hasPlainParts(value: object, depth: number): boolean {
  if ((value as { toJSON?: unknown }).toJSON !== undefined) {
    return false;
  }
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) {
      if (!isPlain(value[at], depth)) {
        return false;
      }
    }
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    return false;
  }
  for (const key in value) {
    if (!isPlain((value as Record<string, unknown>)[key], depth)) {
      return false;
    }
  }
  return true;
}
