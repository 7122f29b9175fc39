//! Exact token counts for JavaScript, as a wasm module of its own: small, and ready within milliseconds.
//!
//! Only numbers cross the boundary. JavaScript writes texts and files into the scratch buffer (`epitome-buffer`), and
//! passes their length in bytes. It asks once for the number of an encoding by its name, and then passes that number. `npm/src/counting/counter.ts` is the JavaScript side.
#![cfg(target_arch = "wasm32")]

mod exact;
mod reading;
mod steps;

pub use epitome_buffer::resize_buffer;
pub use exact::{count, encoding};
pub use reading::{advance, read_ascii, read_shards, read_whole};
pub use steps::{begin, count_on, end};
