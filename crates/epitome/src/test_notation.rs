//! A short notation of conversations for tests: a failing test shows two conversations that can be compared.
//!
//! Each line is a message: its role as `s:`, `u:`, `a:` or `t:`, then words separated by spaces.
//!
//! | Word | Meaning |
//! |---|---|
//! | `!id`, `!id<{"a":1}>` | a tool call, with arguments |
//! | `=id`, `=id<some text>` | a tool result, with its text |
//! | `?text`, `?text#signature` | reasoning, with its signature |
//! | `may:x<id>` | a request for approval of a call |
//! | `yes:x`, `no:x` | the response to it |
//! | `*` | the message is pinned |
//! | `~kind` | the message is synthetic, of this kind |
//! | anything else | text |
//!
//! The messages get the ids `m0`, `m1`, …

use std::fmt::Write as _;

use crate::message::{Message, MessageId, Part, Role};
use crate::structured_state::{StructuredState, read_answer};

/// Applies the changes in a summarizer's answer to a state, and returns the rest of the answer. `source` finds the id of a
/// message by its number.
pub fn apply_answer(
    state: &mut StructuredState,
    answer: &str,
    source: &dyn Fn(u32) -> Option<MessageId>,
) -> String {
    let (rest, delta) = read_answer(answer, source);
    state.apply(&delta);
    rest
}

/// Parses the notation. A line without a role is a user message.
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
    let mut rest = rest.trim_start();
    while !rest.is_empty() {
        let (word, after) = next_word(rest);
        rest = after.trim_start();
        match parse(word) {
            Word::Text => words.push(word),
            Word::Pinned => message.pinned = true,
            Word::Synthetic(kind) => message.synthetic = Some(kind.into()),
            Word::Part(part) => {
                flush(&mut message, &mut words);
                message.parts.push(part);
            }
        }
    }
    flush(&mut message, &mut words);
    message
}

/// The next word, including the text in `<` and `>` of a call, a result or an approval request. That text may have
/// spaces.
fn next_word(text: &str) -> (&str, &str) {
    let word = text.split_whitespace().next().unwrap_or_default();
    let has_content =
        ["!", "=", "may:"].iter().any(|prefix| word.starts_with(prefix)) && word.contains('<');
    let end = match has_content.then(|| text.find('>')).flatten() {
        Some(end) => end + 1,
        None => word.len(),
    };
    text.split_at_checked(end).unwrap_or((text, ""))
}

enum Word<'a> {
    Text,
    Pinned,
    Synthetic(&'a str),
    Part(Part),
}

fn parse(word: &str) -> Word<'_> {
    let split = |rest: &str| -> (String, Option<String>) {
        match rest.split_once('<') {
            Some((id, text)) => (id.into(), Some(text.trim_end_matches('>').into())),
            None => (rest.into(), None),
        }
    };
    if word == "*" {
        Word::Pinned
    } else if let Some(kind) = word.strip_prefix('~') {
        Word::Synthetic(kind)
    } else if let Some((id, arguments)) = word.strip_prefix('!').map(split) {
        let arguments = arguments.unwrap_or_else(|| "{}".into());
        Word::Part(Part::ToolCall { call: id.into(), name: "tool".into(), arguments })
    } else if let Some((id, text)) = word.strip_prefix('=').map(split) {
        let text = text.unwrap_or_else(|| format!("result {id}"));
        Word::Part(Part::ToolResult { call: id.into(), name: None, text })
    } else if let Some(reasoning) = word.strip_prefix('?') {
        let (text, signature) = match reasoning.split_once('#') {
            Some((text, signature)) => (text, Some(signature.to_owned())),
            None => (reasoning, None),
        };
        Word::Part(Part::Reasoning { text: text.into(), signature })
    } else if let Some((approval, call)) = word.strip_prefix("may:").map(split) {
        let call = call.map(|call| call.as_str().into());
        Word::Part(Part::Approval { approval, call, granted: None })
    } else if let Some(approval) = word.strip_prefix("yes:") {
        let granted = Some(true);
        Word::Part(Part::Approval { approval: approval.into(), call: None, granted })
    } else if let Some(approval) = word.strip_prefix("no:") {
        let granted = Some(false);
        Word::Part(Part::Approval { approval: approval.into(), call: None, granted })
    } else {
        Word::Text
    }
}

fn flush(message: &mut Message, words: &mut Vec<&str>) {
    if !words.is_empty() {
        message.parts.push(Part::text(words.join(" ")));
        words.clear();
    }
}

/// Writes messages in the notation, without their ids.
pub fn notate<'a>(messages: impl IntoIterator<Item = &'a Message>) -> String {
    let mut out = String::new();
    for message in messages {
        let role = message.role.as_str().chars().next().unwrap_or('?');
        let _ = write!(out, "{role}:");
        if message.pinned {
            out.push_str(" *");
        }
        if let Some(kind) = &message.synthetic {
            let _ = write!(out, " ~{kind}");
        }
        for part in &message.parts {
            out.push(' ');
            notate_part(&mut out, part);
        }
        out.push('\n');
    }
    out
}

fn notate_part(out: &mut String, part: &Part) {
    let _ = match part {
        Part::Text { text } => write!(out, "{text}"),
        Part::Reasoning { text, signature: None } => write!(out, "?{text}"),
        Part::Reasoning { text, signature: Some(signature) } => {
            write!(out, "?{text}#{signature}")
        }
        Part::ToolCall { call, arguments, .. } if arguments == "{}" => write!(out, "!{call}"),
        Part::ToolCall { call, arguments, .. } => write!(out, "!{call}<{arguments}>"),
        Part::ToolResult { call, text, .. } if *text == format!("result {call}") => {
            write!(out, "={call}")
        }
        Part::ToolResult { call, text, .. } => write!(out, "={call}<{text}>"),
        Part::Approval { approval, call: Some(call), .. } => write!(out, "may:{approval}<{call}>"),
        Part::Approval { approval, granted: Some(true), .. } => write!(out, "yes:{approval}"),
        Part::Approval { approval, .. } => write!(out, "no:{approval}"),
        Part::Image(_) => write!(out, "<image>"),
        Part::File(_) => write!(out, "<file>"),
        Part::Other { kind, .. } => write!(out, "{kind}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_conversation_is_parsed_to_the_same_text() {
        let text = "s: be kind\nu: * hello there\nu: ~reminder be brief\n\
                    a: ?hm ?seen#seal look !one !two<{\"a\": 1}> may:x<two>\nt: yes:x =one\nt: =two<all is well>\n";
        assert_eq!(notate(&transcript(text)), text);
    }
}
