//! Exact counts by the `tokenizer.json` of a model, for JavaScript, in a module that few apps need.
//!
//! As with `epitome-count`, only numbers cross: files and texts are in the room, and a tokenizer is a number that the
//! caller chooses.
#![cfg(target_arch = "wasm32")]

#[allow(dead_code, reason = "the other module needs more of it")]
#[path = "../../epitome-count/src/room.rs"]
mod room;

use std::cell::RefCell;
use std::collections::BTreeMap;

use epitome_tokens::{Tokenizer as _, TokenizerJson};
pub use room::room;
use wasm_bindgen::prelude::wasm_bindgen;

thread_local! {
    static TOKENIZERS: RefCell<BTreeMap<u32, TokenizerJson>> = RefCell::default();
}

/// Reads the `tokenizer.json` in the room, in place of an earlier one of the same number. Returns how many bytes of the
/// room say why it cannot be used: 0 where it can.
#[wasm_bindgen]
pub fn read(tokenizer: u32) -> usize {
    let file = room::take();
    match TokenizerJson::read(&String::from_utf8_lossy(&file)) {
        Ok(read) => {
            TOKENIZERS.with_borrow_mut(|tokenizers| tokenizers.insert(tokenizer, read));
            0
        }
        Err(error) => room::put(error.to_string()),
    }
}

/// Counts the tokens of the text in the room; -1 where the tokenizer was not read.
#[wasm_bindgen]
pub fn count(bytes: usize, tokenizer: u32) -> f64 {
    TOKENIZERS.with_borrow(|tokenizers| {
        let tokenizer = tokenizers.get(&tokenizer);
        let count =
            |text: &[u8]| tokenizer.map(|known| known.count(&String::from_utf8_lossy(text)));
        room::look(bytes, count).map_or(-1.0, f64::from)
    })
}
