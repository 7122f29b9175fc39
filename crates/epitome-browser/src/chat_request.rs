//! The body of a chat completions request.

use serde_json::json;

use crate::completion::Prompt;
use crate::completion_format::CompletionRequest;
use crate::endpoint::{Endpoint, Streaming};
use crate::error_body::ErrorBody;

/// The choices for fields that some servers refuse. The default suits most servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChatRequest {
    limit: TokenLimitField,
    streamed_usage: StreamedUsage,
}

/// The name of the field with the token limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TokenLimitField {
    #[default]
    MaxTokens,
    MaxCompletionTokens,
}

/// Whether the request asks for usage at the end of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum StreamedUsage {
    #[default]
    Requested,
    Omitted,
}

impl CompletionRequest for ChatRequest {
    /// Has neither tools nor a temperature: a transcript needs no tools, and some models refuse a temperature.
    fn body(&self, endpoint: &Endpoint, prompt: &Prompt) -> String {
        let limit = match self.limit {
            TokenLimitField::MaxTokens => "max_tokens",
            TokenLimitField::MaxCompletionTokens => "max_completion_tokens",
        };
        let streamed = endpoint.stream == Streaming::Streamed;
        let mut fields = vec![
            ("model", endpoint.model.as_str().into()),
            ("stream", streamed.into()),
            (limit, prompt.max_tokens.into()),
        ];
        if streamed && self.streamed_usage == StreamedUsage::Requested {
            fields.push(("stream_options", json!({ "include_usage": true })));
        }
        if !prompt.has_messages() {
            let system = json!({ "role": "system", "content": prompt.system });
            let user = json!({ "role": "user", "content": prompt.user });
            let system = Some(system).filter(|_| !prompt.system.is_empty());
            fields.push(("messages", system.into_iter().chain([user]).collect()));
        }
        prompt.body(fields)
    }

    /// Each call replaces or removes one field that is not touched again, so at most two calls return a request.
    fn without_rejected_field(&self, error: &ErrorBody) -> Option<Self> {
        if self.limit == TokenLimitField::MaxTokens && error.rejects_field("max_tokens") {
            return Some(Self { limit: TokenLimitField::MaxCompletionTokens, ..*self });
        }
        if self.streamed_usage == StreamedUsage::Requested && error.rejects_field("stream_options")
        {
            return Some(Self { streamed_usage: StreamedUsage::Omitted, ..*self });
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn check(stream: Streaming, request: ChatRequest, expected: &Value) {
        let endpoint = Endpoint { stream, ..Endpoint::new("http://localhost/v1", "m") };
        let prompt = Prompt { user: "hi".into(), max_tokens: 9, ..Prompt::default() };
        let written: Value = serde_json::from_str(&request.body(&endpoint, &prompt)).unwrap();
        assert_eq!(&written, expected);
    }

    #[test]
    fn a_request_has_only_the_fields_it_needs() {
        let messages = json!([{ "role": "user", "content": "hi" }]);
        check(
            Streaming::Streamed,
            ChatRequest::default(),
            &json!({
                "model": "m", "messages": messages, "stream": true, "max_tokens": 9,
                "stream_options": { "include_usage": true },
            }),
        );
        check(
            Streaming::Plain,
            ChatRequest { limit: TokenLimitField::MaxCompletionTokens, ..ChatRequest::default() },
            &json!({
                "model": "m", "messages": messages, "stream": false, "max_completion_tokens": 9,
            }),
        );
    }

    #[test]
    fn d19_messages_are_sent_byte_for_byte_with_the_fields_of_the_app() {
        let endpoint = Endpoint::new("http://localhost/v1", "m");
        let messages = r#"[{"role":"user",  "b":1.50,"a":"\u00e9"}]"#;
        let prompt = Prompt {
            system: "not sent".into(),
            max_tokens: 9,
            fields: vec![
                ("messages".into(), messages.into()),
                ("tools".into(), "[]".into()),
                ("model".into(), "\"other\"".into()),
            ],
            ..Prompt::default()
        };
        let body = ChatRequest::default().body(&endpoint, &prompt);
        assert_eq!(
            body,
            format!(
                r#"{{"stream":true,"max_tokens":9,"stream_options":{{"include_usage":true}},"messages":{messages},"tools":[],"model":"other"}}"#
            )
        );
        assert!(serde_json::from_str::<Value>(&body).is_ok());
    }

    #[test]
    fn a_rejected_field_is_replaced_or_omitted_once() {
        let no_max_tokens = ErrorBody::parse(
            400,
            r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this
            model. Use 'max_completion_tokens' instead.","code":"unsupported_parameter",
            "param":"max_tokens"}}"#,
        );
        let other = ChatRequest::default().without_rejected_field(&no_max_tokens).unwrap();
        assert_eq!(other.limit, TokenLimitField::MaxCompletionTokens);
        assert_eq!(other.without_rejected_field(&no_max_tokens), None);

        let no_options = ErrorBody::parse(
            422,
            r#"{"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}"#,
        );
        let last = other.without_rejected_field(&no_options).unwrap();
        assert_eq!(last.streamed_usage, StreamedUsage::Omitted);
        assert_eq!(last.without_rejected_field(&no_options), None);
    }

    #[test]
    fn a_token_limit_that_an_error_only_mentions_is_kept() {
        for (status, body) in [
            (400, r#"{"error":{"message":"max_tokens must be at least 1"}}"#),
            (
                400,
                r#"{"error":{"message":"maximum context length is 8192 tokens, max_tokens is not supported"}}"#,
            ),
            (500, r#"{"error":{"message":"max_tokens is not supported"}}"#),
        ] {
            assert_eq!(
                ChatRequest::default().without_rejected_field(&ErrorBody::parse(status, body)),
                None,
                "{body}"
            );
        }
    }
}
