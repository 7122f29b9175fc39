//! Whether the provider accepts the messages that are composed for a view, checked before a compaction is
//! committed.
//!
//! This looks at messages as they are composed and shares no code with composing them: a fault there is then
//! found and not repeated here.

mod open_calls;

use epitome::history::{Change, Edit, Log, PartChange, View};
use epitome::message::{CallId, Part, Role};
use epitome::{
    BlankText, Contract, First, Neighbours, Provider, ReasoningPolicy, ResultPlace, SummaryRole,
    SystemPlace, Violation,
};

use self::open_calls::OpenCalls;
use crate::compose::Outgoing;
use crate::composed::{ComposedMessage, ComposedStep, PartKind, changes_by_part};
use crate::registry::Format;

impl Provider for Format {
    fn contract(&self) -> Contract {
        (*self).contract()
    }

    /// Checks the view, and then the messages that are composed for it. Linear in the view, except for
    /// looking up each message in the log.
    fn accepts(&self, log: &Log, view: &View) -> Result<(), Violation> {
        let contract = (*self).contract();
        contract.check(log, view)?;
        accepts(&contract, log, view, &self.compose(log, view))
    }
}

/// Checks messages that were composed for a view. Fails with the first reason for which the provider would
/// refuse them.
pub(crate) fn accepts(
    contract: &Contract,
    log: &Log,
    view: &View,
    composed: &[Outgoing],
) -> Result<(), Violation> {
    // The app asked for its messages as it has them, whatever is wrong with them.
    if view.as_appended {
        return Ok(());
    }
    let mut checker = Checker::new(contract, log, view);
    let mut edits = view.edits.iter();
    for (index, outgoing) in composed.iter().enumerate() {
        let message = ComposedMessage::of(log, outgoing);
        let as_planned = |step| edits.next().is_some_and(|edit| realizes(edit, step, contract));
        if message.steps.is_empty() || !message.steps.iter().all(as_planned) {
            return Err(Violation::DiffersFromView { index });
        }
        checker.push(index, &message)?;
    }
    // An edit that is left was lost in composing. Every composed message alone may still be valid.
    if edits.next().is_some() {
        return Err(Violation::DiffersFromView { index: composed.len() });
    }
    checker.finish()
}

/// True if a composed step is what an edit of the view asks for. Parts that the provider refuses may be
/// missing.
fn realizes(edit: &Edit, step: &ComposedStep<'_>, contract: &Contract) -> bool {
    let (id, planned): (_, &[PartChange]) = match edit {
        Edit::Keep(id) => (id, &[]),
        Edit::Replace { id, changes } => (id, changes),
        Edit::Insert { role, parts } => {
            return matches!(step, ComposedStep::Inserted { role: own, parts: composed } if own == role && composed == parts);
        }
    };
    let ComposedStep::Original { message, changes } = step else { return false };
    let count = message.parts.len();
    let mut changes =
        changes_by_part(count, planned).zip(changes_by_part(count, changes)).zip(&message.parts);
    message.id == *id
        && changes.all(|((planned, composed), part)| {
            planned == composed
                || composed == Some(&Change::Remove) && may_be_removed(part, contract)
        })
}

/// True for a part that the provider refuses in a message with other parts.
fn may_be_removed(part: &Part, contract: &Contract) -> bool {
    match part {
        Part::Text { text } => text.trim().is_empty() && contract.blank_text == BlankText::Refused,
        Part::Reasoning { signature, .. } => {
            signature.is_none() && contract.reasoning == ReasoningPolicy::Signed
        }
        _ => false,
    }
}

/// Checks messages in order, as the provider reads them. `index` is that of a message in the request.
pub(crate) struct Checker<'a> {
    contract: &'a Contract,
    /// Calls without a result.
    open: OpenCalls<'a>,
    /// Calls without a result that wait for approval. They need a result only once the user goes on.
    waiting: OpenCalls<'a>,
    /// The index of the latest message with calls.
    latest_calls: Option<usize>,
    /// True after the first message that is not a system message.
    started: bool,
    /// The role of the message before, as the provider sees it.
    before: Option<Role>,
    /// The index of the message before, if it holds only reasoning.
    reasoning_only: Option<usize>,
    starts_with_system: bool,
}

/// What checking the next message depends on, if no call before it is without a result.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Passed {
    started: bool,
    before: Option<Role>,
    reasoning_only: Option<usize>,
}

