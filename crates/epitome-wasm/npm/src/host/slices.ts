// Lists of messages in slices that take some milliseconds each.

import { epitomeError } from "../error.js";
import { pause } from "./pause.js";
import { sizesOf } from "./plain-json.js";

/** Characters of the messages of one slice, unless a single one has more. */
export const SLICE = 200_000;

/** The end of the next slice of messages of these sizes. */
export function sliceEnd(sizes: readonly number[], from: number): number {
  let end = from + 1;
  for (let size = sizes[from] ?? 0; end < sizes.length; end += 1) {
    size += sizes[end] ?? 0;
    if (size > SLICE) {
      break;
    }
  }
  return end;
}

/** The sizes of the messages from an index on. */
export function sizesFrom(messages: readonly unknown[], first: number): number[] {
  const tail = messages.slice(first);
  return sizesOf(tail, tail.map((_, index) => first + index));
}

/** Throws if a work was aborted, and says how far it came. */
export function checkAborted(signal: AbortSignal | undefined, done: number, all: number): void {
  if (signal?.aborted === true) {
    throw epitomeError("aborted", `it was aborted after ${done} of ${all} messages`, signal.reason);
  }
}

/** Calls a function with one slice of the messages after the other, each in a task of its own, and with where it begins. Without
 * messages, it is called with none. */
export async function inSlices<M>(messages: readonly M[], signal: AbortSignal | undefined, use: (slice: M[], first: number) => void): Promise<void> {
  const sizes = sizesOf(messages);
  for (let from = 0; ; ) {
    checkAborted(signal, from, messages.length);
    const end = sliceEnd(sizes, from);
    use(messages.slice(from, end), from);
    if (end >= messages.length) {
      return;
    }
    from = end;
    await pause();
  }
}
