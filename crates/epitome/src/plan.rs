//! What a compaction would do to every message: a value that changes nothing.

mod action;
mod appendix;
mod budget;
mod chunks;
mod columns;
mod cut;
mod protected;
pub(crate) mod reduce;

use std::collections::BTreeMap;

pub use action::Action;
use budget::{Budget, appended_request, appended_tokens, crowd, floor};
pub use columns::Columns;
use protected::{is_system, oldest_rounds, protected, requests_to_keep, size, strip};

use crate::conversation::Conversation;
use crate::facts::Fact;
use crate::history::{Checkpoint, Cover, Exchange, Rewrite};
use crate::message::{CheckpointId, Message, MessageId, Role};
use crate::policy::Reason;
use crate::policy::{Keep, Phase, Policy, SummaryPlacement};
pub(crate) use appendix::appendix;
use cut::cut;
use reduce::{Draft, Reduced};

/// A summary, and the facts that it lost.
pub(crate) struct Written {
    pub(crate) summary: String,
    pub(crate) ledger: Vec<Fact>,
}

/// A compaction, thought through but not done.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Why it would be made.
    pub reason: Reason,
    /// The action of each message, by position.
    pub actions: Vec<Action>,
    /// Where the tail begins: every message before it is covered.
    pub tail_start: usize,
    /// True where a summary is to be written; otherwise reducers alone work.
    pub summarizes: bool,
    /// How many tokens the summary may take, its ledger included.
    pub summary_tokens: u32,
    /// How many of those are for the ledger of facts that the summary lost.
    pub ledger_tokens: u32,
    /// Tokens of the view now, by the meter on the scale of the provider, with all that goes along.
    pub tokens_before: u32,
    /// Tokens of the view with a summary of `summary_tokens`.
    pub tokens_after: u32,
    /// How often the summarizer would be asked.
    pub requests: u32,
    /// Why there is nothing to do, where that is so.
    pub idle: Option<String>,
    /// Why the threshold cannot be met, where that is so: the floor, item by item.
    pub floor: Option<String>,
    changed: BTreeMap<usize, Reduced>,
    before: Vec<usize>,
    after: Vec<usize>,
    /// Prefix messages that stay and that the summarizer reads all the same, since a later compaction may
    /// let them go; in order.
    retold: Vec<usize>,
}

impl Plan {
    /// Plans a compaction. Linear in the history, but for sorting its tool calls.
    ///
    /// Reducers work first. Where they do not suffice, the tail is what `policy.keep` wants and the
    /// target has room for; system prompts, pinned exchanges, the last user request and the latest of
    /// the others stay wherever they are; the summary stands for the rest.
    pub fn new(conversation: &Conversation, policy: &Policy, reason: Reason) -> Self {
        let mut plan = Self::draft(conversation, policy, reason, None);
        if plan.summarizes {
            match plan.count_chunks(conversation, policy) {
                Ok(chunks) => plan.requests = u32::try_from(chunks).unwrap_or(u32::MAX),
                Err(error) => plan.idle = Some(error.to_string()),
            }
        }
        plan
    }

