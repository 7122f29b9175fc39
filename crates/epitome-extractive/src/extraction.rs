//! Makes an extract in slices, so that a page can be drawn between them.

use epitome::message::Entry;
use epitome::tokens::Tokenizer;
use epitome::transcript::{Envelope, parts_of};

use super::Extract;
use super::notes::Notes;
use super::pieces::{Noise, Pieces};
use super::ranking::Ranking;
use super::state::{Changes, ParsedEntry, SAID, State};

/// About how many bytes of text are read or ranked at once.
const SLICE: usize = 65_536;
/// The longest part of a message that is read at once, in characters.
const PART: usize = 32_768;
/// The least tokens for quotes behind a state: in fewer there is no sentence that says more than a greeting.
const LEAST_SAID: u32 = 24;
/// Tokens of the heading of the quotes.
const HEADING: u32 = 3;
/// Of so many shares of the tokens, changes to a structured state take at most one.
const CHANGES: u32 = 3;
/// How often the selection is made, each time with a better estimate of its tokens.
const ATTEMPTS: u32 = 3;
/// For how many more tokens pieces are selected that may fill a gap.
const FILLING: u32 = 150;

/// An extract in the making: see [`extract`](super::extract) for what it is.
#[derive(Debug)]
pub struct Extraction {
    previous_summary: String,
    notes: String,
    /// The messages, long ones in parts.
    entries: Vec<Entry>,
    target_tokens: u32,
    asks_for_state: bool,
    noise: Noise,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    /// So many of the entries are read.
    Reading { read: usize, state: Box<State>, pieces: Pieces, changes: Option<Box<Changes>> },
    /// The pieces are being ranked, to fill the room behind the text.
    Ranking { pieces: Pieces, ranking: Ranking, room: u32, written: Written },
    /// The extract was taken.
    Done,
}

/// What of an extract is written before its quotes are chosen.
#[derive(Debug)]
struct Written {
    state: String,
    /// The changes to the structured state, as JSON.
    changes: Option<String>,
    /// The tokens of the state and the quotes.
    target_tokens: u32,
}

impl Extraction {
    /// Begins an extract of at most `target_tokens`; `asks_for_state` as in [`extract_with_state`](super::extract_with_state).
    /// Linear in the texts, which are only divided.
    pub fn new(envelope: Envelope, target_tokens: u32, asks_for_state: bool) -> Self {
        let Envelope { previous_summary, notes, entries, .. } = envelope;
        let entries = entries.into_iter().flat_map(|entry| parts_of(entry, PART)).collect();
        let (noise, stage) = (Noise::LeftOut, Stage::Done);
        let mut begun =
            Self { previous_summary, notes, entries, target_tokens, asks_for_state, noise, stage };
        begun.begin(noise);
        begun
    }

    fn begin(&mut self, noise: Noise) {
        let (state, quotes) = State::begin(&self.previous_summary, &self.entries);
        let pieces = Pieces::of_summary(quotes, &self.notes, noise);
        let changes = self
            .asks_for_state
            .then(|| Box::new(Changes::begin(&self.previous_summary, &self.entries)));
        self.noise = noise;
        self.stage = Stage::Reading { read: 0, state: Box::new(state), pieces, changes };
    }

    /// Does a slice of the work, of a few milliseconds. The extract, once it is finished.
    pub fn advance(&mut self, tokenizer: &dyn Tokenizer) -> Option<Extract> {
        match &mut self.stage {
            Stage::Reading { read, state, pieces, changes } => {
                let mut bytes = 0;
                while bytes < SLICE
                    && let Some(entry) = self.entries.get(*read)
                {
                    let parsed = ParsedEntry::of(entry);
                    state.entry(&parsed);
                    pieces.read(&parsed);
                    changes.iter_mut().for_each(|changes| changes.read(&parsed));
                    bytes += entry.text.len();
                    *read += 1;
                }
                if *read == self.entries.len() {
                    self.write_state(tokenizer);
                }
                None
            }
            Stage::Ranking { pieces, ranking, room, .. } => {
                // Without room for quotes, none has to be ranked.
                match *room == 0 || ranking.advance(pieces, SLICE, tokenizer) {
                    false => None,
                    true => self.finish(tokenizer),
                }
            }
            Stage::Done => Some(Extract::default()),
        }
    }

    /// The extract, with all slices at once.
    pub fn at_once(mut self, tokenizer: &dyn Tokenizer) -> Extract {
        loop {
            if let Some(extract) = self.advance(tokenizer) {
                return extract;
            }
        }
    }

    /// Writes the state, and begins to rank the quotes behind it.
    fn write_state(&mut self, tokenizer: &dyn Tokenizer) {
        let stage = std::mem::replace(&mut self.stage, Stage::Done);
        let Stage::Reading { state, mut pieces, changes, .. } = stage else { return };
        let changes = changes.and_then(|changes| {
            changes.write(&state, &self.entries, self.target_tokens / CHANGES, tokenizer)
        });
        let used = changes.as_ref().map_or(0, |(_, tokens)| *tokens);
        let target_tokens = self.target_tokens.saturating_sub(used);
        let text = state.write(target_tokens, tokenizer);
        let left = target_tokens.saturating_sub(tokenizer.count(&text));
        let room = match text.is_empty() {
            true => target_tokens,
            false if left < LEAST_SAID && state.has_calls() => 0,
            false => left.saturating_sub(HEADING),
        };
        let numbers = self.entries.iter().map(|entry| entry.number);
        let first = self.entries.first().map_or(0, |entry| entry.number);
        pieces.finish(&text, (first, numbers.max().unwrap_or(0)));
        let changes = changes.map(|(changes, _)| changes);
        let written = Written { state: text, changes, target_tokens };
        let ranking = Ranking::begin(&pieces, room);
        self.stage = Stage::Ranking { pieces, ranking, room, written };
    }

