//! The notes that stand in a view in place of text which is not there any more, and how to find them again.

/// What stands in place of a cleared tool result, unless a policy has another text.
pub const CLEARED: &str = "[cleared]";
/// The first message of a view whose provider needs one of the user there.
pub const EARLIER_LEFT_OUT: &str = "[what was said before is left out]";

const PUT_ASIDE: (&str, &str, &str) = ("[put aside: all ", " tokens are in ", "]");
const TRUNCATED: (&str, &str, &str) = ("[truncated: ", " tokens at first, at most ", " now]");
const CHARACTERS: &str = " characters left out]";
const ITEMS: &str = " more left out]";

/// In a tool result that is kept under a path: how long it is, and the path.
pub fn put_aside(tokens: u32, path: &str) -> String {
    let (start, middle, end) = PUT_ASIDE;
    format!("{start}{tokens}{middle}{path}{end}")
}

/// In a tool result of which at most so many tokens are left.
pub fn truncated(tokens: u32, most: u32) -> String {
    let (start, middle, end) = TRUNCATED;
    format!("{start}{tokens}{middle}{most}{end}")
}

/// In place of a long value among the arguments of a tool.
pub fn characters_left_out(count: usize) -> String {
    format!("[{count}{CHARACTERS}")
}

/// Behind the first values of a list among the arguments of a tool.
pub fn items_left_out(count: usize) -> String {
    format!("[{count}{ITEMS}")
}

/// What a note stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note<'a> {
    /// Text that is kept under this path.
    PutAside {
        /// The path by which the app returns the text.
        path: &'a str,
    },
    /// Text that only a search in the conversation finds.
    LeftOut,
}

impl<'a> Note<'a> {
    /// The note that a line, or a value among the arguments of a tool, is. `None` for any other text.
    #[must_use]
    pub fn of(line: &'a str) -> Option<Self> {
        if line == CLEARED || line == EARLIER_LEFT_OUT {
            return Some(Self::LeftOut);
        }
        if let Some((tokens, path)) = between(line, PUT_ASIDE) {
            return (is_number(tokens) && !path.is_empty()).then_some(Self::PutAside { path });
        }
        let is_truncated =
            between(line, TRUNCATED).is_some_and(|(all, most)| is_number(all) && is_number(most));
        let count = line.strip_prefix('[');
        let count = count
            .and_then(|rest| rest.strip_suffix(CHARACTERS).or_else(|| rest.strip_suffix(ITEMS)));
        (is_truncated || count.is_some_and(is_number)).then_some(Self::LeftOut)
    }
}

/// The two parts of a line between three fixed texts.
fn between<'a>(
    line: &'a str,
    (start, middle, end): (&str, &str, &str),
) -> Option<(&'a str, &'a str)> {
    line.strip_prefix(start)?.strip_suffix(end)?.split_once(middle)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_note_is_found_again_and_nothing_else() {
        let path = "tool-results/call_1.txt";
        assert_eq!(Note::of(&put_aside(1_200, path)), Some(Note::PutAside { path }));
        for note in [truncated(900, 50), characters_left_out(70), items_left_out(3)] {
            assert_eq!(Note::of(&note), Some(Note::LeftOut), "{note}");
        }
        for other in
            ["", "[]", "[ more left out]", "[3 left out]", "[put aside: all 3 tokens are in ]"]
        {
            assert_eq!(Note::of(other), None, "{other}");
        }
        assert_eq!(Note::of(&format!("see {}", items_left_out(3))), None);
    }
}
