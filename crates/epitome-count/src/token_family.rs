//! The TypeScript type of a family's name, written from the families that there are.
#![allow(dead_code, reason = "the lint does not see what a custom section is made of")]

use epitome_tokens::Estimate;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(typescript_custom_section)]
const TOKEN_FAMILY: &str = match str::from_utf8(&DECLARATION) {
    Ok(declaration) => declaration,
    Err(_) => "",
};

const OPENING: &str = r#"
/**
 * Models whose tokenizers count alike: OpenAI's since GPT-4o; OpenAI's GPT-4, GPT-3.5 and embeddings; Anthropic's since
 * Claude 4; Google's since Gemini 2.
 */
export type TokenFamily ="#;

// The declaration is written at compile time from `Estimate::ALL`, so that no family can be missing in it: once into
// nothing, to learn its length, and once into an array of that length.
const DECLARATION: [u8; declare(&mut [])] = {
    let mut text = [0; declare(&mut [])];
    declare(&mut text);
    text
};

/// Writes the declaration into `to` as far as it fits, and returns its length.
const fn declare(mut to: &mut [u8]) -> usize {
    let mut length = 0;
    write(&mut to, &mut length, OPENING);
    let mut families = Estimate::ALL;
    while let [family, others @ ..] = families {
        write(&mut to, &mut length, " \"");
        write(&mut to, &mut length, family.name());
        write(&mut to, &mut length, if others.is_empty() { "\";\n" } else { "\" |" });
        families = others;
    }
    length
}

/// Puts `text` in front of `to`, of which the rest stays, and adds its length.
#[expect(clippy::mem_replace_with_default, reason = "`take` is not a const function yet")]
const fn write(to: &mut &mut [u8], length: &mut usize, text: &str) {
    *length += text.len();
    if let Some((written, rest)) = std::mem::replace(to, &mut []).split_at_mut_checked(text.len()) {
        written.copy_from_slice(text.as_bytes());
        *to = rest;
    }
}
