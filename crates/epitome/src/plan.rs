//! What a compaction would do to every message: a value that changes nothing.

mod action;
mod appendix;
mod budget;
mod chunks;
mod columns;
mod cut;
mod locked_reasoning;
mod messages;
mod planner;
mod reading;
mod reduce;
mod scope;

pub use action::Action;
pub(crate) use appendix::{appendix, tracked};
pub(crate) use chunks::covered_request;
pub use columns::Columns;
use epitome_columns::SortedMap;
pub use locked_reasoning::LockedParts;
use planner::{appended_request, is_system};
pub(crate) use reading::{Reading, entries_at};
use reduce::Reduced;
pub use scope::Scope;

use crate::conversation::Conversation;
use crate::facts::Fact;
use crate::history::{Checkpoint, Cover, Rewrite};
use crate::message::{CheckpointId, Message, MessageId, Role};
use crate::policy::{Phase, Policy, Reason, SummaryPlacement};
use crate::structured_state::StructuredState;
use crate::tokens::MeterTokens;

/// A summary, and the facts that it lost.
#[derive(Clone, Debug, Default)]
pub(crate) struct WrittenSummary {
    pub(crate) summary: String,
    /// What its summarizer noted for itself.
    pub(crate) notes: String,
    pub(crate) ledger: Vec<Fact>,
    /// Items of lists that are not in the ledger for want of space.
    pub(crate) left_out: Vec<Fact>,
    /// The structured state with the summarizer's changes.
    pub(crate) state: StructuredState,
    /// True if it is one that all agents share.
    pub(crate) is_shared: bool,
}

/// A compaction that is planned and not carried out. Its token counts are in the provider's tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Why it would be made.
    pub reason: Reason,
    /// What would be done to each message, by position.
    pub actions: Vec<Action>,
    /// Where the tail begins: a summary covers every message before it, except those that stay.
    pub tail_start: usize,
    /// True if a summary is to be written; otherwise only reducers work.
    pub summarizes: bool,
    /// The longest summary, in tokens, its ledger included.
    pub summary_tokens: u32,
    /// How many of `summary_tokens` are for the ledger of facts that the summary lost.
    pub ledger_tokens: u32,
    /// Tokens of the next prompt as it is now: the view by the engine's own count, and the overhead of a
    /// request.
    pub tokens_before: u32,
    /// Tokens of the next prompt after the compaction, with a summary of `summary_tokens`.
    pub tokens_after: u32,
    /// Signed reasoning of messages that stay and that the model does not accept behind the change; `None` if there is
    /// none.
    pub locked_reasoning: Option<LockedParts>,
    /// How often the summarizer would be asked.
    pub requests: u32,
    /// Why there is nothing to do; `None` if there is something.
    pub idle: Option<String>,
    /// Why the threshold cannot be met, item by item; `None` if it can.
    pub floor: Option<String>,
    /// How many messages another compactor had summarized before the first one of the log.
    earlier: u32,
    /// `summary_tokens` in the meter's tokens.
    summary_budget: MeterTokens,
    /// `ledger_tokens` in the meter's tokens.
    ledger_budget: MeterTokens,
    changed: SortedMap<usize, Reduced>,
    /// Covered messages that stay, before the summary.
    before: Vec<usize>,
    /// Covered messages that stay, behind the summary.
    after: Vec<usize>,
    /// Messages that stay although the summarizer reads them, since a later compaction may not keep them;
    /// sorted.
    also_read: Vec<usize>,
}

impl Plan {
    /// Plans a compaction. Linear in the history, except that it sorts tool calls.
    ///
    /// Reducers work first. If they do not save enough, the plan keeps system messages, pinned exchanges,
    /// the last user request, and as much of the latest messages as `policy.keep` asks for and the target
    /// leaves room for; a summary replaces the rest.
    pub fn new(conversation: &Conversation, policy: &Policy, reason: Reason) -> Self {
        Self::within(conversation, policy, reason, &Scope::default())
    }

    /// The plan of a compaction for which somebody has chosen what it may replace.
    pub fn within(
        conversation: &Conversation,
        policy: &Policy,
        reason: Reason,
        scope: &Scope,
    ) -> Self {
        let mut plan = Self::without_requests(conversation, policy, reason, None, scope);
        if plan.summarizes {
            match plan.count_chunks(conversation, policy) {
                Ok(chunks) => plan.requests = u32::try_from(chunks).unwrap_or(u32::MAX),
                Err(error) => plan.idle = Some(error.to_string()),
            }
        }
        plan
    }

