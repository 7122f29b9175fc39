//! Finds again which texts were seen before, without a copy of them.

use std::hash::{DefaultHasher, Hasher as _};

/// Numbers of texts, found by the hash of a text. The texts themselves are stored by the caller.
///
/// A tree of texts would need several comparisons of texts for each lookup, each at another place in the memory: of a
/// message with a million different names that was most of a compaction's time. Nothing is iterated, so that results do not
/// depend on the hash. It is one for which nobody can write many texts with the same hash at little cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    slots: Vec<Slot>,
    count: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Slot {
    hash: u32,
    /// The number of a text and one more; 0 in an empty slot, and [`REMOVED`] where a text was.
    entry: u32,
}

/// No text has this number: there is no memory for as many.
const REMOVED: u32 = u32::MAX;

/// The hash of a text.
#[derive(Clone, Copy, Debug)]
pub struct Hash(u32);

impl Hash {
    /// Of a text, and of a mark that makes it another text.
    pub fn of(text: &str, mark: u8) -> Self {
        let mut hasher = DefaultHasher::new();
        hasher.write(text.as_bytes());
        hasher.write_u8(mark);
        let hash = hasher.finish();
        Self((hash ^ (hash >> 32)) as u32)
    }
}

impl Seen {
    /// The number of the text with this hash for which `is_same` is true. Costs O(1) and a few comparisons.
    pub fn find(&self, hash: Hash, is_same: impl Fn(usize) -> bool) -> Option<usize> {
        for slot in self.probed(hash) {
            let number = slot.entry.checked_sub(1)? as usize;
            if slot.hash == hash.0 && slot.entry != REMOVED && is_same(number) {
                return Some(number);
            }
        }
        None
    }

    /// Forgets the text with this hash and number. Costs O(1) on average.
    pub fn remove(&mut self, hash: Hash, number: usize) {
        // The texts behind it may be where they are because it was here, so that the slot stays taken.
        if let Some(slot) = self.probe(hash, |slot| slot.entry as usize == number + 1) {
            slot.entry = REMOVED;
        }
    }

    /// Adds the number of a text that was not seen before. Costs O(1) on average.
    pub fn add(&mut self, hash: Hash, number: usize) {
        self.count += 1;
        if self.count * 2 > self.slots.len() {
            let slots = vec![Slot::default(); (self.slots.len() * 2).max(16)];
            for slot in std::mem::replace(&mut self.slots, slots) {
                if slot.entry > 0 && slot.entry != REMOVED {
                    self.place(slot);
                }
            }
        }
        let entry = u32::try_from(number + 1).unwrap_or(u32::MAX);
        self.place(Slot { hash: hash.0, entry });
    }

    fn place(&mut self, slot: Slot) {
        if let Some(free) = self.probe(Hash(slot.hash), |free| free.entry == 0) {
            *free = slot;
        }
    }

    /// The first of the slots in which a text with this hash can be for which `is` is true.
    fn probe(&mut self, hash: Hash, is: impl Fn(&Slot) -> bool) -> Option<&mut Slot> {
        let start = self.start(hash).min(self.slots.len());
        let (before, behind) = self.slots.split_at_mut(start);
        behind.iter_mut().chain(before).find(|slot| is(slot))
    }

    /// The slots in which a text with this hash can be, in order.
    fn probed(&self, hash: Hash) -> impl Iterator<Item = &Slot> {
        let (before, behind) = self.slots.split_at(self.start(hash).min(self.slots.len()));
        behind.iter().chain(before)
    }

    fn start(&self, hash: Hash) -> usize {
        ((u64::from(hash.0) * self.slots.len() as u64) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j13_every_text_is_found_again_and_no_other() {
        let texts: Vec<String> = (0..5_000).map(|n| format!("w{n}")).collect();
        let mut seen = Seen::default();
        let find =
            |seen: &Seen, text: &str| seen.find(Hash::of(text, 0), |number| texts[number] == text);
        for (number, text) in texts.iter().enumerate() {
            assert_eq!(find(&seen, text), None);
            seen.add(Hash::of(text, 0), number);
        }
        for (number, text) in texts.iter().enumerate() {
            assert_eq!(find(&seen, text), Some(number));
        }
        assert_eq!(find(&seen, "w5000"), None);
        assert_eq!(seen.find(Hash::of("w1", 1), |number| texts[number] == "w1"), None);
        let longest = texts
            .iter()
            .map(|text| seen.probed(Hash::of(text, 0)).take_while(|slot| slot.entry > 0).count());
        assert!(longest.max().unwrap() < 64, "no text has a long way to go");
        for (number, text) in texts.iter().enumerate().step_by(3) {
            seen.remove(Hash::of(text, 0), number);
        }
        for (number, text) in texts.iter().enumerate() {
            assert_eq!(find(&seen, text), (number % 3 > 0).then_some(number));
        }
        for (number, text) in texts.iter().enumerate().step_by(3) {
            seen.add(Hash::of(text, 0), number);
        }
        for (number, text) in texts.iter().enumerate() {
            assert_eq!(find(&seen, text), Some(number));
        }
    }
}
