// How full the window is. It crosses as numbers, because apps ask for it after every message.

import type { Level, Status } from "../glue/epitome.js";
import type { ScratchBuffer } from "../wasm/buffer.js";

const LEVELS: readonly Level[] = ["ok", "warn", "compact"];

/** Numbers of a status. */
const COUNT = 23;

/** The status at an address in the engine's memory, by its buffer: the numbers of `Status::numbers` in
 * `crates/epitome-wasm/src/status.rs`, in the order of the declared fields. Tests on both sides check that order. */
export function statusOf(buffer: ScratchBuffer, address: number): Status {
  return statusFrom(buffer.fractions(address, COUNT));
}

/** The statuses of one compactor: the same object as long as its numbers are the same. */
export class Statuses {
  readonly #numbers = new Float64Array(COUNT);
  #status: Status | undefined;

  next(buffer: ScratchBuffer, address: number): Status {
    const numbers = buffer.fractions(address, COUNT);
    if (this.#status === undefined || !this.#isSame(numbers)) {
      this.#numbers.set(numbers);
      this.#status = statusFrom(numbers);
    }
    return this.#status;
  }

  #isSame(numbers: Float64Array): boolean {
    for (let index = 0; index < COUNT; index += 1) {
      if (!Object.is(numbers[index], this.#numbers[index])) {
        return false;
      }
    }
    return true;
  }
}

function statusFrom(numbers: Float64Array): Status {
  const number = (index: number): number => numbers[index] as number;
  const threshold = number(5);
  return {
    tokens: number(0),
    window: number(1),
    fill: number(2),
    budgetUsedPct: number(3),
    level: LEVELS[number(4)] as Level,
    ...(Number.isNaN(threshold) ? undefined : { threshold }),
    target: number(6),
    exact: number(7) === 1,
    errorBand: number(8),
    floor: number(9),
    breakdown: {
      system: number(10),
      tools: number(11),
      context: number(12),
      summary: number(13),
      user: number(14),
      assistant: number(15),
      results: number(16),
    },
    statistics: {
      lastPromptTokens: number(17),
      lastCompletionTokens: number(18),
      sessionPromptTokens: number(19),
      sessionCompletionTokens: number(20),
      contextTokens: number(21),
      tokensPerSecond: number(22),
    },
  };
}
