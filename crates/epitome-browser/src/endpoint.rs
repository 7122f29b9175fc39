//! An endpoint: which server, model and key to use, and how long a response may take.

use std::fmt;

use crate::provider::Provider;

/// A server that completes prompts or counts tokens.
///
/// The fields accept any value; [`complete`](crate::complete) and [`count_tokens`](crate::count_tokens) report what
/// cannot be used as [`Misconfigured`](crate::EndpointErrorCode::Misconfigured). `{:?}` shows neither the key nor the
/// values of the headers.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Which API the server implements.
    pub provider: Provider,
    /// `http://host/v1`, with or without a slash at its end, or the whole URL of the API's route, such as
    /// `http://host/v1/chat/completions`. A query (`?api-version=…`) is kept.
    pub base_url: String,
    /// The model's name, as the server knows it.
    pub model: String,
    /// Sent in the provider's header for keys, mostly as `authorization: Bearer …`. White space around it is removed,
    /// and an empty key is not sent.
    pub api_key: Option<String>,
    /// Further headers; none by default. In a browser, the server's CORS settings have to allow each one, and some
    /// servers allow only headers that they know.
    pub headers: Vec<(String, String)>,
    /// Whether to ask for a stream. Only completions can be streamed.
    pub stream: Streaming,
    /// How long each part of a response may take.
    pub timeouts: Timeouts,
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

/// How long each part of a response may take, in milliseconds. At most 24 days.
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

impl Endpoint {
    /// An OpenAI-compatible endpoint that streams, without a key, with the default timeouts.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            provider: Provider::OpenAi,
            base_url: base_url.into(),
            model: model.into(),
            api_key: None,
            headers: Vec::new(),
            stream: Streaming::default(),
            timeouts: Timeouts::default(),
        }
    }

    /// The key as it is sent; `None` if there is none to send.
    pub(crate) fn key(&self) -> Option<&str> {
        self.api_key.as_deref().map(str::trim).filter(|key| !key.is_empty())
    }

    /// A server's message with `[key]` in place of the key and the header values, because some servers quote the key
    /// that they refuse.
    pub(crate) fn redact(&self, message: &str) -> String {
        let values = self.headers.iter().map(|(_, value)| value.trim());
        // A shorter value is hardly a secret but a word like `true`, and hiding it would make the message unreadable.
        let secrets = self.key().into_iter().chain(values.filter(|value| value.len() >= 8));
        secrets.fold(message.to_owned(), |message, secret| message.replace(secret, "[key]"))
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Endpoint")
            .field("provider", &self.provider)
            .field("base_url", &self.base_url)
            .field("model", &self.model)
            .field("api_key", &self.api_key.as_ref().map(|_| "[key]"))
            .field("headers", &headers)
            .field("stream", &self.stream)
            .field("timeouts", &self.timeouts)
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

    #[test]
    fn h4_an_endpoint_may_take_twelve_minutes_until_its_first_byte() {
        let Timeouts { first_byte_ms, total_ms, .. } = Timeouts::default();
        assert_eq!((first_byte_ms, total_ms), (720_000, 720_000));
    }

    #[test]
    fn printing_an_endpoint_shows_no_secret() {
        let mut endpoint = Endpoint::new("http://localhost/v1", "m");
        endpoint.api_key = Some("sk-secret".into());
        endpoint.headers.push(("x-api-key".into(), "sk-other".into()));
        let printed = format!("{endpoint:?}");
        assert!(!printed.contains("sk-"), "{printed}");
        assert!(printed.contains("x-api-key"), "{printed}");
    }

    #[test]
    fn secrets_that_a_server_quotes_are_hidden() {
        let mut endpoint = Endpoint::new("http://localhost/v1", "m");
        endpoint.headers = vec![("x-a".into(), "sk-other".into()), ("x-b".into(), "true".into())];
        assert_eq!(endpoint.redact("it is true that sk-other"), "it is true that [key]");
        endpoint.api_key = Some("sk-1 ".into());
        assert_eq!(endpoint.redact("sk-1, sk-1 is expired"), "[key], [key] is expired");
    }

    #[test]
    fn an_empty_key_is_no_key() {
        let mut endpoint = Endpoint::new("http://localhost/v1", "m");
        endpoint.api_key = Some(" \n".into());
        assert_eq!(endpoint.key(), None);
        endpoint.api_key = Some(" sk-1\n".into());
        assert_eq!(endpoint.key(), Some("sk-1"));
    }
}
