//! Divides a transcript into chunks, one for each summarizer request.

use epitome_columns::{EntrySize, group_lengths};

use super::render_entry;
use crate::history::ACKNOWLEDGEMENT;
use crate::message::Entry;
use crate::message::{Role, UnixTime};
use crate::policy::SummarySettings;
use crate::tokens::{Meter, MeterTokens};
use epitome_text::excerpt::split;

/// Divides entries into chunks of at most `settings.chunk_characters`, and into at least `settings.chunks` if there are
/// that many groups of entries. Tool results are in the same chunk as the entry before them if both fit. An entry
/// longer than a chunk is split into several.
///
/// No chunk is empty. Linear.
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

/// The number of chunks that [`chunks`] makes of entries of these sizes; approximate if an entry is longer than a
/// chunk. Linear in the number of entries. For plans, which must not read all texts.
pub(crate) fn count(runs: &[&[EntrySize]], settings: &SummarySettings) -> usize {
    // The same rules as in `groups` and `pieces`, on sizes only. If they differ, a plan announces a wrong number of
    // requests.
    let limit = limit(settings);
    if settings.chunks > 1 {
        return pack(&group_lengths(runs, limit), settings).filter(|begins| *begins).count();
    }
    // Without a least number of chunks each is filled up to the limit, so the lengths need not be collected.
    epitome_columns::chunks(runs, limit)
}

/// The size of an entry.
pub(crate) fn size(entry: &Entry, is_result: bool) -> EntrySize {
    EntrySize::new(length(entry), is_result)
}

/// An upper bound of the characters of these entries as rendered. Linear in their texts.
pub(crate) fn characters(entries: &[Entry]) -> usize {
    entries.iter().map(length).fold(0, usize::saturating_add)
}

fn limit(settings: &SummarySettings) -> usize {
    let limit = settings.chunk_characters.and_then(|characters| usize::try_from(characters).ok());
    limit.unwrap_or(usize::MAX).max(1)
}

/// For each group, by its length: whether it begins a new chunk.
///
/// There are exactly `settings.chunks` chunks if there are that many groups, unless the limit demands more. They
/// begin at the borders that are nearest to an even division.
fn pack(lengths: &[usize], settings: &SummarySettings) -> impl Iterator<Item = bool> {
    let limit = limit(settings);
    let total: usize = lengths.iter().sum();
    let wanted = usize::try_from(settings.chunks).unwrap_or(1).clamp(1, lengths.len().max(1));
    let (mut begun, mut before, mut used) = (0, 0, 0);
    lengths.iter().enumerate().map(move |(index, length)| {
        // From here on every group needs a chunk of its own, or there would be too few.
        let is_needed = lengths.len() - index <= wanted.saturating_sub(begun);
        let is_nearest =
            (before + length / 2).saturating_mul(wanted) >= total.saturating_mul(begun);
        // The first group is nearest to the first border, and none is nearest to a border behind the last.
        let begins = used + length > limit || is_needed || is_nearest;
        begun += usize::from(begins);
        used = if begins { *length } else { used + length };
        before += length;
        begins
    })
}

/// Entries that are never put into different chunks.
struct Group {
    length: usize,
    entries: Vec<Entry>,
}

/// Entries with the tool results that follow them, and parts of entries that are too long.
fn groups(entries: Vec<Entry>, limit: usize) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for entry in entries {
        let length = length(&entry);
        // A request for an acknowledgement alone would be paid for nothing.
        let is_result = entry.speaker.split(' ').next() == Some(Role::Tool.as_str())
            || entry.text == ACKNOWLEDGEMENT;
        match groups.last_mut() {
            Some(group) if is_result && group.length + length <= limit => {
                group.length += length;
                group.entries.push(entry);
            }
            _ if length <= limit => groups.push(Group { length, entries: vec![entry] }),
            _ => groups.extend(
                // Half of the limit leaves enough for the head and the escapes of each part.
                parts_of(entry, (limit / 2).max(1))
                    .into_iter()
                    .map(|piece| Group { length: self::length(&piece), entries: vec![piece] }),
            ),
        }
    }
    groups
}

