//! What is wrong with a request, which compaction broke it, and what a repair does.

use std::collections::BTreeSet;

use epitome_formats::{
    Detection, Format, Issue, IssueCode, RepairedMessage, Strictness, detect, repair, validate,
    validate_locked,
};
use serde_json::Value;

use super::refusal::Refusal;
use crate::language::t;

/// How summaries begin, as this engine and other programs write them, in lower case.
const SUMMARIES: [&str; 6] = [
    "<conversation-summary",
    "<summary>",
    "this session is being continued from a previous conversation",
    "summary of the conversation",
    "conversation summary",
    "the conversation history before this point was compacted",
];

/// How far into a message the beginning of a summary is looked for, in bytes.
const SUMMARY_WITHIN: usize = 400;

/// An issue of the request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    /// The issue.
    pub(super) issue: Issue,
    /// True if the provider's error names its message.
    pub(super) is_named: bool,
    /// How a compaction caused it, if it looks so.
    pub(super) broken_by: Option<String>,
}

/// What a repair does with one message.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// The message at an index is removed.
    Removed(usize),
    /// A message takes the place of those at these indices; none: it is added.
    Written(Vec<usize>, Value),
}

/// All about a request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Diagnosis {
    /// The format of its messages.
    pub(super) format: Format,
    /// The number of its messages.
    pub(super) messages: usize,
    /// What is wrong, in the order of the messages.
    pub(super) found: Vec<Found>,
    /// What the provider's error says.
    pub(super) refusal: Option<Refusal>,
    /// What a repair does, in order; empty if it changes nothing.
    pub(super) steps: Vec<Step>,
    /// What a repair leaves, because it would have to guess.
    pub(super) left: Vec<Issue>,
    /// The repaired messages.
    pub(super) repaired: Vec<Value>,
}

/// Examines the messages of a request. `error` is what the provider answered, `earlier` has the messages of the requests before
/// it; both may be empty. Costs O(n log n).
pub(super) fn examine(messages: &[Value], error: &str, earlier: &[Vec<Value>]) -> Diagnosis {
    let format = match detect(messages) {
        Detection::Known(format) => format,
        Detection::Unclear => Format::OpenAiChat,
    };
    let mut issues = validate(messages, format, Strictness::Strictest);
    if !earlier.is_empty() {
        issues.extend(validate_locked(messages, earlier, format));
        issues.sort_by_key(Issue::message_index);
    }
    let refusal = Refusal::of(error);
    let named = refusal.and_then(|refusal| refusal.message);
    let summary = messages.iter().position(is_summary);
    let found = issues.into_iter().map(|issue| {
        // Providers name the call or the message behind it.
        let is_named = named.is_some_and(|named| issue.message_index().abs_diff(named) <= 1);
        let broken_by = broken_by(&issue, summary);
        Found { issue, is_named, broken_by }
    });
    let found = found.collect();
    let outcome = repair(messages, format);
    let mut used = BTreeSet::new();
    let mut steps = Vec::new();
    let mut repaired = Vec::new();
    for message in outcome.messages {
        match message {
            RepairedMessage::Keep(index) => {
                used.insert(index);
                repaired.extend(messages.get(index).cloned());
            }
            RepairedMessage::Composed { sources, message } => {
                used.extend(sources.iter().copied());
                repaired.push(message.clone());
                steps.push(Step::Written(sources, message));
            }
        }
    }
    let removed = (0..messages.len()).filter(|index| !used.contains(index)).map(Step::Removed);
    let steps = removed.chain(steps).collect();
    Diagnosis {
        format,
        messages: messages.len(),
        found,
        refusal,
        steps,
        left: outcome.left,
        repaired,
    }
}

/// True if a message begins with what looks like a summary.
fn is_summary(message: &Value) -> bool {
    let mut texts = Vec::new();
    collect_texts(message, &mut texts);
    texts.into_iter().any(|text| {
        let start = text.get(..text.floor_char_boundary(SUMMARY_WITHIN)).unwrap_or_default();
        let start = start.to_lowercase();
        SUMMARIES.iter().any(|summary| start.contains(summary))
    })
}

