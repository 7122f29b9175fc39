//! How full the window was after each message, and what each compaction has taken.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should stop"
)]

use crate::harness;

use epitome::message::{Message, Role};
use epitome::policy::Keep;
use epitome::tokens::CharactersPer;
use epitome::{Compactor, Contract, Policy, Reason, Snapshot};
use harness::{applied, compactor_with, drive, long_talk};

fn policy() -> Policy {
    Policy { keep: Keep::Messages(2), keep_requests_tokens: 0, ..Policy::recommended(400) }
}

fn compact(compactor: &mut Compactor, reason: Reason) -> epitome::Report {
    compactor.compact(reason, None).unwrap();
    drive(compactor, |_| "They talked about the garden.".into());
    compactor.report().unwrap().clone()
}

fn say(compactor: &mut Compactor, turns: std::ops::Range<usize>) {
    for turn in turns {
        let said = format!("and what of the beds behind the shed, number {turn}?");
        compactor.append(Message::new(format!("n{turn}"), Role::User, said)).unwrap();
    }
}

#[test]
fn without_a_compaction_it_grows_by_each_message() {
    let compactor = compactor_with(policy(), &long_talk());
    let conversation = compactor.conversation();
    let course = conversation.course();
    assert_eq!(course.tokens.len(), compactor.log().len());
    let grown = course.tokens.windows(2).enumerate();
    for (at, two) in grown {
        assert_eq!(two[1], two[0] + conversation.meter().tokens(at + 1));
    }
    assert_eq!(course.tokens.last(), Some(&conversation.counted_tokens()));
    assert_eq!(course.compactions, []);
}

#[test]
fn each_compaction_is_where_it_was_and_took_what_its_report_says() {
    let mut compactor = compactor_with(policy(), &long_talk());
    let first = compact(&mut compactor, Reason::Threshold);
    let at_first = compactor.log().len();
    say(&mut compactor, 0..12);
    let second = compact(&mut compactor, Reason::Manual);
    let at_second = compactor.log().len();
    say(&mut compactor, 12..14);
    assert!(applied(&first) && applied(&second));
    let scale = compactor.conversation().scale(compactor.policy());
    let course = compactor.conversation().course();
    let shown: Vec<_> = course
        .compactions
        .iter()
        .map(|point| {
            let tokens = [point.before, point.after].map(|tokens| scale.prompt_tokens(tokens));
            (point.messages, point.reason, tokens)
        })
        .collect();
    assert_eq!(
        shown,
        [
            (at_first, Reason::Threshold, [first.tokens_before, first.tokens_after]),
            (at_second, Reason::Manual, [second.tokens_before, second.tokens_after]),
        ]
    );
    assert_eq!(course.tokens.last(), Some(&compactor.conversation().counted_tokens()));
    assert_eq!(course.tokens.len(), compactor.log().len());

    let restored =
        Snapshot::from_json_lines(&compactor.snapshot().to_json_lines().unwrap()).unwrap();
    let restored =
        Compactor::restore(restored, Contract::default(), Box::new(CharactersPer(3))).unwrap();
    assert_eq!(restored.conversation().course(), course);
}

#[test]
fn a_compaction_that_was_undone_has_no_part_in_it() {
    let mut compactor = compactor_with(policy(), &long_talk());
    let before = compactor.conversation().course();
    assert!(applied(&compact(&mut compactor, Reason::Manual)));
    assert_ne!(compactor.conversation().course(), before);
    compactor.undo().unwrap();
    drive(&mut compactor, |_| String::new());
    assert_eq!(compactor.conversation().course(), before);
}
