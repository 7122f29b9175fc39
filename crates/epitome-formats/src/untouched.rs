//! Whether the provider accepts the messages of a log as they were appended, checked once for each message as the log
//! grows.

use std::collections::VecDeque;
use std::ops::Range;

use epitome::Contract;
use epitome::history::{Finding, Log, View, own_defects};
use epitome::message::{Message, Part, Role};

use crate::acceptance::{Checker, Passed};
use crate::compose::Outgoing;
use crate::composed::ComposedMessage;
use crate::registry::Format;
use crate::steps::split_step_id;

/// What is known of a log after the last check. It is about one log and one format.
#[derive(Debug, Default)]
pub struct Untouched {
    /// Number of changes that were seen.
    changes: usize,
    /// Where the engine's messages so far passed for good, since behind them no call waits for its result: how many these
    /// were, and what is known of them. The last of these places, in order.
    places: VecDeque<(usize, Passed)>,
}

/// How many places are kept: after a change of one of the last messages, only those from there on are checked again.
const MOST_PLACES: usize = 8;

impl Untouched {
    /// True if the provider accepts all messages of the log as they were appended, and composing the view without any
    /// compaction would change none. Linear in the messages since the last call that returned true; after a change, in those
    /// since the last place before it that is known, and as long as a message is refused, in those since the last complete
    /// exchange before.
    pub fn is_accepted(&mut self, format: Format, log: &Log) -> bool {
        if let Some(changed) = log.changed_since(self.changes) {
            self.changes = log.changes();
            while self.places.pop_back_if(|(messages, _)| *messages > changed).is_some() {}
        }
        let (mut position, passed) = self.places.back().copied().unwrap_or_default();
        let mut part = position..position;
        let contract = format.contract();
        let mut checker = Checker::behind(passed, &contract, log);
        while let Some(message) = log.message(position) {
            let composed = ComposedMessage::kept(log, &split_step_id(&message.id).0);
            if checker.push(position, &composed).is_err() {
                return false;
            }
            position += composed.steps.len().max(1);
            part.end = position;
            let ends = log.message(position - 1).is_none_or(|step| !may_need_an_answer(step));
            if let Some(passed) = checker.passed().filter(|_| ends) {
                if !is_kept(format, log, part, &contract) {
                    return false;
                }
                if self.places.len() == MOST_PLACES {
                    self.places.pop_front();
                }
                self.places.push_back((position, passed));
                part = position..position;
            }
        }
        checker.finish().is_ok() && is_kept(format, log, part, &contract)
    }
}

/// What is wrong with the messages of a log that [`Untouched::is_accepted`] accepts: what a repair keeps as it is, such as arguments
/// that are not JSON. The same as the findings of the repaired view, which takes several times as long.
pub fn findings_of_accepted(format: Format, log: &Log) -> Vec<Finding> {
    let contract = format.contract();
    let findings = log.messages().flat_map(|message| {
        own_defects(message, &contract).map(|defect| Finding { id: message.id.clone(), defect })
    });
    findings.collect()
}

/// True if a repair of these messages keeps all of them as they are. How they stand to those around them is checked before: this
/// is about the steps of a message, which a repair may leave out of it one by one, and about parts that no check names.
fn is_kept(format: Format, log: &Log, part: Range<usize>, contract: &Contract) -> bool {
    let messages = part.clone().filter_map(|at| log.message(at));
    if part.len() <= 1 && messages.into_iter().all(is_said) {
        return true;
    }
    let view = View::repaired_part(log, part.clone(), contract);
    let kept = part.filter_map(|at| log.message(at)).filter_map(|message| {
        let (message, step) = split_step_id(&message.id);
        (step == 0).then_some(Outgoing::Keep(message))
    });
    format.compose(log, &view).into_iter().eq(kept)
}

/// True for a message of nothing but text, which no repair changes. Most messages are, and a repair takes longer than this.
fn is_said(message: &Message) -> bool {
    let is_said = |part: &Part| matches!(part, Part::Text { .. }) && !part.is_blank();
    message.role != Role::Tool && message.parts.iter().all(is_said) && !message.parts.is_empty()
}

