// Pseudorandom choices for tests.

/** A pseudorandom number generator: the same seed gives the same choices on every machine. */
export function generator(seed) {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0 || 1;
  const below = (count) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % count;
  };
  return { below, one: (list) => list[below(list.length)], chance: (percent) => below(100) < percent };
}
