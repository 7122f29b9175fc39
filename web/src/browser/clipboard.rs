//! The clipboard, which a browser may withhold.

use wasm_bindgen_futures::JsFuture;

/// Copies a text. Fails with a sentence for a person.
pub(crate) async fn copy(text: &str) -> Result<(), String> {
    let refused = || "The browser did not allow copying. Use “Download” instead.".to_owned();
    let window = web_sys::window().ok_or_else(refused)?;
    let clipboard = window.navigator().clipboard();
    // A page that is not served securely has no clipboard at all.
    if wasm_bindgen::JsValue::from(clipboard.clone()).is_undefined() {
        return Err(refused());
    }
    JsFuture::from(clipboard.write_text(text)).await.map(drop).map_err(|_| refused())
}
