//! The tokens of a byte-pair encoding: which there are, and which merges make them.
//!
//! A token has a *rank*, the order in which it was learned and its number in the encoding. It is counted by that as
//! soon as the vocabulary is read, and by its *seat* once there is an index (`seats.rs`).

use std::ops::Range;
use std::sync::{Mutex, OnceLock};

use super::characters::Characters;
use super::few::Few;
use super::halves::Halves;
use super::merges::Merges;
use super::merging::Merging;
use super::pairs::Pairs;
use super::recall::Recall;
use super::seats::seats;
use super::tokens::Tokens;
use super::words::{Words, hash};

/// Tokens that are a single byte.
pub(super) const BYTES: usize = 256;
/// Longest token that a vocabulary may have; the longest in use has 128 bytes.
pub(super) const LONGEST: usize = 1 << 10;
/// A vocabulary has fewer tokens.
pub(super) const MOST: usize = 1 << RANK_BITS;
/// Bits of a rank, or of a seat.
pub(super) const RANK_BITS: u32 = 20;
/// The bits of a rank in a number that has others above them.
pub(super) const RANK: u32 = (1 << RANK_BITS) - 1;
/// Tokens after which whoever builds a vocabulary may rest: well below a millisecond's work.
pub(super) const STRETCH: usize = 1 << 12;
/// Longer pieces are seldom one token, and those that are come out as one all the same.
const LONGEST_WORD: usize = 24;

/// A vocabulary that can be counted with: by merging at first, and some times as fast once it has an index.
/// For 200,000 tokens 2 MB, and 10 MB with the index.
#[derive(Clone, Debug)]
pub(super) struct Vocabulary {
    /// The rank of each byte.
    singles: [u32; BYTES],
    pub(super) merges: Merges,
    index: OnceLock<Index>,
}

/// What finds tokens by their bytes.
#[derive(Clone, Debug)]
struct Index {
    tokens: Tokens,
    words: Words,
    characters: Characters,
    /// Nothing where merges do not come in the order of ranks.
    pairs: Option<Pairs>,
}

/// Room to work in, kept from piece to piece.
#[derive(Debug, Default)]
pub(super) struct Room {
    few: Few,
    merging: Merging,
    recall: Recall,
}

/// Room that is kept from text to text, by whoever can be asked from several threads at once: who comes while
/// it is in use gets room of its own.
#[derive(Debug, Default)]
pub(super) struct SharedRoom(Mutex<Room>);

impl SharedRoom {
    /// Does something with the room.
    #[inline]
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Room) -> T) -> T {
        match self.0.try_lock() {
            Ok(mut room) => work(&mut room),
            Err(_) => work(&mut Room::default()),
        }
    }
}

impl Clone for SharedRoom {
    /// Room of its own.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Vocabulary {
    /// The vocabulary whose first 256 ranks are `bytes`, and whose later tokens are made of two earlier
    /// ranks each; the halves of the first are these themselves. Fails with the rank of a byte that is there
    /// twice, or of a token that is not made of earlier ones. Takes a few milliseconds for 200,000 tokens.
    pub(super) fn new(bytes: &[u8; BYTES], halves: Halves) -> Result<Self, u32> {
        if halves.len() >= MOST {
            return Err(MOST as u32);
        }
        let mut singles = [u32::MAX; BYTES];
        for (rank, byte) in (0_u32..).zip(bytes) {
            match singles.get_mut(usize::from(*byte)) {
                Some(slot) if *slot == u32::MAX => *slot = rank,
                _ => return Err(rank),
            }
        }
        Ok(Self { singles, merges: Merges::new(halves)?, index: OnceLock::new() })
    }

    /// Builds what makes counting faster, once. Waits for `rest` after every stretch of work. Fails with the
    /// rank of a token that is too long or there twice.
    pub(super) async fn build_index(&self, rest: &mut impl AsyncFnMut()) -> Result<(), u32> {
        let (singles, merges) = (&self.singles, &self.merges);
        let tokens = Tokens::spell(singles, merges.halves(), rest).await?;
        let mut characters = Characters::new(singles, merges, &tokens, rest).await;
        let seats = seats(&tokens, rest).await;
        characters.sit(&seats);
        let pairs = match merges.are_in_order_of_ranks() {
            true => Pairs::new(merges.halves(), seats, rest).await,
            false => None,
        };
        let words = Words::new(&tokens, rest).await?;
        // Where another one was built meanwhile, that is the same.
        let _ = self.index.set(Index { tokens, words, characters, pairs });
        Ok(())
    }

