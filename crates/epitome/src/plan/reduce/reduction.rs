//! A conversation while reducers work on it: what each has changed so far, and what that saves.

use std::ops::Range;

use epitome_columns::{SortedMap, SortedSet};

use crate::calibration::Scale;
use crate::conversation::Conversation;
use crate::history::exchange::exchange_of;
use crate::history::{Change, Exchange, PartChange, Rewrite};
use crate::message::{Message, Part};
use crate::plan::{Action, planner};
use crate::policy::{Load, Phase, Policy, Reason, ReducerRule, share};
use crate::tokens::MeterTokens;

/// What reducers have done to one message.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::plan) enum Reduced {
    /// Parts of it are rewritten.
    Rewritten { rewrite: Rewrite, message: Message, tokens: MeterTokens, action: Action },
    /// It is removed.
    Removed { action: Action },
}

/// A change that a reducer proposes: to parts of one message, or to a whole exchange.
pub(super) enum Proposal {
    Rewrite { position: usize, changes: Vec<PartChange> },
    Remove { exchange: Exchange },
}

/// The proposals of one reducer, the ones to make first in front.
pub(super) struct Proposals {
    pub(super) action: Action,
    pub(super) list: Vec<Proposal>,
    /// Stop once the target is met.
    pub(super) until_target: bool,
}

/// A conversation under reduction. Nothing in it changes the conversation.
pub(in crate::plan) struct Reduction<'a> {
    pub(in crate::plan) conversation: &'a Conversation,
    pub(in crate::plan) policy: &'a Policy,
    pub(in crate::plan) scale: Scale,
    pub(in crate::plan) exchanges: &'a [Exchange],
    /// Exchanges that no reducer may change, oldest first.
    pub(in crate::plan) protected: &'a [Exchange],
    /// Messages among them that somebody has chosen: also what shortens a protected request leaves them.
    pub(in crate::plan) exempt: &'a [usize],
    /// No reducer may change what is before this position.
    pub(in crate::plan) from: usize,
    /// Tokens to reach, in the provider's tokens.
    target: u32,
    changed: SortedMap<usize, Reduced>,
    saved: MeterTokens,
}

impl<'a> Reduction<'a> {
    pub(in crate::plan) fn new(
        conversation: &'a Conversation,
        policy: &'a Policy,
        scale: Scale,
        exchanges: &'a [Exchange],
        protected: &'a [Exchange],
    ) -> Self {
        let (changed, saved) = (SortedMap::new(), MeterTokens::ZERO);
        let target = policy.target_tokens();
        let (exempt, from) = (&[], 0);
        Self {
            conversation,
            policy,
            scale,
            exchanges,
            protected,
            exempt,
            from,
            target,
            changed,
            saved,
        }
    }

    /// Runs every reducer that this reason calls for, in the order of the policy.
    pub(in crate::plan) fn run(&mut self, reason: Reason, phase: Option<Phase>) {
        let policy = self.policy;
        if reason == Reason::ReactiveFull {
            // The provider finds the view too long, whatever its count here: reduce what there is by the share
            // that the policy would reduce a full window by.
            let tokens = self.scale.prompt_tokens(self.tokens());
            self.target = self.target.min(share(tokens, policy.target));
        }
        for rule in &policy.reducers {
            if self.wants(rule, reason, phase)
                && let Some(proposals) = super::propose(self, rule)
            {
                self.make(proposals, rule.clear_at_least);
            }
        }
    }

    /// True if a reducer is to run: on its own if its condition holds in this phase; in a compaction, also
    /// if it has no condition. Where the window is full by what the provider says, a condition on the tokens in it
    /// holds, whatever they are counted as.
    fn wants(&self, rule: &ReducerRule, reason: Reason, phase: Option<Phase>) -> bool {
        let (mut load, window) = (self.load(), self.policy.window);
        if reason == Reason::ReactiveFull {
            load.tokens = load.tokens.max(window);
        }
        match (&rule.when, phase) {
            (None, _) => reason != Reason::Reduce,
            (Some(when), Some(phase)) => when.reason_to_compact(phase, &load, window).is_some(),
            (Some(when), None) => when.is_met(&load, window),
        }
    }

