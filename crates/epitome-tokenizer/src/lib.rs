//! Exact counts by the `tokenizer.json` of a model, for JavaScript, in a module that few apps need.
//!
//! As with `epitome-count`, only numbers cross: files and texts are in the room, and a tokenizer is a number.
#![cfg(target_arch = "wasm32")]

#[allow(dead_code, reason = "the other module needs more of it")]
#[path = "../../epitome-count/src/room.rs"]
mod room;

use std::cell::RefCell;

use epitome_tokens::{Tokenizer as _, TokenizerJson};
pub use room::room;
use wasm_bindgen::prelude::wasm_bindgen;

thread_local! {
    /// Those that were read, by number.
    static TOKENIZERS: RefCell<Vec<Option<TokenizerJson>>> = const { RefCell::new(Vec::new()) };
}

/// Reads the `tokenizer.json` in the room. Returns its number; where it cannot be used, as a negative number how many
/// bytes of the room say why.
#[wasm_bindgen]
pub fn read() -> i32 {
    let file = room::take();
    match TokenizerJson::read(&String::from_utf8_lossy(&file)) {
        Ok(read) => TOKENIZERS.with_borrow_mut(|tokenizers| {
            tokenizers.push(Some(read));
            tokenizers.len() as i32 - 1
        }),
        Err(error) => -(room::put(error.to_string()) as i32),
    }
}

/// Frees a tokenizer that nobody counts by any more. Its number stays taken.
#[wasm_bindgen]
pub fn forget(tokenizer: usize) {
    TOKENIZERS.with_borrow_mut(|tokenizers| {
        if let Some(slot) = tokenizers.get_mut(tokenizer) {
            *slot = None;
        }
    });
}

/// Counts the tokens of the text in the room; -1 where the tokenizer was not read, or is forgotten.
#[wasm_bindgen]
pub fn count(bytes: usize, tokenizer: usize) -> f64 {
    TOKENIZERS.with_borrow(|tokenizers| {
        let tokenizer = tokenizers.get(tokenizer).and_then(Option::as_ref);
        let count =
            |text: &[u8]| tokenizer.map(|known| known.count(&String::from_utf8_lossy(text)));
        room::look(bytes, count).map_or(-1.0, f64::from)
    })
}
