//! The provider checks each result: a view that it refuses is not committed.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot continue should fail")]

use crate::harness;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use epitome::history::{Log, View};
use epitome::test_notation::transcript;
use epitome::tokens::CharactersPer;
use epitome::{Compactor, Contract, Outcome, Output, Policy, Provider, Reason, Violation};
use harness::long_talk;

/// A provider that accepts this many views and refuses all later ones.
#[derive(Clone)]
struct Picky {
    takes: u32,
    asked: Arc<AtomicU32>,
}

impl Provider for Picky {
    fn contract(&self) -> Contract {
        Contract::default()
    }

    fn accepts(&self, _: &Log, view: &View) -> Result<(), Violation> {
        assert!(
            view.edits.iter().any(|edit| edit.id().is_none()),
            "only the result of a compaction is checked"
        );
        match self.asked.fetch_add(1, Ordering::Relaxed) < self.takes {
            true => Ok(()),
            false => Err(Violation::BlankText { index: 3 }),
        }
    }
}

/// A conversation with a provider that accepts this many views, compacted up to its first record.
fn compacted(takes: u32, policy: Policy) -> (Compactor, bool) {
    let picky = Picky { takes, asked: Arc::default() };
    let mut compactor = Compactor::new(policy, picky, Box::new(CharactersPer(3))).unwrap();
    for message in transcript(&long_talk()) {
        compactor.append(message).unwrap();
    }
    compactor.compact(Reason::Manual, None).unwrap();
    let mut stored = false;
    loop {
        match compactor.poll_output() {
            Output::Before(_) => compactor.proceed().unwrap(),
            Output::Summarize(request) => compactor.handle_summary(request.id, "They talked."),
            Output::Persist(_) => {
                stored = true;
                compactor.handle_persisted().unwrap();
            }
            Output::Save(_) | Output::Changed | Output::Event(_) | Output::Continue => {}
            Output::Wait(_) => return (compactor, stored),
        }
    }
}

#[test]
fn a_result_that_the_provider_refuses_is_not_stored_and_changes_nothing() {
    for (takes, requests) in [(0, 0), (1, 1)] {
        let (compactor, stored) = compacted(takes, Policy::recommended(400));
        let report = compactor.report().unwrap();
        let Outcome::Failed { message } = &report.outcome else { panic!("{:?}", report.outcome) };
        assert!(message.contains("message 3 of the result has an empty text in it"), "{message}");
        assert_eq!((stored, report.requests), (false, requests), "after {takes}");
        assert_eq!(
            compactor.view(),
            View { as_appended: false, ..View::as_appended(compactor.log()) }
        );
        assert_eq!(compactor.log().checkpoints_committed(), 0);
    }
    let (compactor, stored) = compacted(2, Policy::recommended(400));
    assert!(stored && compactor.view().edits.len() < compactor.log().len());
}