    /// Chooses the quotes. `None` if nothing was to be said, and everything is to be quoted in place of that.
    fn finish(&mut self, tokenizer: &dyn Tokenizer) -> Option<Extract> {
        let stage = std::mem::replace(&mut self.stage, Stage::Done);
        let Stage::Ranking { pieces, ranking, room, written } = stage else { return None };
        let mut extract = written.with_quotes(&pieces, &ranking, room, tokenizer);
        // Quotes that say nothing are better than no summary, which would end the compaction.
        if extract.text.is_empty() && self.noise == Noise::LeftOut {
            self.begin(Noise::Quoted);
            return None;
        }
        if let Some(changes) = written.changes.filter(|_| !extract.text.is_empty()) {
            extract.text.push_str("\n\n```json\n");
            extract.text.push_str(&changes);
            extract.text.push_str("\n```");
        }
        Some(extract)
    }
}

impl Written {
    fn with_quotes(
        &self,
        pieces: &Pieces,
        ranking: &Ranking,
        room: u32,
        tokenizer: &dyn Tokenizer,
    ) -> Extract {
        let (said, mut notes) = quote(pieces, ranking, room, tokenizer);
        if self.state.is_empty() {
            return Extract { text: said, notes: notes.write() };
        }
        let mut text = self.state.clone();
        if !said.is_empty() {
            text.push_str(SAID);
            text.push('\n');
            text.push_str(&said);
        }
        // Tokens of joined texts can be more than the sum.
        let whole = text.len();
        while tokenizer.count(&text) > self.target_tokens && !text.is_empty() {
            text.truncate(text.trim_end().rfind('\n').unwrap_or(0));
        }
        if text.len() < whole {
            notes
                .shares
                .truncate(text.split_once(SAID).map_or(0, |(_, said)| Pieces::quotes(said)));
        }
        Extract { text, notes: notes.write() }
    }
}

/// Quotes in at most `target_tokens`.
fn quote(
    source: &Pieces,
    ranking: &Ranking,
    target_tokens: u32,
    tokenizer: &dyn Tokenizer,
) -> (String, Notes) {
    if target_tokens == 0 || source.pieces.is_empty() {
        return (String::new(), Notes::default());
    }
    let mut budget = target_tokens;
    let mut best = Vec::new();
    // The tokens of labels and separators depend on which pieces are next to each other, so the budget is corrected by
    // the tokens of the result.
    for _ in 0..ATTEMPTS {
        let selected = ranking.select(budget);
        let (fitting, tokens) = source.fit(&selected, target_tokens, tokenizer);
        // An attempt with a better budget can still be worse, since whole sentences come and go.
        if fitting.len() > best.len() {
            best = fitting;
        }
        let enough = (98..=100).contains(&(u64::from(tokens) * 100).div_ceil(target_tokens.into()));
        if enough || tokens == 0 || selected.len() == source.pieces.len() {
            break;
        }
        let scaled = u64::from(budget) * u64::from(target_tokens) / u64::from(tokens);
        budget = u32::try_from(scaled).unwrap_or(u32::MAX);
    }
    // Sentences are long and budgets are short: of those that come next, some may fill the gap.
    let more = budget.saturating_add(budget / 8).saturating_add(FILLING);
    source.fill(&mut best, &ranking.select(more), target_tokens, tokenizer);
    best.sort_unstable();
    let text = source.render(&best);
    if text.is_empty() {
        let text = source.shortest(target_tokens, tokenizer);
        return (text, Notes { shares: Vec::new(), ..ranking.notes(source, &best, tokenizer) });
    }
    (text, ranking.notes(source, &best, tokenizer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use epitome::tokens::CharactersPer;

    #[test]
    fn j13_a_long_message_is_read_and_ranked_in_slices() {
        let name = |at: u32| char::from_u32(u32::from('ㄅ') + at % 40).unwrap();
        let text: String = (0..20_000)
            .map(|at| {
                format!("The {}{}{} rose is red. ", name(at), name(at / 40), name(at / 1_600))
            })
            .collect();
        let speaker = "assistant".to_owned();
        let entry = Entry { number: 1, speaker, time: None, text };
        let slices = entry.text.len() / SLICE;
        let envelope = Envelope { entries: vec![entry], ..Envelope::default() };
        let mut extraction = Extraction::new(envelope.clone(), 100, false);
        let mut advanced = 0;
        let extract = loop {
            advanced += 1;
            if let Some(extract) = extraction.advance(&CharactersPer(4)) {
                break extract;
            }
        };
        // Both reading and ranking are divided.
        assert!(advanced > slices + slices / 2, "{advanced} for {slices} slices");
        assert_eq!(extract, super::super::extract(&envelope, 100, &CharactersPer(4)));
    }
}
