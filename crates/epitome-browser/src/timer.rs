//! A timer of the page, the worker or Node, which stops when it is dropped.

use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};

/// What `setTimeout` can count to; a longer delay would fire at once.
const LONGEST_MS: f64 = 2_147_483_647.0;

#[wasm_bindgen]
extern "C" {
    // A number in browsers, an object in Node.
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(handler: &js_sys::Function, delay_ms: f64) -> JsValue;

    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(timer: &JsValue);
}

pub(crate) struct Timer {
    handler: Closure<dyn FnMut()>,
    running: JsValue,
}

impl Timer {
    /// Calls `handler` once after the delay, at the longest 24 days.
    pub(crate) fn start(delay_ms: f64, handler: impl FnMut() + 'static) -> Self {
        let mut timer = Self {
            handler: Closure::wrap(Box::new(handler) as Box<dyn FnMut()>),
            running: JsValue::UNDEFINED,
        };
        timer.restart(delay_ms);
        timer
    }

    /// Begins to count anew.
    pub(crate) fn restart(&mut self, delay_ms: f64) {
        clear_timeout(&self.running);
        let delay_ms = delay_ms.clamp(0.0, LONGEST_MS);
        self.running = set_timeout(self.handler.as_ref().unchecked_ref(), delay_ms);
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        clear_timeout(&self.running);
    }
}
