//! How much a term still counts in the units around the one that has it.

use crate::portable::decay;

/// The radii of the neighbourhoods of a unit, in terms: the sentences around it, and the part of the conversation with one
/// subject.
pub(crate) const RADII: [f32; 2] = [30.0, 200.0];
/// Is added to the length of each unit in terms, so that interjections, which have no terms, have a length too.
pub(crate) const GAP: f32 = 2.0;

/// The share of an occurrence in the unit before that counts in the next unit, for each radius, if the units have these lengths.
pub(crate) fn shares(before: Option<u32>, length: u32) -> [f32; RADII.len()] {
    let half = |length: u32| (length as f32 + GAP) / 2.0;
    let distance = before.map_or(0.0, half) + half(length);
    RADII.map(|radius| decay(distance / radius))
}
