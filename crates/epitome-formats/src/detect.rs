//! Which format a list of messages is in, told from what only that format has.

use serde_json::Value;

use crate::Format;

/// What a list of messages looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detection {
    /// A format that this crate reads.
    Known(Format),
    /// Nothing that only one format has.
    Unclear,
}

/// Looks at the messages until one of them tells. Linear in those.
pub fn detect(messages: &[Value]) -> Detection {
    match messages.iter().find_map(telling) {
        Some(format) => Detection::Known(format),
        None if messages.iter().any(looks_like_chat) => Detection::Known(Format::OpenAiChat),
        None => Detection::Unclear,
    }
}

fn looks_like_chat(message: &Value) -> bool {
    message.get("role").is_some() || message.get("tool_calls").is_some()
}

/// The format that has a trait of this message and that OpenAI chat does not have.
fn telling(message: &Value) -> Option<Format> {
    let text = |key: &str| message.get(key).and_then(Value::as_str);
    let stored = message.get("data").is_some() && message.get("role").is_none();
    if message.get("lc").is_some()
        || stored && matches!(text("type"), Some("human" | "ai" | "system" | "tool"))
    {
        return Some(Format::LangChain);
    }
    if text("type").is_some_and(|kind| ITEMS.contains(&kind)) {
        return Some(Format::OpenAiResponses);
    }
    if let Some(Value::Array(parts)) = message.get("parts") {
        let typed = parts.iter().any(|part| part.get("type").is_some());
        let tidy = parts.is_empty() && message.get("id").is_some();
        return Some(if typed || tidy { Format::AiSdkUi } else { Format::Gemini });
    }
    let parts = message.get("content").and_then(Value::as_array)?;
    // One message may speak two dialects; one that calls as OpenAI does is OpenAI's.
    if message.get("tool_calls").is_some() {
        return None;
    }
    parts.iter().find_map(|part| {
        let has = |key: &str| part.get(key).is_some();
        let kind = part.get("type").and_then(Value::as_str);
        let converse = ["text", "toolUse", "toolResult", "image", "document", "reasoningContent"];
        if kind.is_none() && converse.into_iter().any(has) {
            return Some(Format::Bedrock);
        }
        match kind? {
            "server_tool_use" | "tool_addition" | "tool_removal" | "container_upload" => {
                Some(Format::Anthropic)
            }
            other if other.ends_with("_tool_result") => Some(Format::Anthropic),
            // Others have thoughts without a seal.
            "thinking" => has("signature").then_some(Format::Anthropic),
            "tool_use" | "tool_result" | "redacted_thinking" | "image" | "document"
                if !has("mediaType") && (kind != Some("image") || has("source")) =>
            {
                Some(Format::Anthropic)
            }
            "tool-call"
            | "tool-result"
            | "tool-approval-request"
            | "tool-approval-response"
            | "reasoning" => Some(Format::AiSdkModel),
            "image" | "file" if has("mediaType") => Some(Format::AiSdkModel),
            "input_text" | "output_text" | "input_image" | "input_file" => {
                Some(Format::OpenAiResponses)
            }
            _ => None,
        }
    })
}

/// Types of items that only OpenAI Responses has.
const ITEMS: [&str; 10] = [
    "message",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "reasoning",
    "item_reference",
    "compaction",
    "web_search_call",
    "mcp_call",
];

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
                Detection::Known(Format::Anthropic),
            ),
            (
                json!([{ "role": "user", "parts": [{ "text": "hi" }] }]),
                Detection::Known(Format::Gemini),
            ),
            (
                json!([{ "id": "1", "role": "user", "parts": [{ "type": "text", "text": "hi" }] }]),
                Detection::Known(Format::AiSdkUi),
            ),
            (
                json!([{ "role": "tool", "content": [{ "type": "tool-result" }] }]),
                Detection::Known(Format::AiSdkModel),
            ),
            (
                json!([{ "type": "function_call", "call_id": "a" }]),
                Detection::Known(Format::OpenAiResponses),
            ),
            (json!([{ "lc": 1 }]), Detection::Known(Format::LangChain)),
            (
                json!([{ "role": "user", "content": [{ "toolResult": {} }] }]),
                Detection::Known(Format::Bedrock),
            ),
            (json!([]), Detection::Unclear),
            (json!([1, 2]), Detection::Unclear),
        ];
        for (messages, expected) in cases {
            assert_eq!(detect(messages.as_array().unwrap()), expected, "{messages}");
        }
    }
}
