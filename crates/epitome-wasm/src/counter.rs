//! How many tokens a provider counts, from the endpoint that it has for that.

use std::collections::BTreeMap;

use epitome_browser::{Endpoint, EndpointErrorCode, Provider, Timeouts, count_tokens};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tsify::Tsify;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use web_sys::AbortSignal;

use crate::error::{PackageErrorCode, Thrown};
use crate::json;

/// How long a count may take, unless the app says otherwise.
const TOTAL_MS: u32 = 60_000;

/// An endpoint that counts tokens: where it is, for which model, which key, and what else is in a request.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CounterOptions {
    /// The model's name, as the provider knows it.
    pub model: String,
    /// Where the API is, such as `https://host/v1`; the provider's own where absent, and for llama.cpp
    /// `http://127.0.0.1:8080`.
    #[serde(rename = "baseURL")]
    #[tsify(optional)]
    pub base_url: Option<String>,
    /// Sent in the header that the provider reads it from; an empty one is not sent.
    #[tsify(optional)]
    pub api_key: Option<String>,
    /// Further headers. In a browser each one needs the server's permission.
    #[tsify(optional, type = "Record<string, string>")]
    pub headers: Option<BTreeMap<String, String>>,
    /// What else every request to the model has, such as `system` and `tools`, in the provider's own words.
    #[tsify(optional, type = "object")]
    pub request: Option<Map<String, Value>>,
    /// How long a count may take, in milliseconds; a minute where absent.
    #[tsify(optional)]
    pub timeout_ms: Option<u32>,
}

/// Asks a provider for a count, once. `messages` is an array of them as JSON.
#[wasm_bindgen(js_name = countByProvider)]
pub async fn count_by_provider(
    provider: String,
    options: JsValue,
    messages: String,
    signal: Option<AbortSignal>,
) -> Result<u32, JsValue> {
    let options: CounterOptions =
        json::option(&options, "counter", EndpointErrorCode::Misconfigured.into())?;
    let provider = serde_json::from_value::<Provider>(provider.into()).ok();
    let messages = serde_json::from_str(&messages).ok();
    let (Some(provider), Some(messages)) = (provider, messages) else {
        let problem = "countTokens: expected an array of messages that JSON can hold";
        return Err(Thrown::new(PackageErrorCode::InvalidMessage, &problem).into());
    };
    let endpoint = Endpoint {
        provider,
        api_key: options.api_key,
        headers: options.headers.unwrap_or_default().into_iter().collect(),
        timeouts: Timeouts {
            total_ms: options.timeout_ms.unwrap_or(TOTAL_MS),
            ..Timeouts::default()
        },
        ..Endpoint::new(
            options.base_url.unwrap_or_else(|| provider.base_url().to_owned()),
            options.model,
        )
    };
    let request = options.request.unwrap_or_default();
    let count = count_tokens(&endpoint, messages, request, signal.as_ref()).await;
    Ok(count.map_err(Thrown::from)?)
}
