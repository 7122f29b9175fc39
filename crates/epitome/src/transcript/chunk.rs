//! A transcript in pieces that a summarizer can take in one at a time.

use super::render_entry;
use crate::message::Entry;
use crate::message::Role;
use crate::policy::SummarySettings;
use crate::text::excerpt::split;
use crate::tokens::{Meter, MeterTokens};

/// Splits entries into chunks of at most `settings.chunk_characters`, and into at least
/// `settings.chunks` where there are that many entries. What tools answer stays with the entry before it,
/// where both fit a chunk; an entry longer than a chunk is itself split.
///
/// Every entry is in exactly one chunk, or in several that follow each other; none is empty. Linear.
pub(crate) fn chunks(entries: Vec<Entry>, settings: &SummarySettings) -> Vec<Vec<Entry>> {
    let groups = groups(entries, limit(settings));
    let lengths: Vec<usize> = groups.iter().map(|group| group.length).collect();
    let mut chunks: Vec<Vec<Entry>> = Vec::new();
    for (Group { entries, .. }, begins) in groups.into_iter().zip(pack(&lengths, settings)) {
        match chunks.last_mut() {
            Some(chunk) if !begins => chunk.extend(entries),
            _ => chunks.push(entries),
        }
    }
    chunks
}

/// How many chunks [`chunks`] makes of entries of these sizes; where one is longer than a chunk, about so
/// many. Linear in the number of entries.
pub(crate) fn count(entries: impl Iterator<Item = EntrySize>, settings: &SummarySettings) -> usize {
    let limit = limit(settings);
    if settings.chunks > 1 {
        let mut lengths: Vec<usize> = Vec::new();
        each_group(entries, limit, |length| lengths.push(length));
        return pack(&lengths, settings).filter(|begins| *begins).count();
    }
    // Any number of chunks will do, and each takes all that it may.
    let (mut count, mut room) = (0, 0);
    each_group(entries, limit, |length| {
        if length > room {
            count += 1;
            room = limit;
        }
        room = room.saturating_sub(length);
    });
    count
}

/// Tells the length of each group of these entries, in order: at least 1 each.
fn each_group(entries: impl Iterator<Item = EntrySize>, limit: usize, mut tell: impl FnMut(usize)) {
    let mut group = 0;
    let mut tell = |length: usize| {
        if length > 0 {
            tell(length);
        }
    };
    entries.for_each(|EntrySize { characters, is_result }| {
        let mut length = usize::try_from(characters).unwrap_or(usize::MAX);
        if joins(group, length, is_result, limit) {
            group += length;
            return;
        }
        tell(group);
        while length > limit {
            let piece = (limit / 2).max(1);
            tell(piece);
            length -= piece;
        }
        group = length;
    });
    tell(group);
}

/// An entry, by its size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntrySize {
    /// Its [`length`].
    pub(crate) characters: u32,
    /// It is what a tool answers.
    pub(crate) is_result: bool,
}

fn limit(settings: &SummarySettings) -> usize {
    usize::try_from(settings.chunk_characters).unwrap_or(usize::MAX).max(1)
}

/// For each group, by its length: whether a chunk begins with it.
fn pack(lengths: &[usize], settings: &SummarySettings) -> impl Iterator<Item = bool> {
    let limit = limit(settings);
    let total: usize = lengths.iter().sum();
    let wanted = usize::try_from(settings.chunks).unwrap_or(1).clamp(1, lengths.len().max(1));
    let even = limit.min(total.div_ceil(wanted.max(1)).max(1));
    lengths.iter().scan(usize::MAX, move |used, length| {
        // A group goes where more than half of it fits the even share, and all of it fits the limit.
        let fits = used.saturating_add(length / 2) <= even && used.saturating_add(*length) <= limit;
        *used = if fits { used.saturating_add(*length) } else { *length };
        Some(!fits)
    })
}

/// True where an entry goes into the group before it.
fn joins(group: usize, length: usize, is_result: bool, limit: usize) -> bool {
    is_result && group + length <= limit
}

/// Entries that go into one chunk.
struct Group {
    length: usize,
    entries: Vec<Entry>,
}

/// Entries with the answers of tools behind them, and pieces of those that are too long.
fn groups(entries: Vec<Entry>, limit: usize) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for entry in entries {
        let length = length(&entry);
        let is_result = entry.speaker.split(' ').next() == Some(Role::Tool.as_str());
        match groups.last_mut() {
            Some(group) if joins(group.length, length, is_result, limit) => {
                group.length += length;
                group.entries.push(entry);
            }
            _ => groups.extend(pieces(entry, limit).into_iter().map(|entry| {
                let length = self::length(&entry);
                Group { length, entries: vec![entry] }
            })),
        }
    }
    groups
}