    /// The plan without its number of requests, for whoever is about to make the chunks anyway.
    /// Reducers with a condition of their own look at `phase`; without one, at any.
    pub(crate) fn draft(
        conversation: &Conversation,
        policy: &Policy,
        reason: Reason,
        phase: Option<Phase>,
    ) -> Self {
        let scale = conversation.scale(policy);
        let told = policy;
        let policy = &*scale.policy(policy);
        let log = conversation.log();
        let exchanges = conversation.outline().exchanges(log);
        let protected = protected(conversation, policy, &exchanges);
        let mut draft = Draft::new(conversation, policy, &exchanges, &protected);
        draft.reduce(reason, phase);
        let tokens_before = conversation.counted_tokens().saturating_add(policy.tool_schema_tokens);
        let mut plan = Self {
            reason,
            actions: Vec::new(),
            tail_start: conversation.projection().covered,
            summarizes: false,
            summary_tokens: 0,
            ledger_tokens: 0,
            tokens_before,
            tokens_after: tokens_before,
            requests: 0,
            idle: None,
            floor: floor(conversation, told, &scale),
            changed: BTreeMap::new(),
            before: Vec::new(),
            after: Vec::new(),
            retold: Vec::new(),
        };
        // An automatic compaction that has come down far enough without a model asks for no summary.
        let enough = reason == Reason::Threshold
            && draft.tokens() <= policy.target_tokens()
            && !policy.fires(&draft.load());
        if reason != Reason::Reduce && policy.summary.summarizer().is_some() && !enough {
            plan.summarize(&mut draft);
        }
        if !plan.summarizes
            && let Some(first) = draft.first_changed()
        {
            strip(&mut draft, first..conversation.last_request().unwrap_or(log.len()));
        }
        plan.settle_actions(&draft);
        let seen = (plan.tail_start..log.len()).filter(|at| draft.is_seen(*at));
        let left = seen.filter(|at| !is_system(conversation, *at));
        plan.floor = plan.floor.or_else(|| crowd(policy, || left.count()));
        if !plan.summarizes {
            plan.tokens_after = draft.tokens();
        }
        plan.changed = draft.into_changed();
        plan.changed.retain(|position, _| {
            plan.actions.get(*position).is_some_and(|action| *action != Action::Summarize)
        });
        for tokens in [&mut plan.tokens_before, &mut plan.tokens_after] {
            *tokens = scale.window(tokens.saturating_sub(policy.tool_schema_tokens));
        }
        if !plan.summarizes && plan.changed.is_empty() {
            plan.idle = Some(plan.why_idle(log.len(), enough));
        }
        plan
    }

    /// Finds where the tail begins and what stays of the prefix, if there is anything to summarize.
    fn summarize(&mut self, draft: &mut Draft) {
        let (conversation, policy) = (draft.conversation, draft.policy);
        let covered = conversation.projection().covered;
        let end = conversation.log().len();
        let keep = match policy.reactive().filter(|_| self.reason.is_reactive()) {
            Some(reactive) => Keep::Rounds(reactive.keep_rounds),
            None if policy.summary_placement == SummaryPlacement::OneMessage => Keep::Messages(0),
            None => policy.keep,
        };
        let cost = |draft: &Draft, position: usize| match position < covered {
            true => conversation.seen_tokens(position),
            false => draft.tokens_of(position),
        };
        let protected = draft.protected.iter().flat_map(Clone::clone);
        let protected_tokens = sum(protected.clone().map(|at| cost(draft, at)));
        let appended = appended_tokens(conversation, policy);
        let budget = Budget::new(policy, keep, protected_tokens, appended);
        let exchanges = draft.exchanges;
        let size = |exchange: &Exchange| size(draft, exchange);
        let tail_start =
            cut(exchanges, size, covered, end, keep, policy.window, budget.tail).max(covered);
        let tail_start = match policy.reactive() {
            Some(reactive) if self.reason == Reason::ReactiveMicro => {
                let rounds = reactive.micro_batch_rounds;
                oldest_rounds(draft, covered, rounds).min(tail_start)
            }
            _ => tail_start,
        };

        let mut stays: Vec<usize> = protected.take_while(|at| *at < tail_start).collect();
        let earlier_requests = requests_to_keep(draft, tail_start, &stays, budget.requests);
        stays.extend(&earlier_requests);
        stays.sort();
        stays.retain(|position| draft.tokens_of(*position) > 0 || *position < covered);
        let stays_there = |at: &usize| stays.binary_search(at).is_ok();
        self.retold.clone_from(&earlier_requests);
        if let Some(request) = conversation.last_request().filter(stays_there)
            && let Err(place) = self.retold.binary_search(&request)
        {
            self.retold.insert(place, request);
        }
        let leaves = |at: &usize| !stays_there(at) && (*at < covered || draft.is_seen(*at));
        let behind = stays.iter().skip_while(|at| **at < covered);
        let staying = sum(behind.map(|at| draft.tokens_of(*at)));
        let prefix_tokens = draft.tokens_in(covered..tail_start).saturating_sub(staying);
        if prefix_tokens == 0 {
            return;
        }
        let first_gone = (0..tail_start).find(leaves).unwrap_or(tail_start);
        // The provider may leave out what stands before its own compaction, and so the summary.
        let is_compaction =
            |at: usize| conversation.log().message(at).is_some_and(Message::is_compaction);
        let leads = |at: usize| is_system(conversation, at) || is_compaction(at);
        (self.before, self.after) = stays.iter().partition(|at| match policy.summary_placement {
            SummaryPlacement::InPlace => **at < first_gone,
            SummaryPlacement::LeadingSystem => leads(**at),
            // What people asked before stands in front of what came of it, so that no model takes it for
            // unanswered.
            _ => earlier_requests.binary_search(at).is_ok() || leads(**at),
        });

        // A summary is not worth having that is as long as what it stands for.
        let previous = conversation.breakdown(0).summary;
        let replaced = prefix_tokens.saturating_add(previous);
        self.tail_start = tail_start;
        self.summarizes = true;
        self.summary_tokens = budget.summary.min(replaced / 2).max(1);
        self.ledger_tokens = policy.summary.ledger_tokens.min(self.summary_tokens / 4);

        let request = conversation.last_request().unwrap_or(end);
        let behind = stays.iter().copied().chain(tail_start..end);
        strip(draft, behind.filter(|at| *at < request));
        self.tokens_after = sum(stays.iter().map(|at| cost(draft, *at)))
            .saturating_add(draft.tokens_in(tail_start..end))
            .saturating_add(appended)
            .saturating_add(self.summary_tokens)
            .saturating_add(policy.tool_schema_tokens);
    }

