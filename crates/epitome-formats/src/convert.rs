//! Messages of one format, written in another.

use std::collections::{BTreeMap, BTreeSet};

use epitome::message::Role;
use epitome::{Contract, Neighbours, ResultPlace};
use serde_json::Value;

use crate::compose::are_merged;
use crate::content::{Content, ContentPart};
use crate::dialect::Turn;
use crate::issue::{Issue, IssueCode};
use crate::parsed::ParsedMessages;
use crate::path::Path;
use crate::registry::Format;

/// Messages in another format, and what that format could not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Converted {
    /// The messages.
    pub messages: Vec<Value>,
    /// What was left out or changed, with its path in the original messages.
    pub lost: Vec<Issue>,
}

/// Writes messages in another format. Text, tool calls, tool results and images stay; what the target cannot
/// hold is listed. Messages of a format that requires ids are numbered. Linear.
pub fn convert(messages: &[Value], from: Format, to: Format) -> Converted {
    let parsed = ParsedMessages::of(from, messages);
    let contract = to.contract();
    let not_read = parsed.issues.iter().filter(|issue| issue.code == IssueCode::NotAMessage);
    let mut converted = Converted { messages: Vec::new(), lost: not_read.cloned().collect() };
    let mut last: Option<Role> = None;
    let mut ids = CallIds::default();
    for (index, mut turn) in turns(&parsed, messages, from, &mut converted.lost) {
        let mut lost = Vec::new();
        ids.replace_refused(&mut turn, to);
        let written = to.dialect().write(&turn, &mut lost);
        let at = Path::key("messages").at(index);
        let lost = lost.into_iter().map(|loss| Issue::new(&at, IssueCode::Lost, loss));
        converted.lost.extend(lost);
        // Formats whose roles alternate have no system messages; their dialects write those as the user's.
        let role = match (turn.role, contract.neighbours) {
            (Role::System, Neighbours::Merged) => Role::User,
            (other, _) => other,
        };
        // A message that is blank because all of it was lost is left out: the losses are listed already.
        let has_content = |value: &Value| {
            let read = to.dialect().read(value).map(|content| content.messages(&"".into()));
            read.is_ok_and(|steps| steps.iter().any(|step| !step.is_blank()))
        };
        for value in written.into_iter().filter(has_content) {
            match (last, converted.messages.last_mut()) {
                (Some(before), Some(message)) if continues(before, role, &contract) => {
                    to.dialect().merge(message, value);
                }
                _ => converted.messages.push(value),
            }
            last = Some(role);
        }
    }
    // Last, since merging changes how many messages there are.
    for (number, message) in converted.messages.iter_mut().enumerate() {
        to.dialect().number_message(message, number);
    }
    converted.lost.sort_by_key(Issue::message_index);
    converted
}

/// The turns of messages, each with the index of its message. Reasoning is joined with the answer that it led
/// to; in a format with one item per call, the calls of one answer are joined.
fn turns<'a>(
    parsed: &ParsedMessages<'a>,
    messages: &[Value],
    from: Format,
    lost: &mut Vec<Issue>,
) -> Vec<(usize, Turn<'a>)> {
    // Results can be anywhere only in a format whose calls and results are items of their own.
    let has_call_items = from.contract().results == ResultPlace::AnywhereAfter;
    let mut names: Vec<(String, String)> = Vec::new();
    let mut turns: Vec<(usize, Turn<'a>)> = Vec::new();
    for (index, content) in parsed.contents.iter().enumerate() {
        let Some(content) = content else { continue };
        let own = messages.get(index).into_iter().flat_map(|message| left_out(content, message));
        lost.extend(own.map(|issue| issue.under(&Path::key("messages").at(index))));
        for turn in turns_of(content, &mut names) {
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
    turns
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

/// Replacements for ids of tool calls that the target refuses.
#[derive(Default)]
struct CallIds {
    /// Replacements by original id: a result has to get the id that its call got.
    replaced: BTreeMap<String, String>,
    used: BTreeSet<String>,
}

impl CallIds {
    fn replace_refused(&mut self, turn: &mut Turn<'_>, to: Format) {
        for part in &mut turn.parts {
            let (ContentPart::Call { call, .. } | ContentPart::Result { call, .. }) = part else {
                continue;
            };
            // An empty id stays empty: such calls are paired by order, and one replacement for all of them
            // would pair them wrongly.
            if !call.is_empty() && !to.dialect().accepts_call_id(call) {
                *call = self.replacement(call).into();
            }
        }
    }

    /// The id without refused characters, cut to a length that every provider accepts, and with a number if
    /// another id was replaced by the same one.
    fn replacement(&mut self, id: &str) -> String {
        if let Some(replaced) = self.replaced.get(id) {
            return replaced.clone();
        }
        let plain = |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
        let base = id.chars().map(|character| if plain(character) { character } else { '_' });
        let base: String = base.take(48).collect();
        let mut replacement = base.clone();
        let mut number = 2;
        // Different ids can become equal when characters are replaced. Their results would then answer the
        // wrong call.
        while !self.used.insert(replacement.clone()) {
            replacement = format!("{base}_{number}");
            number += 1;
        }
        self.replaced.insert(id.to_owned(), replacement.clone());
        replacement
    }
}

/// The turns of one message. `names` has the id and the tool of every call without a result so far: some
/// formats do not name the tool in a result, and others require it.
fn turns_of<'a>(content: &Content<'a>, names: &mut Vec<(String, String)>) -> Vec<Turn<'a>> {
    let mut turns: Vec<Turn<'a>> = Vec::new();
    for step in &content.steps {
        let mut parts: Vec<ContentPart<'a>> = Vec::new();
        for item in &step.items {
            let mut part = item.part.clone();
            match &mut part {
                ContentPart::NotSent | ContentPart::Opaque { .. } => continue,
                ContentPart::Call { call, name, .. } => {
                    names.push((call.to_string(), name.to_string()));
                }
                ContentPart::Result { call, name, .. } if name.is_none() => {
                    // Ids may be used again, so the latest call with this id is meant.
                    let position = names.iter().rposition(|(other, _)| other == call.as_ref());
                    *name = position.map(|position| names.swap_remove(position).1.into());
                }
                _ => {}
            }
            parts.push(part);
        }
        // The author is the one of the message, but a tool's result inside of it was not written by them.
        let author = content.author.clone().filter(|_| step.role != Role::Tool);
        if !parts.is_empty() {
            turns.push(Turn { role: step.role, author, parts });
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Strictness, validate};
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
