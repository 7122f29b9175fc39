// What a compaction would do with every message.

import type { Action, Compactor, PlanFigures, Reason } from "../glue/epitome.js";
import type { Economics, EconomicsOptions } from "../models/economics.js";
import type { ScratchBuffer } from "../wasm/buffer.js";
import type { CompactionScope } from "./compactor.js";

/** What a plan does with one message. */
export interface MessageAction {
  /** The message's id, as `append` returned it. A message of several steps has one entry per step, such as `m7#1`. */
  readonly id: string;
  /** What happens to it. */
  readonly action: Action;
  /** Its tokens in the current view; 0 if it is not in the view. */
  readonly tokensBefore: number;
  /** Its tokens in the view after the compaction; 0 if it will not be in the view. */
  readonly tokensAfter: number;
}

/** What a compaction would do. */
export interface Plan extends PlanFigures {
  /**
   * The action for every message, in order. An entry that is the same as in the compactor's previous plan is the same
   * object; the array is a new one in each plan.
   */
  readonly actions: readonly MessageAction[];
  /** What the next turns cost as it is, reduced, and summarized; undefined unless the policy names a model whose rates are known. */
  readonly economics?: Economics;
}

/** What a compaction may replace: the last message, and those that it leaves as they are, by the compactor's ids. */
export type Chosen = [upTo: string | undefined, exempt: string[]];

/** Options of a plan: those of the compaction that it is for; the others are about `economics`. */
export interface PlanningOptions extends EconomicsOptions, CompactionScope {
  /** Default: `session-compaction`. */
  reason?: Reason;
}

/** The actions, by the engine's numbers for them. */
let actionNames: readonly Action[] | undefined;

/** The consecutive plans of one compactor. */
export class Plans {
  /** The rows of the previous plan. */
  readonly #actions: MessageAction[] = [];

  /** The rows of the previous plan. */
  get rows(): readonly MessageAction[] {
    return this.#actions.slice();
  }

  /** The engine's next plan, by the buffer in its memory, for a compaction of what is `chosen`. `known` are the ids of the messages
   * that the caller has, and `earlier` rows of a plan whose objects are used again. */
  next(
    engine: Compactor,
    buffer: ScratchBuffer,
    reason: Reason,
    chosen: Chosen,
    known: readonly string[],
    earlier: readonly MessageAction[] = [],
  ): Plan {
    const names = (actionNames ??= engine.actions());
    const { figures, count, columns, changed, changes } = engine.plan(reason, ...chosen);
    if (changes > 0) {
      // The engine has several ids for a message of several steps. `steps` may grow the engine's memory, which detaches every
      // typed array over it. Therefore the arrays are made after this call.
      const ids = known.length === count ? known : engine.steps();
      this.#change(buffer.numbers(changed, changes), buffer.numbers(columns, 3 * count), names, ids, earlier);
    }
    return { ...figures, actions: this.#actions.slice() };
  }

  clear(): void {
    this.#actions.length = 0;
  }

  /** Replaces the rows at these indices with those in the engine's three columns: actions, tokens before, tokens after. */
  #change(indices: Uint32Array, columns: Uint32Array, names: readonly Action[], ids: readonly string[], earlier: readonly MessageAction[]): void {
    const actions = this.#actions;
    // Set once: an array that grows one by one is copied again and again.
    actions.length = ids.length;
    const [before, after] = [ids.length, 2 * ids.length];
    for (let changed = 0; changed < indices.length; changed += 1) {
      const index = indices[changed] as number;
      const row: MessageAction = {
        id: ids[index] as string,
        action: names[columns[index] as number] as Action,
        tokensBefore: columns[before + index] as number,
        tokensAfter: columns[after + index] as number,
      };
      const known = earlier[index];
      actions[index] = known !== undefined && isSameRow(known, row) ? known : row;
    }
  }
}

function isSameRow(one: MessageAction, other: MessageAction): boolean {
  return (
    one.id === other.id &&
    one.action === other.action &&
    one.tokensBefore === other.tokensBefore &&
    one.tokensAfter === other.tokensAfter
  );
}
