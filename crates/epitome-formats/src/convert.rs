//! Messages of one format as messages of another.

use std::collections::{BTreeMap, BTreeSet};

use epitome::message::Role;
use epitome::{Contract, Neighbours, ResultPlace};
use serde_json::Value;

use crate::Format;
use crate::compose::joins;
use crate::content::{Content, What};
use crate::dialect::Turn;
use crate::issue::{Code, Issue};
use crate::parsed::History;
use crate::path::Path;

/// Messages in another format, and what it could not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Converted {
    /// The messages.
    pub messages: Vec<Value>,
    /// What was left out or changed its form, and where it was.
    pub lost: Vec<Issue>,
}

/// Writes messages in another format: text, calls, results and pictures stay; what the target cannot hold
/// is listed. Messages of a format that wants ids are numbered. Linear.
pub fn convert(messages: &[Value], from: Format, to: Format) -> Converted {
    let history = History::of(from, messages);
    let contract = to.contract();
    let not_read = history.issues.iter().filter(|issue| issue.code == Code::NotAMessage);
    let mut converted = Converted { messages: Vec::new(), lost: not_read.cloned().collect() };
    let mut last: Option<Role> = None;
    let mut ids = Ids::default();
    for (index, mut turn) in said(&history, messages, from, &mut converted.lost) {
        let mut lost = Vec::new();
        ids.tidy(&mut turn, to);
        let written = to.dialect().write(&turn, &mut lost);
        let at = Path::key("messages").at(index);
        let lost = lost.into_iter().map(|what| Issue::new(&at, Code::Lost, what));
        converted.lost.extend(lost);
        // Where roles take turns there is no system among them, and a user says what it says.
        let role = match (turn.role, contract.neighbours) {
            (Role::System, Neighbours::Merged) => Role::User,
            (other, _) => other,
        };
        // A message of which nothing is left is not written: what was lost is listed.
        let told = |value: &Value| {
            let read = to.dialect().read(value).map(|content| content.messages(&"".into()));
            read.is_ok_and(|pieces| pieces.iter().any(|piece| !piece.is_blank()))
        };
        for value in written.into_iter().filter(told) {
            match (last, converted.messages.last_mut()) {
                (Some(before), Some(message)) if goes_on(before, role, &contract) => {
                    to.dialect().join(message, value);
                }
                _ => converted.messages.push(value),
            }
            last = Some(role);
        }
    }
    if to == Format::AiSdkUi {
        for (number, message) in converted.messages.iter_mut().enumerate() {
            if let Some(id) = message.get_mut("id") {
                *id = format!("epitome-{number}").into();
            }
        }
    }
    converted.lost.sort_by_key(Issue::place);
    converted
}

/// What is said, each with the index of its message. Thoughts are put together with what they led to, and
/// where every call is an item of its own, those of one answer.
fn said<'a>(
    history: &History<'a>,
    messages: &[Value],
    from: Format,
    lost: &mut Vec<Issue>,
) -> Vec<(usize, Turn<'a>)> {
    let items = from.contract().results == ResultPlace::Later;
    let mut names: Vec<(String, String)> = Vec::new();
    let mut said: Vec<(usize, Turn<'a>)> = Vec::new();
    for (index, content) in history.contents.iter().enumerate() {
        let Some(content) = content else { continue };
        let own = messages.get(index).into_iter().flat_map(|message| left_out(content, message));
        lost.extend(own.map(|issue| issue.under(&Path::key("messages").at(index))));
        for turn in turns(content, &mut names) {
            match said.last_mut() {
                Some((_, before)) if before.leads_to(&turn) || items && before.calls_on(&turn) => {
                    before.items.extend(turn.items);
                }
                _ => said.push((index, turn)),
            }
        }
    }
    said
}

/// What only the provider of a message knows, each where it stands: no other format holds it.
fn left_out(content: &Content<'_>, message: &Value) -> Vec<Issue> {
    let items = content.pieces.iter().flat_map(|piece| &piece.items);
    let left_out = items.filter_map(|item| {
        let What::Opaque { kind, .. } = &item.what else { return None };
        let value = item.at.get(message);
        let named = |key: &&str| value?.get(*key)?.as_str();
        let name = ["toolName", "name"].iter().find_map(named);
        let told = match name.filter(|name| *name != kind) {
            Some(name) => format!("a part of type {kind:?}, of {name:?}, is left out"),
            None => format!("a part of type {kind:?} is left out"),
        };
        Some(Issue::new(&item.at, Code::Lost, told))
    });
    left_out.collect()
}

/// True where neighbours are one message: those that the provider wants merged, and the steps of an answer
/// where results stand inside the message that calls.
fn goes_on(before: Role, role: Role, contract: &Contract) -> bool {
    let steps = contract.results == ResultPlace::Inside;
    joins(before, role, contract) || steps && before == Role::Tool && role == Role::Assistant
}

impl Turn<'_> {
    /// True where this is nothing but the thoughts that lead to the next turn.
    fn leads_to(&self, next: &Turn<'_>) -> bool {
        let thought = |what: &What<'_>| matches!(what, What::Reasoning { .. });
        self.role == Role::Assistant
            && next.role == Role::Assistant
            && self.items.iter().all(thought)
    }

    /// True where the next turn is nothing but more calls of this answer.
    fn calls_on(&self, next: &Turn<'_>) -> bool {
        let calls = |what: &What<'_>| matches!(what, What::Call { .. });
        self.role == Role::Assistant && next.role == Role::Assistant && next.items.iter().all(calls)
    }
}

