//! A running compaction that needs a summary, and its next request to the summarizer.

use std::collections::VecDeque;

use super::fallback::{FallbackLevel, Tries, fallbacks};
use super::reading::Read;
use super::sent_transcript::SentTranscript;
use super::{Asked, PreparedUse, SummaryRequest};
use crate::conversation::Conversation;
use crate::facts::{Facts, Lookup, RetainedText};
use crate::history::Cover;
use crate::message::{Entry, Message, MessageId, RequestId, Role};
use crate::plan::{Plan, Reading, Scope, covered_request, tracked};
use crate::policy::{Policy, Summarizer, SummaryInput, WindowTooSmall};
use crate::structured_state::{StateDelta, StructuredState};
use crate::transcript::Envelope;
use crate::transcript::fold::Fold;
use crate::transcript::prompt::{ChunkPosition, PromptInput, instructions};

/// A running compaction that needs a summary.
pub(super) struct Job {
    pub(super) plan: Plan,
    /// How many messages the summary before this one covers.
    pub(super) covered: usize,
    /// The last user request, if that summary covers it.
    pub(super) request: Option<usize>,
    /// The policy of the plan: the compactor's, or a stricter one after a result that was too large.
    pub(super) policy: Policy,
    /// What somebody has chosen for it.
    pub(super) scope: Scope,
    pub(super) stage: Stage,
    /// The facts of the chunks so far, which the summary must not lose.
    pub(super) facts: Facts,
    /// What a summary covers that was there before: its facts are read before those of a chunk.
    covered_before: Vec<Entry>,
    /// How many entries of that or of the present chunk were read for facts.
    entries_read: usize,
    /// The text of messages that stay, as far as it was read. A fact in it is not lost, whatever the summary says.
    pub(super) retained: RetainedText,
    /// Where the facts are in them and in the summary.
    pub(super) lookup: Lookup,
    /// The positions of messages that stay and were not read yet.
    unread: VecDeque<usize>,
    pub(super) instructions: Option<String>,
    /// How often the present request was sent.
    pub(super) attempts: u32,
    pub(super) asked: Asked,
    /// The latest transcript that was sent, until its tokens are counted.
    pub(super) sent: Option<SentTranscript>,
    /// What was tried because the summarizer failed.
    pub(super) tries: Tries,
    /// The levels to try if the result is too large, in order.
    pub(super) fallbacks: VecDeque<FallbackLevel>,
    last_reply: Option<LastReply>,
    /// True if the summary is one that all agents share.
    pub(super) is_shared: bool,
    /// True if no compaction waits for the summary: it is written in advance.
    pub(super) is_ahead: bool,
    /// What the summarizer has noted for itself.
    pub(super) notes: String,
    /// What the summary is to begin with, before the answer to the present request.
    pub(super) state: String,
    /// The changes to the structured state that the answers so far have brought.
    pub(super) changes: Vec<StateDelta>,
}

/// The model's latest text, and what it was found in: looked for again only if that has changed, since a long one is copied.
struct LastReply {
    messages: usize,
    epoch: u32,
    text: Option<String>,
}

/// How much longer it takes to divide a text into the units of facts than to read it.
const UNITS: usize = 4;

/// What the summarizer works on.
pub(super) enum Stage {
    /// The messages, whose texts are not read yet, in about this many chunks.
    Planned { chunks: u32 },
    /// The same while they are being read, in slices.
    Reading { chunks: u32, reading: Box<Reading> },
    /// The messages, chunk by chunk.
    Chunks(Fold),
    /// The summary itself, which was longer than the policy's limit for a rollup.
    Rollup(Envelope),
    /// The summary itself, which says this although no message does.
    Correction { envelope: Envelope, unsupported: Vec<String> },
    /// Nothing any more: the summary was written in advance.
    Written,
}

