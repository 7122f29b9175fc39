//! Takes the thinking that some models put before their text out of it, while it arrives.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Passes text on without a `<think>…</think>` at its start, and without white space before it.
#[derive(Debug, Default)]
pub(crate) struct Thinking {
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// Nothing passed on yet; what arrived may still become the opening tag.
    Start(String),
    /// Inside; the end of what arrived may still become the closing tag.
    Inside(String),
    /// Behind the closing tag, before the text.
    After,
    /// In the text.
    Text,
}

impl Default for Place {
    fn default() -> Self {
        Self::Start(String::new())
    }
}

impl Thinking {
    /// The part of the text so far that is known to be text, and was not passed on before.
    pub(crate) fn push(&mut self, delta: &str) -> String {
        let mut rest = delta.to_owned();
        loop {
            match &mut self.place {
                Place::Text => return rest,
                Place::After => {
                    let text = rest.trim_start();
                    if !text.is_empty() {
                        self.place = Place::Text;
                    }
                    return text.to_owned();
                }
                Place::Start(seen) => {
                    seen.push_str(&rest);
                    let text = seen.trim_start();
                    if let Some(thought) = text.strip_prefix(OPEN) {
                        rest = thought.to_owned();
                        self.place = Place::Inside(String::new());
                    } else if OPEN.starts_with(text) {
                        return String::new();
                    } else {
                        rest = text.to_owned();
                        self.place = Place::Text;
                    }
                }
                Place::Inside(seen) => {
                    seen.push_str(&rest);
                    if let Some((_, text)) = seen.split_once(CLOSE) {
                        rest = text.to_owned();
                        self.place = Place::After;
                    } else {
                        *seen = last_chars(seen, CLOSE.len() - 1);
                        return String::new();
                    }
                }
            }
        }
    }

    /// What was held back, now that nothing more can turn it into a tag.
    pub(crate) fn finish(self) -> String {
        match self.place {
            Place::Start(seen) => seen.trim_start().to_owned(),
            Place::Inside(_) | Place::After | Place::Text => String::new(),
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

    /// Whatever the pieces, the same text passes.
    fn check(text: &str, expected: &str) {
        let chars: Vec<String> = text.chars().map(String::from).collect();
        for size in 1..=chars.len().max(1) {
            let mut thinking = Thinking::default();
            let mut passed = String::new();
            for piece in chars.chunks(size) {
                passed += &thinking.push(&piece.concat());
            }
            passed += &thinking.finish();
            assert_eq!(passed, expected, "{text:?} in pieces of {size}");
        }
    }

    #[test]
    fn thinking_at_the_start_is_taken_out() {
        check("<think>hm</think>\n\nText", "Text");
        check("\n<think>a < b, é, </thin </think>Text \n", "Text \n");
        check("<think></think>Text", "Text");
        check("<think>never closed", "");
        check("<think>only</think>", "");
    }

    #[test]
    fn anything_else_passes() {
        check("Text <think>no</think>", "Text <think>no</think>");
        check("<thin", "<thin");
        check("<thing>Text", "<thing>Text");
        check(" \nText  with  space ", "Text  with  space ");
        check("", "");
    }
}