/// As [`chunks`], and each chunk as rendered has at most `budget` tokens: the limit in characters is halved until all
/// fit. `None` if not even the smallest do. Counts the whole transcript once for each limit.
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
        // Without a limit, half of all texts is the first one to try.
        let limit = settings.chunk_characters;
        let all = || u32::try_from(characters(entries)).unwrap_or(u32::MAX);
        let limit = limit.unwrap_or_else(all);
        if limit <= SMALLEST {
            return None;
        }
        settings.chunk_characters = Some((limit / 2).max(SMALLEST));
    }
}

/// An upper bound of an entry's length as rendered, in characters: its head, its text, and every escape that the text
/// may need. Linear in the bytes of the text.
fn length(entry: &Entry) -> usize {
    let text = epitome_columns::rendered_characters(entry.text.as_bytes());
    length_of(&entry.speaker, entry.time, text)
}

/// The same for an entry with a text of at most so many characters as rendered.
pub(super) fn length_of(speaker: &str, time: Option<UnixTime>, text: usize) -> usize {
    const HEAD: usize = "[4294967295] :\n".len();
    const TIME: usize = ", 2026-03-01T10:00Z".len();
    HEAD + time.map_or(0, |_| TIME) + speaker.chars().count() + 1 + text
}

/// Where a piece at the beginning of a text ends so that it ends with a line, or else with a word: a name that is cut in two is
/// none any more. A piece without either in its second half ends where it is.
fn end_of_word(piece: &str, text: &str) -> usize {
    if piece.len() == text.len() {
        return piece.len();
    }
    let half = piece.get(piece.ceil_char_boundary(piece.len().div_ceil(2))..).unwrap_or_default();
    let up_to_line = half.bytes().rposition(|byte| byte == b'\n').map(|at| at + 1);
    let up_to_word = || {
        let end = half.trim_end_matches(|character: char| !character.is_whitespace()).len();
        (end > 0).then_some(end)
    };
    let end = up_to_line.or_else(up_to_word).unwrap_or(half.len());
    piece.len() - half.len() + end
}

