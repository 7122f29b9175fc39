//! The messages of a team in the format of one of its agents, with what the agent itself has written in that format.

use epitome::ResultPlace;
use epitome::message::Role;
use serde_json::Value;

use super::call_ids::CallIds;
use super::{Written, add_turns};
use crate::compose::are_merged;
use crate::content::ContentPart;
use crate::issue::Issue;
use crate::parsed::ParsedMessages;
use crate::registry::Format;
use crate::slices::{Slices, at_once};
use crate::validate::{Strictness, validate};

/// Messages in another format that stand for some of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnForm {
    /// The index of the first message that they stand for.
    pub first: usize,
    /// How many messages they stand for.
    pub count: usize,
    /// The messages.
    pub messages: Vec<Value>,
}

/// A message of an adapted list.
#[derive(Clone, Debug, PartialEq)]
pub enum Adapted {
    /// One of the messages of the own forms, unchanged, by its index among all of them.
    Own(usize),
    /// A message that was written.
    Written(Value),
}

/// Writes messages in another format, as [`convert`](super::convert) does, but takes those that have an own form in that format as
/// these are, with all that a conversion cannot carry. `own` is in the order of the list, without overlaps. With `repairs`, what
/// the provider of the target refuses is repaired, as by [`repair`](crate::repair). Costs O(n log n).
pub fn adapt(
    messages: &[Value],
    from: Format,
    to: Format,
    own: &[OwnForm],
    repairs: bool,
) -> Vec<Adapted> {
    let mut written = Written::default();
    let mut lost = Vec::new();
    let part = |from: usize, to: usize| messages.get(from..to.min(messages.len())).unwrap_or(&[]);
    let (mut next, mut number) = (0, 0);
    for form in own {
        written.push_all(part(next, form.first), from, to, &mut lost);
        next = form.first.saturating_add(form.count);
        written.push_own(&form.messages, number, part(form.first, next), from, to);
        number += form.messages.len();
    }
    written.push_all(part(next, messages.len()), from, to, &mut lost);
    written.number(to);
    if repairs && !validate(&written.messages, to, Strictness::Provider).is_empty() {
        at_once(written.repair(to, &mut lost, &mut Slices::none()));
    }
    let written = written.messages.into_iter().zip(written.own);
    let adapted = written.map(|(value, own)| own.map_or(Adapted::Written(value), Adapted::Own));
    adapted.collect()
}

impl Written {
    /// Takes messages of the target as they are, the first of which has this number. They stand for messages that others refer to.
    fn push_own(
        &mut self,
        values: &[Value],
        number: usize,
        stand_for: &[Value],
        from: Format,
        to: Format,
    ) {
        let contract = to.contract();
        let (known, parsed) = (ParsedMessages::of(from, stand_for), ParsedMessages::of(to, values));
        self.ids.know(&parts(&known), &parts(&parsed));
        for ((number, value), content) in (number..).zip(values).zip(&parsed.contents) {
            let steps = content.iter().flat_map(|content| &content.steps);
            let roles: Vec<Role> = steps.map(|step| step.role).collect();
            let (Some(first), Some(last)) = (roles.first(), roles.last()) else { continue };
            match (self.last, self.messages.last_mut(), self.own.last_mut()) {
                (Some(before), Some(message), Some(own))
                    if are_merged(before, *first, &contract) =>
                {
                    to.dialect().merge(message, value.clone());
                    *own = None;
                }
                _ => {
                    self.messages.push(value.clone());
                    self.origins.push(0);
                    self.own.push(Some(number));
                }
            }
            // What others say next is no part of it.
            let is_inside = contract.results == ResultPlace::Inside && *last == Role::Tool;
            self.last = Some(if is_inside { Role::Assistant } else { *last });
        }
    }

    fn push_all(&mut self, messages: &[Value], from: Format, to: Format, lost: &mut Vec<Issue>) {
        let parsed = ParsedMessages::of(from, messages);
        let mut turns = Vec::new();
        add_turns(&mut turns, &parsed, messages, 0..messages.len(), from, lost);
        for (index, turn) in turns {
            self.push(index, turn, to, lost);
        }
    }
}

