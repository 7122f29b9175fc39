// Exact counts by the module that only counts: vocabularies are fetched when they are first needed, and read once.

import { type Counter, loadCounter } from "./counter.js";
import type { Encoding } from "./glue/epitome.js";
import type { NumericSource } from "./numeric.js";
import { type EncodingSource, isSource, partOf } from "./vocabulary.js";

/** What is loaded of an encoding, and from where. */
export interface EncodingOptions {
  /**
   * `"ascii"` loads what text in ASCII needs, which is 60 % of `o200k_base`, and is exact for it. The rest follows
   * when `countTokens` meets other text, or a policy counts by the encoding.
   */
  scripts?: "ascii" | "all";
  /** Where the vocabulary comes from, or with `"ascii"` its shard; the package's own files where absent. */
  source?: EncodingSource;
  /** With `"ascii"`: where the rest comes from. */
  rest?: EncodingSource;
}

/** What a text is counted by. */
export interface CountOptions {
  /** `o200k_base` where absent. */
  encoding?: Encoding;
  /** Instead of that, a tokenizer that `loadTokenizer` was given this name for. */
  tokenizer?: string;
}

/** Loads that are under way, by what they load into. */
const loading = new WeakMap<object, Map<string, Promise<void>>>();
/** The shards that the counter has read, and where the rest comes from. */
const shards = new Map<Encoding, { ascii: Uint8Array; rest: EncodingSource | undefined }>();

/** What the counter has read, for an engine that counts exactly later on: a file, or its two shards. */
export const kept = new Map<Encoding, readonly [Uint8Array, Uint8Array?]>();

/** What else may have an encoding, so that the counter need not read it as well. */
export type Elsewhere = (text: string, encoding: Encoding) => Promise<number | undefined>;

/** Loads an encoding into the counter. A failure is not remembered. */
export async function loadEncodingFor(
  source: NumericSource,
  encoding: Encoding,
  given: EncodingSource | EncodingOptions = {},
): Promise<void> {
  await loadIntoCounter(await loadCounter(source), encoding, optionsOf(given));
}

export function optionsOf(given: EncodingSource | EncodingOptions): EncodingOptions {
  return isSource(given) ? { source: given } : given;
}

/** Counts by an encoding, and loads of it what the text needs. */
export async function countBy(
  source: NumericSource,
  text: string,
  encoding: Encoding,
  elsewhere?: Elsewhere,
): Promise<number> {
  const counter = await loadCounter(source);
  const tokens = counter.count(text, encoding) ?? (await elsewhere?.(text, encoding));
  if (tokens !== undefined) {
    return tokens;
  }
  await loadIntoCounter(counter, encoding, { scripts: isAscii(text) ? "ascii" : "all" });
  return countBy(source, text, encoding);
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

function loadIntoCounter(counter: Counter, encoding: Encoding, options: EncodingOptions): Promise<void> {
  const { scripts = "all", source, rest } = options;
  const has = (): boolean => {
    const reach = counter.reach(encoding);
    return reach === "all" || (reach === "ascii" && scripts === "ascii");
  };
  return once(counter, encoding, has, async () => {
    const shard = shards.get(encoding);
    if (scripts === "ascii") {
      const ascii = await partOf(encoding, "ascii", source);
      counter.readAscii(encoding, ascii);
      shards.set(encoding, { ascii, rest });
    } else if (shard !== undefined && source === undefined) {
      const behind = await partOf(encoding, "rest", rest ?? shard.rest);
      counter.readShards(encoding, shard.ascii, behind);
      kept.set(encoding, [shard.ascii, behind]);
      shards.delete(encoding);
    } else {
      const file = await partOf(encoding, "whole", source);
      counter.readWhole(encoding, file);
      kept.set(encoding, [file]);
    }
  });
}

/** Loads into `target` what has a name, unless that is done: one at a time. */
export async function once(
  target: object,
  name: string,
  isDone: () => boolean,
  work: () => Promise<void>,
): Promise<void> {
  const begun = loading.get(target) ?? new Map<string, Promise<void>>();
  loading.set(target, begun);
  while (!isDone()) {
    let underway = begun.get(name);
    if (underway === undefined) {
      underway = work().finally(() => begun.delete(name));
      begun.set(name, underway);
    }
    await underway;
  }
}
