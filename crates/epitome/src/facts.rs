//! Facts that a summary must not lose, and the receipt that lists where each of them is afterwards.

mod attribution;
mod checklist;
mod fact;
mod han_number;
mod lines;
mod lists;
mod lookup;
mod name;
mod read_ledger;
mod receipt;
mod scan;
mod sources;
mod token;
mod uncased;
mod unsupported;

pub(crate) use attribution::attribute;
pub use checklist::boxed;
pub use fact::{Fact, Kind};
pub use lines::split_numbers;
pub use lists::LISTS;
pub(crate) use lists::lists;
pub(crate) use lookup::Lookup;
pub use name::names_somebody;
pub(crate) use read_ledger::read_ledger;
pub(crate) use receipt::{FactBudget, RetainedText, build_receipt, ledger};
pub use receipt::{LEDGER, Receipt};
pub(crate) use scan::Facts;
pub(crate) use sources::{SaidFact, Sources, Thing};
pub(crate) use unsupported::Claims;
