//! Encoded data such as base64 in a text: a summarizer cannot read it, and it takes very many tokens.

use std::borrow::Cow;

/// The least length of a run of base64 characters that counts as encoded data.
const MIN_LENGTH: usize = 200;

/// Replaces every run of encoded data by a note of its length. Linear. In plain text, only about one byte in
/// `MIN_LENGTH` is read, because a byte that is not base64 rules out all runs that would contain it.
pub fn without_encoded(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let mut copied = 0;
    // Where the next run can begin: at the start of the text, or after a byte that belongs to no run.
    let mut start = 0;
    while let Some(window) = bytes.get(start..start + MIN_LENGTH) {
        // No run of this length can begin before the last byte of the window that is not base64.
        if let Some(broken) = window.iter().rposition(|byte| !encodes(*byte)) {
            start += broken + 1;
            continue;
        }
        let run = Run::at_start_of(bytes.get(start..).unwrap_or_default());
        let Run { length, .. } = run;
        let end = start + length;
        if run.is_mixed() {
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
    kinds(byte) != 0
}

/// What a byte of a run can be.
const DIGIT: u8 = 1;
const CAPITAL: u8 = 2;
const SMALL: u8 = 4;
const HEXADECIMAL: u8 = 8;
const ANY: u8 = 16;

/// The kinds of each byte; of one that belongs to no run, none.
static KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0_u8;
    while let Some(kind) = kinds.split_at_mut(byte as usize).1.first_mut() {
        *kind = match byte {
            b'0'..=b'9' => ANY | DIGIT | HEXADECIMAL,
            b'A'..=b'F' => ANY | CAPITAL | HEXADECIMAL,
            b'G'..=b'Z' => ANY | CAPITAL,
            b'a'..=b'f' => ANY | SMALL | HEXADECIMAL,
            b'g'..=b'z' => ANY | SMALL,
            b'+' | b'/' | b'=' | b'_' | b'-' => ANY,
            _ => 0,
        };
        let Some(next) = byte.checked_add(1) else { break };
        byte = next;
    }
    kinds
};

fn kinds(byte: u8) -> u8 {
    KINDS.get(usize::from(byte)).copied().unwrap_or_default()
}

/// A run of base64 characters.
struct Run {
    length: usize,
    /// The kinds of which it has a byte.
    some: u8,
    /// The kinds that all of its bytes are.
    all: u8,
}

impl Run {
    fn at_start_of(bytes: &[u8]) -> Self {
        let (mut some, mut all) = (0, u8::MAX);
        let belongs = |byte: &&u8| {
            let kinds = kinds(**byte);
            some |= kinds;
            all &= if kinds == 0 { all } else { kinds };
            kinds != 0
        };
        let length = bytes.iter().take_while(belongs).count();
        Self { length, some, all }
    }

    /// True if it looks like encoded data. A long path or a ruled line has no digits, or no letters of both cases.
    fn is_mixed(&self) -> bool {
        let has = |kinds: u8| self.some & kinds == kinds;
        has(DIGIT | CAPITAL | SMALL) || (has(DIGIT) && self.all & HEXADECIMAL != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_data_is_replaced_by_its_length() {
        let data = "iVBORw0KGgo/".repeat(20);
        let text = format!("see data:image/png;base64,{data}== and 👍 go on");
        assert_eq!(
            without_encoded(&text),
            "see data:image/png;base64,[242 characters of encoded data] and 👍 go on"
        );
        assert_eq!(without_encoded(&"0f".repeat(150)), "[300 characters of encoded data]");
    }

    #[test]
    fn runs_of_any_length_are_found_anywhere() {
        let run = |length: usize| "aB3/".chars().cycle().take(length).collect::<String>();
        for length in [200, 201, 399, 400, 401, 1_000] {
            for before in ["", "é", "a b ", "…\n", "\u{0}"] {
                let note = format!("[{length} characters of encoded data]");
                let text = format!("{before}{0}é{0} {1}\u{301}", run(length), run(199));
                let expected = format!("{before}{note}é{note} {}\u{301}", run(199));
                assert_eq!(without_encoded(&text), expected, "{length} after {before:?}");
            }
        }
    }

    #[test]
    fn readable_text_is_not_changed() {
        for text in ["", "short aB3", &"=".repeat(300), &"word ".repeat(100), &"lower".repeat(60)] {
            assert_eq!(without_encoded(text), text);
        }
    }
}
