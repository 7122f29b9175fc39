//! Where tokens stand in the tables that texts are merged by.
//!
//! A token has a *seat* beside its rank: single bytes come first, by value, then tokens of one script after the other,
//! those that were learned first in front. So what a text asks for lies close together in memory: its script, and what
//! is frequent in that.

use super::characters::character;
use super::tokens::Tokens;
use super::vocabulary::{BYTES, in_stretches};

/// Scripts that are told from each other: every 128 characters are one, up to the last that tokens have.
const SCRIPTS: usize = 1 << 10;

/// The seats of all tokens, by rank.
pub(super) async fn seats(tokens: &Tokens, rest: &mut impl AsyncFnMut()) -> Vec<u32> {
    let mut next = [0; SCRIPTS];
    in_stretches(BYTES..tokens.len(), rest, &mut |ranks| {
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
    let mut seats = Vec::with_capacity(tokens.len());
    let single = |rank| tokens.token(rank).first().map_or(0, |&byte| u32::from(byte));
    seats.extend((0..BYTES as u32).map(single));
    in_stretches(BYTES..tokens.len(), rest, &mut |ranks| {
        for rank in ranks {
            if let Some(next) = next.get_mut(script(tokens.token(rank as u32))) {
                seats.push(*next);
                *next += 1;
            }
        }
    })
    .await;
    seats
}

/// The script of the first character that is not ASCII; the first one where there is none.
fn script(token: &[u8]) -> usize {
    let wide = token.iter().position(|&byte| byte >= 0xC0).and_then(|at| character(token, at));
    wide.map_or(0, |(code, _)| (code as usize / 128).min(SCRIPTS - 1))
}
