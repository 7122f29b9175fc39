//! A log and its meter together: what the model sees, and what that costs, at any moment.

pub(crate) mod index;
mod pressure;
mod usage;

use std::collections::BTreeMap;

pub use pressure::{Breakdown, Level, Pressure};
use usage::Reading;
pub(crate) use usage::Resumption;

use crate::calibration::Calibrations;
use crate::contract::Contract;
use crate::history::frame;
use crate::history::{Checkpoint, Log, LogError, Projection, Record, View};
use crate::message::{Message, Part, Role};
use crate::policy::{Load, SummarySettings};
use crate::tokens::{BoxedTokenizer, Cost, Meter, Mix, Statistics, Tokenizer, Totals};
use index::{Outline, is_alive};

/// A conversation that is counted as it grows.
pub struct Conversation {
    contract: Contract,
    log: Log,
    outline: Outline,
    meter: Meter,
    /// What counts by another tokenizer, and will take the place of the meter once it has counted all.
    successor: Option<Meter>,
    projection: Projection,
    base: Base,
    reading: Option<Reading>,
    calibrations: Calibrations,
    epoch: u32,
    statistics: Statistics,
    pinned_tokens: u32,
    requests: Requests,
}

/// What the steps in force come to, counted when one comes into force.
#[derive(Clone, Debug, Default)]
struct Base {
    /// Covered messages that stay, and what rewriting adds behind them: nothing when it was done, but scripts may come to
    /// weigh otherwise.
    kept: Totals,
    kept_messages: usize,
    summary: u32,
    /// What rewriting and leaving out saves behind the covered messages.
    saved: Totals,
    dropped_messages: usize,
    /// Tokens of messages that are seen otherwise than they came.
    rewritten: BTreeMap<usize, Tokens>,
    /// By script, of what stays, the summary, and what is rewritten behind the covered messages.
    mix: Mix,
    /// By script, of what is behind the covered messages and seen otherwise, or not at all.
    unseen_mix: Mix,
}

/// What a message comes to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tokens {
    /// As it weighs.
    weighed: u32,
    /// By script, before that.
    mix: Mix,
}

impl From<&Cost> for Tokens {
    fn from(cost: &Cost) -> Self {
        Self { weighed: cost.tokens, mix: cost.mix() }
    }
}

/// What a record changes besides the log.
enum Noted {
    /// Nothing of what was seen so far.
    Aside,
    /// One more step is in force.
    Step,
    /// Steps in force, or what they are about.
    Elsewhere,
}

/// The latest messages that a person sent.
#[derive(Clone, Copy, Default)]
struct Requests {
    last: Option<usize>,
    /// The one before it, in case the last turns out to be a health check.
    earlier: Option<usize>,
}

impl Conversation {
    /// An empty conversation with a provider of this contract.
    pub fn new(contract: Contract, tokenizer: BoxedTokenizer) -> Self {
        Self {
            contract,
            log: Log::default(),
            outline: Outline::default(),
            meter: Meter::new(tokenizer),
            successor: None,
            projection: Projection::default(),
            base: Base::default(),
            reading: None,
            calibrations: Calibrations::default(),
            epoch: 0,
            statistics: Statistics::default(),
            pinned_tokens: 0,
            requests: Requests::default(),
        }
    }

    /// What its provider accepts.
    pub fn contract(&self) -> &Contract {
        &self.contract
    }

    /// Everything that was said and decided.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// What planning has to know of its messages.
    pub(crate) fn outline(&self) -> &Outline {
        &self.outline
    }

    /// Takes note of what goes into a transcript. Where that is something else than before, costs the length
    /// of all texts.
    pub(crate) fn tell_by(&mut self, settings: &SummarySettings) {
        self.outline.tell_by(&self.log, settings);
    }

    /// What the steps in force make of it.
    pub fn projection(&self) -> &Projection {
        &self.projection
    }

    /// The costs of its messages as they came.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// What counts its tokens.
    pub fn tokenizer(&self) -> &dyn Tokenizer {
        self.meter.tokenizer()
    }

