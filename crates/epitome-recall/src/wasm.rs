//! The index for JavaScript. Only numbers cross the boundary: texts are in the scratch buffer, and an index is a number.
//! `npm/src/recall/archive.ts` is the JavaScript side.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use epitome::message::{Entry, UnixTime};
use epitome::tokens::Tokenizer as _;
use epitome::transcript::recalled;
use epitome_buffer as buffer;
pub use epitome_buffer::resize_buffer;
use epitome_tokens::Heuristic;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::{Index, Passage, Place, Search};

/// How often passages are chosen, each time with a better guess of what their heads cost.
const ATTEMPTS: u32 = 4;

/// An index and the search in it that is in progress.
#[derive(Default)]
struct Archive {
    index: Index,
    /// The message that is added, and where the next part of it begins.
    adding: Option<(Entry, usize)>,
    /// For each message, whether the model does not get it as it is.
    departed: Vec<bool>,
    /// What the view has in place of messages.
    known: String,
    search: Option<Search>,
    texts: BTreeMap<usize, String>,
    rendered: String,
}

impl Archive {
    /// Adds the next part of the message that is added. True if nothing of it is left.
    fn add_part(&mut self) -> bool {
        let Some((entry, offset)) = &mut self.adding else { return true };
        *offset = self.index.append_from(entry, *offset);
        let is_whole = *offset >= entry.text.len();
        if is_whole {
            self.adding = None;
        }
        is_whole
    }
}

thread_local! {
    static ARCHIVES: RefCell<Vec<Option<Archive>>> = const { RefCell::new(Vec::new()) };
}

fn with<T: Default>(archive: usize, call: impl FnOnce(&mut Archive) -> T) -> T {
    ARCHIVES.with_borrow_mut(|archives| {
        archives.get_mut(archive).and_then(Option::as_mut).map(call).unwrap_or_default()
    })
}

