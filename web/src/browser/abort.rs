//! A way to stop what is under way.

use epitome_browser::AbortSignal;
use web_sys::AbortController;

/// Stops every request and every wait that was given its signal.
#[derive(Clone)]
pub(crate) struct Abort(Option<AbortController>);

impl Abort {
    /// Something that can be stopped.
    pub(crate) fn new() -> Self {
        Self(AbortController::new().ok())
    }

    /// What the stoppable work listens to.
    pub(crate) fn signal(&self) -> Option<AbortSignal> {
        self.0.as_ref().map(AbortController::signal)
    }

    /// Stops it. A second time does nothing.
    pub(crate) fn stop(&self) {
        if let Some(controller) = &self.0 {
            controller.abort();
        }
    }
}
