//! The lengths of the tokens of a packed vocabulary.

/// The position of its merges.
const HEADER: usize = 22 + 256;

/// The length in bytes of each token of a packed vocabulary, by rank.
pub(crate) fn token_lengths(file: &[u8]) -> Vec<u8> {
    let merges = (file.len() - HEADER) / 6;
    let mut lengths = vec![1_u8; 256];
    let rank = |side: usize, merge: usize| {
        let byte = |plane: usize| usize::from(file[HEADER + (side * 3 + plane) * merges + merge]);
        byte(0) | byte(1) << 8 | byte(2) << 16
    };
    for merge in 0..merges {
        let length = lengths[rank(0, merge)] + lengths[rank(1, merge)];
        lengths.push(length);
    }
    lengths
}