impl<'a> Checker<'a> {
    fn new(contract: &'a Contract, log: &Log, view: &View) -> Self {
        let checker = Self::behind(Passed::default(), contract, log);
        Self { starts_with_system: checker.starts_with_system && !view.is_part, ..checker }
    }

    /// A checker that continues behind messages that passed.
    pub(crate) fn behind(passed: Passed, contract: &'a Contract, log: &Log) -> Self {
        let Passed { started, before, reasoning_only } = passed;
        let first = log.message(0).map(|message| message.role);
        Self {
            contract,
            open: OpenCalls::default(),
            waiting: OpenCalls::default(),
            latest_calls: None,
            started,
            before,
            reasoning_only,
            starts_with_system: first == Some(Role::System),
        }
    }

    /// What checking the next message depends on; `None` if a call has no result yet.
    pub(crate) fn passed(&self) -> Option<Passed> {
        let Self { started, before, reasoning_only, .. } = *self;
        let is_complete = self.open.is_empty() && self.waiting.is_empty();
        is_complete.then_some(Passed { started, before, reasoning_only })
    }

    /// The role of the message that holds a step of this role.
    fn wire_role(&self, role: Role) -> Role {
        match (role, self.contract.results) {
            // Written here once more, although composing has the same rule: a shared rule would hide its own
            // fault.
            (Role::Tool, ResultPlace::NextUser) => Role::User,
            (Role::Tool, ResultPlace::Inside) => Role::Assistant,
            (role, _) => role,
        }
    }

    /// Checks the next message.
    pub(crate) fn push(
        &mut self,
        index: usize,
        message: &ComposedMessage<'a>,
    ) -> Result<(), Violation> {
        let steps = message.steps.as_slice();
        let mut roles = steps.iter().filter_map(ComposedStep::role);
        let Some(first) = roles.next() else { return Err(Violation::DiffersFromView { index }) };
        let last = roles.next_back().unwrap_or(first);
        let mut kinds = steps.iter().take(1).flat_map(ComposedStep::kinds);
        let is_compaction = kinds.any(|kind| matches!(kind, PartKind::Compaction));
        self.check_role(index, first, is_compaction)?;
        for (one, next) in steps.iter().zip(steps.iter().skip(1)) {
            let role = |step: &ComposedStep<'_>| step.role().map(|role| self.wire_role(role));
            if role(one) != role(next) && !one.shares_a_message(next) {
                return Err(Violation::MixedRoles { index });
            }
        }
        self.before = Some(self.wire_role(last));
        // Results before anything else in the message: Anthropic, Gemini and Bedrock look for them only there.
        let mut only_results = true;
        let mut has_content = false;
        let mut has_reasoning = false;
        let mut has_text = false;
        for step in steps {
            let Some(role) = step.role() else { continue };
            if role == Role::User {
                // The user goes on, so the calls that waited will never be approved.
                self.open.append(&mut self.waiting);
            }
            let inserted = matches!(step, ComposedStep::Inserted { .. });
            if inserted && role == Role::System && self.contract.summary == SummaryRole::User {
                return Err(Violation::SystemInside { index });
            }
            for kind in step.kinds() {
                self.check_part(index, role, &kind)?;
                match kind {
                    PartKind::Result(call) => self.check_result(index, call, only_results)?,
                    // Images in a tool message belong to the result before them.
                    _ if role == Role::Tool => {}
                    _ => {
                        only_results = false;
                        self.check_no_open_call(index)?;
                    }
                }
                match kind {
                    PartKind::Call(call) => {
                        self.latest_calls = Some(index);
                        self.open.push(call, index);
                    }
                    PartKind::ApprovalRequest(call) => {
                        if let Some((call, at)) = self.open.take_latest(call) {
                            self.waiting.push(call, at);
                        }
                    }
                    _ => {}
                }
                let is_reasoning =
                    matches!(kind, PartKind::Reasoning { .. }) && role == Role::Assistant;
                has_text |= matches!(kind, PartKind::Text { .. });
                has_reasoning |= is_reasoning && !kind.is_blank();
                has_content |= !is_reasoning && !kind.is_blank();
            }
        }
        let is_blank = !has_content && !has_reasoning && first != Role::System;
        if is_blank && !(has_text && self.contract.blank_text == BlankText::AllowedAlone) {
            return Err(Violation::Blank { index });
        }
        self.reasoning_only = (has_reasoning && !has_content).then_some(index);
        Ok(())
    }

