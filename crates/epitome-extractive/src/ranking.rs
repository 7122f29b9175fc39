//! The order in which pieces are selected as the space for them grows.

use std::ops::Range;

use super::block::Block;
use super::notes::{Context, Notes, is_window};
use super::pieces::Pieces;
use super::selection::{order, spread};
use epitome::tokens::Tokenizer;
use epitome_columns::sort_by;
use epitome_text::stop_words::StopWords;

/// The number of pieces from which one selection is made. A longer text is divided into blocks with the same share of the
/// space each, so that no part of it is left out.
const BLOCK: usize = 200;
/// The same for a summary without notes. Its blocks are small, so that each fold shortens it evenly from start to end.
const OLD_BLOCK: usize = 24;

/// A token of a text has at most so many bytes on average.
const BYTES_OF_TOKEN: f32 = 16.0;
/// Up to so many times the share of the room for quotes, pieces are ranked: what is selected has about that share. In a long text most
/// pieces are beyond it, and to rank them would take a tenth of the time.
const MARGIN: f32 = 4.0;

/// The pieces that may be selected, the earliest selected first.
#[derive(Debug)]
pub(super) struct Ranking {
    ranked: Vec<Ranked>,
    /// The share of each piece, by its index.
    shares: Vec<f32>,
    /// The new pieces that are not ranked yet.
    unranked: Range<usize>,
    /// The largest number of them in a block.
    block: usize,
    /// The tokens of the conversation behind the previous summary, as far as it is ranked.
    new_tokens: f64,
    /// The first piece of the blocks with new pieces: the last quotes may belong to one.
    closed: usize,
    stop_words: StopWords,
    /// The share up to which pieces are ranked.
    most: f32,
}

/// A piece, and the share of its part of the conversation, in tokens, from which on it is selected.
#[derive(Clone, Copy, Debug)]
struct Ranked {
    share: f32,
    index: usize,
    tokens: u32,
}

impl Ranking {
    /// Begins to rank the pieces, of which so many tokens will be selected. To be called before [`Self::advance`].
    pub(super) fn begin(source: &Pieces, room: u32) -> Self {
        let bytes: usize = source.pieces.iter().map(|piece| piece.text.len()).sum();
        let least_tokens = bytes as f32 / BYTES_OF_TOKEN;
        let unranked = source.old..source.pieces.len();
        Self {
            ranked: Vec::new(),
            shares: vec![1.0; source.pieces.len()],
            block: block_size(unranked.len(), BLOCK),
            unranked,
            new_tokens: 0.0,
            closed: source.old,
            stop_words: StopWords::default(),
            most: MARGIN * room as f32 / least_tokens.max(1.0),
        }
    }

    /// Ranks the next blocks, of about so many bytes; with the last one, the quotes of the previous summary too. True if all pieces
    /// are ranked. Costs O(n log n) in their texts; the tokenizer reads each piece once.
    pub(super) fn advance(
        &mut self,
        source: &Pieces,
        slice: usize,
        tokenizer: &dyn Tokenizer,
    ) -> bool {
        let mut bytes = 0;
        while bytes < slice && !self.unranked.is_empty() {
            let Range { start: from, end } = self.unranked;
            let to = from.saturating_add(self.block).min(end);
            // The first new messages belong to a block with the last ones before.
            let context = match from == source.old {
                true => source.context.shortened(to - from, 0),
                false => Context::default(),
            };
            let start = from - (context.quotes.round() as usize).min(from);
            self.closed = self.closed.min(start);
            let block = Block::new(source, start..to, &context, &self.stop_words, tokenizer);
            let stands_for = f64::from(context.tokens) + block.tokens_from(from) as f64;
            self.new_tokens += stands_for;
            self.rank(&block, stands_for);
            let pieces = source.pieces.get(from..to).unwrap_or_default();
            bytes += pieces.iter().map(|piece| piece.text.len()).sum::<usize>();
            self.unranked.start = to;
        }
        if !self.unranked.is_empty() {
            return false;
        }
        self.rank_quotes(source, tokenizer);
        sort_by(&mut self.ranked, |a, b| {
            a.share.total_cmp(&b.share).then(spread(a.index).cmp(&spread(b.index)))
        });
        for piece in &self.ranked {
            if let Some(share) = self.shares.get_mut(piece.index) {
                *share = piece.share;
            }
        }
        true
    }

    /// Ranks the pieces of a block, which stands for so many tokens of the conversation.
    fn rank(&mut self, block: &Block, stands_for: f64) {
        order(block, stands_for, self.most, |candidate, share| {
            let (index, tokens) = (candidate.index, candidate.tokens);
            self.ranked.push(Ranked { share, index, tokens });
        });
    }

    /// Ranks the quotes of the previous summary.
    fn rank_quotes(&mut self, source: &Pieces, tokenizer: &dyn Tokenizer) {
        if source.has_shares() {
            for (index, piece) in source.pieces.iter().enumerate().take(self.closed) {
                let share = piece.share.unwrap_or(1.0);
                let tokens = tokenizer.count(&piece.text);
                self.ranked.push(Ranked { share, index, tokens });
            }
            return;
        }
        let (size, none) = (block_size(source.old, OLD_BLOCK), Context::default());
        let starts = (0..source.old).step_by(size);
        let ranges = starts.map(|start| start..start.saturating_add(size).min(source.old));
        let blocks: Vec<Block> = ranges
            .map(|range| Block::new(source, range, &none, &self.stop_words, tokenizer))
            .collect();
        let tokens: u64 = blocks.iter().map(|block| block.tokens_from(0)).sum();
        // How many tokens of messages each token of the summary stands for.
        let all = self.new_tokens * source.old_share / (1.0 - source.old_share);
        let each = (all / tokens.max(1) as f64).max(1.0);
        for block in blocks {
            self.rank(&block, block.tokens_from(0) as f64 * each);
        }
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
        source: &Pieces,
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
        for piece in source.pieces.get(start..).unwrap_or_default() {
            context.add(&piece.text, tokenizer.count(&piece.text), &self.stop_words);
        }
        let share = |index: &usize| self.shares.get(*index).copied().unwrap_or(1.0);
        Notes { shares: selected.iter().map(share).collect(), context }
    }
}

/// The size of the blocks that so many pieces are divided into: about the same for all, and at most `most`.
fn block_size(pieces: usize, most: usize) -> usize {
    pieces.div_ceil(pieces.div_ceil(most).max(1)).max(1)
}
