//! Files from the page's own server.

use js_sys::Uint8Array;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

/// The origin of the page, such as `http://127.0.0.1:8080`.
pub(crate) fn origin() -> String {
    web_sys::window().and_then(|window| window.location().origin().ok()).unwrap_or_default()
}

/// The part of the page's address behind `#`, with it; empty without one.
pub(crate) fn address_part() -> String {
    web_sys::window().and_then(|window| window.location().hash().ok()).unwrap_or_default()
}

/// Removes that part from the address, without a new entry in the history.
pub(crate) fn clear_address_part() {
    let Some(window) = web_sys::window() else { return };
    if let (Ok(history), Ok(path)) = (window.history(), window.location().pathname()) {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&path));
    }
}

/// The text at an address; `None` if the request fails.
pub(crate) async fn text_at(address: &str) -> Option<String> {
    let response = response_at(address).await?;
    JsFuture::from(response.text().ok()?).await.ok()?.as_string()
}

/// The bytes at an address; `None` if the request fails.
pub(crate) async fn bytes_at(address: &str) -> Option<Vec<u8>> {
    let response = response_at(address).await?;
    let buffer = JsFuture::from(response.array_buffer().ok()?).await.ok()?;
    Some(Uint8Array::new(&buffer).to_vec())
}

async fn response_at(address: &str) -> Option<Response> {
    let window = web_sys::window()?;
    let response = JsFuture::from(window.fetch_with_str(address)).await.ok()?;
    let response: Response = response.dyn_into().ok()?;
    response.ok().then_some(response)
}
