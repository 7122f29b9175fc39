//! A line of an extract: who speaks, and the pieces of what was said; written and read back.

use crate::text::sentence::{SEPARATOR, ends_itself};

/// Who a line without a speaker is by: a summary that somebody else wrote.
const UNKNOWN: &str = "earlier";
const ROLES: [&str; 5] = ["user", "assistant", "tool", "system", UNKNOWN];
/// Characters of the longest speaker.
const LONGEST_SPEAKER: usize = 48;

/// A speaker as it can stand at the start of a line: without a colon or a line break, and bounded.
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
    match out.char_indices().nth(LONGEST_SPEAKER) {
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
        ROLES.contains(&role) && head.chars().count() <= LONGEST_SPEAKER
    });
    found.unwrap_or((UNKNOWN, line))
}

/// Starts a line with what its speaker says first.
pub(super) fn open(out: &mut String, speaker: &str, piece: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(speaker);
    out.push_str(": ");
    out.push_str(piece);
}

/// Writes a piece behind the one before it, so that both are found again.
pub(super) fn join(out: &mut String, before: &str, piece: &str) {
    out.push_str(if ends_itself(before) { " " } else { SEPARATOR });
    out.push_str(piece);
}
