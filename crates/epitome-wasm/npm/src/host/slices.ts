// Lists of messages in slices that take some milliseconds each.

import { epitomeError } from "../error.js";
import { pause } from "./pause.js";
import { sizeOf } from "./plain-json.js";

/** Characters of the messages of one slice, unless a single one has more. */
export const SLICE = 200_000;
/** What a message takes besides its characters, as that many characters: without it, a slice of short ones has thousands. */
const MESSAGE = 200;

/** The end of the next slice of these messages, of which only those of the slice and one more are read. Throws as `readable` does. */
export function sliceEnd(messages: readonly unknown[], from: number): number {
  let size = 0;
  let end = from;
  while (end < messages.length) {
    size += sizeOf(messages[end], end) + MESSAGE;
    if (size > SLICE && end > from) {
      break;
    }
    end += 1;
  }
  return end;
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
  for (let from = 0; ; ) {
    checkAborted(signal, from, messages.length);
    const end = sliceEnd(messages, from);
    use(messages.slice(from, end), from);
    if (end >= messages.length) {
      return;
    }
    from = end;
    await pause();
  }
}
