//! A message in one line.

use epitome::message::{Media, Message, Part};

/// Longest line, in characters.
const LONGEST: usize = 160;

/// The beginning of a message, on one line. Costs no more for a long message than for a short one.
pub(super) fn preview(message: &Message) -> String {
    let mut line = String::new();
    let mut room = LONGEST;
    for part in &message.parts {
        if room == 0 {
            break;
        }
        if !line.is_empty() {
            line.push_str(" · ");
        }
        match part {
            Part::Reasoning { text, signature: Some(_) } if text.is_empty() => {
                add(&mut line, &mut room, SEALED);
            }
            Part::Text { text } | Part::Reasoning { text, .. } => add(&mut line, &mut room, text),
            Part::ToolCall { name, arguments, .. } => {
                add(&mut line, &mut room, name);
                line.push(' ');
                add(&mut line, &mut room, arguments);
            }
            Part::ToolResult { text, .. } => add(&mut line, &mut room, text),
            Part::Approval { granted, .. } => add(&mut line, &mut room, leave(*granted)),
            Part::Image(media) => add(&mut line, &mut room, &attachment("image", media)),
            Part::File(media) => add(&mut line, &mut room, &attachment("file", media)),
            Part::Other { kind, .. } => add(&mut line, &mut room, &format!("[{kind}]")),
        }
    }
    if room == 0 {
        line.push('…');
    }
    if line.is_empty() { "(nothing for the model)".to_owned() } else { line }
}

fn add(line: &mut String, room: &mut usize, text: &str) {
    let mut gap = false;
    for character in text.trim_start().chars() {
        if *room == 0 {
            return;
        }
        if character.is_whitespace() {
            gap = true;
            continue;
        }
        if gap {
            line.push(' ');
            gap = false;
        }
        line.push(character);
        *room -= 1;
    }
}

/// What is said of a thought that only its provider can read.
pub(crate) const SEALED: &str = "[a sealed thought]";

/// What is said of leave to run a tool.
pub(crate) fn leave(granted: Option<bool>) -> &'static str {
    match granted {
        None => "[asks whether the tool may run]",
        Some(true) => "[the tool may run]",
        Some(false) => "[the tool may not run]",
    }
}

/// An attachment in words.
pub(crate) fn attachment(kind: &str, media: &Media) -> String {
    let described = media.name.as_deref().or(media.media_type.as_deref());
    described.map_or_else(|| format!("[{kind}]"), |described| format!("[{kind}: {described}]"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use epitome::message::Role;

    #[test]
    fn white_space_is_one_space_and_long_texts_are_cut() {
        let message = Message::new("m", Role::User, "  one\n\n two  ");
        assert_eq!(preview(&message), "one two");
        let long = Message::new("m", Role::User, "é".repeat(10_000));
        assert_eq!(preview(&long).chars().count(), LONGEST + 1);
        let empty = Message::new("m", Role::User, "");
        assert_eq!(preview(&empty), "(nothing for the model)");
    }
}
