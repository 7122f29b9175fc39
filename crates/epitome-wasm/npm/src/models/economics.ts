// What a conversation costs over its next turns: left as it is, reduced without a summary, or summarized.

import type { ModelInfo, ModelRates, TokenRates } from "./models.js";

/** What the next turns are taken to be. */
export interface EconomicsOptions {
  /** How many turns are added up, each as one request. Default: 10. */
  turns?: number;
  /** How many tokens each turn adds, its answer included. Default: twice the average of the messages in the view. */
  turnTokens?: number;
  /** How many of these are the answer. Default: half. */
  answerTokens?: number;
  /** Whether the provider's cache has the last request. Default: true, if its reading has a rate of its own. */
  cached?: boolean;
}

/** A view and what is known of a way to get there. */
export interface ResultingView {
  /** Tokens of the view. */
  tokens: number;
  /** How many at its beginning are as they were, so that the cache has them. */
  keptTokens: number;
  /** Tokens that a summarizer reads for it. */
  summarizerInput?: number;
  /** Tokens that a summarizer writes for it. */
  summarizerOutput?: number;
}

/** What one way costs. */
export interface Costs {
  /** In US dollars, over all turns, with the summary. */
  total: number;
  /** The summary, in US dollars. */
  summary: number;
  /** Tokens of the next prompt. */
  tokens: number;
}

/** What a compaction costs. */
export interface CompactionCosts extends Costs {
  /** After how many turns it has cost no more than doing nothing; undefined if that is not within 1,000 turns. */
  breakEvenTurns?: number;
}

/** What the next turns cost with each way, in US dollars. */
export interface Economics {
  /** The model whose rates these are. */
  model: string;
  turns: number;
  turnTokens: number;
  /** After how many turns the window is full if nothing is done. */
  turnsUntilFull: number;
  nothing: Costs;
  /** With reducers only, if they find anything. */
  reducing?: CompactionCosts;
  /** With the planned compaction, if it has a summary. */
  summarizing?: CompactionCosts;
}

/** What is known of a conversation. */
export interface EconomicsInput {
  /** The view as it is. */
  tokens: number;
  window: number;
  reducing?: ResultingView;
  summarizing?: ResultingView;
}

const MILLION = 1_000_000;
const MOST_TURNS = 1_000;

/** What the next turns cost; undefined if the model has no rates. */
export function economicsOf(
  { id, rates }: Pick<ModelInfo, "id" | "rates">,
  { tokens, window, reducing, summarizing }: EconomicsInput,
  { turns = 10, turnTokens = 0, answerTokens = turnTokens / 2, cached = rates?.cacheRead !== undefined }: EconomicsOptions,
): Economics | undefined {
  if (rates === undefined) {
    return undefined;
  }
  const requests = new Requests(rates, turnTokens, answerTokens, cached);
  const nothing = { tokens, keptTokens: tokens };
  const compared = (outcome: ResultingView): CompactionCosts => {
    const breakEvenTurns = requests.breakEven(outcome, nothing);
    return { ...requests.costs(outcome, turns), ...(breakEvenTurns !== undefined && { breakEvenTurns }) };
  };
  return {
    model: id,
    turns,
    turnTokens,
    turnsUntilFull: turnTokens > 0 ? Math.max(0, Math.floor((window - tokens) / turnTokens)) : Infinity,
    nothing: requests.costs(nothing, turns),
    ...(reducing !== undefined && { reducing: compared(reducing) }),
    ...(summarizing !== undefined && { summarizing: compared(summarizing) }),
  };
}

class Requests {
  readonly #rates: ModelRates;
  readonly #turnTokens: number;
  readonly #answerTokens: number;
  readonly #cached: boolean;

  constructor(rates: ModelRates, turnTokens: number, answerTokens: number, cached: boolean) {
    this.#rates = rates;
    this.#turnTokens = turnTokens;
    this.#answerTokens = answerTokens;
    this.#cached = cached;
  }

  costs(outcome: ResultingView, turns: number): Costs {
    const summary = this.#summary(outcome);
    let total = summary;
    for (let turn = 1; turn <= turns; turn += 1) {
      total += this.#turn(outcome, turn);
    }
    return { total, summary, tokens: outcome.tokens };
  }

  /** After how many turns one outcome has cost no more than another. */
  breakEven(one: ResultingView, other: ResultingView): number | undefined {
    let [spent, saved] = [this.#summary(one), this.#summary(other)];
    for (let turn = 1; turn <= MOST_TURNS; turn += 1) {
      spent += this.#turn(one, turn);
      saved += this.#turn(other, turn);
      if (spent <= saved) {
        return turn;
      }
    }
    return undefined;
  }

  /** A summarizer reads what the cache does not have: a transcript. */
  #summary({ summarizerInput = 0, summarizerOutput = 0 }: ResultingView): number {
    const { input, output } = this.#ratesFor(summarizerInput);
    return (summarizerInput * input + summarizerOutput * output) / MILLION;
  }

  /** The request of a turn: the first has what is kept in the cache, each later one all that the one before had. */
  #turn({ tokens, keptTokens }: ResultingView, turn: number): number {
    const added = this.#turnTokens;
    const prompt = tokens + (turn - 1) * added;
    const known = this.#cached ? (turn === 1 ? keptTokens : prompt - added) : 0;
    const { input, output, cacheRead = input, cacheWrite = input } = this.#ratesFor(prompt);
    const fresh = this.#cached ? cacheWrite : input;
    return (known * cacheRead + (prompt - known) * fresh + this.#answerTokens * output) / MILLION;
  }

  #ratesFor(prompt: number): TokenRates {
    const { long } = this.#rates;
    return long !== undefined && prompt > long.aboveTokens ? long : this.#rates;
  }
}
