//! A text, saved as a file.

use js_sys::Array;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

/// Has the browser save `text` under `name`.
pub(crate) fn save(name: &str, text: &JsValue) {
    // None of the steps can fail on a page that is shown.
    let _ = try_save(name, text);
}

fn try_save(name: &str, text: &JsValue) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type("application/json");
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(text), &options)?;
    let address = Url::create_object_url_with_blob(&blob)?;
    let document = web_sys::window().and_then(|window| window.document());
    if let Some(document) = document {
        let anchor: HtmlAnchorElement = document.create_element("a")?.unchecked_into();
        anchor.set_href(&address);
        anchor.set_download(name);
        anchor.click();
    }
    Url::revoke_object_url(&address)
}
