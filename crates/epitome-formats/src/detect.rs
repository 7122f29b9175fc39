//! Which format a list of messages is in.

use std::borrow::Borrow;

use serde_json::Value;

use crate::conformance::Sample;
use crate::registry::Format;

/// What a list of messages looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detection {
    /// A format that this crate reads.
    Known(Format),
    /// Nothing in the messages belongs to a single format.
    Unclear,
}

/// Looks for a message that only one format has; messages that look like any chat are taken for OpenAI Chat
/// Completions. Linear in the messages up to the first one that decides.
pub fn detect<V: Borrow<Value>>(messages: impl IntoIterator<Item = V>) -> Detection {
    let mut is_like_chat = false;
    for message in messages {
        if let Some(format) = format_of(message.borrow()) {
            return Detection::Known(format);
        }
        is_like_chat |= looks_like_chat(message.borrow());
    }
    // Only after no message has decided: a message of plain text looks the same in most formats, and may
    // come before the first one that does not.
    if is_like_chat { Detection::Known(Format::OpenAiChat) } else { Detection::Unclear }
}

fn looks_like_chat(message: &Value) -> bool {
    message.get("role").is_some() || message.get("tool_calls").is_some()
}

/// The format that has something in this message that no other format has.
fn format_of(message: &Value) -> Option<Format> {
    let recognized =
        |sample| Format::ALL.into_iter().find(|format| format.conformance().recognizes(sample));
    recognized(Sample::Message(message)).or_else(|| {
        // Some servers send a call as OpenAI does and, in the content, once more as Anthropic does. Such a
        // message is OpenAI's.
        if message.get("tool_calls").is_some() {
            return None;
        }
        let parts = message.get("content").and_then(Value::as_array)?;
        parts.iter().find_map(|part| recognized(Sample::Part(part)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Messages that only this format has. Adding a format does not compile without a sample.
    fn samples(format: Format) -> Vec<Value> {
        let said = |role: &str, part: Value| json!({ "role": role, "content": [part] });
        match format {
            Format::OpenAiChat => vec![json!({ "role": "user", "content": "hi" })],
            Format::Anthropic => vec![
                said("assistant", json!({ "type": "tool_use", "id": "a" })),
                said("user", json!({ "type": "image", "source": {} })),
                said("assistant", json!({ "type": "thinking", "signature": "x" })),
            ],
            Format::Gemini => vec![json!({ "role": "user", "parts": [{ "text": "hi" }] })],
            Format::AiSdkUi => vec![
                json!({ "id": "1", "role": "user", "parts": [{ "type": "text", "text": "hi" }] }),
                json!({ "id": "1", "role": "user", "parts": [] }),
            ],
            Format::AiSdkModel => vec![
                said("tool", json!({ "type": "tool-result" })),
                said("user", json!({ "type": "image", "mediaType": "image/png" })),
            ],
            Format::OpenAiResponses => vec![
                json!({ "type": "function_call", "call_id": "a" }),
                said("user", json!({ "type": "input_text", "text": "hi" })),
            ],
            Format::LangChain => {
                vec![json!({ "lc": 1 }), json!({ "type": "human", "data": { "content": "hi" } })]
            }
            Format::Bedrock => vec![said("user", json!({ "toolResult": {} }))],
        }
    }

    #[test]
    fn each_format_is_detected_by_what_only_it_has() {
        for format in Format::ALL {
            for sample in samples(format) {
                assert_eq!(
                    detect(std::slice::from_ref(&sample)),
                    Detection::Known(format),
                    "{sample}"
                );
                let parts = sample.get("content").and_then(Value::as_array).into_iter().flatten();
                for sample in parts.map(Sample::Part).chain([Sample::Message(&sample)]) {
                    let count =
                        Format::ALL.iter().filter(|format| format.conformance().recognizes(sample));
                    assert!(count.count() < 2, "several formats recognize {sample:?}");
                }
            }
        }
        for unclear in [vec![], vec![json!(1), json!(2)]] {
            assert_eq!(detect(&unclear), Detection::Unclear);
        }
    }

    #[test]
    fn a_message_with_calls_of_openai_is_not_decided_by_its_parts() {
        let message = json!({
            "role": "assistant", "tool_calls": [], "content": [{ "type": "tool_use", "id": "a" }],
        });
        assert_eq!(detect(&[message]), Detection::Known(Format::OpenAiChat));
    }
}
