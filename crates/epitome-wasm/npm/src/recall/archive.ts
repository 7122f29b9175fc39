// The wasm module that searches a conversation: fetched on the first search, with an index for each compactor.

import type * as Exports from "../glue/recall_bg.wasm.js";
import { ScratchBuffer } from "../wasm/buffer.js";
import { loader, type NumericSource } from "../wasm/numeric.js";

interface Module {
  exports: typeof Exports;
  buffer: ScratchBuffer;
}

/** Compiles the module on the first call. */
const load = /* @__PURE__ */ loader((exports: typeof Exports): Module => ({ exports, buffer: new ScratchBuffer(exports.memory, exports.resizeBuffer) }));

/** Characters of a message that are added in one call, at the most. */
export const PART = 65_536;

/** Messages that follow each other, by their positions, with what they say. */
export interface Found {
  score: number;
  quotes: { position: number; text: string }[];
}

/** The index of one conversation, which knows messages by their positions. */
export class Archive {
  readonly #module: Module;
  readonly #number: number;
  #isFree = false;
  #isWhole = true;

  static async create(source: NumericSource): Promise<Archive> {
    return new Archive(await load(source));
  }

  private constructor(module: Module) {
    this.#module = module;
    this.#number = module.exports.create();
  }

  /** How many messages it has. */
  get length(): number {
    return this.#module.exports.messages(this.#number);
  }

  /** Adds the first part of a message, of about so many characters as `PART`. */
  append(speaker: string, text: string, time: number | undefined): void {
    const { exports, buffer } = this.#module;
    const speakerBytes = buffer.write(speaker);
    this.#isWhole = exports.append(this.#number, buffer.write(speaker + text), speakerBytes, time ?? -1) === 1;
  }

  /** True if it has all of the message that was added last. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Adds the next part of that message. */
  appendNext(): void {
    this.#isWhole = this.#module.exports.appendNext(this.#number) === 1;
  }

  truncate(length: number): void {
    this.#isWhole ||= length < this.length;
    this.#module.exports.truncate(this.#number, length);
  }

  /** Says which messages are searched, by a 1 for each, and what the view has in place of messages. */
  prepare(departed: Uint8Array, known: string): void {
    const { exports, buffer } = this.#module;
    exports.depart(this.#number, buffer.copy(departed));
    exports.know(this.#number, buffer.write(known));
  }

  /** The words of a text that only searched messages have, and perhaps messages from a position on. */
  returning(text: string, from: number): string {
    const { exports, buffer } = this.#module;
    return buffer.read(exports.returning(this.#number, buffer.write(text), from));
  }

  /** The messages that fit best to a question, at most this many, by their positions. */
  candidates(question: string, most: number, textOf: (position: number) => string): { position: number; score: number }[] {
    const { exports, buffer } = this.#module;
    const numbers = (bytes: number): number[] => numbersOf(buffer.read(bytes));
    for (const position of numbers(exports.search(this.#number, buffer.write(question)))) {
      exports.give(this.#number, position, buffer.write(textOf(position)));
    }
    exports.widen(this.#number, 1);
    const listed = numbers(exports.candidates(this.#number, most));
    return Array.from({ length: listed.length / 2 }, (_, at) => ({ position: listed[2 * at] ?? 0, score: listed[2 * at + 1] ?? 0 }));
  }

  /**
   * What the searched messages say about a question, and the same as text for a model, of at most `tokens` tokens. With
   * `preferred`, only what these messages say, each at a position with a score. `turn` is the text of which the question is a part:
   * instructions and preferences that hold for all turns are found by it.
   */
  search(
    question: string,
    tokens: number,
    textOf: (position: number) => string,
    { preferred, turn }: { preferred?: ReadonlyMap<number, number> | undefined; turn?: string } = {},
  ): { found: Found[]; text: string; tokens: number } {
    const { exports, buffer } = this.#module;
    const given = new Set<number>();
    const give = (bytes: number): void => {
      for (const position of numbersOf(buffer.read(bytes))) {
        if (!given.has(position)) {
          given.add(position);
          exports.give(this.#number, position, buffer.write(textOf(position)));
        }
      }
    };
    give(exports.search(this.#number, buffer.write(question)));
    if (turn !== undefined) {
      exports.setTurn(this.#number, buffer.write(turn));
    }
    give(exports.widen(this.#number, tokens));
    if (preferred !== undefined) {
      const list = [...preferred].flat().join(" ");
      give(exports.prefer(this.#number, buffer.write(list), tokens));
    }
    const found = readFound(buffer.read(exports.choose(this.#number, tokens)));
    const text = buffer.read(exports.rendered(this.#number));
    return { found, text, tokens: exports.tokens(buffer.write(text)) };
  }

  /** The index as bytes to keep. */
  bytes(): Uint8Array<ArrayBuffer> {
    const { exports, buffer } = this.#module;
    return buffer.take(exports.store(this.#number));
  }

  /** Takes what `bytes` has returned. False if it is of another version or damaged; the index is empty then. */
  restore(bytes: Uint8Array): boolean {
    const { exports, buffer } = this.#module;
    return exports.restore(this.#number, buffer.copy(bytes)) === 1;
  }

  /** Who wrote a message, by its position. */
  speakerOf(position: number): string {
    const { exports, buffer } = this.#module;
    return buffer.read(exports.speaker(this.#number, position));
  }

  /** Frees the memory. Another call does nothing: the number may be that of another index then. */
  free(): void {
    if (!this.#isFree) {
      this.#isFree = true;
      this.#module.exports.forget(this.#number);
    }
  }
}

/** The numbers of a list with spaces between them. */
function numbersOf(list: string): number[] {
  return list.split(" ").filter((text) => text !== "").map(Number);
}

/** Reads the list that the module writes: a line for each passage, and for each quote a line with its length before its text. */
function readFound(list: string): Found[] {
  const found: Found[] = [];
  let at = 0;
  while (at < list.length) {
    const end = list.indexOf("\n", at);
    const [kind, first, second] = list.slice(at, end).split(" ");
    at = end + 1;
    if (kind === "passage") {
      found.push({ score: Number(first), quotes: [] });
    } else {
      const length = Number(second);
      found.at(-1)?.quotes.push({ position: Number(first), text: list.slice(at, at + length) });
      at += length + 1;
    }
  }
  return found;
}
