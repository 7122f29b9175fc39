// The wasm module that counts exactly: compiled once, on first use. Encodings are numbers to it.

import { textOf } from "../arguments.js";
import { epitomeError } from "../error.js";
import type { Encoding, TextCount, TextCounter } from "../glue/epitome.js";
import type * as Exports from "../glue/count_bg.wasm.js";
import { ScratchBuffer } from "../wasm/buffer.js";
import { loader, NumberedNames } from "../wasm/numeric.js";

/** How long an index is built without a pause. A whole index takes a tenth of a second. */
const BUILD_SLICE_MS = 8;
/** While an index is not complete, one build step, of a fraction of a millisecond, is done for each of this many counted
 * characters. */
const CHARACTERS_PER_STEP = 1024;
/** Most build steps per counted text. */
const MOST_STEPS = 16;

/** The module's functions for texts of JavaScript. */
export class Counter {
  readonly #exports: typeof Exports;
  readonly #buffer: ScratchBuffer;
  readonly #encodings: NumberedNames;
  readonly #reach = new Map<Encoding, "ascii" | "all">();
  /** True while an index is not complete. */
  #building = false;
  /** Characters that were counted since the last build step. */
  #charactersSinceStep = 0;

  constructor(exports: typeof Exports) {
    this.#exports = exports;
    this.#buffer = new ScratchBuffer(exports.memory, exports.resizeBuffer);
    this.#encodings = new NumberedNames(this.#buffer, exports.encoding);
  }

  /** Undefined if the part of the vocabulary that this text needs is not loaded. */
  count(text: string, encoding: Encoding): number | undefined {
    textOf(text, "text");
    const number = this.#encoding(encoding);
    const tokens = this.#exports.count(this.#buffer.write(text), number);
    if (this.#building) {
      this.#buildWhileCounting(text);
    }
    return tokens < 0 ? undefined : tokens;
  }

  /** Begins the same in steps. */
  begin(text: string, encoding: Encoding): TextCount | undefined {
    const number = this.#encoding(encoding);
    return this.#begun(this.#buffer.write(text), number);
  }

  /** Which texts the encoding can count by the part of its vocabulary that was read. */
  reach(encoding: Encoding): "ascii" | "all" | undefined {
    this.#encoding(encoding);
    return this.#reach.get(encoding);
  }

  /** Reads a whole vocabulary. The encoding counts at once, and several times as fast when its index is complete, after a
   * tenth of a second. */
  readWhole(encoding: Encoding, file: Uint8Array): void {
    this.#read(encoding, [file], (number) => this.#exports.readWhole(number));
    this.#reach.set(encoding, "all");
  }

  /** Reads the ASCII shard. */
  readAscii(encoding: Encoding, file: Uint8Array): void {
    this.#read(encoding, [file], (number) => this.#exports.readAscii(number));
    this.#reach.set(encoding, "ascii");
  }

  /** Reads a vocabulary in two shards. */
  readShards(encoding: Encoding, ascii: Uint8Array, rest: Uint8Array): void {
    this.#read(encoding, [ascii, rest], (number) => this.#exports.readShards(number, ascii.length));
    this.#reach.set(encoding, "all");
  }

  /** Resolves when no index is left to build. */
  async built(): Promise<void> {
    while (this.#building) {
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  /** The encoding of this name for a module whose texts are in `memory`; undefined if a part of its vocabulary is not loaded. */
  find(encoding: Encoding, memory: WebAssembly.Memory): TextCounter | undefined {
    if (this.reach(encoding) !== "all") {
      return undefined;
    }
    const number = this.#encoding(encoding);
    const copied = (address: number, bytes: number): number => this.#buffer.copy(new Uint8Array(memory.buffer, address, bytes));
    return {
      count: (address, bytes) => this.#exports.count(copied(address, bytes), number) >>> 0,
      begin: (address, bytes) => this.#begun(copied(address, bytes), number) as TextCount,
    };
  }

  #begun(bytes: number, encoding: number): TextCount | undefined {
    const count = this.#exports.begin(bytes, encoding);
    return count < 0 ? undefined : { countOn: () => this.#exports.countOn(count), end: () => this.#exports.end(count) };
  }

  #read(encoding: Encoding, files: readonly Uint8Array[], read: (encoding: number) => number): void {
    const number = this.#encoding(encoding);
    this.#buffer.fill(...files);
    const problem = read(number);
    if (problem > 0) {
      const what = this.#buffer.read(problem);
      throw epitomeError("invalid-vocabulary", `what was given as the vocabulary of ${encoding} is ${what}`);
    }
    if (!this.#building) {
      this.#building = true;
      setTimeout(() => this.#build());
    }
  }

  /** Builds indexes in the background. */
  #build(): void {
    const until = performance.now() + BUILD_SLICE_MS;
    while (this.#advance()) {
      if (performance.now() > until) {
        setTimeout(() => this.#build());
        return;
      }
    }
  }

  /** Builds a little per counted text, because a caller that counts in a loop leaves no time for the background. */
  #buildWhileCounting(text: string): void {
    this.#charactersSinceStep = Math.min(this.#charactersSinceStep + text.length, MOST_STEPS * CHARACTERS_PER_STEP);
    while (this.#charactersSinceStep >= CHARACTERS_PER_STEP && this.#building) {
      this.#charactersSinceStep -= CHARACTERS_PER_STEP;
      this.#advance();
    }
  }

  #advance(): boolean {
    this.#building = this.#exports.advance() !== 0;
    return this.#building;
  }

  #encoding(name: Encoding): number {
    return this.#encodings.of(textOf(name, "encoding", "unknown-encoding"), () => {
      const message = `${JSON.stringify(name)} is not an encoding that can be loaded; name o200k_base or cl100k_base`;
      return epitomeError("unknown-encoding", message);
    });
  }
}

let loaded: Counter | undefined;

/** Compiles the module on the first call. */
export const loadCounter = /* @__PURE__ */ loader((exports: typeof Exports) => (loaded = new Counter(exports)));

/** A loaded encoding, for a module whose texts are in `memory`. */
export function findEncoding(name: string, memory: WebAssembly.Memory): TextCounter | undefined {
  return loaded?.find(name as Encoding, memory);
}
