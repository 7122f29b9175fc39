//! The rank of a token, how it is packed into larger numbers, and the limits of a vocabulary.
//!
//! A rank is the position of a token in the order in which the tokens were learned. Single bytes come first. A lower
//! rank is merged before a higher one, and for `o200k_base` and `cl100k_base` the rank is also the token's number.

/// Tokens that are a single byte.
pub(super) const BYTES: usize = 256;
/// Bytes of the longest token that a vocabulary may have; the longest in use has 128 bytes.
pub(super) const LONGEST_TOKEN: usize = 1 << 10;
/// A vocabulary has fewer tokens than this.
pub(super) const MOST_TOKENS: usize = 1 << RANK_BITS;
/// Bits of a rank, and of a token index.
// 20 bits leave 12 of a `u32` for a part of a hash, and fit a pair's three numbers into one `u64`: both keep the tables
// small enough for the processor's caches. The largest vocabulary in use has 2^18 tokens.
pub(super) const RANK_BITS: u32 = 20;
/// The bits of a rank in a number that has other bits above them.
pub(super) const RANK_MASK: u32 = (1 << RANK_BITS) - 1;
/// The rank of no token, in tables that have no space for an `Option`.
pub(super) const NONE: u32 = u32::MAX;
