//! An endpoint: where a summarizer answers, which model, which key, and how long it may take.

use std::fmt;

/// A server that speaks OpenAI's chat completions.
///
/// Any value may be written into any field; what cannot be asked is reported by
/// [`complete`](crate::complete) as [`Misconfigured`](crate::EndpointErrorCode::Misconfigured). Printing one
/// with `{:?}` shows neither the key nor the values of the headers.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// `http://host/v1`, with or without a slash behind it, or the whole address ending in
    /// `/chat/completions`. A query (`?api-version=…`) stays where it is.
    pub base_url: String,
    /// The model's name, as the server knows it.
    pub model: String,
    /// Sent as `authorization: Bearer …`; spaces and line ends around it are dropped, and an empty one
    /// is not sent.
    pub api_key: Option<String>,
    /// Further headers. Each one makes a browser ask the server's permission first, and some servers
    /// refuse headers they do not know, so there are none by default.
    pub headers: Vec<(String, String)>,
    /// Whether the text is to come piece by piece.
    pub stream: Streaming,
    /// How long to wait for what.
    pub timeouts: Timeouts,
}

/// How the answer is to come. A server may decide otherwise: the type of its answer counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Streaming {
    /// Piece by piece, as server-sent events.
    #[default]
    Streamed,
    /// All at once, as one JSON object.
    Plain,
}

/// How long each part of an answer may take, in milliseconds. Longest is 24 days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// From the request to the first byte of a streamed answer. A plain answer arrives all at once, so
    /// only the total bounds its first byte.
    pub first_byte_ms: u32,
    /// Between two pieces of an answer, once it has begun.
    pub idle_ms: u32,
    /// From the request to the last byte.
    pub total_ms: u32,
}

impl Endpoint {
    /// An endpoint that streams, without a key, with the default timeouts.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            model: model.into(),
            api_key: None,
            headers: Vec::new(),
            stream: Streaming::default(),
            timeouts: Timeouts::default(),
        }
    }

    /// The key as it is sent.
    pub(crate) fn key(&self) -> Option<&str> {
        self.api_key.as_deref().map(str::trim).filter(|key| !key.is_empty())
    }

    /// A server's words without our secrets: some servers quote the key that they refuse.
    pub(crate) fn redact(&self, words: &str) -> String {
        let values = self.headers.iter().map(|(_, value)| value.trim());
        // A shorter value is a word like `true`, and hiding it would only garble the text.
        let secrets = self.key().into_iter().chain(values.filter(|value| value.len() >= 8));
        secrets.fold(words.to_owned(), |words, secret| words.replace(secret, "[key]"))
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Endpoint")
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
    /// 5 minutes to the first byte, because a local model may take that long to read its prompt;
    /// 2 minutes between pieces; 12 minutes in all.
    fn default() -> Self {
        Self { first_byte_ms: 5 * 60_000, idle_ms: 2 * 60_000, total_ms: 12 * 60_000 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_secret_is_hidden_wherever_a_server_quotes_it() {
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
