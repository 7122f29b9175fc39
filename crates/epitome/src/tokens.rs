//! Token counts: tokenizers, the overhead of messages and media, and the meter, which adds up messages.

mod block_maxima;
mod image;
mod measuring;
mod meter;
mod meter_tokens;
mod overhead;
mod script;
mod script_tokens;
mod statistics;
mod tokenizer;
mod weighted_tokenizer;

pub use image::ImageCost;
pub(crate) use measuring::Measuring;
pub(crate) use meter::SharedTokenizer;
pub use meter::{BoxedTokenizer, Cost, Meter, Totals};
pub use meter_tokens::MeterTokens;
pub use overhead::TokenOverhead;
pub(crate) use script::SCRIPTS;
pub use script::Script;
pub use script_tokens::PartCost;
pub(crate) use script_tokens::{ONE, ScriptTokens, Weights};
pub use statistics::Statistics;
pub use tokenizer::{CharactersPer, CountState, Tokenizer, WithOverhead};
pub(crate) use weighted_tokenizer::WeightedTokenizer;
