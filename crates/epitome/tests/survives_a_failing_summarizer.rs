//! After any failure of the summarizer the conversation is unchanged, and a new attempt works.

use crate::harness;

use epitome::message::RequestId;
use epitome::tokens::CharactersPer;
use epitome::{
    CommandError, Compactor, Contract, Event, Failure, FailureKind, Outcome, Output, Reason, Save,
    Snapshot, Timestamp,
};
use harness::{
    applied, compact, drive, long_talk, next_request, recommended_compactor, shown, words,
};

fn failure(kind: FailureKind) -> Failure {
    Failure { kind, message: "the server says no".into() }
}

const BUSY: FailureKind = FailureKind::Transient { retry_after_ms: None };

#[test]
fn d17_a_permanent_failure_changes_nothing() {
    let mut compactor = recommended_compactor(&long_talk());
    let before = shown(&compactor);
    compactor.compact(Reason::Threshold, None).unwrap();
    let request = next_request(&mut compactor);
    compactor.handle_failure(request.id, failure(FailureKind::Permanent), Timestamp(0));
    drive(&mut compactor, |_| panic!("asked again"));
    let outcome = &compactor.report().unwrap().outcome;
    assert_eq!(outcome, &Outcome::Failed { message: "the server says no".into() });
    assert_eq!(shown(&compactor), before);

    let refused = compactor.compact(Reason::Threshold, None);
    assert_eq!(refused, Err(CommandError::Exhausted("the server says no".into())));
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |_| "Fine now.".into());
    assert!(applied(compactor.report().unwrap()));
}

#[test]
fn a_request_to_a_busy_server_is_repeated_after_growing_waits() {
    let mut compactor = recommended_compactor(&long_talk());
    compactor.compact(Reason::Threshold, None).unwrap();
    let mut now = Timestamp(1_000);
    for wait in [500, 1_000] {
        let request = next_request(&mut compactor);
        compactor.handle_failure(request.id, failure(BUSY), now);
        assert!(matches!(compactor.poll_output(), Output::Event(Event::Retry { .. })));
        let until = now.plus_ms(wait);
        assert_eq!(compactor.poll_output(), Output::Wait(Some(until)));
        compactor.handle_timeout(Timestamp(until.0 - 1));
        assert_eq!(compactor.poll_output(), Output::Wait(Some(until)), "too early");
        compactor.handle_timeout(until);
        now = until;
    }
    let request = next_request(&mut compactor);
    compactor.handle_failure(request.id, failure(BUSY), now);
    drive(&mut compactor, |_| panic!("asked a fourth time"));
    assert!(matches!(compactor.report().unwrap().outcome, Outcome::Failed { .. }));
    assert_eq!(compactor.report().unwrap().requests, 3);
}

#[test]
fn an_empty_summary_is_a_failure() {
    let mut compactor = recommended_compactor(&long_talk());
    let before = shown(&compactor);
    compactor.compact(Reason::Threshold, None).unwrap();
    drive(&mut compactor, |_| " \n ".into());
    assert!(matches!(compactor.report().unwrap().outcome, Outcome::Failed { .. }));
    assert_eq!(shown(&compactor), before);
}

#[test]
fn a_summary_that_does_not_shrink_the_view_is_not_applied() {
    let mut compactor = recommended_compactor(&long_talk());
    let before = shown(&compactor);
    compactor.compact(Reason::Threshold, None).unwrap();
    drive(&mut compactor, |_| words(2_000));
    let Outcome::Skipped { message } = &compactor.report().unwrap().outcome else {
        panic!("{:?}", compactor.report());
    };
    assert!(
        message.starts_with("the summary would not make the conversation smaller"),
        "{message}"
    );
    assert_eq!(shown(&compactor), before);
}

#[test]
fn a_stale_answer_is_reported_and_ignored() {
    let mut compactor = recommended_compactor(&long_talk());
    compactor.compact(Reason::Threshold, None).unwrap();
    let request = next_request(&mut compactor);
    compactor.handle_summary(RequestId(99), "from another time");
    let stale = Output::Event(Event::Stale { request: RequestId(99) });
    assert_eq!(compactor.poll_output(), stale);
    compactor.handle_summary(request.id, "They talked.");
    drive(&mut compactor, |_| String::new());
    assert_eq!(compactor.report().unwrap().summary.as_deref(), Some("They talked."));
    compactor.handle_summary(request.id, "again");
    assert!(matches!(compactor.poll_output(), Output::Event(Event::Stale { .. })));
}