    /// Checks the role of a message by its place. `is_compaction` is true for one by the provider itself.
    fn check_role(
        &mut self,
        index: usize,
        role: Role,
        is_compaction: bool,
    ) -> Result<(), Violation> {
        let Contract { neighbours, system, first, reasoning, .. } = *self.contract;
        let wire_role = self.wire_role(role);
        if index == 0 && role != Role::System && self.starts_with_system {
            return Err(Violation::SystemNotFirst);
        }
        if role == Role::System && self.started && system == SystemPlace::First {
            return Err(Violation::SystemInside { index });
        }
        let may_start = is_compaction || wire_role == Role::User || role == Role::System;
        if !self.started && first == First::User && !may_start {
            return Err(Violation::NotUserFirst { index });
        }
        // Compared by the role that the provider sees: a user message after results is the second user message
        // in a row for some providers.
        let again = self.before == Some(wire_role) && role != Role::System;
        if again && neighbours == Neighbours::Merged {
            return Err(Violation::SameRoleTwice { index });
        }
        let tied = matches!(reasoning, ReasoningPolicy::Signed | ReasoningPolicy::WholeTurn);
        if let Some(index) = self.reasoning_only.filter(|_| tied && wire_role != Role::Assistant) {
            return Err(Violation::ReasoningAlone { index });
        }
        self.started |= role != Role::System;
        Ok(())
    }

    /// Checks a part by itself.
    fn check_part(&self, index: usize, role: Role, kind: &PartKind<'_>) -> Result<(), Violation> {
        let Contract { blank_text, reasoning, .. } = *self.contract;
        match kind {
            PartKind::Text { blank: true }
                if role != Role::System && blank_text == BlankText::Refused =>
            {
                Err(Violation::BlankText { index })
            }
            PartKind::Reasoning { signed: false, .. }
                if role == Role::Assistant && reasoning == ReasoningPolicy::Signed =>
            {
                Err(Violation::UnsignedReasoning { index })
            }
            _ => Ok(()),
        }
    }

    /// Checks that a result answers an open call and is where the provider looks for it. `only_results` is
    /// true if its message has only results before it.
    fn check_result(
        &mut self,
        index: usize,
        call: &CallId,
        only_results: bool,
    ) -> Result<(), Violation> {
        let Some((_, at)) = self.answered(call) else {
            return Err(Violation::OrphanedResult { call: call.clone(), index });
        };
        let is_placed = at == index
            || match self.contract.results {
                ResultPlace::DirectlyAfter | ResultPlace::AnywhereAfter => true,
                ResultPlace::NextUser => at + 1 == index && only_results,
                ResultPlace::Inside => false,
            };
        match is_placed {
            true => Ok(()),
            false => Err(Violation::MisplacedResult { call: call.clone(), index }),
        }
    }

    /// Removes the call that a result answers.
    fn answered(&mut self, call: &CallId) -> Option<(&'a CallId, usize)> {
        let Self { open, waiting, .. } = self;
        // Ids may be used again in later turns, so of several calls with one id the latest is meant. A call that was approved
        // and has run gets its result without a message of the user in between.
        let of_id = if open.latest(call) < waiting.latest(call) {
            waiting.take_latest(call)
        } else {
            open.take_latest(call)
        };
        // Results without an id answer the calls of the latest turn in order, those that wait for approval last.
        let latest = self.latest_calls.filter(|_| call.as_str().is_empty());
        of_id.or_else(|| open.take_first_of(latest?).or_else(|| waiting.take_first_of(latest?)))
    }

    /// Checks that no call of an earlier message is open, before anything but a result may follow.
    fn check_no_open_call(&self, index: usize) -> Result<(), Violation> {
        match self.open.first_outside(index) {
            Some((call, index)) if self.contract.results != ResultPlace::AnywhereAfter => {
                Err(Violation::UnansweredCall { call: call.clone(), index })
            }
            _ => Ok(()),
        }
    }

    /// Checks how the messages end.
    pub(crate) fn finish(self) -> Result<(), Violation> {
        let tied =
            matches!(self.contract.reasoning, ReasoningPolicy::Signed | ReasoningPolicy::WholeTurn);
        // Calls in `waiting` may stay open at the end: the user has not decided about them yet.
        if let Some((call, index)) = self.open.first() {
            return Err(Violation::UnansweredCall { call: call.clone(), index });
        }
        match self.reasoning_only {
            Some(index) if tied => Err(Violation::ReasoningAlone { index }),
            _ if !self.started => Err(Violation::NothingSaid),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
