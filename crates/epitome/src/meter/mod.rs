//! How full the window is, known at any moment.

mod tokenizer;

pub use tokenizer::{CharactersPer, Tokenizer};
