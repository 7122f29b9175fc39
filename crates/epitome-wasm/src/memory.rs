//! Grows the module's memory in large steps.

use std::arch::wasm32::memory_size;
use std::cell::Cell;
use std::hint::black_box;

/// Bytes of a WebAssembly page.
const PAGE: usize = 1 << 16;
/// The memory grows by one part in so many.
const PART: usize = 8;

thread_local! {
    /// Pages of the memory at the last call.
    static PAGES: Cell<usize> = const { Cell::new(0) };
}

/// Grows the memory by an eighth if it has grown since the last call. To be called often while many values are stored.
///
/// The allocator grows it by a page or two at a time. JavaScript engines may collect garbage at each growth, which takes
/// longer than to append a hundred messages. A page that is not written to takes no physical memory.
pub(crate) fn grow_ahead() {
    let pages = memory_size::<0>();
    if pages > PAGES.get() {
        drop(black_box(Vec::<u8>::with_capacity(pages * PAGE / PART)));
        PAGES.set(memory_size::<0>());
    }
}
