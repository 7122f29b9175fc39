//! What an agent needs later: I_need, the identifiers of a prefix that it uses in what follows and that are still there.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::data;
use crate::tokens;

/// A conversation cut in two.
pub(crate) struct Cut {
    /// The messages before, without the system prompt.
    pub(crate) prefix: Vec<Value>,
    /// Their tokens.
    pub(crate) tokens: usize,
    /// The identifiers in them that the assistant uses in the next 8,000 tokens.
    needed: BTreeSet<String>,
}

/// How many tokens after the cut count.
const HORIZON: usize = 8_000;

impl Cut {
    /// The conversation cut at 40, 60 and 80 % of its messages, as far as an identifier is needed there.
    pub(crate) fn of(messages: &[Value]) -> Vec<Self> {
        let shares = [0.4, 0.6, 0.8];
        let cuts = shares.map(|share| Self::at(messages, (messages.len() as f64 * share) as usize));
        cuts.into_iter().flatten().collect()
    }

    fn at(messages: &[Value], at: usize) -> Option<Self> {
        let (before, after) = messages.split_at(at.min(messages.len()));
        let prefix: Vec<Value> =
            before.iter().filter(|message| message["role"] != "system").cloned().collect();
        let known: BTreeSet<String> =
            prefix.iter().flat_map(|message| identifiers(&data::text_of(message))).collect();
        let mut needed = BTreeSet::new();
        let mut read = 0;
        for message in after {
            let text = data::text_of(message);
            read += tokens::count(&text);
            if read > HORIZON {
                break;
            }
            if message["role"] == "assistant" {
                needed.extend(identifiers(&text).into_iter().filter(|name| known.contains(name)));
            }
        }
        let tokens = prefix.iter().map(|message| tokens::count(&data::text_of(message))).sum();
        (!needed.is_empty()).then_some(Self { prefix, tokens, needed })
    }

    /// The messages at the end that fit, and those before them.
    pub(crate) fn tail(&self, budget: usize) -> (&[Value], String) {
        let mut left = budget;
        let mut start = self.prefix.len();
        for (at, message) in self.prefix.iter().enumerate().rev() {
            let tokens = tokens::count(&data::text_of(message));
            if tokens > left {
                break;
            }
            left -= tokens;
            start = at;
        }
        let (before, tail) = self.prefix.split_at(start);
        (before, tail.iter().map(data::text_of).collect::<Vec<_>>().join("\n"))
    }

    /// The share of the needed identifiers that are in the tail, or in the summary; of the summary, only those in whose
    /// clause a word says what they are if `labelled`.
    pub(crate) fn score(&self, tail: &str, summary: &str, labelled: bool) -> f64 {
        let mut there = identifiers(tail);
        for line in summary.lines() {
            if labelled {
                labelled_in(line, &mut there);
            } else {
                there.extend(identifiers(line));
            }
        }
        self.needed.iter().filter(|name| there.contains(*name)).count() as f64
            / self.needed.len() as f64
    }

    /// The needed identifiers that are in neither.
    pub(crate) fn missing(&self, tail: &str, summary: &str) -> Vec<&String> {
        let mut there = identifiers(tail);
        there.extend(identifiers(summary));
        self.needed.iter().filter(|name| !there.contains(*name)).collect()
    }

    /// A list of the identifiers of the prefix without any label, the latest first.
    pub(crate) fn bare_list(&self, budget: usize) -> String {
        let mut list = String::new();
        let mut seen = BTreeSet::new();
        for message in self.prefix.iter().rev() {
            for name in identifiers(&data::text_of(message)) {
                let longer = format!("{list} {name}");
                if !seen.contains(&name) && tokens::count(&longer) <= budget {
                    list = longer;
                    seen.insert(name);
                }
            }
        }
        list
    }
}

/// Words of a line that say who spoke, not what something is.
const NO_LABELS: [&str; 12] = [
    "user",
    "assistant",
    "tool",
    "earlier",
    "calls",
    "answers",
    "the",
    "and",
    "for",
    "you",
    "your",
    "with",
];

/// Adds the identifiers of a line that has a word before or after them in the same clause.
fn labelled_in(line: &str, there: &mut BTreeSet<String>) {
    for clause in line.split([';', '·']) {
        let names = identifiers(clause);
        let is_label = |word: &str| {
            word.chars().count() >= 2
                && word.chars().all(char::is_alphabetic)
                && !NO_LABELS.contains(&word.to_lowercase().as_str())
        };
        let without =
            names.iter().fold(clause.to_owned(), |text, name| text.replace(name.as_str(), " "));
        if without.split(|c: char| !c.is_alphabetic()).any(is_label) {
            there.extend(names);
        }
    }
}

/// The identifiers of a text: codes, paths, addresses, e-mail addresses, times, and numbers of three digits or more.
pub(crate) fn identifiers(text: &str) -> BTreeSet<String> {
    let delimits = |c: char| c.is_whitespace() || "\"'`()[]{}<>,;|=*“”‘’，。、；：（）".contains(c);
    // Arguments are JSON in JSON, and results may have been escaped once more.
    let text = text.replace("\\n", " ").replace("\\\"", "\"");
    let mut names = BTreeSet::new();
    for word in text.split(delimits) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/');
        let word = word.strip_prefix(['$', '€', '#']).unwrap_or(word);
        if is_identifier(word) {
            names.insert(word.to_owned());
        }
    }
    names
}

fn is_identifier(word: &str) -> bool {
    if !(3..=120).contains(&word.len()) {
        return false;
    }
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    let is_time = word.contains(':') && digits >= 3 && letters == 0;
    let is_mail = word.split_once('@').is_some_and(|(_, host)| host.contains('.'));
    let is_path = letters >= 3 && (word.matches('/').count() >= 2 || word.starts_with('/'));
    let is_url = word.contains("://");
    let is_code = digits >= 1 && letters >= 1 && word.len() >= 4;
    digits >= 3 || is_time || is_mail || is_path || is_url || is_code
}
