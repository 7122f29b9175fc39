//! Checks a view against a contract. It shares no code with the builder of views, so that an error in one is found by
//! the other.

use std::borrow::Cow;

use super::open_calls::OpenCalls;
use super::{Edit, Log, Rewrite, View};
use crate::contract::{Contract, First, Neighbours, ResultPlace, SystemPlace, Violation};
use crate::message::{CallId, Part, Role};

impl Contract {
    /// Checks that a view keeps the contract, and returns the first violation. Linear in the view.
    pub fn check(&self, log: &Log, view: &View) -> Result<(), Violation> {
        // Calls without a result, with the index of their message. Those that wait for approval need a result only
        // after the next user message.
        let mut open: OpenCalls<CallId, usize> = OpenCalls::default();
        let mut awaiting_approval: OpenCalls<CallId, usize> = OpenCalls::default();
        let mut has_messages = false;
        for (index, edit) in view.edits.iter().enumerate() {
            let Some((role, parts)) = resolve(log, edit) else { continue };
            let parts = parts.as_ref();
            open.begin_message();
            if index == 0 && role != Role::System && !view.is_part && starts_with_system(log) {
                return Err(Violation::SystemNotFirst);
            }
            if has_messages && role == Role::System && self.system == SystemPlace::First {
                return Err(Violation::SystemInside { index });
            }
            let compacted = parts.iter().any(Part::is_compaction);
            // A result answers a call of a system message there.
            let may_be_first = compacted || role != Role::Assistant;
            if !has_messages && !may_be_first && self.first == First::User {
                return Err(Violation::NotUserFirst { index });
            }
            has_messages |= role != Role::System;
            if role == Role::User {
                open.append(&mut awaiting_approval);
            }
            let is_blank = self.refuses_as_blank(role, parts);
            for part in parts {
                match part {
                    Part::ToolResult { call, .. } => {
                        let answered = open.take(call.clone());
                        if answered.or_else(|| awaiting_approval.take(call.clone())).is_none() {
                            return Err(Violation::OrphanedResult { call: call.clone(), index });
                        }
                    }
                    Part::Approval { call: Some(call), .. } => {
                        if let Some((call, at)) = open.take(call.clone()) {
                            awaiting_approval.push(call, at);
                        }
                    }
                    // Images and files in a tool message belong to the result before them.
                    _ if role == Role::Tool => {}
                    _ if is_blank => return Err(Violation::Blank { index }),
                    _ => {
                        // If neighbours are merged, the model's next message is part of the message with the call.
                        let same_turn =
                            self.neighbours == Neighbours::Merged && role == Role::Assistant;
                        let is_late = self.results != ResultPlace::AnywhereAfter && !same_turn;
                        if let Some((call, at)) =
                            open.first().filter(|(_, at)| is_late && **at != index)
                        {
                            let (call, index) = (call.clone(), *at);
                            return Err(Violation::UnansweredCall { call, index });
                        }
                        if let Part::ToolCall { call, .. } = part {
                            open.push(call.clone(), index);
                        }
                    }
                }
            }
        }
        match open.first() {
            Some((call, index)) => {
                Err(Violation::UnansweredCall { call: call.clone(), index: *index })
            }
            None if !has_messages => Err(Violation::NothingSaid),
            None => Ok(()),
        }
    }
}

fn resolve<'a>(log: &'a Log, edit: &'a Edit) -> Option<(Role, Cow<'a, [Part]>)> {
    Some(match edit {
        Edit::Keep(id) => {
            let message = log.message(log.position(id)?)?;
            (message.role, Cow::Borrowed(message.parts.as_slice()))
        }
        Edit::Replace { id, changes } => {
            let message = log.message(log.position(id)?)?;
            let rewrite = Rewrite { id: id.clone(), changes: changes.clone() };
            (message.role, Cow::Owned(rewrite.apply(message).parts))
        }
        Edit::Insert { role, parts } => (*role, Cow::Borrowed(parts.as_slice())),
    })
}

