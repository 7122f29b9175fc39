// Exact counts by the counting module. A vocabulary is fetched on first use and read once.

import { fieldsOf } from "../arguments.js";
import { type Counter, loadCounter } from "./counter.js";
import type { Encoding, TextCount } from "../glue/epitome.js";
import { pause } from "../host/pause.js";
import type { NumericSource } from "../wasm/numeric.js";
import { type EncodingSource, isDivided, isSource, partOf } from "./vocabulary.js";

/** Which part of an encoding's vocabulary is loaded, and from where. */
export interface EncodingOptions {
  /**
   * `"ascii"` loads only what ASCII text needs, 60 % of `o200k_base`, and counts such text exactly. The rest is loaded
   * when `countTokens` gets other text or a policy counts by the encoding. `cl100k_base` is not divided, and is loaded whole.
   */
  scripts?: "ascii" | "all";
  /** Where the vocabulary comes from, or with `"ascii"` its ASCII shard. Default: the package's own files. */
  source?: EncodingSource;
  /** With `"ascii"`: where the rest comes from. */
  rest?: EncodingSource;
}

/** The encoding or the tokenizer by which a text is counted. */
export interface CountOptions {
  /** Default: `o200k_base`. */
  encoding?: Encoding;
  /** Count by the tokenizer that `loadTokenizer` loaded under this name, instead of an encoding. */
  tokenizer?: string;
}

/** Loads in progress, by target and then by name. */
const loading = new WeakMap<object, Map<string, Promise<void>>>();
/** The ASCII shards that the counter has read, and where the rest comes from. */
const shards = new Map<Encoding, { ascii: Uint8Array; rest: EncodingSource | undefined }>();

/** Loads an encoding into the counter. After a failure, the next call tries again. */
export async function loadEncodingFor(
  source: NumericSource,
  encoding: Encoding,
  given: EncodingSource | EncodingOptions = {},
): Promise<void> {
  await loadIntoCounter(await loadCounter(source), encoding, isSource(given) ? { source: given } : fieldsOf(given, "source"));
}

/** Longer texts are counted in steps, each of some milliseconds. */
const LONG = 100_000;

/** Counts by an encoding, a long text in steps. Loads the part of its vocabulary that the text needs. */
export async function countBy(source: NumericSource, text: string, encoding: Encoding): Promise<number> {
  const counter = await loadCounter(source);
  const tokens = text.length > LONG ? await inSteps(counter.begin(text, encoding)) : counter.count(text, encoding);
  if (tokens !== undefined) {
    return tokens;
  }
  await loadIntoCounter(counter, encoding, { scripts: isAscii(text) ? "ascii" : "all" });
  return countBy(source, text, encoding);
}

/** The tokens of a count that was begun. */
async function inSteps(count: TextCount | undefined): Promise<number | undefined> {
  try {
    let tokens: number | undefined = count && -1;
    while (tokens === -1) {
      await pause();
      tokens = count?.countOn();
    }
    return tokens;
  } finally {
    count?.end();
  }
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

function loadIntoCounter(counter: Counter, encoding: Encoding, options: EncodingOptions): Promise<void> {
  const { scripts, source, rest } = options;
  // Asked after `reach`, which refuses a name that no encoding has.
  const isForAscii = (): boolean => scripts === "ascii" && isDivided(encoding);
  const has = (): boolean => {
    const reach = counter.reach(encoding);
    return reach === "all" || (reach === "ascii" && isForAscii());
  };
  return loadOneByOne(counter, encoding, has, async () => {
    const shard = shards.get(encoding);
    if (isForAscii()) {
      const ascii = await partOf(encoding, "ascii", source);
      counter.readAscii(encoding, ascii);
      shards.set(encoding, { ascii, rest });
    } else if (shard !== undefined && source === undefined) {
      const others = await partOf(encoding, "rest", rest ?? shard.rest);
      counter.readShards(encoding, shard.ascii, others);
      shards.delete(encoding);
    } else {
      counter.readWhole(encoding, await partOf(encoding, "whole", source));
    }
  });
}

/**
 * Does `work`, which loads `name` into `target`, unless `isDone`. Loads of the same name and target run one after the other,
 * because a later one may need more than the earlier one has loaded.
 */
export async function loadOneByOne(
  target: object,
  name: string,
  isDone: () => boolean,
  work: () => Promise<void>,
): Promise<void> {
  const running = loading.get(target) ?? new Map<string, Promise<void>>();
  loading.set(target, running);
  while (!isDone()) {
    let load = running.get(name);
    if (load === undefined) {
      load = work().finally(() => running.delete(name));
      running.set(name, load);
    }
    await load;
  }
}
