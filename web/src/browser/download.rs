//! Saves a text as a file.

use js_sys::Array;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

use super::pace::{Pace, WRITING_MS};

/// The number of pieces that are copied to the browser at once.
const BATCH: u32 = 16;

/// Has the browser download a text, given in pieces, as a file called `name`.
pub(crate) async fn save(name: &str, pieces: &Array) {
    // No step can fail on a visible page.
    let _ = try_save(name, pieces).await;
}

/// A text, given in pieces, as a file's content.
pub(super) async fn blob(pieces: &Array) -> Result<Blob, JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type("application/json");
    // The browser copies each text when the blob is made, but it does not copy the blobs that a blob is made of. Many
    // small blobs with pauses in between keep the page responsive.
    let parts = Array::new();
    let mut pace = Pace::start(WRITING_MS);
    for start in (0..pieces.length()).step_by(BATCH as usize) {
        if pace.is_due() {
            pace.rest().await;
        }
        let batch = pieces.slice(start, start.saturating_add(BATCH));
        let part = Blob::new_with_str_sequence(&batch)?;
        parts.push(&part);
    }
    Blob::new_with_blob_sequence_and_options(&parts, &options)
}

async fn try_save(name: &str, pieces: &Array) -> Result<(), JsValue> {
    let blob = blob(pieces).await?;
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
