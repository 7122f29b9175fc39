//! Exact token counts by the `tokenizer.json` of a model, for JavaScript, as a wasm module that few apps need.
//!
//! As in `epitome-count`, only numbers cross the boundary: files and texts are in the scratch buffer
//! (`epitome-buffer`), and a tokenizer is a number.
#![cfg(target_arch = "wasm32")]

use std::cell::RefCell;

use epitome_buffer as buffer;
pub use epitome_buffer::resize_buffer;
use epitome_tokens::{Tokenizer as _, TokenizerJson};
use wasm_bindgen::prelude::wasm_bindgen;

thread_local! {
    /// The tokenizers that were read, by number.
    static TOKENIZERS: RefCell<Vec<Option<TokenizerJson>>> = const { RefCell::new(Vec::new()) };
}

/// Reads the `tokenizer.json` in the buffer. Returns the number of the tokenizer. If the file cannot be used, the
/// buffer has the error message, and the result is its length in bytes as a negative number.
#[wasm_bindgen]
pub fn read() -> i32 {
    let file = buffer::take();
    match TokenizerJson::read(&String::from_utf8_lossy(&file)) {
        Ok(read) => TOKENIZERS.with_borrow_mut(|tokenizers| {
            tokenizers.push(Some(read));
            tokenizers.len() as i32 - 1
        }),
        Err(error) => -(buffer::put(error.to_string()) as i32),
    }
}

/// Frees a tokenizer that is not used any more. Its number is not used again.
#[wasm_bindgen]
pub fn forget(tokenizer: usize) {
    TOKENIZERS.with_borrow_mut(|tokenizers| {
        if let Some(slot) = tokenizers.get_mut(tokenizer) {
            *slot = None;
        }
    });
}

/// Counts the tokens of the text in the buffer; -1 if there is no such tokenizer.
#[wasm_bindgen]
pub fn count(bytes: usize, tokenizer: usize) -> f64 {
    TOKENIZERS.with_borrow(|tokenizers| {
        let tokenizer = tokenizers.get(tokenizer).and_then(Option::as_ref);
        let count =
            |text: &[u8]| tokenizer.map(|known| known.count(&String::from_utf8_lossy(text)));
        buffer::look(bytes, count).map_or(-1.0, f64::from)
    })
}