    /// Makes the proposed changes if they save enough together.
    fn make(&mut self, proposals: Proposals, clear_at_least: u32) {
        // What a proposal saves is known only after it was applied, so that the whole reducer is undone if it
        // saves too little.
        let before = (self.changed.clone(), self.saved);
        for proposal in proposals.list {
            if proposals.until_target && self.meets_target() {
                break;
            }
            match proposal {
                Proposal::Rewrite { position, .. } if position < self.from => {}
                Proposal::Remove { exchange } if exchange.start < self.from => {}
                Proposal::Rewrite { position, changes } => {
                    self.rewrite(position, changes, proposals.action);
                }
                Proposal::Remove { exchange } => {
                    for position in exchange {
                        self.saved += self.tokens_of(position);
                        let removed = Reduced::Removed { action: proposals.action };
                        self.changed.insert(position, removed);
                    }
                }
            }
        }
        // At least one token, even if the policy asks for none: a rewrite that saves nothing would make a
        // checkpoint and invalidate the provider's prompt cache for it.
        let least = self.scale.to_meter(clear_at_least).max(MeterTokens::new(1));
        if self.saved - before.1 < least {
            (self.changed, self.saved) = before;
        }
    }

    /// Rewrites parts of a message, always from the original; parts that were rewritten before stay so.
    /// Nothing happens if the message would get longer.
    pub(in crate::plan) fn rewrite(
        &mut self,
        position: usize,
        changes: Vec<PartChange>,
        action: Action,
    ) {
        let Some(message) = self.conversation.log().message(position) else { return };
        let earlier = match self.changed.get(&position) {
            Some(Reduced::Rewritten { rewrite, .. }) => Some(rewrite),
            Some(Reduced::Removed { .. }) => return,
            None => {
                let projection = self.conversation.projection();
                projection.rewritten.get(&position).map(|rewritten| &rewritten.rewrite)
            }
        };
        let mut by_part: SortedMap<usize, PartChange> = SortedMap::new();
        let earlier = earlier.into_iter().flat_map(|rewrite| rewrite.changes.iter().cloned());
        // The later change of a part replaces the earlier one. A list with both would break `Rewrite::apply`,
        // which expects one change for each part, in order.
        by_part.extend(earlier.chain(changes).map(|change| (change.part, change)));
        let rewrite = Rewrite { id: message.id.clone(), changes: by_part.into_values().collect() };
        let message = rewrite.apply(message);
        let tokens = self.conversation.meter().measure(&message).tokens;
        let before = self.tokens_of(position);
        if tokens <= before {
            self.saved += before - tokens;
            self.changed.insert(position, Reduced::Rewritten { rewrite, message, tokens, action });
        }
    }

