//! What happens to names, dates, amounts and quotes in a summary that no message has: by the policy they are marked, taken out,
//! or sent back to the summarizer once.

use std::cmp::Reverse;

use super::job::{Job, Stage};
use crate::policy::Unsupported;
use crate::transcript::Envelope;
use epitome_text::sentence;

/// Stands behind what no message says.
const MARK: &str = " [in no message]";

/// A summary after the check.
pub(super) enum Checked {
    /// It goes on with this text.
    Summary(String),
    /// The summarizer is asked for another one.
    AskAgain(Stage),
}

/// The summary as the policy wants it.
pub(super) fn check_unsupported(
    job: &Job,
    summary: String,
    notes: &str,
    unsupported: &[String],
) -> Checked {
    // A summarizer reads its notes with the text as it was written.
    if unsupported.is_empty() || !notes.is_empty() {
        return Checked::Summary(summary);
    }
    match job.policy.summary.unsupported {
        Unsupported::Report => Checked::Summary(summary),
        Unsupported::AskAgain if !matches!(job.stage, Stage::Correction { .. }) => {
            let envelope = Envelope { previous_summary: summary, ..Envelope::default() };
            Checked::AskAgain(Stage::Correction { envelope, unsupported: unsupported.to_vec() })
        }
        Unsupported::Annotate | Unsupported::AskAgain => {
            Checked::Summary(marked(&summary, unsupported))
        }
        Unsupported::Remove => Checked::Summary(without(&summary, unsupported)),
    }
}

/// The summary with a mark behind each of these texts.
fn marked(summary: &str, unsupported: &[String]) -> String {
    let mut out = String::with_capacity(summary.len());
    let mut rest = summary;
    while let Some((at, text)) = first(rest, unsupported) {
        let (before, after) = rest.split_at(at + text.len());
        out.push_str(before);
        out.push_str(MARK);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The first of these texts in another one, the longest of those that begin there.
fn first<'a>(rest: &str, texts: &'a [String]) -> Option<(usize, &'a str)> {
    let found = texts.iter().filter_map(|text| Some((rest.find(text.as_str())?, text.as_str())));
    found.min_by_key(|(at, text)| (*at, Reverse(text.len())))
}

/// The summary without the sentences that have one of these texts. If nothing is left of it, they are marked instead.
fn without(summary: &str, unsupported: &[String]) -> String {
    let has = |text: &str| unsupported.iter().any(|name| text.contains(name.as_str()));
    let mut lines: Vec<String> = Vec::new();
    for line in summary.lines() {
        if !has(line) {
            lines.push(line.to_owned());
            continue;
        }
        let kept: Vec<&str> = sentence::split(line).into_iter().filter(|text| !has(text)).collect();
        let says_something = |text: &&str| text.chars().any(char::is_alphanumeric);
        if kept.iter().any(says_something) {
            lines.push(kept.join(" "));
        }
    }
    let text = lines.join("\n");
    let is_left = text.lines().any(|line| !line.starts_with('#') && !line.trim().is_empty());
    if is_left { text } else { marked(summary, unsupported) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUMMARY: &str = "## Key facts\nMei flies on HAT136. Karen pays $99.\n- Seat 14C is hers.";

    fn names(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn i37_what_no_message_says_is_marked() {
        let expected = "## Key facts\nMei flies on HAT136. Karen [in no message] pays $99.\n\
            - Seat 14C [in no message] is hers.";
        assert_eq!(marked(SUMMARY, &names(&["14C", "Karen"])), expected);
        assert_eq!(
            marked("5 and 55", &names(&["5", "55"])),
            "5 [in no message] and 55 [in no message]"
        );
    }

    #[test]
    fn i37_sentences_that_no_message_supports_are_taken_out() {
        let expected = "## Key facts\nMei flies on HAT136.";
        assert_eq!(without(SUMMARY, &names(&["14C", "Karen"])), expected);
        let nothing = "## Key facts\nKaren pays.";
        assert_eq!(without(nothing, &names(&["Karen"])), marked(nothing, &names(&["Karen"])));
    }
}
