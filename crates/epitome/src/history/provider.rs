//! The provider that a conversation is held with: its contract, and its word on a result before it is committed.

use crate::contract::{Contract, Violation};
use crate::history::{Log, View};

/// Whoever takes the conversation. A [`Contract`] is one by itself, which judges views; a format is one that
/// judges what it would send for them.
pub trait Provider {
    /// The rules that views are made by.
    fn contract(&self) -> Contract;

    /// The first reason for which what would be sent for this view is refused. Asked before a step is
    /// committed, once or twice a compaction. Has to be linear in the view.
    fn accepts(&self, log: &Log, view: &View) -> Result<(), Violation>;
}

/// A provider of any kind.
pub(crate) type BoxedProvider = Box<dyn Provider + Send + Sync>;

impl Provider for Contract {
    fn contract(&self) -> Contract {
        *self
    }

    fn accepts(&self, log: &Log, view: &View) -> Result<(), Violation> {
        self.check(log, view)
    }
}
