//! Summaries from an endpoint of a model.

use epitome_browser::{
    AnswerFormat, Completion, Endpoint, EndpointErrorCode, Keys, Prompt, Provider, Secret,
    SecretHeaders, Streaming, Timeouts,
};
use epitome_columns::SortedMap;
use js_sys::Function;
use serde::Deserialize;
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use web_sys::AbortSignal;

use crate::error::{PackageErrorCode, Thrown};
use crate::json;

/// Options of an endpoint.
#[derive(Clone, Default, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EndpointOptions {
    /// `http://host/v1`, or the whole address that ends in `/chat/completions` or, for Anthropic, `/messages`. For Gemini
    /// `https://generativelanguage.googleapis.com/v1beta`, for Ollama `http://localhost:11434`.
    #[serde(rename = "baseURL")]
    pub base_url: String,
    /// The model's name, as the server knows it.
    pub model: String,
    /// Sent in the header that the provider uses for it. An empty key is not sent.
    #[tsify(optional, type = "string")]
    pub api_key: Option<Secret>,
    /// Further headers. In a browser, the server must allow each of them.
    #[tsify(optional, type = "Record<string, string>")]
    pub headers: Option<SecretHeaders>,
    /// Whether the answer is streamed. Default: true.
    #[tsify(optional)]
    pub stream: Option<bool>,
    /// How long each part of an answer may take.
    #[tsify(optional)]
    pub timeouts: Option<EndpointTimeouts>,
    /// How a summary with changes to the structured state is asked for: in `text`, by the instructions, which every model can
    /// follow; by `jsonSchema`, in the field `response_format`, for `openAICompatible` and `ollamaCompatible`; or by `grammar`, in
    /// the field that llama.cpp has, for `openAICompatible` only. Such an answer is one JSON object, and is not shown while it is written. A server that
    /// refuses the field is asked once more without it. Default: `text`.
    #[tsify(optional)]
    pub answer_format: Option<AnswerFormat>,
    /// The context window in tokens that Ollama is to give the model. Default: the power of two into which prompt and
    /// answer fit. Ollama loads the model again when it changes, so give the one that your app's own requests have. Only for
    /// `ollamaCompatible`.
    #[tsify(optional)]
    pub context_window: Option<u32>,
}

/// How long each part of an answer may take, in milliseconds.
#[derive(Clone, Copy, Debug, Default, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EndpointTimeouts {
    /// From the request to the first byte of a streamed answer. Default: 12 minutes.
    #[tsify(optional)]
    pub first_byte_ms: Option<u32>,
    /// Between two parts of a streamed answer. Default: 2 minutes.
    #[tsify(optional)]
    pub idle_ms: Option<u32>,
    /// From the request to the last byte. Default: 12 minutes.
    #[tsify(optional)]
    pub total_ms: Option<u32>,
}

/// Asks an endpoint once. `fields` are fields of the request's body as JSON texts.
/// Resolves to the whole answer, or rejects with the reason why there is none.
#[wasm_bindgen]
#[expect(
    clippy::too_many_arguments,
    reason = "only the package's host calls it; an object would cross as JSON, with a copy of the transcript"
)]
pub async fn complete(
    provider: String,
    options: JsValue,
    system: String,
    user: String,
    max_tokens: u32,
    asks_for_state: bool,
    fields: JsValue,
    signal: Option<AbortSignal>,
    on_delta: Option<Function>,
) -> Result<Ts<Completion>, JsValue> {
    let options: EndpointOptions =
        json::option(&options, "openAICompatible", EndpointErrorCode::Misconfigured.into())?;
    let fields: Option<SortedMap<String, String>> =
        json::option(&fields, "request", EndpointErrorCode::Misconfigured.into())?;
    let fields = fields.unwrap_or_default().into_iter().collect();
    let prompt = Prompt { system, user, max_tokens, fields, asks_for_state };
    let Ok(provider) = epitome::json::read::<Provider>(&provider.into()) else {
        let problem = "this package knows no such provider";
        return Err(Thrown::new(PackageErrorCode::Internal, &problem).into());
    };
    let answer_format = options.answer_format.unwrap_or_default();
    let has_format = match provider {
        Provider::OpenAi => true,
        Provider::Ollama => answer_format != AnswerFormat::Grammar,
        _ => answer_format == AnswerFormat::Text,
    };
    if !has_format {
        let problem = "answerFormat: this endpoint has no such format";
        return Err(Thrown::new(EndpointErrorCode::Misconfigured, &problem).into());
    }
    // Nobody can read JSON while it is written.
    let on_delta = on_delta.filter(|_| !asks_for_state || answer_format == AnswerFormat::Text);
    let mut show = |delta: &str| {
        if let Some(on_delta) = &on_delta {
            // What a listener throws does not change the outcome.
            let _ = on_delta.call1(&JsValue::UNDEFINED, &delta.into());
        }
    };
    let completion =
        epitome_browser::complete(&options.of(provider), &prompt, signal.as_ref(), &mut show)
            .await
            .map_err(Thrown::from)?;
    Ok(completion.into_ts().map_err(Thrown::from)?)
}

/// Has a provider compact messages itself, once. `body` is the request's body as JSON; resolves to the response as JSON.
#[wasm_bindgen(js_name = compactByProvider)]
pub async fn compact_by_provider(
    provider: String,
    options: JsValue,
    body: String,
    signal: Option<AbortSignal>,
) -> Result<String, JsValue> {
    let options: EndpointOptions =
        json::option(&options, "options", EndpointErrorCode::Misconfigured.into())?;
    let Ok(provider) = epitome::json::read::<Provider>(&provider.into()) else {
        let problem = "this package knows no such provider";
        return Err(Thrown::new(PackageErrorCode::Internal, &problem).into());
    };
    let response = epitome_browser::compact(&options.of(provider), &body, signal.as_ref()).await;
    Ok(response.map_err(Thrown::from)?.to_string())
}

/// The keys that an app gives, bound to the origin of the base URL.
pub(crate) fn keys(
    base_url: &str,
    api_key: Option<Secret>,
    headers: Option<SecretHeaders>,
) -> Keys {
    let keys = Keys::new(base_url).with_headers(headers.unwrap_or_default());
    api_key.into_iter().fold(keys, Keys::with_api_key)
}

impl EndpointOptions {
    fn of(self, provider: Provider) -> Endpoint {
        let timeouts = self.timeouts.unwrap_or_default();
        let default = Timeouts::default();
        let stream = self.stream.unwrap_or(true);
        Endpoint {
            provider,
            keys: keys(&self.base_url, self.api_key, self.headers),
            base_url: self.base_url,
            model: self.model,
            stream: if stream { Streaming::Streamed } else { Streaming::Plain },
            timeouts: Timeouts {
                first_byte_ms: timeouts.first_byte_ms.unwrap_or(default.first_byte_ms),
                idle_ms: timeouts.idle_ms.unwrap_or(default.idle_ms),
                total_ms: timeouts.total_ms.unwrap_or(default.total_ms),
            },
            answer_format: self.answer_format.unwrap_or_default(),
            context_window: self.context_window,
        }
    }
}
