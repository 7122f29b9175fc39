//! What a provider would refuse in a list of messages, and where.

use std::collections::{BTreeMap, BTreeSet};

use epitome::history::pairing::{Pairing, Place};
use epitome::message::{CallId, Part, Role};
use epitome::{
    BlankText, Contract, First, Last, Neighbours, ReasoningPolicy, ResultPlace, SystemPlace,
};
use serde_json::Value;

use crate::Format;
use crate::compose::wire_role;
use crate::content::What;
use crate::issue::{Code, Issue, Severity};
use crate::parsed::History;
use crate::path::Path;

/// How strict a provider is taken to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// As the provider itself is.
    #[default]
    Provider,
    /// As the strictest servers of this format are, whose templates want roles to take turns and system
    /// messages first.
    Strictest,
}

/// What the provider of this format would refuse in these messages, in their order. Nothing is changed.
/// Costs O(n log n).
pub fn validate(messages: &[Value], format: Format, strictness: Strictness) -> Vec<Issue> {
    let history = History::of(format, messages);
    let mut validation = Validation {
        format,
        values: messages,
        contract: format.contract(),
        pairing: Pairing::of(history.messages.iter().map(|(message, ..)| message)),
        found: history.issues.iter().map(|issue| (issue.place(), issue.clone())).collect(),
        history: &history,
    };
    validation.calls();
    validation.results();
    validation.ids();
    validation.names();
    let together = format.dialect().check_together(messages);
    validation.found.extend(together.into_iter().map(|issue| (issue.place(), issue)));
    validation.arguments();
    validation.emptiness();
    validation.roles();
    let least = match strictness {
        Strictness::Provider => Severity::Refused,
        Strictness::Strictest => Severity::Depends,
    };
    let mut found = validation.found;
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, issue)| issue).filter(|issue| issue.severity >= least).collect()
}

struct Validation<'a> {
    format: Format,
    values: &'a [Value],
    contract: Contract,
    history: &'a History<'a>,
    pairing: Pairing,
    /// Issues with the index of their message.
    found: Vec<(usize, Issue)>,
}

