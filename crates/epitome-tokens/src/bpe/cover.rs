//! The tokens of one piece, found from left to right instead of by merging.
//!
//! At every position the longest token is tried that may follow the one before it, then shorter ones; where
//! none will do, the token before was wrong. Merging has one outcome, which is the only row of tokens whose
//! neighbours can all meet. So a position is reached in one way at most, and a position that led nowhere
//! never has to be tried again: the time is linear in the piece.

use super::merges::Merges;
use super::prefix::Prefixes;
use super::vocabulary::BYTES;

/// Room to work in, kept from piece to piece.
#[derive(Debug, Default)]
pub(super) struct Cover {
    /// The places of the tokens so far.
    tokens: Vec<u32>,
    /// One bit a position: set where it led nowhere.
    dead: Vec<u64>,
}

impl Cover {
    /// The places of the tokens of `piece`, from the first to the last.
    pub(super) fn of(&mut self, prefixes: &Prefixes, merges: &Merges, piece: &[u8]) -> &[u32] {
        self.tokens.clear();
        self.dead.clear();
        self.dead.resize(piece.len() / 64 + 1, 0);
        let mut at = 0;
        while let Some(rest) = piece.get(at..)
            && !rest.is_empty()
        {
            let mut next = prefixes.longest(rest);
            loop {
                let end = at + prefixes.width(next);
                let fits = !self.is_dead(end)
                    && self.tokens.last().is_none_or(|&last| {
                        merges.can_meet(prefixes.rank(last), prefixes.rank(next))
                    });
                if fits {
                    self.tokens.push(next);
                    at = end;
                    break;
                }
                if next >= BYTES as u32 {
                    next = prefixes.shorter(next);
                    continue;
                }
                self.bury(at);
                // Every piece has an encoding, so there is a token to take back.
                let Some(last) = self.tokens.pop() else { return &self.tokens };
                at -= prefixes.width(last);
                next = last;
            }
        }
        &self.tokens
    }

    fn is_dead(&self, at: usize) -> bool {
        self.dead.get(at / 64).is_some_and(|bits| bits >> (at % 64) & 1 == 1)
    }

