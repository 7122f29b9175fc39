//! Exact counts, by the vocabularies that were read.

use std::cell::RefCell;
use std::rc::Rc;

use epitome_buffer as buffer;
use epitome_tokens::{BytePairs, Encoding, between_pieces};
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
    let count = KNOWN.with_borrow(|known| {
        let Known { vocabulary, reach } = known.get(encoding)?.as_ref()?;
        buffer::look(bytes, |text| {
            let counts = *reach == Reach::Everything || text.is_ascii();
            counts.then(|| vocabulary.count_utf8(text))
        })
    });
    count.map_or(-1.0, f64::from)
}

/// Where a long text is divided, of which a window is in the buffer: how many UTF-16 units of the window are before the first place
/// at which every encoding ends a piece; 0 if there is none.
#[wasm_bindgen]
pub fn divide(bytes: usize) -> usize {
    buffer::look(bytes, |window| {
        let window = std::str::from_utf8(window).ok()?;
        let before = window.get(..between_pieces(window, 0)?)?;
        Some(before.encode_utf16().count())
    })
    .unwrap_or_default()
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
