//! Session files of coding agents and exports of traces, which code in TypeScript reads.

use js_sys::Array;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};

#[wasm_bindgen(raw_module = "page/sessions.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = sessionsIn)]
    async fn read(text: &str) -> Result<JsValue, JsValue>;
}

/// The conversations in a text, each as the body of a request. `None` if it is no such file, or if the code for it cannot be fetched.
pub(crate) async fn sessions_in(text: &str) -> Option<Array> {
    read(text).await.ok()?.dyn_into().ok()
}
