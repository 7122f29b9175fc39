//! Exact counts in steps, for long texts.

use std::cell::RefCell;
use std::rc::Rc;

use epitome_buffer as buffer;
use epitome_tokens::{BytePairs, CountState, Tokenizer as _};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::exact;

struct Counting {
    vocabulary: Rc<BytePairs>,
    text: String,
    state: CountState,
}

thread_local! {
    /// By number. Few counts run at a time, mostly one.
    static BEGUN: RefCell<Vec<Option<Counting>>> = const { RefCell::new(Vec::new()) };
}

/// Begins to count the text in the buffer, as `count` does at once. The number of this count; -1 where that returns -1.
#[wasm_bindgen]
pub fn begin(bytes: usize, encoding: usize) -> f64 {
    let text = buffer::look(bytes, |text| String::from_utf8_lossy(text).into_owned());
    let Some(vocabulary) = exact::vocabulary_for(&text, encoding) else { return -1.0 };
    let counting = Some(Counting { vocabulary, text, state: CountState::default() });
    BEGUN.with_borrow_mut(|begun| {
        let number = begun.iter().position(Option::is_none).unwrap_or(begun.len());
        match begun.get_mut(number) {
            Some(free) => *free = counting,
            None => begun.push(counting),
        }
        number as f64
    })
}

/// Does a step of a count. Its tokens, once they are known; -1 before.
#[wasm_bindgen(js_name = countOn)]
pub fn count_on(number: usize) -> f64 {
    let tokens = BEGUN.with_borrow_mut(|begun| {
        let Counting { vocabulary, text, state } = begun.get_mut(number)?.as_mut()?;
        vocabulary.count_on(text, state)
    });
    tokens.map_or(-1.0, f64::from)
}

/// Frees a count, whether it has ended or not.
#[wasm_bindgen]
pub fn end(number: usize) {
    BEGUN.with_borrow_mut(|begun| begun.get_mut(number).map(Option::take));
}
