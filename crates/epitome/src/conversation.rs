//! A log and its meter together: what the model sees, and what that costs, at any moment.

use crate::history::{Checkpoint, Log, LogError, Record, View};
use crate::message::{Message, Part, Role, Usage};
use crate::meter::{BoxedTokenizer, Breakdown, Meter, Overhead, Tokenizer, Totals};
use crate::summary::frame;

/// A conversation that is counted as it grows.
pub struct Conversation {
    log: Log,
    meter: Meter,
    base: Base,
    reading: Option<Reading>,
    pinned_tokens: u32,
    last_request: Option<usize>,
}

/// What stands before the tail, counted when a checkpoint comes into force.
#[derive(Clone, Copy, Default)]
struct Base {
    covered: usize,
    kept: Totals,
    kept_messages: usize,
    summary: u32,
}

/// What a provider counted, and how many messages that covers.
#[derive(Clone, Copy)]
struct Reading {
    tokens: u32,
    messages: usize,
}

impl Conversation {
    /// An empty conversation.
    pub fn new(tokenizer: BoxedTokenizer) -> Self {
        Self {
            log: Log::default(),
            meter: Meter::new(tokenizer, Overhead::default()),
            base: Base::default(),
            reading: None,
            pinned_tokens: 0,
            last_request: None,
        }
    }

    /// Everything that was said and decided.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Its costs.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// What counts its tokens.
    pub fn tokenizer(&self) -> &dyn Tokenizer {
        self.meter.tokenizer()
    }

    /// What the model sees. Linear in it.
    pub fn view(&self) -> View {
        View::of(&self.log)
    }

    /// Appends a record. A message costs its own length; a checkpoint or an undo, what it keeps; an
    /// edit, the messages behind it.
    pub fn append(&mut self, record: Record) -> Result<(), LogError> {
        let before = match &record {
            Record::Edit { message } => {
                let position = self.log.position(&message.id);
                position.and_then(|at| Some((at, self.log.message(at)?.role)))
            }
            _ => None,
        };
        let said = matches!(record, Record::Message { .. });
        self.log.append(record)?;
        if said {
            self.count_last();
            return Ok(());
        }
        if let Some((position, role)) = before
            && let Some(message) = self.log.message(position)
        {
            self.meter.replace(position, role, message);
            self.recount_protected();
        }
        // Whatever the provider counted was another view.
        self.reading = None;
        self.rebase();
        Ok(())
    }

    fn count_last(&mut self) {
        let position = self.log.len().saturating_sub(1);
        let Some(message) = self.log.message(position) else { return };
        self.meter.append(message);
        let tokens = self.meter.tokens(position);
        if message.pinned && message.role != Role::System {
            self.pinned_tokens = self.pinned_tokens.saturating_add(tokens);
        }
        if is_request(message) {
            self.last_request = Some(position);
        }
    }

    fn recount_protected(&mut self) {
        let pinned =
            |(_, message): &(usize, &Message)| message.pinned && message.role != Role::System;
        let pinned = self.log.messages().enumerate().filter(pinned);
        self.pinned_tokens =
            pinned.fold(0, |sum, (at, _)| sum.saturating_add(self.meter.tokens(at)));
        let requests: Vec<bool> = self.log.messages().map(is_request).collect();
        self.last_request = requests.iter().rposition(|request| *request);
    }

    fn rebase(&mut self) {
        self.base =
            self.log.checkpoint().map_or_else(Base::default, |checkpoint| self.base(checkpoint));
    }

    fn base(&self, checkpoint: &Checkpoint) -> Base {
        let mut kept = Totals::default();
        for position in checkpoint.kept.iter().filter_map(|id| self.log.position(id)) {
            if let Some(message) = self.log.message(position) {
                kept.add(message.role, self.meter.tokens(position));
            }
        }
        Base {
            covered: self.log.covered_by(checkpoint),
            kept,
            kept_messages: checkpoint.kept.len(),
            summary: self.summary_tokens(&checkpoint.summary, checkpoint.summarized),
        }
    }

    /// Tokens of the view that a checkpoint would make, by the meter. Costs what the checkpoint keeps.
    pub fn tokens_through(&self, checkpoint: &Checkpoint) -> u32 {
        self.tokens_on(&self.base(checkpoint))
    }

    fn tokens_on(&self, base: &Base) -> u32 {
        let tail = self.meter.span(base.covered..self.log.len()).sum();
        base.kept.sum().saturating_add(base.summary).saturating_add(tail)
    }

    /// Tokens of a summary as it stands in a view, its frame included.
    pub fn summary_tokens(&self, summary: &str, summarized: u32) -> u32 {
        let part = Part::text(frame::wrap(summary, summarized));
        self.meter.measure(&Message::with_parts("", Role::User, vec![part])).tokens
    }

    /// Notes what the provider counted for the request that ended with the last message so far.
    pub fn read(&mut self, usage: Usage) {
        let tokens = usage.context_tokens();
        self.reading = Some(Reading { tokens, messages: self.log.len() });
    }

    /// Messages of the view, without what repairs add or leave out.
    pub fn messages(&self) -> u32 {
        let summary = usize::from(self.base.summary > 0);
        let count = self.base.kept_messages + summary + self.log.len() - self.base.covered;
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Tokens of the messages of the view, by the meter alone. Costs O(1).
    pub fn counted_tokens(&self) -> u32 {
        self.tokens_on(&self.base)
    }

    /// Tokens in the window: what the provider last counted and the messages since, or the meter's own
    /// count and `tool_schema_tokens`. True where the provider counted all of it. Costs O(1).
    pub fn tokens(&self, tool_schema_tokens: u32) -> (u32, bool) {
        match self.reading {
            Some(reading) => {
                let since = self.meter.span(reading.messages..self.log.len()).sum();
                (reading.tokens.saturating_add(since), since == 0)
            }
            None => (self.counted_tokens().saturating_add(tool_schema_tokens), false),
        }
    }

    /// What fills the view. Costs O(1).
    pub fn breakdown(&self, tool_schema_tokens: u32) -> Breakdown {
        let tail = self.meter.span(self.base.covered..self.log.len());
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
        self.last_request
    }

    /// What no compaction can remove, besides tool schemas. Costs O(1).
    pub fn protected(&self) -> Protected {
        let request = self.last_request.filter(|at| {
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

fn is_request(message: &Message) -> bool {
    message.role == Role::User && message.synthetic.is_none() && !message.is_blank()
}
