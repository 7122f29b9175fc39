//! How full the window is, known at any moment.

mod calibration;
mod image;
#[expect(clippy::module_inception, reason = "the noun of this room is also its first file")]
mod meter;
mod mix;
mod overhead;
mod peaks;
mod pressure;
mod scale;
mod script;
mod statistics;
mod stretches;
mod tokenizer;
mod weighing;

pub(crate) use calibration::{Calibrations, Sample, Terms};
pub use image::ImageCost;
pub use meter::{BoxedTokenizer, Cost, Meter, Totals};
pub use mix::PartCost;
pub(crate) use mix::{Mix, Weights};
pub use overhead::TokenOverhead;
pub use pressure::{Breakdown, Level, Pressure};
pub use scale::Scale;
pub use script::Script;
pub use statistics::Statistics;
pub use tokenizer::{CharactersPer, Tokenizer, WithOverhead};
