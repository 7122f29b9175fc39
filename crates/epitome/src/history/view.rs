//! The view: the messages that are sent to the model, as edits of the app's messages.

use std::ops::Range;

use super::late_result::LateResults;
use super::log::Log;
use super::pairing::Pairing;
use super::projection::Projection;
use super::repair::{ACKNOWLEDGEMENT, Defect, Ending, Finding, Repaired, repair_part};
use super::rewrite::{PartChange, without_signed_reasoning};
use crate::contract::{Contract, First, Neighbours, ReasoningPolicy, ResultPlace};
use crate::message::{Message, MessageId, Part, Role};
use epitome_text::note::EARLIER_LEFT_OUT;

/// Text of the user message that is inserted first if a provider requires one there and nothing was said before. Otherwise, it
/// is [`EARLIER_LEFT_OUT`].
const OPENING_BY_ASSISTANT: &str = "[the assistant begins]";

/// How one message of the view is made from the app's messages. A message format applies this to the app's own
/// objects, so that a kept message stays the same object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// The app's message, unchanged.
    Keep(MessageId),
    /// The app's message with some parts changed.
    Replace {
        /// The message.
        id: MessageId,
        /// Its changed parts, in order.
        changes: Vec<PartChange>,
    },
    /// A message of the engine, such as a summary.
    Insert {
        /// Its role.
        role: Role,
        /// Its parts.
        parts: Vec<Part>,
    },
}

impl Edit {
    /// The id of the app's message; `None` for a message of the engine.
    pub fn id(&self) -> Option<&MessageId> {
        match self {
            Self::Keep(id) | Self::Replace { id, .. } => Some(id),
            Self::Insert { .. } => None,
        }
    }

    fn role(&self, log: &Log) -> Option<Role> {
        match self {
            Self::Insert { role, .. } => Some(*role),
            Self::Keep(id) | Self::Replace { id, .. } => {
                log.position(id).and_then(|at| log.message(at)).map(|message| message.role)
            }
        }
    }
}

/// The edit of a message without its signed reasoning; `None` if nothing else is in the message.
fn keep_unsigned(log: &Log, edit: Edit) -> Option<Edit> {
    let (id, mut changes) = match edit {
        Edit::Keep(id) => (id, Vec::new()),
        Edit::Replace { id, changes } => (id, changes),
        insert @ Edit::Insert { .. } => return Some(insert),
    };
    let Some(message) = log.position(&id).and_then(|at| log.message(at)) else {
        return Some(Edit::Keep(id));
    };
    if message.has_signed_reasoning() {
        if message.parts.iter().all(|part| part.is_signed_reasoning() || part.is_blank()) {
            return None;
        }
        changes = without_signed_reasoning(message, &changes);
    }
    Some(if changes.is_empty() { Edit::Keep(id) } else { Edit::Replace { id, changes } })
}

/// The conversation as it is sent to the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Its messages, in order.
    pub edits: Vec<Edit>,
    /// Defects that were found in it, and mostly repaired.
    pub findings: Vec<Finding>,
    /// True if every message is the original, even if a provider would reject it.
    pub as_appended: bool,
    /// True for a part of the conversation, which does not begin with its system prompt.
    pub is_part: bool,
}

impl View {
    /// The view of a projection: covered messages that stay before the summary, the summary, covered messages that
    /// stay after it, and the tail; then repaired. Costs O(n log n) in the view.
    pub fn of(log: &Log, projection: &Projection, contract: &Contract) -> Self {
        Self::of_paired(log, projection, contract, None)
    }

