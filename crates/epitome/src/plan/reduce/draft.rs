//! A conversation while reducers work on it: what each has changed so far, and what that saves.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{clear, deduplicate, drop_oldest, offload, truncate};
use crate::conversation::Conversation;
use crate::history::exchange::exchange_of;
use crate::history::{Change, Exchange, PartChange, Rewrite};
use crate::message::{Message, Part};
use crate::plan::Action;
use crate::policy::Reason;
use crate::policy::{Load, Phase, Policy, Reducer, ReducerRule, share};

/// What reducers have made of one message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reduced {
    /// It is seen otherwise.
    Rewritten { rewrite: Rewrite, message: Message, tokens: u32, action: Action },
    /// It is left out.
    Gone { action: Action },
}

/// A change that a reducer proposes: parts of one message, or one exchange to leave out.
pub(super) enum Proposal {
    Rewrite { position: usize, changes: Vec<PartChange> },
    LeaveOut { exchange: Exchange },
}

/// Proposals of one reducer, the ones to take first in front.
pub(super) struct Proposals {
    pub(super) action: Action,
    pub(super) list: Vec<Proposal>,
    /// Take no more than it takes to come down to the target.
    pub(super) until_target: bool,
}

/// A conversation under reduction. Nothing in it changes the conversation.
pub(crate) struct Draft<'a> {
    pub(crate) conversation: &'a Conversation,
    pub(crate) policy: &'a Policy,
    pub(crate) exchanges: &'a [Exchange],
    /// What no reducer may touch, oldest first.
    pub(crate) protected: &'a [Exchange],
    changed: BTreeMap<usize, Reduced>,
    saved: u32,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(
        conversation: &'a Conversation,
        policy: &'a Policy,
        exchanges: &'a [Exchange],
        protected: &'a [Exchange],
    ) -> Self {
        let changed = BTreeMap::new();
        Self { conversation, policy, exchanges, protected, changed, saved: 0 }
    }

    /// Lets every reducer work that this reason calls for, in order.
    pub(crate) fn reduce(&mut self, reason: Reason, phase: Option<Phase>) {
        let last_resort = self.policy.summary.summarizer().is_none();
        let policy = self.policy;
        for reduction in &policy.reducers {
            if self.wants(reduction, reason, phase) {
                let proposals = match &reduction.reducer {
                    Reducer::Deduplicate => deduplicate::propose(self),
                    Reducer::TruncateToolResults(age) => truncate::propose(self, age),
                    Reducer::ClearToolInputs(prune) => clear::propose(self, prune),
                    Reducer::OffloadToolResults(offload) => {
                        let until_target = reduction.when.is_none();
                        Proposals { until_target, ..offload::propose(self, offload) }
                    }
                    Reducer::DropOldest if last_resort => drop_oldest::propose(self),
                    Reducer::DropOldest => continue,
                };
                self.take(proposals, reduction.min_saving_tokens);
            }
        }
    }

    /// On its own a reducer works when its condition holds, and in time; in a compaction also where it
    /// has none.
    fn wants(&self, reduction: &ReducerRule, reason: Reason, phase: Option<Phase>) -> bool {
        let (load, window) = (self.load(), self.policy.window);
        match (&reduction.when, phase) {
            (None, _) => reason != Reason::Reduce,
            (Some(when), Some(phase)) if reason == Reason::Reduce => {
                when.call(phase, &load, window).is_some()
            }
            (Some(when), _) => when.fires(&load, window),
        }
    }

    /// Takes proposals, if they save enough together. A message that is changed twice is changed anew.
    fn take(&mut self, proposals: Proposals, min_saving_tokens: u32) {
        let before = (self.changed.clone(), self.saved);
        for proposal in proposals.list {
            if proposals.until_target && self.tokens() <= self.policy.target_tokens() {
                break;
            }
            match proposal {
                Proposal::Rewrite { position, changes } => {
                    self.rewrite(position, changes, proposals.action);
                }
                Proposal::LeaveOut { exchange } => {
                    for position in exchange {
                        self.saved = self.saved.saturating_add(self.tokens_of(position));
                        self.changed.insert(position, Reduced::Gone { action: proposals.action });
                    }
                }
            }
        }
        if self.saved.saturating_sub(before.1) < min_saving_tokens.max(1) {
            (self.changed, self.saved) = before;
        }
    }

    /// Changes parts of a message as it came, besides those that were changed before; nothing where
    /// that would make it longer.
    pub(crate) fn rewrite(&mut self, position: usize, changes: Vec<PartChange>, action: Action) {
        let Some(message) = self.conversation.log().message(position) else { return };
        let earlier = match self.changed.get(&position) {
            Some(Reduced::Rewritten { rewrite, .. }) => Some(rewrite),
            Some(Reduced::Gone { .. }) => return,
            None => {
                let projection = self.conversation.projection();
                projection.rewritten.get(&position).map(|rewritten| &rewritten.rewrite)
            }
        };
        let mut by_part: BTreeMap<usize, PartChange> = BTreeMap::new();
        let earlier = earlier.into_iter().flat_map(|rewrite| rewrite.changes.iter().cloned());
        by_part.extend(earlier.chain(changes).map(|change| (change.part, change)));
        let rewrite = Rewrite { id: message.id.clone(), changes: by_part.into_values().collect() };
        let message = rewrite.apply(message);
        let tokens = self.conversation.meter().measure(&message).tokens;
        let before = self.tokens_of(position);
        if tokens <= before {
            self.saved = self.saved.saturating_add(before - tokens);
            self.changed.insert(position, Reduced::Rewritten { rewrite, message, tokens, action });
        }
    }

    /// What reducers have made of messages, of those that they did not leave alone.
    pub(crate) fn actions(&self) -> impl Iterator<Item = (usize, Action)> + '_ {
        self.changed.iter().map(|(position, reduced)| match reduced {
            Reduced::Rewritten { action, .. } | Reduced::Gone { action } => (*position, *action),
        })
    }

    /// The first message that was changed.
    pub(crate) fn first_changed(&self) -> Option<usize> {
        self.changed.keys().next().copied()
    }

    /// What was changed, by position.
    pub(crate) fn into_changed(self) -> BTreeMap<usize, Reduced> {
        self.changed
    }

    /// Tokens of the view as it would be, tool schemas included.
    pub(crate) fn tokens(&self) -> u32 {
        let tools = self.policy.tool_schema_tokens;
        let counted = self.conversation.counted_tokens().saturating_add(tools);
        counted.saturating_sub(self.saved)
    }

    /// What triggers look at. What a provider has counted is corrected by what was saved since.
    pub(crate) fn load(&self) -> Load {
        let load = self.conversation.counted_load(self.policy);
        let gone = |reduced: &&Reduced| matches!(reduced, Reduced::Gone { .. });
        let left_out = u32::try_from(self.changed.values().filter(gone).count());
        Load {
            tokens: load.tokens.saturating_sub(self.saved),
            messages: load.messages.saturating_sub(left_out.unwrap_or(u32::MAX)),
            prompt_tokens: load.prompt_tokens.filter(|_| self.saved == 0),
        }
    }

    /// Tokens of a message as it would be seen; 0 where it is left out.
    pub(crate) fn tokens_of(&self, position: usize) -> u32 {
        match self.changed.get(&position) {
            Some(Reduced::Rewritten { tokens, .. }) => *tokens,
            Some(Reduced::Gone { .. }) => 0,
            None => self.came_to(position).unwrap_or(0),
        }
    }

    /// The same of a message that would be in the view.
    pub(crate) fn seen_tokens(&self, position: usize) -> Option<u32> {
        match self.changed.get(&position) {
            Some(Reduced::Rewritten { tokens, .. }) => self.is_there(position).then_some(*tokens),
            Some(Reduced::Gone { .. }) => None,
            None => self.came_to(position),
        }
    }

    /// Tokens of a message that is in the view, before any of this.
    fn came_to(&self, position: usize) -> Option<u32> {
        self.is_there(position).then(|| self.conversation.seen_tokens(position))
    }

    /// A message as it would be seen.
    pub(crate) fn message(&self, position: usize) -> Option<&Message> {
        match self.changed.get(&position) {
            Some(Reduced::Rewritten { message, .. }) => Some(message),
            _ => self.conversation.seen(position),
        }
    }

    /// A tool result, or the arguments of a call, as they would be seen; by the part of the message as
    /// it came.
    pub(super) fn text(&self, position: usize, part: usize) -> Option<&str> {
        match self.change(position, part) {
            Some(Change::Text { text } | Change::Offload { text, .. }) => Some(text),
            Some(Change::Arguments { arguments }) => Some(arguments),
            Some(Change::Remove) => None,
            None => match self.conversation.log().message(position)?.parts.get(part)? {
                Part::ToolResult { text, .. } => Some(text),
                Part::ToolCall { arguments, .. } => Some(arguments),
                _ => None,
            },
        }
    }

    /// Tokens of a tool result as it would be seen. Counts only what was changed.
    pub(super) fn result_tokens(&self, position: usize, part: usize) -> Option<u32> {
        match self.change(position, part) {
            Some(_) => Some(self.conversation.tokenizer().count(self.text(position, part)?)),
            None => Some(self.conversation.meter().result_tokens(position, part)),
        }
    }

    /// What becomes of a part of a message as it came.
    fn change(&self, position: usize, part: usize) -> Option<&Change> {
        let rewrite = match self.changed.get(&position) {
            Some(Reduced::Rewritten { rewrite, .. }) => Some(rewrite),
            _ => {
                let rewritten = &self.conversation.projection().rewritten;
                rewritten.get(&position).map(|rewritten| &rewritten.rewrite)
            }
        };
        let mut changes = rewrite.into_iter().flat_map(|rewrite| &rewrite.changes);
        changes.find(|change| change.part == part).map(|change| &change.change)
    }

    /// True for a message that would be in the view: behind the summary and not left out.
    pub(crate) fn is_seen(&self, position: usize) -> bool {
        self.is_there(position)
            && !matches!(self.changed.get(&position), Some(Reduced::Gone { .. }))
    }

    /// True for a message that is in the view, behind the summary, before any of this.
    fn is_there(&self, position: usize) -> bool {
        let projection = self.conversation.projection();
        position >= projection.covered
            && position < self.conversation.log().len()
            && !projection.dropped.contains(&position)
    }

    /// False where no part of a message has more tokens than these, as it came or as it is seen.
    pub(super) fn may_exceed(&self, position: usize, tokens: u32) -> bool {
        let came = self.conversation.meter().cost(position);
        came.is_some_and(|cost| cost.largest > tokens)
    }

    /// Tokens of messages behind the summary, as they would be seen. Costs what was changed among them.
    pub(crate) fn tokens_in(&self, range: Range<usize>) -> u32 {
        let seen_otherwise = self.conversation.rewritten_tokens().range(range.clone());
        let dropped = self.conversation.projection().dropped.range(range.clone());
        let changed = self.changed.range(range.clone());
        let others: BTreeSet<usize> = seen_otherwise
            .map(|(at, _)| *at)
            .chain(dropped.copied())
            .chain(changed.map(|(at, _)| *at))
            .collect();
        let meter = self.conversation.meter();
        let came = others.iter().fold(0, |sum: u32, at| sum.saturating_add(meter.tokens(*at)));
        let seen = others.iter().fold(0, |sum: u32, at| sum.saturating_add(self.tokens_of(*at)));
        meter.span(range).sum().saturating_sub(came).saturating_add(seen)
    }

    /// Positions behind the summary, newest first, without the newest messages that fill `fraction` of
    /// the window, and without the newest exchange. Of those, the ones where some part has more tokens than
    /// `tokens`, as it came or as it is seen; the others cost next to nothing.
    pub(super) fn old_positions(
        &self,
        fraction: f64,
        tokens: u32,
    ) -> impl Iterator<Item = usize> + '_ {
        let room = share(self.policy.window, fraction);
        let covered = self.conversation.projection().covered;
        let newest = self.exchanges.last().map_or(0, |exchange| exchange.start);
        let end = self.conversation.log().len();
        // Between what is old for certain and what is certainly not.
        let (mut old, mut young) = (covered, end);
        while old < young {
            let middle = old + (young - old).div_ceil(2);
            match self.tokens_in(middle - 1..end) > room {
                true => old = middle,
                false => young = middle - 1,
            }
        }
        let large = self.conversation.meter().exceeding(covered..old.min(newest), tokens);
        large.filter(|at| self.is_seen(*at))
    }

    /// The exchange of a message.
    pub(crate) fn exchange_of(&self, position: usize) -> Option<&Exchange> {
        exchange_of(self.exchanges, position)
    }

    /// Exchanges behind the summary that may be left out, oldest first.
    pub(super) fn free_exchanges(&self) -> impl Iterator<Item = &Exchange> {
        self.exchanges.iter().filter(|exchange| self.is_free(exchange))
    }

    /// True for an exchange behind the summary that may be left out.
    pub(super) fn is_free(&self, exchange: &Exchange) -> bool {
        exchange.clone().all(|at| self.is_seen(at) && !self.is_protected(at))
    }

    /// True for a message that no reducer may touch.
    pub(crate) fn is_protected(&self, position: usize) -> bool {
        exchange_of(self.protected, position).is_some()
    }
}
