//! A log and its meter together: what the model sees, and how many tokens that takes.

pub(crate) mod course;
mod index;
mod prefixes;
mod pressure;
mod recording;
mod recount;
mod reported;
mod request_context;
mod resting;
mod usage;
mod user_requests;

use std::borrow::Cow;

pub use course::{CompactionPoint, Course};
use epitome_columns::SortedMap;
use index::{MessageIndex, is_heartbeat_answer};
use prefixes::Prefixes;
pub use pressure::{Breakdown, Level, Pressure, ProtectedTokens};
use recount::Recount;
pub use reported::Reported;
use request_context::RequestContext;
use usage::Reading;
pub(crate) use usage::UsageState;
use user_requests::UserRequests;

use crate::calibration::{Calibrations, Scale};
use crate::contract::Contract;
use crate::history::tagged::{self, Frame};
use crate::history::{Checkpoint, Log, Projection, View};
use crate::message::{Message, Part, Role};
use crate::policy::{Policy, SummarySettings};
use crate::tokens::{BoxedTokenizer, Cost, Meter, MeterTokens, ScriptTokens, Statistics, Totals};

/// A conversation that is counted as it grows.
pub struct Conversation {
    contract: Contract,
    log: Log,
    index: MessageIndex,
    meter: Meter,
    /// The next meter.
    recount: Option<Recount>,
    projection: Projection,
    prefixes: Prefixes,
    base: Base,
    reading: Option<Reading>,
    context: RequestContext,
    calibrations: Calibrations,
    epoch: u32,
    statistics: Statistics,
    pinned_tokens: MeterTokens,
    requests: UserRequests,
    /// What messages that are only for some agents cost, by the indices of their records, as far as one of these agents has
    /// counted them with the tokenizer of the team.
    private_costs: SortedMap<usize, Cost>,
    /// What an assistant answers to a heartbeat of the app; `None` if the app has none.
    heartbeat_answer: Option<String>,
    /// True if the summarizer reads a transcript in slices.
    reads_in_slices: bool,
}

/// Token sums of the active checkpoints, computed once when one becomes active.
#[derive(Clone, Debug, Default)]
struct Base {
    /// Covered messages that stay; and for each rewritten message behind them, the tokens by which it exceeds its original:
    /// rewriting only shortens, but a script with a greater weight can reverse that.
    kept: Totals,
    kept_messages: usize,
    summary: MeterTokens,
    /// What rewriting and dropping saves among the messages that are not covered.
    saved: Totals,
    dropped_messages: usize,
    /// Tokens of rewritten messages, by position.
    rewritten: SortedMap<usize, MessageTokens>,
    /// Tokens by script of the kept messages, the summary, and the rewritten messages that are not covered.
    by_script: ScriptTokens,
    /// Tokens by script, as originally appended, of messages that are not covered but rewritten or dropped.
    unseen_by_script: ScriptTokens,
}

/// Tokens of one message.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MessageTokens {
    /// With the weights of their scripts.
    pub(crate) weighted: MeterTokens,
    /// By script, before weights are applied.
    by_script: ScriptTokens,
}

impl From<&Cost> for MessageTokens {
    fn from(cost: &Cost) -> Self {
        Self { weighted: cost.tokens, by_script: cost.by_script() }
    }
}

impl Conversation {
    /// An empty conversation with a provider of this contract.
    pub fn new(contract: Contract, tokenizer: BoxedTokenizer) -> Self {
        Self {
            contract,
            log: Log::default(),
            index: MessageIndex::default(),
            meter: Meter::new(tokenizer),
            recount: None,
            projection: Projection::default(),
            prefixes: Prefixes::default(),
            base: Base::default(),
            reading: None,
            context: RequestContext::default(),
            calibrations: Calibrations::default(),
            epoch: 0,
            statistics: Statistics::default(),
            pinned_tokens: MeterTokens::ZERO,
            requests: UserRequests::default(),
            private_costs: SortedMap::new(),
            heartbeat_answer: None,
            reads_in_slices: false,
        }
    }

    /// What its provider accepts.
    pub fn contract(&self) -> &Contract {
        &self.contract
    }

