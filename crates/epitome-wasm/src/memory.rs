//! The module's memory, which grows in strides.

use std::arch::wasm32::memory_size;
use std::cell::Cell;
use std::hint::black_box;

/// Bytes of a page of memory, as WebAssembly has it.
const PAGE: usize = 1 << 16;
/// It grows by one part of so many.
const STRIDE: usize = 8;

thread_local! {
    /// Pages at the last look.
    static PAGES: Cell<usize> = const { Cell::new(0) };
}

/// Has the memory grow by a stride where it has grown since the last look. To be called often while much is kept.
///
/// By itself it grows a page or two at a time, and engines collect their garbage when it does, which takes them longer
/// than a hundred messages take us. A page that nothing was written to takes no room on the machine.
pub(crate) fn grow_ahead() {
    let pages = memory_size::<0>();
    if pages > PAGES.get() {
        drop(black_box(Vec::<u8>::with_capacity(pages * PAGE / STRIDE)));
        PAGES.set(memory_size::<0>());
    }
}
