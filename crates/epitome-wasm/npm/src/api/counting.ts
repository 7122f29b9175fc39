// The functions that only count. They do not load the engine.

import { fieldsOf, textOf } from "../arguments.js";
import { guarded } from "../error.js";
import { countBy, type CountOptions, type EncodingOptions, loadEncodingFor } from "../counting/encoding.js";
import { type EstimateOptions, loadEstimator } from "../counting/estimator.js";
import { type TokenCounter, tokenCounterFrom } from "../counting/token-counter.js";
import { countByTokenizer, loadTokenizerFrom } from "../counting/tokenizer.js";
import type { EncodingSource } from "../counting/vocabulary.js";
import type { Encoding } from "../glue/epitome.js";
import { counterModule, estimateModule, tokenizerModule } from "./modules.js";

/** Estimates the tokens of a text. */
export function estimateTokens(text: string, options: EstimateOptions = {}): Promise<number> {
  return guarded(async () => (await loadEstimator(estimateModule)).estimate(text, options));
}

/**
 * Counts the tokens of a text exactly as a model does; by `o200k_base` if no encoding is given. Loads the part of the
 * vocabulary that the text needs, if it is not loaded yet. The text of special tokens is counted as plain text.
 */
export function countTokens(text: string, options: CountOptions = {}): Promise<number> {
  return guarded(() => {
    const { encoding = "o200k_base", tokenizer } = fieldsOf(options, "options");
    textOf(text, "text");
    return tokenizer === undefined
      ? countBy(counterModule, text, encoding)
      : countByTokenizer(text, textOf(tokenizer, "tokenizer"));
  });
}

/**
 * Loads the vocabulary of an encoding, from the package's own file or from `source`. It is loaded once, for all compactors
 * and counters. A call during the load waits for that load. After a failure, the next call tries again.
 *
 * All asynchronous functions load what they need. Only `setPolicy` and a `TokenCounter` need this call first.
 */
export function loadEncoding(encoding: Encoding, source?: EncodingSource | EncodingOptions): Promise<void> {
  return guarded(() => loadEncodingFor(counterModule, textOf(encoding, "encoding", "unknown-encoding") as Encoding, source));
}

/** A counter for many texts. Once the promise has resolved, it counts synchronously. */
export function tokenCounter(): Promise<TokenCounter> {
  return guarded(() => tokenCounterFrom(counterModule, estimateModule));
}

/**
 * Loads the `tokenizer.json` of a model, as Hugging Face publishes them for Llama 3, Qwen, DeepSeek, Mistral and others,
 * for `countTokens(text, { tokenizer: name })` and for policies with `counting: { tokenizer: name }`. `source` is an
 * address, a response, the bytes, or the parsed object; reading it takes up to a second. A tokenizer that the package
 * cannot reproduce exactly is refused with `invalid-vocabulary`. If one of the same name is already loaded, compactors
 * that count by it keep it.
 */
export function loadTokenizer(name: string, source: EncodingSource | object): Promise<void> {
  return guarded(() => loadTokenizerFrom(tokenizerModule, textOf(name, "name"), source));
}