fn collect_texts<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(fields) => fields.values().for_each(|field| collect_texts(field, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// How a compaction caused an issue: it took away what the message belongs to. `summary` is the index of the first summary.
fn broken_by(issue: &Issue, summary: Option<usize>) -> Option<String> {
    let index = issue.message_index();
    let number = match summary {
        Some(summary) if summary < index => Some(summary + 1),
        // What is cut without a summary is cut at the beginning.
        None if index <= 1 => None,
        _ => return None,
    };
    Some(match (issue.code, number) {
        (IssueCode::OrphanResult | IssueCode::MisplacedResult, Some(number)) => t!(
            "The compaction that wrote the summary in message {number} took away the call that this result answers.",
            number
        ),
        (IssueCode::OrphanResult | IssueCode::MisplacedResult, None) => {
            t!("Something cut the beginning of the conversation, and with it the call that this result answers.").to_owned()
        }
        (IssueCode::BoundReasoning, Some(number)) => t!(
            "The compaction that wrote the summary in message {number} took away messages before this reasoning.",
            number
        ),
        (IssueCode::BoundReasoning, None) => {
            t!("Something cut the beginning of the conversation, and with it messages before this reasoning.").to_owned()
        }
        (IssueCode::NotUserFirst, Some(number)) => t!(
            "The compaction that wrote the summary in message {number} took away the user message that came first.",
            number
        ),
        (IssueCode::NotUserFirst, None) => {
            t!("Something cut the beginning of the conversation, and with it the user message that came first.").to_owned()
        }
        _ => return None,
    })
}

/// The rule that an issue breaks, in a few words.
pub(super) fn rule(code: IssueCode) -> &'static str {
    match code {
        IssueCode::NotAMessage => t!("every entry is a message"),
        IssueCode::UnknownPart | IssueCode::ForeignPart => t!("parts are of this format"),
        IssueCode::UnknownRole => t!("the role is one of this format"),
        IssueCode::MissingContent => t!("a message has content"),
        IssueCode::NotText => t!("text is text"),
        IssueCode::MissingArguments | IssueCode::BrokenArguments => {
            t!("arguments of a call are JSON")
        }
        IssueCode::MissingResult => t!("every call has its result"),
        IssueCode::OrphanResult => t!("every result has its call"),
        IssueCode::RepeatedResult => t!("a call has one result"),
        IssueCode::MisplacedResult => t!("results stand right behind their calls"),
        IssueCode::SplitResults => t!("results of one turn are in one message"),
        IssueCode::SharedCallId | IssueCode::ReusedCallId => t!("every call has an id of its own"),
        IssueCode::RefusedCallId | IssueCode::MissingCallId => t!("ids of calls are well-formed"),
        IssueCode::RepeatedId | IssueCode::MissingId | IssueCode::RefusedId => {
            t!("every message has an id of its own")
        }
        IssueCode::BlankMessage | IssueCode::BlankText => t!("nothing is empty"),
        IssueCode::NothingSaid => t!("there is a message to answer"),
        IssueCode::SystemInside => t!("system messages come first"),
        IssueCode::NotUserFirst => t!("a user message comes first"),
        IssueCode::AssistantLast => t!("the last message is not the model’s"),
        IssueCode::SameRoleTwice => t!("roles alternate"),
        IssueCode::UnsignedReasoning => t!("reasoning has its signature"),
        IssueCode::ReasoningAlone => t!("an answer follows reasoning"),
        IssueCode::BoundReasoning => {
            t!("reasoning stays behind the messages it was written behind")
        }
        IssueCode::EmptyCompaction | IssueCode::MisplacedCompaction => {
            t!("the provider’s own compaction is whole and in its place")
        }
        IssueCode::LoneSurrogate => t!("text is valid Unicode"),
        IssueCode::Unreachable => t!("the model can get back what a note stands for"),
        IssueCode::Lost => t!("the format can hold everything"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn user(text: &str) -> Value {
        json!({ "role": "user", "content": text })
    }

    fn result(id: &str) -> Value {
        json!({ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": id, "content": "done" },
        ] })
    }

    #[test]
    fn a3_a_result_whose_call_was_summarized_is_blamed_on_the_compaction() {
        let messages = [user("<summary>They talked.</summary>"), result("t1"), user("go on")];
        let error = "messages.1.content.0: unexpected `tool_use_id` found in `tool_result` blocks";
        let diagnosis = examine(&messages, error, &[]);
        assert_eq!(diagnosis.format, Format::Anthropic);
        let orphan = diagnosis.found.iter().find(|it| it.issue.code == IssueCode::OrphanResult);
        let orphan = orphan.unwrap();
        assert!(orphan.is_named);
        let blamed = "The compaction that wrote the summary in message 1 took away the call that this result answers.";
        assert_eq!(orphan.broken_by.as_deref(), Some(blamed));
        assert!(diagnosis.steps.contains(&Step::Removed(1)), "{:?}", diagnosis.steps);
        assert_eq!(diagnosis.left, []);
    }

    #[test]
    fn a3_messages_that_are_accepted_need_no_repair() {
        let diagnosis = examine(&[user("hi")], "", &[]);
        assert_eq!((diagnosis.found, diagnosis.steps, diagnosis.refusal), (vec![], vec![], None));
    }

    #[test]
    fn k7_thinking_that_is_bound_to_another_prefix_is_found_by_the_request_before() {
        let thinking = json!({ "role": "assistant", "content": [
            { "type": "thinking", "thinking": "hm", "signature": "signed" },
            { "type": "text", "text": "yes" },
        ] });
        let before = vec![user("one"), thinking.clone(), user("two")];
        let now = [user("ONE"), thinking, user("three")];
        let codes = |earlier: &[Vec<Value>]| -> Vec<IssueCode> {
            examine(&now, "", earlier).found.iter().map(|found| found.issue.code).collect()
        };
        assert_eq!(codes(&[]), []);
        assert_eq!(codes(&[before]), [IssueCode::BoundReasoning]);
    }
}
