//! Which format a list of messages is in, told from what only that format has.

use serde_json::Value;

use crate::Format;

/// What a list of messages looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detection {
    /// A format that this crate reads.
    Known(Format),
    /// A format that this crate does not read; its name.
    Foreign(&'static str),
    /// Nothing that only one format has.
    Unclear,
}

/// Looks at the messages until one of them tells. Linear in those.
pub fn detect(messages: &[Value]) -> Detection {
    if messages.is_empty() {
        return Detection::Unclear;
    }
    let foreign = messages.iter().find_map(foreign);
    match foreign {
        Some(name) => Detection::Foreign(name),
        None if messages.iter().any(looks_like_chat) => Detection::Known(Format::OpenAiChat),
        None => Detection::Unclear,
    }
}

fn looks_like_chat(message: &Value) -> bool {
    message.get("role").is_some() || message.get("tool_calls").is_some()
}

/// The name of a format that has a trait of this message and that OpenAI chat does not have.
fn foreign(message: &Value) -> Option<&'static str> {
    if message.get("lc").is_some() {
        return Some("LangChain messages");
    }
    let text = |key: &str| message.get(key).and_then(Value::as_str);
    if message.get("data").is_some()
        && matches!(text("type"), Some("human" | "ai" | "system" | "tool"))
    {
        return Some("LangChain messages");
    }
    if matches!(
        text("type"),
        Some(
            "function_call"
                | "function_call_output"
                | "reasoning"
                | "item_reference"
                | "compaction"
        )
    ) {
        return Some("OpenAI Responses items");
    }
    if let Some(Value::Array(parts)) = message.get("parts") {
        let typed = parts.iter().any(|part| part.get("type").is_some());
        let tidy = parts.is_empty() && message.get("id").is_some();
        return Some(if typed || tidy { "AI SDK UIMessage" } else { "Gemini Content" });
    }
    let parts = message.get("content").and_then(Value::as_array)?;
    // One message may speak two dialects; one that calls as OpenAI does is OpenAI's.
    if message.get("tool_calls").is_some() {
        return None;
    }
    parts.iter().find_map(|part| {
        if part.get("toolUse").is_some() || part.get("toolResult").is_some() {
            return Some("Bedrock Converse messages");
        }
        if part.get("type").is_none() && part.get("text").is_some() {
            return Some("Bedrock Converse messages");
        }
        match part.get("type").and_then(Value::as_str)? {
            "tool_use" | "tool_result" | "thinking" | "redacted_thinking" | "image"
            | "document" => Some("Anthropic Messages"),
            "tool-call" | "tool-result" | "tool-approval-request" => Some("AI SDK ModelMessage"),
            "input_text" | "output_text" | "input_image" => Some("OpenAI Responses items"),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_format_is_told_by_what_only_it_has() {
        let cases = [
            (json!([{ "role": "user", "content": "hi" }]), Detection::Known(Format::OpenAiChat)),
            (
                json!([{ "role": "assistant", "content": [{ "type": "tool_use", "id": "a" }] }]),
                Detection::Foreign("Anthropic Messages"),
            ),
            (
                json!([{ "role": "user", "parts": [{ "text": "hi" }] }]),
                Detection::Foreign("Gemini Content"),
            ),
            (
                json!([{ "id": "1", "role": "user", "parts": [{ "type": "text", "text": "hi" }] }]),
                Detection::Foreign("AI SDK UIMessage"),
            ),
            (
                json!([{ "role": "tool", "content": [{ "type": "tool-result" }] }]),
                Detection::Foreign("AI SDK ModelMessage"),
            ),
            (
                json!([{ "type": "function_call", "call_id": "a" }]),
                Detection::Foreign("OpenAI Responses items"),
            ),
            (json!([{ "lc": 1 }]), Detection::Foreign("LangChain messages")),
            (
                json!([{ "role": "user", "content": [{ "toolResult": {} }] }]),
                Detection::Foreign("Bedrock Converse messages"),
            ),
            (json!([]), Detection::Unclear),
            (json!([1, 2]), Detection::Unclear),
        ];
        for (messages, expected) in cases {
            assert_eq!(detect(messages.as_array().unwrap()), expected, "{messages}");
        }
    }
}
