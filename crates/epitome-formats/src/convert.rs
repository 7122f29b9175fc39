//! Messages of one format, written in another.

mod adapt;
mod call_ids;

use std::ops::Range;

use epitome::message::Role;
use epitome::{Contract, Neighbours, ResultPlace};
use epitome_columns::sort_by_key;
use serde_json::Value;

pub use self::adapt::{Adapted, OwnForm, adapt};
use self::call_ids::CallIds;
use crate::compose::are_merged;
use crate::content::{Content, ContentPart};
use crate::dialect::Turn;
use crate::issue::{Issue, IssueCode};
use crate::parsed::ParsedMessages;
use crate::path::Path;
use crate::registry::Format;
use crate::repair::{Repaired, RepairedMessage, repair_in_slices};
use crate::slices::{Slices, at_once};
use crate::validate::{Strictness, validate_in_slices, validate_parsed};

/// Messages in another format, and what that format could not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Converted {
    /// The messages.
    pub messages: Vec<Value>,
    /// For each of them the index of the first original that it was made of.
    pub origins: Vec<usize>,
    /// What was left out or changed, with its path in the original messages.
    pub lost: Vec<Issue>,
    /// What the provider of the target refuses in the messages, with its path in them. Empty for originals that their own
    /// provider accepts, unless nothing is left of them.
    pub left: Vec<Issue>,
}

/// Writes messages in another format. Text, tool calls, tool results and images stay; what the target cannot
/// hold is listed. Messages of a format that requires ids are numbered.
///
/// Messages that their own provider accepts become messages that the provider of the target accepts: if the target has
/// stricter rules, they are repaired for it, as [`repair`] does. Defects of the originals are kept, so that nothing is made
/// up for a call that is still running. Costs O(n log n).
pub fn convert(messages: &[Value], from: Format, to: Format) -> Converted {
    at_once(convert_in_slices(messages, from, to, &mut Slices::none()))
}

/// The same in slices.
pub async fn convert_in_slices(
    messages: &[Value],
    from: Format,
    to: Format,
    slices: &mut Slices,
) -> Converted {
    let parsed = ParsedMessages::in_slices(from, messages, slices).await;
    let not_read = parsed.issues.iter().filter(|issue| issue.code == IssueCode::NotAMessage);
    let mut lost: Vec<Issue> = not_read.cloned().collect();
    let mut turns = Vec::new();
    let read = &mut |range| add_turns(&mut turns, &parsed, messages, range, from, &mut lost);
    slices.each(messages.len(), read).await;
    let (mut written, len) = (Written::default(), turns.len());
    let mut turns = turns.into_iter();
    let write = &mut |range: Range<usize>| {
        for (index, turn) in turns.by_ref().take(range.len()) {
            written.push(index, turn, to, &mut lost);
        }
    };
    slices.each(len, write).await;
    slices.rest(len).await;
    written.number(to);
    slices.rest(len).await;
    let provider = Strictness::Provider;
    let mut left = validate_in_slices(&written.messages, to, provider, slices).await;
    if !left.is_empty()
        && validate_parsed(&parsed, messages, from, provider, slices).await.is_empty()
    {
        left = written.repair(to, &mut lost, slices).await;
    }
    drop(parsed);
    slices.rest(messages.len()).await;
    sort_by_key(&mut lost, Issue::message_index);
    Converted { messages: written.messages, origins: written.origins, lost, left }
}

/// The messages that are written so far.
#[derive(Default)]
struct Written {
    messages: Vec<Value>,
    /// For each of them the index of the first original that it was made of.
    origins: Vec<usize>,
    /// For each of them its number if it was in the target already and is unchanged.
    own: Vec<Option<usize>>,
    /// The role of the last turn.
    last: Option<Role>,
    ids: CallIds,
}

