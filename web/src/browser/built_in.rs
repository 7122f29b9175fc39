//! The model that the browser has built in, as the chat app uses it.

use epitome_browser::AbortSignal;
use js_sys::Error;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};

#[wasm_bindgen(raw_module = "page/chrome.js")]
extern "C" {
    type Answer;

    #[wasm_bindgen(js_name = isBuiltIn)]
    async fn is_there() -> JsValue;

    #[wasm_bindgen(catch, js_name = checkBuiltIn)]
    async fn check() -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_name = beginAnswer)]
    fn begin(messages: &str, signal: Option<&AbortSignal>) -> Answer;

    #[wasm_bindgen(catch, method)]
    async fn next(this: &Answer) -> Result<JsValue, JsValue>;
}

/// True if the browser has a model, or can fetch one.
pub(crate) async fn has_model() -> bool {
    is_there().await.is_truthy()
}

/// Fails with a sentence for the user if the model cannot be used.
pub(crate) async fn check_model() -> Result<(), String> {
    check().await.map(drop).map_err(|error| words(&error))
}

/// The text of the model's answer to messages of chat completions, given as JSON. Each piece is passed on as it is written. Fails with
/// a sentence for the user.
pub(crate) async fn ask_model(
    messages: &str,
    signal: Option<&AbortSignal>,
    on_delta: &mut dyn FnMut(&str),
) -> Result<String, String> {
    let answer = begin(messages, signal);
    let mut text = String::new();
    while let Some(piece) = answer.next().await.map_err(|error| words(&error))?.as_string() {
        on_delta(&piece);
        text.push_str(&piece);
    }
    Ok(text)
}

fn words(error: &JsValue) -> String {
    let message = error.dyn_ref::<Error>().map(|error| String::from(error.message()));
    message.unwrap_or_else(|| format!("{error:?}"))
}
