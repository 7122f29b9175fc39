//! The tokens of a byte-pair encoding: which there are, and which merges make them.
//!
//! A token has a *rank*, the order in which it was learned and its number in the encoding, and a *place*:
//! the single bytes come first, by value, and then all longer tokens in the order of their bytes.

use std::sync::{Mutex, OnceLock};

use super::characters::Characters;
use super::cover::Cover;
use super::halves::Halves;
use super::merges::Merges;
use super::merging::Merging;
use super::prefix::Prefixes;
use super::recall::Recall;
use super::tokens::Tokens;
use super::words::Words;

/// Tokens that are a single byte.
pub(super) const BYTES: usize = 256;
/// Longest token that a vocabulary may have; the longest in use has 128 bytes.
pub(super) const LONGEST: usize = 1 << 10;
/// A vocabulary has fewer tokens.
pub(super) const MOST: usize = 1 << 20;
/// Tokens after which whoever builds a vocabulary may rest: well below a millisecond's work.
pub(super) const STRETCH: usize = 1 << 12;
/// Longer pieces are seldom one token, and those that are come out as one all the same.
const LONGEST_WORD: usize = 24;

/// Up to so many bytes, merging is quicker than looking for tokens.
const SHORT_PIECE: usize = 64;

/// A vocabulary that can be counted with: by merging at first, and some times as fast once it has an index.
/// For 200,000 tokens 4 MB, and 11 MB with the index.
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
    prefixes: Prefixes,
    words: Words,
    characters: Characters,
}

/// Room to work in, kept from piece to piece.
#[derive(Debug, Default)]
pub(super) struct Room {
    cover: Cover,
    merging: Merging,
    recall: Recall,
    ranks: Vec<u32>,
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
        let tokens = Tokens::spell(&self.singles, self.merges.halves(), rest).await?;
        let prefixes = Prefixes::new(tokens, &self.singles, rest).await?;
        let words = Words::new(prefixes.tokens(), rest).await;
        let tokens = prefixes.tokens();
        let characters = Characters::new(&self.singles, &self.merges, tokens, rest).await;
        // Where another one was built meanwhile, that is the same.
        let _ = self.index.set(Index { prefixes, words, characters });
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
        move |start, end| match index {
            Some(index) if index.is_word(text, start, end) => 1,
            _ => self.count(room, index, text.get(start..end).unwrap_or_default()),
        }
    }

    #[inline(never)]
    fn count(&self, room: &mut Room, index: Option<&Index>, piece: &[u8]) -> usize {
        room.recall.get(piece).unwrap_or_else(|| {
            let mut tokens = 0;
            match index {
                Some(index) => {
                    index
                        .characters
                        .split(piece, |part| tokens += self.count_part(room, index, part, piece));
                }
                None => tokens = room.merging.ranks(&self.singles, &self.merges, piece).len(),
            }
            room.recall.keep(piece, tokens);
            tokens
        })
    }

    /// The tokens of a part of a piece that no token reaches out of.
    fn count_part(&self, room: &mut Room, index: &Index, part: &[u8], piece: &[u8]) -> usize {
        if part.len() == piece.len() {
            return self.merge(room, index, part);
        }
        if index.is_word(part, 0, part.len()) {
            return 1;
        }
        room.recall.get(part).unwrap_or_else(|| {
            let tokens = self.merge(room, index, part);
            room.recall.keep(part, tokens);
            tokens
        })
    }

    fn merge(&self, room: &mut Room, index: &Index, part: &[u8]) -> usize {
        let Room { merging, cover, .. } = room;
        let few = (part.len() <= SHORT_PIECE)
            .then(|| merging.count_few(&self.singles, &self.merges, &index.characters, part));
        few.flatten().unwrap_or_else(|| cover.of(&index.prefixes, &self.merges, part).len())
    }

    /// The ranks of the tokens of a piece, in order.
    pub(super) fn ranks<'a>(&self, room: &'a mut Room, piece: &[u8]) -> &'a [u32] {
        let Room { cover, merging, ranks, .. } = room;
        match self.index.get() {
            Some(Index { prefixes, .. }) => {
                let places = cover.of(prefixes, &self.merges, piece);
                ranks.clear();
                ranks.extend(places.iter().map(|&place| prefixes.rank(place)));
                ranks
            }
            None => merging.ranks(&self.singles, &self.merges, piece),
        }
    }
}

impl Index {
    /// Whether the piece of `text` from `start` to `end` is one token at first sight.
    #[inline(always)]
    fn is_word(&self, text: &[u8], start: usize, end: usize) -> bool {
        end - start <= LONGEST_WORD && self.words.contains(self.prefixes.tokens(), text, start, end)
    }
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
        index.words.contains(index.prefixes.tokens(), piece, 0, piece.len())
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
