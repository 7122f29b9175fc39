//! A message in one line.

use epitome::message::{Media, Message, Part};
use leptos::prelude::*;

use crate::direction::mark;
use crate::language::t;
use crate::number::thousands;

/// The maximum length of the line, in characters.
const MAX_CHARACTERS: usize = 160;

/// Around words of the page's language. A message has no such characters here: marks stand in their place.
const OPENS: char = '\u{2068}';
const CLOSES: char = '\u{2069}';

/// The beginning of a message, on one line, for [`shown`]. The cost does not depend on the length of the message.
pub(super) fn preview(message: &Message) -> String {
    let mut line = String::new();
    let mut left = MAX_CHARACTERS;
    for part in &message.parts {
        if left == 0 {
            break;
        }
        if !line.is_empty() {
            line.push_str(" · ");
        }
        match part {
            Part::Reasoning { text, signature: Some(_) } if text.is_empty() => {
                add(&mut line, &mut left, signed_reasoning());
            }
            Part::Text { text } | Part::Reasoning { text, .. } => add(&mut line, &mut left, text),
            Part::ToolCall { name, arguments, .. } => {
                add(&mut line, &mut left, name);
                line.push(' ');
                add(&mut line, &mut left, arguments);
            }
            Part::ToolResult { text, .. } => add(&mut line, &mut left, text),
            Part::Approval { granted, .. } => add(&mut line, &mut left, approval(*granted)),
            Part::Image(media) => isolated(&mut line, &mut left, &attachment(t!("image"), media)),
            Part::File(media) => isolated(&mut line, &mut left, &attachment(t!("file"), media)),
            Part::Other { kind, .. } => add(&mut line, &mut left, &format!("[{kind}]")),
        }
    }
    if left == 0 {
        line.push('…');
    }
    if line.is_empty() { t!("(nothing for the model)").to_owned() } else { line }
}

/// The line as it is drawn. Words of the page's language are apart, so that the direction is that of the message's own words.
pub(super) fn shown(line: &str) -> impl IntoView + use<> {
    let pieces = line.split(CLOSES).map(|piece| {
        let (own, words) = piece.split_once(OPENS).unwrap_or((piece, ""));
        let words = (!words.is_empty()).then(|| words.to_owned());
        (own.to_owned(), words.map(|words| view! { <bdi>{words}</bdi> }))
    });
    pieces.collect_view()
}

/// Adds words of the page's language.
fn isolated(line: &mut String, left: &mut usize, words: &str) {
    line.push(OPENS);
    add(line, left, words);
    line.push(CLOSES);
}

fn add(line: &mut String, left: &mut usize, text: &str) {
    let mut gap = false;
    for character in text.trim_start().chars() {
        if *left == 0 {
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
        match mark(character) {
            Some(mark) => line.push_str(mark),
            None => line.push(character),
        }
        *left -= 1;
    }
}

/// What stands for signed reasoning, which only its provider can read.
pub(crate) fn signed_reasoning() -> &'static str {
    t!("[signed reasoning]")
}

/// An approval request (`None`) or response in words.
pub(crate) fn approval(granted: Option<bool>) -> &'static str {
    match granted {
        None => t!("[asks for approval to run the tool]"),
        Some(true) => t!("[tool approved]"),
        Some(false) => t!("[tool denied]"),
    }
}

/// An attachment in words: its kind and its size in pixels, if that is known, and its name. What has neither is named by its type.
pub(crate) fn attachment(kind: &str, media: &Media) -> String {
    let media_type = media.media_type.as_deref().filter(|_| media.pixels.is_none());
    let described = media.name.as_deref().or(media_type);
    let sized = media.pixels.map(|pixels| format!("{kind} {}", size(pixels)));
    let kind = sized.as_deref().unwrap_or(kind);
    described.map_or_else(|| format!("[{kind}]"), |described| format!("[{kind}: {described}]"))
}

/// The width and height of a picture.
pub(crate) fn size((width, height): (u32, u32)) -> String {
    format!("{} × {}", thousands(width), thousands(height))
}

#[cfg(test)]
mod tests {
    use super::*;
    use epitome::message::Role;

    #[test]
    fn white_space_collapses_and_long_texts_are_cut() {
        let message = Message::new("m", Role::User, "  one\n\n two  ");
        assert_eq!(preview(&message), "one two");
        let long = Message::new("m", Role::User, "é".repeat(10_000));
        assert_eq!(preview(&long).chars().count(), MAX_CHARACTERS + 1);
        let empty = Message::new("m", Role::User, "");
        assert_eq!(preview(&empty), "(nothing for the model)");
    }

    #[test]
    fn an_image_is_named_by_its_size_apart_from_the_direction_of_the_text() {
        let media = Media {
            media_type: Some("image/png".into()),
            pixels: Some((1_024, 768)),
            ..Media::default()
        };
        let parts = vec![Part::Image(media), Part::text("מה יש כאן?")];
        let message = Message::with_parts("m", Role::User, parts);
        assert_eq!(preview(&message), "\u{2068}[image 1,024 × 768]\u{2069} · מה יש כאן?");
    }
}