    /// The plan with `requests` left at 0, for a caller that makes the chunks next. Reducers that have a
    /// condition of their own are asked at `phase`; without a phase, in any.
    pub(crate) fn without_requests(
        conversation: &Conversation,
        policy: &Policy,
        reason: Reason,
        phase: Option<Phase>,
        scope: &Scope,
    ) -> Self {
        planner::plan(conversation, policy, reason, phase, None, scope)
    }

    /// The plan whose summary covers the messages in front of this position, whatever the policy keeps; as far as the
    /// provider allows it.
    pub(crate) fn up_to(
        conversation: &Conversation,
        policy: &Policy,
        reason: Reason,
        tail_start: usize,
    ) -> Self {
        planner::plan(conversation, policy, reason, None, Some(tail_start), &Scope::default())
    }

    /// True if the message at a position is to be summarized.
    pub(crate) fn summarizes_at(&self, position: usize) -> bool {
        self.action(position) == Action::Summarize
    }

    fn empty(reason: Reason) -> Self {
        Self {
            reason,
            actions: Vec::new(),
            tail_start: 0,
            summarizes: false,
            summary_tokens: 0,
            ledger_tokens: 0,
            tokens_before: 0,
            tokens_after: 0,
            locked_reasoning: None,
            requests: 0,
            idle: None,
            floor: None,
            earlier: 0,
            summary_budget: MeterTokens::ZERO,
            ledger_budget: MeterTokens::ZERO,
            changed: SortedMap::new(),
            before: Vec::new(),
            after: Vec::new(),
            also_read: Vec::new(),
        }
    }

    /// The longest summary, in the meter's tokens.
    pub(crate) fn summary_budget(&self) -> MeterTokens {
        self.summary_budget
    }

    /// The longest ledger, in the meter's tokens.
    pub(crate) fn ledger_budget(&self) -> MeterTokens {
        self.ledger_budget
    }

    /// What would be done to the message at a position.
    pub fn action(&self, position: usize) -> Action {
        self.actions.get(position).copied().unwrap_or(Action::Keep)
    }

    /// Tokens of the message at a position in the view now and after the compaction, by the meter; 0 if it
    /// is not in the view. The totals of a plan are these sums, converted by
    /// [`Scale::prompt_tokens`](crate::calibration::Scale::prompt_tokens), and the summary's.
    pub fn message_tokens(
        &self,
        conversation: &Conversation,
        position: usize,
    ) -> (MeterTokens, MeterTokens) {
        let before = match self.action(position) {
            Action::Summarized => return (MeterTokens::ZERO, MeterTokens::ZERO),
            _ => conversation.seen_tokens(position),
        };
        let after = match (self.action(position), self.changed.get(&position)) {
            (Action::Summarize, _) | (_, Some(Reduced::Removed { .. })) => MeterTokens::ZERO,
            (_, Some(Reduced::Rewritten { tokens, .. })) => *tokens,
            (_, None) => before,
        };
        (before, after)
    }

    /// The positions of the messages that stay.
    pub(crate) fn staying(&self) -> impl Iterator<Item = usize> {
        (0..self.actions.len()).filter(|at| match self.changed.get(at) {
            Some(reduced) => matches!(reduced, Reduced::Rewritten { .. }),
            None => self.action(*at) == Action::Keep,
        })
    }

