//! The stretch of memory that JavaScript writes into.

use std::cell::RefCell;

use wasm_bindgen::prelude::wasm_bindgen;

thread_local! {
    static ROOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes the room as many bytes large, and tells where it is: at a multiple of eight, as all that is allocated. What
/// was written stays, as far as it fits. The place holds until the next call.
#[wasm_bindgen]
pub fn room(bytes: usize) -> *const u8 {
    ROOM.with_borrow_mut(|room| {
        room.resize(bytes, 0);
        room.shrink_to_fit();
        room.as_ptr()
    })
}

/// Looks at the first bytes of the room; at all where there are fewer.
pub(crate) fn look<T>(bytes: usize, at: impl FnOnce(&[u8]) -> T) -> T {
    ROOM.with_borrow(|room| at(room.get(..bytes).unwrap_or(room)))
}

/// Where the name in the room stands among these; -1 where it does not.
pub(crate) fn position<'a>(bytes: usize, mut names: impl Iterator<Item = &'a str>) -> i32 {
    look(bytes, |name| names.position(|known| known.as_bytes() == name)).map_or(-1, |at| at as i32)
}

/// Takes the room with what is in it. The next one is empty.
pub(crate) fn take() -> Vec<u8> {
    ROOM.take()
}

/// Puts a text into the room, and returns how many bytes it has.
pub(crate) fn put(text: String) -> usize {
    let bytes = text.len();
    ROOM.set(text.into_bytes());
    bytes
}
