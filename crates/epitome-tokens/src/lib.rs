//! Token counters for the epitome engine.
//!
//! Every counter is a [`Tokenizer`](epitome::tokens::Tokenizer), and the app chooses which one counts:
//!
//! | counter | data | error |
//! |---|---|---|
//! | [`CharactersPer`] | none | large, and larger outside Latin scripts |
//! | [`heuristic`](fn@heuristic), [`Estimate`] | 32 kB of weights, 16 in brotli | see [`Estimate`] |
//! | [`BytePairs`] | a vocabulary, loaded when it is needed | none for its encoding |
//! | [`TokenizerJson`] | the `tokenizer.json` of a model | none for that model |
//! | the app's own | its vocabulary | none, if it is the model's tokenizer |

mod bpe;
mod division;
mod encodings;
mod heuristic;

pub use bpe::{BytePairs, TokenizerJson, TokenizerJsonError, VocabularyError, join_shards};
pub use encodings::{Encodings, NotLoaded};
pub use epitome::policy::{Encoding, Family};
pub use epitome::tokens::{CharactersPer, CountState, Tokenizer};
pub use heuristic::{Estimate, Heuristic, heuristic};
