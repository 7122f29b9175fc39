//! How full the window is, known at any moment.

#[expect(clippy::module_inception, reason = "the noun of this room is also its first file")]
mod meter;
mod pressure;
mod statistics;
mod tokenizer;

pub use meter::{BoxedTokenizer, Cost, Meter, Overhead, Totals};
pub use pressure::{Breakdown, Level, Pressure};
pub use statistics::Statistics;
pub use tokenizer::{CharactersPer, Tokenizer};
