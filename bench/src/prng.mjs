// Numbers that look random and are the same in every run.

/** Gives numbers from 0 to below a bound, by xorshift. `seed` is not 0. */
export function prng(seed) {
  let state = seed;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}
