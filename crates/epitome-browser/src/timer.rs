//! A timer of the page, the worker or Node, which is cleared when it is dropped.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};

/// The longest delay of `setTimeout`, about 24 days. A longer one would overflow and fire at once.
const LONGEST_STEP_MS: f64 = 2_147_483_647.0;

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
    shared: Rc<Shared>,
}

struct Shared {
    /// What `setTimeout` calls.
    on_step: RefCell<Option<Closure<dyn FnMut()>>>,
    /// What `setTimeout` returned.
    id: RefCell<JsValue>,
    /// What is left of the delay after this step.
    left_ms: Cell<f64>,
}

impl Timer {
    /// Calls `handler` once after the delay, which may be longer than `setTimeout` can wait.
    pub(crate) fn start(delay_ms: f64, mut handler: impl FnMut() + 'static) -> Self {
        let shared = Rc::new(Shared {
            on_step: RefCell::default(),
            id: RefCell::new(JsValue::UNDEFINED),
            left_ms: Cell::default(),
        });
        let weak = Rc::downgrade(&shared);
        let on_step = move || match weak.upgrade() {
            Some(shared) if shared.left_ms.get() > 0.0 => shared.step(shared.left_ms.get()),
            Some(_) => handler(),
            None => {}
        };
        let on_step = Closure::wrap(Box::new(on_step) as Box<dyn FnMut()>);
        *shared.on_step.borrow_mut() = Some(on_step);
        let mut timer = Self { shared };
        timer.restart(delay_ms);
        timer
    }

    /// Starts again with this delay, whether or not the timer has fired.
    pub(crate) fn restart(&mut self, delay_ms: f64) {
        clear_timeout(&self.shared.id.borrow());
        self.shared.step(delay_ms);
    }
}

impl Shared {
    fn step(&self, delay_ms: f64) {
        // Neither negative nor NaN.
        let delay_ms = delay_ms.max(0.0);
        let step_ms = delay_ms.min(LONGEST_STEP_MS);
        self.left_ms.set(delay_ms - step_ms);
        if let Some(on_step) = &*self.on_step.borrow() {
            *self.id.borrow_mut() = set_timeout(on_step.as_ref().unchecked_ref(), step_ms);
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        clear_timeout(&self.shared.id.borrow());
    }
}
