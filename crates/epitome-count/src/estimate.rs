//! Estimates, which need no vocabulary.

use epitome_tokens::{CharactersPer, Estimate};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::room;

/// The number of the family whose name is in the room; -1 if there is no such family.
#[wasm_bindgen]
pub fn family(bytes: usize) -> i32 {
    room::position(bytes, Estimate::ALL.iter().map(|estimate| estimate.name()))
}

/// Estimates the tokens of the text in the room for a family; 0 if no family has this number.
#[wasm_bindgen]
pub fn estimate(bytes: usize, family: usize) -> u32 {
    let of = |estimate: &Estimate| room::look(bytes, |text| estimate.count_utf8(text));
    Estimate::ALL.get(family).map_or(0, of)
}

/// The same for a text that is in the room as UTF-16, of `units` units.
#[wasm_bindgen(js_name = estimateUtf16)]
pub fn estimate_utf16(units: usize, family: usize) -> u32 {
    let of = |estimate: &Estimate| {
        room::look(2 * units, |text| estimate.count_utf16(text.as_chunks().0))
    };
    Estimate::ALL.get(family).map_or(0, of)
}

/// Estimates the tokens of the text in the room by its characters.
#[wasm_bindgen(js_name = estimateByCharacters)]
pub fn estimate_by_characters(bytes: usize, characters_per_token: u32) -> u32 {
    room::look(bytes, |text| CharactersPer(characters_per_token).count_utf8(text))
}
