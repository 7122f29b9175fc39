//! Reads the values of JSON, also of a part of one: arguments and results in a transcript can be cut.

use epitome_text::identifier::is_identifier;

/// A value with the key that says what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field<'a> {
    /// The nearest key that names a kind of thing; empty if there is none.
    pub(super) key: &'a str,
    pub(super) value: &'a str,
    /// Which object it is in, by a number that grows.
    pub(super) object: usize,
}

/// The longest value, in bytes. A longer one is a text.
const MAX_VALUE: usize = 80;
/// The deepest nesting. Deeper values get the key at this depth.
const MAX_DEPTH: usize = 32;

/// Whether a text begins like JSON.
pub(super) fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// Calls `each` for every short value without escapes, and for every key that is itself an identifier. Linear in the text.
pub(super) fn for_each<'a>(text: &'a str, mut each: impl FnMut(Field<'a>)) {
    let mut objects = 0;
    // The keys of the objects around, each with the number of its object.
    let mut around: Vec<(&str, usize)> = vec![("", 0)];
    let mut key = "";
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let (token, after) = match character {
            '"' => quoted(rest),
            _ => rest.split_at(character.len_utf8()),
        };
        let (parent, object) = around.last().copied().unwrap_or(("", 0));
        match character {
            '{' | '[' => {
                objects += 1;
                let named = if is_kind(key) { key } else { parent };
                if around.len() < MAX_DEPTH {
                    // The elements of a list are what the list is called.
                    let number = if character == '{' { objects } else { object };
                    around.push((named, number));
                }
                key = "";
            }
            '}' | ']' => {
                if around.len() > 1 {
                    around.pop();
                }
                key = "";
            }
            ',' => key = "",
            '"' => {
                let opened = after.trim_start();
                if let Some(behind) = opened.strip_prefix(':') {
                    key = token;
                    if !is_kind(token) {
                        each(Field { key: parent, value: token, object });
                    }
                    rest = behind;
                    continue;
                }
                emit(key, parent, token, object, &mut each);
            }
            _ if character.is_alphanumeric() || character == '-' => {
                // Cut within a number: its end is not known.
                let Some(end) = rest.find([',', '}', ']', '\n', ' ']) else { break };
                let (value, after) =
                    rest.split_at_checked(end.max(character.len_utf8())).unwrap_or((rest, ""));
                emit(key, parent, value, object, &mut each);
                rest = after;
                continue;
            }
            _ => {}
        }
        rest = after;
    }
}

fn emit<'a>(
    key: &'a str,
    parent: &'a str,
    value: &'a str,
    object: usize,
    each: &mut impl FnMut(Field<'a>),
) {
    let key = if is_kind(key) { key } else { parent };
    if !key.is_empty() && !value.is_empty() && value.len() <= MAX_VALUE && !value.contains('\\') {
        each(Field { key, value, object });
    }
}

/// True for a key that names a kind of thing, and is not itself an identifier.
fn is_kind(key: &str) -> bool {
    let digits = key.bytes().filter(u8::is_ascii_digit).count();
    !key.is_empty() && key.len() <= 40 && !(is_identifier(key) && digits > 1)
}

/// The content of the string at the start of a text, and what is after it.
pub(super) fn quoted(text: &str) -> (&str, &str) {
    let inner = text.get(1..).unwrap_or_default();
    let mut escaped = false;
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => {
                return (
                    inner.get(..at).unwrap_or_default(),
                    inner.get(at + 1..).unwrap_or_default(),
                );
            }
            _ => {}
        }
    }
    // Cut within a string: its end is not known.
    ("", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &str)]) {
        let mut found = Vec::new();
        for_each(text, |field| found.push((field.key, field.value)));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn values_have_the_key_that_says_what_they_are() {
        check(
            r#"{"user_id": "ann_12", "legs": [{"flight": "HAT039", "price": 71.0}], "ids": ["A1B2", "C3D4"]}"#,
            &[
                ("user_id", "ann_12"),
                ("flight", "HAT039"),
                ("price", "71.0"),
                ("ids", "A1B2"),
                ("ids", "C3D4"),
            ],
        );
        check(
            r#"{"methods": {"card_5449": {"amount": 250}}}"#,
            &[("methods", "card_5449"), ("amount", "250")],
        );
    }

    #[test]
    fn a_part_of_json_is_read_as_far_as_it_goes() {
        check(r#"{"a": "x1", "b": "cut off he"#, &[("a", "x1")]);
        check(r#"{"a": 12, "b": 27"#, &[("a", "12")]);
        check("{\"a\"", &[]);
        check("", &[]);
    }
}