impl Job {
    /// The job for a plan; `None` if there is no text to summarize. An error if the summarizer's window is too
    /// small for any chunk.
    ///
    /// Mostly without reading the texts: [`Self::read_on`] does that, in slices.
    pub(super) fn new(
        conversation: &Conversation,
        policy: &Policy,
        plan: Plan,
        instructions: Option<String>,
    ) -> Result<Option<Self>, WindowTooSmall> {
        let input = policy.summary.input;
        let stage = match input {
            SummaryInput::Transcript => Stage::planned(conversation, policy, &plan)?,
            SummaryInput::Messages | SummaryInput::Conversation => {
                Some(Stage::Planned { chunks: 1 })
            }
        };
        let Some(stage) = stage else { return Ok(None) };
        Ok(Some(Self {
            facts: earlier_facts(conversation),
            covered_before: Vec::new(),
            entries_read: 0,
            retained: RetainedText::default(),
            lookup: Lookup::default(),
            unread: plan.staying().collect(),
            stage,
            policy: policy.clone(),
            scope: Scope::default(),
            covered: conversation.projection().covered,
            request: covered_request(conversation),
            plan,
            instructions,
            attempts: 0,
            asked: Asked::of(input),
            sent: None,
            tries: Tries::new(&policy.summary),
            fallbacks: fallbacks(policy),
            last_reply: None,
            is_shared: false,
            is_ahead: false,
            notes: String::new(),
            state: String::new(),
            changes: Vec::new(),
        }))
    }

    /// The latest text of the assistant, without the white space around it. Linear in the texts from there on for the first
    /// answer of the summarizer and after a change, and otherwise O(1).
    pub(super) fn last_reply(&mut self, conversation: &Conversation) -> Option<&str> {
        let (messages, epoch) = (conversation.log().len(), conversation.epoch());
        let is_known = |known: &LastReply| (known.messages, known.epoch) == (messages, epoch);
        if !self.last_reply.as_ref().is_some_and(is_known) {
            let replies = conversation.log().messages().rev();
            let replies = replies.filter(|message| message.role == Role::Assistant);
            let text = replies.map(Message::text).find(|text| !text.trim().is_empty());
            let text = text.map(|text| text.trim().to_owned());
            self.last_reply = Some(LastReply { messages, epoch, text });
        }
        self.last_reply.as_ref()?.text.as_deref()
    }

    /// Counts the tokens of the latest transcript that was sent, unless they are counted.
    pub(super) fn count_sent(&mut self) {
        if let Some(sent) = self.sent.take() {
            self.asked.transcript = Some(sent.least_tokens());
        }
    }

    /// Begins to read the texts, unless they are read. To be called before [`Self::read_on`].
    pub(super) fn begin_reading(&mut self, conversation: &Conversation) {
        if let Stage::Planned { chunks } = self.stage {
            let reading = Box::new(self.plan.begin_reading(conversation));
            self.stage = Stage::Reading { chunks, reading };
        }
    }

    /// Reads a slice of the texts. With the last one, they are divided into chunks.
    pub(super) fn read_on(
        &mut self,
        conversation: &Conversation,
        slice: usize,
    ) -> Result<Read, WindowTooSmall> {
        let Stage::Reading { reading, .. } = &mut self.stage else { return Ok(Read::Whole) };
        if !reading.advance(conversation, &self.policy.summary, slice) {
            return Ok(Read::Partly);
        }
        let entries = std::mem::take(&mut **reading).into_entries();
        let chunks = match self.asked.input {
            SummaryInput::Transcript => self.plan.divided(conversation, &self.policy, entries)?,
            // In one piece: it is sent as messages, and facts are found in the entries.
            SummaryInput::Messages | SummaryInput::Conversation if entries.is_empty() => Vec::new(),
            SummaryInput::Messages | SummaryInput::Conversation => vec![entries],
        };
        match Stage::fold(conversation, &self.policy, chunks) {
            Some(stage) => self.stage = stage,
            None => return Ok(Read::Nothing),
        }
        Ok(Read::Whole)
    }

