//! A conversation in a few characters a message, so that a failing test reads as two conversations.
//!
//! One message a line: `s:`, `u:`, `a:` or `t:`, then words. `!id` is a call, `=id` a result, `?text` a
//! thought, `*` pins the message; everything else is text. Messages are named `m0`, `m1`, …

use crate::message::{Message, Part, Role};

/// Reads the notation. A line without one of the roles is what a user says.
pub fn transcript(text: &str) -> Vec<Message> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .enumerate()
        .map(|(index, line)| message(index, line))
        .collect()
}

fn message(index: usize, line: &str) -> Message {
    let (role, rest) = match line.split_once(':') {
        Some(("s", rest)) => (Role::System, rest),
        Some(("a", rest)) => (Role::Assistant, rest),
        Some(("t", rest)) => (Role::Tool, rest),
        Some(("u", rest)) => (Role::User, rest),
        _ => (Role::User, line),
    };
    let mut message = Message::with_parts(format!("m{index}"), role, Vec::new());
    let mut words: Vec<&str> = Vec::new();
    for word in rest.split_whitespace() {
        if word == "*" {
            message.pinned = true;
        } else if let Some(call) = word.strip_prefix('!') {
            flush(&mut message, &mut words);
            message.parts.push(Part::ToolCall {
                call: call.into(),
                name: "tool".into(),
                arguments: "{}".into(),
            });
        } else if let Some(call) = word.strip_prefix('=') {
            flush(&mut message, &mut words);
            message.parts.push(Part::ToolResult {
                call: call.into(),
                name: None,
                text: format!("result {call}"),
            });
        } else if let Some(thought) = word.strip_prefix('?') {
            message.parts.push(Part::Reasoning { text: thought.into(), signature: None });
        } else {
            words.push(word);
        }
    }
    flush(&mut message, &mut words);
    message
}

fn flush(message: &mut Message, words: &mut Vec<&str>) {
    if !words.is_empty() {
        message.parts.push(Part::text(words.join(" ")));
        words.clear();
    }
}

/// Writes messages in the notation, without their names.
pub fn notate<'a>(messages: impl IntoIterator<Item = &'a Message>) -> String {
    let mut out = String::new();
    for message in messages {
        let role = message.role.as_str().chars().next().unwrap_or('?');
        out.push(role);
        out.push(':');
        if message.pinned {
            out.push_str(" *");
        }
        for part in &message.parts {
            out.push(' ');
            match part {
                Part::Text { text } => out.push_str(text),
                Part::Reasoning { text, .. } => {
                    out.push('?');
                    out.push_str(text);
                }
                Part::ToolCall { call, .. } => {
                    out.push('!');
                    out.push_str(call.as_str());
                }
                Part::ToolResult { call, .. } => {
                    out.push('=');
                    out.push_str(call.as_str());
                }
                Part::Image(_) => out.push_str("<image>"),
                Part::File(_) => out.push_str("<file>"),
                Part::Other { kind, .. } => out.push_str(kind),
            }
        }
        out.push('\n');
    }
    out
}
