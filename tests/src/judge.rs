//! Messages in OpenAI's shape, judged without any of the engine's code.

use serde_json::Value;

/// Who speaks.
pub fn role(message: &Value) -> &str {
    text(message, "role")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn calls(message: &Value) -> impl Iterator<Item = &Value> {
    message.get("tool_calls").and_then(Value::as_array).into_iter().flatten()
}

/// What the API refuses.
pub fn defects(messages: &[Value]) -> Vec<String> {
    let mut defects = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        if role(message) == "tool" {
            let id = text(message, "tool_call_id");
            match open.iter().position(|call| *call == id) {
                Some(place) => drop(open.remove(place)),
                None => defects.push(format!("{index}: orphaned result {id}")),
            }
            continue;
        }
        defects.extend(open.drain(..).map(|call| format!("{index}: unanswered call {call}")));
        open.extend(calls(message).map(|call| text(call, "id")));
    }
    defects.extend(open.iter().map(|call| format!("end: unanswered call {call}")));
    defects
}

/// Everything in a message that a model reads.
pub fn readable(message: &Value) -> String {
    let calls = calls(message).filter_map(|call| call.get("function"));
    let calls = calls.map(|call| format!("{:?} {}", text(call, "name"), text(call, "arguments")));
    let content = message.get("content").unwrap_or(&Value::Null);
    let content = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
    calls.chain([content]).collect::<Vec<String>>().join("\n")
}

/// Things in what a person or the model says that must not be lost, found by the simplest of means:
/// addresses on the web, lines of a checklist, and codes such as `HAT039`.
pub fn facts_in(message: &Value) -> Vec<String> {
    let said = matches!(role(message), "user" | "assistant");
    let content = if said { text(message, "content") } else { "" };
    let marks = |c: char| !c.is_ascii_alphanumeric();
    let words = content.split(|c: char| c.is_whitespace() || "<>()[]\"'`,*|{}".contains(c));
    let words = words
        .map(|word| word.trim_matches(marks))
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