impl Written {
    /// Writes a turn of the message at `index`.
    fn push(&mut self, index: usize, mut turn: Turn<'_>, to: Format, lost: &mut Vec<Issue>) {
        let contract = to.contract();
        // Formats whose roles alternate have no system messages; their dialects write those as the user's.
        let role = match (turn.role, contract.neighbours) {
            (Role::System, Neighbours::Merged) => Role::User,
            (other, _) => other,
        };
        let joins = self.last.is_some_and(|last| continues(last, role, &contract));
        let message = self.messages.len().saturating_sub(usize::from(joins));
        self.ids.replace(&mut turn, message, to);
        let mut losses = Vec::new();
        let written = to.dialect().write(&turn, &mut losses);
        // A message that is blank in the other format is left out.
        let has_content = |value: &Value| {
            let read = to.dialect().read(value).map(|content| content.messages(&"".into()));
            read.is_ok_and(|steps| steps.iter().any(|step| !step.is_blank()))
        };
        let written: Vec<Value> = written.into_iter().filter(has_content).collect();
        if written.is_empty() && losses.is_empty() {
            losses.push("the message is left out: the other format has nothing of it".into());
        }
        let at = Path::key("messages").at(index);
        lost.extend(losses.into_iter().map(|loss| Issue::new(&at, IssueCode::Lost, loss)));
        for value in written {
            match (self.last, self.messages.last_mut(), self.own.last_mut()) {
                (Some(before), Some(message), Some(own)) if continues(before, role, &contract) => {
                    to.dialect().merge(message, value);
                    *own = None;
                }
                _ => {
                    self.messages.push(value);
                    self.origins.push(index);
                    self.own.push(None);
                }
            }
            self.last = Some(role);
        }
    }

    /// Numbers the messages if the format requires it. Last, since merging changes how many there are.
    fn number(&mut self, to: Format) {
        for (number, (message, own)) in self.messages.iter_mut().zip(&self.own).enumerate() {
            if own.is_none() {
                to.conformance().number_message(message, number);
            }
        }
    }

    /// Repairs the messages for the target and lists what it changes. Returns what is left to repair.
    async fn repair(
        &mut self,
        to: Format,
        lost: &mut Vec<Issue>,
        slices: &mut Slices,
    ) -> Vec<Issue> {
        let Repaired { messages, done, left } = repair_in_slices(&self.messages, to, slices).await;
        for issue in done {
            let origin = self.origins.get(issue.message_index()).copied().unwrap_or_default();
            let at = Path::key("messages").at(origin);
            // Behind the semicolon the message has advice for repairing it.
            let problem = issue.message.split("; ").next().unwrap_or_default();
            let repaired = format!("this was repaired for the other format: {problem}");
            lost.push(Issue::new(&at, IssueCode::Lost, repaired));
        }
        let origin = |index: usize| self.origins.get(index).copied().unwrap_or_default();
        let repaired = messages.into_iter().map(|message| match message {
            RepairedMessage::Keep(index) => {
                let own = self.own.get(index).copied().flatten();
                (self.messages.get(index).cloned().unwrap_or_default(), (origin(index), own))
            }
            RepairedMessage::Composed { sources, message } => {
                (message, (sources.first().copied().map_or(0, origin), None))
            }
        });
        let (messages, rest): (Vec<Value>, Vec<(usize, Option<usize>)>) = repaired.unzip();
        (self.origins, self.own) = rest.into_iter().unzip();
        self.messages = messages;
        self.number(to);
        left
    }
}

