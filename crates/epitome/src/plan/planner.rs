//! The planning algorithm: it runs the reducers, finds what must stay, divides the tokens and decides where the tail
//! begins.
//!
//! Limits of the policy are in the provider's tokens and are converted once, where they are first used;
//! everything that is added up per message is in the meter's tokens.

use epitome_columns::{SortedSet, sort};

use super::appendix::appendix;
use super::budget::{Budget, SHORTEST_SUMMARY};
use super::cut::{ExchangeSize, TailLimit, cut};
use super::locked_reasoning::{
    REASONING_BEHIND_END, WAITS_WITH_REASONING, is_append_only, last_with_reasoning,
    take_locked_reasoning,
};
use super::reduce::Reduction;
use super::{Action, Plan, Scope};
use crate::calibration::Scale;
use crate::conversation::Conversation;
use crate::history::exchange::exchange_of;
use crate::history::{Exchange, Log};
use crate::message::{Message, Part, Role};
use crate::policy::{Keep, LastRequest, Load, Phase, Policy, Reason, SummaryPlacement, share};
use crate::tokens::MeterTokens;

/// A ledger may take this much of a short summary, in the meter's tokens. A shorter ledger would have no line.
const SHORTEST_LEDGER: MeterTokens = MeterTokens::new(32);

/// Plans a compaction, except for the number of summarizer requests, which needs the chunks.
///
/// With `tail_start`, the tail begins there, and the summary covers the rest.
///
/// Reducers with a condition run only if it holds at `phase`; without a phase, if it holds at any.
pub(super) fn plan(
    conversation: &Conversation,
    policy: &Policy,
    reason: Reason,
    phase: Option<Phase>,
    tail_start: Option<usize>,
    scope: &Scope,
) -> Plan {
    let scale = conversation.scale(policy);
    let log = conversation.log();
    let exchanges = conversation.index().exchanges(log);
    let task_end = (reason == Reason::TaskTransition).then(|| end_of_task(log, &exchanges));
    let no_task = task_end.is_some_and(|end| end <= conversation.projection().covered);
    let chosen_end = scope.tail_start(&exchanges);
    let tail_start = chosen_end.or(tail_start).or(task_end);
    let protected = protected(conversation, policy, &exchanges, &scope.exempt);
    let mut reduction = Reduction::new(conversation, policy, scale, &exchanges, &protected);
    reduction.exempt = &scope.exempt;
    if is_append_only(conversation, policy)
        && let Some(last) = last_with_reasoning(&reduction, 0)
    {
        reduction.from = last.end;
    }
    // Behind a chosen end everything stays as it is.
    if !no_task && chosen_end.is_none() {
        reduction.run(reason, phase);
    }

    let tokens = scale.prompt_tokens(conversation.counted_tokens());
    let mut plan = Plan {
        tail_start: conversation.projection().covered,
        tokens_before: tokens,
        floor: floor(conversation, policy, &scale, false),
        earlier: conversation.earlier(),
        before: conversation.projection().before.clone(),
        after: conversation.projection().after.clone(),
        ..Plan::empty(reason)
    };
    // If reducers save enough, an automatic compaction needs no summary.
    let enough = reason == Reason::Threshold
        && tail_start.is_none()
        && scale.prompt_tokens(reduction.tokens()) <= policy.target_tokens()
        && !policy.is_due(&reduction.load());
    if no_task {
        plan.idle = Some("no task was completed since the last summary".to_owned());
    } else if reason != Reason::Reduce && policy.summary.summarizer().is_some() && !enough {
        plan.summarize(&mut reduction, tail_start, chosen_end);
    }
    if !plan.summarizes
        && let Some(first) = reduction.first_changed()
    {
        plan.locked_reasoning = take_locked_reasoning(&mut reduction, first..log.len());
    }
    plan.set_actions(&reduction);
    let in_view = (plan.tail_start..log.len()).filter(|at| reduction.is_seen(*at));
    // Triggers do not count system messages. If they were counted here, the floor would name messages that fire
    // nothing.
    let left = in_view.filter(|at| !is_system(conversation, *at));
    plan.floor = plan.floor.or_else(|| too_many_messages(policy, || left.count()));
    if !plan.summarizes {
        plan.tokens_after = scale.prompt_tokens(reduction.tokens());
    }
    plan.changed = reduction.into_changed();
    // A rewrite of a message that the summary replaces has no effect on the view. Without this line the
    // checkpoint would store it anyway.
    plan.changed.retain(|position, _| {
        plan.actions.get(*position).is_some_and(|action| *action != Action::Summarize)
    });
    if !plan.summarizes && plan.changed.is_empty() {
        // Nothing else can be removed, so the summary that is there is part of what does not fit.
        plan.floor = plan.floor.or_else(|| floor(conversation, policy, &scale, true));
        plan.idle = plan.idle.take().or_else(|| Some(plan.why_idle(log.len(), enough)));
    }
    plan
}

