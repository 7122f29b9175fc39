// The module that only counts: compiled when it is first needed, once, and asked by number.

import { epitomeError } from "./error.js";
import type { Encoding } from "./glue/epitome.js";
import type * as Exports from "./glue/count_bg.wasm.js";
import type { TokenFamily } from "./glue/count.js";
import { instantiate, type NumericSource } from "./numeric.js";
import { isWide, Room } from "./room.js";

/** Longest stretch of building an index, which takes a tenth of a second in all. */
const STRETCH_MS = 8;
/** A fraction of a millisecond goes into an index for so many characters that are counted meanwhile. */
const CHARACTERS_A_STRETCH = 1024;
/** And so many fractions at most while one text is counted. */
const STRETCHES_BESIDE = 16;

/** What a text is estimated by. */
export interface EstimateOptions {
  /** Whose tokens are estimated; `o200k_base` where absent. */
  family?: TokenFamily;
  /** Instead of that, how many characters are taken for a token. */
  charactersPerToken?: number;
}

/** Counts tokens at once, without waiting. */
export interface TokenCounter {
  /** Estimates the tokens of a text. */
  estimate(text: string, options?: EstimateOptions): number;
  /**
   * Counts the tokens of a text exactly. Where the vocabulary that takes is not loaded, it throws
   * `encoding-not-loaded`: await `loadEncoding` first. With the shard for ASCII alone, so it does for other text.
   */
  count(text: string, options?: { encoding?: Encoding }): number;
}

/** The module's functions, and where text for them is written. */
export class Counter {
  readonly #exports: typeof Exports;
  readonly #room: Room;
  readonly #families = new Map<string, number>();
  readonly #encodings = new Map<string, number>();
  readonly #reach = new Map<Encoding, "ascii" | "all">();
  /** True while there are indexes to build. */
  #building = false;
  /** Characters that were counted meanwhile, and no stretch was built for. */
  #unpaid = 0;

  constructor(exports: typeof Exports) {
    this.#exports = exports;
    this.#room = new Room(exports.memory, exports.room);
  }

  estimate(text: string, { family = "o200k_base", charactersPerToken }: EstimateOptions = {}): number {
    if (charactersPerToken !== undefined) {
      return this.#exports.estimateByCharacters(this.#room.write(text), charactersPerToken) >>> 0;
    }
    const number = this.#families.get(family) ?? this.#family(family);
    if (isWide(text)) {
      this.#room.writeUtf16(text);
      return this.#exports.estimateUtf16(text.length, number) >>> 0;
    }
    return this.#exports.estimate(this.#room.write(text), number) >>> 0;
  }

  /** Undefined where the encoding's vocabulary is not loaded as far as this text needs it. */
  count(text: string, encoding: Encoding): number | undefined {
    const number = this.#encoding(encoding);
    const tokens = this.#exports.count(this.#room.write(text), number);
    if (this.#building) {
      this.#buildBeside(text);
    }
    return tokens < 0 ? undefined : tokens;
  }

  /** Which texts the encoding counts by what was read of it. */
  reach(encoding: Encoding): "ascii" | "all" | undefined {
    this.#encoding(encoding);
    return this.#reach.get(encoding);
  }

  /** Reads a whole vocabulary. The encoding counts from then on, and some times as fast a tenth of a second later. */
  readWhole(encoding: Encoding, file: Uint8Array): void {
    this.#read(encoding, [file], (number) => this.#exports.readWhole(number));
    this.#reach.set(encoding, "all");
  }

  /** Reads the shard for ASCII. */
  readAscii(encoding: Encoding, file: Uint8Array): void {
    this.#read(encoding, [file], (number) => this.#exports.readAscii(number));
    this.#reach.set(encoding, "ascii");
  }

  /** Reads a vocabulary in two shards. */
  readShards(encoding: Encoding, ascii: Uint8Array, rest: Uint8Array): void {
    this.#read(encoding, [ascii, rest], (number) => this.#exports.readShards(number, ascii.length));
    this.#reach.set(encoding, "all");
  }

  #read(encoding: Encoding, files: readonly Uint8Array[], read: (encoding: number) => number): void {
    const number = this.#encoding(encoding);
    this.#room.fill(...files);
    const problem = read(number);
    if (problem > 0) {
      const what = this.#room.read(problem);
      throw epitomeError("invalid-vocabulary", `what was given as the vocabulary of ${encoding} is ${what}`);
    }
    if (!this.#building) {
      this.#building = true;
      setTimeout(() => this.#build());
    }
  }

  /** Builds indexes while nothing else is done. */
  #build(): void {
    const until = performance.now() + STRETCH_MS;
    while (this.#advance()) {
      if (performance.now() > until) {
        setTimeout(() => this.#build());
        return;
      }
    }
  }

  /** Whoever counts without a pause leaves no time for building: a little is done as texts are counted. */
  #buildBeside(text: string): void {
    this.#unpaid = Math.min(this.#unpaid + text.length, STRETCHES_BESIDE * CHARACTERS_A_STRETCH);
    while (this.#unpaid >= CHARACTERS_A_STRETCH && this.#building) {
      this.#unpaid -= CHARACTERS_A_STRETCH;
      this.#advance();
    }
  }

  #advance(): boolean {
    this.#building = this.#exports.advance() !== 0;
    return this.#building;
  }

  #family(name: TokenFamily): number {
    return this.#numbered(this.#families, String(name), this.#exports.family, () =>
      epitomeError("invalid-option", `family: ${JSON.stringify(name)} is no family of tokenizers`),
    );
  }

  #encoding(name: Encoding): number {
    return this.#numbered(this.#encodings, String(name), this.#exports.encoding, () => {
      const message = `${JSON.stringify(name)} is no encoding that can be loaded; there are o200k_base, cl100k_base`;
      return epitomeError("unknown-encoding", message);
    });
  }

  #numbered(known: Map<string, number>, name: string, ask: (bytes: number) => number, refusal: () => Error): number {
    let number = known.get(name);
    if (number === undefined) {
      number = ask(this.#room.write(name));
      if (number < 0) {
        throw refusal();
      }
      known.set(name, number);
    }
    return number;
  }
}

/** A counter for apps. */
export async function tokenCounterFrom(source: NumericSource): Promise<TokenCounter> {
  const counter = await loadCounter(source);
  return {
    estimate: (text, options) => counter.estimate(text, options),
    count(text, { encoding = "o200k_base" } = {}) {
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

/** Compiles the module, unless that is done or under way. A failure is not remembered. */
export function loadCounter(source: NumericSource): Promise<Counter> {
  loading ??= instantiate<typeof Exports>(source).then(
    (exports) => new Counter(exports),
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}
