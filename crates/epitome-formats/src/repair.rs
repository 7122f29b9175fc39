//! Messages that a provider accepts, made of messages that it would refuse.

use epitome::history::View;
use epitome::history::pairing::Pairing;
use epitome::message::{Message, MessageId, Part};
use epitome_columns::{SortedMap, SortedSet};
use serde::Serialize;
use serde_json::{Value, json};

use crate::compose::{Grouping, Outgoing};
use crate::issue::{Issue, IssueCode, Severity};
use crate::parsed::ParsedMessages;
use crate::registry::{Format, Reading};
use crate::slices::{Slices, at_once};
use crate::validate::{Strictness, validate_parsed};

/// Repaired messages, and what was repaired.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// The messages, in order.
    pub messages: Vec<RepairedMessage>,
    /// Issues of the original messages that the result no longer has.
    pub done: Vec<Issue>,
    /// Issues that the result still has, because a repair would be a guess.
    pub left: Vec<Issue>,
}

/// A message of a repaired list.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum RepairedMessage {
    /// The message at this index, unchanged.
    Keep(usize),
    /// A message that was changed or added.
    Composed {
        /// Indices of the messages that it was made of.
        sources: Vec<usize>,
        /// The message.
        message: Value,
    },
}

/// Moves results behind their calls, adds missing results, removes what no provider accepts, and makes
/// arguments valid JSON, which keeps the original text as `unparsed`. Values that are not messages are
/// removed. Costs O(n log n).
pub fn repair(messages: &[Value], format: Format) -> Repaired {
    at_once(repair_in_slices(messages, format, &mut Slices::none()))
}

/// The same in slices.
pub async fn repair_in_slices(messages: &[Value], format: Format, slices: &mut Slices) -> Repaired {
    let parsed = ParsedMessages::in_slices(format, messages, slices).await;
    let before = repairable(&parsed, messages, format, slices).await;
    let is_odd = odd_messages(&parsed, format);
    slices.rest(messages.len()).await;
    let log = parsed.into_log_in_slices(slices).await;
    let contract = format.contract();
    slices.rest(log.len()).await;
    let pairing = Pairing::of(log.messages());
    slices.rest(log.len()).await;
    let view = View::repaired_by(&log, &contract, &pairing);
    drop(pairing);
    slices.rest(log.len()).await;
    let mut grouping = Grouping::default();
    let add = &mut |range| {
        grouping.add(&log, view.edits.get(range).unwrap_or_default(), &contract);
    };
    slices.each(view.edits.len(), add).await;
    let outgoing = grouping.finish(format, &log, &view);
    slices.rest(log.len()).await;
    let mut writing = Writing { format, messages, is_odd, ids: MessageIds::default() };
    let mut repaired = Vec::with_capacity(outgoing.len());
    let write = &mut |range| {
        let outgoing: &[Outgoing] = outgoing.get(range).unwrap_or_default();
        repaired.extend(outgoing.iter().map(|outgoing| writing.write(outgoing)));
    };
    slices.each(outgoing.len(), write).await;
    // To free the memory of a long list takes as long as a slice.
    drop((outgoing, view));
    slices.rest(messages.len()).await;
    drop(log);
    slices.rest(messages.len()).await;
    let kept = repaired.iter().map(|message| match message {
        RepairedMessage::Keep(index) => Some(*index),
        RepairedMessage::Composed { .. } => None,
    });
    if kept.eq((0..messages.len()).map(Some)) {
        let left = before.into_iter().filter(|issue| issue.severity == Severity::Refused);
        return Repaired { messages: repaired, done: Vec::new(), left: left.collect() };
    }
    // The result is validated again and not assumed to be right: an issue must not be reported as repaired if
    // it is not.
    let mut values: Vec<Value> = Vec::with_capacity(repaired.len());
    let copy = &mut |range| {
        let repaired: &[RepairedMessage] = repaired.get(range).unwrap_or_default();
        values.extend(repaired.iter().map(|message| match message {
            RepairedMessage::Keep(index) => messages.get(*index).cloned().unwrap_or_default(),
            RepairedMessage::Composed { message, .. } => message.clone(),
        }));
    };
    slices.each(repaired.len(), copy).await;
    let parsed = ParsedMessages::in_slices(format, &values, slices).await;
    let mut left = repairable(&parsed, &values, format, slices).await;
    let sources = |issue: &Issue| match repaired.get(issue.message_index()) {
        // It is about the whole list.
        _ if !issue.path.starts_with("messages[") => vec![0],
        Some(RepairedMessage::Keep(index)) => vec![*index],
        Some(RepairedMessage::Composed { sources, .. }) => sources.clone(),
        None => Vec::new(),
    };
    let done = without(before, &left, sources);
    left.retain(|issue| issue.severity == Severity::Refused);
    Repaired { messages: repaired, done, left }
}

/// Repaired messages in the making.
struct Writing<'a> {
    format: Format,
    messages: &'a [Value],
    is_odd: Vec<bool>,
    ids: MessageIds,
}