    /// Counts everything anew by another tokenizer. Linear.
    pub fn count_by(&mut self, tokenizer: BoxedTokenizer) {
        self.begin_count_by(tokenizer);
        while self.count_next() {}
    }

    /// Begins to count everything anew by another tokenizer; see [`Self::count_next`].
    pub fn begin_count_by(&mut self, tokenizer: BoxedTokenizer) {
        self.successor = Some(Meter::new(tokenizer));
    }

    /// Counts one more message anew. False once all are, which is when the new counts hold, and where
    /// nothing was begun. Linear in the message; at the end, in the number of all.
    pub fn count_next(&mut self) -> bool {
        let Some(mut successor) = self.successor.take() else { return false };
        if let Some(message) = self.log.message(successor.len()) {
            successor.append(message);
            self.successor = Some(successor);
            return true;
        }
        // Its tokens all weigh the same, as they do before anything is learned.
        self.meter = successor;
        self.calibrations.forget();
        self.recount_protected();
        self.base = self.base(&self.projection, &BTreeMap::new());
        false
    }

    /// What the model sees. Linear in it.
    pub fn view(&self) -> View {
        View::of(&self.log, &self.projection, &self.contract)
    }

    /// Which view that is, besides what was said since: another number with every step taken, undone or
    /// edited away, and none of them twice.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// A message as it is seen, whether or not it is; as it came, where nothing was changed.
    pub fn seen(&self, position: usize) -> Option<&Message> {
        self.projection.seen(&self.log, position)
    }

    /// Tokens of a message as it is seen.
    pub fn seen_tokens(&self, position: usize) -> u32 {
        let rewritten = self.base.rewritten.get(&position);
        rewritten.map_or_else(|| self.meter.tokens(position), |tokens| tokens.weighed)
    }

    /// Tokens of messages that are seen otherwise than they came, by position.
    pub(crate) fn rewritten_tokens(&self) -> &BTreeMap<usize, Tokens> {
        &self.base.rewritten
    }

    /// Appends a record. A message costs its own length; a step, what it holds and what is rewritten so
    /// far; an undo or an edit, what the steps in force hold, and an edit the messages behind it besides.
    pub fn append(&mut self, record: Record) -> Result<(), LogError> {
        match self.note(record)? {
            Noted::Aside => {}
            Noted::Step => {
                let Some(checkpoint) = self.log.checkpoint() else { return Ok(()) };
                self.projection.take(&self.log, checkpoint);
                self.base = self.base(&self.projection, &self.known_without(checkpoint));
                self.begin_epoch();
            }
            Noted::Elsewhere => self.project(),
        }
        Ok(())
    }

    /// Appends records that were stored, and looks at the result once.
    pub(crate) fn replay(&mut self, records: Vec<Record>) -> Result<(), LogError> {
        for record in records {
            self.note(record)?;
        }
        self.project();
        Ok(())
    }

    /// Puts a record in the log and counts its message.
    fn note(&mut self, record: Record) -> Result<Noted, LogError> {
        let noted = match &record {
            Record::Message { .. } | Record::Todo { .. } => Noted::Aside,
            Record::Checkpoint { .. } => Noted::Step,
            Record::Edit { .. } | Record::Undo { .. } => Noted::Elsewhere,
        };
        let edited = match &record {
            Record::Edit { message } => {
                let position = self.log.position(&message.id);
                position.and_then(|at| Some((at, self.log.message(at)?.clone())))
            }
            _ => None,
        };
        let said = matches!(record, Record::Message { .. });
        self.log.append(record)?;
        if said {
            self.count_last();
        }
        if let Some((position, before)) = edited
            && let Some(message) = self.log.message(position)
        {
            self.outline.edit(&self.log, position, &before);
            self.meter.replace(position, message);
            if let Some(successor) = &mut self.successor {
                successor.replace(position, message);
            }
            self.recount_protected();
        }
        Ok(noted)
    }

    /// Whatever the provider counted was another view.
    fn begin_epoch(&mut self) {
        self.reading = None;
        self.calibrations.begin_epoch();
        self.epoch = self.epoch.saturating_add(1);
    }

