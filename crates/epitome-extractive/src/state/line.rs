//! A line of a state: what a message says, who said it, and which lines fit in a number of tokens.

use std::borrow::Cow;

use epitome::tokens::Tokenizer;
use epitome_columns::{SortedSet, sort_by_key};
use epitome_text::excerpt::split;
use epitome_text::sentence;
use epitome_text::speaker::speaker as short;

/// A line that does not fit is shortened, but not to fewer characters than this: less says nothing.
const LEAST_LINE: usize = 60;

/// A text with the messages that it is from.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line {
    /// The numbers of the messages, the latest last; 0 is an earlier summary without one.
    pub(super) sources: Vec<u32>,
    /// Who said it, as the head of an entry has it; empty for somebody without a name.
    pub(super) speaker: String,
    pub(super) text: String,
    /// The text of the line of an earlier state that it takes the place of.
    pub(super) replaces: Option<String>,
}

impl Line {
    pub(super) fn new(number: u32, speaker: &str, text: impl Into<String>) -> Self {
        // Without a name there is only one user.
        let speaker = if speaker.contains(' ') { short(speaker) } else { String::new() };
        Self { sources: vec![number], speaker, text: text.into(), replaces: None }
    }

    /// The latest message.
    pub(super) fn number(&self) -> u32 {
        self.sources.last().copied().unwrap_or_default()
    }

    /// What is written before the text.
    pub(super) fn head(&self) -> String {
        let number = self.number();
        match self.speaker.is_empty() {
            true => format!("[{number}] "),
            false => format!("[{number}] {}: ", self.speaker),
        }
    }
}

/// The tokens of a line with its mark.
pub(super) fn cost(line: &str, tokenizer: &dyn Tokenizer) -> u32 {
    tokenizer.count(line).saturating_add(2)
}

/// Of lines with their places, the most important first, those that fit `budget`: by their places, and each sentence of a speaker
/// once. All but the first have at most `longest` characters, and one that does not fit is shortened further.
pub(super) fn chosen<'a>(
    lines: impl IntoIterator<Item = (usize, &'a Line)>,
    budget: u32,
    longest: usize,
    tokenizer: &dyn Tokenizer,
) -> Vec<String> {
    let mut left = budget;
    let mut seen = SortedSet::new();
    let mut chosen: Vec<(usize, String)> = Vec::new();
    for (place, line) in lines {
        let sentences = sentence::split(&line.text);
        let speaker = line.speaker.as_str();
        let mut own = SortedSet::new();
        let (mut said, mut left_out, mut is_whole) = (String::new(), false, true);
        for sentence in &sentences {
            if seen.contains(&(speaker, *sentence)) || !own.insert((speaker, *sentence)) {
                (left_out, is_whole) = (true, false);
                continue;
            }
            if !said.is_empty() {
                // Sentences with another one between them are not written as if they followed each other.
                said.push_str(if left_out { sentence::SEPARATOR } else { " " });
            }
            said.push_str(sentence);
            left_out = false;
        }
        let text = match is_whole {
            true => Cow::Borrowed(line.text.as_str()),
            false => Cow::Owned(said),
        };
        if text.is_empty() {
            continue;
        }
        let whole = chosen.is_empty().then_some(text.len());
        let lengths = std::iter::successors(Some(longest), |length| Some(length / 2));
        let lengths = lengths.take_while(|length| *length >= LEAST_LINE);
        let texts = whole
            .into_iter()
            .chain(lengths)
            .map(|length| format!("{}{}", line.head(), shortened(&text, length)));
        let fitting =
            texts.map(|text| (cost(&text, tokenizer), text)).find(|(cost, _)| *cost <= left);
        if let Some((cost, text)) = fitting {
            left -= cost;
            chosen.push((place, text));
            seen.extend(own);
        }
        if left == 0 {
            break;
        }
    }
    sort_by_key(&mut chosen, |(place, _)| *place);
    chosen.into_iter().map(|(_, text)| text).collect()
}

/// At most so many characters of a text, up to the end of a word where words have blanks between them, with a mark of the cut.
pub(super) fn shortened(text: &str, length: usize) -> Cow<'_, str> {
    let (kept, rest) = split(text, length);
    if rest.is_empty() {
        return Cow::Borrowed(text);
    }
    let word = match rest.starts_with(' ') {
        true => None,
        false => kept.rfind(' ').filter(|at| *at > kept.len() / 2),
    };
    let kept = word.and_then(|at| kept.get(..at)).unwrap_or(kept);
    Cow::Owned(format!("{}{CUT}", kept.trim_end().trim_end_matches(CUT)))
}

/// Ends a line that was shortened.
const CUT: char = '…';

#[cfg(test)]
mod tests {
    use super::*;
    use epitome::tokens::CharactersPer;

    #[test]
    fn d10_sentences_of_a_request_that_do_not_follow_each_other_are_set_apart() {
        let lines = [
            Line::new(1, "user", "The price is 5 euros."),
            Line::new(4, "user", "We met on Monday. The price is 5 euros. Ask Nora. Then call me."),
        ];
        let chosen = chosen(lines.iter().enumerate(), 200, 100, &CharactersPer(4));
        assert_eq!(
            chosen,
            ["[1] The price is 5 euros.", "[4] We met on Monday. · Ask Nora. Then call me."]
        );
    }
}
