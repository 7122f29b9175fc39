// Counting alone: the package for apps that only count, without the engine.

import { type EstimateOptions, loadCounter, type TokenCounter, tokenCounterFrom } from "./counter.js";
import { countBy, type CountOptions, type EncodingOptions, loadEncodingFor } from "./encoding.js";
import type { Encoding } from "./glue/epitome.js";
import { inlineCounter, inlineTokenizer } from "./inline-counters.js";
import { countByTokenizer, loadTokenizerFrom } from "./tokenizer.js";
import type { EncodingSource } from "./vocabulary.js";

export { isEpitomeError } from "./error.js";

/** Estimates the tokens of a text. */
export async function estimateTokens(text: string, options: EstimateOptions = {}): Promise<number> {
  return (await loadCounter(inlineCounter)).estimate(text, options);
}

/** Counts the tokens of a text as a model does, exactly; `o200k_base` where no encoding is named. Loads its
 * vocabulary first, as far as the text needs it and it is not loaded yet. The text of special tokens is plain text. */
export async function countTokens(text: string, options: CountOptions = {}): Promise<number> {
  return options.tokenizer === undefined
    ? countBy(inlineCounter, text, options.encoding ?? "o200k_base")
    : countByTokenizer(text, String(options.tokenizer));
}

/**
 * Loads the vocabulary of an encoding, from the package's own file or from what is given. It is loaded once;
 * a call meanwhile waits for the same one, and a failure is not remembered.
 *
 * Whatever is awaited loads what it needs by itself. A `TokenCounter` cannot wait, and needs this before.
 */
export function loadEncoding(encoding: Encoding, source?: EncodingSource | EncodingOptions): Promise<void> {
  return loadEncodingFor(inlineCounter, encoding, source);
}

/** A counter for many texts, which counts without waiting: it is there once the module is. */
export function tokenCounter(): Promise<TokenCounter> {
  return tokenCounterFrom(inlineCounter);
}

/**
 * Loads the `tokenizer.json` of a model, as Hugging Face has them for Llama 3, Qwen, DeepSeek, Mistral and others, for
 * `countTokens(text, { tokenizer: name })`. It comes from an address, a response, bytes, or as the object that it is;
 * reading it takes up to a second. One that cannot be counted by exactly is refused with `invalid-vocabulary`.
 */
export function loadTokenizer(name: string, source: EncodingSource | object): Promise<void> {
  return loadTokenizerFrom(inlineTokenizer, String(name), source);
}
