// What requests cost with the provider's cache, and when a strategy has paid for itself.

import type { ModelRates, TokenRates } from "epitome/models";
import type { Sent } from "./simulation.js";

const MILLION = 1_000_000;

/** Dollars for the prompts up to each request, summaries included. Answers cost the same with every strategy and are not counted. */
export function cumulativeCosts(sent: readonly Sent[], rates: ModelRates): number[] {
  let total = 0;
  return sent.map((request) => (total += costOf(request, rates)));
}

function costOf({ tokens, cachedTokens, summaries }: Sent, rates: ModelRates): number {
  const { input, cacheRead = input, cacheWrite = input } = ratesFor(tokens, rates);
  const prompt = cachedTokens * cacheRead + (tokens - cachedTokens) * cacheWrite;
  const written = summaries.map(({ readTokens, writtenTokens }) => {
    const { input, output } = ratesFor(readTokens, rates);
    return readTokens * input + writtenTokens * output;
  });
  return written.reduce((sum, cost) => sum + cost, prompt) / MILLION;
}

function ratesFor(tokens: number, rates: ModelRates): TokenRates {
  const { long } = rates;
  return long !== undefined && tokens > long.aboveTokens ? long : rates;
}

/** After which request a strategy has cost less than doing nothing and stays below; `never` up to the end; undefined if doing
 * nothing is refused before. */
export type BreakEven = number | "never" | undefined;

/** Compares cumulative costs up to the first request that is refused if nothing is done. */
export function breakEven(costs: readonly number[], nothing: readonly number[], refusedAt: number | undefined): BreakEven {
  const end = Math.min(costs.length, refusedAt ?? nothing.length);
  let first = end;
  while (first > 0 && (costs[first - 1] ?? 0) < (nothing[first - 1] ?? 0)) {
    first -= 1;
  }
  if (first < end) {
    return first + 1;
  }
  return refusedAt === undefined ? "never" : undefined;
}
