//! The tokens that a provider reports for a request.

use epitome::message::Usage;
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::error::{PackageErrorCode, Thrown};
use crate::json;

/// The package knows which view was sent, so that apps do not give its epoch.
#[wasm_bindgen(typescript_custom_section)]
const USAGE: &str = r"
/** Tokens of one request as the provider reports them, and how long it took. */
export type Usage = Omit<UsageOfView, 'epoch'>;
";

/// Reads the usage object of any provider; undefined if it does not contain the tokens of the prompt.
#[wasm_bindgen(js_name = readUsage, unchecked_return_type = "Usage | undefined")]
pub fn read_usage(usage: &JsValue) -> Result<Option<Ts<Usage>>, JsValue> {
    let value = json::read(usage).map_err(|error| unreadable(&error))?;
    let usage = epitome_formats::read_usage(&value).map(|usage| usage.into_ts());
    Ok(usage.transpose().map_err(Thrown::from)?)
}

/// The same with an error if it does not; `None` if there is no usage object.
pub(crate) fn required(usage: &JsValue) -> Result<Option<Usage>, Thrown> {
    if usage.is_undefined() || usage.is_null() {
        return Ok(None);
    }
    let value = json::read(usage).map_err(|error| unreadable(&error))?;
    let duration_ms = value.get("durationMs").and_then(serde_json::Value::as_f64);
    let Some(usage) = epitome_formats::read_usage(&value) else {
        let problem = "usage: expected the usage of a provider, or { promptTokens, completionTokens }, each a \
                       whole number";
        return Err(Thrown::new(PackageErrorCode::InvalidOption, &problem));
    };
    // `performance.now()` has fractions of a millisecond.
    let duration_ms = duration_ms.map(|duration_ms| duration_ms.round() as u32);
    Ok(Some(Usage { duration_ms, ..usage }))
}

fn unreadable(error: &json::Unreadable) -> Thrown {
    Thrown::new(PackageErrorCode::InvalidOption, &format!("usage {error}"))
}
