//! The tokens of a very long piece, merged window by window.
//!
//! Tokens in a row are what merging makes of their text exactly if each two neighbours are what merging makes of the text of these
//! two. For suppose that the text of all of them were merged otherwise, and look at the first merge across an end of a token. Until
//! then, the text of the two tokens beside that end was merged as it is alone, since merges come in a fixed order and each only
//! looks at its own two parts. So that merge would have come in the text of these two alone as well.
//!
//! A window is merged as if it were a piece. Its last tokens may depend on what follows, so they are merged again in the next one,
//! which begins with them. Then only the two tokens at its beginning have to be looked at, because all others were neighbours in a
//! window. If they are not what merging makes of these two, as in a text whose tokens depend on what is far behind, more tokens are
//! merged again in a longer window.

use super::merges::Merges;
use super::merging::Merging;
use super::rank::BYTES;

/// Bytes of a window: some milliseconds. Merging them works in memory that a processor has near.
pub(super) const WINDOW: usize = 1 << 14;

/// Tokens at the end of a window that the next one begins with.
const OVERLAP: usize = 16;

/// What is known of a long piece.
pub(super) type LongPiece = Windows<WINDOW, OVERLAP>;

/// The same by windows of `W` bytes, the next of which begins with the last `O` tokens of the one before.
#[derive(Debug, Default)]
pub(super) struct Windows<const W: usize, const O: usize> {
    /// Where each token ends, up to the part that is not merged yet.
    ends: Vec<usize>,
    /// How often the next window is twice as long, and takes back twice as many of these tokens, because the last one did not fit.
    misfits: u32,
    /// Where a window did not fit. Up to there, they stay long, so that each place is passed.
    misfit_at: usize,
}

impl<const W: usize, const O: usize> Windows<W, O> {
    /// Pieces of more bytes than this are merged in windows.
    pub(super) const LEAST: usize = 2 * W;

    /// The number of tokens, once [`Self::advance`] has returned true.
    pub(super) fn tokens(&self) -> usize {
        self.ends.len()
    }

    /// Merges the next window of this piece, which is the same in each call. True once all of it is merged. All windows together
    /// take time linear in the piece.
    pub(super) fn advance(
        &mut self,
        merging: &mut Merging,
        singles: &[u32; BYTES],
        merges: &Merges,
        piece: &[u8],
    ) -> bool {
        let start = self.ends.last().copied().unwrap_or(0);
        // A window of a gigabyte is long enough.
        let times = |count: usize| count << self.misfits.min(16);
        let end = start + times(W).min(piece.len() - start);
        let is_last = end == piece.len();
        let text = |from: usize, to: usize| piece.get(from..to).unwrap_or_default();
        let starts = merging.starts(singles, merges, text(start, end)).skip(1);
        let merged: Vec<usize> = starts.map(|at| start + at).chain([end]).collect();
        if let (Some(&first), [.., before, _] | [before]) = (merged.first(), self.ends.as_slice()) {
            // The token in front of the window begins where the one before it ends.
            let before = if self.ends.len() == 1 { 0 } else { *before };
            let inner = merging.starts(singles, merges, text(before, first)).skip(1);
            if !inner.eq([start - before]) {
                self.ends.truncate(self.ends.len().saturating_sub(times(O)));
                self.misfits += 1;
                self.misfit_at = self.misfit_at.max(start);
                return false;
            }
        }
        let kept = if is_last { merged.len() } else { merged.len().saturating_sub(O) };
        self.ends.extend(merged.into_iter().take(kept));
        let is_past = self.ends.last().is_some_and(|end| *end > self.misfit_at);
        // A window of few tokens is too short as well.
        self.misfits = if kept > 0 && is_past { 0 } else { self.misfits + 1 };
        is_last
    }
}

#[cfg(test)]
mod tests {
    use super::super::merge_sources::MergeSources;
    use super::super::prng::prng;
    use super::*;

    /// A vocabulary of random merges over a few letters.
    fn merges(below: &mut impl FnMut(u32) -> u32, letters: u32, count: u32) -> Merges {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        while pairs.len() < count as usize {
            let mut token = || {
                let made = pairs.len() as u32;
                if below(3) == 0 || made == 0 {
                    u32::from(b'a') + below(letters)
                } else {
                    BYTES as u32 + below(made)
                }
            };
            let pair = (token(), token());
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
        let singles = (0..BYTES as u32).map(|rank| (rank, rank));
        Merges::new(singles.chain(pairs).collect::<MergeSources>()).unwrap()
    }

    /// Merges a piece in windows, and says how many did not fit or were too short.
    fn check<const W: usize, const O: usize>(
        singles: &[u32; BYTES],
        merges: &Merges,
        piece: &[u8],
        whole: &[usize],
    ) -> usize {
        let (mut windows, mut merging) = (Windows::<W, O>::default(), Merging::default());
        let mut misfits = 0;
        while !windows.advance(&mut merging, singles, merges, piece) {
            misfits += usize::from(windows.misfits > 0);
        }
        assert_eq!(windows.ends, whole, "{:?}", String::from_utf8_lossy(piece));
        assert_eq!(windows.tokens(), whole.len());
        misfits
    }

    #[test]
    fn windows_of_any_length_have_the_tokens_of_the_whole_piece() {
        let singles: [u32; BYTES] = std::array::from_fn(|byte| byte as u32);
        let (mut below, mut merging) = (prng(11), Merging::default());
        let (mut misfits, mut merged) = (0, 0);
        for round in 0..3_000 {
            let letters = 1 + below(3);
            let count = 1 + round % 40;
            let mut merges = merges(&mut below, letters, count);
            if round % 3 == 0 {
                // As a `tokenizer.json` may have them.
                let mut positions: Vec<u32> = (0..BYTES as u32 + count).collect();
                for at in BYTES..positions.len() {
                    positions.swap(at, BYTES + below(count) as usize);
                }
                merges = merges.in_order(positions);
            }
            let piece: Vec<u8> = (0..1 + below(400)).map(|_| b'a' + below(letters) as u8).collect();
            let whole: Vec<usize> =
                merging.starts(&singles, &merges, &piece).skip(1).chain([piece.len()]).collect();
            misfits += check::<2, 1>(&singles, &merges, &piece, &whole);
            misfits += check::<5, 4>(&singles, &merges, &piece, &whole);
            misfits += check::<17, 2>(&singles, &merges, &piece, &whole);
            misfits += check::<60, 3>(&singles, &merges, &piece, &whole);
            assert_eq!(whole.len(), merging.ranks(&singles, &merges, &piece).len());
            merged += usize::from(whole.len() < piece.len() / 2);
        }
        assert!(merged > 1_000, "{merged} pieces have longer tokens");
        assert!(misfits > 1_000, "{misfits} windows did not fit");
    }
}