    /// The same with the pairing of what is behind the summary, if it is known.
    fn of_paired(
        log: &Log,
        projection: &Projection,
        contract: &Contract,
        pairing: Option<&Pairing>,
    ) -> Self {
        let mut view = Self::default();
        view.add(log, projection, &projection.before, contract, None);
        if let Some(cover) = &projection.cover {
            let role = contract.role_of_insert(cover.role);
            view.edits.push(Edit::Insert { role, parts: vec![Part::text(cover.framed())] });
        }
        let tail = (projection.covered..log.len())
            .filter(|position| !projection.dropped.contains(position));
        let rest: Vec<usize> = projection.after.iter().copied().chain(tail).collect();
        view.add(log, projection, &rest, contract, pairing);
        if contract.first == First::User {
            let is_complete = projection.checkpoints == 0;
            view.ensure_user_first(
                log,
                if is_complete { OPENING_BY_ASSISTANT } else { EARLIER_LEFT_OUT },
            );
        }
        // Possible after a compaction if the app makes a system message of the last message that was left.
        let is_said = |message: &Message| message.role != Role::System;
        if projection.checkpoints > 0 && view.says_nothing(log) && log.messages().any(is_said) {
            let last = view.edits.iter().rev().find_map(Edit::id).cloned();
            // There may be only a summary with the role of the system.
            let id = last.or_else(|| log.messages().last().map(|message| message.id.clone()));
            let defect = Defect::NothingSaid;
            view.findings.extend(id.map(|id| Finding { id, defect }));
            let parts = vec![Part::text(EARLIER_LEFT_OUT)];
            view.edits.push(Edit::Insert { role: Role::User, parts });
        }
        view
    }

    /// True if it has only system messages, and perhaps the note that the rest is left out.
    pub(crate) fn says_nothing(&self, log: &Log) -> bool {
        self.edits.iter().all(|edit| match edit {
            Edit::Insert { parts, .. } if *parts == [Part::text(EARLIER_LEFT_OUT)] => true,
            _ => edit.role(log) == Some(Role::System),
        })
    }

    /// All original messages, repaired. Costs O(n log n).
    pub fn repaired(log: &Log, contract: &Contract) -> Self {
        Self::of(log, &Projection::default(), contract)
    }

    /// The same with the [pairing](Pairing::of) of all messages, which is a third of the work.
    pub fn repaired_by(log: &Log, contract: &Contract, pairing: &Pairing) -> Self {
        Self::of_paired(log, &Projection::default(), contract, Some(pairing))
    }

    /// The original messages at these positions, repaired as a view of their own. Costs O(n log n) in them.
    pub fn repaired_part(log: &Log, positions: Range<usize>, contract: &Contract) -> Self {
        let mut view = Self { is_part: true, ..Self::default() };
        let positions: Vec<usize> = positions.collect();
        view.add(log, &Projection::default(), &positions, contract, None);
        view
    }

    /// All original messages as they are, without findings. Linear.
    pub fn as_appended(log: &Log) -> Self {
        let edits = log.messages().map(|message| Edit::Keep(message.id.clone())).collect();
        Self { edits, as_appended: true, ..Self::default() }
    }

    /// The present summary as a message of the user, and these messages after it without signed reasoning, which its
    /// provider accepts only behind the messages that it was written behind. Repaired as a view of its own. Costs
    /// O(n log n) in the messages.
    pub(crate) fn of_part(
        log: &Log,
        projection: &Projection,
        positions: &[usize],
        contract: &Contract,
    ) -> Self {
        let mut view = Self { is_part: true, ..Self::default() };
        if let Some(cover) = &projection.cover {
            // Without its label and closing request, which are not for a summarizer.
            let parts = vec![Part::text(cover.tagged())];
            view.edits.push(Edit::Insert { role: Role::User, parts });
        }
        view.add(log, projection, positions, contract, None);
        if matches!(contract.reasoning, ReasoningPolicy::MayDrop | ReasoningPolicy::Signed) {
            let edits = std::mem::take(&mut view.edits).into_iter();
            view.edits = edits.filter_map(|edit| keep_unsigned(log, edit)).collect();
        }
        if contract.first == First::User {
            view.ensure_user_first(log, EARLIER_LEFT_OUT);
        }
        view
    }

