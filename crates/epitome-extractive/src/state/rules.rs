//! Standing instructions and decisions: of several about the same thing, the newest with the older value in brackets.

use epitome_columns::SortedMap;

use super::cue::{self, Standing};
use super::line::Line;
use epitome_text::stop_words::StopWords;

/// All that hold, in the order in which they were said.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rules {
    lines: Vec<Line>,
    /// The latest line about each topic, by its words without the values.
    by_topic: SortedMap<String, usize>,
    /// How many of the lines are from an earlier state; they come first.
    earlier: usize,
    stop_words: StopWords,
}

/// The tokens of a summary that says what the user prefers. In fewer, it costs more of what the conversation is about.
const LEAST_FOR_PREFERENCES: u32 = 600;

const BEFORE: &str = " (before: ";

impl Rules {
    /// Adds a sentence. One that says that something changes replaces the one before it about the same topic, and has its
    /// value in brackets. Linear in the sentence, but for the search of the topic.
    pub(super) fn add(&mut self, mut line: Line) {
        let (topic, values) = self.topic(&line.text);
        let earlier = self.by_topic.get(&topic).copied();
        if let Some(at) = earlier.filter(|_| !topic.is_empty() && cue::changes(&line.text)) {
            let old = self.lines.get_mut(at).map(std::mem::take);
            if let Some(old) = old {
                let (_, before) = self.topic(&old.text);
                let before: Vec<&str> = before
                    .iter()
                    .map(String::as_str)
                    .filter(|value| !values.iter().any(|own| own == value))
                    .collect();
                if !before.is_empty() {
                    line.text.push_str(BEFORE);
                    line.text.push_str(&before.join(", "));
                    line.text.push(')');
                }
                line.sources.splice(0..0, old.sources);
                line.replaces = if at < self.earlier { Some(old.text) } else { old.replaces };
            }
        }
        self.parse_as(topic, line);
    }

    /// Adds a line of an earlier state.
    pub(super) fn parse(&mut self, line: Line) {
        let (topic, _) = self.topic(&line.text);
        self.parse_as(topic, line);
        self.earlier = self.lines.len();
    }

    fn parse_as(&mut self, topic: String, line: Line) {
        self.by_topic.insert(topic, self.lines.len());
        self.lines.push(line);
    }

    /// Goes on with the latest line.
    pub(super) fn extend(&mut self, more: &str) {
        if let Some(last) = self.lines.last_mut() {
            last.text.push(' ');
            last.text.push_str(more);
        }
    }

    /// The lines with their places: what the user has said of all turns to come before other instructions and decisions, these
    /// before plans, and what was cut off so far that it is none of them last; of each, the newest first.
    /// In fewer than [`LEAST_FOR_PREFERENCES`] tokens there are no preferences: recall brings them when they matter.
    pub(super) fn by_worth(&self, target_tokens: u32) -> Vec<(usize, &Line)> {
        let standing = |text: &str| match cue::standing(text) {
            Some(Standing::Preference) if target_tokens < LEAST_FOR_PREFERENCES => {
                cue::instructs(text).map(Some)
            }
            standing => Some(standing),
        };
        let lines = self.lines.iter().enumerate().rev();
        let lines = lines.filter_map(|line| Some((standing(&line.1.text)?, line)));
        let lines: Vec<_> = lines.collect();
        let of = |wanted: Option<Standing>| {
            lines.iter().filter(move |(standing, _)| *standing == wanted).map(|(_, line)| *line)
        };
        let held = [Standing::Instruction, Standing::Preference, Standing::Rule, Standing::Plan];
        held.into_iter().flat_map(|standing| of(Some(standing))).chain(of(None)).collect()
    }

    /// The lines; one that was replaced is empty.
    pub(super) fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// What a sentence is about, and its values: numbers, identifiers and capitalized words but the first.
    fn topic(&self, text: &str) -> (String, Vec<String>) {
        let (mut topic, mut values) = (String::new(), Vec::new());
        for (at, word) in without_earlier_value(text).split_whitespace().enumerate() {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            let is_code = word.contains(|c: char| c.is_ascii_digit() || c == '_' || c == '/');
            if is_code || (at > 0 && word.starts_with(char::is_uppercase)) {
                values.push(word.to_owned());
                continue;
            }
            let word = word.to_lowercase().replace(['\'', '’'], "");
            if !word.is_empty() && !self.stop_words.contain(&word) && !cue::changes(&word) {
                topic.push_str(&word);
                topic.push(' ');
            }
        }
        match values.is_empty() {
            true => (String::new(), values),
            false => (topic, values),
        }
    }
}

/// A line without the earlier value in brackets.
pub(super) fn without_earlier_value(text: &str) -> &str {
    text.split_once(BEFORE).map_or(text, |(text, _)| text)
}
