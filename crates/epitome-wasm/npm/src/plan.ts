// What a compaction would do to every message.

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

/** A plan of the engine's, with the ids of the messages that it is about, where the caller knows them. */
export function planOf(engine: Compactor, reason: Reason, known: readonly string[]): Plan {
  const [figures, numbers, before, after] = engine.plan(reason);
  const names = engine.fates();
  // A message of several steps is several to the engine.
  const ids = known.length === numbers.length ? known : engine.pieces();
  const fates = new Array<MessageFate>(numbers.length);
  for (let at = 0; at < numbers.length; at += 1) {
    fates[at] = {
      id: ids[at] as string,
      fate: names[numbers[at] as number] as Fate,
      tokensBefore: before[at] as number,
      tokensAfter: after[at] as number,
    };
  }
  return { ...figures, fates };
}
