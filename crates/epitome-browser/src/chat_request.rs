//! The body of a request, in the words that the server understands.

use serde_json::{Value, json};

use crate::complete::Prompt;
use crate::endpoint::{Endpoint, Streaming};
use crate::error_body::Refusal;

/// The choices on which servers disagree. The default suits most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dialect {
    limit: Limit,
    streamed_usage: StreamedUsage,
}

/// What the limit of tokens is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Limit {
    #[default]
    MaxTokens,
    MaxCompletionTokens,
}

/// Whether a stream is asked to end with its usage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum StreamedUsage {
    #[default]
    Asked,
    Left,
}

impl Dialect {
    /// Neither tools nor a temperature: a summary needs no tools, and some models refuse a temperature.
    pub(crate) fn write(self, endpoint: &Endpoint, prompt: &Prompt) -> String {
        let mut messages = Vec::new();
        if !prompt.system.is_empty() {
            messages.push(json!({ "role": "system", "content": prompt.system }));
        }
        messages.push(json!({ "role": "user", "content": prompt.user }));
        let streamed = endpoint.stream == Streaming::Streamed;
        let mut body = json!({ "model": endpoint.model, "messages": messages, "stream": streamed });
        if let Value::Object(fields) = &mut body {
            let limit = match self.limit {
                Limit::MaxTokens => "max_tokens",
                Limit::MaxCompletionTokens => "max_completion_tokens",
            };
            fields.insert(limit.to_owned(), prompt.max_tokens.into());
            if streamed && self.streamed_usage == StreamedUsage::Asked {
                fields.insert("stream_options".to_owned(), json!({ "include_usage": true }));
            }
        }
        body.to_string()
    }

    /// The dialect without the field that the refusal names as unsupported, if it names one and another
    /// way is left. Each step leaves one way fewer, so there are at most two.
    pub(crate) fn without(self, refusal: &Refusal) -> Option<Self> {
        if self.limit == Limit::MaxTokens && refusal.rejects_field("max_tokens") {
            return Some(Self { limit: Limit::MaxCompletionTokens, ..self });
        }
        if self.streamed_usage == StreamedUsage::Asked && refusal.rejects_field("stream_options") {
            return Some(Self { streamed_usage: StreamedUsage::Left, ..self });
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stream: Streaming, dialect: Dialect, expected: &Value) {
        let endpoint = Endpoint { stream, ..Endpoint::new("http://localhost/v1", "m") };
        let prompt = Prompt { system: String::new(), user: "hi".into(), max_tokens: 9 };
        let written: Value = serde_json::from_str(&dialect.write(&endpoint, &prompt)).unwrap();
        assert_eq!(&written, expected);
    }

    #[test]
    fn a_request_carries_only_what_it_must() {
        let messages = json!([{ "role": "user", "content": "hi" }]);
        check(
            Streaming::Streamed,
            Dialect::default(),
            &json!({
                "model": "m", "messages": messages, "stream": true, "max_tokens": 9,
                "stream_options": { "include_usage": true },
            }),
        );
        check(
            Streaming::Plain,
            Dialect { limit: Limit::MaxCompletionTokens, ..Dialect::default() },
            &json!({
                "model": "m", "messages": messages, "stream": false, "max_completion_tokens": 9,
            }),
        );
    }

    #[test]
    fn a_refused_field_is_left_out_once() {
        let no_max_tokens = Refusal::read(
            400,
            r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this
            model. Use 'max_completion_tokens' instead.","code":"unsupported_parameter",
            "param":"max_tokens"}}"#,
        );
        let other = Dialect::default().without(&no_max_tokens).unwrap();
        assert_eq!(other.limit, Limit::MaxCompletionTokens);
        assert_eq!(other.without(&no_max_tokens), None);

        let no_options = Refusal::read(
            422,
            r#"{"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}"#,
        );
        let last = other.without(&no_options).unwrap();
        assert_eq!(last.streamed_usage, StreamedUsage::Left);
        assert_eq!(last.without(&no_options), None);
    }

    #[test]
    fn a_limit_that_is_only_mentioned_is_kept() {
        for (status, body) in [
            (400, r#"{"error":{"message":"max_tokens must be at least 1"}}"#),
            (
                400,
                r#"{"error":{"message":"maximum context length is 8192 tokens, max_tokens is not supported"}}"#,
            ),
            (500, r#"{"error":{"message":"max_tokens is not supported"}}"#),
        ] {
            assert_eq!(Dialect::default().without(&Refusal::read(status, body)), None, "{body}");
        }
    }
}
