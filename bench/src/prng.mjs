// A pseudo-random number generator with the same numbers in every run.

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
