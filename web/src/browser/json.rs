//! A list as JSON, written piece by piece so that the page stays responsive however long it is.

use js_sys::{Array, JSON, JsString};
use wasm_bindgen::JsValue;

use super::pace::{Pace, WRITING_MS};

/// Values that are written at once.
const BATCH: u32 = 16;

/// The pieces of the JSON of a list, indented by two; joined, they are what `JSON.stringify` makes of it.
///
/// The list is copied first, so that whatever happens to it meanwhile is not in the text. Fails where a
/// value is none of JSON's.
pub(crate) async fn pretty(list: &Array) -> Result<Array, JsValue> {
    let list = list.slice(0, list.length());
    if list.length() == 0 {
        return Ok(Array::of1(&JsValue::from_str("[]")));
    }
    let indent = JsValue::from_f64(2.0);
    let pieces = Array::new();
    let mut pace = Pace::start(WRITING_MS);
    for start in (0..list.length()).step_by(BATCH as usize) {
        if pace.is_due() {
            pace.rest().await;
        }
        let batch = list.slice(start, start.saturating_add(BATCH));
        let text = JSON::stringify_with_replacer_and_space(&batch, &JsValue::NULL, &indent)?;
        pieces.push(&JsValue::from_str(if start == 0 { "[" } else { "," }));
        pieces.push(&between_brackets(&text));
    }
    pieces.push(&JsValue::from_str("\n]"));
    Ok(pieces)
}

/// What stands between `[` and the line break before `]`.
fn between_brackets(text: &JsString) -> JsString {
    text.slice(1, text.length().saturating_sub(2))
}
