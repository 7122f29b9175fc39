// What a policy counts by, loaded before a compactor needs it.

import { fieldsOf } from "../arguments.js";
import type { Counting } from "../glue/epitome.js";
import type { NumericSource } from "../wasm/numeric.js";
import { loadCounter } from "./counter.js";
import { loadEncodingFor } from "./encoding.js";
import { loadTokenizerOnce, type TokenizerSources } from "./tokenizer.js";

/** Where the modules come from that count exactly. */
export interface CountingSources {
  counter: NumericSource;
  tokenizers: NumericSource;
}

/** Loads what all of these count by; see `loadCounting`. */
export async function loadCountings(
  countings: readonly Counting[],
  sources: CountingSources,
  tokenizers: TokenizerSources = {},
): Promise<void> {
  await Promise.all(countings.map(async (counting) => loadCounting(counting, sources, tokenizers)));
}

/**
 * Loads the vocabulary or the tokenizer that a policy counts by. A tokenizer that is neither loaded nor in `tokenizers` is
 * left out: the engine then says that it is not loaded.
 */
export async function loadCounting(
  counting: Counting,
  sources: CountingSources,
  tokenizers: TokenizerSources = {},
): Promise<void> {
  if (typeof counting === "string") {
    return;
  }
  if ("encoding" in counting) {
    await loadEncodingFor(sources.counter, counting.encoding);
    // Without its index, a long conversation would be counted several times as slowly.
    await (await loadCounter(sources.counter)).built();
  } else if ("tokenizer" in counting) {
    const name = counting.tokenizer;
    const known = fieldsOf(tokenizers, "tokenizers");
    const from = Object.hasOwn(known, name) ? known[name] : undefined;
    if (from !== undefined) {
      await loadTokenizerOnce(sources.tokenizers, name, from);
    }
  }
}