impl Plan {
    /// Decides where the tail begins and what stays of the prefix, if there is anything to summarize.
    fn summarize(
        &mut self,
        reduction: &mut Reduction,
        fixed: Option<usize>,
        chosen: Option<usize>,
    ) {
        let Reduction { conversation, policy, scale, exchanges, .. } = *reduction;
        let covered = conversation.projection().covered;
        let end = conversation.log().len();
        let keep = match policy.reactive().filter(|_| self.reason.is_reactive()) {
            Some(reactive) => Keep::Rounds(reactive.keep_rounds),
            None if policy.summary_placement == SummaryPlacement::OneMessage => Keep::Messages(0),
            None => policy.keep,
        };
        // A reduction knows only the messages behind the summary: of a covered message that stays it would
        // report 0 tokens.
        let cost = |reduction: &Reduction, position: usize| match position < covered {
            true => conversation.seen_tokens(position),
            false => reduction.tokens_of(position),
        };
        let protected = reduction.protected.iter().flat_map(Clone::clone);
        let protected_tokens: MeterTokens = protected.clone().map(|at| cost(reduction, at)).sum();
        let appended = appended_tokens(conversation, policy);
        let has_model = (0..end).any(|at| is_of(conversation, at, Role::Assistant));
        let budget = Budget::new(policy, &scale, keep, protected_tokens + appended, has_model);
        // Most of a tail is as it was appended, and needs no search for what has become of each message.
        let (plain_from, tokens) = (reduction.plain_from(), conversation.meter().all_tokens());
        let size = |exchange: &Exchange| {
            let plain = tokens.get(exchange.clone()).filter(|_| exchange.start >= plain_from);
            ExchangeSize::of(reduction, exchange, plain)
        };
        let limit = TailLimit::of(keep, policy.window, &scale);
        let cut_within =
            |room: MeterTokens| cut(exchanges, size, covered, end, limit, room).max(covered);
        let mut tail_start = cut_within(budget.tail);
        // The provider refuses what is in the window. If all of it would stay, half of the tail has to do, and so
        // on.
        let mut room = reduction.tokens_in(covered..end).min(budget.tail);
        let leaves_all = |tail_start: usize| {
            let protected = protected.clone().filter(|at| (covered..tail_start).contains(at));
            let protected: MeterTokens = protected.map(|at| reduction.tokens_of(at)).sum();
            reduction.tokens_in(covered..tail_start) == protected
        };
        while self.reason == Reason::ReactiveFull
            && room > MeterTokens::ZERO
            && leaves_all(tail_start)
        {
            room = room.half();
            tail_start = cut_within(room);
        }
        let tail_start = match policy.reactive() {
            _ if fixed.is_some() => fixed.unwrap_or(tail_start),
            Some(reactive) if self.reason == Reason::ReactiveMicro => {
                oldest_rounds(reduction, covered, reactive.micro_batch_rounds).min(tail_start)
            }
            _ => tail_start,
        };
        let last = is_append_only(conversation, policy)
            .then(|| last_with_reasoning(reduction, covered))
            .flatten();
        if last.as_ref().is_some_and(|last| reduction.is_protected(last.start)) {
            self.idle = Some(WAITS_WITH_REASONING.to_owned());
            return;
        }
        let tail_start = last.map_or(tail_start, |last| last.end.max(tail_start));
        if chosen.is_some_and(|chosen| chosen < tail_start) {
            self.idle = Some(REASONING_BEHIND_END.to_owned());
            return;
        }

        let mut stays: Vec<usize> = protected.take_while(|at| *at < tail_start).collect();
        // What was asked for in a task that is complete is not to be done again.
        let kept_requests = match self.reason {
            Reason::TaskTransition => MeterTokens::ZERO,
            _ => budget.user_requests,
        };
        let requests = user_requests_to_keep(reduction, tail_start, &stays, kept_requests);
        stays.extend(&requests);
        sort(&mut stays);
        // A removed message has no tokens. The view takes every message that the cover lists, so that a removed
        // one in this list would come back.
        stays.retain(|at| *at < covered || reduction.tokens_of(*at) > MeterTokens::ZERO);
        let is_staying = |at: &usize| stays.binary_search(at).is_ok();
        self.also_read.clone_from(&requests);
        if let Some(request) = conversation.last_request().filter(is_staying)
            && let Err(place) = self.also_read.binary_search(&request)
        {
            self.also_read.insert(place, request);
        }
        let staying: MeterTokens =
            stays.iter().filter(|at| **at >= covered).map(|at| reduction.tokens_of(*at)).sum();
        let prefix_tokens = reduction.tokens_in(covered..tail_start) - staying;
        if prefix_tokens == MeterTokens::ZERO {
            return;
        }
        let is_leaving = |at: &usize| !is_staying(at) && (*at < covered || reduction.is_seen(*at));
        let first_leaving = (0..tail_start).find(is_leaving).unwrap_or(tail_start);
        (self.before, self.after) = stays.iter().partition(|at| match policy.summary_placement {
            SummaryPlacement::InPlace => **at < first_leaving,
            SummaryPlacement::LeadingSystem => stands_first(conversation, **at),
            // Earlier requests stand before the summary of what was done about them; behind it a model
            // would take them for unanswered.
            SummaryPlacement::SystemSummaryTail | SummaryPlacement::OneMessage => {
                requests.binary_search(at).is_ok() || stands_first(conversation, **at)
            }
        });

        // A summary must be clearly shorter than the messages that it replaces. It may be as long as an earlier one in
        // addition to that: otherwise each compaction after a few messages would halve what is known of all before.
        let longest = prefix_tokens.half() + conversation.present_summary_tokens();
        let summary = budget.summary.min(longest).max(MeterTokens::new(1));
        // The ledger uses tokens of the summary. A ledger without a limit would leave none for the text.
        let quarter = summary.half().half();
        let ledger = match has_model {
            true => quarter.half().max(SHORTEST_LEDGER).min(quarter),
            // What people say to each other is best said by quotes.
            false => quarter.half().half(),
        };
        let ledger = scale.to_meter(policy.summary.ledger_tokens).min(ledger);
        self.tail_start = tail_start;
        self.summarizes = true;
        self.summary_budget = summary;
        self.ledger_budget = ledger;
        self.summary_tokens = scale.to_provider(summary).max(1);
        self.ledger_tokens = scale.to_provider(ledger);

        let staying = stays.iter().copied().chain(tail_start..end);
        self.locked_reasoning = take_locked_reasoning(reduction, staying);
        let kept: MeterTokens = stays.iter().map(|at| cost(reduction, *at)).sum();
        let tail = reduction.tokens_in(tail_start..end);
        self.tokens_after = scale.prompt_tokens(kept + tail + appended + summary);
    }

