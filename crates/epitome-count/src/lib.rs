//! Token counting for JavaScript, as a wasm module of its own: small, and ready within milliseconds.
//!
//! Only numbers cross the boundary. JavaScript writes texts and files into the scratch buffer (`epitome-buffer`), and
//! passes their length in bytes. It asks once for the number of an encoding or a family by its name, and then passes that
//! number. `npm/src/counting/counter.ts` is the JavaScript side.
#![cfg(target_arch = "wasm32")]

mod estimate;
mod exact;
mod reading;
mod steps;
mod token_family;

pub use epitome_buffer::resize_buffer;
pub use estimate::{estimate, estimate_by_characters, estimate_utf16, family};
pub use exact::{count, encoding};
pub use reading::{advance, read_ascii, read_shards, read_whole};
pub use steps::{begin, count_on, end};
