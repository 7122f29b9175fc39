//! Tests of whole vocabularies: tokens are those that merging leads to, whichever way they are counted.

use super::super::batches::run_now;
use super::super::prng::prng;
use super::*;

impl Vocabulary {
    /// The vocabulary of these pairs, with its index.
    fn of(bytes: &[u8; BYTES], pairs: &[(u32, u32)]) -> Result<Self, u32> {
        let sources = (0..BYTES as u32).map(|rank| (rank, rank)).chain(pairs.iter().copied());
        let vocabulary = Self::new(bytes, sources.collect())?;
        run_now(vocabulary.build_index(&mut async || {}))?;
        Ok(vocabulary)
    }

    /// The same without an index.
    fn without_index(&self) -> Self {
        Self { index: OnceLock::new(), ..self.clone() }
    }

    /// How many tokens a piece has.
    fn count_piece(&self, workspace: &mut Workspace, piece: &str) -> usize {
        self.counter(workspace, piece)(0, piece.len())
    }

    /// Whether a piece is one whole token, by the index.
    fn has_token(&self, piece: &[u8]) -> bool {
        let index = self.index.get().unwrap();
        let is_whole = index.whole_tokens.contains(piece, 0, piece.len());
        is_whole
            .unwrap_or_else(|| index.whole_tokens.contains_hash(&index.tokens, piece, hash(piece)))
    }
}

fn check(pairs: &[(u32, u32)], expected: Result<(), u32>) {
    let bytes: [u8; BYTES] = std::array::from_fn(|rank| rank as u8);
    assert_eq!(Vocabulary::of(&bytes, pairs).map(|_| ()), expected, "{pairs:?}");
}

#[test]
fn a_token_is_merged_from_two_earlier_tokens() {
    check(&[], Ok(()));
    check(&[(97, 98), (256, 256)], Ok(()));
    check(&[(97, 256)], Err(256));
    check(&[(97, 98), (300, 98)], Err(257));
}

#[test]
fn duplicate_tokens_are_errors() {
    check(&[(97, 98), (98, 99), (256, 99), (97, 257)], Err(259));
    // The last two tokens are both ten letters: eight and two, two and eight.
    check(&[(97, 97), (256, 256), (257, 257), (258, 256), (256, 258)], Err(260));
    let twice = [7; BYTES];
    assert_eq!(Vocabulary::of(&twice, &[]).map(|_| ()), Err(1));
}

#[test]
fn tokens_that_keep_doubling_are_an_error_before_they_fill_the_memory() {
    let doubling: Vec<(u32, u32)> =
        std::iter::once((97, 97)).chain((256..400).map(|rank| (rank, rank))).collect();
    check(&doubling, Err(266));
}

/// A vocabulary, and its tokens as byte strings by rank.
struct Learned {
    vocabulary: Vocabulary,
    tokens: Vec<Vec<u8>>,
}

/// Byte-pair encoding by its definition: merges the neighbours of the lowest rank, the leftmost of equals, until none
/// merge.
fn merged(tokens: &[Vec<u8>], piece: &[u8]) -> Vec<u32> {
    let rank = |bytes: &[u8]| tokens.iter().position(|token| token == bytes);
    let mut ends: Vec<usize> = (0..=piece.len()).collect();
    loop {
        let joined = ends.windows(3).enumerate();
        let ranked = joined.filter_map(|(at, ends)| Some((rank(&piece[ends[0]..ends[2]])?, at)));
        let Some((_, at)) = ranked.min() else { break };
        ends.remove(at + 1);
    }
    ends.windows(2).map(|ends| rank(&piece[ends[0]..ends[1]]).unwrap() as u32).collect()
}

/// Few characters, so that many tokens overlap, with similar bytes, so that tokens split characters.
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
    let letters: Vec<u32> = alphabet.concat().bytes().map(|byte| u32::from(byte ^ 0x41)).collect();
    let mut tokens: Vec<Vec<u8>> = bytes.iter().map(|&byte| vec![byte]).collect();
    let mut pairs = Vec::new();
    for _ in 0..200 {
        let any = |below: &mut dyn FnMut(usize) -> usize| {
            let number = below(letters.len() + pairs.len());
            letters.get(number).copied().unwrap_or((number + BYTES - letters.len()) as u32)
        };
        let (left, right) = match below(3) {
            // Tokens inside one character come first, as they do in vocabularies in use.
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
fn counts_and_ranks_are_those_of_merging_by_definition() {
    let mut random = prng(5);
    let mut below = |bound: usize| random(bound as u32) as usize;
    let mut workspace = Workspace::default();
    for round in 0..40 {
        let alphabet = ALPHABETS[round % ALPHABETS.len()];
        let Learned { vocabulary, tokens } = learn(&mut below, alphabet);
        let merging = vocabulary.without_index();
        let mut counted = Workspace::default();
        // Short pieces compare all parts, longer ones use the heap. The last lengths are around the limit between both.
        let lengths: Vec<usize> = (0..50)
            .map(|number| if number % 8 == 0 { below(200) } else { below(40) })
            .chain(58..68)
            .collect();
        for length in lengths {
            let piece: String = (0..length).map(|_| alphabet[below(alphabet.len())]).collect();
            let bytes = piece.as_bytes();
            let expected = merged(&tokens, bytes);
            let ranks = vocabulary.ranks(&mut workspace, bytes);
            assert_eq!(ranks, expected, "{piece:?} with {tokens:?}");
            let ranks = merging.ranks(&mut workspace, bytes);
            assert_eq!(ranks, expected, "{piece:?} with {tokens:?}, merged");
            for time in ["first", "from the cache"] {
                let tokens = vocabulary.count_piece(&mut counted, &piece);
                assert_eq!(tokens, expected.len(), "{piece:?}, {time}");
            }
            let is_token = tokens.iter().any(|token| token == bytes);
            assert_eq!(vocabulary.has_token(bytes), is_token, "{piece:?}");
        }
    }
}

#[test]
fn tokens_with_zero_bytes_are_distinguished_from_shorter_ones() {
    let bytes: [u8; BYTES] = std::array::from_fn(|rank| rank as u8);
    let pairs = [(97, 0), (256, 0), (0, 0), (97, 98), (259, 0), (0, 98)];
    let vocabulary = Vocabulary::of(&bytes, &pairs).unwrap();
    let mut workspace = Workspace::default();
    let mut check = |piece: &[u8], expected: &[u32]| {
        assert_eq!(vocabulary.ranks(&mut workspace, piece), expected, "{piece:?}");
        assert_eq!(vocabulary.has_token(piece), expected.len() == 1, "{piece:?}");
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
