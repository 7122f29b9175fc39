//! Facts that a summary must not lose, and the receipt that lists where each of them is afterwards.

mod attribution;
mod checklist;
mod fact;
mod lines;
mod lists;
mod name;
mod read_ledger;
mod receipt;
mod scan;
mod seen;
mod token;
mod unsupported;

pub(crate) use attribution::attribute;
pub(crate) use checklist::boxed;
pub use fact::{Fact, Kind};
pub(crate) use lists::{LISTS, lists};
pub(crate) use name::names_somebody;
pub(crate) use read_ledger::read_ledger;
pub use receipt::Receipt;
pub(crate) use receipt::{FactBudget, LEDGER, RetainedText, build_receipt, ledger};
pub(crate) use scan::Facts;
pub(crate) use unsupported::Claims;
