//! The order in which pieces are selected as the space for them grows.

use super::block::Block;
use super::notes::{Context, Notes, is_window};
use super::pieces::Pieces;
use super::selection::{order, spread};
use epitome::tokens::Tokenizer;
use epitome_text::stop_words::StopWords;

/// The number of pieces from which one selection is made. A longer text is divided into blocks with the same share of the
/// space each, so that no part of it is left out.
const BLOCK: usize = 200;
/// The same for a summary without notes. Its blocks are small, so that each fold shortens it evenly from start to end.
const OLD_BLOCK: usize = 24;

/// All pieces, the earliest selected first.
#[derive(Debug)]
pub(super) struct Ranking {
    ranked: Vec<Ranked>,
    /// The share of each piece, by its index.
    shares: Vec<f32>,
}

/// A piece, and the share of its part of the conversation, in tokens, from which on it is selected.
#[derive(Clone, Copy, Debug)]
struct Ranked {
    share: f32,
    index: usize,
    tokens: u32,
}

impl Ranking {
    /// Ranks the pieces block by block. Costs O(n log n) in their text; the tokenizer reads each piece once.
    pub(super) fn of(source: &Pieces<'_>, tokenizer: &dyn Tokenizer) -> Self {
        let stop_words = StopWords::default();
        let block =
            |pieces, context: &Context| Block::new(source, pieces, context, &stop_words, tokenizer);
        let none = Context::default();
        let (old, all) = (source.old, source.pieces.len());
        let mut blocks: Vec<(Block, f64)> = Vec::new();
        let mut closed = old;
        for (from, to) in divided(old, all, BLOCK) {
            // The first new messages belong to a block with the last ones before.
            let context =
                if from == old { source.context.shortened(to - from, 0) } else { none.clone() };
            let start = from - (context.quotes.round() as usize).min(from);
            let tokens = f64::from(context.tokens);
            let block = block(start..to, &context);
            closed = closed.min(start);
            let tokens = tokens + block.tokens_from(from) as f64;
            blocks.push((block, tokens));
        }
        let mut ranked = Vec::new();
        if source.has_shares() {
            for (index, piece) in source.pieces.iter().enumerate().take(closed) {
                let share = piece.share.unwrap_or(1.0);
                ranked.push(Ranked { share, index, tokens: tokenizer.count(&piece.text) });
            }
        } else {
            let new: f64 = blocks.iter().map(|(_, tokens)| tokens).sum();
            let earlier: Vec<Block> =
                divided(0, old, OLD_BLOCK).map(|(from, to)| block(from..to, &none)).collect();
            let tokens: u64 = earlier.iter().map(|block| block.tokens_from(0)).sum();
            // How many tokens of messages each token of the summary stands for.
            let each = new * source.old_share / (1.0 - source.old_share) / tokens.max(1) as f64;
            for block in earlier {
                let stands_for = block.tokens_from(0) as f64 * each.max(1.0);
                blocks.push((block, stands_for));
            }
        }
        for (block, stands_for) in &blocks {
            order(block, *stands_for, |candidate, share| {
                let (index, tokens) = (candidate.index, candidate.tokens);
                ranked.push(Ranked { share, index, tokens });
            });
        }
        let mut shares = vec![1.0; all];
        for piece in &ranked {
            if let Some(share) = shares.get_mut(piece.index) {
                *share = piece.share;
            }
        }
        ranked.sort_by(|a, b| {
            a.share.total_cmp(&b.share).then(spread(a.index).cmp(&spread(b.index)))
        });
        Self { ranked, shares }
    }

    /// The first pieces of at most `budget` tokens.
    pub(super) fn select(&self, budget: u32) -> Vec<usize> {
        let mut left = budget;
        let fitting = self.ranked.iter().map_while(|piece| {
            left = left.checked_sub(piece.tokens)?;
            Some(piece.index)
        });
        fitting.collect()
    }

    /// What the next extract has to know if these pieces are quoted; `selected` is in order. Linear in the last pieces.
    pub(super) fn notes(
        &self,
        source: &Pieces<'_>,
        selected: &[usize],
        tokenizer: &dyn Tokenizer,
    ) -> Notes {
        let all = source.pieces.len();
        let (mut start, mut quotes) = (all, 0);
        while start > source.old && !is_window(all - start, quotes) {
            start -= 1;
            quotes += usize::from(selected.binary_search(&start).is_ok());
        }
        let mut context = match start == source.old {
            true => source.context.shortened(all - start, quotes),
            false => Context::default(),
        };
        // Quotes that were given up do not count any more. The fraction of a quote stays, so that quotes leave the context
        // one by one and not two at once.
        let begins = start - (context.quotes.round() as usize).min(start);
        let kept = selected.iter().filter(|index| **index >= begins).count();
        context.quotes = (kept as f32 + context.quotes - context.quotes.round()).max(0.0);
        let stop_words = StopWords::default();
        for piece in source.pieces.get(start..).unwrap_or_default() {
            context.add(&piece.text, tokenizer.count(&piece.text), &stop_words);
        }
        let share = |index: &usize| self.shares.get(*index).copied().unwrap_or(1.0);
        Notes { shares: selected.iter().map(share).collect(), context }
    }
}

/// Divides a range into parts of about the same size, of at most `size`.
fn divided(from: usize, to: usize, size: usize) -> impl Iterator<Item = (usize, usize)> {
    let all = to.saturating_sub(from);
    let parts = all.div_ceil(size);
    let each = all.div_ceil(parts.max(1)).max(1);
    (from..to).step_by(each).map(move |start| (start, (start + each).min(to)))
}
