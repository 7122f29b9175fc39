//! A listener on an abort signal, which is removed when it is dropped.

use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::AbortSignal;

const EVENT: &str = "abort";

/// Listens as long as it lives.
pub(crate) struct AbortListener {
    signal: AbortSignal,
    handler: Closure<dyn FnMut()>,
}

impl AbortListener {
    /// Calls `handler` when the signal aborts, but not if it has aborted already.
    pub(crate) fn start(signal: &AbortSignal, handler: impl FnMut() + 'static) -> Self {
        let handler = Closure::wrap(Box::new(handler) as Box<dyn FnMut()>);
        // Fails only if the listener is not a function.
        let _ = signal.add_event_listener_with_callback(EVENT, handler.as_ref().unchecked_ref());
        Self { signal: signal.clone(), handler }
    }
}

impl Drop for AbortListener {
    /// A signal may outlive many requests. Without this, it would call closures that are gone, and keep their memory.
    fn drop(&mut self) {
        let handler = self.handler.as_ref().unchecked_ref();
        let _ = self.signal.remove_event_listener_with_callback(EVENT, handler);
    }
}
