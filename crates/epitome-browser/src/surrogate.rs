//! Repairs JSON in which a server has cut a character in half: a `\ud83d` without the `\ude00` that belongs to it.
//!
//! JavaScript strings are UTF-16, so a server in JavaScript that splits a text by length may split a pair of surrogates,
//! and writes each half as an escape. A JSON parser for UTF-8 refuses the whole document because of it.

/// The first halves of pairs.
const HIGH: std::ops::Range<u32> = 0xD800..0xDC00;
/// The second halves of pairs.
const LOW: std::ops::Range<u32> = 0xDC00..0xE000;

/// The same JSON with `\ufffd` (the replacement character) in place of each escaped surrogate that lacks its other
/// half. Linear in its length.
pub(crate) fn replace_lone_surrogates(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some((before, escape)) = rest.split_once('\\') {
        out.push_str(before);
        out.push('\\');
        rest = match code_unit(escape) {
            Some((high, after)) if HIGH.contains(&high) => match low_surrogate(after) {
                // A pair is kept.
                Some((low, after)) => {
                    out.push_str(&format!("u{high:04x}\\u{low:04x}"));
                    after
                }
                None => {
                    out.push_str("ufffd");
                    after
                }
            },
            Some((low, after)) if LOW.contains(&low) => {
                out.push_str("ufffd");
                after
            }
            _ => {
                // Skips the escaped character, because it may be a backslash: in `\\ud83d` the second one does not
                // begin an escape.
                let mut chars = escape.chars();
                out.extend(chars.next());
                chars.as_str()
            }
        };
    }
    out + rest
}

fn low_surrogate(text: &str) -> Option<(u32, &str)> {
    code_unit(text.strip_prefix('\\')?).filter(|(unit, _)| LOW.contains(unit))
}

/// The code unit of an escape like `u00e9`, and the text after it.
fn code_unit(escape: &str) -> Option<(u32, &str)> {
    let (digits, after) = escape.strip_prefix('u')?.split_at_checked(4)?;
    Some((u32::from_str_radix(digits, 16).ok()?, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expected: &str) {
        assert_eq!(replace_lone_surrogates(json), expected, "{json}");
    }

    #[test]
    fn only_lone_surrogates_are_replaced() {
        check(r#""a\ud83d""#, r#""a\ufffd""#);
        check(r#""\ude00a""#, r#""\ufffda""#);
        check(r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#);
        check(r#""\ud83d\n""#, r#""\ufffd\n""#);
        check(r#""\u00e9 \\ud83d \" \uZZZZ \u12""#, r#""\u00e9 \\ud83d \" \uZZZZ \u12""#);
        check("\\", "\\");
        check("\\ué12", "\\ué12");
    }
}