    /// The view with one more message of the user, in a form in which the provider takes that one: every call before it
    /// has a result, and a short assistant message stands between results and it. A view of messages as they
    /// were appended is repaired; a valid message stays as it is. Costs O(n log n) in the view.
    #[must_use]
    pub(crate) fn with_prompt(self, log: &Log, contract: &Contract, prompt: &str) -> Self {
        let mut view = if self.as_appended { Self::repaired(log, contract) } else { self };
        let last = view.edits.last().and_then(|edit| edit.role(log));
        let continues = match last {
            Some(Role::Tool) => contract.results != ResultPlace::Inside,
            Some(Role::User) => contract.neighbours == Neighbours::Merged,
            _ => false,
        };
        if continues {
            let parts = vec![Part::text(ACKNOWLEDGEMENT)];
            view.edits.push(Edit::Insert { role: Role::Assistant, parts });
        }
        view.edits.push(Edit::Insert { role: Role::User, parts: vec![Part::text(prompt)] });
        view
    }

    /// The text of the last message, if the engine has added it; otherwise empty.
    pub(crate) fn prompt(&self) -> &str {
        match self.edits.last() {
            Some(Edit::Insert { parts, .. }) => match parts.as_slice() {
                [Part::Text { text }] => text,
                _ => "",
            },
            _ => "",
        }
    }

    /// Inserts a short user message first, unless the first message is one or is a compaction of the provider's own.
    fn ensure_user_first(&mut self, log: &Log, opening: &str) {
        let role = |edit: &Edit| edit.role(log);
        // System messages may come before the first user message in every format that has them.
        let first = self.edits.iter().position(|edit| role(edit) != Some(Role::System));
        let Some(first) = first else { return };
        let edit = self.edits.get(first);
        let message = edit.and_then(Edit::id).and_then(|id| log.message(log.position(id)?));
        let compacted = message.is_some_and(Message::is_compaction);
        // Results come first behind calls of a system message only, and the user's message must not come between the two.
        if !compacted && edit.and_then(role) == Some(Role::Assistant) {
            let id = edit.and_then(Edit::id).cloned();
            let defect = Defect::NotUserFirst;
            self.findings.extend(id.map(|id| Finding { id, defect }));
            let parts = vec![Part::text(opening)];
            self.edits.insert(first, Edit::Insert { role: Role::User, parts });
        }
    }

    /// Appends these messages, repaired.
    fn add(
        &mut self,
        log: &Log,
        projection: &Projection,
        positions: &[usize],
        contract: &Contract,
        pairing: Option<&Pairing>,
    ) {
        let visible: Vec<(usize, &Message)> =
            positions.iter().filter_map(|at| Some((*at, projection.visible(log, *at)?))).collect();
        let messages: Vec<&Message> = visible.iter().map(|(_, message)| *message).collect();
        let late = LateResults::new(log, projection);
        let own;
        let pairing = match pairing {
            Some(pairing) => pairing,
            None => {
                own = Pairing::of(messages.iter().copied());
                &own
            }
        };
        let repair = repair_part(&messages, Ending::Open, contract, Some(&late), pairing);
        self.edits.extend(repair.messages.into_iter().filter_map(|message| match message {
            Repaired::Kept(index) => {
                let (position, message) = visible.get(index)?;
                let id = message.id.clone();
                Some(match projection.rewritten.get(position) {
                    Some(rewritten) => {
                        Edit::Replace { id, changes: rewritten.rewrite.changes.clone() }
                    }
                    None => Edit::Keep(id),
                })
            }
            Repaired::Added { role, part } => Some(Edit::Insert { role, parts: vec![part] }),
        }));
        self.findings.extend(repair.findings);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Checkpoint, Record};
    use crate::test_notation::transcript;

    fn log(text: &str) -> Log {
        let mut log = Log::default();
        for message in transcript(text) {
            log.append(Record::Message { message: message.into() }).unwrap();
        }
        log
    }

