//! Token counts of a provider, from its counting endpoint.

use epitome_browser::{
    Endpoint, EndpointErrorCode, Provider, Secret, SecretHeaders, Timeouts, count_tokens,
};
use serde::Deserialize;
use serde_json::{Map, Value};
use tsify::Tsify;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use web_sys::AbortSignal;

use crate::endpoint::keys;
use crate::error::{PackageErrorCode, Thrown};
use crate::json;

/// How long a count may take by default.
const TOTAL_MS: u32 = 60_000;

/// Options of a counting endpoint.
#[derive(Clone, Default, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CounterOptions {
    /// The model's name, as the provider knows it.
    pub model: String,
    /// The address of the API, such as `https://host/v1`. Default: the provider's own; for llama.cpp,
    /// `http://127.0.0.1:8080`.
    #[serde(rename = "baseURL")]
    #[tsify(optional)]
    pub base_url: Option<String>,
    /// Sent in the header that the provider uses for it. An empty key is not sent.
    #[tsify(optional, type = "string")]
    pub api_key: Option<Secret>,
    /// Further headers. In a browser, the server must allow each of them.
    #[tsify(optional, type = "Record<string, string>")]
    pub headers: Option<SecretHeaders>,
    /// The other fields of a request to the model, such as `system` and `tools`, as the provider names them.
    #[tsify(optional, type = "object")]
    pub request: Option<Map<String, Value>>,
    /// How long a count may take, in milliseconds. Default: a minute.
    #[tsify(optional)]
    pub timeout_ms: Option<u32>,
}

/// Asks a provider for a count, once. `messages` is a JSON array.
#[wasm_bindgen(js_name = countByProvider)]
pub async fn count_by_provider(
    provider: String,
    options: JsValue,
    messages: String,
    signal: Option<AbortSignal>,
) -> Result<u32, JsValue> {
    let options: CounterOptions =
        json::option(&options, "counter", EndpointErrorCode::Misconfigured.into())?;
    let provider = epitome::json::read::<Provider>(&provider.into()).ok();
    let messages = serde_json::from_str(&messages).ok();
    let (Some(provider), Some(messages)) = (provider, messages) else {
        let problem = "countTokens: expected an array of messages that JSON can hold";
        return Err(Thrown::new(PackageErrorCode::InvalidMessage, &problem).into());
    };
    let base_url = options.base_url.unwrap_or_else(|| provider.base_url().to_owned());
    let endpoint = Endpoint {
        provider,
        keys: keys(&base_url, options.api_key, options.headers),
        timeouts: Timeouts {
            total_ms: options.timeout_ms.unwrap_or(TOTAL_MS),
            ..Timeouts::default()
        },
        ..Endpoint::new(base_url, options.model)
    };
    let request = options.request.unwrap_or_default();
    let count = count_tokens(&endpoint, messages, request, signal.as_ref()).await;
    Ok(count.map_err(Thrown::from)?)
}
