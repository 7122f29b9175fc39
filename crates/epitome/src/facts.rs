//! What must not be lost in a summary: facts, and the receipt of where each is afterwards.

mod fact;
mod receipt;
mod scan;
mod token;

pub use fact::{Fact, Kind};
pub use receipt::Receipt;
pub(crate) use receipt::{RetainedText, build_receipt, ledger};
pub(crate) use scan::Facts;