    /// Sees the log anew through every step in force.
    fn project(&mut self) {
        self.begin_epoch();
        self.projection = Projection::of(&self.log);
        self.base = self.base(&self.projection, &BTreeMap::new());
    }

    /// Tokens of rewritten messages that a step leaves as they are.
    fn known_without(&self, checkpoint: &Checkpoint) -> BTreeMap<usize, Tokens> {
        let mut known = self.base.rewritten.clone();
        for rewrite in &checkpoint.rewrites {
            self.log.position(&rewrite.id).map(|position| known.remove(&position));
        }
        known
    }

    fn count_last(&mut self) {
        let position = self.log.len().saturating_sub(1);
        let Some(message) = self.log.message(position) else { return };
        self.outline.take(&self.log);
        self.meter.append(message);
        let tokens = self.meter.tokens(position);
        if message.pinned && message.role != Role::System {
            self.pinned_tokens = self.pinned_tokens.saturating_add(tokens);
        }
        self.requests.take(position, message);
    }

    fn recount_protected(&mut self) {
        let pinned =
            |(_, message): &(usize, &Message)| message.pinned && message.role != Role::System;
        let pinned = self.log.messages().enumerate().filter(pinned);
        self.pinned_tokens =
            pinned.fold(0, |sum, (at, _)| sum.saturating_add(self.meter.tokens(at)));
        let mut requests = Requests::default();
        self.log.messages().enumerate().for_each(|(at, message)| requests.take(at, message));
        self.requests = requests;
    }

    /// What a projection comes to; `known` are tokens of rewritten messages that need no counting.
    fn base(&self, projection: &Projection, known: &BTreeMap<usize, Tokens>) -> Base {
        let mut base = Base::default();
        for (position, rewritten) in &projection.rewritten {
            let tokens = known.get(position).copied();
            let tokens =
                tokens.unwrap_or_else(|| Tokens::from(&self.meter.measure(&rewritten.message)));
            base.rewritten.insert(*position, tokens);
            if *position >= projection.covered {
                let (role, came) = (rewritten.message.role, self.came(*position));
                base.saved.save(role, came.weighed.saturating_sub(tokens.weighed));
                base.kept.save(role, tokens.weighed.saturating_sub(came.weighed));
                base.unseen_mix = base.unseen_mix.plus(&came.mix);
                base.mix = base.mix.plus(&tokens.mix);
            }
        }
        let seen = |base: &Base, position: usize| {
            base.rewritten.get(&position).copied().unwrap_or_else(|| self.came(position))
        };
        for position in &projection.dropped {
            if let Some(message) = self.log.message(*position) {
                let tokens = seen(&base, *position);
                base.saved.add(message.role, tokens.weighed);
                base.unseen_mix = base.unseen_mix.plus(&tokens.mix);
            }
        }
        for position in projection.kept() {
            if let Some(message) = self.log.message(position) {
                let tokens = seen(&base, position);
                base.kept.add(message.role, tokens.weighed);
                base.mix = base.mix.plus(&tokens.mix);
                base.kept_messages += 1;
            }
        }
        base.dropped_messages = projection.dropped.len();
        if let Some(cover) = &projection.cover {
            let cost = self.summary_cost(&cover.text(), cover.summarized);
            base.summary = cost.tokens;
            base.mix = base.mix.plus(&cost.mix());
        }
        base
    }

    /// What a message comes to as it came.
    fn came(&self, position: usize) -> Tokens {
        let cost = self.meter.cost(position).map(Tokens::from);
        cost.unwrap_or(Tokens { weighed: 0, mix: Mix::default() })
    }

    /// What the view would hold with one more step. Costs what the steps hold.
    pub(crate) fn with(&self, checkpoint: &Checkpoint) -> Prospect {
        let projection = self.projection.with(&self.log, checkpoint);
        let base = self.base(&projection, &self.known_without(checkpoint));
        let view = View::of(&self.log, &projection, &self.contract);
        let tokens = self.tokens_on(&projection, &base);
        Prospect { view, load: self.load_on(&projection, &base, tokens) }
    }

