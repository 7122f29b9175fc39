//! Writes a list as JSON in pieces, so that the page stays responsive for any length.

use js_sys::{Array, JSON, JsString};
use wasm_bindgen::JsValue;

use super::pace::{Pace, WRITING_MS};

/// The number of values that are written at once.
const BATCH: u32 = 16;

/// The length of a piece of a long text, in bytes.
const PIECE: usize = 262_144;

/// The JSON of a list in pieces, indented by two. Joined, they equal the result of `JSON.stringify`.
///
/// The list is copied first, so that changes to it meanwhile are not in the text. Fails if a value cannot be written
/// as JSON.
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

/// A text in pieces, which the browser gets in slices: it decodes each of them.
pub(crate) async fn pieces(text: &str) -> Array {
    let pieces = Array::new();
    let mut pace = Pace::start(WRITING_MS);
    if text.len() > PIECE {
        // Making it took long as well.
        pace.rest().await;
    }
    let mut rest = text;
    while !rest.is_empty() {
        if pace.is_due() {
            pace.rest().await;
        }
        let (piece, behind) = rest.split_at(rest.floor_char_boundary(PIECE));
        pieces.push(&JsValue::from_str(piece));
        rest = behind;
    }
    pieces
}

/// Texts of JSON, one for each value of a list, with what `around` puts around the text of its index.
pub(crate) async fn lines(
    list: &Array,
    around: impl Fn(u32) -> (String, &'static str),
) -> Result<Array, JsValue> {
    let list = list.slice(0, list.length());
    let pieces = Array::new();
    let mut pace = Pace::start(WRITING_MS);
    for (index, value) in (0..).zip(list.iter()) {
        if pace.is_due() {
            pace.rest().await;
        }
        let (before, after) = around(index);
        pieces.push(&JsValue::from_str(&before));
        pieces.push(&JSON::stringify(&value)?.into());
        pieces.push(&JsValue::from_str(after));
    }
    Ok(pieces)
}

/// The text between `[` and the line break before `]`.
fn between_brackets(text: &JsString) -> JsString {
    text.slice(1, text.length().saturating_sub(2))
}
