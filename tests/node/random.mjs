// Pseudorandom numbers and choices, for tests and measurements: the same seed gives the same ones on every machine.

/** A function that returns the next number from 0 to below a bound, by xorshift. `seed` must not be 0. */
export function prng(seed) {
  let state = seed;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

/** Choices by a seed that may be any number, such as that of a test case. */
export function generator(seed) {
  const below = prng(Math.imul(seed, 0x9e3779b1) >>> 0 || 1);
  return { below, one: (list) => list[below(list.length)], chance: (percent) => below(100) < percent };
}
