//! Mends JSON in which a server has cut a character in half, as JavaScript that cuts by length does.

const HIGH: std::ops::Range<u32> = 0xD800..0xDC00;
const LOW: std::ops::Range<u32> = 0xDC00..0xE000;

/// The same JSON with `\ufffd` for each escaped half of a character that lacks its other half.
pub(crate) fn whole_characters(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some((before, escape)) = rest.split_once('\\') {
        out.push_str(before);
        out.push('\\');
        rest = match code_unit(escape) {
            Some((high, after)) if HIGH.contains(&high) => match low_half(after) {
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
                // The character behind a backslash may be a backslash itself.
                let mut chars = escape.chars();
                out.extend(chars.next());
                chars.as_str()
            }
        };
    }
    out + rest
}

fn low_half(text: &str) -> Option<(u32, &str)> {
    code_unit(text.strip_prefix('\\')?).filter(|(unit, _)| LOW.contains(unit))
}

/// The number of an escape like `u00e9`, and what follows it.
fn code_unit(escape: &str) -> Option<(u32, &str)> {
    let (digits, after) = escape.strip_prefix('u')?.split_at_checked(4)?;
    Some((u32::from_str_radix(digits, 16).ok()?, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expected: &str) {
        assert_eq!(whole_characters(json), expected, "{json}");
    }

    #[test]
    fn only_halves_are_replaced() {
        check(r#""a\ud83d""#, r#""a\ufffd""#);
        check(r#""\ude00a""#, r#""\ufffda""#);
        check(r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#);
        check(r#""\ud83d\n""#, r#""\ufffd\n""#);
        check(r#""\u00e9 \\ud83d \" \uZZZZ \u12""#, r#""\u00e9 \\ud83d \" \uZZZZ \u12""#);
        check("\\", "\\");
        check("\\ué12", "\\ué12");
    }
}
