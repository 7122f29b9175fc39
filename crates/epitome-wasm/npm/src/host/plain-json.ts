// Messages that consist only of JSON values, as most do. They cross to the engine as one text.

/** Values that are nested deeper are left to the engine, which has a limit too. */
const DEEPEST = 32;

/**
 * The messages as JSON, one per line; undefined if the engine could read more from the objects than JSON says, or reads it
 * differently. That is so for fractions, which the engine reads more exactly from the number, and for anything with a
 * `toJSON`, a getter that throws, or bytes.
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
    // By index: `every` skips the holes of an array, which JSON writes as null.
    for (let index = 0; index < value.length; index += 1) {
      if (!isPlain(value[index], depth)) {
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