    fn set_actions(&mut self, reduction: &Reduction) {
        let (conversation, tail_start) = (reduction.conversation, self.tail_start);
        let projection = conversation.projection();
        let mut actions = vec![Action::Summarized; projection.covered];
        actions.resize(tail_start.max(projection.covered), Action::Summarize);
        actions.resize(conversation.log().len(), Action::Keep);
        let mut set = |position: usize, action: Action| {
            if let Some(slot) = actions.get_mut(position) {
                *slot = action;
            }
        };
        projection.dropped.iter().for_each(|at| set(*at, Action::Summarized));
        self.before.iter().chain(&self.after).for_each(|at| set(*at, Action::Keep));
        for (position, action) in reduction.actions() {
            let stays = |slot: &Action| position >= tail_start || *slot == Action::Keep;
            if let Some(slot) = actions.get_mut(position)
                // A message that is rewritten and also summarized counts as summarized. A removed one does not:
                // the summarizer never reads it.
                && (action.removes_message() || stays(slot))
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
                "no compaction is needed: the conversation is below its threshold and its \
                            target"
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
}

/// Where the messages of the last completed task end. An exchange that goes on behind it stays whole.
fn end_of_task(log: &Log, exchanges: &[Exchange]) -> usize {
    let end = log.task_end();
    let last = exchanges.iter().rev().find(|exchange| exchange.start < end);
    last.map_or(end, |last| if last.end > end { last.start } else { end })
}

/// Tokens of a summary's frame and of what is appended to every summary.
fn appended_tokens(conversation: &Conversation, policy: &Policy) -> MeterTokens {
    let request = appended_request(conversation, policy);
    conversation.summary_tokens(&appendix(conversation, policy, request), &policy.summary)
}

/// The last user request, if the policy has it appended to the summary. A request that is not only text
/// stays as the message it is, since an image cannot be appended to a text.
pub(super) fn appended_request(conversation: &Conversation, policy: &Policy) -> Option<usize> {
    let append = policy.summary.last_request == LastRequest::Append
        || policy.summary_placement == SummaryPlacement::OneMessage;
    conversation.last_request().filter(|position| {
        let message = conversation.log().message(*position);
        let text = |part: &Part| matches!(part, Part::Text { .. });
        append && message.is_some_and(|message| message.parts.iter().all(text))
    })
}

/// Lists what no compaction can remove, if that alone reaches the threshold; with `with_summary`, the present summary
/// too.
fn floor(
    conversation: &Conversation,
    policy: &Policy,
    scale: &Scale,
    with_summary: bool,
) -> Option<String> {
    let tokens = scale.prompt_tokens(conversation.counted_tokens());
    let protected = conversation.protected();
    let threshold = policy.threshold().unwrap_or(policy.window);
    let summary = match with_summary {
        true => conversation.present_summary_tokens(),
        false => MeterTokens::ZERO,
    };
    let sum = scale.prompt_tokens(protected.sum() + summary);
    let shortest =
        scale.to_provider(conversation.summary_tokens("", &policy.summary) + SHORTEST_SUMMARY);
    // What can be removed leaves at least a summary behind, which has to fit as well.
    if tokens < threshold || sum.saturating_add(shortest) < threshold {
        return None;
    }
    let items = [
        ("system prompt", scale.to_provider(protected.system)),
        ("tool schemas", scale.overhead()),
        ("context of the request", scale.context()),
        ("pinned messages", scale.to_provider(protected.pinned)),
        ("last user request", scale.to_provider(protected.request)),
        ("summary", scale.to_provider(summary)),
    ];
    let items: Vec<String> = items
        .iter()
        .filter(|(_, tokens)| *tokens > 0)
        .map(|(name, tokens)| format!("{name} {tokens}"))
        .collect();
    let left = threshold.saturating_sub(sum);
    Some(format!(
        "{} leave {left} of the {threshold} tokens below the threshold; use a larger window, shorten or \
         unpin one of them",
        items.join(" + ")
    ))
}

/// The warning for a plan whose remaining messages would fire a trigger by their number alone; otherwise `None`.
fn too_many_messages(policy: &Policy, count: impl FnOnce() -> usize) -> Option<String> {
    let fires = |messages| policy.is_due(&Load { messages, ..Load::default() });
    // Triggers that fire at any number of messages, or at none, do not depend on it. The messages are counted
    // only for the others, since that is linear.
    if !fires(u32::MAX) || fires(0) {
        return None;
    }
    let messages = u32::try_from(count()).unwrap_or(u32::MAX);
    if !fires(messages) {
        return None;
    }
    Some(format!(
        "{messages} messages are left, for calls stay with their results; keep fewer of them, or let only \
         a larger number call for a compaction"
    ))
}

/// The exchanges that stay wherever they are, oldest first.
fn protected(
    conversation: &Conversation,
    policy: &Policy,
    exchanges: &[Exchange],
    exempt: &[usize],
) -> Vec<Exchange> {
    let appended = appended_request(conversation, policy);
    let request = conversation.last_request().filter(|request| Some(*request) != appended);
    let fixed = conversation.index().fixed.iter().copied();
    let fixed = fixed.chain(request).chain(unfinished(conversation));
    let mut positions: Vec<usize> = fixed.chain(exempt.iter().copied()).collect();
    sort(&mut positions);
    let mut protected: Vec<Exchange> =
        positions.iter().filter_map(|at| exchange_of(exchanges, *at).cloned()).collect();
    protected.dedup();
    protected
}

/// The last message that is not a tool result, if it is unfinished: a call waits for its result, or it has
/// nothing but reasoning. A summary must not cover it, since the result, or what the reasoning leads to,
/// could not be joined to it any more.
fn unfinished(conversation: &Conversation) -> Option<usize> {
    let (log, index) = (conversation.log(), conversation.index());
    let is_result = |at: &usize| index.note(*at).is_none_or(|note| note.results);
    let last = (0..log.len()).rev().find(|at| !is_result(at))?;
    let parts = &log.message(last)?.parts;
    let is_reasoning = |part: &Part| matches!(part, Part::Reasoning { .. });
    let reasoning_only = !parts.is_empty() && parts.iter().all(is_reasoning);
    (reasoning_only || index.waits(log, last)).then_some(last)
}

pub(super) fn is_system(conversation: &Conversation, position: usize) -> bool {
    is_of(conversation, position, Role::System)
}

fn is_of(conversation: &Conversation, position: usize, role: Role) -> bool {
    conversation.index().note(position).is_some_and(|note| note.role == role)
}

/// True for a message that has to stand before the summary: a system message, or a provider's own
/// compaction, since a provider may ignore whatever stands before that.
fn stands_first(conversation: &Conversation, position: usize) -> bool {
    is_system(conversation, position)
        || conversation.log().message(position).is_some_and(Message::is_compaction)
}

/// The latest user messages before the tail that stay word for word: as many as `budget` allows, none of
/// which is tied to other messages; oldest first. `stays` is sorted.
fn user_requests_to_keep(
    reduction: &Reduction,
    tail_start: usize,
    stays: &[usize],
    budget: MeterTokens,
) -> Vec<usize> {
    let conversation = reduction.conversation;
    let projection = conversation.projection();
    let kept = SortedSet::from_iter(projection.kept());
    let covered = projection.covered;
    // The index says that the original is not blank; a rewritten message can be.
    let is_blank = |at: &usize| {
        projection.rewritten.get(at).is_some_and(|rewritten| rewritten.message.is_blank())
    };
    let requests = &conversation.index().user_requests;
    let before = requests.partition_point(|position| *position < tail_start);
    // Both run from the newest to the oldest, so that finding each exchange costs no search.
    let mut exchanges = reduction.exchanges.iter().rev();
    let mut left = budget;
    let mut chosen = Vec::new();
    for position in requests.iter().take(before).rev().copied() {
        if left == MeterTokens::ZERO {
            break;
        }
        let tokens = conversation.seen_tokens(position);
        if tokens > left || stays.binary_search(&position).is_ok() {
            continue;
        }
        let in_view = match position < covered {
            true => kept.contains(&position),
            false => reduction.is_seen(position),
        };
        // Of two requests in one exchange, the first lookup consumes the exchange. The second lookup then gets
        // an earlier exchange, so that `alone` is false for both, as it has to be.
        let exchange = exchanges.find(|exchange| exchange.start <= position);
        let alone = exchange.is_some_and(|exchange| *exchange == (position..position + 1));
        if in_view && alone && !is_blank(&position) {
            left -= tokens;
            chosen.push(position);
        }
    }
    chosen.reverse();
    chosen
}

/// The end of the oldest `rounds` rounds behind the summary that may be summarized.
fn oldest_rounds(reduction: &Reduction, covered: usize, rounds: u32) -> usize {
    let mut taken = 0;
    let mut end = covered;
    let free = reduction
        .exchanges
        .iter()
        .filter(|exchange| exchange.start >= covered && !reduction.is_protected(exchange.start));
    for exchange in free {
        if taken >= rounds {
            break;
        }
        taken += ExchangeSize::of(reduction, exchange, None).rounds;
        end = exchange.end;
    }
    end
}

/// A share of the window in the meter's tokens.
pub(super) fn window_share(policy: &Policy, scale: &Scale, fraction: f64) -> MeterTokens {
    scale.to_meter(share(policy.window, fraction))
}