    fn settle_actions(&mut self, draft: &Draft) {
        let (conversation, tail_start) = (draft.conversation, self.tail_start);
        let projection = conversation.projection();
        let mut actions = vec![Action::Summarized; projection.covered];
        actions.resize(tail_start.max(projection.covered), Action::Summarize);
        actions.resize(conversation.log().len(), Action::Keep);
        let mut settle = |position: usize, action: Action| {
            if let Some(slot) = actions.get_mut(position) {
                *slot = action;
            }
        };
        projection.dropped.iter().for_each(|at| settle(*at, Action::Summarized));
        match self.summarizes {
            true => self.before.iter().chain(&self.after).for_each(|at| settle(*at, Action::Keep)),
            false => projection.kept().for_each(|at| settle(at, Action::Keep)),
        }
        for (position, action) in draft.actions() {
            let stays = |slot: &Action| position >= tail_start || *slot == Action::Keep;
            if let Some(slot) = actions.get_mut(position)
                && (action_leaves(action) || stays(slot))
            {
                *slot = action;
            }
        }
        self.actions = actions;
    }

    fn why_idle(&self, messages: usize, enough: bool) -> String {
        match &self.floor {
            _ if messages == 0 => "the conversation is empty".to_owned(),
            _ if self.reason == Reason::Reduce => "no reducer finds anything to save".to_owned(),
            _ if enough => {
                "nothing calls for a compaction: the conversation is below its threshold \
                            and its target"
                    .to_owned()
            }
            Some(floor) => format!("nothing is left to summarize: {floor}"),
            None => {
                "nothing is left to summarize: every message is pinned, a system prompt, or in \
                     the tail that the policy keeps"
                    .to_owned()
            }
        }
    }

    /// What becomes of the message at a position.
    pub fn action(&self, position: usize) -> Action {
        self.actions.get(position).copied().unwrap_or(Action::Keep)
    }

    /// Tokens of the message at a position, as it is seen now and as it would be.
    pub fn message_tokens(&self, conversation: &Conversation, position: usize) -> (u32, u32) {
        let before = match self.action(position) {
            Action::Summarized => return (0, 0),
            _ => conversation.seen_tokens(position),
        };
        let after = match (self.action(position), self.changed.get(&position)) {
            (Action::Summarize, _) | (_, Some(Reduced::Gone { .. })) => 0,
            (_, Some(Reduced::Rewritten { tokens, .. })) => *tokens,
            (_, None) => before,
        };
        (before, after)
    }

