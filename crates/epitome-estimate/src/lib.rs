//! Token estimates for JavaScript, which need no vocabulary, as a wasm module of its own: small, and ready within milliseconds.
//!
//! Only numbers cross the boundary, as in `epitome-count`. `npm/src/counting/estimator.ts` is the JavaScript side.
#![cfg(target_arch = "wasm32")]

use epitome_buffer as buffer;
pub use epitome_buffer::resize_buffer;
use epitome_tokens::{CharactersPer, Estimate};
use wasm_bindgen::prelude::wasm_bindgen;

/// The number of the family whose name is in the buffer; -1 if there is no such family.
#[wasm_bindgen]
pub fn family(bytes: usize) -> i32 {
    buffer::position(bytes, Estimate::ALL.iter().map(|estimate| estimate.name()))
}

/// Estimates the tokens of the text in the buffer for a family; 0 if no family has this number.
#[wasm_bindgen]
pub fn estimate(bytes: usize, family: usize) -> u32 {
    let of = |estimate: &Estimate| buffer::look(bytes, |text| estimate.count_utf8(text));
    Estimate::ALL.get(family).map_or(0, of)
}

/// The same for a text that is in the buffer as UTF-16, of `units` units.
// JavaScript strings are UTF-16. For texts outside Latin scripts, copying the units is faster than encoding UTF-8.
#[wasm_bindgen(js_name = estimateUtf16)]
pub fn estimate_utf16(units: usize, family: usize) -> u32 {
    let of = |estimate: &Estimate| {
        buffer::look(2 * units, |text| estimate.count_utf16(text.as_chunks().0))
    };
    Estimate::ALL.get(family).map_or(0, of)
}

/// Estimates the tokens of the text in the buffer by its characters.
#[wasm_bindgen(js_name = estimateByCharacters)]
pub fn estimate_by_characters(bytes: usize, characters_per_token: u32) -> u32 {
    buffer::look(bytes, |text| CharactersPer(characters_per_token).count_utf8(text))
}
