//! The tokens of one piece as they are defined: neighbours are merged, those that were learned first in front.

use super::merges::{Merges, NONE};
use super::queue::Queue;
use super::vocabulary::BYTES;

/// Room to work in, kept from piece to piece.
#[derive(Debug, Default)]
pub(super) struct Merging {
    /// The ranks so far; [`NONE`] for a part that is gone.
    parts: Vec<u32>,
    /// What each part makes with the one behind it.
    made: Vec<u32>,
    /// The parts before and behind each.
    links: Vec<(u32, u32)>,
    queue: Queue,
}

impl Merging {
    /// The ranks of the tokens of `piece`, in order. Takes time linear in the piece.
    pub(super) fn ranks(
        &mut self,
        singles: &[u32; BYTES],
        merges: &Merges,
        piece: &[u8],
    ) -> &[u32] {
        let single = |byte: &u8| singles.get(usize::from(*byte)).copied().unwrap_or(0);
        self.parts.clear();
        self.parts.extend(piece.iter().map(single));
        self.merge(merges);
        &self.parts
    }

    fn merge(&mut self, merges: &Merges) {
        let count = self.parts.len() as u32;
        self.made.clear();
        self.made.resize(self.parts.len(), NONE);
        self.links.clear();
        self.links.extend((0..count).map(|at| {
            (at.checked_sub(1).unwrap_or(NONE), if at + 1 < count { at + 1 } else { NONE })
        }));
        self.queue.begin();
        (1..count).for_each(|at| self.note(merges, at - 1, at));
        while let Some(due) = self.queue.pop() {
            let at = due as u32;
            let rank = get(&self.made, at);
            // What was noted of a part that has become another one since is void.
            if rank != NONE && due == self::due(merges.place(rank), at) {
                self.merge_at(merges, at, rank);
            }
        }
        self.parts.retain(|&rank| rank != NONE);
    }

    /// Makes the token of `rank` of the part at `at` and the one behind it.
    fn merge_at(&mut self, merges: &Merges, at: u32, rank: u32) {
        let (before, gone) = self.links(at);
        let (_, behind) = self.links(gone);
        set(&mut self.parts, at, rank);
        set(&mut self.parts, gone, NONE);
        set(&mut self.made, gone, NONE);
        set(&mut self.links, at, (before, behind));
        if let Some(link) = self.links.get_mut(behind as usize) {
            link.0 = at;
        }
        self.note(merges, at, behind);
        self.note(merges, before, at);
    }

    /// Notes what two neighbours make; nothing where one of them is not there.
    fn note(&mut self, merges: &Merges, left: u32, right: u32) {
        let merged = merges.merged(get(&self.parts, left), get(&self.parts, right));
        set(&mut self.made, left, merged.unwrap_or(NONE));
        if let Some(rank) = merged {
            self.queue.push(due(merges.place(rank), left));
        }
    }

    /// The parts before and behind one.
    fn links(&self, at: u32) -> (u32, u32) {
        self.links.get(at as usize).copied().unwrap_or((NONE, NONE))
    }
}

/// A merge at a place in the order of merges, of a part: of equal places the leftmost comes first.
fn due(place: u32, part: u32) -> u64 {
    u64::from(place) << u32::BITS | u64::from(part)
}

fn get(list: &[u32], at: u32) -> u32 {
    list.get(at as usize).copied().unwrap_or(NONE)
}

fn set<T>(list: &mut [T], at: u32, value: T) {
    if let Some(slot) = list.get_mut(at as usize) {
        *slot = value;
    }
}

#[cfg(test)]
mod tests {
    use super::super::dice::dice;
    use super::super::vocabulary::{BYTES, Room, Vocabulary};

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
        let mut dice = dice(5);
        let mut below = |bound: usize| dice(bound as u32) as usize;
        let mut room = Room::default();
        for round in 0..40 {
            let alphabet = ALPHABETS[round % ALPHABETS.len()];
            let Learned { vocabulary, tokens } = learn(&mut below, alphabet);
            let merging = vocabulary.without_index();
            let mut counted = Room::default();
            // Some are merged by looking at all parts, others by a queue; and those are tried that are as long as the
            // one can be, or the other.
            let lengths: Vec<usize> = (0..50)
                .map(|number| if number % 8 == 0 { below(200) } else { below(40) })
                .chain(58..68)
                .collect();
            for length in lengths {
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
