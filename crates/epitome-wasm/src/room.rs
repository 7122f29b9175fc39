//! The stretch of memory that JavaScript writes texts into, which is quicker than to have each of them copied.

use std::cell::RefCell;

use wasm_bindgen::prelude::wasm_bindgen;

thread_local! {
    static ROOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes the room as many bytes large, and tells where it is. What was written stays, as far as it fits. The place
/// holds until the next call.
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
