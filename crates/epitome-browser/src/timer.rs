//! A timer of the page, the worker or Node, which is cleared when it is dropped.

use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};

/// The longest delay of `setTimeout`. A longer one would overflow and fire at once.
const MAX_DELAY_MS: f64 = 2_147_483_647.0;

#[wasm_bindgen]
extern "C" {
    // The timer is a number in browsers and an object in Node.
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(handler: &js_sys::Function, delay_ms: f64) -> JsValue;

    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(timer: &JsValue);
}

/// Runs as long as it lives.
pub(crate) struct Timer {
    handler: Closure<dyn FnMut()>,
    /// What `setTimeout` returned.
    id: JsValue,
}

impl Timer {
    /// Calls `handler` once after the delay, which is at most 24 days.
    pub(crate) fn start(delay_ms: f64, handler: impl FnMut() + 'static) -> Self {
        let mut timer = Self {
            handler: Closure::wrap(Box::new(handler) as Box<dyn FnMut()>),
            id: JsValue::UNDEFINED,
        };
        timer.restart(delay_ms);
        timer
    }

    /// Starts again with this delay, whether or not the timer has fired.
    pub(crate) fn restart(&mut self, delay_ms: f64) {
        clear_timeout(&self.id);
        let delay_ms = delay_ms.clamp(0.0, MAX_DELAY_MS);
        self.id = set_timeout(self.handler.as_ref().unchecked_ref(), delay_ms);
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        clear_timeout(&self.id);
    }
}
