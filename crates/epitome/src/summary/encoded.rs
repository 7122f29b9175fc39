//! Encoded bytes in a text: nothing that a summarizer could read, and far more tokens than they look.

use std::borrow::Cow;

/// Runs of this many characters of the base64 alphabet are taken for encoded bytes.
const SHORTEST: usize = 200;

/// The text with every run of encoded bytes told by its length. Linear.
pub fn without_encoded(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut start = 0;
    for piece in text.split_inclusive(|c| !encodes(c)) {
        let run = piece.trim_end_matches(|c| !encodes(c));
        if run.len() >= SHORTEST && is_mixed(run) {
            out.push_str(text.get(copied..start).unwrap_or_default());
            out.push_str(&format!("[{} characters of encoded data]", run.len()));
            copied = start + run.len();
        }
        start += piece.len();
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

fn encodes(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '_' | '-')
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
    fn what_can_be_read_is_left_alone() {
        for text in ["", "short aB3", &"=".repeat(300), &"word ".repeat(100), &"lower".repeat(60)] {
            assert_eq!(without_encoded(text), text);
        }
    }
}
