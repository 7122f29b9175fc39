// The end of a stored history that fits a budget.

import { counting } from "./engine-encoding.js";
import { load, type Engine, type Modules } from "./engine.js";
import { epitomeError } from "./error.js";
import type { Counting, Format } from "./glue/epitome.js";
import type { TokenizerSources } from "./tokenizer.js";

/** How much of a history is taken. */
export interface RecentOptions {
  /** The format of the messages; found out where absent. */
  format?: Format;
  /** How many tokens they may take. */
  tokens: number;
  /** What counts tokens; the package's own estimate where absent. */
  counting?: Counting;
  /** Where the tokenizer comes from that `counting` may name; see `HostOptions.tokenizers`. */
  tokenizers?: TokenizerSources;
}

export async function recentFrom<M extends object>(
  modules: Modules,
  messages: readonly M[],
  { format, tokens, counting: by, tokenizers }: RecentOptions,
): Promise<M[]> {
  if (typeof tokens !== "number" || !(tokens >= 0)) {
    throw epitomeError("invalid-option", `tokens: is ${String(tokens)}; give how many tokens may be taken`);
  }
  const engine = await load(modules.engine);
  const all = Array.from(messages);
  if (all.length === 0) {
    return [];
  }
  const name = format === undefined ? formatOf(engine, all) : String(format);
  const most = Math.min(tokens, 0xffff_ffff);
  const indices = await counting(modules, () => engine.recentWithin(name, all, most, by), tokenizers);
  return Array.from(indices, (index) => all[index] as M);
}

function formatOf(engine: Engine, messages: object[]): string {
  const detection = engine.detectFormat(messages);
  if (detection.kind === "known") {
    return detection.format;
  }
  throw epitomeError("unknown-format", "format: the history could be of any format; give the format of its messages");
}
