//! The tokens of one piece of any length, as the encoding defines them: neighbours are merged in the order of merges.
//!
//! This works with the merges by rank alone, without an index. It is the reference for the faster `short_piece.rs`.

use super::merges::Merges;
use super::radix_heap::RadixHeap;
use super::rank::{BYTES, NONE};

/// The state of a merge, kept from piece to piece so that no memory is allocated.
#[derive(Debug, Default)]
pub(super) struct Merging {
    /// The rank of each part; [`NONE`] if it was merged into the part before it.
    parts: Vec<u32>,
    /// The rank of the token that each part and the next one merge into; [`NONE`] if they do not merge.
    merged: Vec<u32>,
    /// The positions of the previous and the next part.
    // A linked list: removing a part from the vectors would move all later ones, which is quadratic in the piece.
    links: Vec<(u32, u32)>,
    heap: RadixHeap,
}

impl Merging {
    /// The ranks of the tokens of `piece`, in order. Takes time linear in the piece.
    pub(super) fn ranks(
        &mut self,
        singles: &[u32; BYTES],
        merges: &Merges,
        piece: &[u8],
    ) -> &[u32] {
        self.merge(singles, merges, piece);
        self.parts.retain(|&rank| rank != NONE);
        &self.parts
    }

    /// Where the tokens of `piece` begin, in order. Takes time linear in the piece.
    pub(super) fn starts(
        &mut self,
        singles: &[u32; BYTES],
        merges: &Merges,
        piece: &[u8],
    ) -> impl Iterator<Item = usize> {
        self.merge(singles, merges, piece);
        let parts = self.parts.iter().enumerate();
        parts.filter_map(|(start, &rank)| (rank != NONE).then_some(start))
    }

    fn merge(&mut self, singles: &[u32; BYTES], merges: &Merges, piece: &[u8]) {
        let single = |byte: &u8| singles.get(usize::from(*byte)).copied().unwrap_or(0);
        self.parts.clear();
        self.parts.extend(piece.iter().map(single));
        let count = self.parts.len() as u32;
        self.merged.clear();
        self.merged.resize(self.parts.len(), NONE);
        self.links.clear();
        self.links.extend((0..count).map(|at| {
            (at.checked_sub(1).unwrap_or(NONE), if at + 1 < count { at + 1 } else { NONE })
        }));
        self.heap.restart();
        (1..count).for_each(|at| self.look_up(merges, at - 1, at));
        while let Some(pending) = self.heap.pop() {
            let at = pending as u32;
            let rank = get(&self.merged, at);
            // A merge stays in the heap when one of its two parts changes. It is out of date then: the part now merges
            // into another token, or into none. Applying it would merge parts that are gone.
            if rank != NONE && pending == self::pending(merges.position(rank), at) {
                self.merge_at(merges, at, rank);
            }
        }
    }

    /// Merges the part at `at` with the next one into the token of `rank`.
    fn merge_at(&mut self, merges: &Merges, at: u32, rank: u32) {
        let (previous, removed) = self.links(at);
        let (_, next) = self.links(removed);
        set(&mut self.parts, at, rank);
        set(&mut self.parts, removed, NONE);
        set(&mut self.merged, removed, NONE);
        set(&mut self.links, at, (previous, next));
        if let Some(link) = self.links.get_mut(next as usize) {
            link.0 = at;
        }
        self.look_up(merges, at, next);
        self.look_up(merges, previous, at);
    }

    /// Looks up what two neighbours merge into, and adds that to the pending merges. Does nothing at the ends of the
    /// piece, where one of them is [`NONE`].
    fn look_up(&mut self, merges: &Merges, left: u32, right: u32) {
        let merged = merges.merged(get(&self.parts, left), get(&self.parts, right));
        set(&mut self.merged, left, merged.unwrap_or(NONE));
        if let Some(rank) = merged {
            self.heap.push(pending(merges.position(rank), left));
        }
    }

    /// The positions of the previous and the next part.
    fn links(&self, at: u32) -> (u32, u32) {
        self.links.get(at as usize).copied().unwrap_or((NONE, NONE))
    }
}

/// A pending merge of the part at `part`, as a number: first by the position in the order of merges, then from left to
/// right, which is the order that the encoding defines.
fn pending(position: u32, part: u32) -> u64 {
    u64::from(position) << u32::BITS | u64::from(part)
}

fn get(list: &[u32], at: u32) -> u32 {
    list.get(at as usize).copied().unwrap_or(NONE)
}

fn set<T>(list: &mut [T], at: u32, value: T) {
    if let Some(slot) = list.get_mut(at as usize) {
        *slot = value;
    }
}
