//! Lines of an extract, written and parsed: a speaker and the quoted pieces.

use crate::text::sentence::{SEPARATOR, ends_itself};

/// The speaker of a line without one, which comes from a summary by a model.
const UNKNOWN: &str = "earlier";
const ROLES: [&str; 5] = ["user", "assistant", "tool", "system", UNKNOWN];
/// The longest speaker, in characters.
const MAX_SPEAKER: usize = 48;

/// A speaker for the start of a line: without colons and line breaks, and of limited length.
pub(super) fn speaker(name: &str) -> String {
    let mut out = String::new();
    for word in name.split(|c: char| c.is_whitespace() || c.is_control() || c == ':') {
        if word.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    match out.char_indices().nth(MAX_SPEAKER) {
        Some((end, _)) => out.truncate(end),
        None if out.is_empty() => out.push_str(UNKNOWN),
        None => {}
    }
    out
}

/// The speaker of a line and the rest of it.
pub(super) fn parse(line: &str) -> (&str, &str) {
    let found = line.split_once(": ").filter(|(head, _)| {
        let role = head.split(' ').next().unwrap_or_default();
        // Many sentences have a colon and a space too. Only a known role begins a line that an extract has
        // written.
        ROLES.contains(&role) && head.chars().count() <= MAX_SPEAKER
    });
    found.unwrap_or((UNKNOWN, line))
}

/// Begins a line with the first piece of its speaker.
pub(super) fn open(out: &mut String, speaker: &str, piece: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(speaker);
    out.push_str(": ");
    out.push_str(piece);
}

/// Appends a piece to a line, with a separator if needed, so that a later extract splits the line into the same pieces.
pub(super) fn join(out: &mut String, before: &str, piece: &str) {
    out.push_str(if ends_itself(before) { " " } else { SEPARATOR });
    out.push_str(piece);
}
