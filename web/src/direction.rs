//! Characters that change the direction of the text behind them, shown as marks. A message could use them to look like another
//! text than it is.

use std::borrow::Cow;

/// The text with a mark such as `⟨RLO⟩` in place of each control of direction.
pub(crate) fn marked(text: &str) -> Cow<'_, str> {
    if !text.contains(|character| mark(character).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match mark(character) {
            Some(mark) => shown.push_str(mark),
            None => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

/// The name of a control of direction, as Unicode abbreviates it.
pub(crate) fn mark(character: char) -> Option<&'static str> {
    Some(match character {
        '\u{61c}' => "⟨ALM⟩",
        '\u{200e}' => "⟨LRM⟩",
        '\u{200f}' => "⟨RLM⟩",
        '\u{202a}' => "⟨LRE⟩",
        '\u{202b}' => "⟨RLE⟩",
        '\u{202c}' => "⟨PDF⟩",
        '\u{202d}' => "⟨LRO⟩",
        '\u{202e}' => "⟨RLO⟩",
        '\u{2066}' => "⟨LRI⟩",
        '\u{2067}' => "⟨RLI⟩",
        '\u{2068}' => "⟨FSI⟩",
        '\u{2069}' => "⟨PDI⟩",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j18_controls_of_direction_are_shown_as_marks() {
        assert_eq!(marked("\u{202e}evil\u{202c}.txt"), "⟨RLO⟩evil⟨PDF⟩.txt");
        assert!(matches!(marked("plain עברית"), Cow::Borrowed("plain עברית")));
    }
}
