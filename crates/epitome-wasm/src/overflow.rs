//! Whether an error of a model server says that the prompt is too long.

use epitome::ContextOverflow;
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::error::Thrown;

/// What an error with this status, code and text says about the prompt; undefined if it is another error.
#[wasm_bindgen(js_name = contextOverflow, unchecked_return_type = "ContextOverflow | undefined")]
pub fn context_overflow(
    status: Option<u16>,
    code: &str,
    text: &str,
) -> Result<Option<Ts<ContextOverflow>>, JsValue> {
    let overflow = ContextOverflow::of(status, code, text).map(|overflow| overflow.into_ts());
    Ok(overflow.transpose().map_err(Thrown::from)?)
}
