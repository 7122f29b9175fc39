// What a plan costs and saves over the next turns, by the rates of the policy's model.

import { kindOf, wholeOf } from "../arguments.js";
import { epitomeError } from "../error.js";
import type { Plan } from "../host/plan.js";
import { economicsOf, type Economics, type EconomicsOptions, type ResultingView } from "./economics.js";
import type { ModelInfo } from "./models.js";

/** What says what a plan costs, beside the plan of the same conversation that only reduces; undefined if nobody knows the rates. */
export function economicsFor(
  model: ModelInfo,
  options: EconomicsOptions,
  asksModel: boolean,
): ((plan: Plan, reducing: Plan | undefined, window: number) => Economics | undefined) | undefined {
  const checked = optionsOf(options);
  if (model.rates === undefined) {
    return undefined;
  }
  return (plan, reducing, window) => {
    const { turnTokens = usualTurn(plan), ...others } = checked;
    const input = {
      tokens: plan.tokensBefore,
      window,
      ...(reducing !== undefined && { reducing: resultOf(reducing, false) }),
      ...(plan.summarizes && { summarizing: resultOf(plan, asksModel) }),
    };
    return economicsOf(model, input, { turnTokens, ...others });
  };
}

function optionsOf({ turns, turnTokens, answerTokens, cached }: EconomicsOptions): EconomicsOptions {
  return {
    ...(turns !== undefined && { turns: wholeOf(turns, "turns", 1) }),
    ...(turnTokens !== undefined && { turnTokens: tokensOf(turnTokens, "turnTokens") }),
    ...(answerTokens !== undefined && { answerTokens: tokensOf(answerTokens, "answerTokens") }),
    ...(cached !== undefined && { cached: cached === true }),
  };
}

function tokensOf(tokens: number, name: string): number {
  if (typeof tokens !== "number" || !(tokens >= 0)) {
    const given = typeof tokens === "number" ? String(tokens) : kindOf(tokens);
    throw epitomeError("invalid-option", `${name}: expected a number of tokens, not ${given}`);
  }
  return tokens;
}

/** A question and its answer are two messages of the usual length. */
function usualTurn({ actions }: Plan): number {
  const seen = actions.filter(({ tokensBefore }) => tokensBefore > 0);
  return seen.length === 0 ? 0 : Math.round((2 * sum(seen.map(({ tokensBefore }) => tokensBefore))) / seen.length);
}

function resultOf({ actions, tokensBefore, tokensAfter, summaryTokens, ledgerTokens, summarizes }: Plan, asksModel: boolean): ResultingView {
  const changed = actions.findIndex(({ action, tokensBefore: before }) => action !== "keep" && before > 0);
  const kept = actions.slice(0, changed < 0 ? actions.length : changed);
  // Tool schemas and the like stand before all messages.
  const others = tokensBefore - sum(actions.map(({ tokensBefore: before }) => before));
  const read = actions.filter(({ action }) => action === "summarize");
  return {
    tokens: tokensAfter,
    keptTokens: Math.min(tokensAfter, Math.max(0, others) + sum(kept.map(({ tokensAfter: after }) => after))),
    ...(summarizes &&
      asksModel && {
        summarizerInput: sum(read.map(({ tokensBefore: before }) => before)),
        summarizerOutput: Math.max(0, summaryTokens - ledgerTokens),
      }),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
