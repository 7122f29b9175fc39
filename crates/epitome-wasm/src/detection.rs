//! Detects the format of messages.

use epitome_formats::Format;
use js_sys::Array;
use serde::Serialize;
use serde_json::Value;
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::error::Thrown;
use crate::json;

/// The format that messages seem to be in.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Detection {
    /// A format of this package.
    Known {
        /// Its name.
        format: Format,
    },
    /// They have nothing that only one format has.
    Unclear,
}

/// Detects the format of messages by what only that format has.
#[wasm_bindgen(js_name = detectFormat)]
pub fn detect_format(messages: &Array) -> Result<Ts<Detection>, JsValue> {
    // One after the other: mostly one of the first messages decides.
    let messages = messages.iter().map(|message| json::read(&message).unwrap_or(Value::Null));
    let detection = match epitome_formats::detect(messages) {
        epitome_formats::Detection::Known(format) => Detection::Known { format },
        epitome_formats::Detection::Unclear => Detection::Unclear,
    };
    Ok(detection.into_ts().map_err(Thrown::from)?)
}
