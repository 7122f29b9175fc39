//! The scratch buffer: memory of a wasm module that JavaScript writes texts and files into.
//!
//! A text that is passed to an exported function as a string costs an allocation and a copy per call. JavaScript writes
//! it into this buffer instead, and the call only passes its length. Each module that links this crate has one buffer, and
//! exports [`resize_buffer`]. `npm/src/wasm/buffer.ts` is the JavaScript side.
#![cfg(target_arch = "wasm32")]

use std::cell::RefCell;

use wasm_bindgen::prelude::wasm_bindgen;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Resizes the buffer, and returns its address, which is a multiple of eight. Its content stays, as far as it fits. The
/// address is valid until the next call.
#[wasm_bindgen(js_name = resizeBuffer)]
pub fn resize_buffer(bytes: usize) -> *const u8 {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.resize(bytes, 0);
        // After a large file the memory goes back to the allocator: wasm memory never shrinks, so it must be reused.
        buffer.shrink_to_fit();
        buffer.as_ptr()
    })
}

/// Calls `read` with the first bytes of the buffer, or with all of it if it has fewer.
pub fn look<T>(bytes: usize, read: impl FnOnce(&[u8]) -> T) -> T {
    BUFFER.with_borrow(|buffer| read(buffer.get(..bytes).unwrap_or(buffer)))
}

/// The position among `names` of the name in the buffer; -1 if it is not one of them.
pub fn position<'a>(bytes: usize, mut names: impl Iterator<Item = &'a str>) -> i32 {
    look(bytes, |name| names.position(|known| known.as_bytes() == name)).map_or(-1, |at| at as i32)
}

/// Removes the buffer and returns it. The next buffer is empty.
pub fn take() -> Vec<u8> {
    BUFFER.take()
}

/// Puts a text into the buffer, and returns its length in bytes.
pub fn put(text: String) -> usize {
    put_bytes(text.into_bytes())
}

/// Puts bytes into the buffer, and returns how many they are.
pub fn put_bytes(bytes: Vec<u8>) -> usize {
    let length = bytes.len();
    BUFFER.set(bytes);
    length
}
