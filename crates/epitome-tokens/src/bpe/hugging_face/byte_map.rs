//! A map from byte strings to numbers.
//!
//! The standard hash map is not allowed here, since its order differs from run to run, and an ordered map would be
//! several times slower for the hundreds of thousands of lookups that reading a file takes.

use super::super::hash::hash_of_word;
use super::super::packed::checksum;

/// Slots per string.
const SLOTS_PER_STRING: usize = 2;
const EMPTY: u32 = u32::MAX;

/// A hash table with linear probing.
#[derive(Clone, Debug)]
pub(super) struct ByteMap<S = Vec<u8>> {
    strings: Vec<(S, u32)>,
    slots: Vec<u32>,
}

impl<S: AsRef<[u8]>> ByteMap<S> {
    /// The map of `strings`. Of equal strings the first one is found.
    pub(super) fn new(strings: Vec<(S, u32)>) -> Self {
        let mut slots = vec![EMPTY; strings.len() * SLOTS_PER_STRING];
        for (which, (string, _)) in (0_u32..).zip(&strings) {
            let mut at = first_slot(string.as_ref(), slots.len());
            loop {
                match slots.get_mut(at) {
                    Some(slot) if *slot == EMPTY => {
                        *slot = which;
                        break;
                    }
                    Some(_) => at += 1,
                    None => at = 0,
                }
            }
        }
        Self { strings, slots }
    }

    /// The number of `string`, if it is in the map.
    #[inline]
    pub(super) fn find(&self, string: &[u8]) -> Option<u32> {
        // Without slots, the search would never end. Most models have an empty map of whole pieces, which this skips.
        if self.slots.is_empty() {
            return None;
        }
        self.search(string)
    }

    /// The strings with their numbers, in the order that `new` was given.
    pub(super) fn strings(&self) -> &[(S, u32)] {
        &self.strings
    }

    fn search(&self, string: &[u8]) -> Option<u32> {
        let mut at = first_slot(string, self.slots.len());
        loop {
            match self.slots.get(at) {
                Some(&EMPTY) => return None,
                Some(&which) => match self.strings.get(which as usize) {
                    Some((known, number)) if known.as_ref() == string => return Some(*number),
                    _ => at += 1,
                },
                None => at = 0,
            }
        }
    }
}

/// The slot where the search for `string` starts, in a table of `length` slots.
fn first_slot(string: &[u8], length: usize) -> usize {
    let hash = hash_of_word(checksum(string));
    ((hash * length as u64) >> 32) as usize
}
