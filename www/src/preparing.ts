// The summaries that are being written in advance, one for each view at most.

import type { CompactionEvent, Plan } from "epitome";

/** How far the next summary of a view is. */
export type Preparation = "writing" | "ready";

export class Preparations {
  readonly #of = new Map<string | undefined, Preparation>();

  /** Takes note of an event, and says whether it has changed something. */
  note(event: CompactionEvent): boolean {
    switch (event.type) {
      case "preparing":
        this.#of.set(event.agent, "writing");
        return true;
      case "prepared":
        this.#of.set(event.agent, "ready");
        return true;
      case "preparationDropped":
        return this.#of.delete(event.agent);
      case "end":
        return event.report.outcome === "applied" && this.#of.delete(event.agent);
      default:
        return false;
    }
  }

  /** Forgets all: another tab writes now. */
  clear(): void {
    this.#of.clear();
  }

  /** What is prepared for an agent, or for the model of the page. `plan` says what its compaction would do. */
  of(name: string | undefined, plan: () => Plan): Ghost | undefined {
    const preparation = this.#of.get(name);
    if (preparation === undefined) {
      return undefined;
    }
    const { tokensBefore, tokensAfter } = plan();
    return { preparation, frees: Math.max(0, tokensBefore - tokensAfter) };
  }
}

/** The next summary, which does not count yet. */
export interface Ghost {
  readonly preparation: Preparation;
  /** Tokens, as the engine estimates them. */
  readonly frees: number;
}