    /// What counts the pieces of `text`, by where they start and end.
    #[inline(always)]
    pub(super) fn counter<'a>(
        &'a self,
        room: &'a mut Room,
        text: &'a str,
    ) -> impl FnMut(usize, usize) -> usize {
        let (text, index) = (text.as_bytes(), self.index.get());
        move |start, end| match index.and_then(|index| index.words.contains(text, start, end)) {
            Some(true) => 1,
            told => self.count(room, index, text.get(start..end).unwrap_or_default(), told),
        }
    }

    /// The tokens of a piece that is more than one of them, or of which that was not `told`.
    #[inline(never)]
    fn count(
        &self,
        room: &mut Room,
        index: Option<&Index>,
        piece: &[u8],
        told: Option<bool>,
    ) -> usize {
        let Some(index) = index else {
            return recalled(room, piece, hash(piece), |room| self.ranks(room, piece).len());
        };
        index.known(room, piece, told, |room| {
            let mut tokens = 0;
            index.characters.split(piece, |part| {
                tokens += match part.len() == piece.len() {
                    true => self.merge(room, index, part),
                    false => self.count_part(room, index, part),
                };
            });
            tokens
        })
    }

    /// The tokens of a part of a piece that no token reaches out of.
    fn count_part(&self, room: &mut Room, index: &Index, part: &[u8]) -> usize {
        match index.words.contains(part, 0, part.len()) {
            Some(true) => 1,
            told => index.known(room, part, told, |room| self.merge(room, index, part)),
        }
    }

    fn merge(&self, room: &mut Room, index: &Index, part: &[u8]) -> usize {
        let pairs = index.pairs.as_ref();
        let few = pairs.and_then(|pairs| room.few.count(pairs, &index.characters, part));
        few.unwrap_or_else(|| self.ranks(room, part).len())
    }

    /// The ranks of the tokens of a piece, in order.
    pub(super) fn ranks<'a>(&self, room: &'a mut Room, piece: &[u8]) -> &'a [u32] {
        room.merging.ranks(&self.singles, &self.merges, piece)
    }
}

/// Does `work` on all of `range`, a stretch of it at a time, and waits for `rest` after each.
///
/// The work is a function of its own that is called again and again: an engine compiles it well soon, and what waits
/// takes a module room once.
pub(super) async fn in_stretches(
    range: Range<usize>,
    rest: &mut impl AsyncFnMut(),
    work: &mut dyn FnMut(Range<usize>),
) {
    for first in range.clone().step_by(STRETCH) {
        work(first..range.end.min(first + STRETCH));
        rest().await;
    }
}

impl Index {
    /// The tokens of a piece, as far as it was `told` that it is none: one, or what it had the last time; else they
    /// are counted.
    #[inline(always)]
    fn known(
        &self,
        room: &mut Room,
        piece: &[u8],
        told: Option<bool>,
        count: impl FnOnce(&mut Room) -> usize,
    ) -> usize {
        let hash = hash(piece);
        let is_word = || self.words.contains_hash(&self.tokens, piece, hash);
        if told.is_none() && piece.len() <= LONGEST_WORD && is_word() {
            return 1;
        }
        recalled(room, piece, hash, count)
    }
}

/// The tokens that a piece had the last time, or else what they are counted to be.
#[inline(always)]
fn recalled(
    room: &mut Room,
    piece: &[u8],
    hash: u64,
    count: impl FnOnce(&mut Room) -> usize,
) -> usize {
    room.recall.get(piece, hash).unwrap_or_else(|| {
        let tokens = count(room);
        room.recall.keep(piece, hash, tokens);
        tokens
    })
}

#[cfg(test)]
impl Vocabulary {
    /// The vocabulary of these pairs, with its index.
    pub(super) fn of(bytes: &[u8; BYTES], pairs: &[(u32, u32)]) -> Result<Self, u32> {
        let halves = (0..BYTES as u32).map(|rank| (rank, rank)).chain(pairs.iter().copied());
        let vocabulary = Self::new(bytes, halves.collect())?;
        super::at_once(vocabulary.build_index(&mut async || {}))?;
        Ok(vocabulary)
    }

    /// The same without an index.
    pub(super) fn without_index(&self) -> Self {
        Self { index: OnceLock::new(), ..self.clone() }
    }

    /// How many tokens a piece has.
    pub(super) fn count_piece(&self, room: &mut Room, piece: &str) -> usize {
        self.counter(room, piece)(0, piece.len())
    }

    /// Whether a piece is a token at first sight.
    pub(super) fn knows(&self, piece: &[u8]) -> bool {
        let index = self.index.get().unwrap();
        let told = index.words.contains(piece, 0, piece.len());
        told.unwrap_or_else(|| index.words.contains_hash(&index.tokens, piece, hash(piece)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pairs: &[(u32, u32)], expected: Result<(), u32>) {
        let bytes: [u8; BYTES] = std::array::from_fn(|rank| rank as u8);
        assert_eq!(Vocabulary::of(&bytes, pairs).map(|_| ()), expected, "{pairs:?}");
    }

    #[test]
    fn a_token_is_made_of_earlier_ones() {
        check(&[], Ok(()));
        check(&[(97, 98), (256, 256)], Ok(()));
        check(&[(97, 256)], Err(256));
        check(&[(97, 98), (300, 98)], Err(257));
    }

    #[test]
    fn a_token_that_is_there_already_is_refused() {
        check(&[(97, 98), (98, 99), (256, 99), (97, 257)], Err(259));
        // Ten letters, of eight and two, and of two and eight.
        check(&[(97, 97), (256, 256), (257, 257), (258, 256), (256, 258)], Err(260));
        let twice = [7; BYTES];
        assert_eq!(Vocabulary::of(&twice, &[]).map(|_| ()), Err(1));
    }

    #[test]
    fn tokens_that_double_all_the_time_are_refused_before_they_fill_the_memory() {
        let doubling: Vec<(u32, u32)> =
            std::iter::once((97, 97)).chain((256..400).map(|rank| (rank, rank))).collect();
        check(&doubling, Err(266));
    }
}
