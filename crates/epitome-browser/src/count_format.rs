//! The body formats of count requests, and where each response has the count.

use serde_json::{Map, Value, json};

use crate::model_path::bare_model;
use crate::provider::CountFormat;

impl CountFormat {
    /// The body of a request for the tokens of `messages`. `request` has the other fields that the request to the
    /// model has, such as `system` and `tools`, which count too.
    pub(crate) fn body(
        self,
        model: &str,
        messages: Vec<Value>,
        mut request: Map<String, Value>,
    ) -> Value {
        match self {
            Self::AnthropicMessages => {
                let messages = move_system_messages(messages, &mut request);
                request.insert("model".into(), model.into());
                request.insert("messages".into(), messages.into());
            }
            Self::OpenAiResponses => {
                request.insert("model".into(), model.into());
                request.insert("input".into(), messages.into());
            }
            Self::GeminiContents if request.is_empty() => {
                request.insert("contents".into(), messages.into());
            }
            // Other fields than the contents are accepted only inside of a whole request, which names its model again.
            Self::GeminiContents => {
                request.insert("model".into(), format!("models/{}", bare_model(model)).into());
                request.insert("contents".into(), messages.into());
                return json!({ "generateContentRequest": request });
            }
            Self::LlamaCppPrompt { .. } => {
                request.insert("messages".into(), messages.into());
            }
        }
        Value::Object(request)
    }

    /// The count in a response; `None` if it has none.
    pub(crate) fn count(self, response: &Value) -> Option<u32> {
        let count = match self {
            Self::AnthropicMessages | Self::OpenAiResponses => {
                response.get("input_tokens")?.as_u64()?
            }
            Self::GeminiContents => response.get("totalTokens")?.as_u64()?,
            Self::LlamaCppPrompt { .. } => response.get("tokens")?.as_array()?.len() as u64,
        };
        u32::try_from(count).ok()
    }
}

/// All texts of the chat messages in a request body, one a line: for a llama.cpp server without `/apply-template`.
pub(crate) fn plain_text(body: &Value) -> String {
    let mut text = String::new();
    collect_texts(body.get("messages").unwrap_or(&Value::Null), &mut text);
    text
}

fn collect_texts(value: &Value, text: &mut String) {
    match value {
        Value::String(string) => {
            text.push_str(string);
            text.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, text)),
        Value::Object(fields) => {
            let shown = fields.iter().filter(|(name, _)| *name != "type" && *name != "id");
            shown.for_each(|(_, value)| collect_texts(value, text));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Moves system messages from the start of `messages` to the field `system` of the request, because Anthropic accepts
/// no system messages. Returns the other messages.
fn move_system_messages(mut messages: Vec<Value>, request: &mut Map<String, Value>) -> Vec<Value> {
    let is_system = |message: &Value| message.get("role").and_then(Value::as_str) == Some("system");
    let system_count = messages.iter().take_while(|message| is_system(message)).count();
    let rest = messages.split_off(system_count);
    if system_count > 0 {
        let contents = request.remove("system").into_iter().chain(
            messages
                .into_iter()
                .filter_map(|mut message| message.get_mut("content").map(Value::take)),
        );
        let blocks = contents.flat_map(|content| match content {
            Value::Array(blocks) => blocks,
            text => vec![json!({ "type": "text", "text": text })],
        });
        request.insert("system".into(), blocks.collect());
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Provider;

    fn format(provider: Provider) -> CountFormat {
        provider.api().count.as_ref().unwrap().format
    }

    fn messages() -> Vec<Value> {
        vec![json!({ "role": "user", "content": "hi" })]
    }

    fn request(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn each_provider_gets_its_own_body() {
        let sent = messages();
        let tools = || request(&json!({ "tools": [] }));
        let body = |provider: Provider| format(provider).body("m", messages(), tools());
        assert_eq!(
            body(Provider::Anthropic),
            json!({ "model": "m", "messages": sent, "tools": [] })
        );
        assert_eq!(body(Provider::OpenAi), json!({ "model": "m", "input": sent, "tools": [] }));
        let whole = json!({ "model": "models/m", "contents": sent, "tools": [] });
        assert_eq!(body(Provider::Gemini), json!({ "generateContentRequest": whole }));
        let bare = format(Provider::Gemini).body("models/m", messages(), Map::new());
        assert_eq!(bare, json!({ "contents": sent }));
        assert_eq!(body(Provider::LlamaCpp), json!({ "messages": sent, "tools": [] }));
    }

    #[test]
    fn leading_system_messages_become_the_system_field() {
        let mut all = vec![
            json!({ "role": "system", "content": "Be brief." }),
            json!({ "role": "system", "content": [{ "type": "text", "text": "Be kind." }] }),
        ];
        all.extend(messages());
        let system = request(&json!({ "system": "You help." }));
        let body = CountFormat::AnthropicMessages.body("m", all, system);
        let text = |text: &str| json!({ "type": "text", "text": text });
        assert_eq!(body["system"], json!([text("You help."), text("Be brief."), text("Be kind.")]));
        assert_eq!(body["messages"], json!(messages()));
    }

    #[test]
    fn only_a_whole_number_is_a_count() {
        let count = |provider: Provider, response: Value| format(provider).count(&response);
        assert_eq!(count(Provider::Anthropic, json!({ "input_tokens": 12 })), Some(12));
        assert_eq!(count(Provider::Gemini, json!({ "totalTokens": 12 })), Some(12));
        assert_eq!(count(Provider::LlamaCpp, json!({ "tokens": [1, 2] })), Some(2));
        for odd in [json!({}), json!({ "input_tokens": -1 }), json!({ "input_tokens": "12" })] {
            assert_eq!(count(Provider::OpenAi, odd.clone()), None, "{odd}");
        }
    }

    #[test]
    fn plain_text_has_the_texts_of_messages_but_not_their_types() {
        let body = json!({ "messages": [{ "role": "user", "content": [{ "type": "text", "text": "hi" }] }] });
        let text = plain_text(&body);
        assert!(text.contains("hi") && !text.contains("type"));
    }
}
