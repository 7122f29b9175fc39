//! Long work in short slices, so that the page is drawn and reacts to input in between.

use epitome_browser::clock;

/// The longest slice of writing. It is short enough for a machine that is several times slower.
pub(super) const WRITING_MS: f64 = 8.0;

/// The duration of the current slice, and its limit.
pub(crate) struct Pace {
    slice_ms: f64,
    since_ms: f64,
}

impl Pace {
    /// Starts a slice.
    pub(crate) fn start(slice_ms: f64) -> Self {
        Self { slice_ms, since_ms: clock::now_ms() }
    }

    /// True if the slice has reached its limit.
    pub(crate) fn is_due(&self) -> bool {
        clock::now_ms() - self.since_ms > self.slice_ms
    }

    /// Yields to the page, and starts another slice.
    pub(crate) async fn rest(&mut self) {
        let _ = clock::sleep(0.0, None).await;
        self.since_ms = clock::now_ms();
    }
}
