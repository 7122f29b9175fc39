// Estimates and exact counts of many texts, without waiting for each.

import { fieldsOf } from "../arguments.js";
import { epitomeError } from "../error.js";
import type { Encoding } from "../glue/epitome.js";
import type { NumericSource } from "../wasm/numeric.js";
import { loadCounter } from "./counter.js";
import { type EstimateOptions, loadEstimator } from "./estimator.js";

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

/** The counter as apps get it, with the modules that count exactly and that estimate. */
export async function tokenCounterFrom(
  exact: NumericSource,
  estimates: NumericSource,
): Promise<TokenCounter> {
  const [counter, estimator] = await Promise.all([loadCounter(exact), loadEstimator(estimates)]);
  return {
    estimate: (text, options) => estimator.estimate(text, options),
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
