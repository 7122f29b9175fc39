// How much conversations hold together, so that the memory of an instance never ends in the middle of a call.

import { epitomeError } from "../error.js";
import type { Engine } from "../wasm/instances.js";
import { instanceOf, retire } from "../wasm/instances.js";

/**
 * Most characters that the conversations of one instance may have together. The engine takes about three bytes for one, and a
 * snapshot as much again; the memory of an instance ends at 4 GiB.
 */
const MOST_UNITS = 1 << 29;
/** From here on, new conversations get another instance. */
const FULL_UNITS = 1 << 28;
/** The same for the number of conversations: a call that ends abnormally leaves the memory of all of them in doubt. */
const FULL_COMPACTORS = 32;
/** Bytes of memory above which an instance without conversations is not kept for the next one. */
const LARGE_BYTES = 1 << 26;

/** Does what makes a conversation take so many more characters, and counts them. Throws `too-large` before, if they are too
 * many. */
export function hold<T>(engine: Engine, units: number, take: () => T): T {
  const instance = instanceOf(engine);
  if (instance.units + units > MOST_UNITS) {
    const message =
      `the conversations that share its memory have ${instance.units} characters, and this would add ${units}; ` +
      `they may have ${MOST_UNITS} together: dispose of compactors that are not needed`;
    throw epitomeError("too-large", message);
  }
  const taken = take();
  instance.units += units;
  if (instance.units > FULL_UNITS) {
    retire(engine);
  }
  return taken;
}

/** Counts a new conversation. */
export function enter(engine: Engine): void {
  const instance = instanceOf(engine);
  instance.compactors += 1;
  if (instance.compactors >= FULL_COMPACTORS) {
    retire(engine);
  }
}

/** Takes back what was counted of a conversation that ends. */
export function leave(engine: Engine, units: number): void {
  const instance = instanceOf(engine);
  instance.units -= units;
  instance.compactors -= 1;
  if (instance.compactors === 0 && instance.memory.buffer.byteLength > LARGE_BYTES) {
    retire(engine);
  }
}