/// An entry in parts of at most so many characters, each of which ends with a line if it can, or else with a word. Linear in its
/// text.
#[must_use]
pub fn parts_of(entry: Entry, characters: usize) -> Vec<Entry> {
    if entry.text.len() <= characters {
        return vec![entry];
    }
    let mut parts = Vec::new();
    let mut rest = entry.text.as_str();
    while !rest.is_empty() {
        let (part, _) = split(rest, characters);
        let (part, after) = rest.split_at_checked(end_of_word(part, rest)).unwrap_or((rest, ""));
        let Entry { number, speaker, time, text: _ } = &entry;
        let (number, speaker, time) = (*number, speaker.clone(), *time);
        parts.push(Entry { number, speaker, time, text: part.into() });
        rest = after;
    }
    parts
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
        let settings = SummarySettings {
            chunk_characters: Some(characters),
            chunks: count,
            ..Default::default()
        };
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
    fn d4_an_entry_is_split_behind_a_line_or_a_word() {
        let words = "The order KX7QP2 is late. ".repeat(40);
        let lines = "An order of KX7QP2\n".repeat(40);
        for (text, end) in [(&words, ' '), (&lines, '\n')] {
            let entry = Entry { text: text.clone(), ..entries(&[1]).remove(0) };
            let pieces = parts_of(entry, 150);
            assert!(pieces.len() > 4);
            assert!(pieces.iter().all(|piece| piece.text.ends_with(end)), "{pieces:?}");
            let all: String = pieces.into_iter().map(|piece| piece.text).collect();
            assert_eq!(all, *text);
        }
    }

    #[test]
    fn d4_an_entry_longer_than_a_chunk_is_split_too() {
        check(&[10, 900, 10], 500, 1, &[&[1, 2], &[2], &[2, 2, 3]]);
    }

    #[test]
    fn d5_tool_results_stay_with_the_call() {
        let mut entries = entries(&[100, 100, 100, 100, 100]);
        for answer in [2, 3] {
            entries[answer].speaker = "tool".into();
        }
        let settings = SummarySettings { chunks: 3, ..Default::default() };
        let numbers = |chunks: Vec<Vec<Entry>>| -> Vec<Vec<u32>> {
            chunks.iter().map(|chunk| chunk.iter().map(|entry| entry.number).collect()).collect()
        };
        assert_eq!(numbers(chunks(entries, &settings)), [vec![1], vec![2, 3, 4], vec![5]]);
        let mut pair = self::entries(&[200, 200]);
        pair[1].speaker = "tool".into();
        let limited = SummarySettings { chunk_characters: Some(1_000), ..settings };
        assert_eq!(numbers(chunks(pair, &limited)), [vec![1, 2]], "it fits beside its call");
    }

    #[test]
    fn d5_a_transcript_is_split_by_count() {
        check(&[100, 100, 100, 100], 10_000, 2, &[&[1, 2], &[3, 4]]);
        check(&[100, 100], 10_000, 5, &[&[1], &[2]]);
        check(&[110, 300, 100], 10_000, 2, &[&[1], &[2, 3]]);
        check(&[100, 300, 110], 10_000, 2, &[&[1, 2], &[3]]);
    }

    #[test]
    fn d5_as_many_chunks_are_made_as_were_asked_for() {
        let lists: [&[usize]; 6] = [
            &[100; 37],
            &[12; 8],
            &[900, 1, 1, 1, 1, 1, 1, 1, 1],
            &[1, 1, 1, 1, 1, 1, 1, 1, 900],
            &[500, 20, 20, 500, 20, 20, 500, 20, 20],
            &[3, 700, 3, 700, 3, 700, 3, 700],
        ];
        for lengths in lists {
            for wanted in 2..=8 {
                let settings = SummarySettings { chunks: wanted, ..SummarySettings::default() };
                let made = chunks(entries(lengths), &settings);
                assert_eq!(made.len(), wanted as usize, "{lengths:?}");
                assert_eq!(made.concat().len(), lengths.len(), "{lengths:?}");
                assert!(made.iter().all(|chunk| !chunk.is_empty()), "{lengths:?}");
                let sizes: Vec<EntrySize> =
                    entries(lengths).iter().map(|entry| size(entry, false)).collect();
                assert_eq!(count(&[&sizes], &settings), made.len(), "{lengths:?} in a plan");
            }
        }
        let few = SummarySettings { chunks: 8, ..SummarySettings::default() };
        assert_eq!(chunks(entries(&[9, 9, 9]), &few).len(), 3);
    }

    #[test]
    fn d4_chunks_fit_the_summarizers_window_in_tokens() {
        let settings = SummarySettings::default();
        let meter = Meter::new(Box::new(CharactersPer(1)));
        let within = |budget| {
            let budget = MeterTokens::new(budget);
            chunks_within(&entries(&[900, 900, 900]), &settings, budget, &meter)
        };
        assert_eq!(within(10_000).unwrap().len(), 1);
        let many = within(1_000).unwrap();
        assert_eq!(many.len(), 3, "the limit is halved once");
        let characters: usize = many.iter().flatten().map(|entry| entry.text.len()).sum();
        assert_eq!(characters, 2_700);
        assert_eq!(within(20), None);
    }

    #[test]
    fn d4_a_chunk_is_filled_up_to_its_limit() {
        let two = u32::try_from(characters(&entries(&[300, 300]))).unwrap();
        check(&[300, 300, 300], two, 1, &[&[1, 2], &[3]]);
        check(&[300, 300, 300], two - 1, 1, &[&[1], &[2], &[3]]);
        check(&[600], two, 1, &[&[1]]);
    }

    #[test]
    fn the_longest_head_of_an_entry_is_counted_in_full() {
        for time in [None, Some(crate::message::UnixTime(1_772_359_200_000))] {
            let speaker = "assistant eve".into();
            let entry = Entry { number: u32::MAX, speaker, time, text: "roses".into() };
            let mut text = String::new();
            render_entry(&mut text, &entry);
            text.push('\n');
            assert_eq!(characters(&[entry]), text.chars().count(), "{text}");
        }
    }
}
