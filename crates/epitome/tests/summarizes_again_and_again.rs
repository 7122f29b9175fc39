//! A conversation that is compacted again and again: how long its summaries are, and what a summarizer notes for the next one.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot continue should fail"
)]

use crate::harness;

use epitome::message::{Message, Role};
use epitome::policy::Keep;
use epitome::tokens::CharactersPer;
use epitome::{Compactor, Contract, Outcome, Output, Policy, Reason, Snapshot};
use harness::{compactor_with, drive, long_talk, recommended_compactor, shown, words};

/// Turns of a question and an answer, about twenty tokens each.
fn talk(turns: usize) -> String {
    let words = "with a good many words about the roses in the garden";
    (0..turns).map(|n| format!("u: question {n} {words}\na: answer {n} {words}\n")).collect()
}

#[test]
fn d18_a_compaction_soon_after_another_does_not_halve_the_summary() {
    let policy = Policy { keep: Keep::Messages(1), ..Policy::recommended(2_000) };
    let mut compactor = compactor_with(policy, &talk(40));
    compactor.compact(Reason::Manual, None).unwrap();
    let run = drive(&mut compactor, |request| words(request.target_tokens / 2));
    let before = run.requests[0].target_tokens;
    for (id, text) in [("n1", "and the roses?"), ("n2", "they are fine")] {
        compactor.append(Message::new(id, Role::Assistant, text)).unwrap();
    }
    let after = compactor.plan(Reason::Manual).summary_tokens;
    assert!(after * 10 >= before * 8, "{before}, and then {after}");
}

#[test]
fn d18_what_a_summarizer_notes_comes_with_the_next_request() {
    let mut compactor = recommended_compactor(&long_talk());
    let mut noted = |notes: &str| {
        compactor.compact(Reason::Manual, None).unwrap();
        let mut found = String::new();
        loop {
            match compactor.poll_output() {
                Output::Before(_) => compactor.proceed().unwrap(),
                Output::Summarize(request) => {
                    found.clone_from(&request.notes);
                    assert_eq!(request.envelope().notes, request.notes);
                    assert!(!request.input.contains("a secret"));
                    compactor.handle_summary_notes(request.id, notes);
                    compactor.handle_summary(request.id, "They talked.");
                }
                Output::Persist(_) => compactor.handle_persisted().unwrap(),
                Output::Wait(_) => break,
                _ => {}
            }
        }
        assert!(matches!(compactor.report().unwrap().outcome, Outcome::Applied { .. }));
        assert!(!shown(&compactor).contains("a secret"));
        for turn in 0..40 {
            let id = format!("{notes:.3}{turn}{}", compactor.log().len());
            let role = if turn % 2 == 0 { Role::User } else { Role::Assistant };
            compactor.append(Message::new(id, role, "some more words about roses")).unwrap();
        }
        let snapshot =
            Snapshot::from_json_lines(&compactor.snapshot().to_json_lines().unwrap()).unwrap();
        let tokenizer = Box::new(CharactersPer(3));
        compactor = Compactor::restore(snapshot, Contract::default(), tokenizer).unwrap();
        found
    };
    assert_eq!(noted("a secret"), "");
    assert_eq!(noted(&"long ".repeat(30_000)), "a secret");
    assert_eq!(noted(""), "", "notes that are too long are not kept");
}
