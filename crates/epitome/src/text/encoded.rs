//! Encoded bytes in a text: nothing that a summarizer could read, and far more tokens than they look.

use std::borrow::Cow;

/// Runs of this many characters of the base64 alphabet are taken for encoded bytes.
const SHORTEST: usize = 200;

/// The text with every run of encoded bytes told by its length. Linear, and most of a plain text is never
/// looked at.
pub(crate) fn without_encoded(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let mut copied = 0;
    // Where a run can begin: at the start, and behind a byte that is in none.
    let mut start = 0;
    while let Some(shortest) = bytes.get(start..start + SHORTEST) {
        // The last byte that breaks a run of this length rules out every beginning before it.
        if let Some(broken) = shortest.iter().rposition(|byte| !encodes(*byte)) {
            start += broken + 1;
            continue;
        }
        let rest = bytes.get(start..).unwrap_or_default();
        let length = rest.iter().position(|byte| !encodes(*byte)).unwrap_or(rest.len());
        let end = start + length;
        if text.get(start..end).is_some_and(is_mixed) {
            out.push_str(text.get(copied..start).unwrap_or_default());
            out.push_str(&format!("[{length} characters of encoded data]"));
            copied = end;
        }
        start = end + 1;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

fn encodes(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-')
}

/// A long path or a ruled line has no digits, or no letters of both cases.
fn is_mixed(run: &str) -> bool {
    let has = |test: fn(&u8) -> bool| run.bytes().any(|byte| test(&byte));
    let hexadecimal = run.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    has(u8::is_ascii_digit) && (mixed || hexadecimal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_bytes_are_told_by_their_length() {
        let data = "iVBORw0KGgo/".repeat(20);
        let text = format!("see data:image/png;base64,{data}== and 👍 go on");
        assert_eq!(
            without_encoded(&text),
            "see data:image/png;base64,[242 characters of encoded data] and 👍 go on"
        );
        assert_eq!(without_encoded(&"0f".repeat(150)), "[300 characters of encoded data]");
    }

    #[test]
    fn every_run_is_told_wherever_it_stands_and_however_long_it_is() {
        let run = |length: usize| "aB3/".chars().cycle().take(length).collect::<String>();
        for length in [200, 201, 399, 400, 401, 1_000] {
            for before in ["", "é", "a b ", "…\n", "\u{0}"] {
                let told = format!("[{length} characters of encoded data]");
                let text = format!("{before}{0}é{0} {1}\u{301}", run(length), run(199));
                let expected = format!("{before}{told}é{told} {}\u{301}", run(199));
                assert_eq!(without_encoded(&text), expected, "{length} behind {before:?}");
            }
        }
    }

    #[test]
    fn what_can_be_read_is_left_alone() {
        for text in ["", "short aB3", &"=".repeat(300), &"word ".repeat(100), &"lower".repeat(60)] {
            assert_eq!(without_encoded(text), text);
        }
    }
}
