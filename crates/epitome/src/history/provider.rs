//! The provider of the model: its contract, and its check of a view before the view is committed.

use std::sync::Arc;

use crate::contract::{Contract, Violation};
use crate::history::{Log, View};

/// The provider that the conversation is sent to. A [`Contract`] alone checks views; a message format of
/// `epitome-formats` checks the messages that it would send for a view.
pub trait Provider {
    /// The rules by which views are built.
    fn contract(&self) -> Contract;

    /// Checks the messages that would be sent for this view, and returns the first violation. Called once or twice in
    /// each compaction, before it is committed. Must be linear in the view.
    fn accepts(&self, log: &Log, view: &View) -> Result<(), Violation>;
}

/// A provider of any kind, which several compactors may share.
pub(crate) type SharedProvider = Arc<dyn Provider + Send + Sync>;

impl Provider for Contract {
    fn contract(&self) -> Contract {
        *self
    }

    fn accepts(&self, log: &Log, view: &View) -> Result<(), Violation> {
        self.check(log, view)
    }
}