#[test]
fn cancelling_during_a_summary_changes_nothing() {
    let mut compactor = recommended_compactor(&long_talk());
    let before = compactor.view();
    compactor.compact(Reason::Manual, None).unwrap();
    let request = next_request(&mut compactor);
    compactor.cancel();
    compactor.handle_summary(request.id, "too late");
    drive(&mut compactor, |_| panic!("asked again"));
    assert_eq!(compactor.report().unwrap().outcome, Outcome::Cancelled);
    assert_eq!(compactor.view(), before);
    assert!(applied(&compact(&mut compactor).unwrap()));
}

#[test]
fn a_record_that_cannot_be_stored_changes_nothing() {
    let mut compactor = recommended_compactor(&long_talk());
    let before = compactor.view();
    compactor.compact(Reason::Manual, None).unwrap();
    let request = next_request(&mut compactor);
    compactor.handle_summary(request.id, "They talked.");
    loop {
        match compactor.poll_output() {
            Output::Before(_) => compactor.proceed().unwrap(),
            Output::Persist(_) => compactor.handle_unpersisted("the disk is full".into()).unwrap(),
            Output::Changed => panic!("the view changed before it was stored"),
            Output::Wait(_) => break,
            Output::Summarize(_) | Output::Save(_) | Output::Event(_) | Output::Continue => {}
        }
    }
    let outcome = &compactor.report().unwrap().outcome;
    assert_eq!(outcome, &Outcome::Failed { message: "the disk is full".into() });
    assert_eq!(compactor.view(), before);
    let (report, pressure) = (compactor.report().unwrap(), compactor.pressure());
    assert_eq!((report.tokens_after, report.tokens_before), (pressure.tokens, pressure.tokens));
    assert!((report.budget_used_pct - pressure.budget_used_pct).abs() < 1e-9);
    assert_eq!((report.reduced, report.summary_characters), (0, 0));
    assert_eq!(report.summary, None);
}

#[test]
fn after_a_restore_a_failed_compaction_is_still_not_tried_again_by_itself() {
    let mut compactor = recommended_compactor(&long_talk());
    compactor.compact(Reason::Threshold, None).unwrap();
    let request = next_request(&mut compactor);
    compactor.handle_failure(request.id, failure(FailureKind::Permanent), Timestamp(0));
    drive(&mut compactor, |_| panic!("asked again"));
    let lines = compactor.snapshot().to_json_lines().unwrap();
    let snapshot = Snapshot::from_json_lines(&lines).unwrap();
    let mut restored =
        Compactor::restore(snapshot, Contract::default(), Box::new(CharactersPer(3))).unwrap();
    let refused = restored.compact(Reason::Threshold, None);
    assert_eq!(refused, Err(CommandError::Exhausted("the server says no".into())));
}

#[test]
fn commands_that_do_not_fit_the_state_are_refused_by_name() {
    let mut compactor = recommended_compactor(&long_talk());
    compactor.compact(Reason::Manual, None).unwrap();
    assert_eq!(compactor.compact(Reason::Manual, None), Err(CommandError::Busy));
    assert_eq!(compactor.undo(), Err(CommandError::Busy));
    assert_eq!(compactor.handle_persisted(), Err(CommandError::NothingToPersist));
}

#[test]
fn d17_h5_the_conversation_is_saved_before_a_compaction_and_after_success_and_failure() {
    let mut compactor = recommended_compactor(&long_talk());
    let before = shown(&compactor);
    compactor.compact(Reason::Manual, None).unwrap();
    assert!(matches!(compactor.poll_output(), Output::Before(_)));
    assert!(matches!(compactor.poll_output(), Output::Wait(None)), "nothing to save before that");
    compactor.proceed().unwrap();
    assert_eq!(compactor.poll_output(), Output::Save(Save::Before { session: 1 }));
    assert_eq!(shown(&compactor), before);
    let run = drive(&mut compactor, |_| "- short".into());
    assert_eq!(run.saves, [Save::After { session: 2, success: true }]);

    compactor.undo().unwrap();
    drive(&mut compactor, |_| panic!("asked for an undo"));
    compactor.compact(Reason::Manual, None).unwrap();
    let request = next_request(&mut compactor);
    compactor.handle_failure(request.id, failure(FailureKind::Permanent), Timestamp(0));
    let run = drive(&mut compactor, |_| panic!("asked again"));
    assert_eq!(run.saves, [Save::After { session: 2, success: false }]);
}
