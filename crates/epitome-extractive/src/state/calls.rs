//! What was done with tools: each call once, with how often it was made and how it last went.

use std::collections::VecDeque;

use epitome_columns::{SortedMap, sort_by_key};

use super::digest::digest;
use super::json;
use epitome::tokens::Tokenizer;
use epitome_text::excerpt::split;

/// All calls, in the order of their first time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Calls {
    calls: Vec<Call>,
    by_text: SortedMap<String, usize>,
    /// The calls that wait for a result, with their tools.
    open: VecDeque<usize>,
}

#[derive(Clone, Debug, PartialEq)]
struct Call {
    /// Tool and arguments.
    text: String,
    count: u32,
    /// How it last went; empty if that says nothing.
    outcome: String,
    /// The shape of its last result; empty if the outcome says it all.
    digest: String,
    /// Whether it failed, and whether a later run did not.
    failure: Failure,
    /// The message of the last call.
    called: u32,
    /// The messages of the calls and their results, the latest last.
    sources: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Failure {
    #[default]
    None,
    Open,
    Resolved,
}

/// Keys of the argument that is enough to know what a call was about.
const SUBJECTS: [&str; 8] =
    ["path", "file_path", "filePath", "filename", "file", "command", "cmd", "query"];
/// The most arguments of a call, if none is its subject.
const MAX_ARGUMENTS: usize = 3;
/// The longest subject and the longest outcome, in characters.
const LONGEST: usize = 100;
const TIMES: &str = " ×";
const OUTCOME: &str = " → ";
const RESOLVED: &str = " (failed before)";
/// From this budget for calls on, in tokens, the shape of results is written; in a smaller one, another call says more.
const LEAST_FOR_DIGESTS: u32 = 240;

impl Calls {
    /// A call with its arguments.
    ///
    /// Returns the argument that says what the call is about, if one does.
    pub(super) fn call(&mut self, tool: &str, arguments: &str, number: u32) -> Option<String> {
        let subject = subject(arguments);
        let text = match &subject {
            Some(subject) => format!("{tool} {subject}"),
            None => {
                let mut text = tool.to_owned();
                let mut count = 0;
                json::for_each(arguments, |field| {
                    count += 1;
                    if count <= MAX_ARGUMENTS {
                        text.push_str(if count == 1 { " " } else { ", " });
                        text.push_str(field.value);
                    }
                });
                text
            }
        };
        let at = self.add(&text, 1, number);
        self.open.push_back(at);
        subject
    }

    fn add(&mut self, text: &str, count: u32, number: u32) -> usize {
        let known = self.by_text.get(text).copied();
        if let Some(call) = known.and_then(|at| self.calls.get_mut(at)) {
            call.count = call.count.saturating_add(count);
            call.called = number;
            call.sources.push(number);
            return known.unwrap_or_default();
        }
        let at = self.calls.len();
        self.by_text.insert(text.to_owned(), at);
        let (text, outcome) = (text.to_owned(), String::new());
        let (digest, failure, sources) = (String::new(), Failure::None, vec![number]);
        let called = number;
        self.calls.push(Call { text, count, outcome, digest, failure, called, sources });
        at
    }

    /// The result of the earliest call that has none.
    pub(super) fn result(&mut self, text: &str, number: u32) {
        let Some(at) = self.open.pop_front() else { return };
        if let Some(call) = self.calls.get_mut(at) {
            call.outcome = outcome(text);
            call.digest = digest(text);
            call.failure = match (fails(&call.outcome), call.failure) {
                (true, _) => Failure::Open,
                (false, Failure::None) => Failure::None,
                (false, Failure::Open | Failure::Resolved) => Failure::Resolved,
            };
            call.sources.push(number);
        }
    }

    /// Reads a line of an earlier state.
    pub(super) fn parse(&mut self, line: &str, number: u32) {
        let (line, failure) = match line.strip_suffix(RESOLVED) {
            Some(line) => (line, Failure::Resolved),
            None => (line, Failure::None),
        };
        let (text, outcome) = line.split_once(OUTCOME).unwrap_or((line, ""));
        let (text, count) = match text.rsplit_once(TIMES) {
            Some((text, count)) => (text, count.parse().unwrap_or(1)),
            None => (text, 1),
        };
        let at = self.add(text, count, number);
        if let Some(call) = self.calls.get_mut(at) {
            outcome.clone_into(&mut call.outcome);
            call.failure = if fails(outcome) { Failure::Open } else { failure };
        }
    }

    /// The latest calls that fit `budget`, in order.
    pub(super) fn lines(&self, budget: u32, tokenizer: &dyn Tokenizer) -> Vec<String> {
        let mut latest: Vec<&Call> = self.calls.iter().collect();
        sort_by_key(&mut latest, |call| std::cmp::Reverse(call.number()));
        let mut left = budget;
        let mut lines = Vec::new();
        for call in latest {
            let line = call.line(budget >= LEAST_FOR_DIGESTS);
            let cost = tokenizer.count(&line).saturating_add(2);
            if cost > left {
                break;
            }
            left -= cost;
            lines.push(line);
        }
        lines.reverse();
        lines
    }
}

impl Call {
    /// The latest message but its result.
    fn number(&self) -> u32 {
        self.called
    }

    fn line(&self, with_digest: bool) -> String {
        let mut line = format!("[{}] {}", self.number(), self.text);
        if self.count > 1 {
            line.push_str(TIMES);
            line.push_str(&self.count.to_string());
        }
        if !self.outcome.is_empty() {
            line.push_str(OUTCOME);
            line.push_str(&self.outcome);
        } else if with_digest && !self.digest.is_empty() {
            line.push_str(OUTCOME);
            line.push_str(&self.digest);
        }
        if self.failure == Failure::Resolved {
            line.push_str(RESOLVED);
        }
        line
    }
}

/// The value of the argument that says what a call is about, on one line.
pub(super) fn subject(arguments: &str) -> Option<String> {
    SUBJECTS.iter().find_map(|key| {
        let (_, after) = arguments.split_once(&format!("\"{key}\":"))?;
        let value = after.trim_start().strip_prefix('"')?;
        let end = value.find(['"', '\\']).unwrap_or(value.len());
        let value = split(value.get(..end)?.trim(), LONGEST).0;
        (!value.is_empty()).then(|| value.split_whitespace().collect::<Vec<_>>().join(" "))
    })
}

/// Words of a line that says what went wrong.
const FAILURES: [&str; 8] =
    ["error", "Error", "failed", "FAILED", "not found", "panicked", "denied", "Exception"];

/// True for a line that says that something went wrong.
fn fails(line: &str) -> bool {
    // A count of none, as in `0 failed`, is not a failure.
    let counts_none = ["0 failed", "0 errors", "no errors"].iter().any(|none| line.contains(none));
    !counts_none && FAILURES.iter().any(|word| line.contains(word))
}

/// The line of a result that says how a call went; empty if none does.
fn outcome(text: &str) -> String {
    if json::is_json(text) {
        return String::new();
    }
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines.clone().take(200).find(|line| fails(line)).or_else(|| {
        // A short result says how it went as a whole; of a long one the end does, if it is a sentence.
        let last = lines.next_back()?;
        (text.len() <= LONGEST || last.contains(' ')).then_some(last)
    });
    let line = line.unwrap_or_default().replace(OUTCOME, " ");
    split(&line, LONGEST).0.to_owned()
}
