//! How full the window is, known at any moment.

mod image;
mod meter;
mod mix;
mod overhead;
mod peaks;
mod script;
mod statistics;
mod tokenizer;
mod weighing;

pub use image::ImageCost;
pub use meter::{BoxedTokenizer, Cost, Meter, Totals};
pub use mix::PartCost;
pub(crate) use mix::{Mix, ONE, Weights};
pub use overhead::TokenOverhead;
pub(crate) use script::SCRIPTS;
pub use script::Script;
pub use statistics::Statistics;
pub use tokenizer::{CharactersPer, Tokenizer, WithOverhead};
