//! A summary from an endpoint that speaks chat completions.

use std::collections::BTreeMap;

use epitome_browser::{
    Completion, Endpoint, EndpointErrorCode, Prompt, Provider, Streaming, Timeouts,
};
use js_sys::Function;
use serde::{Deserialize, Serialize};
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use web_sys::AbortSignal;

use crate::error::Thrown;
use crate::json;

/// An endpoint: where a summarizer answers, which model, which key, and how long it may take.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EndpointOptions {
    /// `http://host/v1`, or the whole address ending in `/chat/completions`.
    #[serde(rename = "baseURL")]
    pub base_url: String,
    /// The model's name, as the server knows it.
    pub model: String,
    /// Sent as `authorization: Bearer …`; an empty one is not sent.
    #[tsify(optional)]
    pub api_key: Option<String>,
    /// Further headers. In a browser each one needs the server's permission.
    #[tsify(optional, type = "Record<string, string>")]
    pub headers: Option<BTreeMap<String, String>>,
    /// Whether the text is to come piece by piece; true where absent.
    #[tsify(optional)]
    pub stream: Option<bool>,
    /// How long each part of an answer may take.
    #[tsify(optional)]
    pub timeouts: Option<EndpointTimeouts>,
}

/// How long each part of an answer may take, in milliseconds.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EndpointTimeouts {
    /// From the request to the first byte of a streamed answer; 5 minutes where absent.
    #[tsify(optional)]
    pub first_byte_ms: Option<u32>,
    /// Between two pieces of an answer; 2 minutes where absent.
    #[tsify(optional)]
    pub idle_ms: Option<u32>,
    /// From the request to the last byte; 12 minutes where absent.
    #[tsify(optional)]
    pub total_ms: Option<u32>,
}

/// Asks an endpoint once, and settles with the whole answer or the reason why there is none.
#[wasm_bindgen]
pub async fn complete(
    options: JsValue,
    system: String,
    user: String,
    max_tokens: u32,
    signal: Option<AbortSignal>,
    on_delta: Option<Function>,
) -> Result<Ts<Completion>, JsValue> {
    let options: EndpointOptions =
        json::option(&options, "openAICompatible", EndpointErrorCode::Misconfigured.into())?;
    let prompt = Prompt { system, user, max_tokens };
    let mut show = |delta: &str| {
        if let Some(on_delta) = &on_delta {
            // Whoever only watches has no say in the outcome.
            let _ = on_delta.call1(&JsValue::UNDEFINED, &delta.into());
        }
    };
    let completion =
        epitome_browser::complete(&options.into(), &prompt, signal.as_ref(), &mut show)
            .await
            .map_err(Thrown::from)?;
    Ok(completion.into_ts().map_err(Thrown::from)?)
}

impl From<EndpointOptions> for Endpoint {
    fn from(options: EndpointOptions) -> Self {
        let timeouts = options.timeouts.unwrap_or_default();
        let default = Timeouts::default();
        let stream = options.stream.unwrap_or(true);
        Self {
            provider: Provider::OpenAi,
            base_url: options.base_url,
            model: options.model,
            api_key: options.api_key,
            headers: options.headers.unwrap_or_default().into_iter().collect(),
            stream: if stream { Streaming::Streamed } else { Streaming::Plain },
            timeouts: Timeouts {
                first_byte_ms: timeouts.first_byte_ms.unwrap_or(default.first_byte_ms),
                idle_ms: timeouts.idle_ms.unwrap_or(default.idle_ms),
                total_ms: timeouts.total_ms.unwrap_or(default.total_ms),
            },
        }
    }
}
