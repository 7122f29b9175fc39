// The figures of a comparison: what the table, the charts, the CSV file and the picture show.

import { modelInfo, type ModelRates } from "epitome/models";
import { type BreakEven, breakEven, cumulativeCosts } from "./costs.js";
import type { Refusal, Result, Sent } from "./simulation.js";
import { t, written } from "../language.js";

/** A result and how many facts its last request has. */
export interface Measured extends Result {
  facts: number;
}

/** Everything that was measured. */
export interface Comparison {
  results: readonly Measured[];
  window: number;
  requests: number;
  /** How many facts the conversation has. */
  facts: number;
}

/** Requests that are refused for the same reason. */
export interface Refused {
  /** The rule of the provider that is broken, or that the window is full. */
  reason: string;
  /** The first of them, from 1. */
  first: number;
  count: number;
}

/** The figures of one strategy. */
export interface Figures {
  name: string;
  sent: readonly Sent[];
  refused: number;
  reasons: Refused[];
  tokens: number;
  /** Of the largest request. */
  largest: number;
  cachedTokens: number;
  summaries: number;
  /** What a model would have read and written for them. */
  summaryTokens: number;
  /** Dollars up to each request; undefined if the model has no prices. */
  costs?: number[];
  breakEven: BreakEven;
  facts: number;
  failure?: string;
}

/** The figures of all strategies; the first is the one that does nothing. */
export function figuresOf({ results }: Comparison, rates: ModelRates | undefined): Figures[] {
  const [nothing] = results;
  const usual = nothing === undefined || rates === undefined ? [] : cumulativeCosts(nothing.sent, rates);
  const refusedAt = nothing?.sent.findIndex(isRefused) ?? -1;
  return results.map((result) => {
    const costs = rates === undefined ? undefined : cumulativeCosts(result.sent, rates);
    const isAnswered = result.failure === undefined && !result.sent.some(isRefused);
    const isComparable = costs !== undefined && result !== nothing && isAnswered;
    return {
      ...sums(result),
      ...(costs !== undefined && { costs }),
      breakEven: isComparable ? breakEven(costs, usual, refusedAt < 0 ? undefined : refusedAt) : undefined,
    };
  });
}

/** True if no provider answers the request. */
export function isRefused({ refusal, isOverWindow }: Sent): boolean {
  return refusal !== undefined || isOverWindow;
}

function sums({ strategy, sent, facts, failure }: Measured): Omit<Figures, "costs" | "breakEven"> {
  const summaries = sent.flatMap((request) => request.summaries);
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  return {
    name: strategy.name,
    sent,
    refused: sent.filter(isRefused).length,
    reasons: reasonsOf(sent),
    tokens: sum(sent.map(({ tokens }) => tokens)),
    largest: sent.reduce((most, { tokens }) => Math.max(most, tokens), 0),
    cachedTokens: sum(sent.map(({ cachedTokens }) => cachedTokens)),
    summaries: summaries.length,
    summaryTokens: sum(summaries.map(({ readTokens, writtenTokens }) => readTokens + writtenTokens)),
    facts,
    ...(failure !== undefined && { failure }),
  };
}

function reasonsOf(sent: readonly Sent[]): Refused[] {
  const reasons = new Map<string, Refused>();
  const add = (reason: string, first: number) => {
    const known = reasons.get(reason) ?? { reason, first, count: 0 };
    known.count += 1;
    reasons.set(reason, known);
  };
  for (const [index, { refusal, isOverWindow }] of sent.entries()) {
    if (refusal !== undefined) add(wordsOf(refusal), index + 1);
    if (isOverWindow) add(t("longer than the window"), index + 1);
  }
  return [...reasons.values()];
}

function wordsOf({ rule, message }: Refusal): string {
  return `${message} (${rule})`;
}

/** Models whose prices can be chosen, beside the one of the policy. */
const MODELS = ["claude-sonnet-4-5", "claude-haiku-4-5", "gpt-5", "gpt-5-mini", "gemini-2.5-pro", "gemini-2.5-flash", "deepseek-v4-pro"];

/** The names of models with prices, that of the policy first. */
export function pricedModels(own: string | null | undefined): string[] {
  const names = own === null || own === undefined ? MODELS : [own, ...MODELS.filter((name) => name !== own)];
  return names.filter((name) => modelInfo(name)?.rates !== undefined);
}

/** Dollars with as many digits as tell small sums apart. */
export function dollars(amount: number): string {
  return `$${written(amount, amount < 10 ? 3 : 2)}`;
}
