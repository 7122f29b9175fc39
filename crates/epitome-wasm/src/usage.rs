//! What a provider says a request took.

use epitome::message;
use serde::Serialize;
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::error::{PackageErrorCode, Thrown};
use crate::json;

/// Tokens of one call as the provider counted them, and how long it took.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Everything that was sent, cached or not.
    pub prompt_tokens: u32,
    /// Everything that came back, reasoning included.
    pub completion_tokens: u32,
    /// Those of the prompt that came out of the provider's cache, where it tells.
    #[tsify(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u32>,
    /// Those of the prompt that went into the provider's cache, where it tells.
    #[tsify(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write_tokens: Option<u32>,
    /// Those of the completion that are thoughts, where the provider tells.
    #[tsify(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u32>,
    /// How long it took, in milliseconds, where it was measured.
    #[tsify(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u32>,
}

/// Reads the usage object of any provider; undefined where it does not tell how large the prompt was.
#[wasm_bindgen(js_name = readUsage)]
pub fn read_usage(usage: &JsValue) -> Result<Option<Ts<Usage>>, JsValue> {
    let value = json::read(usage).map_err(|error| unreadable(&error))?;
    let usage = epitome_formats::usage(&value).map(|usage| Usage::from(usage).into_ts());
    Ok(usage.transpose().map_err(Thrown::from)?)
}

/// The same for a reading that has to tell; nothing where nothing is given.
pub(crate) fn required(usage: &JsValue) -> Result<Option<message::Usage>, Thrown> {
    if usage.is_undefined() || usage.is_null() {
        return Ok(None);
    }
    let value = json::read(usage).map_err(|error| unreadable(&error))?;
    let duration_ms = value.get("durationMs").and_then(serde_json::Value::as_f64);
    let Some(usage) = epitome_formats::usage(&value) else {
        let problem = "usage: expected the usage of a provider, or { promptTokens, completionTokens }, each a \
                       whole number";
        return Err(Thrown::new(PackageErrorCode::InvalidOption, &problem));
    };
    // Clocks tell fractions of a millisecond.
    let duration_ms = duration_ms.map(|duration_ms| duration_ms.round() as u32);
    Ok(Some(message::Usage { duration_ms, ..usage }))
}

fn unreadable(error: &json::Unreadable) -> Thrown {
    Thrown::new(PackageErrorCode::InvalidOption, &format!("usage {error}"))
}

impl From<message::Usage> for Usage {
    fn from(usage: message::Usage) -> Self {
        let message::Usage {
            prompt_tokens,
            completion_tokens,
            cached_tokens,
            cache_write_tokens,
            reasoning_tokens,
            duration_ms,
            epoch: _,
        } = usage;
        Self {
            prompt_tokens,
            completion_tokens,
            cached_tokens,
            cache_write_tokens,
            reasoning_tokens,
            duration_ms,
        }
    }
}
