//! Hashes of byte strings, and the conversion of up to eight bytes into one number.

/// The number of bytes in a [`word`].
pub(super) const WORD: usize = 8;

/// Up to eight bytes as a little-endian number; missing bytes are zeros.
#[inline]
pub(super) fn word(bytes: &[u8]) -> u64 {
    big_endian(bytes).swap_bytes()
}

#[inline]
fn big_endian(bytes: &[u8]) -> u64 {
    if let Some(eight) = bytes.first_chunk::<8>() {
        return u64::from_be_bytes(*eight);
    }
    // Four to seven bytes are read by two overlapping loads of four bytes. Copying byte by byte would need a loop, which is
    // too slow for a function that runs for every piece of a text.
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let [first, last] = [*first, *last].map(|half| u64::from(u32::from_be_bytes(half)));
        return (first << 32) | (last << (64 - 8 * bytes.len()));
    }
    match *bytes {
        [one, two, three] => u64::from_be_bytes([one, two, three, 0, 0, 0, 0, 0]),
        [one, two] => u64::from_be_bytes([one, two, 0, 0, 0, 0, 0, 0]),
        [one] => u64::from(one) << 56,
        _ => 0,
    }
}

/// 32 bits that depend on every byte.
#[inline]
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<WORD>();
    // The length is part of the hash because zero bytes at the end look like missing ones.
    let last = word(rest) ^ (bytes.len() as u64) << 56;
    let mixed = words.iter().fold(last, |mixed, word| {
        (mixed ^ u64::from_le_bytes(*word)).wrapping_mul(MULTIPLIER).rotate_left(29)
    });
    hash_of_word(mixed)
}

/// 32 bits that depend on every bit of a word.
#[inline]
pub(super) fn hash_of_word(word: u64) -> u64 {
    // All lower bits of the factors influence the upper half of the product.
    word.wrapping_mul(MULTIPLIER) >> 32
}

/// 2^64 divided by the golden ratio: its multiples are spread evenly (Knuth's multiplicative hashing).
pub(super) const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
