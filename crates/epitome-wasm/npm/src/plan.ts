// What a compaction would do to every message.

import { room } from "./engine.js";
import type { Compactor, PlanFigures, Reason } from "./glue/epitome.js";

/**
 * What becomes of a message. `keep`: it stays as it is seen now. `trim`: it adds nothing and is left out.
 * `truncate`: its tool results are cut by their age. `prune`: the arguments of its calls are shortened. `offload`:
 * its tool results are put aside. `strip`: its sealed thoughts are left out. `drop`: it is left out to make room.
 * `summarize`: the summary is to stand for it. `summarized`: it is not in the view any more, since a summary stands
 * for it or it was left out.
 */
export type Fate =
  | "keep"
  | "trim"
  | "truncate"
  | "prune"
  | "offload"
  | "strip"
  | "drop"
  | "summarize"
  | "summarized";

/** One message and what becomes of it. */
export interface MessageFate {
  /** The message's id, as `append` gave it. One of several steps has its number behind it, `m7#1`. */
  id: string;
  /** What becomes of it. */
  fate: Fate;
  /** Its tokens in the view now; 0 where it is not in it any more. */
  tokensBefore: number;
  /** Its tokens afterwards; 0 where it is not in the view. */
  tokensAfter: number;
}

/** A compaction, thought through but not done. */
export interface Plan extends PlanFigures {
  /** The fate of every message, in order. */
  fates: MessageFate[];
}

let fateNames: readonly Fate[] | undefined;

/** Numbers that stand in front of the columns. */
const FIGURES = 8;

/** A plan of the engine's, with the ids of the messages that it is about, where the caller knows them. */
export function planOf(engine: Compactor, reason: Reason, known: readonly string[]): Plan {
  const names = (fateNames ??= engine.fates() as Fate[]);
  const [at, count, idle, floor] = engine.plan(reason);
  // A message of several steps is several to the engine.
  const ids = known.length === count ? known : engine.pieces();
  const numbers = room().numbers(at, FIGURES + 3 * count);
  const plan: Plan = { reason, ...figuresOf(numbers), fates: fatesOf(numbers, names, ids) };
  if (idle !== undefined) {
    plan.idle = idle;
  }
  if (floor !== undefined) {
    plan.floor = floor;
  }
  return plan;
}

/** Reads what the engine writes first, in the order of `crates/epitome-wasm/src/plan.rs`. */
function figuresOf(numbers: Uint32Array): Omit<PlanFigures, "reason" | "idle" | "floor"> {
  const figure = (at: number): number => numbers[at] as number;
  return {
    summarizes: figure(0) === 1,
    summarized: figure(1),
    reduced: figure(2),
    tokensBefore: figure(3),
    tokensAfter: figure(4),
    summaryTokens: figure(5),
    ledgerTokens: figure(6),
    requests: figure(7),
  };
}

/** Reads the three columns behind the figures. */
function fatesOf(numbers: Uint32Array, names: readonly Fate[], ids: readonly string[]): MessageFate[] {
  const count = ids.length;
  const [before, after] = [FIGURES + count, FIGURES + 2 * count];
  const fates = new Array<MessageFate>(count);
  for (let at = 0; at < count; at += 1) {
    fates[at] = {
      id: ids[at] as string,
      fate: names[numbers[FIGURES + at] as number] as Fate,
      tokensBefore: numbers[before + at] as number,
      tokensAfter: numbers[after + at] as number,
    };
  }
  return fates;
}