    /// Every message and every decision, in order.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// What planning needs to know about each message.
    pub(crate) fn index(&self) -> &MessageIndex {
        &self.index
    }

    /// Indexes messages as this policy needs them. Free if the policy is the same as before in what goes into a transcript,
    /// what a heartbeat is, and what the model accepts; otherwise linear in all texts.
    pub(crate) fn index_for(&mut self, policy: &Policy) {
        self.index.index_for(&self.log, &policy.summary);
        if self.heartbeat_answer != policy.heartbeat_answer {
            self.heartbeat_answer.clone_from(&policy.heartbeat_answer);
            self.recount_protected();
        }
        self.lock_reasoning_for(policy);
    }

    /// Says whether the summarizer reads a transcript in slices.
    pub(crate) fn set_reads_in_slices(&mut self, reads_in_slices: bool) {
        self.reads_in_slices = reads_in_slices;
    }

    /// True if the summarizer reads a transcript in slices.
    pub(crate) fn reads_in_slices(&self) -> bool {
        self.reads_in_slices
    }

    /// The settings by which a transcript is divided into chunks.
    pub(crate) fn chunk_settings<'a>(
        &self,
        settings: &'a SummarySettings,
    ) -> Cow<'a, SummarySettings> {
        if !self.reads_in_slices {
            return Cow::Borrowed(settings);
        }
        let chunk_characters = Some(SummarySettings::SLICED_CHUNK);
        Cow::Owned(SummarySettings { chunk_characters, ..settings.clone() })
    }

    /// True if the policy says how a model answers a heartbeat. Otherwise no message is one.
    pub(crate) fn has_heartbeats(&self) -> bool {
        self.heartbeat_answer.is_some()
    }

    /// True if the message at a position is a heartbeat of the app or the answer to one. Both or neither of them
    /// are: an answer alone would read as an answer to the message before it.
    pub(crate) fn is_heartbeat(&self, position: usize) -> bool {
        let asks = |at: usize| {
            self.log.message(at).is_some_and(|message| message.role == Role::User)
                && self.answers_heartbeat(at + 1)
        };
        self.has_heartbeats()
            && (asks(position)
                || (self.answers_heartbeat(position) && position.checked_sub(1).is_some_and(asks)))
    }

    /// True if the message at a position answers a heartbeat of the app.
    pub(crate) fn answers_heartbeat(&self, position: usize) -> bool {
        let message = self.log.message(position);
        message
            .is_some_and(|message| is_heartbeat_answer(message, self.heartbeat_answer.as_deref()))
    }

    /// The effect of the active checkpoints on the log.
    pub fn projection(&self) -> &Projection {
        &self.projection
    }

    /// How many messages another compactor had summarized before the first one of this log.
    pub(crate) fn earlier(&self) -> u32 {
        self.projection.cover.as_ref().map_or(0, |cover| cover.earlier)
    }

    /// The number of the message at a position, from 1, as in transcripts.
    pub(crate) fn number(&self, position: usize) -> Option<u32> {
        u32::try_from(position + 1).ok()?.checked_add(self.earlier())
    }

    /// The message of a number, as in transcripts and summaries (`- [12] …`); `None` if the log does not have it. Constant time.
    pub fn message_numbered(&self, number: u32) -> Option<&Message> {
        let position = number.checked_sub(self.earlier())?.checked_sub(1)?;
        self.log.message(usize::try_from(position).ok()?)
    }

    /// The token costs of its messages, as they were appended.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// Counts every message again with another tokenizer. Linear.
    pub fn count_by(&mut self, tokenizer: BoxedTokenizer) {
        self.begin_count_by(tokenizer);
        while self.count_next() {}
    }

    /// Begins to count every message again with another tokenizer; see [`Self::count_next`].
    pub fn begin_count_by(&mut self, tokenizer: BoxedTokenizer) {
        self.recount = Some(Recount::new(tokenizer));
    }

    /// Counts one more message with the tokenizer that [`Self::begin_count_by`] was given, or a part of a very long one.
    /// False once all are counted, which is when the new counts come into use, and if no recount was begun. Linear in the
    /// message; the last call is linear in the number of messages.
    pub fn count_next(&mut self) -> bool {
        let Some(mut recount) = self.recount.take() else { return false };
        if recount.next(&self.log) {
            self.recount = Some(recount);
            return true;
        }
        // What was learned was about the old tokenizer; the new one starts with even weights.
        self.meter = recount.into_meter();
        self.private_costs.clear();
        self.calibrations.forget();
        self.recount_protected();
        self.base = self.base(&self.projection, &SortedMap::new());
        false
    }

    /// What the model sees, repaired. Costs O(n log n) in it.
    pub fn view(&self) -> View {
        View::of(&self.log, &self.projection, &self.contract)
    }

    /// The revision of the view: it changes when a checkpoint is committed or undone or a message is edited,
    /// and not when messages are appended. No value is used twice.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// A message as the active checkpoints rewrite it, or as it was appended if they do not; whether or not
    /// it is in the view.
    pub fn seen(&self, position: usize) -> Option<&Message> {
        self.projection.visible(&self.log, position)
    }

    /// Tokens of a message as [`Self::seen`] returns it.
    #[inline]
    pub fn seen_tokens(&self, position: usize) -> MeterTokens {
        let rewritten = self.base.rewritten.get(&position);
        rewritten.map_or_else(|| self.meter.tokens(position), |tokens| tokens.weighted)
    }

    /// Tokens of rewritten messages, by position.
    pub(crate) fn rewritten_tokens(&self) -> &SortedMap<usize, MessageTokens> {
        &self.base.rewritten
    }

    /// Tokens of the rewritten messages that another projection rewrites in the same way. Costs the size of both.
    fn known_in(&self, next: &Projection) -> SortedMap<usize, MessageTokens> {
        let is_same = |position: &usize| {
            let [next, now] = [next, &self.projection].map(|it| it.rewritten.get(position));
            next.map(|it| &it.rewrite) == now.map(|it| &it.rewrite)
        };
        let known = self.base.rewritten.iter().filter(|(position, _)| is_same(position));
        SortedMap::from_iter(known.map(|(position, tokens)| (*position, *tokens)))
    }

    /// The token sums of a projection. `known` are tokens of rewritten messages that were counted before.
    fn base(&self, projection: &Projection, known: &SortedMap<usize, MessageTokens>) -> Base {
        let mut base = Base::default();
        for (position, rewritten) in &projection.rewritten {
            let tokens = known.get(position).copied();
            let tokens = tokens
                .unwrap_or_else(|| MessageTokens::from(&self.meter.measure(&rewritten.message)));
            base.rewritten.insert(*position, tokens);
            if *position >= projection.covered {
                let (role, original) = (rewritten.message.role, self.original(*position));
                // A difference of tokens is at least 0. So one of these two is 0, and the other is the difference in its
                // direction.
                base.saved.add_tokens(role, original.weighted - tokens.weighted);
                base.kept.add_tokens(role, tokens.weighted - original.weighted);
                base.unseen_by_script = base.unseen_by_script.plus(&original.by_script);
                base.by_script = base.by_script.plus(&tokens.by_script);
            }
        }
        let seen = |base: &Base, position: usize| {
            base.rewritten.get(&position).copied().unwrap_or_else(|| self.original(position))
        };
        for position in &projection.dropped {
            if let Some(message) = self.log.message(*position) {
                // If a message was rewritten before it was dropped, `saved` already has what the rewriting saved.
                let tokens = seen(&base, *position);
                base.saved.add(message.role, tokens.weighted);
                base.unseen_by_script = base.unseen_by_script.plus(&tokens.by_script);
            }
        }
        for position in projection.kept() {
            if let Some(message) = self.log.message(position) {
                let tokens = seen(&base, position);
                base.kept.add(message.role, tokens.weighted);
                let hidden = self.meter.cost(position).map_or(0, |cost| cost.hidden);
                base.kept.hidden = base.kept.hidden.saturating_add(hidden);
                base.by_script = base.by_script.plus(&tokens.by_script);
                base.kept_messages += 1;
            }
        }
        base.dropped_messages = projection.dropped.len();
        if let Some(cover) = &projection.cover {
            let cost = self.text_cost(cover.framed());
            base.summary = cost.tokens;
            base.by_script = base.by_script.plus(&cost.by_script());
        }
        base
    }

    /// Tokens of a message as it was appended.
    fn original(&self, position: usize) -> MessageTokens {
        self.meter.cost(position).map(MessageTokens::from).unwrap_or_default()
    }

    /// The view as it would be with one more checkpoint. Costs the size of the checkpoints.
    pub(crate) fn with(&self, checkpoint: &Checkpoint) -> Prospect {
        let mut projection = self.projection.with(&self.log, checkpoint);
        self.seen_before(&mut projection);
        let base = self.base(&projection, &self.known_in(&projection));
        Prospect {
            view: View::of(&self.log, &projection, &self.contract),
            tokens: self.view_tokens(&projection, &base),
            messages: self.counted_messages(&projection, &base),
        }
    }

    /// Tokens of the messages of the view that are not covered.
    fn tail(&self, projection: &Projection, base: &Base) -> Totals {
        self.meter.span(projection.covered..self.log.len()).minus(&base.saved)
    }

    fn view_tokens(&self, projection: &Projection, base: &Base) -> MeterTokens {
        base.kept.sum() + base.summary + self.tail(projection, base).sum()
    }

    /// How many messages triggers count: those of the view that are not covered, system messages aside.
    fn counted_messages(&self, projection: &Projection, base: &Base) -> u32 {
        self.tail(projection, base).non_system_messages
    }

    /// Tokens by script of the view, up to the first `messages` messages of the log.
    fn by_script_up_to(&self, messages: usize) -> ScriptTokens {
        let tail = self.meter.by_script(self.projection.covered..messages);
        self.base.by_script.plus(&tail).minus(&self.base.unseen_by_script)
    }

    /// Tokens of a summary of one message as it would stand in a view with these settings, its frame included.
    pub fn summary_tokens(&self, summary: &str, settings: &SummarySettings) -> MeterTokens {
        let (label, closing) = (settings.label.as_deref(), settings.closing.as_deref());
        let frame = Frame { label, summarized: 1, closing };
        self.text_cost(tagged::summary(summary, frame)).tokens
    }

    fn text_cost(&self, text: String) -> Cost {
        self.meter.measure(&Message::with_parts("", Role::User, vec![Part::text(text)]))
    }

    /// Sums of the provider's counts.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// How many messages the view has, without those that repairs add or leave out.
    pub fn messages(&self) -> u32 {
        let summary = usize::from(self.projection.cover.is_some());
        let tail = self.log.len().saturating_sub(self.projection.covered);
        let count = self.base.kept_messages + summary + tail;
        u32::try_from(count.saturating_sub(self.base.dropped_messages)).unwrap_or(u32::MAX)
    }

    /// Tokens of the messages of the view, by the meter alone. Costs O(1).
    pub fn counted_tokens(&self) -> MeterTokens {
        self.view_tokens(&self.projection, &self.base)
    }

    /// Tokens of the summary in the view, its frame included; 0 if there is none. Costs O(1).
    pub(crate) fn present_summary_tokens(&self) -> MeterTokens {
        self.base.summary
    }

    /// What fills the window, in the provider's tokens. Costs O(1).
    pub fn breakdown(&self, scale: &Scale) -> Breakdown {
        let tail = self.tail(&self.projection, &self.base);
        let kept = self.base.kept;
        Breakdown {
            system: scale.to_provider(kept.system + tail.system),
            tools: scale.overhead(),
            context: scale.context(),
            summary: scale.to_provider(self.base.summary),
            user: scale.to_provider(kept.user + tail.user),
            assistant: scale.to_provider(kept.assistant + tail.assistant),
            results: scale.to_provider(kept.tool + tail.tool),
        }
    }

    /// The position of the last message that a user sent. Synthetic messages, blank ones and heartbeats do
    /// not count, and neither do those of a task that is complete.
    pub fn last_request(&self) -> Option<usize> {
        self.requests.last().filter(|request| *request >= self.log.task_end())
    }
}

/// The view as it would be with one more checkpoint.
pub(crate) struct Prospect {
    /// The view itself.
    pub(crate) view: View,
    /// Tokens of its messages, by the meter alone.
    pub(crate) tokens: MeterTokens,
    /// How many messages triggers would count.
    pub(crate) messages: u32,
}