    /// Where the messages are that stay.
    pub(crate) fn staying(&self) -> impl Iterator<Item = usize> {
        (0..self.actions.len()).filter(|at| match self.changed.get(at) {
            Some(reduced) => matches!(reduced, Reduced::Rewritten { .. }),
            None => self.action(*at) == Action::Keep,
        })
    }

    /// The messages that stay, as they would be seen.
    pub fn stays<'a>(
        &'a self,
        conversation: &'a Conversation,
    ) -> impl Iterator<Item = &'a Message> {
        self.staying().filter_map(|at| self.seen(conversation, at))
    }

    /// A message that stays, as it would be seen.
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

    /// True for a message that would be seen otherwise, or left out.
    pub(crate) fn changes(&self, position: usize) -> bool {
        self.changed.contains_key(&position)
    }

    /// The step that this plan makes, with the summary it asked for.
    pub(crate) fn checkpoint(
        &self,
        conversation: &Conversation,
        policy: &Policy,
        id: CheckpointId,
        written: Option<Written>,
    ) -> Checkpoint {
        let name = |at: usize| conversation.log().message(at).map(|message| message.id.clone());
        let names = |positions: &[usize]| -> Vec<MessageId> {
            positions.iter().filter_map(|at| name(*at)).collect()
        };
        let through = self.tail_start.checked_sub(1).and_then(name);
        let cover = through.zip(written).map(|(through, Written { summary, ledger })| Cover {
            through,
            before: names(&self.before),
            after: names(&self.after),
            role: match policy.summary_placement {
                SummaryPlacement::LeadingSystem if self.leaves_somebody(conversation) => {
                    Role::System
                }
                _ => Role::User,
            },
            summary,
            ledger,
            appendix: self.appendix(conversation, policy),
            summarized: self.summarized(),
        });
        let dropped: Vec<usize> = self
            .changed
            .iter()
            .filter(|(at, reduced)| {
                matches!(reduced, Reduced::Gone { .. })
                    && (!self.summarizes || **at >= self.tail_start)
            })
            .map(|(at, _)| *at)
            .collect();
        Checkpoint {
            id,
            reason: self.reason,
            cover,
            rewrites: self.rewrites().cloned().collect(),
            dropped: names(&dropped),
            tokens_before: conversation.counted_tokens(),
            tokens_after: 0,
        }
    }

    /// What stands behind the summary besides its ledger: open tasks, and the last request where that is
    /// to be appended and would be gone otherwise.
    pub(crate) fn appendix(&self, conversation: &Conversation, policy: &Policy) -> String {
        let request = appended_request(conversation, policy);
        appendix(conversation, request.filter(|at| self.action(*at) == Action::Summarize))
    }

    /// True where a message stays that is no system prompt: no provider takes those alone.
    fn leaves_somebody(&self, conversation: &Conversation) -> bool {
        let leaves = |at: usize| {
            let action = self.action(at);
            action_leaves(action) || matches!(action, Action::Summarize | Action::Summarized)
        };
        let mut positions = 0..conversation.log().len();
        positions.any(|at| !leaves(at) && !is_system(conversation, at))
    }

    /// The messages that would be seen otherwise.
    pub fn rewrites(&self) -> impl Iterator<Item = &Rewrite> {
        self.changed.values().filter_map(|reduced| match reduced {
            Reduced::Rewritten { rewrite, .. } => Some(rewrite),
            Reduced::Gone { .. } => None,
        })
    }

    /// How many messages would be seen otherwise, or left out, without being summarized.
    pub fn reduced(&self) -> u32 {
        u32::try_from(self.changed.len()).unwrap_or(u32::MAX)
    }

    /// How many messages the summary would stand for.
    pub fn summarized(&self) -> u32 {
        let gone = |action: &&Action| matches!(action, Action::Summarize | Action::Summarized);
        let prefix = self.actions.iter().take(self.tail_start);
        u32::try_from(prefix.filter(gone).count()).unwrap_or(u32::MAX)
    }
}

fn action_leaves(action: Action) -> bool {
    matches!(action, Action::Deduplicate | Action::DropOldest)
}

fn sum(tokens: impl Iterator<Item = u32>) -> u32 {
    tokens.fold(0, u32::saturating_add)
}
