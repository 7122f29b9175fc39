//! Estimates, which need no vocabulary.

use epitome_tokens::{CharactersPer, Family};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::room;

#[wasm_bindgen(typescript_custom_section)]
const FAMILY: &str = r#"
/**
 * Models whose tokenizers count alike: OpenAI's since GPT-4o; OpenAI's GPT-4, GPT-3.5 and embeddings; Anthropic's since
 * Claude 4; Google's since Gemini 2.
 */
export type TokenFamily = "o200k_base" | "cl100k_base" | "claude" | "gemini";
"#;

/// Tokens of a text for a family that is named, by how the text is written.
struct Estimates {
    family: &'static str,
    utf8: fn(&[u8]) -> u32,
    utf16: fn(&[[u8; 2]]) -> u32,
}

/// Those that share one table of prices: one that `cl100k_base` had to itself would be a quarter of the module.
const FAMILIES: [Estimates; 4] = [
    Estimates {
        family: Family::O200kBase.as_str(),
        utf8: |text| Family::O200kBase.count_utf8(text),
        utf16: |text| Family::O200kBase.count_utf16(text),
    },
    Estimates {
        family: Family::Cl100kBase.as_str(),
        utf8: |text| Family::Cl100kScaled.count_utf8(text),
        utf16: |text| Family::Cl100kScaled.count_utf16(text),
    },
    Estimates {
        family: Family::Claude.as_str(),
        utf8: |text| Family::Claude.count_utf8(text),
        utf16: |text| Family::Claude.count_utf16(text),
    },
    Estimates {
        family: Family::Gemini.as_str(),
        utf8: |text| Family::Gemini.count_utf8(text),
        utf16: |text| Family::Gemini.count_utf16(text),
    },
];

/// The number of the family that the room has the name of; -1 where there is none.
#[wasm_bindgen]
pub fn family(bytes: usize) -> i32 {
    room::position(bytes, FAMILIES.iter().map(|known| known.family))
}

/// Estimates the tokens of the text in the room for a family; 0 for a number that no family has.
#[wasm_bindgen]
pub fn estimate(bytes: usize, family: usize) -> u32 {
    FAMILIES.get(family).map_or(0, |known| room::look(bytes, known.utf8))
}

/// The same of a text that is in the room as UTF-16, of so many units.
#[wasm_bindgen(js_name = estimateUtf16)]
pub fn estimate_utf16(units: usize, family: usize) -> u32 {
    let of = |known: &Estimates| room::look(2 * units, |text| (known.utf16)(text.as_chunks().0));
    FAMILIES.get(family).map_or(0, of)
}

/// Estimates the tokens of the text in the room by its characters.
#[wasm_bindgen(js_name = estimateByCharacters)]
pub fn estimate_by_characters(bytes: usize, characters_per_token: u32) -> u32 {
    room::look(bytes, |text| CharactersPer(characters_per_token).count_utf8(text))
}