/// The same in chunks of at most `budget` tokens each as rendered: with a smaller limit of characters,
/// halved until all fit. `None` where not even the smallest do. Counts the transcript a few times.
pub(crate) fn chunks_within(
    entries: &[Entry],
    settings: &SummarySettings,
    budget: MeterTokens,
    meter: &Meter,
) -> Option<Vec<Vec<Entry>>> {
    const SMALLEST: u32 = 250;
    let fits = |chunk: &Vec<Entry>| {
        let mut text = String::new();
        chunk.iter().for_each(|entry| render_entry(&mut text, entry));
        meter.count(&text) <= budget
    };
    let mut settings = settings.clone();
    loop {
        let chunks = chunks(entries.to_vec(), &settings);
        if chunks.iter().all(fits) {
            return Some(chunks);
        }
        if settings.chunk_characters <= SMALLEST {
            return None;
        }
        settings.chunk_characters = (settings.chunk_characters / 2).max(SMALLEST);
    }
}

/// At least the characters of an entry as rendered: a head, the text, and room for every escape that
/// might be needed.
pub(crate) fn length(entry: &Entry) -> usize {
    const HEAD: usize = "[4294967295] :\n".len();
    const TIME: usize = ", 2026-03-01T10:00Z".len();
    let continues = |byte: u8| byte & 0b1100_0000 == 0b1000_0000;
    let text = entry.text.bytes().fold(1, |sum, byte| match byte {
        b'\n' => sum + "\n\\".len(),
        b'<' => sum + "&lt;".len(),
        _ => sum + usize::from(!continues(byte)),
    });
    let time = if entry.time.is_some() { TIME } else { 0 };
    HEAD + time + entry.speaker.chars().count() + text
}

fn pieces(entry: Entry, limit: usize) -> Vec<Entry> {
    // The head of an entry and escapes take room too: half the limit is always enough for the rest.
    if length(&entry) <= limit {
        return vec![entry];
    }
    let mut pieces = Vec::new();
    let mut rest = entry.text.as_str();
    while !rest.is_empty() {
        let (piece, after) = split(rest, (limit / 2).max(1));
        let Entry { number, speaker, time, text: _ } = &entry;
        let (number, speaker, time) = (*number, speaker.clone(), *time);
        pieces.push(Entry { number, speaker, time, text: piece.into() });
        rest = after;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::CharactersPer;

    fn entries(lengths: &[usize]) -> Vec<Entry> {
        (1..)
            .zip(lengths)
            .map(|(number, length)| Entry {
                number,
                speaker: "u".into(),
                time: None,
                text: "x".repeat(*length),
            })
            .collect()
    }

    fn check(lengths: &[usize], characters: u32, count: u32, expected: &[&[u32]]) {
        let settings =
            SummarySettings { chunk_characters: characters, chunks: count, ..Default::default() };
        let chunks = chunks(entries(lengths), &settings);
        let numbers: Vec<Vec<u32>> =
            chunks.iter().map(|chunk| chunk.iter().map(|entry| entry.number).collect()).collect();
        assert_eq!(numbers, expected, "{lengths:?} by {characters} into {count}");
        for chunk in &chunks {
            let mut text = String::new();
            chunk.iter().for_each(|entry| render_entry(&mut text, entry));
            let total = text.chars().count();
            assert!(total <= characters as usize, "{total} > {characters}");
        }
    }

    #[test]
    fn d4_a_transcript_is_split_by_size() {
        check(&[10, 10, 10], 1_000, 1, &[&[1, 2, 3]]);
        check(&[300, 300, 300], 700, 1, &[&[1, 2], &[3]]);
        check(&[], 700, 1, &[]);
    }

    #[test]
    fn d4_an_entry_longer_than_a_chunk_is_split_too() {
        check(&[10, 900, 10], 500, 1, &[&[1, 2], &[2], &[2, 2, 3]]);
    }

    #[test]
    fn d5_what_tools_answer_stays_with_the_call() {
        let mut entries = entries(&[100, 100, 100, 100, 100]);
        for answer in [2, 3] {
            entries[answer].speaker = "tool".into();
        }
        let settings = SummarySettings { chunks: 3, ..Default::default() };
        let numbers = |chunks: Vec<Vec<Entry>>| -> Vec<Vec<u32>> {
            chunks.iter().map(|chunk| chunk.iter().map(|entry| entry.number).collect()).collect()
        };
        assert_eq!(numbers(chunks(entries, &settings)), [vec![1], vec![2, 3, 4], vec![5]]);
    }

    #[test]
    fn d5_a_transcript_is_split_by_count() {
        check(&[100, 100, 100, 100], 10_000, 2, &[&[1, 2], &[3, 4]]);
        check(&[100, 100], 10_000, 5, &[&[1], &[2]]);
    }

    #[test]
    fn d4_chunks_fit_the_summarizers_own_window_in_tokens() {
        let settings = SummarySettings::default();
        let meter = Meter::new(Box::new(CharactersPer(1)));
        let within = |budget| {
            let budget = MeterTokens::new(budget);
            chunks_within(&entries(&[900, 900, 900]), &settings, budget, &meter)
        };
        assert_eq!(within(10_000).unwrap().len(), 1);
        let many = within(1_000).unwrap();
        assert!(many.len() > 2, "{}", many.len());
        let said: usize = many.iter().flatten().map(|entry| entry.text.len()).sum();
        assert_eq!(said, 2_700);
        assert_eq!(within(20), None);
    }
}
