// The most recent messages of a stored history that fit a number of tokens.

import { fieldsOf, kindOf, textOf } from "../arguments.js";
import { loadCounting } from "../counting/policy-counting.js";
import type { TokenizerSources } from "../counting/tokenizer.js";
import { epitomeError } from "../error.js";
import type { Counting, Format } from "../glue/epitome.js";
import { load, type Modules } from "../wasm/engine.js";
import { addParts } from "../wasm/instances.js";
import { partsOf } from "../wasm/parts.js";
import { knownFormat, measured } from "./validation.js";

const LARGEST_U32 = 0xffff_ffff;

/** How much of a history is taken. */
export interface RecentOptions {
  /** The format of the messages. Default: detected. */
  format?: Format;
  /** The most tokens that they may have. */
  tokens: number;
  /** What counts tokens. Default: the package's own estimate. */
  counting?: Counting;
  /** Where the tokenizer comes from that `counting` names; see `HostOptions.tokenizers`. */
  tokenizers?: TokenizerSources;
}

/** The most recent messages that fit. */
export async function recentFrom<M extends object>(
  modules: Modules,
  messages: readonly M[],
  options: RecentOptions,
): Promise<M[]> {
  const { format, tokens, counting: given, tokenizers } = fieldsOf(options, "options");
  const all = measured(messages);
  if (typeof tokens !== "number" || !(tokens >= 0)) {
    throw epitomeError("invalid-option", `tokens: is ${typeof tokens === "number" ? tokens : kindOf(tokens)}; give how many tokens may be taken`);
  }
  const engine = await load(modules);
  if (all.length === 0) {
    return [];
  }
  const name = format === undefined ? await knownFormat(modules.validation, all) : textOf(format, "format", "unknown-format");
  await addParts(engine, ...partsOf(name as Format));
  const counting = engine.parseCounting(given);
  await loadCounting(counting, modules, tokenizers);
  const indices = engine.recentWithin(name, all, Math.min(tokens, LARGEST_U32), counting);
  return Array.from(indices, (index) => all[index] as M);
}
