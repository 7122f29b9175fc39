//! The body of a request to Anthropic's Messages API.

use serde_json::json;

use crate::completion::Prompt;
use crate::completion_format::CompletionRequest;
use crate::endpoint::{Endpoint, Streaming};
use crate::error_body::ErrorBody;

/// A request with the fields that every model accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AnthropicRequest;

impl CompletionRequest for AnthropicRequest {
    fn first(_: &Endpoint, _: &Prompt) -> Self {
        Self
    }

    fn body(&self, endpoint: &Endpoint, prompt: &Prompt) -> String {
        let mut fields = vec![
            ("model", endpoint.model.as_str().into()),
            ("stream", (endpoint.stream == Streaming::Streamed).into()),
            ("max_tokens", prompt.max_tokens.into()),
        ];
        if !prompt.has_messages() {
            if !prompt.system.is_empty() {
                fields.push(("system", prompt.system.as_str().into()));
            }
            fields.push(("messages", json!([{ "role": "user", "content": prompt.user }])));
        }
        prompt.body(fields)
    }

    fn without_rejected_field(&self, _: &ErrorBody) -> Option<Self> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d19_a_request_has_its_own_text_or_the_messages_of_the_app() {
        let endpoint = Endpoint::new("http://localhost/v1", "m");
        let mut prompt =
            Prompt { system: "s".into(), user: "hi".into(), max_tokens: 9, ..Prompt::default() };
        assert_eq!(
            AnthropicRequest.body(&endpoint, &prompt),
            r#"{"model":"m","stream":true,"max_tokens":9,"system":"s","messages":[{"role":"user","content":"hi"}]}"#
        );
        prompt.fields = vec![("messages".into(), "[1.50]".into()), ("system".into(), "[]".into())];
        assert_eq!(
            AnthropicRequest.body(&endpoint, &prompt),
            r#"{"model":"m","stream":true,"max_tokens":9,"messages":[1.50],"system":[]}"#
        );
    }
}
