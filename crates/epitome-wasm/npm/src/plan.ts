// What a compaction would do to every message.

import { room } from "./engine.js";
import type { Compactor, PlanFigures, Reason } from "./glue/epitome.js";

/**
 * What becomes of a message. `keep`: it stays as it is seen now. `deduplicate`: it adds nothing and is left out.
 * `truncateToolResults`: its tool results are cut by their age. `clearToolInputs`: the arguments of its calls are shortened. `offloadToolResults`:
 * its tool results are put aside. `removeReasoning`: its sealed thoughts are left out. `dropOldest`: it is left out to make room.
 * `summarize`: the summary is to stand for it. `summarized`: it is not in the view any more, since a summary stands
 * for it or it was left out.
 */
export type Action =
  | "keep"
  | "deduplicate"
  | "truncateToolResults"
  | "clearToolInputs"
  | "offloadToolResults"
  | "removeReasoning"
  | "dropOldest"
  | "summarize"
  | "summarized";

/** One message and what becomes of it. */
export interface MessageAction {
  /** The message's id, as `append` gave it. One of several steps has its number behind it, `m7#1`. */
  readonly id: string;
  /** What becomes of it. */
  readonly action: Action;
  /** Its tokens in the view now; 0 where it is not in it any more. */
  readonly tokensBefore: number;
  /** Its tokens afterwards; 0 where it is not in the view. */
  readonly tokensAfter: number;
}

/** A compaction, thought through but not done. */
export interface Plan extends PlanFigures {
  /**
   * The action of every message, in order. Where nothing is said otherwise than in the compactor's plan before, it is the
   * very same object; the array is another one with every plan.
   */
  readonly actions: readonly MessageAction[];
}

/** The names of actions, by the engine's numbers for them. */
let actionNames: readonly Action[] | undefined;

/** How many numbers the figures are. */
const FIGURES = 8;

/** The plans of one compactor, one after the other. */
export class Plans {
  /** What the plan before says of every message. */
  readonly #actions: MessageAction[] = [];

  /** The engine's next plan. `known` are the ids of the messages as the caller knows them. */
  next(engine: Compactor, reason: Reason, known: readonly string[]): Plan {
    const names = (actionNames ??= engine.actions() as Action[]);
    const [figures, columns, count, changed, changes, idle, floor] = engine.plan(reason);
    if (changes > 0) {
      // A message of several steps is several to the engine, and telling their ids may let its memory grow.
      const ids = known.length === count ? known : engine.pieces();
      this.#change(room().numbers(changed, changes), room().numbers(columns, 3 * count), names, ids);
    }
    const plan: Plan = { reason, ...figuresOf(room().numbers(figures, FIGURES)), actions: this.#actions.slice() };
    if (idle !== undefined) {
      plan.idle = idle;
    }
    if (floor !== undefined) {
      plan.floor = floor;
    }
    return plan;
  }

  clear(): void {
    this.#actions.length = 0;
  }

  /** Reads anew what the engine's columns say of the messages at these places. */
  #change(places: Uint32Array, columns: Uint32Array, names: readonly Action[], ids: readonly string[]): void {
    const actions = this.#actions;
    // Room for all at once: an array that grows with each is copied again and again.
    actions.length = ids.length;
    const [before, after] = [ids.length, 2 * ids.length];
    for (let index = 0; index < places.length; index += 1) {
      const at = places[index] as number;
      actions[at] = {
        id: ids[at] as string,
        action: names[columns[at] as number] as Action,
        tokensBefore: columns[before + at] as number,
        tokensAfter: columns[after + at] as number,
      };
    }
  }
}

/** Reads the engine's figures in the order of `crates/epitome-wasm/src/plan.rs`. */
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
