//! Removes the `<think>…</think>` block that some models write before their answer, while the text arrives.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Passes text on without a `<think>…</think>` block at its start, and without white space before the text.
///
/// A tag may be split over any number of deltas, so text that may still become a tag is held back.
#[derive(Debug, Default)]
pub(crate) struct ThinkingFilter {
    state: State,
}

#[derive(Debug)]
enum State {
    /// No text was passed on yet. Holds the text after leading white space, which may still become the opening tag.
    Start(String),
    /// Inside the block. Holds the last characters, which may be the beginning of the closing tag.
    Inside(String),
    /// After the closing tag, before the text.
    After,
    /// In the text, where a `<think>` is part of the answer.
    Text,
}

impl Default for State {
    fn default() -> Self {
        Self::Start(String::new())
    }
}

impl ThinkingFilter {
    /// Adds a delta, and returns what can be passed on now.
    pub(crate) fn push(&mut self, delta: &str) -> String {
        let mut rest = delta.to_owned();
        loop {
            match &mut self.state {
                State::Text => return rest,
                State::After => {
                    let text = rest.trim_start();
                    if !text.is_empty() {
                        self.state = State::Text;
                    }
                    return text.to_owned();
                }
                State::Start(seen) => {
                    // Leading white space is not stored, because each delta would read all of it again.
                    seen.push_str(if seen.is_empty() { rest.trim_start() } else { &rest });
                    if let Some(inside) = seen.strip_prefix(OPEN) {
                        rest = inside.to_owned();
                        self.state = State::Inside(String::new());
                    } else if OPEN.starts_with(seen.as_str()) {
                        return String::new();
                    } else {
                        rest = std::mem::take(seen);
                        self.state = State::Text;
                    }
                }
                State::Inside(seen) => {
                    seen.push_str(&rest);
                    if let Some((_, text)) = seen.split_once(CLOSE) {
                        rest = text.to_owned();
                        self.state = State::After;
                    } else {
                        // Only characters that may begin the closing tag are kept, because reasoning may be long.
                        *seen = last_chars(seen, CLOSE.len() - 1);
                        return String::new();
                    }
                }
            }
        }
    }

    /// The text that is still held back. At the end of the input, it cannot become a tag any more.
    pub(crate) fn finish(self) -> String {
        match self.state {
            State::Start(seen) => seen,
            State::Inside(_) | State::After | State::Text => String::new(),
        }
    }
}

fn last_chars(text: &str, count: usize) -> String {
    let start = text.char_indices().rev().nth(count.saturating_sub(1)).map_or(0, |(at, _)| at);
    text.get(start..).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that deltas of every length let the same text pass.
    fn check(text: &str, expected: &str) {
        let chars: Vec<String> = text.chars().map(String::from).collect();
        for size in 1..=chars.len().max(1) {
            let mut filter = ThinkingFilter::default();
            let mut passed = String::new();
            for delta in chars.chunks(size) {
                passed += &filter.push(&delta.concat());
            }
            passed += &filter.finish();
            assert_eq!(passed, expected, "{text:?} in deltas of {size}");
        }
    }

    #[test]
    fn a_thinking_block_at_the_start_is_removed() {
        check("<think>hm</think>\n\nText", "Text");
        check("\n<think>a < b, é, </thin </think>Text \n", "Text \n");
        check("<think></think>Text", "Text");
        check("<think>never closed", "");
        check("<think>only</think>", "");
    }

    /// The number of bytes that the next delta reads again.
    fn held(filter: &ThinkingFilter) -> usize {
        match &filter.state {
            State::Start(seen) | State::Inside(seen) => seen.len(),
            State::After | State::Text => 0,
        }
    }

    #[test]
    fn j5_what_is_read_again_does_not_grow_with_the_text() {
        for text in [" ", "\n", "  <thi", "<think>", "<think>a </thin", "<think></think> ", "é"] {
            let mut filter = ThinkingFilter::default();
            filter.push(text);
            for delta in [" ".repeat(40), "\n".repeat(8), "é < ".repeat(10)] {
                for _ in 0..100 {
                    filter.push(&delta);
                    assert!(held(&filter) <= 2 * CLOSE.len(), "{text:?} {delta:?}");
                }
            }
        }
    }

    #[test]
    fn other_text_passes() {
        check("Text <think>no</think>", "Text <think>no</think>");
        check("<thin", "<thin");
        check("<thing>Text", "<thing>Text");
        check(" \nText  with  space ", "Text  with  space ");
        check("", "");
    }
}
