// The wasm module that only counts: compiled once, on first use. Encodings and families are numbers to it.

import { fieldsOf, textOf } from "../arguments.js";
import { epitomeError } from "../error.js";
import type { Encoding, Family, TextCount, TextCounter } from "../glue/epitome.js";
import type * as Exports from "../glue/count_bg.wasm.js";
import { instantiate, type NumericSource } from "../wasm/numeric.js";
import { isWide, ScratchBuffer } from "../wasm/buffer.js";

/** How long an index is built without a pause. A whole index takes a tenth of a second. */
const BUILD_SLICE_MS = 8;
/** While an index is not complete, one build step, of a fraction of a millisecond, is done for each of this many counted
 * characters. */
const CHARACTERS_PER_STEP = 1024;
/** Most build steps per counted text. */
const MOST_STEPS = 16;

/** A family of models whose tokens are estimated alike. */
export type TokenFamily = Family;

/** How a text is estimated. */
export interface EstimateOptions {
  /** The family of models whose tokens are estimated. Default: `o200k_base`. */
  family?: TokenFamily;
  /** Divide the number of characters by this instead. */
  charactersPerToken?: number;
}

/** Counts tokens synchronously. */
export interface TokenCounter {
  /** Estimates the tokens of a text. */
  estimate(text: string, options?: EstimateOptions): number;
  /**
   * Counts the tokens of a text exactly. If the vocabulary is not loaded, it throws `encoding-not-loaded`: await
   * `loadEncoding` first. If only the ASCII shard is loaded, it throws for all other text.
   */
  count(text: string, options?: { encoding?: Encoding }): number;
}

/** The module's functions for texts of JavaScript. */
export class Counter {
  readonly #exports: typeof Exports;
  readonly #buffer: ScratchBuffer;
  readonly #families = new Map<string, number>();
  readonly #encodings = new Map<string, number>();
  readonly #reach = new Map<Encoding, "ascii" | "all">();
  /** True while an index is not complete. */
  #building = false;
  /** Characters that were counted since the last build step. */
  #charactersSinceStep = 0;

  constructor(exports: typeof Exports) {
    this.#exports = exports;
    this.#buffer = new ScratchBuffer(exports.memory, exports.resizeBuffer);
  }

  estimate(text: string, options?: EstimateOptions): number {
    textOf(text, "text");
    const { family = "o200k_base", charactersPerToken } = options === undefined ? {} : fieldsOf(options, "options");
    if (charactersPerToken !== undefined) {
      return this.#exports.estimateByCharacters(this.#buffer.write(text), charactersPerToken) >>> 0;
    }
    const number = this.#families.get(family) ?? this.#family(family);
    if (isWide(text)) {
      this.#buffer.writeUtf16(text);
      return this.#exports.estimateUtf16(text.length, number) >>> 0;
    }
    return this.#exports.estimate(this.#buffer.write(text), number) >>> 0;
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

  #family(name: TokenFamily): number {
    return this.#numbered(this.#families, textOf(name, "family"), this.#exports.family, () =>
      epitomeError("invalid-option", `family: ${JSON.stringify(name)} is not a family of tokenizers`),
    );
  }

  #encoding(name: Encoding): number {
    return this.#numbered(this.#encodings, textOf(name, "encoding", "unknown-encoding"), this.#exports.encoding, () => {
      const message = `${JSON.stringify(name)} is not an encoding that can be loaded; name o200k_base or cl100k_base`;
      return epitomeError("unknown-encoding", message);
    });
  }

  /** The module's number for a name, which `find` looks up in the buffer. */
  #numbered(known: Map<string, number>, name: string, find: (bytes: number) => number, unknown: () => Error): number {
    let number = known.get(name);
    if (number === undefined) {
      number = find(this.#buffer.write(name));
      if (number < 0) {
        throw unknown();
      }
      known.set(name, number);
    }
    return number;
  }
}

/** The counter as apps get it. */
export async function tokenCounterFrom(source: NumericSource): Promise<TokenCounter> {
  const counter = await loadCounter(source);
  return {
    estimate: (text, options) => counter.estimate(text, options),
    count(text, options) {
      const { encoding = "o200k_base" } = options === undefined ? {} : fieldsOf(options, "options");
      const tokens = counter.count(text, encoding);
      if (tokens === undefined) {
        const shard = counter.reach(encoding) === "ascii" ? " for text that is not ASCII" : "";
        const message = `the vocabulary of ${encoding} is not loaded${shard}; await loadEncoding("${encoding}") first`;
        throw Object.assign(epitomeError("encoding-not-loaded", message), { encoding });
      }
      return tokens;
    },
  };
}

let loading: Promise<Counter> | undefined;
let loaded: Counter | undefined;

/** Compiles the module, unless that is done or in progress. After a failure, the next call tries again. */
export function loadCounter(source: NumericSource): Promise<Counter> {
  loading ??= instantiate<typeof Exports>(source).then(
    (exports) => (loaded = new Counter(exports)),
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

/** A loaded encoding, for a module whose texts are in `memory`. */
export function findEncoding(name: string, memory: WebAssembly.Memory): TextCounter | undefined {
  return loaded?.find(name as Encoding, memory);
}
