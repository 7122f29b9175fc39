//! Long work in slices, between which the event loop runs: timers fire, an abort arrives, a page is painted.

use crate::clock::{now_ms, sleep};

/// How long a slice may take. With the step that ends it, it stays below the 50 ms that users notice.
const SLICE_MS: f64 = 10.0;
/// Whatever takes as long is waiting, in which the event loop has run.
const WAIT_MS: f64 = 2.0;

/// The slice that runs.
pub(crate) struct Slices {
    started_ms: f64,
}

impl Slices {
    pub(crate) fn start() -> Self {
        Self { started_ms: now_ms() }
    }

    /// Lets the event loop run if the slice has taken its time. True if it did.
    pub(crate) async fn pause(&mut self) -> bool {
        // A clock that was set back ends the slice too.
        if (0.0..SLICE_MS).contains(&(now_ms() - self.started_ms)) {
            return false;
        }
        // It fails only at an abort, and there is no signal.
        let _ = sleep(0.0, None).await;
        self.started_ms = now_ms();
        true
    }

    /// Begins a new slice if something was waited for. A promise may also have been fulfilled already; then the event loop has
    /// not run.
    pub(crate) fn waited_since(&mut self, time_ms: f64) {
        let now_ms = now_ms();
        if now_ms - time_ms >= WAIT_MS {
            self.started_ms = now_ms;
        }
    }
}