impl Writing<'_> {
    fn write(&mut self, outgoing: &Outgoing) -> RepairedMessage {
        let Self { format, messages, is_odd, ids } = self;
        let index = |id: &MessageId| id.as_str().parse::<usize>().ok();
        let original = |id: &MessageId| messages.get(index(id)?);
        // Most messages are as they have to be, and are not copied.
        if let Outgoing::Keep(id) = outgoing
            && let Some(index) = index(id).filter(|index| is_odd.get(*index) == Some(&false))
            && messages.get(index).is_some_and(|value| ids.add(*format, value))
        {
            return RepairedMessage::Keep(index);
        }
        let (sources, mut value) = match outgoing {
            Outgoing::Keep(id) => (vec![id], original(id).cloned().unwrap_or_default()),
            Outgoing::Composed(recipe) => {
                (recipe.sources().collect(), recipe.compose(*format, original))
            }
        };
        let sources: Vec<usize> = sources.into_iter().filter_map(index).collect();
        let kept = matches!(outgoing, Outgoing::Keep(_));
        // `|` and not `||`: both have to run, also on a message that the first one has changed.
        let changed = normalize(*format, &mut value) | ids.make_unique(*format, &mut value);
        match sources.as_slice() {
            [only] if kept && !changed => RepairedMessage::Keep(*only),
            _ => RepairedMessage::Composed { sources, message: value },
        }
    }
}

/// What the provider refuses, and blank messages also where only some servers refuse them: a repair removes those without a
/// text too, and nothing may disappear that is not listed.
async fn repairable(
    parsed: &ParsedMessages<'_>,
    values: &[Value],
    format: Format,
    slices: &mut Slices,
) -> Vec<Issue> {
    let strictest = Strictness::Strictest;
    let mut issues = validate_parsed(parsed, values, format, strictest, slices).await;
    issues.retain(|Issue { severity, code, .. }| {
        *severity == Severity::Refused || *code == IssueCode::BlankMessage
    });
    issues
}

/// For each message, whether [`normalize`] may change it.
fn odd_messages(parsed: &ParsedMessages<'_>, format: Format) -> Vec<bool> {
    let mut is_odd = vec![false; parsed.contents.len()];
    let broken = parsed.steps.iter().filter(|step| has_broken_arguments(format, &step.message));
    let noted = parsed.issues.iter().map(Issue::message_index);
    for index in broken.map(|step| step.index).chain(noted) {
        if let Some(is_odd) = is_odd.get_mut(index) {
            *is_odd = true;
        }
    }
    is_odd
}

/// True if a call in the message has arguments that its provider does not accept.
fn has_broken_arguments(format: Format, message: &Message) -> bool {
    message.parts.iter().any(|part| match part {
        Part::ToolCall { arguments, .. } => !format.conformance().accepts_arguments(arguments),
        _ => false,
    })
}

/// The ids of the messages so far.
#[derive(Default)]
struct MessageIds(SortedSet<String>);

impl MessageIds {
    /// Takes note of the id of a message. False if an earlier one has it.
    fn add(&mut self, format: Format, value: &Value) -> bool {
        let id = format.conformance().message_id(value);
        id.is_none_or(|id| self.0.insert(id.to_owned()))
    }

    /// Gives a message another id if an earlier one has its id. True if the message was changed.
    fn make_unique(&mut self, format: Format, value: &mut Value) -> bool {
        let conformance = format.conformance();
        let Some(id) = conformance.message_id(value).map(str::to_owned) else { return false };
        if self.0.insert(id.clone()) {
            return false;
        }
        let mut others = (2..).map(|number| format!("{id}-{number}"));
        others.find(|other| !self.0.contains(other)).is_some_and(|other| {
            let changed = conformance.set_message_id(value, &other);
            self.0.insert(other);
            changed
        })
    }
}

/// The issues of `before` that are not left. Paths change when messages move, so each issue that is left stands for one of
/// the same code in a message that its own was made of, which `sources` gives. Costs O(n log n).
fn without(
    before: Vec<Issue>,
    left: &[Issue],
    sources: impl Fn(&Issue) -> Vec<usize>,
) -> Vec<Issue> {
    let mut by_place: SortedMap<(IssueCode, usize), Vec<usize>> = SortedMap::new();
    for (number, issue) in before.iter().enumerate() {
        by_place.entry((issue.code, issue.message_index())).or_default().push(number);
    }
    let remaining = left.iter().filter_map(|issue| {
        let mut places = sources(issue).into_iter().map(|source| (issue.code, source));
        places.find_map(|place| by_place.get_mut(&place)?.pop())
    });
    let remaining = SortedSet::from_iter(remaining);
    let gone = before.into_iter().enumerate().filter(|(number, _)| !remaining.contains(number));
    gone.map(|(_, issue)| issue).collect()
}

impl Format {
    /// Gives a message the form of its format where it has another one and that needs no guess: an unknown role, content
    /// of another type, or arguments that are not JSON, of which the text is kept as `unparsed`. True if it was changed.
    pub fn normalize(self, value: &mut Value) -> bool {
        normalize(self, value)
    }

