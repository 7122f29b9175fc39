//! The things that a conversation is about: identifiers with what they are, and how they stand now.

use epitome_columns::{SortedMap, SortedSet, sort_by};

use super::json::Field;
use epitome::tokens::Tokenizer;
use epitome_text::identifier;
use epitome_text::letters::is_alphanumeric;
use epitome_text::stop_words::StopWords;

/// A thing that can be named again.
#[derive(Clone, Debug, PartialEq)]
struct Thing {
    /// What it is: a key, or the word before it.
    label: String,
    value: String,
    /// Its latest status, if one was stated.
    status: Option<String>,
    /// How likely it is needed again, when it was last mentioned.
    worth: f32,
    /// The message that mentioned it last, by its number in `Known::messages`.
    mentioned: u32,
    /// The numbers of the messages that mention it, ascending, each once.
    sources: Vec<u32>,
}

/// All things, in the order of their first mention.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Known {
    things: Vec<Thing>,
    by_value: SortedMap<String, usize>,
    /// How many messages were read.
    messages: u32,
    /// The number of the message that is read.
    number: u32,
    stop_words: StopWords,
}

/// Where a thing was mentioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mention {
    /// By a person or the model.
    Said,
    /// In the arguments of a call.
    Argument,
    /// The same of a call that changes something.
    Changed,
    /// In a result, or in a block of code.
    Result,
    /// In an earlier summary.
    Earlier,
}

impl Mention {
    fn worth(self) -> f32 {
        match self {
            Self::Argument => 3.0,
            Self::Changed => 8.0,
            Self::Said => 2.0,
            Self::Earlier => 2.5,
            Self::Result => 0.5,
        }
    }
}

/// How much of its worth a thing has left after each message without it.
const AGING: f32 = 0.995;
/// The least budget, in tokens, in which things have a status: in a smaller one another thing says more.
const LEAST_FOR_STATUS: u32 = 120;
/// The same for lines that say which messages they are from.
const LEAST_FOR_SOURCES: u32 = 400;
/// The most messages that a line names: the latest.
const MOST_SOURCES: usize = 4;
/// About as many tokens as these take.
const SOURCES: u32 = 6;
/// The longest label, in bytes.
const MAX_LABEL: usize = 32;

impl Known {
    /// The message of this number begins.
    pub(super) fn age(&mut self, number: u32) {
        self.number = number;
        self.messages = self.messages.saturating_add(1);
    }

    /// Reads a value of JSON.
    pub(super) fn field(&mut self, field: Field<'_>, mention: Mention) {
        let value = identifier::trimmed(field.value);
        if !field.key.is_empty() && is_thing(value) {
            // A list of ids is about the same kind of thing as one of them.
            let one = field.key.strip_suffix('s').filter(|key| key.ends_with("_id"));
            self.mention(one.unwrap_or(field.key), value, mention);
        }
    }

    /// Reads code: `setModel` and `entryIndex` of `session.setModel(entryIndex)`.
    pub(super) fn code(&mut self, code: &str, mention: Mention) {
        let names = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        for name in names.filter(|name| is_code(name)) {
            self.mention(CODE, name, mention);
        }
    }

    /// Reads a sentence.
    pub(super) fn sentence(&mut self, text: &str) {
        for name in text.split('`').skip(1).step_by(2) {
            if is_file(name) {
                self.mention(FILE, name, Mention::Said);
            }
            self.code(name, Mention::Said);
        }
        identifier::for_each(text, |value, before| {
            if !is_thing(value) {
                return;
            }
            if self.by_value.contains_key(value) {
                self.mention("", value, Mention::Said);
                return;
            }
            let behind = text.get(before.len()..).and_then(|text| text.split_once(value));
            if is_quantity(value, behind.map_or("", |(_, behind)| behind), &self.stop_words) {
                return;
            }
            // What a short number is stands near before it: words before those say something else. A long one is a number of
            // something, such as a customer.
            let named = last_words(before, words_before(value));
            if let Some(label) = identifier::label(named, &self.stop_words) {
                self.mention(&label, value, Mention::Said);
            }
        });
    }

    /// Notes how a thing stands now.
    pub(super) fn status(&mut self, value: &str, status: &str) {
        let known = self.by_value.get(value).and_then(|at| self.things.get_mut(*at));
        if let Some(thing) = known {
            thing.status = Some(status.to_owned());
        }
    }

