//! An endpoint: which server, model and key to use, and how long a response may take.

use std::fmt;

use serde::Deserialize;

use crate::address::Address;
use crate::keys::Keys;
use crate::provider::Provider;

/// A server that completes prompts or counts tokens.
///
/// The fields accept any value; [`complete`](crate::complete) and [`count_tokens`](crate::count_tokens) report what
/// cannot be used as [`Misconfigured`](crate::EndpointErrorCode::Misconfigured). `{:?}` shows neither keys nor the query
/// of the base URL, which may have one too.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Which API the server implements.
    pub provider: Provider,
    /// `http://host/v1`, with or without a slash at its end, or the whole URL of the API's route, such as
    /// `http://host/v1/chat/completions`. A query (`?api-version=…`) is kept.
    pub base_url: String,
    /// The model's name, as the server knows it.
    pub model: String,
    /// The key and further headers; none by default. They are bound to the origin that they were given for.
    pub keys: Keys,
    /// Whether to ask for a stream. Only completions can be streamed.
    pub stream: Streaming,
    /// How long each part of a response may take.
    pub timeouts: Timeouts,
    /// How a summary with changes to the structured state is asked for.
    pub answer_format: AnswerFormat,
    /// The context window that the server is to give the model, in tokens. Only Ollama takes it; without it, prompt and answer
    /// decide.
    pub context_window: Option<u32>,
}

/// How a summary with changes to the structured state is asked for. A server that refuses the field for it is asked once more
/// without it, since every model can answer in text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum AnswerFormat {
    /// As the instructions say: the summary, and behind it a block of JSON.
    #[default]
    Text,
    /// By a JSON schema, in the field `response_format`, or `format` for Ollama. Only for these two.
    JsonSchema,
    /// By a grammar, in llama.cpp's field `grammar`. Only for chat completions.
    Grammar,
}

/// How to ask for the answer. A server may answer differently: the content type of its response decides how it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Streaming {
    /// In deltas, as server-sent events.
    #[default]
    Streamed,
    /// All at once, as one JSON object.
    Plain,
}

/// How long each part of a response may take, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// From the request to the first byte of a streamed response. A response that is not streamed has no limit for its
    /// first byte, because it arrives all at once; for that only the total counts.
    pub first_byte_ms: u32,
    /// Between two chunks of a response, once it has begun.
    pub idle_ms: u32,
    /// From the request to the last byte.
    pub total_ms: u32,
}

/// The model of the project's own server, which quotes and follows no instructions.
pub const EXTRACTIVE_MODEL: &str = "epitome-extractive";

impl Endpoint {
    /// False for [`EXTRACTIVE_MODEL`]: its answers have none of the headings that the instructions ask for.
    pub fn follows_instructions(&self) -> bool {
        self.model != EXTRACTIVE_MODEL
    }

    /// An OpenAI-compatible endpoint that streams, without a key, with the default timeouts.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        let base_url = base_url.into();
        Self {
            provider: Provider::OpenAi,
            model: model.into(),
            keys: Keys::new(&base_url),
            base_url,
            stream: Streaming::default(),
            timeouts: Timeouts::default(),
            answer_format: AnswerFormat::default(),
            context_window: None,
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = Address::parse(&self.base_url, &[]).ok();
        f.debug_struct("Endpoint")
            .field("provider", &self.provider)
            .field("base_url", &address)
            .field("model", &self.model)
            .field("keys", &self.keys)
            .field("stream", &self.stream)
            .field("timeouts", &self.timeouts)
            .field("answer_format", &self.answer_format)
            .field("context_window", &self.context_window)
            .finish()
    }
}

impl Default for Timeouts {
    /// 12 minutes in total, and as long to the first byte, because a local model may take minutes to read its prompt; 2
    /// minutes between chunks, because an answer that has begun and stops has lost its connection.
    fn default() -> Self {
        Self { first_byte_ms: 12 * 60_000, idle_ms: 2 * 60_000, total_ms: 12 * 60_000 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::SecretHeaders;

    #[test]
    fn h4_an_endpoint_may_take_twelve_minutes_until_its_first_byte() {
        let Timeouts { first_byte_ms, total_ms, .. } = Timeouts::default();
        assert_eq!((first_byte_ms, total_ms), (720_000, 720_000));
    }

    #[test]
    fn j4_printing_an_endpoint_shows_no_secret() {
        let headers = SecretHeaders(vec![("x-api-key".into(), "sk-other".into())]);
        let mut endpoint = Endpoint::new("http://localhost/v1?key=sk-third", "m");
        endpoint.keys = endpoint.keys.with_api_key("sk-secret").with_headers(headers);
        let printed = format!("{endpoint:?}");
        assert!(!printed.contains("sk-"), "{printed}");
        assert!(
            printed.contains("x-api-key") && printed.contains("http://localhost/v1"),
            "{printed}"
        );
        endpoint.base_url = "not-a-url?key=sk-third".into();
        assert!(!format!("{endpoint:?}").contains("sk-"));
    }
}
