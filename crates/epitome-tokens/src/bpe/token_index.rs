//! Token indexes: a second number for each token, such that tokens of one script are close together in memory.
//!
//! Single bytes come first, by value. The other tokens follow by script, and within a script by rank. Tables that are
//! ordered by token index keep what one text needs in few cache lines: its script, and the frequent tokens of that
//! script. In the order of ranks the tokens of all scripts alternate.

use super::batches::in_batches;
use super::characters::character;
use super::rank::BYTES;
use super::token_bytes::TokenBytes;

/// How many scripts are distinguished. Each block of 128 characters counts as a script; the last one has all characters behind it
/// as well.
const SCRIPTS: usize = 1 << 10;

/// The token indexes of all tokens, by rank.
// A counting sort: the tokens of each script are counted, and then each token takes the next index of its script.
pub(super) async fn token_indexes(tokens: &TokenBytes, pause: &mut impl AsyncFnMut()) -> Vec<u32> {
    let mut next = [0; SCRIPTS];
    in_batches(BYTES..tokens.len(), pause, &mut |ranks| {
        for rank in ranks {
            if let Some(count) = next.get_mut(script(tokens.token(rank as u32))) {
                *count += 1;
            }
        }
    })
    .await;
    let mut first = BYTES as u32;
    for count in &mut next {
        first += std::mem::replace(count, first);
    }
    let mut indexes = Vec::with_capacity(tokens.len());
    let single = |rank| tokens.token(rank).first().map_or(0, |&byte| u32::from(byte));
    indexes.extend((0..BYTES as u32).map(single));
    in_batches(BYTES..tokens.len(), pause, &mut |ranks| {
        for rank in ranks {
            if let Some(next) = next.get_mut(script(tokens.token(rank as u32))) {
                indexes.push(*next);
                *next += 1;
            }
        }
    })
    .await;
    indexes
}

/// The script of the first character that is not ASCII; 0 for ASCII tokens.
fn script(token: &[u8]) -> usize {
    let wide = token.iter().position(|&byte| byte >= 0xC0).and_then(|at| character(token, at));
    wide.map_or(0, |(code, _)| (code as usize / 128).min(SCRIPTS - 1))
}