    fn tail(&self, projection: &Projection, base: &Base) -> Totals {
        self.meter.span(projection.covered..self.log.len()).minus(&base.saved)
    }

    fn tokens_on(&self, projection: &Projection, base: &Base) -> u32 {
        let tail = self.tail(projection, base).sum();
        base.kept.sum().saturating_add(base.summary).saturating_add(tail)
    }

    /// What the messages of the view up to one come to, by script.
    fn mix_upto(&self, messages: usize) -> Mix {
        let tail = self.meter.mix(self.projection.covered..messages);
        self.base.mix.plus(&tail).minus(&self.base.unseen_mix)
    }

    fn load_on(&self, projection: &Projection, base: &Base, tokens: u32) -> Load {
        let messages = self.tail(projection, base).spoken;
        Load { tokens, messages, prompt_tokens: None }
    }

    /// Tokens of a summary as it stands in a view, its frame included.
    pub fn summary_tokens(&self, summary: &str, summarized: u32) -> u32 {
        self.summary_cost(summary, summarized).tokens
    }

    fn summary_cost(&self, summary: &str, summarized: u32) -> Cost {
        let part = Part::text(frame::wrap(summary, summarized));
        self.meter.measure(&Message::with_parts("", Role::User, vec![part]))
    }

    /// What the provider's counts add up to.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Messages of the view, without what repairs add or leave out.
    pub fn messages(&self) -> u32 {
        let summary = usize::from(self.projection.cover.is_some());
        let tail = self.log.len().saturating_sub(self.projection.covered);
        let count = self.base.kept_messages + summary + tail;
        u32::try_from(count.saturating_sub(self.base.dropped_messages)).unwrap_or(u32::MAX)
    }

    /// Tokens of the messages of the view, by the meter alone. Costs O(1).
    pub fn counted_tokens(&self) -> u32 {
        self.tokens_on(&self.projection, &self.base)
    }

    /// What fills the view. Costs O(1).
    pub fn breakdown(&self, tool_schema_tokens: u32) -> Breakdown {
        let tail = self.tail(&self.projection, &self.base);
        let kept = self.base.kept;
        Breakdown {
            system: kept.system.saturating_add(tail.system),
            tools: tool_schema_tokens,
            summary: self.base.summary,
            user: kept.user.saturating_add(tail.user),
            assistant: kept.assistant.saturating_add(tail.assistant),
            results: kept.tool.saturating_add(tail.tool),
        }
    }

    /// The last message that a person sent.
    pub fn last_request(&self) -> Option<usize> {
        self.requests.last
    }

    /// What no compaction can remove, besides tool schemas. Costs O(1).
    pub fn protected(&self) -> Protected {
        let request = self.requests.last.filter(|at| {
            // A pinned request is counted once, among the pinned.
            self.log.message(*at).is_some_and(|message| !message.pinned)
        });
        Protected {
            system: self.meter.span(0..self.log.len()).system,
            pinned: self.pinned_tokens,
            request: request.map_or(0, |at| self.meter.tokens(at)),
        }
    }
}

/// Tokens that no compaction can remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protected {
    /// System messages.
    pub system: u32,
    /// Pinned messages.
    pub pinned: u32,
    /// The last user request.
    pub request: u32,
}

impl Protected {
    /// All of them together.
    pub fn sum(&self) -> u32 {
        self.system.saturating_add(self.pinned).saturating_add(self.request)
    }
}

/// What the view would be after one more step.
pub(crate) struct Prospect {
    /// The view itself.
    pub(crate) view: View,
    /// What triggers would look at, by the meter alone and without tool schemas.
    pub(crate) load: Load,
}

impl Requests {
    fn take(&mut self, position: usize, message: &Message) {
        let asked = message.role == Role::User && message.synthetic.is_none();
        if asked && !message.is_blank() {
            *self = Self { last: Some(position), earlier: self.last };
        } else if is_alive(message) && self.last.is_some_and(|last| last + 1 == position) {
            // Nobody asked anything: it was a health check.
            *self = Self { last: self.earlier, earlier: None };
        }
    }
}
