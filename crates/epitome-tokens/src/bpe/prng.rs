//! A pseudo-random number generator for tests, with the same numbers in every run.

/// Returns a function that gives the next number below a bound.
pub(super) fn prng(seed: u32) -> impl FnMut(u32) -> u32 {
    let mut state = seed;
    move |bound| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // The low bits of such a generator repeat after a few numbers.
        (state >> 8) % bound
    }
}