    /// What was done to each changed message, by position.
    pub(in crate::plan) fn actions(&self) -> impl Iterator<Item = (usize, Action)> + '_ {
        self.changed.iter().map(|(position, reduced)| match reduced {
            Reduced::Rewritten { action, .. } | Reduced::Removed { action } => (*position, *action),
        })
    }

    /// The position of the first message that was changed.
    pub(in crate::plan) fn first_changed(&self) -> Option<usize> {
        self.changed.keys().next().copied()
    }

    /// All changes, by position.
    pub(in crate::plan) fn into_changed(self) -> SortedMap<usize, Reduced> {
        self.changed
    }

    /// Tokens of the messages of the view as they would be.
    pub(in crate::plan) fn tokens(&self) -> MeterTokens {
        self.conversation.counted_tokens() - self.saved
    }

    fn meets_target(&self) -> bool {
        self.scale.prompt_tokens(self.tokens()) <= self.target
    }

    /// What triggers would look at.
    pub(in crate::plan) fn load(&self) -> Load {
        let is_removed = |reduced: &&Reduced| matches!(reduced, Reduced::Removed { .. });
        let removed = self.changed.values().filter(is_removed).count();
        let removed = u32::try_from(removed).unwrap_or(u32::MAX);
        self.conversation.load_without(self.policy, &self.scale, self.saved, removed)
    }

    /// Tokens of a message as it would be seen; 0 if it would not be in the view.
    pub(in crate::plan) fn tokens_of(&self, position: usize) -> MeterTokens {
        match self.changed.get(&position) {
            Some(Reduced::Rewritten { tokens, .. }) => *tokens,
            Some(Reduced::Removed { .. }) => MeterTokens::ZERO,
            None => self.tokens_in_view(position).unwrap_or_default(),
        }
    }

    /// Tokens of a message as it would be seen; `None` if it would not be in the view.
    pub(in crate::plan) fn seen_tokens(&self, position: usize) -> Option<MeterTokens> {
        match self.changed.get(&position) {
            Some(Reduced::Rewritten { tokens, .. }) => self.is_in_view(position).then_some(*tokens),
            Some(Reduced::Removed { .. }) => None,
            None => self.tokens_in_view(position),
        }
    }

    /// Where the messages begin that are in the view as they were appended, all of them up to the end.
    pub(in crate::plan) fn plain_from(&self) -> usize {
        let projection = self.conversation.projection();
        let rewritten = self.conversation.rewritten_tokens().keys().next_back();
        let last = rewritten.max(projection.dropped.last()).max(self.changed.keys().next_back());
        last.map_or(0, |last| last + 1).max(projection.covered)
    }

    /// Tokens of a message in the view, before any reduction.
    #[inline]
    fn tokens_in_view(&self, position: usize) -> Option<MeterTokens> {
        self.is_in_view(position).then(|| self.conversation.seen_tokens(position))
    }

    /// A message as it would be seen.
    pub(in crate::plan) fn message(&self, position: usize) -> Option<&Message> {
        match self.changed.get(&position) {
            Some(Reduced::Rewritten { message, .. }) => Some(message),
            _ => self.conversation.seen(position),
        }
    }

    /// The text of a tool result, or the arguments of a call, as they would be seen. `part` counts the parts
    /// of the original message.
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
    pub(super) fn result_tokens(&self, position: usize, part: usize) -> Option<MeterTokens> {
        let meter = self.conversation.meter();
        match self.change(position, part) {
            Some(_) => Some(meter.count(self.text(position, part)?)),
            None => Some(meter.result_tokens(position, part)),
        }
    }

    /// The change to a part of the original message, if there is one.
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

    /// True for a message that would be in the view: behind the summary and not removed.
    pub(in crate::plan) fn is_seen(&self, position: usize) -> bool {
        self.is_in_view(position)
            && !matches!(self.changed.get(&position), Some(Reduced::Removed { .. }))
    }

    /// True for a message that is in the view behind the summary, before any reduction.
    #[inline]
    fn is_in_view(&self, position: usize) -> bool {
        let projection = self.conversation.projection();
        position >= projection.covered
            && position < self.conversation.log().len()
            && !projection.dropped.contains(&position)
    }

    /// False if no part of a message has more tokens than this, in the original or rewritten.
    pub(super) fn may_exceed(&self, position: usize, tokens: MeterTokens) -> bool {
        let original = self.conversation.meter().cost(position);
        original.is_some_and(|cost| cost.largest_part > tokens)
    }

    /// Tokens of messages behind the summary, as they would be seen. Costs the number of changed ones among
    /// them.
    pub(in crate::plan) fn tokens_in(&self, range: Range<usize>) -> MeterTokens {
        let rewritten = self.conversation.rewritten_tokens().range(range.clone());
        let dropped = self.conversation.projection().dropped.range(range.clone());
        let changed = self.changed.range(range.clone());
        // A set, since a message can be in several of these lists: if it were counted twice, the sum would be
        // too small.
        let others = rewritten.map(|(at, _)| *at).chain(dropped.copied());
        let others = SortedSet::from_iter(others.chain(changed.map(|(at, _)| *at)));
        let meter = self.conversation.meter();
        let original: MeterTokens = others.iter().map(|at| meter.tokens(*at)).sum();
        let seen: MeterTokens = others.iter().map(|at| self.tokens_of(*at)).sum();
        meter.span(range).sum() - original + seen
    }

    /// Positions behind the summary, newest first, without the newest messages that fill `fraction` of the
    /// window and, unless that is 0, without the newest exchange. Of these, the messages of which some part has more than
    /// `tokens` tokens, in the original or rewritten; the others cost next to nothing.
    pub(super) fn old_positions(
        &self,
        fraction: f64,
        tokens: MeterTokens,
    ) -> impl Iterator<Item = usize> + '_ {
        let newest_tokens = planner::window_share(self.policy, &self.scale, fraction);
        let covered = self.conversation.projection().covered;
        let end = self.conversation.log().len();
        let newest = match self.exchanges.last() {
            Some(exchange) if fraction > 0.0 => exchange.start,
            _ => end,
        };
        // A binary search: everything before `old` is outside the newest tokens, everything from `young` on
        // is inside.
        let (mut old, mut young) = (covered, end);
        while old < young {
            let middle = old + (young - old).div_ceil(2);
            match self.tokens_in(middle - 1..end) > newest_tokens {
                true => old = middle,
                false => young = middle - 1,
            }
        }
        let large = self.conversation.meter().with_part_above(covered..old.min(newest), tokens);
        large.filter(|at| self.is_seen(*at))
    }

    /// The exchange of a message.
    pub(in crate::plan) fn exchange_of(&self, position: usize) -> Option<&Exchange> {
        exchange_of(self.exchanges, position)
    }

    /// Exchanges behind the summary that may be removed, oldest first.
    pub(super) fn removable_exchanges(&self) -> impl Iterator<Item = &Exchange> {
        self.exchanges.iter().filter(|exchange| self.is_removable(exchange))
    }

    /// True for an exchange behind the summary that may be removed.
    pub(super) fn is_removable(&self, exchange: &Exchange) -> bool {
        exchange.clone().all(|at| self.is_seen(at) && !self.is_protected(at))
    }

    /// True for a message that no reducer may change.
    pub(in crate::plan) fn is_protected(&self, position: usize) -> bool {
        exchange_of(self.protected, position).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Contract;
    use crate::history::Record;
    use crate::test_notation::transcript;
    use crate::tokens::CharactersPer;

    #[test]
    fn messages_behind_the_last_change_have_the_tokens_that_they_were_appended_with() {
        let mut conversation = Conversation::new(Contract::default(), Box::new(CharactersPer(4)));
        let text = "u: one\na: !f\nt: =f<a long result of a call>\na: two\nu: three\na: four";
        for message in transcript(text) {
            conversation.append(Record::Message { message: message.into() }).unwrap();
        }
        let policy = Policy::recommended(1_000);
        let scale = conversation.scale(&policy);
        let mut reduction = Reduction::new(&conversation, &policy, scale, &[], &[]);
        let tokens = conversation.meter().all_tokens();
        let is_plain = |reduction: &Reduction, at: usize| {
            reduction.seen_tokens(at) == tokens.get(at).copied().map(MeterTokens::new)
        };
        assert_eq!(reduction.plain_from(), 0);
        assert!((0..tokens.len()).all(|at| is_plain(&reduction, at)));
        let change = Change::Text { text: "[cut]".to_owned() };
        reduction.rewrite(2, vec![PartChange { part: 0, change }], Action::TruncateToolResults);
        assert_eq!(reduction.plain_from(), 3);
        assert!((3..tokens.len()).all(|at| is_plain(&reduction, at)));
        assert!(!is_plain(&reduction, 2));
    }
}
