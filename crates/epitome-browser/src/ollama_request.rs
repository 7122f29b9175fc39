//! The body of a request to Ollama's chat, with a context window into which prompt and answer fit.

use epitome::StructuredState;
use serde_json::{Value, json};

use crate::chat_request::ONE_OBJECT;
use crate::completion::Prompt;
use crate::completion_format::CompletionRequest;
use crate::endpoint::{AnswerFormat, Endpoint, Streaming};
use crate::error_body::ErrorBody;

/// The smallest window that is asked for: Ollama's own default where there is little memory.
const LEAST_WINDOW: u32 = 4_096;

/// What the chat template of a model adds to the prompt, in tokens, at most.
const TEMPLATE_TOKENS: u32 = 256;

/// A request with a window, which Ollama would otherwise choose by its memory, and without what would hide that a prompt does
/// not fit: by default, Ollama then drops the beginning and answers as if nothing had happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OllamaRequest {
    thinking: Thinking,
    /// How the server is to hold the model to the form of the answer.
    form: AnswerFormat,
}

/// Whether the request has the field about thinking. It uses up the answer's limit of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thinking {
    Off,
    Unsaid,
}

impl CompletionRequest for OllamaRequest {
    fn first(endpoint: &Endpoint, prompt: &Prompt) -> Self {
        let form = if prompt.asks_for_state { endpoint.answer_format } else { AnswerFormat::Text };
        Self { thinking: Thinking::Off, form }
    }

    fn body(&self, endpoint: &Endpoint, prompt: &Prompt) -> String {
        let window = endpoint.context_window.unwrap_or_else(|| window_tokens(prompt));
        let mut fields = vec![
            ("model", endpoint.model.as_str().into()),
            ("stream", (endpoint.stream == Streaming::Streamed).into()),
            ("truncate", false.into()),
            ("options", json!({ "num_ctx": window, "num_predict": prompt.max_tokens })),
        ];
        if self.thinking == Thinking::Off {
            fields.push(("think", false.into()));
        }
        let mut more = "";
        if self.form == AnswerFormat::JsonSchema {
            more = ONE_OBJECT;
            fields.push(("format", StructuredState::answer_schema()));
        }
        let message = |role: &str, content: String| json!({ "role": role, "content": content });
        let system = message("system", format!("{}{more}", prompt.system));
        let system = Some(system).filter(|_| !prompt.system.is_empty());
        let user = message("user", prompt.user.clone());
        fields.push(("messages", system.into_iter().chain([user]).collect::<Value>()));
        prompt.body(fields)
    }

    /// Each call removes one field, so at most two calls return a request.
    fn without_rejected_field(&self, error: &ErrorBody) -> Option<Self> {
        if self.thinking == Thinking::Off && error.names_field("think") {
            return Some(Self { thinking: Thinking::Unsaid, ..*self });
        }
        if self.form != AnswerFormat::Text && error.names_field("format") {
            return Some(Self { form: AnswerFormat::Text, ..*self });
        }
        None
    }
}

/// A window for prompt and answer. Ollama loads the model again whenever the window changes, which takes seconds, so that
/// there are only a few sizes: the powers of two.
fn window_tokens(prompt: &Prompt) -> u32 {
    let texts = most_tokens(&prompt.system).saturating_add(most_tokens(&prompt.user));
    let all = texts.saturating_add(prompt.max_tokens).saturating_add(TEMPLATE_TOKENS);
    all.max(LEAST_WINDOW).checked_next_power_of_two().unwrap_or(u32::MAX)
}

/// How many tokens a text has at most with the tokenizers in use, except for texts of rare characters. Letters of English share a token with
/// others, and digits and signs often have one of their own.
fn most_tokens(text: &str) -> u32 {
    let sixths = |character: char| match character {
        letter if letter.is_ascii_alphabetic() || letter == ' ' => 2,
        sign if sign.is_ascii() => 4,
        _ => 6,
    };
    let sixths: u64 = text.chars().map(sixths).sum();
    u32::try_from(sixths / 6 + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(request: OllamaRequest, endpoint: &Endpoint, prompt: &Prompt) -> Value {
        serde_json::from_str(&request.body(endpoint, prompt)).unwrap()
    }

    fn prompt(user: &str) -> Prompt {
        Prompt { system: "s".into(), user: user.into(), max_tokens: 900, ..Prompt::default() }
    }

    #[test]
    fn i38_a_request_has_a_window_and_asks_that_nothing_be_cut() {
        let endpoint = Endpoint::new("http://localhost:11434", "m");
        let prompt = prompt("hi");
        let first = OllamaRequest::first(&endpoint, &prompt);
        assert_eq!(
            body(first, &endpoint, &prompt),
            json!({
                "model": "m", "stream": true, "truncate": false, "think": false,
                "options": { "num_ctx": 4_096, "num_predict": 900 },
                "messages": [
                    { "role": "system", "content": "s" }, { "role": "user", "content": "hi" },
                ],
            })
        );
        let refusal = ErrorBody::parse(400, r#"{"error":"invalid field: think"}"#);
        let other = first.without_rejected_field(&refusal).unwrap();
        assert_eq!(body(other, &endpoint, &prompt).get("think"), None);
        assert_eq!(other.without_rejected_field(&refusal), None);
    }

    #[test]
    fn i38_the_window_has_room_for_prompt_and_answer_and_few_sizes() {
        let mut endpoint = Endpoint::new("http://localhost:11434", "m");
        let mut check = |user: &str, context_window, expected: u32| {
            endpoint.context_window = context_window;
            let prompt = prompt(user);
            let request = OllamaRequest::first(&endpoint, &prompt);
            let options = &body(request, &endpoint, &prompt)["options"];
            assert_eq!(options["num_ctx"], expected, "{} bytes", user.len());
        };
        check("", None, 4_096);
        // 12,000 tokens by `o200k_base` at least: a word and its space are one.
        check(&"plan ".repeat(12_000), None, 32_768);
        check(&"1;".repeat(9_000), None, 16_384);
        check(&"花".repeat(9_000), None, 16_384);
        check(&"plan ".repeat(12_000), Some(24_000), 24_000);
    }

    #[test]
    fn i38_changes_to_the_state_are_asked_for_by_schema() {
        let mut endpoint = Endpoint::new("http://localhost:11434", "m");
        endpoint.answer_format = AnswerFormat::JsonSchema;
        let mut prompt = prompt("hi");
        prompt.asks_for_state = true;
        let request = OllamaRequest::first(&endpoint, &prompt);
        let sent = body(request, &endpoint, &prompt);
        assert_eq!(sent["format"], StructuredState::answer_schema());
        let system = sent["messages"][0]["content"].as_str().unwrap();
        assert!(system.contains("Write all of it as one JSON object"), "{system}");
        let refusal = ErrorBody::parse(400, r#"{"error":"invalid JSON schema in format"}"#);
        let plain = request.without_rejected_field(&refusal).unwrap();
        assert_eq!(body(plain, &endpoint, &prompt).get("format"), None);
    }
}