fn text(bytes: usize) -> String {
    buffer::look(bytes, |bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// Makes an empty index and returns its number.
#[wasm_bindgen]
pub fn create() -> usize {
    ARCHIVES.with_borrow_mut(|archives| {
        let free = archives.iter().position(Option::is_none);
        let place = free.unwrap_or(archives.len());
        archives.resize_with(archives.len().max(place + 1), || None);
        if let Some(slot) = archives.get_mut(place) {
            *slot = Some(Archive::default());
        }
        place
    })
}

/// Frees an index.
#[wasm_bindgen]
pub fn forget(archive: usize) {
    ARCHIVES.with_borrow_mut(|archives| {
        if let Some(slot) = archives.get_mut(archive) {
            *slot = None;
        }
    });
}

/// Adds the first part of the message in the buffer, which begins with its speaker. A time below 0 is none. True if that was all
/// of it; otherwise [`append_next`] adds the rest.
#[wasm_bindgen]
pub fn append(archive: usize, bytes: usize, speaker_bytes: usize, time: f64) -> bool {
    let mut speaker = text(bytes);
    let rest = speaker.is_char_boundary(speaker_bytes).then(|| speaker.split_off(speaker_bytes));
    let text = rest.unwrap_or_default();
    let time = (time >= 0.0).then_some(UnixTime(time as u64));
    let entry = Entry { number: 1, speaker, time, text };
    with(archive, |archive| {
        archive.adding = Some((entry, 0));
        archive.add_part()
    })
}

/// Adds the next part of the message that was added last. True if that was the last one.
#[wasm_bindgen(js_name = appendNext)]
pub fn append_next(archive: usize) -> bool {
    with(archive, Archive::add_part)
}

/// Removes all messages from this position on.
#[wasm_bindgen]
pub fn truncate(archive: usize, messages: usize) {
    with(archive, |archive| {
        if archive.index.messages() > messages {
            archive.adding = None;
        }
        archive.index.truncate(messages);
    });
}

/// How many messages the index has.
#[wasm_bindgen]
pub fn messages(archive: usize) -> usize {
    with(archive, |archive| archive.index.messages())
}

/// Says which messages are searched: the buffer has a byte for each, 1 for one that the model does not get as it is.
#[wasm_bindgen]
pub fn depart(archive: usize, bytes: usize) {
    with(archive, |archive| {
        archive.departed =
            buffer::look(bytes, |flags| flags.iter().map(|flag| *flag == 1).collect());
    });
}

/// Says what the view has in place of messages: the text in the buffer.
#[wasm_bindgen]
pub fn know(archive: usize, bytes: usize) {
    with(archive, |archive| archive.known = text(bytes));
}

/// Puts those words of the text in the buffer into it that have left the view, and returns their bytes. Messages from
/// `from` on do not count as in the view: the text is from there.
#[wasm_bindgen]
pub fn returning(archive: usize, bytes: usize, from: usize) -> usize {
    let text = text(bytes);
    let words = with(archive, |archive| {
        let departed = &archive.departed;
        let place = |at: usize| match departed.get(at) {
            _ if at >= from => Place::Source,
            Some(true) => Place::Departed,
            _ => Place::InView,
        };
        archive.index.returning(&text, &archive.known, place)
    });
    buffer::put(words)
}

/// Begins a search for the text in the buffer. Puts the positions of the messages whose texts [`widen`] needs into it, as
/// numbers with spaces between them, and returns their bytes.
#[wasm_bindgen]
pub fn search(archive: usize, bytes: usize) -> usize {
    let question = text(bytes);
    let wanted = with(archive, |archive| {
        let Archive { index, departed, .. } = archive;
        let search = index.search(&question, |at| departed.get(at) == Some(&true));
        let wanted = search.wanted_to_widen(index);
        archive.search = Some(search);
        wanted
    });
    numbers(&wanted)
}

/// Says that the search is for a part of the turn in the buffer, by which what holds for all turns is found.
#[wasm_bindgen(js_name = setTurn)]
pub fn set_turn(archive: usize, bytes: usize) {
    let turn = text(bytes);
    with(archive, |archive| archive.search.iter_mut().for_each(|search| search.set_turn(&turn)));
}

/// Takes the text of a message that is wanted.
#[wasm_bindgen]
pub fn give(archive: usize, message: usize, bytes: usize) {
    with(archive, |archive| archive.texts.insert(message, text(bytes)));
}

/// Widens the search. Puts the positions of the messages whose texts [`choose`] needs into the buffer, as [`search`] does.
#[wasm_bindgen]
pub fn widen(archive: usize, tokens: u32) -> usize {
    let wanted = with(archive, |archive| {
        let Archive { index, texts, search, .. } = archive;
        let Some(search) = search else { return Vec::new() };
        search.widen(index, |at| texts.get(&at).cloned().unwrap_or_default());
        search.wanted(index, tokens)
    });
    numbers(&wanted)
}

/// The best messages of the search, at most `most`: puts the position and the score of each into the buffer, as [`search`]
/// does.
#[wasm_bindgen]
pub fn candidates(archive: usize, most: usize) -> usize {
    let found = with(archive, |archive| {
        let Archive { index, search, texts, .. } = archive;
        texts.clear();
        let best = search.take().map(|search| search.best(index, most)).unwrap_or_default();
        best.iter().map(|(message, score)| format!("{message} {score}")).collect::<Vec<_>>()
    });
    buffer::put(found.join(" "))
}

/// Quotes only the messages in the buffer, which has the position and the score of each, with spaces between them. Puts the
/// positions of those whose texts [`choose`] needs into it, as [`search`] does.
#[wasm_bindgen]
pub fn prefer(archive: usize, bytes: usize, tokens: u32) -> usize {
    let list = text(bytes);
    let wanted = with(archive, |archive| {
        let Archive { index, search, .. } = archive;
        let Some(search) = search else { return Vec::new() };
        let mut numbers = list.split(' ');
        let mut scores = BTreeMap::new();
        while let (Some(at), Some(score)) = (numbers.next(), numbers.next()) {
            if let (Ok(at), Ok(score)) = (at.parse::<usize>(), score.parse::<f32>()) {
                scores.insert(at, score);
            }
        }
        search.prefer(index, &scores);
        search.wanted(index, tokens)
    });
    numbers(&wanted)
}

/// Puts the speaker of a message into the buffer, and returns its bytes.
#[wasm_bindgen]
pub fn speaker(archive: usize, message: usize) -> usize {
    buffer::put(with(archive, |archive| archive.index.speaker_of(message).to_owned()))
}

/// Ends the search. Puts the passages into the buffer, and returns their bytes: a line `passage` with a score for each, and
/// below it for each quote a line `quote` with its position and its length in UTF-16 units, and its text. [`rendered`] has at
/// most `tokens` tokens.
#[wasm_bindgen]
pub fn choose(archive: usize, tokens: u32) -> usize {
    let found = with(archive, |archive| {
        let Archive { index, texts, search, known, .. } = archive;
        let Some(search) = search.take() else { return String::new() };
        let text = |at: usize| texts.get(&at).cloned().unwrap_or_default();
        let mut budget = tokens;
        let mut passages = Vec::new();
        let mut rendered = String::new();
        for _ in 0..ATTEMPTS {
            passages = search.passages(index, text, budget, known, &Heuristic);
            rendered = render(index, &passages);
            let counted = Heuristic.count(&rendered);
            if counted <= tokens {
                break;
            }
            budget = budget.saturating_sub(counted - tokens).min(budget / 8 * 7);
            (passages, rendered) = Default::default();
        }
        archive.texts.clear();
        archive.rendered = rendered;
        listed(&passages)
    });
    buffer::put(found)
}

/// Puts the passages of the last search into the buffer as text for a model, and returns its bytes.
#[wasm_bindgen]
pub fn rendered(archive: usize) -> usize {
    buffer::put(with(archive, |archive| std::mem::take(&mut archive.rendered)))
}

/// The estimated tokens of the text in the buffer.
#[wasm_bindgen]
pub fn tokens(bytes: usize) -> u32 {
    Heuristic.count(&text(bytes))
}

/// Puts the index into the buffer as bytes to store, and returns how many they are.
#[wasm_bindgen]
pub fn store(archive: usize) -> usize {
    buffer::put_bytes(with(archive, |archive| archive.index.to_bytes()))
}

/// Takes a stored index from the buffer. False if it is none of this version; the index is empty then.
#[wasm_bindgen]
pub fn restore(archive: usize, bytes: usize) -> bool {
    let read = buffer::look(bytes, Index::from_bytes);
    let is_read = read.is_ok();
    with(archive, |archive| archive.index = read.unwrap_or_default());
    is_read
}

fn numbers(numbers: &[usize]) -> usize {
    buffer::put(numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(" "))
}

fn listed(passages: &[Passage]) -> String {
    let mut list = String::new();
    for passage in passages {
        // Writing to a `String` cannot fail.
        let _ = writeln!(list, "passage {}", passage.score);
        for quote in &passage.quotes {
            let units = quote.text.encode_utf16().count();
            let _ = writeln!(list, "quote {} {units}\n{}", quote.message, quote.text);
        }
    }
    list
}

/// In the order of the conversation, because later messages hold where they differ.
fn render(index: &Index, passages: &[Passage]) -> String {
    let quotes = passages.iter().flat_map(|passage| &passage.quotes);
    let mut entries: Vec<Entry> = quotes
        .map(|quote| Entry {
            number: quote.message as u32 + 1,
            speaker: index.speaker_of(quote.message).to_owned(),
            time: None,
            text: quote.text.clone(),
        })
        .collect();
    entries.sort_by_key(|entry| entry.number);
    recalled(&entries)
}
