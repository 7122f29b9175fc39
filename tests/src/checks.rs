//! Checks of messages in OpenAI's Chat Completions format that use none of the engine's code.

use serde_json::Value;

/// The role of a message; empty if it has none.
pub fn role(message: &Value) -> &str {
    text(message, "role")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn calls(message: &Value) -> impl Iterator<Item = &Value> {
    message.get("tool_calls").and_then(Value::as_array).into_iter().flatten()
}

/// Why the API would refuse these messages: calls without results and results without calls.
pub fn defects(messages: &[Value]) -> Vec<String> {
    let mut defects = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        if role(message) == "tool" {
            let id = text(message, "tool_call_id");
            match open.iter().position(|call| *call == id) {
                Some(position) => drop(open.remove(position)),
                None => defects.push(format!("{index}: orphan result {id}")),
            }
            continue;
        }
        defects.extend(open.drain(..).map(|call| format!("{index}: unanswered call {call}")));
        open.extend(calls(message).map(|call| text(call, "id")));
    }
    defects.extend(open.iter().map(|call| format!("end: unanswered call {call}")));
    defects
}

/// Everything in a message that a model reads: its calls and its content.
pub fn readable(message: &Value) -> String {
    let calls = calls(message).filter_map(|call| call.get("function"));
    let calls = calls.map(|call| format!("{:?} {}", text(call, "name"), text(call, "arguments")));
    let content = message.get("content").unwrap_or(&Value::Null);
    let content = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
    calls.chain([content]).collect::<Vec<String>>().join("\n")
}

/// Facts in the text of a user or assistant message that must not be lost: URLs, checklist items, and codes such
/// as `HAT039`. Found by simple rules of its own, which the engine's must at least cover.
pub fn facts_in(message: &Value) -> Vec<String> {
    let has_text = matches!(role(message), "user" | "assistant");
    let content = if has_text { text(message, "content") } else { "" };
    let punctuation = |c: char| !c.is_ascii_alphanumeric();
    let words = content.split(|c: char| c.is_whitespace() || "<>()[]\"'`,*|{}".contains(c));
    let words = words
        .map(|word| word.trim_matches(punctuation))
        .filter(|word| (word.starts_with("https://") && word.len() > 12) || is_code(word));
    let items = content.lines().map(str::trim).filter(|line| line.starts_with("- [ ] "));
    words.chain(items).map(str::to_owned).collect()
}

/// Three capital letters and three digits.
fn is_code(word: &str) -> bool {
    word.len() == 6
        && word.bytes().take(3).all(|byte| byte.is_ascii_uppercase())
        && word.bytes().skip(3).all(|byte| byte.is_ascii_digit())
}
