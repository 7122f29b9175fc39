// What is known of a model: its window, its largest answer, what it costs, and how its tokens are estimated.

import type { Family } from "../glue/epitome.js";
import { candidates } from "./names.js";
import { TABLE } from "./table.js";

/** What tokens cost, in US dollars per million. */
export interface TokenRates {
  /** Of a prompt. */
  input: number;
  /** Of an answer, reasoning included. */
  output: number;
  /** Of a prompt that the provider's cache has. Default: `input`. */
  cacheRead?: number;
  /** Of a prompt that the provider's cache gets. Default: `input`. */
  cacheWrite?: number;
}

/** The rates of a model. */
export interface ModelRates extends TokenRates {
  /** Rates of requests whose prompt has more tokens than this. */
  long?: TokenRates & { aboveTokens: number };
}

/** What is known of a model. */
export interface ModelInfo {
  /** The name under which it was found. */
  id: string;
  /** The provider whose figures these are, if the name says which: another provider of the same model may have others. */
  provider?: string;
  /** The context window in tokens. */
  window: number;
  /** The largest prompt, if it is smaller than the window. */
  maxInput?: number;
  /** The largest answer. */
  maxOutput?: number;
  /** What it costs, if that is known. */
  rates?: ModelRates;
  /** The family by which its tokens are estimated; undefined if that is the one of the format. */
  family?: Family;
}

let rows: Map<string, string> | undefined;

/**
 * What is known of a model by its name, with or without a provider, a region, a date or a suffix for the latest release:
 * `gpt-5`, `openai/gpt-5-2025-08-07`, `us.anthropic.claude-sonnet-4-5-20250929-v1:0`. Undefined if the model is not known.
 */
export function modelInfo(name: string): ModelInfo | undefined {
  rows ??= parsed();
  for (const key of candidates(name)) {
    const figures = rows.get(key);
    if (figures !== undefined) {
      return infoOf(key, figures);
    }
  }
  return undefined;
}

/** The names of all models that are known. */
export function modelNames(): string[] {
  rows ??= parsed();
  return [...rows.keys()];
}

function parsed(): Map<string, string> {
  const entries = TABLE.split(/[;\n]+/).filter((entry) => entry !== "");
  return new Map(
    entries.flatMap((entry) => {
      const end = entry.indexOf(":");
      return entry.slice(end + 1).split(" ").map((name): [string, string] => [name, entry.slice(0, end)]);
    }),
  );
}

function infoOf(key: string, figures: string): ModelInfo {
  const numbers = figures.split(",").map((figure) => (figure === "" ? undefined : Number(figure)));
  const [window = 0, maxInput, maxOutput, ...costs] = numbers;
  const [id, provider] = key.split("/").reverse() as [string, string?];
  const rates = ratesOf(costs);
  const [above, ...more] = costs.slice(4);
  const long = ratesOf(more);
  const family = familyOf(id);
  return {
    id,
    ...(provider !== undefined && { provider }),
    window,
    ...(maxInput !== undefined && { maxInput }),
    ...(maxOutput !== undefined && { maxOutput }),
    ...(rates !== undefined && { rates: { ...rates, ...(above !== undefined && long !== undefined && { long: { aboveTokens: above, ...long } }) } }),
    ...(family !== undefined && { family }),
  };
}

function ratesOf([input, output, cacheRead, cacheWrite]: readonly (number | undefined)[]): TokenRates | undefined {
  return input === undefined || output === undefined
    ? undefined
    : { input, output, ...(cacheRead !== undefined && { cacheRead }), ...(cacheWrite !== undefined && { cacheWrite }) };
}

/** The same names as in `Family::of_model` of the engine, with which a test compares it. */
function familyOf(id: string): Family | undefined {
  const has = (...parts: string[]): boolean => parts.some((part) => id.includes(part));
  if (has("claude")) {
    return "claude";
  }
  if (has("gemini", "gemma")) {
    return "gemini";
  }
  if (has("gpt-4o", "gpt-4-1", "gpt-4-5")) {
    return "o200k_base";
  }
  if (has("gpt-4", "gpt-3-5", "gpt-35")) {
    return "cl100k_base";
  }
  return has("gpt") ? "o200k_base" : undefined;
}