/// Adds the turns of the next messages, each with the index of its message. Reasoning is joined with the answer that it led
/// to; in a format with one item per call, the calls of one answer are joined.
fn add_turns<'a>(
    turns: &mut Vec<(usize, Turn<'a>)>,
    parsed: &ParsedMessages<'a>,
    messages: &[Value],
    range: Range<usize>,
    from: Format,
    lost: &mut Vec<Issue>,
) {
    // Results can be anywhere only in a format whose calls and results are items of their own.
    let has_call_items = from.contract().results == ResultPlace::AnywhereAfter;
    for (index, content) in range.clone().zip(parsed.contents.get(range).unwrap_or_default()) {
        let Some(content) = content else { continue };
        let own = messages.get(index).into_iter().flat_map(|message| left_out(content, message));
        lost.extend(own.map(|issue| issue.under(&Path::key("messages").at(index))));
        let mut losses = Vec::new();
        let own = turns_of(content, &mut losses);
        let at = Path::key("messages").at(index);
        lost.extend(losses.into_iter().map(|loss| Issue::new(&at, IssueCode::Lost, loss)));
        for turn in own {
            match turns.last_mut() {
                Some((_, before))
                    if before.is_reasoning_for(&turn)
                        || has_call_items && before.calls_continue_in(&turn) =>
                {
                    before.parts.extend(turn.parts);
                }
                _ => turns.push((index, turn)),
            }
        }
    }
}

/// Issues for the provider's own parts, which no other format holds, each at its place.
fn left_out(content: &Content<'_>, message: &Value) -> Vec<Issue> {
    let items = content.steps.iter().flat_map(|step| &step.items);
    let left_out = items.filter_map(|item| {
        let ContentPart::Opaque { kind, .. } = &item.part else { return None };
        let value = item.at.get(message);
        let named = |key: &&str| value?.get(*key)?.as_str();
        let name = ["toolName", "name"].iter().find_map(named);
        let loss = match name.filter(|name| *name != kind) {
            Some(name) => format!("a part of type {kind:?}, of {name:?}, is left out"),
            None => format!("a part of type {kind:?} is left out"),
        };
        Some(Issue::new(&item.at, IssueCode::Lost, loss))
    });
    left_out.collect()
}

/// True if neighbours are one message: those that the provider wants merged, and the steps of an answer in a
/// format whose messages hold calls together with their results.
fn continues(before: Role, role: Role, contract: &Contract) -> bool {
    let steps = contract.results == ResultPlace::Inside;
    are_merged(before, role, contract) || steps && before == Role::Tool && role == Role::Assistant
}

impl Turn<'_> {
    /// True if this turn is only the reasoning that led to the next one.
    fn is_reasoning_for(&self, next: &Turn<'_>) -> bool {
        let is_reasoning = |part: &ContentPart<'_>| matches!(part, ContentPart::Reasoning { .. });
        self.role == Role::Assistant
            && next.role == Role::Assistant
            && self.parts.iter().all(is_reasoning)
    }

    /// True if the next turn is only more calls of this answer.
    fn calls_continue_in(&self, next: &Turn<'_>) -> bool {
        let is_call = |part: &ContentPart<'_>| matches!(part, ContentPart::Call { .. });
        self.role == Role::Assistant
            && next.role == Role::Assistant
            && next.parts.iter().all(is_call)
    }
}