    /// A message that stays, as it would be in the view.
    pub(crate) fn seen<'a>(
        &'a self,
        conversation: &'a Conversation,
        position: usize,
    ) -> Option<&'a Message> {
        match self.changed.get(&position) {
            Some(Reduced::Rewritten { message, .. }) => Some(message),
            _ => conversation.seen(position),
        }
    }

    /// True for a message that a reducer would rewrite or remove.
    pub(crate) fn changes(&self, position: usize) -> bool {
        self.changed.contains_key(&position)
    }

    /// True if a reducer would rewrite or remove a message from this position on.
    pub(crate) fn changes_from(&self, position: usize) -> bool {
        self.changed.range(position..).next().is_some()
    }

    /// The checkpoint that this plan makes, with the summary it asked for.
    pub(crate) fn checkpoint(
        &self,
        conversation: &Conversation,
        policy: &Policy,
        id: CheckpointId,
        written: Option<WrittenSummary>,
    ) -> Checkpoint {
        let name = |at: usize| conversation.log().message(at).map(|message| message.id.clone());
        let names = |positions: &[usize]| -> Vec<MessageId> {
            positions.iter().filter_map(|at| name(*at)).collect()
        };
        let through = self.tail_start.checked_sub(1).and_then(name);
        let cover = through.zip(written).map(|(through, written)| {
            let WrittenSummary { summary, notes, ledger, left_out, state, is_shared } = written;
            Cover {
                through,
                before: names(&self.before),
                after: names(&self.after),
                role: match policy.summary_placement {
                    SummaryPlacement::LeadingSystem if self.keeps_conversation(conversation) => {
                        Role::System
                    }
                    _ => Role::User,
                },
                summary,
                summarizer_notes: notes,
                ledger,
                left_out,
                state,
                appendix: self.appendix(conversation, policy),
                summarized: self.summarized(),
                shared_of: is_shared.then(|| self.summarized_for_all(conversation)),
                earlier: self.earlier,
                label: policy.summary.label.clone(),
                closing: policy.summary.closing.clone(),
            }
        });
        let dropped: Vec<usize> = self
            .changed
            .iter()
            .filter(|(at, reduced)| {
                matches!(reduced, Reduced::Removed { .. }) && **at >= self.tail_start
            })
            .map(|(at, _)| *at)
            .collect();
        Checkpoint {
            id,
            reason: self.reason,
            cover,
            rewrites: self.rewrites().cloned().collect(),
            dropped: names(&dropped),
        }
    }

    /// What stands behind the summary in addition to its ledger: open tasks, and the last request if the
    /// policy has it appended and it would not be in the view otherwise.
    ///
    /// The request is appended to every summary until the next request, also if an earlier summary covers it:
    /// each summary replaces the one before with all that was appended to that.
    pub(crate) fn appendix(&self, conversation: &Conversation, policy: &Policy) -> String {
        let request = appended_request(conversation, policy);
        let is_gone =
            |at: &usize| matches!(self.action(*at), Action::Summarize | Action::Summarized);
        appendix(conversation, policy, request.filter(is_gone))
    }

    /// True if a message stays that is not a system message: no provider accepts those alone.
    fn keeps_conversation(&self, conversation: &Conversation) -> bool {
        let leaves = |at: usize| {
            let action = self.action(at);
            action.removes_message() || matches!(action, Action::Summarize | Action::Summarized)
        };
        let mut positions = 0..conversation.log().len();
        positions.any(|at| !leaves(at) && !is_system(conversation, at))
    }

    /// The rewrites that reducers would make.
    pub fn rewrites(&self) -> impl Iterator<Item = &Rewrite> {
        self.changed.values().filter_map(|reduced| match reduced {
            Reduced::Rewritten { rewrite, .. } => Some(rewrite),
            Reduced::Removed { .. } => None,
        })
    }

    /// How many messages reducers would rewrite or remove.
    pub fn reduced(&self) -> u32 {
        u32::try_from(self.changed.len()).unwrap_or(u32::MAX)
    }

    /// The position of the last request if it would be shortened. Linear.
    pub(crate) fn excerpted(&self) -> Option<usize> {
        self.actions.iter().rposition(|action| *action == Action::ExcerptLastRequest)
    }

    /// How many messages the summary would stand for: all in front of the tail that do not stay, those of earlier summaries
    /// included.
    pub fn summarized(&self) -> u32 {
        let kept = self.before.len() + self.after.len();
        let gone = self.tail_start.saturating_sub(kept);
        self.earlier.saturating_add(u32::try_from(gone).unwrap_or(u32::MAX))
    }

    /// The same without the messages that are only for some agents. Linear in the messages in front of the tail.
    fn summarized_for_all(&self, conversation: &Conversation) -> u32 {
        let log = conversation.log();
        let stays = |at: &usize| self.before.contains(at) || self.after.contains(at);
        let is_for_all =
            |at: &usize| log.message(*at).is_some_and(|message| message.audience.is_everyone());
        let gone = (0..self.tail_start).filter(|at| is_for_all(at) && !stays(at)).count();
        self.earlier.saturating_add(u32::try_from(gone).unwrap_or(u32::MAX))
    }
}
