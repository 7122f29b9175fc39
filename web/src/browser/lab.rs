//! The Lab, which is written in TypeScript and runs the npm packages that it compares.

use js_sys::Array;
use serde_json::Value;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(raw_module = "page/lab.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = showLab)]
    async fn show(id: &str, messages: &Array, about: &str) -> Result<JsValue, JsValue>;
}

/// Fetches the Lab if it is not there yet, and shows it in the element with this id. `about` is what it has to know of the messages.
/// False if it cannot be fetched.
pub(crate) async fn show_lab(id: &str, messages: &Array, about: &Value) -> bool {
    show(id, messages, &about.to_string()).await.is_ok()
}