    /// Asks for the same by a transcript from now on, if the summarizer gets messages so far; `because` says why. False if
    /// it gets a transcript already.
    pub(super) fn fall_back_to_transcript(
        &mut self,
        conversation: &Conversation,
        because: String,
    ) -> Result<bool, WindowTooSmall> {
        if self.asked.input == SummaryInput::Transcript {
            return Ok(false);
        }
        self.asked.input = SummaryInput::Transcript;
        self.asked.fallback = Some(because);
        self.attempts = 0;
        let stage = Stage::chunks(conversation, &self.policy, &self.plan)?;
        self.stage = stage.unwrap_or(Stage::Planned { chunks: 0 });
        Ok(true)
    }

    /// Plans the compaction again with the next fallback level that has something to summarize. `None` if no
    /// level is left.
    pub(super) fn next_fallback(&mut self, conversation: &Conversation) -> Option<FallbackLevel> {
        while let Some(fallback) = self.fallbacks.pop_front() {
            // A level may have nothing to summarize, or no chunk that fits the summarizer's window. A later
            // level can still work.
            if self.apply_fallback(fallback, conversation).is_some() {
                return Some(fallback);
            }
        }
        None
    }

    fn apply_fallback(
        &mut self,
        fallback: FallbackLevel,
        conversation: &Conversation,
    ) -> Option<()> {
        self.policy.summary.tool_result_max_characters = Some(fallback.tool_result_max_characters);
        self.policy.keep = fallback.keep;
        let reason = self.plan.reason;
        let plan = Plan::without_requests(conversation, &self.policy, reason, None, &self.scope);
        self.stage = Stage::chunks(conversation, &self.policy, &plan).ok()??;
        self.changes.clear();
        // `facts` stay: the next transcript shows less, and the facts that it cuts off must not be lost either.
        self.plan = plan;
        if self.asked.input != SummaryInput::Transcript {
            // The levels limit what a transcript has of tool results.
            self.asked.input = SummaryInput::Transcript;
            self.asked.fallback = Some("the result was too large".to_owned());
        }
        self.reset_retained();
        self.attempts = 0;
        Some(())
    }

    /// Collects facts of what a summary covers that was there before, and of the present chunk, of about this many bytes. True
    /// if all of them are there.
    pub(super) fn read_facts(&mut self, slice: usize) -> bool {
        let chunk = match &self.stage {
            Stage::Chunks(fold) => fold.envelope().entries.as_slice(),
            _ => &[],
        };
        let is_before = !self.covered_before.is_empty();
        let entries = if is_before { &self.covered_before } else { chunk };
        let unread = entries.get(self.entries_read..).unwrap_or_default();
        let mut bytes = 0;
        let is_in_slice = |entry: &&Entry| {
            let begins_in_slice = bytes * UNITS < slice;
            bytes += entry.text.len();
            begins_in_slice
        };
        let count = unread.iter().take_while(is_in_slice).count();
        self.facts.read(unread.get(..count).unwrap_or_default());
        let is_read = count == unread.len();
        self.entries_read = if is_read { 0 } else { self.entries_read + count };
        let is_done = is_read && (!is_before || chunk.is_empty());
        if is_read {
            self.covered_before.clear();
        }
        is_done
    }

    /// The structured state with the changes of the answers so far. Nothing is kept of one that the policy does not ask for.
    pub(super) fn structured_state(&self, conversation: &Conversation) -> StructuredState {
        if !self.policy.summary.structured_state {
            return StructuredState::default();
        }
        let mut state = conversation.log().structured_state().clone();
        self.changes.iter().for_each(|delta| state.apply(delta));
        state
    }

    /// True if the summarizer is asked for changes to the structured state.
    pub(super) fn asks_for_state(&self) -> bool {
        self.policy.summary.structured_state
            && !matches!(self.stage, Stage::Rollup(_) | Stage::Correction { .. })
    }

    /// Goes on with a plan for a summary that was written in advance and covers these entries.
    pub(super) fn take_over(
        &mut self,
        plan: Plan,
        covered: Vec<Entry>,
        (asked, changes): (Asked, Vec<StateDelta>),
        used: PreparedUse,
    ) {
        (self.plan, self.covered_before, self.changes) = (plan, covered, changes);
        self.asked.include(asked);
        self.asked.prepared = Some(used);
        self.reset_retained();
        if used == PreparedUse::AsWritten {
            self.stage = Stage::Written;
        }
    }