/// The turns of one message.
fn turns_of<'a>(content: &Content<'a>, lost: &mut Vec<String>) -> Vec<Turn<'a>> {
    let mut turns: Vec<Turn<'a>> = Vec::new();
    for step in &content.steps {
        let mut parts: Vec<ContentPart<'a>> = Vec::new();
        let mut calls: Vec<ContentPart<'a>> = Vec::new();
        for item in &step.items {
            match &item.part {
                ContentPart::NotSent | ContentPart::Opaque { .. } => {}
                ContentPart::Reasoning { .. } if step.role != Role::Assistant => {
                    lost.push("reasoning that is not the model's is left out".into());
                }
                // Some formats let others call tools, but all let the model.
                part @ ContentPart::Call { .. } if step.role != Role::Assistant => {
                    calls.push(part.clone());
                }
                part => parts.push(part.clone()),
            }
        }
        // The author is the one of the message, but a tool's result inside of it was not written by them.
        let author = content.author.clone().filter(|_| step.role != Role::Tool);
        if !parts.is_empty() {
            turns.push(Turn { role: step.role, author, parts });
        }
        if !calls.is_empty() {
            turns.push(Turn { role: Role::Assistant, author: None, parts: calls });
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::validate;
    use serde_json::json;

    fn chat() -> Vec<Value> {
        let call = |id: &str| json!({ "id": id, "type": "function", "function": { "name": "look", "arguments": "{\"a\":1}" } });
        let image =
            json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA" } });
        vec![
            json!({ "role": "user", "content": [{ "type": "text", "text": "what is it?" }, image] }),
            json!({ "role": "assistant", "content": null, "tool_calls": [call("one"), call("two")] }),
            json!({ "role": "tool", "tool_call_id": "one", "content": "a cat" }),
            json!({ "role": "tool", "tool_call_id": "two", "content": "a dog" }),
            json!({ "role": "assistant", "content": "a cat and a dog" }),
        ]
    }

    #[test]
    fn results_of_one_turn_become_one_message_if_the_target_requires_it() {
        let converted = convert(&chat(), Format::OpenAiChat, Format::Anthropic);
        assert_eq!(converted.lost, []);
        let roles: Vec<&Value> =
            converted.messages.iter().map(|message| &message["role"]).collect();
        assert_eq!(roles, ["user", "assistant", "user", "assistant"]);
        assert_eq!(converted.messages[2]["content"].as_array().unwrap().len(), 2);
        let found = validate(&converted.messages, Format::Anthropic, Strictness::Provider);
        assert_eq!(found, []);
    }

    #[test]
    fn converting_there_and_back_keeps_text_calls_results_and_images() {
        let there = convert(&chat(), Format::OpenAiChat, Format::Anthropic);
        let back = convert(&there.messages, Format::Anthropic, Format::OpenAiChat);
        assert_eq!((back.messages, back.lost), (chat(), Vec::new()));
    }

    #[test]
    fn parts_that_only_the_provider_has_are_listed_with_their_paths() {
        let ran = |kind: &str| json!({ "type": kind, "toolCallId": "c", "toolName": "web_search", "providerExecuted": true, "input": {}, "output": { "type": "text", "value": "x" } });
        let text = json!({ "type": "text", "text": "so" });
        let content = json!([text, ran("tool-call"), ran("tool-result")]);
        let messages = [json!({ "role": "assistant", "content": content })];
        let converted = convert(&messages, Format::AiSdkModel, Format::OpenAiChat);
        let lost: Vec<(&str, &str)> =
            converted.lost.iter().map(|issue| (&*issue.path, &*issue.message)).collect();
        let loss = |kind: &str| format!("a part of type {kind:?}, of \"web_search\", is left out");
        assert_eq!(
            lost,
            [
                ("messages[0].content[1]", &*loss("tool-call")),
                ("messages[0].content[2]", &*loss("tool-result")),
            ]
        );
        assert_eq!(converted.messages, [json!({ "role": "assistant", "content": "so" })]);
    }

    /// Converts legal messages to every format: the result is legal, or all of it was lost.
    fn check_legal_in_every_format(from: Format, messages: &[Value]) {
        assert_eq!(validate(messages, from, Strictness::Provider), [], "{from:?} {messages:?}");
        for to in Format::ALL {
            let converted = convert(messages, from, to);
            let found = validate(&converted.messages, to, Strictness::Provider);
            assert_eq!(converted.left, found, "{from:?} to {to:?}");
            let codes: Vec<IssueCode> = found.iter().map(|issue| issue.code).collect();
            let all_lost = codes == [IssueCode::NothingSaid] && !converted.lost.is_empty();
            assert!(found.is_empty() || all_lost, "{from:?} to {to:?}: {converted:#?}");
        }
    }

    #[test]
    fn j21_messages_with_only_reasoning_become_legal_in_every_format() {
        let user = json!({ "role": "user", "content": "hi" });
        for role in ["user", "assistant"] {
            let reasons = json!({ "role": role, "content": "", "reasoning_content": "hm" });
            check_legal_in_every_format(Format::OpenAiChat, std::slice::from_ref(&reasons));
            check_legal_in_every_format(Format::OpenAiChat, &[user.clone(), reasons.clone()]);
            let between = [user.clone(), reasons, user.clone()];
            check_legal_in_every_format(Format::OpenAiChat, &between);
        }
    }

    #[test]
    fn j21_calls_whose_results_or_approvals_are_lost_become_legal_in_every_format() {
        let user = json!({ "role": "user", "content": "hi" });
        let call =
            json!({ "type": "tool-call", "toolCallId": "c", "toolName": "look", "input": {} });
        let asks = json!({ "type": "tool-approval-request", "approvalId": "a", "toolCallId": "c" });
        let calls = json!({ "role": "assistant", "content": [call, asks] });
        check_legal_in_every_format(Format::AiSdkModel, &[user.clone(), calls]);
        let part = json!({ "type": "tool-look", "toolCallId": "c", "state": "approval-requested", "input": {}, "approval": { "id": "a" } });
        let message =
            |id: &str, role: &str, part: Value| json!({ "id": id, "role": role, "parts": [part] });
        let said = message("1", "user", json!({ "type": "text", "text": "hi" }));
        check_legal_in_every_format(Format::AiSdkUi, &[said, message("2", "assistant", part)]);
    }

    #[test]
    fn j21_results_anywhere_after_their_calls_become_legal_in_every_format() {
        let call = |id: &str| json!({ "type": "function_call", "call_id": id, "name": "look", "arguments": "{}" });
        let result =
            |id: &str| json!({ "type": "function_call_output", "call_id": id, "output": "a cat" });
        let said = |text: &str| json!({ "role": "user", "content": text });
        let messages =
            [said("hi"), call("a"), said("and?"), call("b"), result("b"), said("so?"), result("a")];
        check_legal_in_every_format(Format::OpenAiResponses, &messages);
    }

    #[test]
    fn j21_calls_with_one_id_in_merged_messages_get_ids_of_their_own() {
        let call =
            json!({ "type": "function_call", "call_id": "c", "name": "look", "arguments": "{}" });
        let result = |output: &str| json!({ "type": "function_call_output", "call_id": "c", "output": output });
        let said = |role: &str| json!({ "role": role, "content": "hi" });
        let (again, answer) = (call.clone(), said("assistant"));
        let messages = [said("user"), call, result("1"), answer, again, result("2")];
        check_legal_in_every_format(Format::OpenAiResponses, &messages);
        let between = [&messages[..2], &messages[4..5], &[result("2"), result("1")]].concat();
        let converted = convert(&between, Format::OpenAiResponses, Format::AiSdkModel);
        let ids = |index: usize| {
            let parts = converted.messages[index]["content"].as_array().unwrap().iter();
            parts.map(|part| part["toolCallId"].as_str().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!((ids(1), ids(2), ids(3)), (vec!["c", "c_2"], vec!["c_2"], vec!["c"]));
    }

    #[test]
    fn j21_calls_of_a_user_become_the_models() {
        let mut messages = chat();
        messages[1]["role"] = "user".into();
        check_legal_in_every_format(Format::OpenAiChat, &messages);
    }

    #[test]
    fn j21_defects_of_the_originals_are_kept_and_listed() {
        let converted = convert(&chat()[..3], Format::OpenAiChat, Format::Anthropic);
        assert_eq!(converted.messages.len(), 3, "no result is made up: {converted:#?}");
        let left: Vec<IssueCode> = converted.left.iter().map(|issue| issue.code).collect();
        assert_eq!(left, [IssueCode::MissingResult]);
    }

    #[test]
    fn what_the_target_cannot_hold_is_listed() {
        let reasoning = json!({ "type": "thinking", "thinking": "hm", "signature": "sig" });
        let text = json!({ "type": "text", "text": "so" });
        let messages = [json!({ "role": "assistant", "content": [reasoning, text] })];
        let converted = convert(&messages, Format::Anthropic, Format::OpenAiChat);
        let lost: Vec<&str> = converted.lost.iter().map(|issue| issue.path.as_str()).collect();
        assert_eq!(lost, ["messages[0]"]);
        assert_eq!(converted.messages[0]["reasoning_content"], "hm");
    }
}