    /// The text of each message of the engine, and the id of each other one.
    fn shown(view: &View) -> Vec<&str> {
        let shown = view.edits.iter().map(|edit| match edit {
            Edit::Keep(id) | Edit::Replace { id, .. } => id.as_str(),
            Edit::Insert { parts, .. } => match parts.as_slice() {
                [Part::Text { text }] => text,
                _ => "",
            },
        });
        shown.collect()
    }

    #[test]
    fn a_user_message_is_first_where_the_provider_wants_that_and_says_what_is_before_it() {
        let anyone = Contract::default();
        let user = Contract { first: First::User, ..anyone };
        let greeted = log("a: hello\nu: hi");
        let all = ["m0", "m1"];
        assert_eq!(shown(&View::repaired(&greeted, &anyone)), all);
        let view = View::repaired(&greeted, &user);
        assert_eq!(shown(&view), [OPENING_BY_ASSISTANT, "m0", "m1"]);
        assert_eq!(view.findings.len(), 1);
        let called = log("s: !f\nt: =f\na: hello");
        assert_eq!(shown(&View::repaired(&called, &user)), ["m0", "m1", "m2"]);
        assert_eq!(user.check(&called, &View::repaired(&called, &user)), Ok(()));
        let mut shortened = log("u: hi\na: ho\nu: so");
        let checkpoint = Checkpoint { dropped: vec!["m0".into()], ..Checkpoint::empty(1) };
        shortened.append(Record::Checkpoint { checkpoint: checkpoint.into() }).unwrap();
        let projection = Projection::of(&shortened);
        assert_eq!(shown(&View::of(&shortened, &projection, &anyone)), ["m1", "m2"]);
        let view = View::of(&shortened, &projection, &user);
        assert_eq!(shown(&view), [EARLIER_LEFT_OUT, "m1", "m2"]);
        let mut edited = log("u: hi\ns: note");
        let checkpoint = Checkpoint { dropped: vec!["m0".into()], ..Checkpoint::empty(1) };
        edited.append(Record::Checkpoint { checkpoint: checkpoint.into() }).unwrap();
        for contract in [&anyone, &user] {
            let view = View::of(&edited, &Projection::of(&edited), contract);
            assert_eq!(shown(&view), ["m1", EARLIER_LEFT_OUT]);
            let defects: Vec<Defect> = view.findings.iter().map(|found| found.defect).collect();
            assert_eq!(defects, [Defect::NothingSaid]);
            assert!(view.says_nothing(&edited));
        }
        assert!(!View::repaired(&greeted, &anyone).says_nothing(&greeted));
        let part = |contract| View::of_part(&greeted, &Projection::default(), &[0], contract);
        assert_eq!(shown(&part(&anyone)), ["m0"]);
        assert_eq!(shown(&part(&user)), [EARLIER_LEFT_OUT, "m0"]);
    }

    #[test]
    fn messages_as_they_were_appended_are_all_there_and_not_repaired() {
        let log = log("t: =one\na:");
        let view = View::as_appended(&log);
        assert_eq!((shown(&view), view.as_appended), (vec!["m0", "m1"], true));
        let view = View::repaired(&log, &Contract::default());
        assert_eq!((shown(&view), view.as_appended), (vec![], false));
    }

    #[test]
    fn a_part_of_the_conversation_has_no_signed_reasoning() {
        let log = log("u: hi\na: ?hm#signed\na: ?hm#signed so\na: ?hm well");
        let whole = Projection::default();
        let contract = Contract::default();
        let view = View::of_part(&log, &whole, &[0, 1, 2, 3], &contract);
        let [Edit::Keep(first), Edit::Replace { id, changes }, Edit::Keep(last)] =
            view.edits.as_slice()
        else {
            panic!("{view:?}");
        };
        assert_eq!([first.as_str(), id.as_str(), last.as_str()], ["m0", "m2", "m3"]);
        assert_eq!(changes.iter().map(|change| change.part).collect::<Vec<_>>(), [0]);
    }
}
