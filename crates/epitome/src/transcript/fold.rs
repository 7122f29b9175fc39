//! Summarizes a transcript chunk by chunk: each request gets one chunk and the summary of those before.

use std::collections::VecDeque;

use super::Envelope;
use super::chunk::chunks;
use super::prompt::ChunkPosition;
use crate::message::Entry;
use crate::policy::SummarySettings;

/// The state of a summary over the chunks of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fold {
    remaining: VecDeque<Vec<Entry>>,
    state: String,
    current: Envelope,
    place: ChunkPosition,
}

impl Fold {
    /// Starts with an earlier summary and its summarizer's notes, which may be empty. `state` is sent with the last chunk
    /// only, since it is the state at the end of the transcript. `None` without chunks.
    pub(crate) fn new(
        chunks: Vec<Vec<Entry>>,
        previous_summary: String,
        notes: String,
        state: String,
    ) -> Option<Self> {
        let count = u32::try_from(chunks.len()).unwrap_or(u32::MAX);
        let mut remaining = VecDeque::from(chunks);
        let entries = remaining.pop_front()?;
        let last = remaining.is_empty();
        let now = if last { state.clone() } else { String::new() };
        let current = Envelope { previous_summary, notes, state: now, entries };
        Some(Self { remaining, state, current, place: ChunkPosition { index: 0, count } })
    }

    /// The same with another summary so far and other chunks after it. `None` without chunks.
    pub(crate) fn continued(
        &self,
        chunks: Vec<Vec<Entry>>,
        previous: String,
        notes: String,
    ) -> Option<Self> {
        let state = if self.state.is_empty() { &self.current.state } else { &self.state };
        Self::new(chunks, previous, notes, state.clone())
    }

    /// Divides the present chunk and those after it again, by other settings. Linear in them.
    pub(crate) fn divide(&mut self, settings: &SummarySettings) {
        let mut entries = std::mem::take(&mut self.current.entries);
        entries.extend(self.remaining.drain(..).flatten());
        if self.state.is_empty() {
            self.state = std::mem::take(&mut self.current.state);
        }
        self.remaining = chunks(entries, settings).into();
        self.current.entries = self.remaining.pop_front().unwrap_or_default();
        if self.remaining.is_empty() {
            self.current.state = std::mem::take(&mut self.state);
        }
        let left = u32::try_from(self.remaining.len()).unwrap_or(u32::MAX);
        self.place.count = self.place.index.saturating_add(left).saturating_add(1);
    }

    /// How much there is to read, in bytes: the summary so far and all entries.
    pub(crate) fn size(&self) -> usize {
        let entries = self.remaining.iter().flatten().chain(&self.current.entries);
        let entries: usize = entries.map(|entry| entry.text.len()).sum();
        entries.saturating_add(self.current.previous_summary.len())
    }

    /// The input of the current request.
    pub(crate) fn envelope(&self) -> &Envelope {
        &self.current
    }

    /// The position of the current chunk.
    pub(crate) fn place(&self) -> ChunkPosition {
        self.place
    }

    /// Records the summary of the current chunk, with its summarizer's notes, and goes on to the next one. Returns both if
    /// there is none.
    pub(crate) fn advance(&mut self, summary: String, notes: String) -> Option<(String, String)> {
        let Some(entries) = self.remaining.pop_front() else { return Some((summary, notes)) };
        let state = match self.remaining.is_empty() {
            true => std::mem::take(&mut self.state),
            false => String::new(),
        };
        self.current = Envelope { previous_summary: summary, notes, state, entries };
        self.place.index += 1;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(text: &str) -> Vec<Entry> {
        vec![Entry { number: 1, speaker: "user".into(), time: None, text: text.into() }]
    }

    fn fold(chunks: &[&str], previous: &str, state: &str) -> Fold {
        let chunks = chunks.iter().map(|text| chunk(text)).collect();
        Fold::new(chunks, previous.into(), "noted".into(), state.into()).unwrap()
    }

    #[test]
    fn d5_the_state_is_sent_with_the_last_chunk_only() {
        let mut fold = fold(&["one", "two", "three"], "", "- [ ] ship");
        let mut states = vec![fold.envelope().state.clone()];
        while fold.advance("so far".into(), String::new()).is_none() {
            states.push(fold.envelope().state.clone());
        }
        assert_eq!(states, ["", "", "- [ ] ship"]);
    }

    #[test]
    fn d4_each_chunk_is_sent_with_the_summary_so_far() {
        let mut fold = fold(&["one", "two"], "zero", "");
        assert_eq!(fold.envelope().previous_summary, "zero");
        assert_eq!(fold.envelope().notes, "noted");
        assert_eq!(fold.place(), ChunkPosition { index: 0, count: 2 });
        assert_eq!(fold.advance("zero one".into(), "one".into()), None);
        assert_eq!(fold.envelope().previous_summary, "zero one");
        assert_eq!(fold.envelope().notes, "one");
        assert_eq!(fold.envelope().entries, chunk("two"));
        assert_eq!(fold.place(), ChunkPosition { index: 1, count: 2 });
        assert_eq!(fold.advance("all".into(), "two".into()), Some(("all".into(), "two".into())));
    }

    #[test]
    fn i36_what_is_left_can_be_divided_again() {
        let long = "word ".repeat(100);
        let mut fold = fold(&["one", &long, &long], "", "- [ ] ship");
        assert_eq!(fold.advance("so far".into(), String::new()), None);
        let settings =
            SummarySettings { chunk_characters: Some(400), ..SummarySettings::default() };
        fold.divide(&settings);
        assert_eq!(fold.envelope().previous_summary, "so far");
        let (index, count) = (fold.place().index, fold.place().count);
        assert!(index == 1 && count > 4, "{index} of {count}");
        let mut read = fold.envelope().entries.clone();
        while fold.advance("so far".into(), String::new()).is_none() {
            read.extend(fold.envelope().entries.clone());
        }
        assert_eq!(fold.place().index + 1, count);
        assert_eq!(fold.envelope().state, "- [ ] ship");
        let read: String = read.into_iter().map(|entry| entry.text).collect();
        assert_eq!(read, [long.as_str(), &long].concat());
        fold.divide(&SummarySettings::default());
        assert_eq!(fold.envelope().state, "- [ ] ship", "a single chunk is the last one");
    }

    #[test]
    fn without_chunks_there_is_no_fold() {
        assert_eq!(Fold::new(Vec::new(), "so far".into(), String::new(), String::new()), None);
    }
}
