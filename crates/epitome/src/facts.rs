//! Facts that a summary must not lose, and the receipt that lists where each of them is afterwards.

mod fact;
mod receipt;
mod scan;
mod token;

pub use fact::{Fact, Kind};
pub use receipt::Receipt;
pub(crate) use receipt::{RetainedText, build_receipt, ledger};
pub(crate) use scan::Facts;