impl Validation<'_> {
    fn note(&mut self, position: usize, at: &Path, code: Code, message: impl Into<String>) {
        let index = self.index(position);
        self.found.push((index, Issue::new(&self.history.path(position, at), code, message)));
    }

    fn index(&self, position: usize) -> usize {
        self.history.messages.get(position).map_or(0, |(_, index, _)| *index)
    }

    fn role(&self, position: usize) -> Option<Role> {
        self.history.messages.get(position).map(|(message, ..)| message.role)
    }

    /// Where the calls of a piece stand, or its results, in order.
    fn places(&self, position: usize, results: bool) -> Vec<Path> {
        let Some(piece) = self.history.piece(position) else { return Vec::new() };
        let wanted = piece.items.iter().filter(|item| match item.what {
            What::Call { .. } => !results,
            What::Result { .. } => results,
            _ => false,
        });
        wanted.map(|item| item.at.clone()).collect()
    }

    /// Every call is answered.
    fn calls(&mut self) {
        for position in 0..self.history.messages.len() {
            for (part, at) in self.places(position, false).iter().enumerate() {
                let call = Place { message: position, part };
                if self.pairing.answer(call).is_none() && !self.pairing.is_waiting(call) {
                    let message = "the call has no result; give it one, or leave both out";
                    self.note(position, at, Code::MissingResult, message);
                }
            }
        }
    }

    /// Every result answers a call, and stands where it must.
    fn results(&mut self) {
        let mut homes: BTreeMap<usize, usize> = BTreeMap::new();
        for position in 0..self.history.messages.len() {
            if self.pairing.is_unasked(position) {
                let message = "nobody asked for this leave to run a tool";
                self.note(position, &Path::default(), Code::OrphanResult, message);
            }
            for (part, at) in self.places(position, true).iter().enumerate() {
                let result = Place { message: position, part };
                let Some(call) = self.pairing.question(result) else {
                    let (code, message) = match self.pairing.is_repeated(result) {
                        true => (Code::RepeatedResult, "the call has a result already"),
                        false => (Code::OrphanResult, "no call asks for this result"),
                    };
                    self.note(position, at, code, message);
                    continue;
                };
                if !self.follows(call.message, position) {
                    let message = "the result does not stand right behind its call";
                    self.note(position, at, Code::MisplacedResult, message);
                } else if self.contract.results == ResultPlace::NextUser {
                    self.gathered(call.message, position, at, &mut homes);
                }
            }
        }
    }

    fn follows(&self, call: usize, result: usize) -> bool {
        if self.contract.results == ResultPlace::Later {
            return call < result;
        }
        // Where neighbours are one message, what the model says on is part of its turn.
        let merged = self.contract.neighbours == Neighbours::Merged;
        let speaks = |position: usize| merged && self.role(position) == Some(Role::Assistant);
        let mut between = ((call + 1)..result).skip_while(|position| speaks(*position));
        call < result && between.all(|position| self.role(position) == Some(Role::Tool))
    }

    /// All results of a turn are in one message. `homes` is that message for the turns so far.
    fn gathered(
        &mut self,
        call: usize,
        position: usize,
        at: &Path,
        homes: &mut BTreeMap<usize, usize>,
    ) {
        let index = self.index(position);
        if *homes.entry(call).or_insert(index) != index {
            let message = "results of one turn stand in several messages; put them in one";
            self.note(position, at, Code::SplitResults, message);
        }
    }

    /// Calls and results can be told apart.
    fn ids(&mut self) {
        let mut earlier: BTreeSet<CallId> = BTreeSet::new();
        for position in 0..self.history.messages.len() {
            let Some((message, ..)) = self.history.messages.get(position) else { continue };
            let calls: Vec<CallId> = message.calls().cloned().collect();
            let results: Vec<CallId> = message.results().cloned().collect();
            for (part, (call, at)) in calls.iter().zip(self.places(position, false)).enumerate() {
                let shared = calls.iter().take(part).any(|other| other == call);
                let code = if call.as_str().is_empty() {
                    (Code::MissingCallId, "the call has no id")
                } else if shared {
                    (Code::SharedCallId, "another call of the same message has this id")
                } else if !self.format.dialect().takes_id(call.as_str()) {
                    (Code::RefusedCallId, "the id has characters that are refused, or too many")
                } else if earlier.contains(call) {
                    (Code::ReusedCallId, "an earlier call has this id; they are paired by order")
                } else {
                    continue;
                };
                self.note(position, &at, code.0, code.1);
            }
            for (call, at) in results.iter().zip(self.places(position, true)) {
                if call.as_str().is_empty() {
                    let message = "the result does not name its call; it is paired by order";
                    self.note(position, &at, Code::MissingCallId, message);
                }
            }
            earlier.extend(calls);
        }
    }

    /// No message goes under the id of another.
    fn names(&mut self) {
        let mut earlier: BTreeSet<&str> = BTreeSet::new();
        let dialect = self.format.dialect();
        for (index, value) in self.values.iter().enumerate() {
            let Some(id) = dialect.id(value) else { continue };
            if !earlier.insert(id) {
                let message = "an earlier message has this id; give it another one";
                let at = Path::key("messages").at(index).then("id");
                self.found.push((index, Issue::new(&at, Code::RepeatedId, message)));
            }
        }
    }

    /// Arguments are JSON.
    fn arguments(&mut self) {
        for position in 0..self.history.messages.len() {
            let Some(piece) = self.history.piece(position) else { continue };
            let value = self.values.get(self.index(position));
            let is_free = |at: &Path| {
                let item = value.and_then(|value| at.get(value));
                item.is_some_and(|item| self.format.dialect().is_free(item))
            };
            let broken = piece
                .items
                .iter()
                .filter(|item| item.what.broken_arguments().is_some() && !is_free(&item.at));
            for at in broken.map(|item| item.at.clone()).collect::<Vec<_>>() {
                let path = self.history.path(position, &at).to_string();
                let known = |(_, issue): &(usize, Issue)| {
                    issue.code == Code::MissingArguments && issue.path.starts_with(&path)
                };
                if !self.found.iter().any(known) {
                    let message = "the arguments are no JSON";
                    self.note(position, &at, Code::BrokenArguments, message);
                }
            }
        }
    }

    /// No message is empty, and no text in one where that is refused.
    fn emptiness(&mut self) {
        for index in 0..self.history.contents.len() {
            let range = self.history.positions(index);
            let Some(role) = self.role(range.start) else { continue };
            let is_blank = |position: usize| {
                self.history.messages.get(position).is_none_or(|(message, ..)| message.is_blank())
            };
            if range.clone().all(is_blank) {
                if role != Role::System && !range.is_empty() {
                    let message = "the message is empty";
                    self.note(range.start, &Path::default(), Code::BlankMessage, message);
                    // Recorded requests have such items.
                    if let (Format::OpenAiResponses, Some((_, issue))) =
                        (self.format, self.found.last_mut())
                    {
                        issue.severity = Severity::Depends;
                    }
                }
                continue;
            }
            for position in range {
                self.blank_texts(position);
                self.thoughts(position);
            }
        }
    }

    fn blank_texts(&mut self, position: usize) {
        if self.contract.blank_text == BlankText::Allowed {
            return;
        }
        let Some(piece) = self.history.piece(position) else { return };
        let blank =
            piece.parts().filter(|(part, _)| matches!(part, Part::Text { .. }) && part.is_blank());
        for at in blank.map(|(_, item)| item.at.clone()).collect::<Vec<_>>() {
            self.note(position, &at, Code::BlankText, "the text is empty");
        }
    }

    fn thoughts(&mut self, position: usize) {
        let reasoning = self.contract.reasoning;
        if !matches!(reasoning, ReasoningPolicy::Sealed | ReasoningPolicy::WholeTurn) {
            return;
        }
        let Some(piece) = self.history.piece(position) else { return };
        let parts: Vec<(Part, Path)> =
            piece.parts().map(|(part, item)| (part, item.at.clone())).collect();
        for (part, at) in &parts {
            let unsealed = matches!(part, Part::Reasoning { signature: None, .. });
            if unsealed && reasoning == ReasoningPolicy::Sealed {
                let message = "the thoughts have no seal of the provider's; leave them out";
                self.note(position, at, Code::UnsealedReasoning, message);
            }
        }
        let thinks = |part: &Part| matches!(part, Part::Reasoning { .. });
        let alone =
            !parts.is_empty() && parts.iter().all(|(part, _)| thinks(part) || part.is_blank());
        if alone
            && parts.iter().any(|(part, _)| thinks(part))
            && self.role(position + 1) != Some(Role::Assistant)
        {
            let message = "nothing but thoughts, and nothing from the model behind them";
            self.note(position, &Path::default(), Code::ReasoningAlone, message);
        }
    }

    /// Who speaks first, who after whom, and where system messages stand.
    fn roles(&mut self) {
        let mut before: Option<(usize, Role)> = None;
        let mut said = false;
        for position in 0..self.history.messages.len() {
            let Some(role) = self.role(position) else { continue };
            let here = Path::default();
            if role == Role::System {
                let several = before.is_some();
                let place = self.contract.system;
                let native = self.is_compaction(position);
                if !native && (said || several || place == SystemPlace::Beside) {
                    let message = match place {
                        SystemPlace::Beside => "system messages do not stand among the others here",
                        _ if said => "a system message stands behind others",
                        _ => "there are several system messages",
                    };
                    self.note(position, &here, Code::SystemInside, message);
                }
            } else if !said
                && self.contract.first == First::User
                && role != Role::User
                && !self.is_compaction(position)
            {
                self.note(position, &here, Code::NotUserFirst, "a user has to speak first");
            }
            said |= role != Role::System;
            if let Some((earlier, other)) = before {
                self.turns(earlier, other, position, role);
            }
            before = Some((position, role));
        }
        if let Some((position, Role::Assistant)) = before
            && self.contract.last == Last::NotAssistantForSome
        {
            let message = "the model speaks last; a request ends with a user or a tool";
            self.note(position, &Path::default(), Code::AssistantLast, message);
        }
        if !said {
            let message = "nothing is said besides system messages";
            let issue = Issue::new(&Path::key("messages"), Code::NothingSaid, message);
            self.found.push((0, issue));
        }
    }

    /// True for a compaction of the provider's own.
    fn is_compaction(&self, position: usize) -> bool {
        let message = self.history.messages.get(position);
        message.is_some_and(|(message, ..)| message.is_compaction())
    }

    /// Roles take turns.
    fn turns(&mut self, earlier: usize, other: Role, position: usize, role: Role) {
        let merged = self.contract.neighbours == Neighbours::Merged;
        let strict = merged || self.format == Format::OpenAiChat;
        let as_user = |role: Role| wire_role(role, &self.contract);
        let same = as_user(other) == as_user(role) && !matches!(role, Role::System);
        let split = role != Role::Tool || other != Role::Tool || merged;
        if strict && same && split && self.index(earlier) != self.index(position) {
            let name = as_user(role).as_str();
            let message = format!("{name} speaks twice in a row; make it one message");
            let at = self.history.path(position, &Path::default());
            let mut issue = Issue::new(&at, Code::SameRoleTwice, message);
            if merged {
                issue.severity = Severity::Refused;
            }
            let index = self.index(position);
            self.found.push((index, issue));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repair;
    use serde_json::json;

    fn call(id: &str) -> Value {
        json!({ "id": id, "type": "function", "function": { "name": "f", "arguments": "{}" } })
    }

    fn asks(ids: &[&str]) -> Value {
        let calls: Vec<Value> = ids.iter().map(|id| call(id)).collect();
        json!({ "role": "assistant", "content": null, "tool_calls": calls })
    }

    fn answers(id: &str) -> Value {
        json!({ "role": "tool", "tool_call_id": id, "content": "42" })
    }

    fn says(role: &str, text: &str) -> Value {
        json!({ "role": role, "content": text })
    }

    fn found(messages: &[Value], format: Format, strictness: Strictness) -> Vec<String> {
        let issues = validate(messages, format, strictness);
        issues.iter().map(|issue| format!("{} {:?}", issue.path, issue.code)).collect()
    }

    /// These messages have this wrong with them, and nothing after a repair.
    fn check(messages: &Value, format: Format, expected: &[&str]) {
        let messages = messages.as_array().unwrap();
        assert_eq!(found(messages, format, Strictness::Provider), expected, "{messages:?}");
        let repaired = repair(messages, format);
        assert_eq!(repaired.left, [], "{messages:?}");
        assert_eq!(repaired.done.len(), expected.len(), "{messages:?}");
    }

    #[test]
    fn tidy_messages_have_nothing_wrong_with_them() {
        let tidy = json!([
            says("system", "be kind"),
            says("user", "hi"),
            asks(&["a", "b"]),
            answers("b"),
            answers("a"),
            says("assistant", "done"),
            says("user", "thanks"),
        ]);
        check(&tidy, Format::OpenAiChat, &[]);
        let strict = found(tidy.as_array().unwrap(), Format::OpenAiChat, Strictness::Strictest);
        assert!(strict.is_empty(), "{strict:?}");
    }

    #[test]
    fn calls_and_results_that_do_not_match_are_found_and_put_right() {
        let chat = Format::OpenAiChat;
        let user = says("user", "hi");
        check(&json!([user, answers("a")]), chat, &["messages[1] OrphanResult"]);
        check(
            &json!([user, asks(&["a"]), user]),
            chat,
            &["messages[1].tool_calls[0] MissingResult"],
        );
        check(
            &json!([user, asks(&["a"]), answers("a"), answers("a")]),
            chat,
            &["messages[3] RepeatedResult"],
        );
        check(
            &json!([user, asks(&["a", "b"]), answers("a"), user, answers("b")]),
            chat,
            &["messages[4] MisplacedResult"],
        );
    }

    #[test]
    fn messages_that_are_wrong_by_themselves_are_found_and_put_right() {
        let chat = Format::OpenAiChat;
        let user = says("user", "hi");
        check(&json!([user, says("assistant", "")]), chat, &["messages[1] BlankMessage"]);
        check(&json!([user, says("Assistant", "ho")]), chat, &["messages[1].role UnknownRole"]);
        check(&json!([user, 7]), chat, &["messages[1] NotAMessage"]);
        let mut broken = asks(&["a"]);
        broken["tool_calls"][0]["function"]["arguments"] = "{\"a\":".into();
        let path = "messages[1].tool_calls[0] BrokenArguments";
        check(&json!([user, broken, answers("a")]), chat, &[path]);
        let mended = repair(json!([user, broken, answers("a")]).as_array().unwrap(), chat);
        let crate::RepairedMessage::Made { message, .. } = &mended.messages[1] else { panic!() };
        let arguments = &message["tool_calls"][0]["function"]["arguments"];
        assert_eq!(arguments, "{\"unparsed\":\"{\\\"a\\\":\"}", "nothing is lost");
    }

    #[test]
    fn what_only_some_servers_refuse_is_found_when_asked_for() {
        let messages = [
            says("user", "hi"),
            says("user", "there"),
            says("system", "be kind"),
            asks(&["a"]),
            answers("a"),
            asks(&["a"]),
            answers("a"),
            says("assistant", "done"),
        ];
        check(&json!(messages), Format::OpenAiChat, &[]);
        let strict = found(&messages, Format::OpenAiChat, Strictness::Strictest);
        let expected = [
            "messages[1] SameRoleTwice",
            "messages[2] SystemInside",
            "messages[5].tool_calls[0] ReusedCallId",
            "messages[7] AssistantLast",
        ];
        assert_eq!(strict, expected);
    }

    #[test]
    fn nothing_to_say_is_an_issue_that_cannot_be_put_right() {
        let empty = found(&[], Format::OpenAiChat, Strictness::Provider);
        assert_eq!(empty, ["messages NothingSaid"]);
        assert_eq!(repair(&[], Format::OpenAiChat).left.len(), 1);
    }

    #[test]
    fn results_stand_first_in_one_user_message_for_anthropic() {
        let anthropic = Format::Anthropic;
        let block = |id: &str| json!({ "type": "tool_use", "id": id, "name": "f", "input": {} });
        let result =
            |id: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": "42" });
        let text = json!({ "type": "text", "text": "so" });
        let user = says("user", "hi");
        let asks = json!({ "role": "assistant", "content": [block("a"), block("b")] });
        let said = |blocks: Value| json!({ "role": "user", "content": blocks });
        check(&json!([user, asks, said(json!([result("a"), result("b"), text]))]), anthropic, &[]);
        check(
            &json!([user, asks, said(json!([result("a"), text, result("b")]))]),
            anthropic,
            &["messages[2].content[2] MisplacedResult"],
        );
        check(
            &json!([user, asks, said(json!([result("a")])), said(json!([result("b")]))]),
            anthropic,
            &["messages[3].content[0] SplitResults"],
        );
        check(
            &json!([user, asks, said(json!([result("a"), text]))]),
            anthropic,
            &["messages[1].content[1] MissingResult"],
        );
        let blank = json!({ "type": "text", "text": "" });
        check(
            &json!([user, { "role": "assistant", "content": [blank, text] }]),
            anthropic,
            &["messages[1].content[0] BlankText"],
        );
        let thought = json!({ "type": "thinking", "thinking": "hm", "signature": "" });
        check(
            &json!([user, { "role": "assistant", "content": [thought, text] }]),
            anthropic,
            &["messages[1].content[0] UnsealedReasoning"],
        );
        let sealed = json!({ "type": "thinking", "thinking": "hm", "signature": "x" });
        check(
            &json!([user, { "role": "assistant", "content": [sealed] }, user]),
            anthropic,
            &["messages[1] ReasoningAlone"],
        );
        let orphan = said(json!([result("z"), text]));
        check(&json!([orphan]), anthropic, &["messages[0].content[0] OrphanResult"]);
    }

    #[test]
    fn results_are_put_in_front_and_everything_else_stays() {
        let result = json!({ "type": "tool_result", "tool_use_id": "a", "content": "42", "x": 1 });
        let text = json!({ "type": "text", "text": "so", "cache_control": {} });
        let block = json!({ "type": "tool_use", "id": "a", "name": "f", "input": {} });
        let messages = [
            says("user", "hi"),
            json!({ "role": "assistant", "content": [block] }),
            json!({ "role": "user", "content": [text, result], "y": 2 }),
        ];
        let repaired = repair(&messages, Format::Anthropic);
        let crate::RepairedMessage::Made { sources, message } = &repaired.messages[2] else {
            panic!()
        };
        assert_eq!(sources, &[2]);
        assert_eq!(message, &json!({ "role": "user", "content": [result, text], "y": 2 }));
    }

    #[test]
    fn an_id_that_an_earlier_message_has_is_found_and_put_right() {
        let ui = |id: Value, text: &str| json!({ "id": id, "role": "user", "parts": [{ "type": "text", "text": text }] });
        let twice = json!([ui("a".into(), "hi"), ui("a-2".into(), "there"), ui("a".into(), "so")]);
        check(&twice, Format::AiSdkUi, &["messages[2].id RepeatedId"]);
        let repaired = repair(twice.as_array().unwrap(), Format::AiSdkUi);
        let crate::RepairedMessage::Made { message, .. } = &repaired.messages[2] else { panic!() };
        assert_eq!(message, &ui("a-3".into(), "so"));

        let said =
            |id: &str| json!({ "type": "message", "id": id, "role": "assistant", "content": "ho" });
        let items = json!([says("user", "hi"), said("msg_1"), said("msg_1")]);
        check(&items, Format::OpenAiResponses, &["messages[2].id RepeatedId"]);
        let ran = |kind: &str| json!({ "type": kind, "id": "x", "call_id": "x", "output": "1", "action": {} });
        let shell =
            json!([says("user", "hi"), ran("local_shell_call"), ran("local_shell_call_output")]);
        check(&shell, Format::OpenAiResponses, &[]);
    }

    #[test]
    fn ids_that_only_some_servers_refuse_are_found_when_asked_for() {
        let check = |messages: Value, format: Format, expected: &str| {
            let messages = messages.as_array().unwrap();
            assert_eq!(found(messages, format, Strictness::Provider), [""; 0]);
            assert_eq!(found(messages, format, Strictness::Strictest), [expected]);
        };
        let thought = json!({ "type": "reasoning", "id": "84cf", "summary": [] });
        let items = json!([says("user", "hi"), thought, says("assistant", "ho")]);
        check(items, Format::OpenAiResponses, "messages[1].id RefusedId");
        let nameless = json!([{ "role": "user", "parts": [{ "type": "text", "text": "hi" }] }]);
        check(nameless, Format::AiSdkUi, "messages[0].id MissingId");
    }

    #[test]
    fn an_empty_list_of_parts_beside_calls_is_found_and_put_right() {
        let mut asks = asks(&["a"]);
        asks["content"] = json!([]);
        let mut result = answers("a");
        result["content"] = json!([]);
        let paths = ["messages[1].content MissingContent", "messages[2].content MissingContent"];
        check(&json!([says("user", "hi"), asks, result]), Format::OpenAiChat, &paths);
    }

    #[test]
    fn what_a_provider_knows_of_its_own_tools_and_compactions_is_found() {
        let said = |blocks: Value| json!({ "role": "assistant", "content": blocks });
        let (user, text) = (says("user", "hi"), json!({ "type": "text", "text": "so" }));
        let condensed = json!({ "type": "compaction", "content": null, "encrypted_content": "x" });
        let all = |messages: Value, format: Format| {
            found(messages.as_array().unwrap(), format, Strictness::Strictest)
        };
        let first = json!([said(json!([condensed])), user]);
        assert_eq!(all(first, Format::Anthropic), [""; 0]);
        let behind = json!([user, said(json!([text, condensed])), user]);
        assert_eq!(all(behind, Format::Anthropic), ["messages[1].content[1] MisplacedCompaction"]);
        let asks =
            json!({ "type": "server_tool_use", "id": "s", "name": "web_search", "input": {} });
        let result = json!({ "type": "web_search_tool_result", "tool_use_id": "s", "content": [] });
        let paused = json!([user, said(json!([asks])), said(json!([result, text])), user]);
        assert_eq!(all(paused, Format::Anthropic), [""; 0]);
        let orphan = json!([user, said(json!([result, text])), user]);
        assert_eq!(all(orphan, Format::Anthropic), ["messages[1].content[0] OrphanResult"]);

        let trigger = json!({ "type": "compaction_trigger" });
        let responses = Format::OpenAiResponses;
        assert_eq!(all(json!([user, trigger]), responses), [""; 0]);
        let early = all(json!([user, trigger, user]), responses);
        assert_eq!(early, ["messages[1] MisplacedCompaction"]);
    }

    #[test]
    fn what_the_model_said_aloud_is_something_said() {
        let spoken = json!({ "role": "assistant", "content": null, "audio": { "id": "audio_1" } });
        check(&json!([says("user", "hi"), spoken, says("user", "so")]), Format::OpenAiChat, &[]);
    }
}