/// True for a step that a repair leaves out unless the model's next message follows it.
fn may_need_an_answer(step: &Message) -> bool {
    step.role == Role::Assistant
        && step.parts.iter().all(|part| matches!(part, Part::Reasoning { .. }) || part.is_blank())
}

#[cfg(test)]
mod tests {
    use super::*;
    use epitome::history::Record;
    use epitome::test_notation::transcript;
    use serde_json::{Value, json};

    /// Appends or edits the message with this id, and says whether all are accepted and how many were passed for good.
    fn put(log: &mut Log, untouched: &mut Untouched, id: &str, value: &Value) -> (bool, usize) {
        for message in Format::Anthropic.read(&id.into(), value).unwrap().messages {
            let record = match log.position(&message.id) {
                Some(_) => Record::Edit { message: message.into() },
                None => Record::Message { message: message.into() },
            };
            log.append(record).unwrap();
        }
        let accepted = untouched.is_accepted(Format::Anthropic, log);
        let view = View::repaired(log, &Format::Anthropic.contract());
        let composed = Format::Anthropic.compose(log, &view);
        let all = View::as_appended(log);
        assert_eq!(accepted, composed == Format::Anthropic.compose(log, &all), "{id}");
        (accepted, untouched.places.back().map_or(0, |(messages, _)| *messages))
    }

    #[test]
    fn a3_messages_are_checked_once_and_an_open_exchange_again() {
        let (mut log, mut untouched) = (Log::default(), Untouched::default());
        let says = |role: &str, content: Value| json!({ "role": role, "content": content });
        let call = json!({ "type": "tool_use", "id": "one", "name": "look", "input": {} });
        let result =
            |id: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": "found" });
        let mut put = |id: &str, value: &Value| put(&mut log, &mut untouched, id, value);
        assert_eq!(put("m0", &says("user", json!("hi"))), (true, 1));
        assert_eq!(put("m1", &says("assistant", json!([call]))), (false, 1), "no result yet");
        let text = json!({ "type": "text", "text": "so?" });
        assert_eq!(put("m2", &says("user", json!([result("one"), text]))), (true, 4), "two steps");
        assert_eq!(put("m3", &says("user", json!([result("z")]))), (false, 4), "an orphan");
        assert_eq!(put("m4", &says("assistant", json!("ho"))), (false, 4), "it is still there");
        assert_eq!(put("m3", &says("user", json!("go on"))), (true, 6), "it was edited");
        assert_eq!(put("m0", &says("assistant", json!("hi"))), (false, 0), "the user is not first");
    }

    fn log(messages: Vec<Message>) -> Log {
        let mut log = Log::default();
        for message in messages {
            log.append(Record::Message { message: message.into() }).unwrap();
        }
        log
    }

    #[test]
    fn a_last_step_of_reasoning_alone_or_without_text_is_left_out_although_its_message_has_more() {
        let format = Format::AiSdkUi;
        let call = json!({ "type": "tool-look", "toolCallId": "one", "state": "output-available",
            "input": {}, "output": "found" });
        let start = json!({ "type": "step-start" });
        let blank = json!({ "type": "text", "text": "", "state": "done" });
        let reasoning = json!({ "type": "reasoning", "text": "hm", "state": "done" });
        let user =
            json!({ "id": "u", "role": "user", "parts": [{ "type": "text", "text": "hi" }] });
        let said = |parts: Value| json!({ "id": "a", "role": "assistant", "parts": parts });
        for (parts, accepted) in [
            (json!([start, reasoning, call]), true),
            (json!([start, call, start, reasoning]), false),
            (json!([start, call, start, blank]), false),
            (json!([start, blank, call]), true),
        ] {
            let mut log = Log::default();
            for (id, message) in [("m0", &user), ("m1", &said(parts.clone()))] {
                for step in format.read(&id.into(), message).unwrap().messages {
                    log.append(Record::Message { message: step.into() }).unwrap();
                }
            }
            assert_eq!(Untouched::default().is_accepted(format, &log), accepted, "{parts}");
            let view = View::repaired(&log, &format.contract());
            let unchanged =
                format.compose(&log, &view) == format.compose(&log, &View::as_appended(&log));
            assert_eq!(unchanged, accepted, "{parts}");
        }
    }

