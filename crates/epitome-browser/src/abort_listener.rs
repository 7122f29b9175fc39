//! An ear on an abort signal, which is taken away when it is dropped.

use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::AbortSignal;

const EVENT: &str = "abort";

pub(crate) struct Listener {
    signal: AbortSignal,
    handler: Closure<dyn FnMut()>,
}

impl Listener {
    /// Calls `handler` when the signal aborts. A signal that has aborted already does not call it.
    pub(crate) fn start(signal: &AbortSignal, handler: impl FnMut() + 'static) -> Self {
        let handler = Closure::wrap(Box::new(handler) as Box<dyn FnMut()>);
        // Fails only for a listener that is no function.
        let _ = signal.add_event_listener_with_callback(EVENT, handler.as_ref().unchecked_ref());
        Self { signal: signal.clone(), handler }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let handler = self.handler.as_ref().unchecked_ref();
        let _ = self.signal.remove_event_listener_with_callback(EVENT, handler);
    }
}