fn starts_with_system(log: &Log) -> bool {
    log.message(0).is_some_and(|message| message.role == Role::System)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::history::Record;
    use crate::test_notation::transcript;

    /// What these messages, sent as they are, break first.
    fn check(contract: &Contract, text: &str) -> Option<String> {
        let mut log = Log::default();
        let mut edits = Vec::new();
        for message in transcript(text) {
            edits.push(Edit::Keep(message.id.clone()));
            log.append(Record::Message { message: Arc::new(message) }).unwrap();
        }
        let view = View { edits, findings: Vec::new(), as_appended: false, is_part: false };
        contract.check(&log, &view).err().map(|violation| violation.to_string())
    }

    #[test]
    fn a_call_needs_its_result_before_what_is_said_next() {
        let contract = Contract::default();
        let open = Some("message 1 of the result calls f and has no answer to it".to_owned());
        assert_eq!(check(&contract, "u: hi\na: !f\nt: =f\na: done"), None);
        assert_eq!(check(&contract, "u: hi\na: !f !g\nt: =g\nt: =f"), None);
        assert_eq!(check(&contract, "u: hi\na: !f and then"), open, "at the end");
        assert_eq!(check(&contract, "u: hi\na: !f\nu: so?\nt: =f"), open);
        assert_eq!(check(&contract, "u: hi\na: !f\na: !g\nt: =f\nt: =g"), open);
        let merged = Contract { neighbours: Neighbours::Merged, ..contract };
        assert_eq!(check(&merged, "u: hi\na: !f\na: !g\nt: =f\nt: =g"), None, "one message");
        assert_eq!(check(&merged, "u: hi\na: !f\nu: so?\nt: =f"), open);
        let anywhere = Contract { results: ResultPlace::AnywhereAfter, ..contract };
        assert_eq!(check(&anywhere, "u: hi\na: !f\nu: so?\nt: =f"), None);
        assert_eq!(check(&anywhere, "u: hi\na: !f\nu: so?"), open);
    }

    #[test]
    fn a_result_needs_an_open_call_before_it() {
        let contract = Contract::default();
        let orphan = |index| {
            Some(format!("message {index} of the result answers f, which no message calls"))
        };
        assert_eq!(check(&contract, "u: hi\nt: =f"), orphan(1));
        assert_eq!(check(&contract, "u: hi\na: !f\nt: =f\nt: =f"), orphan(3));
        let anywhere = Contract { results: ResultPlace::AnywhereAfter, ..contract };
        let latest = "u: hi\na: !f\na: !g\nt: =\nt: =f";
        assert_eq!(check(&anywhere, latest), None, "one without an id is of the latest calls");
        let same = "u: hi\na: !f\na: !f !g\nt: =f\nt: =\nt: =f";
        assert_eq!(check(&anywhere, same), None, "one with an id is of the latest call of that id");
    }

    #[test]
    fn an_image_beside_a_result_may_come_before_the_results_of_other_calls() {
        let mut log = Log::default();
        let mut messages = transcript("u: hi\na: !f !g\nt: =f\nt: =g");
        messages[2].parts.push(Part::Image(Default::default()));
        let edits = messages.iter().map(|message| Edit::Keep(message.id.clone())).collect();
        for message in messages {
            log.append(Record::Message { message: Arc::new(message) }).unwrap();
        }
        let view = View { edits, ..View::default() };
        assert_eq!(Contract::default().check(&log, &view), Ok(()));
    }

    #[test]
    fn a_call_that_waits_for_approval_needs_its_result_after_the_next_user_message() {
        let contract = Contract::default();
        let open = Some("message 1 of the result calls f and has no answer to it".to_owned());
        assert_eq!(check(&contract, "u: hi\na: !f may:x<f>"), None);
        assert_eq!(check(&contract, "u: hi\na: !f may:x<f>\nt: yes:x\nt: =f"), None);
        assert_eq!(check(&contract, "u: hi\na: !f may:x<f>\nu: well?"), open);
    }

    #[test]
    fn an_empty_message_is_refused_but_for_a_system_message_and_beside_a_result() {
        let contract = Contract::default();
        let blank = Some("message 1 of the result is empty".to_owned());
        assert_eq!(check(&contract, "u: hi\na: ? "), blank);
        assert_eq!(check(&contract, "u: hi\na: ?#signed"), None);
        assert_eq!(check(&contract, "u: hi\na: ? then"), None);
        assert_eq!(check(&contract, "u: hi\ns: ?"), None);
    }

    #[test]
    fn the_system_prompt_is_first_and_the_only_one_where_the_provider_wants_that() {
        let anywhere = Contract::default();
        let first = Contract { system: SystemPlace::First, ..anywhere };
        let inside = "message 2 of the result is a system message after others".to_owned();
        for (text, refused) in [
            ("s: be kind\ns: be short\nu: hi", None),
            ("s: be kind\nu: hi\ns: be short", Some(inside)),
        ] {
            assert_eq!(check(&anywhere, text), None);
            assert_eq!(check(&first, text), refused);
        }
        let alone = Some("the result holds nothing besides system prompts".to_owned());
        assert_eq!(check(&anywhere, "s: be kind"), alone);
    }

    #[test]
    fn the_first_message_is_a_users_where_the_provider_wants_that() {
        let anyone = Contract::default();
        let user = Contract { first: First::User, ..anyone };
        let refused =
            |index| Some(format!("message {index} of the result is the first and not a user's"));
        assert_eq!(check(&anyone, "a: hello"), None);
        assert_eq!(check(&user, "a: hello"), refused(0));
        assert_eq!(check(&user, "s: be kind\na: hello"), refused(1));
        assert_eq!(check(&user, "s: be kind\nu: hi\na: hello"), None);
    }

    #[test]
    fn a_system_prompt_that_is_not_first_any_more_is_noticed() {
        let mut log = Log::default();
        let messages = transcript("s: be kind\nu: hi");
        for message in &messages {
            log.append(Record::Message { message: Arc::new(message.clone()) }).unwrap();
        }
        let edits = messages.iter().rev().map(|message| Edit::Keep(message.id.clone())).collect();
        let mut view = View { edits, findings: Vec::new(), as_appended: false, is_part: false };
        let contract = Contract::default();
        assert_eq!(contract.check(&log, &view), Err(Violation::SystemNotFirst));
        view.is_part = true;
        assert_eq!(contract.check(&log, &view), Ok(()));
    }
}
