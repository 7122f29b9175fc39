//! A conversation in a few characters a message, so that a failing test reads as two conversations.
//!
//! One message a line: `s:`, `u:`, `a:` or `t:`, then words. `!id` is a call and `!id<{"a":1}>` one with
//! arguments; `=id` is a result and `=id<some text>` one that says so; `?thought` a thought and
//! `?thought#seal` a sealed one; `*` pins the message, `~kind` marks it as machine-made; everything else
//! is text, but `may:x<id>` asks for leave to run a call, and `yes:x` or `no:x` answers. Messages are named `m0`, `m1`, …

use std::fmt::Write as _;

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
    let mut rest = rest.trim_start();
    while !rest.is_empty() {
        let (piece, after) = piece(rest);
        rest = after.trim_start();
        match mark(piece) {
            Mark::Word => words.push(piece),
            Mark::Pinned => message.pinned = true,
            Mark::Synthetic(kind) => message.synthetic = Some(kind.into()),
            Mark::Part(part) => {
                flush(&mut message, &mut words);
                message.parts.push(part);
            }
        }
    }
    flush(&mut message, &mut words);
    message
}

/// The next word, with what stands in `<` and `>` behind a call or a result.
fn piece(text: &str) -> (&str, &str) {
    let word = text.split_whitespace().next().unwrap_or_default();
    let told = ["!", "=", "may:"].iter().any(|mark| word.starts_with(mark)) && word.contains('<');
    let end = match told.then(|| text.find('>')).flatten() {
        Some(end) => end + 1,
        None => word.len(),
    };
    text.split_at_checked(end).unwrap_or((text, ""))
}

enum Mark<'a> {
    Word,
    Pinned,
    Synthetic(&'a str),
    Part(Part),
}

fn mark(piece: &str) -> Mark<'_> {
    let told = |rest: &str| -> (String, Option<String>) {
        match rest.split_once('<') {
            Some((id, text)) => (id.into(), Some(text.trim_end_matches('>').into())),
            None => (rest.into(), None),
        }
    };
    if piece == "*" {
        Mark::Pinned
    } else if let Some(kind) = piece.strip_prefix('~') {
        Mark::Synthetic(kind)
    } else if let Some((id, arguments)) = piece.strip_prefix('!').map(told) {
        let arguments = arguments.unwrap_or_else(|| "{}".into());
        Mark::Part(Part::ToolCall { call: id.into(), name: "tool".into(), arguments })
    } else if let Some((id, text)) = piece.strip_prefix('=').map(told) {
        let text = text.unwrap_or_else(|| format!("result {id}"));
        Mark::Part(Part::ToolResult { call: id.into(), name: None, text })
    } else if let Some(thought) = piece.strip_prefix('?') {
        let (text, signature) = match thought.split_once('#') {
            Some((text, seal)) => (text, Some(seal.to_owned())),
            None => (thought, None),
        };
        Mark::Part(Part::Reasoning { text: text.into(), signature })
    } else if let Some((approval, call)) = piece.strip_prefix("may:").map(told) {
        let call = call.map(|call| call.as_str().into());
        Mark::Part(Part::Approval { approval, call, granted: None })
    } else if let Some(approval) = piece.strip_prefix("yes:") {
        let granted = Some(true);
        Mark::Part(Part::Approval { approval: approval.into(), call: None, granted })
    } else if let Some(approval) = piece.strip_prefix("no:") {
        let granted = Some(false);
        Mark::Part(Part::Approval { approval: approval.into(), call: None, granted })
    } else {
        Mark::Word
    }
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
        Part::Reasoning { text, signature: Some(seal) } => write!(out, "?{text}#{seal}"),
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
    fn what_is_written_reads_back() {
        let text = "s: be kind\nu: * hello there\nu: ~reminder be brief\n\
                    a: ?hm ?seen#seal look !one !two<{\"a\": 1}> may:x<two>\nt: yes:x =one\nt: =two<all is well>\n";
        assert_eq!(notate(&transcript(text)), text);
    }
}