    /// True if [`Self::normalize`] would change the message `value`, which was read as `reading`. Linear in its tool
    /// calls, unless something is wrong with it.
    pub fn is_malformed(self, value: &Value, reading: &Reading) -> bool {
        let is_odd = !reading.issues.is_empty()
            || reading.messages.iter().any(|message| has_broken_arguments(self, message))
            || !self.dialect().check(value).is_empty();
        is_odd && normalize(self, &mut value.clone())
    }
}

/// Repairs a message by itself. True if it was changed.
fn normalize(format: Format, value: &mut Value) -> bool {
    let (dialect, conformance) = (format.dialect(), format.conformance());
    let mut changed = conformance.normalize(value);
    let original = value.clone();
    let Ok(content) = dialect.read(&original) else { return changed };
    for item in content.steps.iter().flat_map(|step| &step.items) {
        let broken = |arguments: &&str| !conformance.accepts_arguments(arguments);
        let Some(arguments) = item.part.arguments().filter(broken) else { continue };
        // The input of such a tool is any text, so that text which is not JSON is not a defect.
        if item.at.get(&original).is_some_and(|item| conformance.has_free_text_arguments(item)) {
            continue;
        }
        let arguments = match arguments.trim() {
            "" => json!({}),
            _ => json!({ "unparsed": arguments }),
        };
        // Some formats repeat a call in several places, and their SDKs decide which of them is sent.
        for at in item.places() {
            if let Some(place) = at.get_mut(value) {
                dialect.set_arguments(place, &arguments.to_string());
                changed = true;
            }
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a3_a_removed_blank_message_is_listed_also_where_the_provider_accepts_it() {
        let user = json!({ "role": "user", "content": "hi" });
        let blank = json!({ "type": "reasoning", "summary": [] });
        let repaired = repair(&[user, blank], Format::OpenAiResponses);
        assert_eq!(repaired.messages, [RepairedMessage::Keep(0)]);
        let done: Vec<(&str, IssueCode)> =
            repaired.done.iter().map(|issue| (issue.path.as_str(), issue.code)).collect();
        assert_eq!(done, [("messages[1]", IssueCode::BlankMessage)]);
        assert_eq!(repaired.left, []);
    }

    #[test]
    fn a3_a_message_of_empty_texts_stays_where_the_provider_accepts_it() {
        let user = json!({ "role": "user", "content": "" });
        let assistant = json!({ "role": "assistant", "content": " " });
        for (format, kept) in [(Format::OpenAiResponses, 3), (Format::OpenAiChat, 1)] {
            let hi = json!({ "role": "user", "content": "hi" });
            let repaired = repair(&[hi, user.clone(), assistant.clone()], format);
            assert_eq!(repaired.messages.len(), kept, "{format:?}");
            assert_eq!(repaired.done.len(), 3 - kept, "{format:?}");
            assert_eq!(repaired.left, []);
        }
    }

    #[test]
    fn a3_a_blank_system_message_stays_also_where_blank_texts_are_refused() {
        let blank = json!({ "role": "system", "content": " " });
        let user = json!({ "role": "user", "content": "hi" });
        let repaired = repair(&[blank, user], Format::Anthropic);
        assert_eq!(repaired.messages, [RepairedMessage::Keep(0), RepairedMessage::Keep(1)]);
        assert_eq!((repaired.done, repaired.left), (vec![], vec![]));
    }

    #[test]
    fn a_message_is_malformed_if_it_has_another_form_than_that_of_its_format() {
        let function = json!({ "name": "f", "arguments": "{}" });
        let call = json!({ "id": "c", "type": "function", "function": function });
        let nameless = json!({ "role": "user", "parts": [{ "type": "text", "text": "hi" }] });
        let chat = Format::OpenAiChat;
        for (format, message, malformed) in [
            (chat, json!({ "role": "user", "content": "hi" }), false),
            (chat, json!({ "role": "User", "content": "hi" }), true),
            (chat, json!({ "role": "assistant", "content": null, "tool_calls": [call] }), false),
            (chat, json!({ "role": "assistant", "content": [], "tool_calls": [call] }), true),
            // What is wrong with it cannot be repaired.
            (Format::AiSdkUi, nameless, false),
        ] {
            let reading = format.read(&"m".into(), &message).unwrap();
            assert_eq!(format.is_malformed(&message, &reading), malformed, "{message}");
        }
    }

    #[test]
    fn a_message_is_malformed_if_the_arguments_of_its_call_have_to_be_repaired() {
        for (arguments, malformed) in [("{\"a\": 1}", false), ("{\"a\": 1", true)] {
            let call = json!({
                "id": "c", "type": "function", "function": { "name": "f", "arguments": arguments }
            });
            let message = json!({ "role": "assistant", "content": null, "tool_calls": [call] });
            let reading = Format::OpenAiChat.read(&"m".into(), &message).unwrap();
            assert_eq!(
                Format::OpenAiChat.is_malformed(&message, &reading),
                malformed,
                "{arguments}"
            );
        }
    }
}