    fn mention(&mut self, label: &str, value: &str, mention: Mention) {
        let now = self.messages;
        let known = self.by_value.get(value).and_then(|at| self.things.get_mut(*at));
        match known {
            Some(thing) => {
                thing.worth = thing.worth_at(now) + mention.worth();
                thing.mentioned = now;
                if thing.sources.last().is_none_or(|last| *last < self.number) {
                    thing.sources.push(self.number);
                }
                // A key says better what it is than the word before it.
                if mention != Mention::Said && !label.is_empty() && label.len() <= MAX_LABEL {
                    label.clone_into(&mut thing.label);
                }
            }
            None if label.is_empty() || label.len() > MAX_LABEL => {}
            None => {
                self.by_value.insert(value.to_owned(), self.things.len());
                let (label, value) = (label.to_owned(), value.to_owned());
                let worth = mention.worth() * kind_factor(&value);
                let sources = match mention {
                    Mention::Earlier => Vec::new(),
                    _ => vec![self.number],
                };
                let mentioned = now;
                self.things.push(Thing { label, value, status: None, worth, mentioned, sources });
            }
        }
    }

    /// Reads a line of an earlier state.
    pub(super) fn parse(&mut self, line: &str) {
        let named = line.strip_prefix('[').and_then(|line| line.split_once("] "));
        let (sources, line) = named.unwrap_or(("", line));
        let sources: Vec<u32> =
            sources.split(", ").filter_map(|number| number.parse().ok()).collect();
        let Some((label, values)) = line.split_once(": ") else { return };
        for entry in values.split(", ") {
            let (value, status) =
                match entry.strip_suffix(')').and_then(|entry| entry.split_once(" (")) {
                    Some((value, status)) => (value, Some(status)),
                    None => (entry, None),
                };
            self.mention(label, value, Mention::Earlier);
            if let Some(thing) = self.by_value.get(value).and_then(|at| self.things.get_mut(*at)) {
                sources.clone_into(&mut thing.sources);
            }
            if let Some(status) = status {
                self.status(value, status);
            }
        }
    }

    /// The things that are worth most for their tokens, in at most `budget`, a line for each label.
    pub(super) fn lines(&self, budget: u32, tokenizer: &dyn Tokenizer) -> Vec<String> {
        let with_status = budget >= LEAST_FOR_STATUS;
        let with_sources = budget >= LEAST_FOR_SOURCES;
        let head = if with_sources { 3 + SOURCES } else { 3 };
        let mut order: Vec<(usize, f32, u32)> = self
            .things
            .iter()
            .enumerate()
            .map(|(at, thing)| {
                let status = thing.status.as_deref().filter(|_| with_status).unwrap_or_default();
                let cost = tokenizer.count(&thing.value).saturating_add(tokenizer.count(status));
                let cost = cost.saturating_add(2);
                (at, thing.worth_at(self.messages) / cost as f32, cost)
            })
            .collect();
        sort_by(&mut order, |a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        let mut left = budget;
        let mut chosen: SortedMap<&str, Vec<usize>> = SortedMap::new();
        // A path says all that its last parts say.
        let mut said: SortedSet<&str> = SortedSet::new();
        for (at, _, cost) in order {
            let Some(thing) = self.things.get(at).filter(|thing| !thing.is_part(&said)) else {
                continue;
            };
            let head = match chosen.contains_key(thing.label.as_str()) {
                true => 0,
                false => tokenizer.count(&thing.label).saturating_add(head),
            };
            let cost = cost.saturating_add(head);
            if cost <= left {
                left -= cost;
                chosen.entry(&thing.label).or_default().push(at);
                for (slash, _) in thing.value.match_indices('/') {
                    said.extend(thing.value.get(slash + 1..));
                }
            }
        }
        let is_part = |at: &usize| self.things.get(*at).is_some_and(|thing| thing.is_part(&said));
        chosen.values_mut().for_each(|group| group.retain(|at| !is_part(at)));
        chosen.retain(|_, group| !group.is_empty());
        let mut groups: Vec<Vec<usize>> = chosen.into_values().collect();
        groups.iter_mut().for_each(|group| group.sort_unstable());
        sort_by(&mut groups, Ord::cmp);
        let line = |group: &Vec<usize>| {
            let mut line = match with_sources {
                true => self.sources(group),
                false => String::new(),
            };
            self.write(group, with_status, &mut line);
            line
        };
        groups.iter().map(line).collect()
    }

    /// The latest messages that these are from, as a line begins with them.
    fn sources(&self, group: &[usize]) -> String {
        let things = group.iter().filter_map(|at| self.things.get(*at));
        let latest = |thing: &Thing| {
            thing.sources.iter().rev().take(MOST_SOURCES).copied().collect::<Vec<_>>()
        };
        let numbers = SortedSet::from_iter(things.flat_map(latest));
        let least = numbers.len().saturating_sub(MOST_SOURCES);
        let numbers: Vec<String> = numbers.iter().skip(least).map(u32::to_string).collect();
        match numbers.is_empty() {
            true => String::new(),
            false => format!("[{}] ", numbers.join(", ")),
        }
    }

    fn write(&self, group: &[usize], with_status: bool, line: &mut String) {
        for (at, thing) in group.iter().filter_map(|at| self.things.get(*at)).enumerate() {
            if at == 0 {
                line.push_str(&thing.label);
                line.push_str(": ");
            } else {
                line.push_str(", ");
            }
            line.push_str(&thing.value);
            if let Some(status) = thing.status.as_ref().filter(|_| with_status) {
                line.push_str(" (");
                line.push_str(status);
                line.push(')');
            }
        }
    }
}

impl Thing {
    /// True if nothing is said of it beyond what these parts of paths say.
    fn is_part(&self, said: &SortedSet<&str>) -> bool {
        self.status.is_none() && said.contains(&*self.value)
    }

