//! Token counting for JavaScript, in a module of its own: small, and there in milliseconds.
//!
//! Only numbers cross. Text and files are written into a *room* in the module's memory, and a call says how many
//! bytes of it count. What an encoding or a family is called by is asked for once; from then on it is a number.
//! `npm/src/counter.ts` does the writing and the asking.
#![cfg(target_arch = "wasm32")]

mod estimate;
mod exact;
mod reading;
mod room;
mod token_family;

pub use estimate::{estimate, estimate_by_characters, estimate_utf16, family};
pub use exact::{count, encoding};
pub use reading::{advance, read_ascii, read_shards, read_whole};
pub use room::room;
