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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Edit, Record};
    use crate::test_notation::transcript;

    #[test]
    fn a_contract_alone_refuses_a_view_that_breaks_it() {
        let mut log = Log::default();
        for message in transcript("u: hi\nt: =one") {
            log.append(Record::Message { message: message.into() }).unwrap();
        }
        let view = |ids: &[&str]| {
            let edits = ids.iter().map(|id| Edit::Keep((*id).into())).collect();
            View { edits, ..View::default() }
        };
        let contract = Contract::default();
        assert_eq!(contract.accepts(&log, &view(&["m0"])), Ok(()));
        let orphan = Violation::OrphanedResult { call: "one".into(), index: 1 };
        assert_eq!(contract.accepts(&log, &view(&["m0", "m1"])), Err(orphan));
    }
}
