//! Checks a view against a contract, with nothing shared with the code that builds views.

use std::borrow::Cow;

use super::{Edit, Log, Rewrite, View};
use crate::contract::{Contract, First, Neighbours, ResultPlace, SystemPlace, Violation};
use crate::message::{CallId, Part, Role};

impl Contract {
    /// The first way in which a view breaks the contract. Linear in the view.
    pub fn check(&self, log: &Log, view: &View) -> Result<(), Violation> {
        let mut open: Vec<(CallId, usize)> = Vec::new();
        let mut waiting: Vec<(CallId, usize)> = Vec::new();
        let mut said = false;
        for (index, edit) in view.edits.iter().enumerate() {
            let Some((role, parts)) = resolve(log, edit) else { continue };
            let parts = parts.as_ref();
            if index == 0 && role != Role::System && starts_with_system(log) {
                return Err(Violation::SystemNotFirst);
            }
            if said && role == Role::System && self.system == SystemPlace::First {
                return Err(Violation::SystemInside { index });
            }
            let condensed = parts.iter().any(Part::is_compaction);
            let opens = condensed || role == Role::System || role == Role::User;
            if !said && !opens && self.first == First::User {
                return Err(Violation::NotUserFirst { index });
            }
            said |= role != Role::System;
            if role == Role::User {
                open.append(&mut waiting);
            }
            for part in parts {
                match part {
                    Part::ToolResult { call, .. } => {
                        if take(&mut open, call).or_else(|| take(&mut waiting, call)).is_none() {
                            return Err(Violation::OrphanedResult { call: call.clone(), index });
                        }
                    }
                    Part::Approval { call: Some(call), .. } => {
                        waiting.extend(take(&mut open, call));
                    }
                    _ if role == Role::Tool => {}
                    _ if parts.iter().all(Part::is_blank) && role != Role::System => {
                        return Err(Violation::Blank { index });
                    }
                    _ => {
                        // Where neighbours are one message, what the model says on is part of its turn.
                        let on = self.neighbours == Neighbours::Merged && role == Role::Assistant;
                        let late = self.results != ResultPlace::AnywhereAfter && !on;
                        if let Some((call, at)) =
                            open.first().filter(|(_, at)| late && *at != index)
                        {
                            let (call, index) = (call.clone(), *at);
                            return Err(Violation::UnansweredCall { call, index });
                        }
                        if let Part::ToolCall { call, .. } = part {
                            open.push((call.clone(), index));
                        }
                    }
                }
            }
        }
        match open.first() {
            Some((call, index)) => {
                Err(Violation::UnansweredCall { call: call.clone(), index: *index })
            }
            None if !said => Err(Violation::NothingSaid),
            None => Ok(()),
        }
    }
}

/// The first of these calls that a result of this name answers.
fn take(open: &mut Vec<(CallId, usize)>, call: &CallId) -> Option<(CallId, usize)> {
    let nameless = call.as_str().is_empty();
    let place = open.iter().position(|(other, _)| other == call || nameless)?;
    Some(open.remove(place))
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