    /// Goes on with a summary that all agents share: nothing is asked for, and the facts of all messages are to be read.
    pub(super) fn take_shared(&mut self, conversation: &Conversation) {
        self.covered_before = self.plan.entries(conversation, &self.policy);
        self.stage = Stage::Written;
        self.is_shared = true;
    }

    /// Reads a slice of the messages that stay. True if all of them are read.
    pub(super) fn read_staying(&mut self, conversation: &Conversation, slice: usize) -> bool {
        let mut read = 0;
        while read * UNITS < slice
            && let Some(position) = self.unread.pop_front()
        {
            if let Some(message) = self.plan.seen(conversation, position) {
                let text = message.readable_text();
                read += text.len();
                self.retained.add(&text, message.role);
            }
        }
        self.unread.is_empty()
    }

    fn reset_retained(&mut self) {
        self.retained = RetainedText::default();
        self.lookup = Lookup::default();
        self.unread = self.plan.staying().collect();
    }

    /// True if the edit of a message makes this compaction useless, since the message is summarized or rewritten
    /// by it. If not, the message may be one that stays, so that those are read again.
    pub(super) fn is_invalidated_by_edit(&mut self, position: usize) -> bool {
        self.reset_retained();
        position < self.plan.tail_start || self.plan.changes(position)
    }

    /// True if the message at a position was there when the compaction was planned.
    pub(super) fn plans(&self, position: usize) -> bool {
        position < self.plan.actions.len()
    }

    /// True if the compaction can go on after the messages from a position on have left the conversation, or were replaced
    /// by those of another branch. These are then no part of its plan, as if they had just been appended.
    pub(super) fn goes_on_with(&mut self, position: usize) -> bool {
        if position < self.plan.tail_start || self.plan.changes_from(position) {
            return false;
        }
        self.plan.actions.truncate(position);
        self.reset_retained();
        true
    }

    /// How many chunks are done, and how many there are.
    pub(super) fn progress(&self) -> (u32, u32) {
        match &self.stage {
            Stage::Planned { chunks } | Stage::Reading { chunks, .. } => (0, *chunks),
            Stage::Chunks(fold) => (fold.place().index, fold.place().count),
            Stage::Rollup(_) | Stage::Correction { .. } | Stage::Written => (1, 1),
        }
    }

