//! The view: the messages that are sent to the model, as edits of the app's messages.

use super::late_result::LateResults;
use super::log::Log;
use super::projection::Projection;
use super::repair::{ACKNOWLEDGEMENT, Defect, Ending, Finding, Repaired, repair_part};
use super::rewrite::{Change, PartChange};
use crate::contract::{Contract, First, Neighbours, ReasoningPolicy, ResultPlace};
use crate::history::tagged;
use crate::message::{Message, MessageId, Part, Role};

/// Text of the user message that is inserted first if a provider requires a user message there.
const OPENING: &str = "[what was said before is left out]";

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
fn without_signed_reasoning(log: &Log, edit: Edit) -> Option<Edit> {
    let (id, mut changes) = match edit {
        Edit::Keep(id) => (id, Vec::new()),
        Edit::Replace { id, changes } => (id, changes),
        insert @ Edit::Insert { .. } => return Some(insert),
    };
    let Some(message) = log.position(&id).and_then(|at| log.message(at)) else {
        return Some(Edit::Keep(id));
    };
    let is_signed = |part: &Part| matches!(part, Part::Reasoning { signature: Some(_), .. });
    if message.parts.iter().any(is_signed) {
        if message.parts.iter().all(|part| is_signed(part) || part.is_blank()) {
            return None;
        }
        // Changes are applied in one pass, so that each part has at most one.
        changes.retain(|change| !message.parts.get(change.part).is_some_and(is_signed));
        let signed = message.parts.iter().enumerate().filter(|(_, part)| is_signed(part));
        changes.extend(signed.map(|(part, _)| PartChange { part, change: Change::Remove }));
        changes.sort_by_key(|change| change.part);
    }
    Some(if changes.is_empty() { Edit::Keep(id) } else { Edit::Replace { id, changes } })
}

/// The conversation as it is sent to the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Its messages, in order.
    pub edits: Vec<Edit>,
    /// Defects that were repaired in it. Empty before the first compaction: until then no message is changed.
    pub findings: Vec<Finding>,
    /// False before the first compaction: every message is the original, even if a provider would reject it.
    pub projected: bool,
    /// True for a part of the conversation, which does not begin with its system prompt.
    pub is_part: bool,
}

impl View {
    /// The view of a projection: covered messages that stay before the summary, the summary, covered messages that
    /// stay after it, and the tail; then repaired. Without an active checkpoint, all original messages. Costs
    /// O(n log n) in the view.
    pub fn of(log: &Log, projection: &Projection, contract: &Contract) -> Self {
        if projection.checkpoints == 0 {
            let edits = log.messages().map(|message| Edit::Keep(message.id.clone())).collect();
            return Self { edits, ..Self::default() };
        }
        let mut view = Self { projected: true, ..Self::default() };
        view.add(log, projection, &projection.before, contract);
        view.add_summary(projection, contract, |role| role);
        let tail = (projection.covered..log.len())
            .filter(|position| !projection.dropped.contains(position));
        let rest: Vec<usize> = projection.after.iter().copied().chain(tail).collect();
        view.add(log, projection, &rest, contract);
        if contract.first == First::User {
            view.ensure_user_first(log);
        }
        view
    }

    /// All original messages, repaired. Costs O(n log n).
    pub fn repaired(log: &Log, contract: &Contract) -> Self {
        let mut view = Self { projected: true, ..Self::default() };
        let all: Vec<usize> = (0..log.len()).collect();
        view.add(log, &Projection::default(), &all, contract);
        if contract.first == First::User {
            view.ensure_user_first(log);
        }
        view
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
        let mut view = Self { projected: true, is_part: true, ..Self::default() };
        view.add_summary(projection, contract, |_| Role::User);
        view.add(log, projection, positions, contract);
        if matches!(contract.reasoning, ReasoningPolicy::MayDrop | ReasoningPolicy::Signed) {
            let edits = std::mem::take(&mut view.edits).into_iter();
            view.edits = edits.filter_map(|edit| without_signed_reasoning(log, edit)).collect();
        }
        if contract.first == First::User {
            view.ensure_user_first(log);
        }
        view
    }

    /// The view with one more message of the user, in a form in which the provider takes that one: every call before it
    /// has a result, and a short assistant message stands between results and it. A view that nobody has changed is
    /// repaired; a valid message stays as it is. Costs O(n log n) in the view.
    #[must_use]
    pub(crate) fn with_prompt(self, log: &Log, contract: &Contract, prompt: &str) -> Self {
        let mut view = if self.projected { self } else { Self::repaired(log, contract) };
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

    /// Appends the summary, if there is one. `role_of` chooses its role from that of the policy.
    fn add_summary(
        &mut self,
        projection: &Projection,
        contract: &Contract,
        role_of: impl Fn(Role) -> Role,
    ) {
        if let Some(cover) = &projection.cover {
            let text = tagged::summary(&cover.text(), cover.summarized);
            let role = role_of(contract.role_of_insert(cover.role));
            self.edits.push(Edit::Insert { role, parts: vec![Part::text(text)] });
        }
    }

    /// Inserts a short user message first, unless the first message is one or is a compaction of the provider's own.
    fn ensure_user_first(&mut self, log: &Log) {
        let role = |edit: &Edit| edit.role(log);
        // System messages may come before the first user message in every format that has them.
        let first = self.edits.iter().position(|edit| role(edit) != Some(Role::System));
        let Some(first) = first else { return };
        let edit = self.edits.get(first);
        let message = edit.and_then(Edit::id).and_then(|id| log.message(log.position(id)?));
        let compacted = message.is_some_and(Message::is_compaction);
        if !compacted && edit.and_then(role) != Some(Role::User) {
            let id = edit.and_then(Edit::id).cloned();
            let defect = Defect::NotUserFirst;
            self.findings.extend(id.map(|id| Finding { id, defect }));
            let parts = vec![Part::text(OPENING)];
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
    ) {
        let visible: Vec<(usize, &Message)> =
            positions.iter().filter_map(|at| Some((*at, projection.visible(log, *at)?))).collect();
        let messages: Vec<&Message> = visible.iter().map(|(_, message)| *message).collect();
        let late = LateResults::new(log, projection);
        let repair = repair_part(&messages, Ending::Open, contract, Some(&late));
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
