//! A handle that stops running requests and waits.

use epitome_browser::AbortSignal;
use web_sys::AbortController;

/// Stops every request and wait that has its signal.
#[derive(Clone)]
pub(crate) struct Abort(Option<AbortController>);

impl Abort {
    /// A handle that has stopped nothing yet.
    pub(crate) fn new() -> Self {
        Self(AbortController::new().ok())
    }

    /// The signal for the work to stop.
    pub(crate) fn signal(&self) -> Option<AbortSignal> {
        self.0.as_ref().map(AbortController::signal)
    }

    /// Stops the work. A second call does nothing.
    pub(crate) fn stop(&self) {
        if let Some(controller) = &self.0 {
            controller.abort();
        }
    }
}
