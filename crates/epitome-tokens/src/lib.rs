//! Token counters for the epitome engine.
//!
//! Every counter is a [`Tokenizer`](epitome::meter::Tokenizer), and which one counts is the host's choice:
//!
//! | counter | size | error |
//! |---|---|---|
//! | [`CharactersPer`] | nothing | large, larger still outside Latin scripts |
//! | [`Heuristic`] | a table of some kilobytes | see its `error_band` |
//! | [`BytePairs`] | a vocabulary, fetched when it is needed | none for its encoding |
//! | the host's own | its vocabulary | none, when it is the model's tokenizer |

mod bpe;
mod encodings;
mod heuristic;

pub use bpe::{BytePairs, VocabularyError};
pub use encodings::{EncodingMissing, Encodings};
pub use epitome::meter::CharactersPer;
pub use heuristic::Heuristic;
