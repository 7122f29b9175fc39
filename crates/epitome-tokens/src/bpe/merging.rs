//! The tokens of one piece as they are defined: neighbours are merged, those that were learned first in front.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::merges::Merges;
use super::vocabulary::BYTES;

/// Up to so many parts, looking at all of them for the next merge is quicker than keeping them in order.
const FEW: usize = 32;
/// No merge, or no part.
const NONE: u32 = u32::MAX;

/// Room to work in, kept from piece to piece.
#[derive(Debug, Default)]
pub(super) struct Merging {
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
    pub(super) fn of(&mut self, singles: &[u32; BYTES], merges: &Merges, piece: &[u8]) -> &[u32] {
        let single = |byte: &u8| singles.get(usize::from(*byte)).copied().unwrap_or(0);
        self.of_pairs(singles, merges, piece, |left, right| {
            merges.merged(single(&left), single(&right))
        })
    }

    /// The same where it is known which token two bytes make.
    #[inline]
    pub(super) fn of_pairs(
        &mut self,
        singles: &[u32; BYTES],
        merges: &Merges,
        piece: &[u8],
        pair: impl Fn(u8, u8) -> Option<u32>,
    ) -> &[u32] {
        let single = |byte: &u8| singles.get(usize::from(*byte)).copied().unwrap_or(0);
        self.parts.clear();
        self.parts.extend(piece.iter().map(single));
        self.made.clear();
        let pairs = piece.iter().zip(piece.iter().skip(1));
        self.made.extend(pairs.map(|(&left, &right)| pair(left, right).unwrap_or(NONE)));
        self.made.push(NONE);
        if self.parts.len() <= FEW {
            self.merge_few(merges);
        } else {
            self.merge_many(merges);
        }
        &self.parts
    }

    fn merge_few(&mut self, merges: &Merges) {
        let Self { parts, made, .. } = self;
        loop {
            let places = made.iter().map(|&rank| merges.place(rank)).zip(0_usize..);
            let Some((place, at)) = places.min() else { return };
            if place == NONE {
                return;
            }
            let rank = made.remove(at);
            parts.remove(at);
            let pair = |parts: &[u32], at: usize| match parts.get(at..at + 2) {
                Some(&[left, right]) => merges.merged(left, right).unwrap_or(NONE),
                _ => NONE,
            };
            if let Some(part) = parts.get_mut(at) {
                *part = rank;
            }
            if let Some(slot) = made.get_mut(at) {
                *slot = pair(parts, at);
            }
            if let Some(before) = at.checked_sub(1)
                && let Some(slot) = made.get_mut(before)
            {
                *slot = pair(parts, before);
            }
        }
    }

    fn merge_many(&mut self, merges: &Merges) {
        let Self { parts, made, links, due } = self;
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
