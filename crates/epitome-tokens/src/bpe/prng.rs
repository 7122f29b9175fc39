//! Numbers for tests: they look random, and are the same each time.

/// What gives a number below a bound, another one each time.
pub(super) fn dice(seed: u32) -> impl FnMut(u32) -> u32 {
    let mut state = seed;
    move |bound| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % bound
    }
}
