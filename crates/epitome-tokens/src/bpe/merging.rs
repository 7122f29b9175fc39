//! The tokens of one piece as they are defined: neighbours are merged, those that were learned first in front.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::characters::Characters;
use super::merges::{Merges, NONE};
use super::vocabulary::BYTES;

/// Up to so many parts, looking at all of them for the next merge is quicker than keeping them in order.
const FEW: usize = 32;

/// Room to work in, kept from piece to piece.
#[derive(Debug, Default)]
pub(super) struct Merging {
    few: Few,
    /// The ranks so far.
    parts: Vec<u32>,
    /// What each part makes with the one behind it.
    made: Vec<u32>,
    /// The parts before and behind each.
    links: Vec<(u32, u32)>,
    /// The place of a merge in the order of merges, and the part it is at.
    due: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Merging {
    /// The ranks of the tokens of `piece`, in order. Takes O(n log n).
    pub(super) fn ranks(
        &mut self,
        singles: &[u32; BYTES],
        merges: &Merges,
        piece: &[u8],
    ) -> &[u32] {
        let single = |byte: &u8| singles.get(usize::from(*byte)).copied().unwrap_or(0);
        self.few.clear();
        piece.iter().for_each(|byte| self.few.push(single(byte)));
        self.parts.clear();
        match self.few.merge(merges) {
            Some(_) => self.parts.extend(self.few.ranks()),
            None => {
                self.parts.extend(piece.iter().map(single));
                self.merge_many(merges);
            }
        }
        &self.parts
    }

    /// How many tokens `piece` has, where it starts from few parts.
    #[inline]
    pub(super) fn count_few(
        &mut self,
        singles: &[u32; BYTES],
        merges: &Merges,
        characters: &Characters,
        piece: &[u8],
    ) -> Option<usize> {
        self.few.clear();
        characters.starts(singles, piece, |rank| self.few.push(rank));
        self.few.merge(merges)
    }

    fn merge_many(&mut self, merges: &Merges) {
        let Self { parts, made, links, due, .. } = self;
        made.clear();
        let pairs = parts.iter().zip(parts.iter().skip(1));
        made.extend(pairs.map(|(&left, &right)| merges.merged(left, right).unwrap_or(NONE)));
        made.push(NONE);
        let count = parts.len() as u32;
        links.clear();
        links.extend((0..count).map(|at| {
            (at.checked_sub(1).unwrap_or(NONE), if at + 1 < count { at + 1 } else { NONE })
        }));
        due.clear();
        let placed = made.iter().zip(0_u32..).filter(|(rank, _)| **rank != NONE);
        due.extend(placed.map(|(&rank, at)| Reverse((merges.place(rank), at))));
        let part = |parts: &[u32], at: u32| parts.get(at as usize).copied().unwrap_or(NONE);
        while let Some(Reverse((place, at))) = due.pop() {
            let rank = part(made, at);
            // What was noted of a part that has become another one since is void.
            if rank == NONE || merges.place(rank) != place {
                continue;
            }
            let (before, gone) = links.get(at as usize).copied().unwrap_or((NONE, NONE));
            let (_, behind) = links.get(gone as usize).copied().unwrap_or((NONE, NONE));
            set(parts, at, rank);
            set(parts, gone, NONE);
            set(made, gone, NONE);
            set(links, at, (before, behind));
            if let Some(link) = links.get_mut(behind as usize) {
                link.0 = at;
            }
            for (left, right) in [(at, behind), (before, at)] {
                if left == NONE {
                    continue;
                }
                let pair = (part(parts, left), part(parts, right));
                let merged = if right == NONE { None } else { merges.merged(pair.0, pair.1) };
                set(made, left, merged.unwrap_or(NONE));
                due.extend(merged.map(|rank| Reverse((merges.place(rank), left))));
            }
        }
        parts.retain(|&rank| rank != NONE);
    }
}

fn set<T>(list: &mut [T], at: u32, value: T) {
    if let Some(slot) = list.get_mut(at as usize) {
        *slot = value;
    }
}

/// A number for each of a few parts.
#[derive(Debug, Default)]
struct Each([u32; FEW]);

impl Each {
    #[inline]
    fn get(&self, at: usize) -> u32 {
        self.0.get(at % FEW).copied().unwrap_or(NONE)
    }

    #[inline]
    fn set(&mut self, at: usize, number: u32) {
        if let Some(slot) = self.0.get_mut(at % FEW) {
            *slot = number;
        }
    }

    /// The least of all.
    #[inline]
    fn least(&self) -> u32 {
        self.0.iter().fold(NONE, |least, &number| least.min(number))
    }
}

/// A few parts in a row, of a vocabulary whose merges come in the order of ranks.
#[derive(Debug, Default)]
struct Few {
    /// How many there were at first; more than [`FEW`] where they are not kept.
    count: usize,
    /// A bit for each that is left.
    left: u32,
    /// The ranks so far; of a part that is gone, anything.
    parts: Each,
    /// What each part makes with the one behind it: the rank, and below that the place of the part. [`NONE`] where
    /// that is nothing, and behind the last.
    made: Each,
}

const PLACE_BITS: u32 = FEW.trailing_zeros();

impl Few {
    fn clear(&mut self) {
        self.count = 0;
    }

    #[inline]
    fn push(&mut self, rank: u32) {
        self.parts.set(self.count, rank);
        self.count += 1;
    }

    /// Merges them; returns how many parts are left. Nothing where there are more than a few.
    #[inline]
    fn merge(&mut self, merges: &Merges) -> Option<usize> {
        if self.count > FEW || !merges.are_in_order_of_ranks() {
            return None;
        }
        self.start(merges);
        while let Some((rank, at)) = self.first() {
            self.merge_at(merges, rank, at);
        }
        Some(self.left.count_ones() as usize)
    }

    #[inline]
    fn start(&mut self, merges: &Merges) {
        self.left = u32::MAX.checked_shr(u32::BITS - self.count as u32).unwrap_or(0);
        self.made = Each([NONE; FEW]);
        for at in 1..self.count {
            self.note(merges, at - 1, at);
        }
    }

    /// The rank and the place of the merge that comes first, the leftmost of equals.
    #[inline]
    fn first(&self) -> Option<(u32, usize)> {
        let first = self.made.least();
        (first != NONE).then_some((first >> PLACE_BITS, first as usize % FEW))
    }

    /// Merges the part at `at` with the one behind it to the one of `rank`.
    #[inline]
    fn merge_at(&mut self, merges: &Merges, rank: u32, at: usize) {
        let behind = self.left & (u32::MAX << 1 << at);
        let gone = behind.trailing_zeros() as usize % FEW;
        self.left &= !(1 << gone);
        self.made.set(gone, NONE);
        self.parts.set(at, rank);
        let (behind, before) = (behind & behind.wrapping_sub(1), self.left & !(u32::MAX << at));
        if behind == 0 {
            self.made.set(at, NONE);
        } else {
            self.note(merges, at, behind.trailing_zeros() as usize);
        }
        if let Some(before) = before.checked_ilog2() {
            self.note(merges, before as usize, at);
        }
    }

    /// Notes what two neighbours make.
    #[inline]
    fn note(&mut self, merges: &Merges, left: usize, right: usize) {
        let made = merges.merged(self.parts.get(left), self.parts.get(right));
        self.made.set(left, made.map_or(NONE, |rank| rank << PLACE_BITS | left as u32));
    }

    /// The ranks of the parts that are left.
    fn ranks(&self) -> impl Iterator<Item = u32> {
        (0..FEW).filter(|at| self.left >> at & 1 == 1).map(|at| self.parts.get(at))
    }
}
