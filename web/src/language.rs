//! The language of the page, and its texts in it.
//!
//! The source has the English texts. `web/languages/` has a catalog for each other language, in which a text is found by its English
//! words, so that a text without a translation is still shown.

use std::fmt::Display;

/// A text in the language of the page. With values, a `String` in which each `{name}` is replaced by the value of this name:
///
/// ```ignore
/// t!("Compact now")
/// t!("Loaded {messages}.", messages)
/// t!("Message {number}", number = index + 1)
/// ```
macro_rules! t {
    (@value $name:ident) => {
        $name
    };
    (@value $name:ident, $value:expr) => {
        $value
    };
    ($text:literal) => {
        $crate::language::text($text)
    };
    ($text:literal, $($name:ident $(= $value:expr)?),+ $(,)?) => {
        $crate::language::filled(
            $text,
            &[$((stringify!($name), &t!(@value $name $(, $value)?) as &dyn std::fmt::Display)),+],
        )
    };
}
pub(crate) use t;

/// The text in the language of the page.
pub(crate) fn text(english: &'static str) -> &'static str {
    english
}

/// The text in the language of the page, with a value in the place of each `{name}`.
pub(crate) fn filled(english: &'static str, values: &[(&str, &dyn Display)]) -> String {
    let mut rest = text(english);
    let mut filled = String::with_capacity(rest.len());
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((name, after)) = behind.split_once('}') else { break };
        filled.push_str(before);
        match values.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => filled.push_str(&value.to_string()),
            None => filled.push_str(name),
        }
        rest = after;
    }
    filled.push_str(rest);
    filled
}

/// What stands before and behind `name`, the place of an element, in a text: `around(t!("Press {key} to go on."), "{key}")`.
pub(crate) fn around(text: &'static str, name: &str) -> (&'static str, &'static str) {
    text.split_once(name).unwrap_or((text, ""))
}
