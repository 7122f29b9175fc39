//! What the summarizer would read, and how often it would be asked.

use std::ops::Range;

use epitome_columns::SortedSet;

use super::reading::{Reading, entries_at};
use super::{Action, Plan};
use crate::conversation::Conversation;
use crate::message::Entry;
use crate::policy::{Policy, WindowTooSmall};
use crate::tokens::MeterTokens;
use crate::transcript::chunk::{chunks, chunks_within, parts_of};
use crate::transcript::prompt::{ChunkPosition, PromptInput, instructions};

/// Tokens of the envelope's tags and of separators.
const ENVELOPE: MeterTokens = MeterTokens::new(100);
/// The longest part of a message in a chunk that is read in slices, in characters.
const LONGEST_PART: usize = 60_000;
/// The smallest chunk that is worth a request, in the provider's tokens.
const SMALLEST_CHUNK: u32 = 500;

impl Plan {
    /// How often the summarizer would be asked. Linear in the number of messages; linear in their texts only
    /// if the message index does not have the sizes.
    pub(super) fn count_chunks(
        &self,
        conversation: &Conversation,
        policy: &Policy,
    ) -> Result<usize, WindowTooSmall> {
        if self.fits_as_messages(conversation, policy) {
            return Ok(1);
        }
        match self.chunks_by_size(conversation, policy) {
            Some(chunks) => Ok(chunks),
            None => Ok(self.chunks(conversation, policy)?.len()),
        }
    }

    /// The number of chunks by the sizes in the message index, without reading a text; approximate as
    /// [`crate::transcript::chunk::count`] is, and 0 exactly if there is no text. `None` if only the texts can say it.
    /// Linear in the number of messages.
    pub(crate) fn chunks_by_size(
        &self,
        conversation: &Conversation,
        policy: &Policy,
    ) -> Option<usize> {
        let covered = conversation.projection().covered;
        let rewritten = &conversation.projection().rewritten;
        let is_original = rewritten.range(covered..self.tail_start).next().is_none();
        // The index knows the sizes of original messages in characters. A rewritten message has a path in its
        // entry, and a window limits tokens: both need the real chunks.
        if !is_original || policy.asked_window().is_some() {
            return None;
        }
        let read = self.read_runs(conversation);
        let settings = conversation.chunk_settings(&policy.summary);
        conversation.index().count_chunks(&read, covered..self.tail_start, &settings)
    }

    /// The positions of the messages that the summarizer would read: those that it is to summarize, without
    /// heartbeats of the app and their answers, and the last user request, since without it the summarizer could
    /// not say what the work was for. An earlier summary may cover the request already.
    pub(super) fn read(
        &self,
        conversation: &Conversation,
    ) -> impl DoubleEndedIterator<Item = usize> + Clone {
        self.read_runs(conversation).into_iter().flatten()
    }

    /// The same as runs of positions. Linear in the messages, of which most are in few runs.
    fn read_runs(&self, conversation: &Conversation) -> Vec<Range<usize>> {
        let covered = conversation.projection().covered;
        let mut runs: Vec<Range<usize>> =
            covered_request(conversation).map(|at| at..at + 1).into_iter().collect();
        let mut start = covered;
        let has_heartbeats = conversation.has_heartbeats();
        let is_read = |at: usize, action: Action| {
            let is_read = action == Action::Summarize || self.also_read.binary_search(&at).is_ok();
            is_read && !(has_heartbeats && conversation.is_heartbeat(at))
        };
        let mut at = covered;
        // Loops, and no filter: for size, its condition would be compiled as a call for each message.
        while at < self.tail_start
            && let Some(action) = self.actions.get(at).copied()
        {
            if action == Action::Summarize && !has_heartbeats || is_read(at, action) {
                at += 1;
                continue;
            }
            if start < at {
                runs.push(start..at);
            }
            at += 1;
            start = at;
        }
        if start < self.tail_start {
            runs.push(start..self.tail_start);
        }
        runs
    }

    /// The positions in front of the tail that the summarizer would not read although no earlier summary covers them.
    pub(crate) fn unread(&self, conversation: &Conversation) -> Vec<usize> {
        let read = SortedSet::from_iter(self.read(conversation));
        let covered = conversation.projection().covered;
        (covered..self.tail_start).filter(|at| !read.contains(at)).collect()
    }

