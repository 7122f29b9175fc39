// Messages that consist only of JSON values, as most do. They cross to the engine as one text.

import { epitomeError, isEpitomeError } from "../error.js";

/** Values that are nested deeper cross one by one. */
const DEEPEST_PLAIN = 32;
/** The engine refuses what is nested deeper, so that it is not measured. */
const DEEPEST = 128;
/** Most values in one message: objects, arrays and what they contain. The engine has the same limit. */
const MOST_VALUES = 1_000_000;
/** Most UTF-16 units in the texts of one message. */
const MOST_UNITS = 1 << 26;

/** Characters for each value from which on texts cross faster one by one: to write and read JSON takes time for each character,
 * and a value that crosses takes some for itself. */
const LONG_TEXT = 10_000;

/** Messages as the engine can read them. */
export interface Readable {
  /** As JSON, one per line; undefined if they are not plain, or if one is long and consists of few texts: these cross faster as
   * they are. */
  readonly json: string | undefined;
  /** The size of each message, in characters. */
  readonly sizes: readonly number[];
}

/** Characters that a value takes at the least, besides its text. */
const UNITS_PER_VALUE = 16;

/**
 * The messages as JSON, unless the engine could read more from the objects than JSON says, or reads it differently. That is
 * so for fractions, which the engine reads more exactly from the number, and for anything with a `toJSON`, a getter that
 * throws, or bytes.
 *
 * Throws `too-large` for a message beyond the limits, before the engine reads any of it: a value that is shared again and
 * again, or an array that claims a length, is small as an object and endless as JSON. The first one stands at
 * `first` in the app's list.
 */
export function readable(messages: readonly unknown[], first = 0): Readable {
  const measures = messages.map((message, index) => measured(message, first + index));
  let json: string | undefined = "";
  for (let index = 0; index < messages.length && json !== undefined; index += 1) {
    const line = measures[index]?.isFasterAsJson === true ? textOf(messages[index]) : undefined;
    json = line === undefined || json === "" ? line : `${json}\n${line}`;
  }
  return { json, sizes: measures.map(({ size }) => size) };
}

/** The size of each message, in characters. Throws as `readable` does. `indices` are those in the app's list. */
export function sizesOf(messages: readonly unknown[], indices?: readonly number[]): number[] {
  return messages.map((message, index) => measured(message, indices?.[index] ?? index).size);
}

/** The size of one message, in characters. `index` is its place in the app's list, if it is in one. */
export function sizeOf(message: unknown, index?: number): number {
  return measured(message, index).size;
}

function measured(message: unknown, index?: number): Measure {
  const measure = new Measure(index);
  measure.take(message, 0);
  return measure;
}

function textOf(message: unknown): string | undefined {
  try {
    return JSON.stringify(message);
  } catch {
    // A proxy that gives something else when it is read again.
    return undefined;
  }
}

/** The size of one message. */
class Measure {
  /** Its index in a list. */
  readonly #index: number | undefined;
  isPlain = true;
  #values = 0;
  #units = 0;

  constructor(index: number | undefined) {
    this.#index = index;
  }

  get size(): number {
    return this.#units + UNITS_PER_VALUE * this.#values;
  }

  /** True if its values cross faster as one text. */
  get isFasterAsJson(): boolean {
    return this.isPlain && this.#units < LONG_TEXT * this.#values;
  }

  take(value: unknown, depth: number): void {
    this.#values += 1;
    if (this.#values > MOST_VALUES) {
      throw this.#tooLarge(MOST_VALUES, "values");
    }
    switch (typeof value) {
      case "string":
        this.#units += value.length;
        if (this.#units > MOST_UNITS) {
          throw this.#tooLarge(MOST_UNITS, "characters");
        }
        return;
      case "boolean":
        return;
      case "number":
        this.isPlain &&= Number.isSafeInteger(value);
        return;
      case "object":
        if (value !== null) {
          this.isPlain &&= depth < DEEPEST_PLAIN;
          if (depth < DEEPEST) {
            this.#takeParts(value, depth + 1);
          }
        }
        return;
      default:
        this.isPlain = false;
    }
  }

  #takeParts(value: object, depth: number): void {
    try {
      if (ArrayBuffer.isView(value) || (value as { toJSON?: unknown }).toJSON !== undefined) {
        this.isPlain = false;
      } else if (Array.isArray(value)) {
        this.#takeElements(value, depth);
      } else {
        this.#takeFields(value, depth);
      }
    } catch (thrown) {
      if (isEpitomeError(thrown)) {
        throw thrown;
      }
      // A getter or a proxy that throws: the engine names it in its error.
      this.isPlain = false;
    }
  }

  #takeElements(array: readonly unknown[], depth: number): void {
    if (this.#values + array.length > MOST_VALUES) {
      throw this.#tooLarge(MOST_VALUES, "values");
    }
    // By index: `every` skips the holes of an array, which JSON writes as null.
    for (let index = 0; index < array.length; index += 1) {
      this.take(array[index], depth);
    }
  }

  #takeFields(object: object, depth: number): void {
    const prototype: unknown = Object.getPrototypeOf(object);
    this.isPlain &&= prototype === Object.prototype || prototype === null;
    for (const key in object) {
      this.take((object as Record<string, unknown>)[key], depth);
    }
  }

  #tooLarge(most: number, what: string): Error {
    const place = this.#index === undefined ? "message" : `messages[${this.#index}]`;
    return epitomeError("too-large", `${place} has more than ${most} ${what}, the most that one message may have`);
  }
}
