//! The body of a request to the Gemini API.

use serde_json::{Value, json};

use crate::completion::Prompt;
use crate::completion_format::CompletionRequest;
use crate::endpoint::Endpoint;
use crate::error_body::ErrorBody;

/// How many tokens a model that cannot but think may have for that. They count towards the limit of the answer.
const THINKING_TOKENS: u32 = 8_192;

/// Whether the model is to think. A summary needs no thinking, which would use up its limit of tokens; but some models refuse
/// to do without, and others know no such field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum GeminiRequest {
    #[default]
    WithoutThinking,
    AsTheModelDoes,
}

impl CompletionRequest for GeminiRequest {
    fn first(_: &Endpoint, _: &Prompt) -> Self {
        Self::default()
    }

    /// Has neither the model nor whether the answer is streamed: both are in the path.
    fn body(&self, _: &Endpoint, prompt: &Prompt) -> String {
        let config = match self {
            Self::WithoutThinking => json!({
                "maxOutputTokens": prompt.max_tokens, "thinkingConfig": { "thinkingBudget": 0 },
            }),
            Self::AsTheModelDoes => {
                json!({ "maxOutputTokens": prompt.max_tokens.saturating_add(THINKING_TOKENS) })
            }
        };
        let mut fields = Vec::new();
        if !prompt.has_messages() {
            if !prompt.system.is_empty() {
                fields.push(("systemInstruction", json!({ "parts": [text(&prompt.system)] })));
            }
            let user = json!({ "role": "user", "parts": [text(&prompt.user)] });
            fields.push(("contents", json!([user])));
        }
        fields.push(("generationConfig", config));
        prompt.body(fields)
    }

    fn without_rejected_field(&self, error: &ErrorBody) -> Option<Self> {
        let rejects = *self == Self::WithoutThinking && error.names_field("thinking");
        rejects.then_some(Self::AsTheModelDoes)
    }
}

fn text(text: &str) -> Value {
    json!({ "text": text })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt() -> Prompt {
        Prompt { system: "s".into(), user: "hi".into(), max_tokens: 9, ..Prompt::default() }
    }

    #[test]
    fn d19_i38_a_request_has_its_own_text_or_the_contents_of_the_app() {
        let endpoint = Endpoint::new("http://localhost/v1beta", "m");
        let mut prompt = prompt();
        let config =
            r#""generationConfig":{"maxOutputTokens":9,"thinkingConfig":{"thinkingBudget":0}}"#;
        assert_eq!(
            GeminiRequest::default().body(&endpoint, &prompt),
            format!(
                r#"{{"systemInstruction":{{"parts":[{{"text":"s"}}]}},"contents":[{{"role":"user","parts":[{{"text":"hi"}}]}}],{config}}}"#
            )
        );
        prompt.fields = vec![("contents".into(), "[1.50]".into()), ("tools".into(), "[]".into())];
        assert_eq!(
            GeminiRequest::default().body(&endpoint, &prompt),
            format!(r#"{{{config},"contents":[1.50],"tools":[]}}"#)
        );
    }

    #[test]
    fn i38_a_model_that_has_to_think_is_asked_once_more_with_tokens_for_that() {
        let endpoint = Endpoint::new("http://localhost/v1beta", "m");
        let refusal = ErrorBody::parse(
            400,
            r#"{"error":{"code":400,"message":"Budget 0 is invalid. This model only works in thinking mode.","status":"INVALID_ARGUMENT"}}"#,
        );
        let other = GeminiRequest::default().without_rejected_field(&refusal).unwrap();
        let body: Value = serde_json::from_str(&other.body(&endpoint, &prompt())).unwrap();
        assert_eq!(body["generationConfig"], json!({ "maxOutputTokens": 8_201 }));
        assert_eq!(other.without_rejected_field(&refusal), None);
        let other_field = ErrorBody::parse(400, r#"{"error":{"message":"contents is empty"}}"#);
        assert_eq!(GeminiRequest::default().without_rejected_field(&other_field), None);
    }
}
