// How much the conversations of a page hold together, so that the memory of the module never ends in the middle of a call.

import { epitomeError } from "../error.js";

/**
 * Most characters that all conversations of a page may have together. The engine takes about three bytes for one, and a
 * snapshot as much again; the memory of a module ends at 4 GiB.
 */
const MOST_UNITS = 1 << 29;

let held = 0;

/** Does what makes a conversation take so many more characters, and counts them. Throws `too-large` before, if they are too
 * many. */
export function hold<T>(units: number, take: () => T): T {
  if (held + units > MOST_UNITS) {
    const message =
      `the conversations of this page have ${held} characters, and this would add ${units}; ` +
      `they may have ${MOST_UNITS} together: dispose of compactors that are not needed`;
    throw epitomeError("too-large", message);
  }
  const taken = take();
  held += units;
  return taken;
}

/** Takes back what was counted. */
export function release(units: number): void {
  held -= units;
}