    fn prompt_input(&self, place: ChunkPosition) -> PromptInput<'_> {
        match &self.stage {
            Stage::Rollup(_) => PromptInput::Summary,
            Stage::Correction { unsupported, .. } => PromptInput::Correction(unsupported),
            _ => PromptInput::Chunk(place),
        }
    }

    /// The instructions to the summarizer, without what depends on lengths.
    pub(super) fn instructions_sent(&self) -> String {
        let (_, count) = self.progress();
        let input = self.prompt_input(ChunkPosition { index: 0, count });
        let focus = self.instructions.as_deref();
        instructions(&self.policy.summary, self.plan.reason, input, 0, focus)
    }

    /// The present request.
    pub(super) fn request(&self, id: RequestId, conversation: &Conversation) -> SummaryRequest {
        let Plan { reason, summary_tokens, ledger_tokens, .. } = self.plan;
        let settings = &self.policy.summary;
        // A rollup must be clearly shorter than the limit that the summary exceeded.
        let longest = match (&self.stage, settings.rollup_tokens) {
            (Stage::Rollup(_), 1..) => settings.rollup_tokens / 2,
            _ => u32::MAX,
        };
        // Ledger and state are appended to the answer and have to fit the same budget. Half of it is for the answer even if
        // the state takes more than the other half.
        let free = summary_tokens.saturating_sub(ledger_tokens);
        let state = self.structured_state(conversation).to_text();
        let state =
            conversation.scale(&self.policy).to_provider(conversation.meter().count(&state));
        let longest = longest.min(self.tries.most_tokens());
        let target_tokens = free.saturating_sub(state).max(free / 2).min(longest).max(1);
        let (place, envelope) = match &self.stage {
            // The texts are read before the first request.
            Stage::Planned { chunks } | Stage::Reading { chunks, .. } => {
                (ChunkPosition { index: 0, count: *chunks }, None)
            }
            Stage::Written => (ChunkPosition { index: 0, count: 1 }, None),
            Stage::Chunks(fold) => (fold.place(), Some(fold.envelope())),
            Stage::Rollup(envelope) | Stage::Correction { envelope, .. } => {
                (ChunkPosition { index: 0, count: 1 }, Some(envelope))
            }
        };
        let focus = self.instructions.as_deref();
        let mut system =
            instructions(settings, reason, self.prompt_input(place), target_tokens, focus);
        let form = match &self.stage {
            Stage::Rollup(_) | Stage::Correction { .. } | Stage::Written => {
                SummaryInput::Transcript
            }
            Stage::Planned { .. } | Stage::Reading { .. } | Stage::Chunks(_) => self.asked.input,
        };
        let mut prompt = match form {
            SummaryInput::Transcript => None,
            form => Some(self.plan.prompt(conversation, &self.policy, form, target_tokens, focus)),
        };
        if let Some(reminder) = self.tries.reminder {
            system.push_str(reminder);
            prompt.iter_mut().for_each(|prompt| prompt.push_str(reminder));
        }
        let own = || Summarizer::Own { prompt: settings.shape.prompt().to_owned() };
        let summarizer = match (self.tries.summarizer(), form) {
            (Some(summarizer), _) => summarizer.clone(),
            (None, SummaryInput::Conversation) if settings.prompt.is_none() => own(),
            _ => settings.summarizer().unwrap_or_else(|| Summarizer::Agent { name: String::new() }),
        };
        SummaryRequest {
            id,
            reason,
            summarizer,
            system,
            input: envelope.map(Envelope::render).unwrap_or_default(),
            notes: envelope.map(|envelope| envelope.notes.clone()).unwrap_or_default(),
            messages: prompt.map(|prompt| self.plan.messages(conversation, form, &prompt)),
            form,
            target_tokens,
            max_tokens: target_tokens.saturating_add(target_tokens / 2),
            instructions: self.instructions.clone(),
            is_ahead: self.is_ahead,
            asks_for_state: self.asks_for_state(),
            given_state: self.tries.given_state(),
            chunk_index: place.index,
            chunk_count: place.count,
        }
    }
}

impl Stage {
    fn planned(
        conversation: &Conversation,
        policy: &Policy,
        plan: &Plan,
    ) -> Result<Option<Self>, WindowTooSmall> {
        match plan.chunks_by_size(conversation, policy) {
            Some(0) => Ok(None),
            Some(chunks) => {
                Ok(Some(Self::Planned { chunks: u32::try_from(chunks).unwrap_or(u32::MAX) }))
            }
            None => Self::chunks(conversation, policy, plan),
        }
    }

    fn chunks(
        conversation: &Conversation,
        policy: &Policy,
        plan: &Plan,
    ) -> Result<Option<Self>, WindowTooSmall> {
        Ok(Self::fold(conversation, policy, plan.chunks(conversation, policy)?))
    }

    fn fold(conversation: &Conversation, policy: &Policy, chunks: Vec<Vec<Entry>>) -> Option<Self> {
        let cover = conversation.projection().cover.as_ref();
        let previous = cover.map(Cover::text_to_continue).unwrap_or_default();
        let notes = cover.map(|cover| cover.summarizer_notes.clone()).unwrap_or_default();
        let tracked = tracked(conversation, &policy.summary);
        Fold::new(chunks, previous, notes, tracked).map(Self::Chunks)
    }
}

/// The facts of the earlier summary and its ledger, which the new summary replaces.
fn earlier_facts(conversation: &Conversation) -> Facts {
    let Some(cover) = &conversation.projection().cover else { return Facts::default() };
    let log = conversation.log();
    let number = |id: &MessageId| conversation.number(log.position(id)?);
    Facts::of_summary(&cover.summary, cover.ledger.iter().chain(&cover.left_out), &number)
}
