//! Estimates, which need no vocabulary.

use epitome_tokens::{CharactersPer, Family};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::room;

#[wasm_bindgen(typescript_custom_section)]
const FAMILY: &str = r#"
/**
 * Models whose tokenizers count alike: OpenAI's since GPT-4o; its GPT-4 and GPT-3.5; Anthropic's since Claude 4;
 * Google's since Gemini 2.
 */
export type TokenFamily = "o200k_base" | "cl100k_base" | "claude" | "gemini";
"#;

/// The number of the family that the room has the name of; -1 where there is none.
#[wasm_bindgen]
pub fn family(bytes: usize) -> i32 {
    room::position(bytes, Family::ALL.iter().map(|family| family.as_str()))
}

/// Estimates the tokens of the text in the room for a family. An unknown number is that of the default.
#[wasm_bindgen]
pub fn estimate(bytes: usize, family: usize) -> u32 {
    let family = Family::ALL.get(family).copied().unwrap_or_default();
    room::look(bytes, |text| family.count_utf8(text))
}

/// Estimates the tokens of the text in the room by its characters.
#[wasm_bindgen(js_name = estimateByCharacters)]
pub fn estimate_by_characters(bytes: usize, characters_per_token: u32) -> u32 {
    room::look(bytes, |text| CharactersPer(characters_per_token).count_utf8(text))
}
