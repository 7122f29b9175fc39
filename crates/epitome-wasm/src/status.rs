//! How full the window is, with the usage that the provider reported.

use std::cell::RefCell;

use epitome::tokens::Statistics;
use epitome::{Breakdown, Level, Pressure};
use serde::Serialize;
use tsify::Tsify;

/// The number of fields of a status.
const COUNT: usize = 23;

thread_local! {
    static NUMBERS: RefCell<[f64; COUNT]> = const { RefCell::new([0.0; COUNT]) };
}

/// How full the window is, with the usage that the provider reported.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
pub struct Status {
    /// How full the window is.
    #[serde(flatten)]
    pub pressure: Pressure,
    /// The sums of what the provider reported.
    pub statistics: Statistics,
}

impl Status {
    /// Writes [`Self::numbers`] into the module's memory, and returns their address, which is always the same. As an object the
    /// fields would cross in 7 µs, which is as long as appending a message takes, and as an array of its own in 2.
    pub(crate) fn write(self) -> *const f64 {
        NUMBERS.with_borrow_mut(|numbers| {
            *numbers = self.numbers();
            numbers.as_ptr()
        })
    }

    /// All fields as numbers, in the order of their declarations, in which `npm/src/host/status.ts` reads them.
    pub fn numbers(self) -> [f64; COUNT] {
        let Pressure {
            tokens,
            window,
            fill,
            budget_used_pct,
            level,
            threshold,
            target,
            exact,
            error_band,
            floor,
            breakdown: Breakdown { system, tools, context, summary, user, assistant, results },
        } = self.pressure;
        let Statistics {
            last_prompt_tokens,
            last_completion_tokens,
            session_prompt_tokens,
            session_completion_tokens,
            context_tokens,
            tokens_per_second,
        } = self.statistics;
        let level = match level {
            Level::Ok => 0.0,
            Level::Warn => 1.0,
            Level::Compact => 2.0,
        };
        [
            tokens.into(),
            window.into(),
            fill,
            budget_used_pct,
            level,
            threshold.map_or(f64::NAN, f64::from),
            target.into(),
            f64::from(u8::from(exact)),
            error_band,
            floor.into(),
            system.into(),
            tools.into(),
            context.into(),
            summary.into(),
            user.into(),
            assistant.into(),
            results.into(),
            last_prompt_tokens.into(),
            last_completion_tokens.into(),
            session_prompt_tokens as f64,
            session_completion_tokens as f64,
            context_tokens.into(),
            tokens_per_second,
        ]
    }
}
