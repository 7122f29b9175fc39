//! A vocabulary that counts: it chooses the fastest way for each piece of a text.
//!
//! A token has a *rank* (`rank.rs`). With the merges by rank a vocabulary counts as soon as it is loaded. With an index
//! it also has a *token index* for each token (`token_index.rs`), and counts several times as fast. For each piece,
//! from the fastest way to the slowest: it is one whole token; it is in the piece cache; it splits into parts for which
//! one of these holds; it is merged as a short piece; it is merged by rank.

use std::sync::{Mutex, OnceLock};

use super::characters::Characters;
use super::hash::hash;
use super::long_piece::LongPiece;
use super::merge_sources::MergeSources;
use super::merges::Merges;
use super::merging::Merging;
use super::pairs::Pairs;
use super::piece_cache::PieceCache;
use super::rank::{BYTES, MOST_TOKENS};
use super::short_piece::ShortPiece;
use super::token_bytes::TokenBytes;
use super::token_index::token_indexes;
use super::whole_token::WholeTokens;

/// Longer pieces are not looked up among the whole tokens of more than eight bytes.
// They are seldom one token, so the lookup would mostly be wasted. Merging or the piece cache gives the same count.
const LONGEST_LOOKUP: usize = 24;

/// A vocabulary. For 200,000 tokens it takes 2 MB, and 10 MB with its index.
#[derive(Clone, Debug)]
pub(super) struct Vocabulary {
    /// The rank of each byte.
    singles: [u32; BYTES],
    merges: Merges,
    index: OnceLock<Index>,
}

/// The tables that make counting faster.
#[derive(Clone, Debug)]
struct Index {
    tokens: TokenBytes,
    whole_tokens: WholeTokens,
    characters: Characters,
    /// `None` if merges do not come in the order of ranks, or if the table would be too large.
    pairs: Option<Pairs>,
}

/// The memory that counting works in, kept from piece to piece.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    short_piece: ShortPiece,
    merging: Merging,
    cache: PieceCache,
}

/// A workspace that is kept from text to text, by a counter that several threads may use.
#[derive(Debug, Default)]
pub(super) struct SharedWorkspace(Mutex<Workspace>);

impl SharedWorkspace {
    /// Calls `work` with the workspace, or with a new one if another thread uses it right now.
    // Never waits: threads that share a counter count at the same time, and only lose the cache.
    #[inline]
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Workspace) -> T) -> T {
        match self.0.try_lock() {
            Ok(mut workspace) => work(&mut workspace),
            Err(_) => work(&mut Workspace::default()),
        }
    }
}

impl Clone for SharedWorkspace {
    /// A new workspace.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Vocabulary {
    /// The vocabulary whose first 256 tokens are `bytes`, in the order of their ranks, and whose tokens were merged
    /// from `sources`. Fails with the rank of a byte that is not unique, or of a token whose sources are not two
    /// earlier tokens. Takes a few milliseconds for 200,000 tokens.
    pub(super) fn new(bytes: &[u8; BYTES], sources: MergeSources) -> Result<Self, u32> {
        if sources.len() >= MOST_TOKENS {
            return Err(MOST_TOKENS as u32);
        }
        let mut singles = [u32::MAX; BYTES];
        for (rank, byte) in (0_u32..).zip(bytes) {
            match singles.get_mut(usize::from(*byte)) {
                Some(slot) if *slot == u32::MAX => *slot = rank,
                _ => return Err(rank),
            }
        }
        Ok(Self { singles, merges: Merges::new(sources)?, index: OnceLock::new() })
    }

    /// Applies the merges in another order than that of ranks; see [`Merges::in_order`]. Call it before an index is
    /// built.
    pub(super) fn in_order(self, positions: Vec<u32>) -> Self {
        Self { merges: self.merges.in_order(positions), ..self }
    }

    /// Builds the index. Awaits `pause` after every batch of work. Fails with the rank of a token that is too long, or
    /// equal to an earlier one.
    pub(super) async fn build_index(&self, pause: &mut impl AsyncFnMut()) -> Result<(), u32> {
        let (singles, merges) = (&self.singles, &self.merges);
        let tokens = TokenBytes::spell(singles, merges.sources(), pause).await?;
        let mut characters = Characters::new(singles, merges, &tokens, pause).await;
        let indexes = token_indexes(&tokens, pause).await;
        characters.set_token_indexes(&indexes);
        // A short piece takes the lowest rank as the next merge, which is wrong in any other order.
        let pairs = match merges.are_in_order_of_ranks() {
            true => Pairs::new(merges.sources(), indexes, pause).await,
            false => None,
        };
        let whole_tokens = WholeTokens::new(&tokens, pause).await?;
        // If another call has built an index meanwhile, that one is equal to this one.
        let _ = self.index.set(Index { tokens, whole_tokens, characters, pairs });
        Ok(())
    }

