//! Exact counts, by the vocabularies that were read.

use std::cell::RefCell;
use std::rc::Rc;

use epitome_buffer as buffer;
use epitome_tokens::{BytePairs, Encoding};
use wasm_bindgen::prelude::wasm_bindgen;

/// The texts that a vocabulary can count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// ASCII text: the vocabulary is the shard for ASCII.
    Ascii,
    Everything,
}

struct Known {
    vocabulary: Rc<BytePairs>,
    reach: Reach,
}

thread_local! {
    /// By the number of the encoding.
    static KNOWN: RefCell<[Option<Known>; Encoding::ALL.len()]> = RefCell::default();
}

/// The number of the encoding whose name is in the buffer; -1 if there is no such encoding.
#[wasm_bindgen]
pub fn encoding(bytes: usize) -> i32 {
    buffer::position(bytes, Encoding::ALL.iter().map(|encoding| encoding.as_str()))
}

/// Counts the tokens of the text in the buffer by an encoding; -1 if its vocabulary was not read, or if it is the shard
/// for ASCII and the text is not ASCII.
// A float, because it holds every `u32` and -1. A 64-bit integer would be a `BigInt` in JavaScript.
#[wasm_bindgen]
pub fn count(bytes: usize, encoding: usize) -> f64 {
    let count = buffer::look(bytes, |text| {
        KNOWN.with_borrow(|known| Some(known_for(known, text, encoding)?.count_utf8(text)))
    });
    count.map_or(-1.0, f64::from)
}

/// The vocabulary of an encoding, if it was read and can count this text.
pub(crate) fn vocabulary_for(text: &str, encoding: usize) -> Option<Rc<BytePairs>> {
    KNOWN.with_borrow(|known| known_for(known, text.as_bytes(), encoding).cloned())
}

fn known_for<'a>(
    known: &'a [Option<Known>],
    text: &[u8],
    encoding: usize,
) -> Option<&'a Rc<BytePairs>> {
    let Known { vocabulary, reach } = known.get(encoding)?.as_ref()?;
    (*reach == Reach::Everything || text.is_ascii()).then_some(vocabulary)
}

/// Stores a vocabulary. It replaces one of the same encoding.
pub(crate) fn keep(vocabulary: Rc<BytePairs>, reach: Reach) {
    let number = Encoding::ALL.iter().position(|known| *known == vocabulary.encoding());
    KNOWN.with_borrow_mut(|known| {
        if let Some(slot) = number.and_then(|number| known.get_mut(number)) {
            *slot = Some(Known { vocabulary, reach });
        }
    });
}
