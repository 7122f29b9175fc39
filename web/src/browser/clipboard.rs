//! The clipboard, which a browser may deny.

use js_sys::{Array, JsString, Object, Promise, Reflect};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use web_sys::{Blob, BlobPropertyBag, Clipboard, ClipboardItem};

use crate::language::t;

/// Copies a text that is still being written, in pieces. Fails with a sentence for the user.
pub(crate) async fn copy(
    pieces: impl Future<Output = Result<Array, JsValue>> + 'static,
) -> Result<(), String> {
    let denied = || t!("The browser did not allow copying. Use “Download” instead.").to_owned();
    let window = web_sys::window().ok_or_else(denied)?;
    let clipboard = window.navigator().clipboard();
    // A page that is not served over HTTPS or from localhost has no clipboard.
    if JsValue::from(clipboard.clone()).is_undefined() {
        return Err(denied());
    }
    try_copy(&clipboard, pieces).await.map_err(|_| denied())
}

/// Gives the browser a promise of the text at once, because Safari only lets a page copy while a click is handled.
/// A browser that does not accept promises gets the text when it is complete.
async fn try_copy(
    clipboard: &Clipboard,
    pieces: impl Future<Output = Result<Array, JsValue>> + 'static,
) -> Result<(), JsValue> {
    let text = future_to_promise(async move { Ok(pieces.await?.join("").into()) });
    match item(&text) {
        Ok(item) => JsFuture::from(clipboard.write(&Array::of1(&item))).await?,
        Err(_) => {
            let text: JsString = JsFuture::from(text).await?.unchecked_into();
            JsFuture::from(clipboard.write_text(&String::from(text))).await?
        }
    };
    Ok(())
}

fn item(text: &Promise) -> Result<ClipboardItem, JsValue> {
    const PLAIN: &str = "text/plain";
    let text = text.clone();
    let blob = future_to_promise(async move {
        let text = JsFuture::from(text).await?;
        let options = BlobPropertyBag::new();
        options.set_type(PLAIN);
        let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&text), &options);
        blob.map(JsValue::from)
    });
    let representations = Object::new();
    Reflect::set(&representations, &JsValue::from_str(PLAIN), &blob)?;
    ClipboardItem::new_with_record_from_str_to_blob_promise(&representations)
}
