//! Lets the request's own timeouts decide in Node, whose `fetch` otherwise ends a request after five minutes of silence.
//!
//! Node's `fetch` is that of undici, which hands each request to a dispatcher: the one in the request, or the global one. The
//! one here passes the request on to the global one, which may be a proxy of the app, without limits of time.

use js_sys::{Function, Object, Reflect, Symbol};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::RequestInit;

/// The name of the symbol under which undici has its global dispatcher, in all versions that Node has.
const GLOBAL_DISPATCHER: &str = "undici.globalDispatcher.1";

/// undici's limits, in milliseconds. 0 is no limit.
const LIMITS: [&str; 2] = ["headersTimeout", "bodyTimeout"];

/// A dispatcher without limits of time. It has to live until the response is read.
pub(crate) struct Unlimited {
    _dispatch: Closure<dyn Fn(JsValue, JsValue) -> Result<JsValue, JsValue>>,
}

impl Unlimited {
    /// Gives the request such a dispatcher; `None` outside of Node.
    pub(crate) fn set(init: &RequestInit) -> Option<Self> {
        let global = Reflect::get(&js_sys::global(), &Symbol::for_(GLOBAL_DISPATCHER)).ok()?;
        let pass_on: Function = Reflect::get(&global, &"dispatch".into()).ok()?.dyn_into().ok()?;
        let dispatch = Closure::new(move |options: JsValue, handler: JsValue| {
            let unlimited = Object::assign(&Object::new(), options.unchecked_ref());
            for limit in LIMITS {
                Reflect::set(&unlimited, &limit.into(), &0.into())?;
            }
            pass_on.call2(&global, &unlimited, &handler)
        });
        let dispatcher = Object::new();
        Reflect::set(&dispatcher, &"dispatch".into(), dispatch.as_ref()).ok()?;
        Reflect::set(init, &"dispatcher".into(), &dispatcher).ok()?;
        Some(Self { _dispatch: dispatch })
    }
}