    /// What the summarizer would read as a transcript. Costs O(n log n).
    pub(crate) fn entries(&self, conversation: &Conversation, policy: &Policy) -> Vec<Entry> {
        self.entries_of(conversation, policy, &|_| true)
    }

    /// The same of the messages whose positions are wanted.
    pub(crate) fn entries_of(
        &self,
        conversation: &Conversation,
        policy: &Policy,
        is_wanted: &dyn Fn(usize) -> bool,
    ) -> Vec<Entry> {
        let wanted = self.read(conversation).filter(|at| is_wanted(*at));
        entries_at(conversation, &policy.summary, wanted)
    }

    /// Begins to read the same in slices.
    pub(crate) fn begin_reading(&self, conversation: &Conversation) -> Reading {
        Reading::new(conversation, self.read(conversation))
    }

    /// The same, chunk by chunk. An error if its window has no room for any chunk.
    pub fn chunks(
        &self,
        conversation: &Conversation,
        policy: &Policy,
    ) -> Result<Vec<Vec<Entry>>, WindowTooSmall> {
        self.chunks_of(conversation, policy, &|_| true)
    }

    /// The same of the messages whose positions are wanted.
    pub(crate) fn chunks_of(
        &self,
        conversation: &Conversation,
        policy: &Policy,
        is_wanted: &dyn Fn(usize) -> bool,
    ) -> Result<Vec<Vec<Entry>>, WindowTooSmall> {
        self.divided(conversation, policy, self.entries_of(conversation, policy, is_wanted))
    }

    /// These entries, chunk by chunk.
    pub(crate) fn divided(
        &self,
        conversation: &Conversation,
        policy: &Policy,
        entries: Vec<Entry>,
    ) -> Result<Vec<Vec<Entry>>, WindowTooSmall> {
        let settings = conversation.chunk_settings(&policy.summary);
        // Facts are found in one entry after another, also if the chunk is long.
        let entries = match conversation.reads_in_slices() {
            true => entries.into_iter().flat_map(|entry| parts_of(entry, LONGEST_PART)).collect(),
            false => entries,
        };
        let Some(window_tokens) = policy.asked_window() else {
            return Ok(chunks(entries, &settings));
        };
        // The instructions, the summary so far and the answer share the window with a chunk.
        let (meter, scale) = (conversation.meter(), conversation.summarizer_scale(policy));
        // The number of chunks depends on this result. Two give the longer instructions: a single chunk has no
        // sentence about its position. The user's own instructions are not known yet, so that every request is
        // checked against the window again before it is sent.
        let place = ChunkPosition { index: 0, count: 2 };
        let task = instructions(
            &policy.summary,
            self.reason,
            PromptInput::Chunk(place),
            self.summary_tokens,
            None,
        );
        // A request allows an answer that is half longer than its target, and that answer is the previous
        // summary of the next request.
        let answer = self.summary_budget + self.summary_budget.half();
        let previous = conversation.present_summary_tokens().max(answer);
        let todo = conversation.log().todo().map_or(MeterTokens::ZERO, |todo| meter.count(todo));
        let fixed = meter.count(&task) + answer + previous + todo + ENVELOPE;
        let fixed_tokens = scale.to_provider(fixed);
        let budget = scale.to_meter(window_tokens.saturating_sub(fixed_tokens));
        let needed_tokens = fixed_tokens.saturating_add(SMALLEST_CHUNK);
        match chunks_within(&entries, &settings, budget, meter) {
            Some(chunks) => Ok(chunks),
            None if policy.summarizer_window().is_some() => {
                Err(WindowTooSmall { window_tokens, needed_tokens })
            }
            // The window is that of the conversation's model, and another one may get the transcript.
            None => Ok(chunks(entries, &settings)),
        }
    }
}

/// The last user request, if an earlier summary covers it.
pub(crate) fn covered_request(conversation: &Conversation) -> Option<usize> {
    let covered = conversation.projection().covered;
    conversation.last_request().filter(|request| *request < covered)
}