    fn bury(&mut self, at: usize) {
        if let Some(bits) = self.dead.get_mut(at / 64) {
            *bits |= 1 << (at % 64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::vocabulary::{Room, Vocabulary};
    use super::*;

    /// A vocabulary, and the same as byte strings by rank.
    struct Learned {
        vocabulary: Vocabulary,
        tokens: Vec<Vec<u8>>,
    }

    /// Merges neighbours of lowest rank, the leftmost of equals, until none make a token.
    fn merged(tokens: &[Vec<u8>], piece: &[u8]) -> Vec<u32> {
        let rank = |bytes: &[u8]| tokens.iter().position(|token| token == bytes);
        let mut ends: Vec<usize> = (0..=piece.len()).collect();
        loop {
            let joined = ends.windows(3).enumerate();
            let ranked =
                joined.filter_map(|(at, ends)| Some((rank(&piece[ends[0]..ends[2]])?, at)));
            let Some((_, at)) = ranked.min() else { break };
            ends.remove(at + 1);
        }
        ends.windows(2).map(|ends| rank(&piece[ends[0]..ends[1]]).unwrap() as u32).collect()
    }

    /// Few characters, so that tokens overlap a lot, whose bytes are alike, so that tokens tear them.
    const ALPHABETS: [&[&str]; 4] = [
        &["a", "b", "c", "d"],
        &["é", "ä", "д", "a", " "],
        &["ह", "ि", "क", "字", "孖", " "],
        &["字", "存", "孖", "🙂", "🙃", "a"],
    ];

    fn bytes_by_rank() -> [u8; BYTES] {
        std::array::from_fn(|rank| rank as u8 ^ 0x41)
    }

    /// A vocabulary of tokens that merging can reach, over the bytes of an alphabet.
    fn learn(below: &mut impl FnMut(usize) -> usize, alphabet: &[&str]) -> Learned {
        let bytes = bytes_by_rank();
        let letters: Vec<u32> =
            alphabet.concat().bytes().map(|byte| u32::from(byte ^ 0x41)).collect();
        let mut tokens: Vec<Vec<u8>> = bytes.iter().map(|&byte| vec![byte]).collect();
        let mut pairs = Vec::new();
        for _ in 0..200 {
            let any = |below: &mut dyn FnMut(usize) -> usize| {
                let number = below(letters.len() + pairs.len());
                letters.get(number).copied().unwrap_or((number + BYTES - letters.len()) as u32)
            };
            let (left, right) = match below(3) {
                // Parts of characters come first, as they do in vocabularies in use.
                0 => {
                    let character = alphabet[below(alphabet.len())].as_bytes();
                    let parts = merged(&tokens, character);
                    match *parts {
                        [left, right, ..] => (left, right),
                        _ => continue,
                    }
                }
                _ => (any(below), any(below)),
            };
            let joined = [tokens[left as usize].as_slice(), &tokens[right as usize]].concat();
            if joined.len() <= 12 && merged(&tokens, &joined) == [left, right] {
                tokens.push(joined);
                pairs.push((left, right));
            }
        }
        let vocabulary = Vocabulary::of(&bytes, &pairs).unwrap();
        Learned { vocabulary, tokens }
    }

    #[test]
    fn tokens_are_those_that_merging_leads_to() {
        let mut state = 5_u32;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % bound
        };
        let mut room = Room::default();
        for round in 0..40 {
            let alphabet = ALPHABETS[round % ALPHABETS.len()];
            let Learned { vocabulary, tokens } = learn(&mut below, alphabet);
            let merging = vocabulary.without_index();
            let mut counted = Room::default();
            for _ in 0..50 {
                // Some are merged by looking at all parts, others in order.
                let most = if below(8) == 0 { 200 } else { 40 };
                let length = below(most);
                let piece: String = (0..length).map(|_| alphabet[below(alphabet.len())]).collect();
                let bytes = piece.as_bytes();
                let expected = merged(&tokens, bytes);
                let ranks = vocabulary.ranks(&mut room, bytes);
                assert_eq!(ranks, expected, "{piece:?} with {tokens:?}");
                let ranks = merging.ranks(&mut room, bytes);
                assert_eq!(ranks, expected, "{piece:?} with {tokens:?}, merged");
                for time in ["first", "recalled"] {
                    let tokens = vocabulary.count_piece(&mut counted, &piece);
                    assert_eq!(tokens, expected.len(), "{piece:?}, {time}");
                }
                let is_token = tokens.iter().any(|token| token == bytes);
                assert_eq!(vocabulary.knows(bytes), is_token, "{piece:?}");
            }
        }
    }

    #[test]
    fn tokens_with_zeros_are_told_from_shorter_ones() {
        let bytes: [u8; BYTES] = std::array::from_fn(|rank| rank as u8);
        let pairs = [(97, 0), (256, 0), (0, 0), (97, 98), (259, 0), (0, 98)];
        let vocabulary = Vocabulary::of(&bytes, &pairs).unwrap();
        let mut room = Room::default();
        let mut check = |piece: &[u8], expected: &[u32]| {
            assert_eq!(vocabulary.ranks(&mut room, piece), expected, "{piece:?}");
            assert_eq!(vocabulary.knows(piece), expected.len() == 1, "{piece:?}");
        };
        check(b"a", &[97]);
        check(b"a\0", &[256]);
        check(b"a\0\0", &[257]);
        check(b"a\0\0\0", &[257, 0]);
        check(b"ab\0", &[260]);
        check(b"ab\0\0", &[259, 258]);
        check(b"\0\0\0", &[258, 0]);
        check(b"b", &[98]);
        check(b"\0b", &[261]);
        check(b"\0\0b", &[258, 98]);
    }
}
