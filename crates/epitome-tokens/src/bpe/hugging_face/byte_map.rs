//! Numbers of byte strings, found by their hash.

use super::super::packed::checksum;

/// Slots for every string.
const SLOTS_PER_STRING: usize = 2;
const EMPTY: u32 = u32::MAX;

/// A set of byte strings with a number each.
#[derive(Clone, Debug)]
pub(super) struct Index<S = Vec<u8>> {
    strings: Vec<(S, u32)>,
    slots: Vec<u32>,
}

impl<S: AsRef<[u8]>> Index<S> {
    /// The index of `strings`. Of equal ones the first is found.
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

    /// The number of `string`, where it is there.
    #[inline]
    pub(super) fn find(&self, string: &[u8]) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        self.search(string)
    }

    /// The strings with their numbers, in the order in which they came.
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

/// Where the search for `string` starts in a table of `length` slots.
fn first_slot(string: &[u8], length: usize) -> usize {
    let hash = checksum(string).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    ((hash * length as u64) >> 32) as usize
}