    /// Returns a function that counts the tokens of a piece of `text`, by its start and its end.
    // Only the lookup of short whole tokens is inlined into the loop over pieces: it answers for most pieces, and the
    // rest would take the registers that this loop needs.
    #[inline(always)]
    pub(super) fn counter<'a>(
        &'a self,
        workspace: &'a mut Workspace,
        text: &'a str,
    ) -> impl FnMut(usize, usize) -> usize {
        let (text, index) = (text.as_bytes(), self.index.get());
        move |start, end| match index
            .and_then(|index| index.whole_tokens.contains(text, start, end))
        {
            Some(true) => 1,
            is_whole => {
                let piece = text.get(start..end).unwrap_or_default();
                self.count(workspace, index, piece, is_whole)
            }
        }
    }

    /// The tokens of a piece. `is_whole` says whether it is one whole token: false, or `None` if that is not known.
    #[inline(never)]
    fn count(
        &self,
        workspace: &mut Workspace,
        index: Option<&Index>,
        piece: &[u8],
        is_whole: Option<bool>,
    ) -> usize {
        let Some(index) = index else {
            let count = |workspace: &mut Workspace| self.merged(workspace, piece);
            return cached(workspace, piece, hash(piece), count);
        };
        index.whole_or_cached(workspace, piece, is_whole, |workspace| {
            let mut tokens = 0;
            index.characters.split(piece, |part| {
                tokens += match part.len() == piece.len() {
                    true => self.merge(workspace, index, part),
                    false => self.count_part(workspace, index, part),
                };
            });
            tokens
        })
    }

    /// The tokens of a part of a piece that is merged alone.
    fn count_part(&self, workspace: &mut Workspace, index: &Index, part: &[u8]) -> usize {
        match index.whole_tokens.contains(part, 0, part.len()) {
            Some(true) => 1,
            is_whole => {
                let merge = |workspace: &mut Workspace| self.merge(workspace, index, part);
                index.whole_or_cached(workspace, part, is_whole, merge)
            }
        }
    }

    fn merge(&self, workspace: &mut Workspace, index: &Index, part: &[u8]) -> usize {
        let pairs = index.pairs.as_ref();
        let count =
            pairs.and_then(|pairs| workspace.short_piece.count(pairs, &index.characters, part));
        count.unwrap_or_else(|| self.merged(workspace, part))
    }

    /// The number of tokens of a piece, merged by rank.
    fn merged(&self, workspace: &mut Workspace, piece: &[u8]) -> usize {
        if piece.len() <= LongPiece::LEAST {
            return self.ranks(workspace, piece).len();
        }
        let mut long = LongPiece::default();
        while !self.advance(workspace, &mut long, piece) {}
        long.tokens()
    }

    /// Merges a window of a long piece. True once all of it is merged.
    pub(super) fn advance(
        &self,
        workspace: &mut Workspace,
        long: &mut LongPiece,
        piece: &[u8],
    ) -> bool {
        long.advance(&mut workspace.merging, &self.singles, &self.merges, piece)
    }

    /// The ranks of the tokens of a piece, in order.
    pub(super) fn ranks<'a>(&self, workspace: &'a mut Workspace, piece: &[u8]) -> &'a [u32] {
        workspace.merging.ranks(&self.singles, &self.merges, piece)
    }
}

impl Index {
    /// The tokens of a piece: 1 if it is one whole token, the cached count, or else the result of `count`. `is_whole`
    /// is as in [`Vocabulary::count`].
    #[inline(always)]
    fn whole_or_cached(
        &self,
        workspace: &mut Workspace,
        piece: &[u8],
        is_whole: Option<bool>,
        count: impl FnOnce(&mut Workspace) -> usize,
    ) -> usize {
        // The hash of a piece is computed once, and used for the whole tokens and for the cache.
        let hash = hash(piece);
        let is_long_token = || self.whole_tokens.contains_hash(&self.tokens, piece, hash);
        if is_whole.is_none() && piece.len() <= LONGEST_LOOKUP && is_long_token() {
            return 1;
        }
        cached(workspace, piece, hash, count)
    }
}

/// The cached count of a piece, or else the result of `count`, which is then cached.
#[inline(always)]
fn cached(
    workspace: &mut Workspace,
    piece: &[u8],
    hash: u64,
    count: impl FnOnce(&mut Workspace) -> usize,
) -> usize {
    workspace.cache.get(piece, hash).unwrap_or_else(|| {
        let tokens = count(workspace);
        workspace.cache.insert(piece, hash, tokens);
        tokens
    })
}

#[cfg(test)]
mod tests;
