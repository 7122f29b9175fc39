//! Long work in short stretches, so that the page is drawn and keys are heard in between.

use epitome_browser::clock;

/// Longest stretch of writing: a machine several times slower shows no pause either.
pub(super) const WRITING_MS: f64 = 8.0;

/// How long the stretch under way has taken, and may take.
pub(crate) struct Pace {
    stretch_ms: f64,
    since_ms: f64,
}

impl Pace {
    /// Begins a stretch.
    pub(crate) fn start(stretch_ms: f64) -> Self {
        Self { stretch_ms, since_ms: clock::now_ms() }
    }

    /// True where the stretch has been long enough.
    pub(crate) fn is_due(&self) -> bool {
        clock::now_ms() - self.since_ms > self.stretch_ms
    }

    /// Lets the page have its turn, and begins another stretch.
    pub(crate) async fn rest(&mut self) {
        let _ = clock::sleep(0.0, None).await;
        self.since_ms = clock::now_ms();
    }
}
