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
            if index == 0 && role != Role::System && !view.is_part && starts_with_system(log) {
                return Err(Violation::SystemNotFirst);
            }
            if has_messages && role == Role::System && self.system == SystemPlace::First {
                return Err(Violation::SystemInside { index });
            }
            let compacted = parts.iter().any(Part::is_compaction);
            let may_be_first = compacted || role == Role::System || role == Role::User;
            if !has_messages && !may_be_first && self.first == First::User {
                return Err(Violation::NotUserFirst { index });
            }
            has_messages |= role != Role::System;
            if role == Role::User {
                open.append(&mut awaiting_approval);
            }
            let is_blank = parts.iter().all(Part::is_blank);
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
                    _ if is_blank && role != Role::System => {
                        return Err(Violation::Blank { index });
                    }
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
