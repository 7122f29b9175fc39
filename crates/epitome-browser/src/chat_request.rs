//! The body of a chat completions request.

use epitome::StructuredState;
use serde_json::json;

use crate::completion::Prompt;
use crate::completion_format::CompletionRequest;
use crate::endpoint::{AnswerFormat, Endpoint, Streaming};
use crate::error_body::ErrorBody;

/// The choices for fields that some servers refuse. The default suits most servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChatRequest {
    limit: TokenLimitField,
    streamed_usage: StreamedUsage,
    /// How the server is to hold the model to the form of the answer.
    form: AnswerFormat,
}

/// Says how the notes and the lists are put into one object.
pub(crate) const ONE_OBJECT: &str = "\n\nWrite all of it as one JSON object without a fence: the notes are its key summary, and the \
    lists are keys beside it.";

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
    fn first(endpoint: &Endpoint, prompt: &Prompt) -> Self {
        let form = if prompt.asks_for_state { endpoint.answer_format } else { AnswerFormat::Text };
        Self { form, ..Self::default() }
    }

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
        let form = match self.form {
            AnswerFormat::Text => None,
            AnswerFormat::JsonSchema => {
                let schema = StructuredState::answer_schema();
                let form = json!({ "name": "notes", "strict": true, "schema": schema });
                Some(("response_format", json!({ "type": "json_schema", "json_schema": form })))
            }
            AnswerFormat::Grammar => Some(("grammar", StructuredState::answer_grammar().into())),
        };
        if !prompt.has_messages() {
            let more = if form.is_some() { ONE_OBJECT } else { "" };
            let system = json!({ "role": "system", "content": format!("{}{more}", prompt.system) });
            let user = json!({ "role": "user", "content": prompt.user });
            let system = Some(system).filter(|_| !prompt.system.is_empty());
            fields.push(("messages", system.into_iter().chain([user]).collect()));
        }
        fields.extend(form);
        prompt.body(fields)
    }

    /// Each call replaces or removes one field that is not touched again, so at most three calls return a request.
    fn without_rejected_field(&self, error: &ErrorBody) -> Option<Self> {
        if self.limit == TokenLimitField::MaxTokens && error.rejects_field("max_tokens") {
            return Some(Self { limit: TokenLimitField::MaxCompletionTokens, ..*self });
        }
        if self.streamed_usage == StreamedUsage::Requested && error.rejects_field("stream_options")
        {
            return Some(Self { streamed_usage: StreamedUsage::Omitted, ..*self });
        }
        let forms = ["response_format", "json_schema", "grammar"];
        if self.form != AnswerFormat::Text && forms.iter().any(|field| error.names_field(field)) {
            return Some(Self { form: AnswerFormat::Text, ..*self });
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
    fn e1_changes_to_the_state_are_asked_for_by_schema_or_grammar_where_the_endpoint_has_it() {
        let body = |refusal: Option<&str>, answer_format, asks_for_state| -> Value {
            let endpoint = Endpoint { answer_format, ..Endpoint::new("http://localhost/v1", "m") };
            let system = "Take notes.".into();
            let prompt = Prompt { system, user: "hi".into(), asks_for_state, ..Prompt::default() };
            let mut request = ChatRequest::first(&endpoint, &prompt);
            if let Some(refusal) = refusal.map(|body| ErrorBody::parse(400, body)) {
                request = request.without_rejected_field(&refusal).unwrap();
                assert_eq!(request.without_rejected_field(&refusal), None, "once");
            }
            serde_json::from_str(&request.body(&endpoint, &prompt)).unwrap()
        };
        let schema = body(None, AnswerFormat::JsonSchema, true);
        let format = &schema["response_format"]["json_schema"];
        assert_eq!(format["strict"], true);
        assert_eq!(format["schema"], StructuredState::answer_schema());
        let system = schema["messages"][0]["content"].as_str();
        assert!(system.unwrap().starts_with("Take notes.\n\nWrite all of it as one JSON object"));
        let grammar = body(None, AnswerFormat::Grammar, true);
        assert_eq!(grammar["grammar"], StructuredState::answer_grammar());
        let plain = body(None, AnswerFormat::Text, false);
        for (format, asks_for_state) in [
            (AnswerFormat::Text, true),
            (AnswerFormat::JsonSchema, false),
            (AnswerFormat::Grammar, false),
        ] {
            assert_eq!(body(None, format, asks_for_state), plain);
        }
        for refusal in [
            r#"{"error":{"message":"'response_format' of type 'json_schema' is not supported"}}"#,
            r#"{"error":{"message":"response_format.type must be text"}}"#,
            r#"{"error":{"message":"failed to parse grammar"}}"#,
        ] {
            assert_eq!(body(Some(refusal), AnswerFormat::JsonSchema, true), plain, "{refusal}");
        }
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
