//! Exact counts, by the vocabularies that were read.

use std::cell::RefCell;
use std::rc::Rc;

use epitome_tokens::{BytePairs, Encoding};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::room;

/// What texts a vocabulary counts: those in ASCII, where it is the shard for them, or all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    Ascii,
    Everything,
}

struct Known {
    vocabulary: Rc<BytePairs>,
    reach: Reach,
}

thread_local! {
    static KNOWN: RefCell<[Option<Known>; Encoding::ALL.len()]> = RefCell::default();
}

/// The number of the encoding that the room has the name of; -1 where there is none.
#[wasm_bindgen]
pub fn encoding(bytes: usize) -> i32 {
    room::position(bytes, Encoding::ALL.iter().map(|encoding| encoding.as_str()))
}

/// Counts the tokens of the text in the room by the encoding of this number; -1 where its vocabulary was not read, or
/// is the shard for ASCII and the text has more in it.
#[wasm_bindgen]
pub fn count(bytes: usize, encoding: usize) -> f64 {
    let count = KNOWN.with_borrow(|known| {
        let Known { vocabulary, reach } = known.get(encoding)?.as_ref()?;
        room::look(bytes, |text| {
            let counts = *reach == Reach::Everything || text.is_ascii();
            counts.then(|| vocabulary.count_utf8(text))
        })
    });
    count.map_or(-1.0, f64::from)
}

/// Keeps a vocabulary, in place of an earlier one of the same encoding.
pub(crate) fn keep(vocabulary: Rc<BytePairs>, reach: Reach) {
    let number = Encoding::ALL.iter().position(|known| *known == vocabulary.encoding());
    KNOWN.with_borrow_mut(|known| {
        if let Some(slot) = number.and_then(|number| known.get_mut(number)) {
            *slot = Some(Known { vocabulary, reach });
        }
    });
}