    #[test]
    fn reasoning_in_a_message_of_a_user_is_left_out_where_it_has_to_be_signed() {
        let reasoning = Part::Reasoning { text: String::new(), signature: None };
        let mut messages = transcript("u: hi\na: ho");
        messages[0].parts.insert(0, reasoning);
        let log = log(messages);
        for (format, accepted) in [(Format::Bedrock, false), (Format::OpenAiChat, true)] {
            assert_eq!(Untouched::default().is_accepted(format, &log), accepted, "{format:?}");
            let repaired = View::repaired(&log, &format.contract());
            assert_eq!(repaired.findings.is_empty(), accepted, "{format:?}");
        }
    }

    #[test]
    fn what_is_accepted_depends_on_what_the_provider_refuses() {
        let (gemini, anthropic) = (Format::Gemini, Format::Anthropic);
        let (chat, responses) = (Format::OpenAiChat, Format::OpenAiResponses);
        for (text, format, accepted) in [
            ("u: hi\na: ho", chat, true),
            ("u: hi\na: blank", chat, false),
            ("u: hi\na: blank", responses, true),
            ("u: hi\na:", responses, false),
            ("s:\nu: hi", gemini, true),
            ("u: hi\na: !f\nt: yes:x =f", chat, true),
            ("u: hi\na: yes:x so\nt: yes:x", chat, false),
        ] {
            let mut messages = transcript(text);
            for part in messages.iter_mut().flat_map(|message| &mut message.parts) {
                if *part == Part::text("blank") {
                    *part = Part::Text { text: " ".into() };
                }
            }
            let own = Untouched::default().is_accepted(format, &log(messages));
            assert_eq!(own, accepted, "{text} for {format:?}");
        }
        for (format, accepted) in [(gemini, false), (chat, true)] {
            let mut messages = transcript("s: note\nu: hi");
            messages[0].parts.push(Part::Text { text: " ".into() });
            let own = Untouched::default().is_accepted(format, &log(messages));
            assert_eq!(own, accepted, "an empty text in a system message for {format:?}");
        }
        // The message is composed without the step, even where that makes it the message that the app has.
        for format in [gemini, anthropic] {
            let mut messages = transcript("u: hi\na: !f\nt: =f\nu: so?\na: well");
            messages[3].id = "m2#1".into();
            assert!(Untouched::default().is_accepted(format, &log(messages.clone())));
            messages[3].parts.clear();
            let own = Untouched::default().is_accepted(format, &log(messages));
            assert!(!own, "a step of a message was emptied for {format:?}");
        }
    }

    #[test]
    fn after_a_change_of_one_of_the_last_messages_what_is_before_it_is_known() {
        let mut untouched = Untouched::default();
        let mut log = log(transcript(&"u: hi\na: ho\n".repeat(8)));
        assert!(untouched.is_accepted(Format::OpenAiChat, &log));
        assert_eq!(untouched.places.len(), MOST_PLACES);
        let edited = Message::new("m12", Role::User, "so?");
        log.append(Record::Edit { message: edited.into() }).unwrap();
        assert!(untouched.is_accepted(Format::OpenAiChat, &log));
        let places: Vec<usize> = untouched.places.iter().map(|(messages, _)| *messages).collect();
        assert_eq!(places, [9, 10, 11, 12, 13, 14, 15, 16]);
    }

    #[test]
    fn a3_a_tool_message_with_nothing_in_it_is_not_accepted() {
        let (mut log, mut untouched) = (Log::default(), Untouched::default());
        let messages =
            [json!({ "role": "user", "content": "hi" }), json!({ "role": "tool", "content": [] })];
        for (index, value) in messages.iter().enumerate() {
            let read = Format::AiSdkModel.read(&format!("m{index}").into(), value).unwrap();
            for message in read.messages {
                log.append(Record::Message { message: message.into() }).unwrap();
            }
            assert_eq!(untouched.is_accepted(Format::AiSdkModel, &log), index == 0);
        }
    }
}