    /// What it is worth at this message.
    fn worth_at(&self, message: u32) -> f32 {
        self.worth * power(AGING, message.saturating_sub(self.mentioned))
    }
}

/// A power by multiplications only, which give the same bits on every machine.
fn power(base: f32, exponent: u32) -> f32 {
    let (mut result, mut square, mut left) = (1.0, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result *= square;
        }
        square *= square;
        left >>= 1;
    }
    result
}

/// The last words of a text.
fn last_words(text: &str, words: usize) -> &str {
    let mut starts = text.trim_end().rmatch_indices(char::is_whitespace);
    let start = words.checked_sub(1).and_then(|before| starts.nth(before));
    start.and_then(|(at, _)| text.get(at..)).unwrap_or(text)
}

/// How many words before a value can say what it is: one before a time or a number with a point, two before a number of fewer
/// than five digits, as in `a total of 384`.
fn words_before(value: &str) -> usize {
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b':'));
    match is_number {
        true if value.contains(['.', ':']) => 1,
        true if value.len() < 5 => 2,
        _ => usize::MAX,
    }
}

/// True for an identifier that names one thing. `credit_card` names a kind, `morning/noon` a choice, `24-hour` a measure and
/// `25–30` a range.
fn is_thing(value: &str) -> bool {
    let number = value.bytes().take_while(u8::is_ascii_digit).count();
    let behind = value.get(number..).unwrap_or_default();
    let is_measure = behind
        .strip_prefix('-')
        .is_some_and(|unit| !unit.is_empty() && unit.bytes().all(|byte| byte.is_ascii_lowercase()));
    if number > 0 && (is_measure || behind.starts_with('–')) {
        return false;
    }
    let is_path = value.bytes().filter(|byte| *byte == b'/').count() > 1;
    let names = value.bytes().any(|byte| byte.is_ascii_digit()) || value.contains('@') || is_path;
    names && identifier::is_identifier(value) && !value.contains([' ', '\\', ','])
}

/// True for a number that counts what the word behind it says (`371 litres`), and for the year of a source (`Nemecek, 2018)`).
fn is_quantity(value: &str, behind: &str, stop_words: &StopWords) -> bool {
    if !value.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',')) {
        return false;
    }
    let is_year = value.len() == 4
        && (value.starts_with("19") || value.starts_with("20"))
        && behind.starts_with(')');
    let word = behind.strip_prefix(' ').unwrap_or_default();
    let word = word.split(|c: char| !is_alphanumeric(c)).next().unwrap_or_default();
    let is_counted = word.starts_with(char::is_lowercase) && !stop_words.contain(word);
    is_year || is_counted
}

/// The kind of things that names of code are.
const CODE: &str = "code";
/// The kind of things that names of files are.
const FILE: &str = "file";
/// The ends of names of files, as far as they are not words of code as well.
const ENDINGS: &str = "ts tsx js jsx mjs cjs rs py go java kt rb php c h cc cpp hpp cs swift sh sql md txt json jsonl yaml yml \
    toml ini lock html css scss csv tsv xml svg png jpg pdf docx xlsx ipynb proto";

/// True for the name of a file between backticks, with or without its folders.
fn is_file(name: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    let ending = name.rsplit_once('.').filter(|(stem, _)| stem.ends_with(char::is_alphanumeric));
    ending.is_some_and(|(_, ending)| ENDINGS.split_whitespace().any(|own| own == ending))
        && (4..=200).contains(&name.len())
        && name.chars().all(is_name)
}

/// True for a name between backticks that is written as in code: `setModel` or `max_tokens`.
fn is_code(name: &str) -> bool {
    let joins =
        |pair: &[u8]| matches!(pair, [b'a'..=b'z', b'A'..=b'Z' | b'_'] | [b'_', b'a'..=b'z']);
    (4..=40).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && name.as_bytes().windows(2).any(joins)
}

/// Codes are used again more often than plain numbers, such as prices.
fn kind_factor(value: &str) -> f32 {
    let has_letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    if has_letter { 2.0 } else { 1.0 }
}