/// Ids of calls that the target takes, for those that it does not.
#[derive(Default)]
struct Ids {
    /// The ids as they came, and what they are now.
    given: BTreeMap<String, String>,
    taken: BTreeSet<String>,
}

impl Ids {
    fn tidy(&mut self, turn: &mut Turn<'_>, to: Format) {
        for what in &mut turn.items {
            let (What::Call { call, .. } | What::Result { call, .. }) = what else { continue };
            if !call.is_empty() && !to.dialect().takes_id(call) {
                *call = self.of(call).into();
            }
        }
    }

    /// The same id without the characters that are refused, and no longer than is taken; another one where
    /// that is taken.
    fn of(&mut self, id: &str) -> String {
        if let Some(given) = self.given.get(id) {
            return given.clone();
        }
        let plain = |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
        let tidy = id.chars().map(|character| if plain(character) { character } else { '_' });
        let tidy: String = tidy.take(48).collect();
        let mut given = tidy.clone();
        let mut number = 2;
        while !self.taken.insert(given.clone()) {
            given = format!("{tidy}_{number}");
            number += 1;
        }
        self.given.insert(id.to_owned(), given.clone());
        given
    }
}

/// What is said in a message, with the names of the tools that results are from. `names` are the calls so far.
fn turns<'a>(content: &Content<'a>, names: &mut Vec<(String, String)>) -> Vec<Turn<'a>> {
    let mut turns: Vec<Turn<'a>> = Vec::new();
    for piece in &content.pieces {
        let mut items: Vec<What<'a>> = Vec::new();
        for item in &piece.items {
            let mut what = item.what.clone();
            match &mut what {
                What::Silent | What::Opaque { .. } => continue,
                What::Call { call, name, .. } => names.push((call.to_string(), name.to_string())),
                What::Result { call, name, .. } if name.is_none() => {
                    let place = names.iter().rposition(|(other, _)| other == call.as_ref());
                    *name = place.map(|place| names.swap_remove(place).1.into());
                }
                _ => {}
            }
            items.push(what);
        }
        let author = content.author.clone().filter(|_| piece.role != Role::Tool);
        if !items.is_empty() {
            turns.push(Turn { role: piece.role, author, items });
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
        let picture =
            json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA" } });
        vec![
            json!({ "role": "user", "content": [{ "type": "text", "text": "what is it?" }, picture] }),
            json!({ "role": "assistant", "content": null, "tool_calls": [call("one"), call("two")] }),
            json!({ "role": "tool", "tool_call_id": "one", "content": "a cat" }),
            json!({ "role": "tool", "tool_call_id": "two", "content": "a dog" }),
            json!({ "role": "assistant", "content": "a cat and a dog" }),
        ]
    }

    #[test]
    fn results_of_one_turn_become_one_message_where_the_target_wants_that() {
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
    fn there_and_back_keeps_text_calls_results_and_pictures() {
        let there = convert(&chat(), Format::OpenAiChat, Format::Anthropic);
        let back = convert(&there.messages, Format::Anthropic, Format::OpenAiChat);
        assert_eq!((back.messages, back.lost), (chat(), Vec::new()));
    }

    #[test]
    fn what_only_the_provider_knows_is_listed_where_it_stands() {
        let ran = |kind: &str| json!({ "type": kind, "toolCallId": "c", "toolName": "web_search", "providerExecuted": true, "input": {}, "output": { "type": "text", "value": "x" } });
        let text = json!({ "type": "text", "text": "so" });
        let content = json!([text, ran("tool-call"), ran("tool-result")]);
        let messages = [json!({ "role": "assistant", "content": content })];
        let converted = convert(&messages, Format::AiSdkModel, Format::OpenAiChat);
        let lost: Vec<(&str, &str)> =
            converted.lost.iter().map(|issue| (&*issue.path, &*issue.message)).collect();
        let told = |kind: &str| format!("a part of type {kind:?}, of \"web_search\", is left out");
        assert_eq!(
            lost,
            [
                ("messages[0].content[1]", &*told("tool-call")),
                ("messages[0].content[2]", &*told("tool-result")),
            ]
        );
        assert_eq!(converted.messages, [json!({ "role": "assistant", "content": "so" })]);
    }

    #[test]
    fn what_the_target_cannot_hold_is_listed() {
        let thought = json!({ "type": "thinking", "thinking": "hm", "signature": "seal" });
        let said = json!({ "type": "text", "text": "so" });
        let messages = [json!({ "role": "assistant", "content": [thought, said] })];
        let converted = convert(&messages, Format::Anthropic, Format::OpenAiChat);
        let lost: Vec<&str> = converted.lost.iter().map(|issue| issue.path.as_str()).collect();
        assert_eq!(lost, ["messages[0]"]);
        assert_eq!(converted.messages[0]["reasoning_content"], "hm");
    }
}