fn parts<'a>(parsed: &'a ParsedMessages<'_>) -> Vec<&'a ContentPart<'a>> {
    let steps = parsed.contents.iter().flatten().flat_map(|content| &content.steps);
    steps.flat_map(|step| &step.items).map(|item| &item.part).collect()
}

impl CallIds {
    /// Takes note of calls and results that are written in an own form, by the ids that others know them by.
    fn know(&mut self, known: &[&ContentPart<'_>], own: &[&ContentPart<'_>]) {
        let calls = |parts: &[&ContentPart<'_>]| -> Vec<(String, String)> {
            let calls = parts.iter().filter_map(|part| match part {
                ContentPart::Call { call, name, .. } => Some((call.to_string(), name.to_string())),
                _ => None,
            });
            calls.collect()
        };
        for ((original, name), (id, _)) in calls(known).into_iter().zip(calls(own)) {
            self.open_call(original, id, name);
        }
        for part in known {
            if let ContentPart::Result { call, .. } = part {
                self.answer(call);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::Outgoing;
    use epitome::Contract;
    use epitome::history::View;
    use serde_json::json;

    fn signed() -> Value {
        let thinking = json!({ "type": "thinking", "thinking": "hm", "signature": "sig" });
        let call = json!({ "type": "tool_use", "id": "toolu_1", "name": "look", "input": {} });
        json!({ "role": "assistant", "content": [thinking, call] })
    }

    fn team() -> Vec<Value> {
        let call = json!({ "id": "call_9", "type": "function", "function": { "name": "look", "arguments": "{}" } });
        vec![
            json!({ "role": "user", "content": "what is it?" }),
            json!({ "role": "assistant", "content": null, "tool_calls": [call] }),
            json!({ "role": "tool", "tool_call_id": "call_9", "content": "a cat" }),
            json!({ "role": "user", "content": "so?" }),
        ]
    }

    #[test]
    fn f1_what_an_agent_has_written_itself_stays_as_it_is_among_converted_messages() {
        let own = OwnForm { first: 1, count: 1, messages: vec![signed()] };
        let adapted = adapt(&team(), Format::OpenAiChat, Format::Anthropic, &[own], true);
        assert_eq!(adapted[1], Adapted::Own(0));
        let values = adapted.into_iter().map(|adapted| match adapted {
            Adapted::Own(_) => signed(),
            Adapted::Written(value) => value,
        });
        let values: Vec<Value> = values.collect();
        assert_eq!(validate(&values, Format::Anthropic, Strictness::Provider), []);
        assert_eq!(
            values[2]["content"][0]["tool_use_id"], "toolu_1",
            "the result has its call's id"
        );
        assert_eq!(values.len(), 4);
    }

    #[test]
    fn f1_what_only_the_provider_of_the_log_refuses_is_there_to_be_adapted() {
        let thinking = json!({ "type": "thinking", "thinking": "hm" });
        let texts = ["", "a cat"].map(|text| json!({ "type": "text", "text": text }));
        let [blank, text] = texts;
        let messages = [
            json!({ "role": "user", "content": "what is it?" }),
            json!({ "role": "assistant", "content": [thinking, blank, text] }),
        ];
        let log = ParsedMessages::of(Format::Anthropic, &messages).into_log();
        let view = View::repaired(&log, &Contract::default());
        let is_whole = |outgoing: &Outgoing| matches!(outgoing, Outgoing::Keep(_));
        assert!(Format::Anthropic.compose_apart(&log, &view).iter().all(is_whole));
        assert!(!Format::Anthropic.compose(&log, &view).iter().all(is_whole));
    }

    #[test]
    fn f1_an_own_form_next_to_a_message_of_its_role_is_merged_with_it() {
        let own = OwnForm {
            first: 3,
            count: 1,
            messages: vec![json!({ "role": "user", "parts": [{ "text": "own" }] })],
        };
        let adapted = adapt(&team(), Format::OpenAiChat, Format::Gemini, &[own], true);
        let Some(Adapted::Written(last)) = adapted.last() else { panic!("{adapted:?}") };
        assert_eq!(last["parts"].as_array().map(Vec::len), Some(2));
    }
}
