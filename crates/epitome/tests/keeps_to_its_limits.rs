//! Limits of a policy hold exactly: what reaches one is treated otherwise than what exceeds it.

#![allow(clippy::unwrap_used, reason = "a test that cannot continue should fail")]

use crate::harness;

use epitome::message::{Message, Role};
use epitome::policy::{Keep, SummarySettings};
use epitome::tokens::CharactersPer;
use epitome::{Compactor, Contract, Policy, Reason};
use harness::{applied, compactor_with, drive, long_talk, next_request, words};

fn summary(settings: SummarySettings) -> Policy {
    Policy { summary: settings, keep: Keep::Messages(2), ..Policy::fill_percent(400) }
}

#[test]
fn what_is_saved_is_compared_exactly_with_the_least_saving_and_with_the_window() {
    let report_of = |window, min_saving, answer: &str| {
        let mut policy =
            Policy { min_saving, keep: Keep::Messages(2), ..Policy::recommended(window) };
        (policy.summary.ledger_tokens, policy.keep_requests_tokens) = (0, 0);
        let mut compactor = compactor_with(policy, &long_talk());
        compactor.compact(Reason::Manual, None).unwrap();
        drive(&mut compactor, |_| answer.into());
        compactor.report().unwrap().clone()
    };
    let report = |window, min_saving| report_of(window, min_saving, "They talked of gardens.");
    let (before, after) = (report(1_000, 0.0).tokens_before, report(1_000, 0.0).tokens_after);
    let share = |tokens: u32| (f64::from(tokens) + 0.5) / f64::from(before);
    let saved = before - after;
    for (window, min_saving, is_enough) in [
        (1_000, share(saved), true),
        (1_000, share(saved + 1), false),
        (before, 0.95, false),
        (before - 1, 0.95, true),
    ] {
        let report = report(window, min_saving);
        assert_eq!(applied(&report), is_enough, "{window} {min_saving}: {report:?}");
    }
    // A result of the window's size, and one of a token more.
    let window = before - 10;
    let text = |characters: usize| -> String { words(300).chars().take(characters).collect() };
    let left = |characters: usize| report_of(window, 0.0, &text(characters)).tokens_after;
    let fitting = 600 + 3 * usize::try_from(window - left(600)).unwrap();
    assert_eq!((left(fitting), left(fitting + 3)), (window, window + 1));
    assert!(applied(&report_of(window, 0.95, &text(fitting))));
    assert!(!applied(&report_of(window, 0.95, &text(fitting + 3))));
}

#[test]
fn a_summarizer_is_asked_only_if_the_shortest_answer_would_be_applied() {
    let mut asked = Vec::new();
    for characters in 1..200 {
        let mut policy = Policy { keep: Keep::Messages(0), ..Policy::recommended(10_000) };
        (policy.min_saving, policy.keep_requests_tokens) = (0.0, 0);
        let tokenizer = Box::new(CharactersPer(1));
        let mut compactor = Compactor::new(policy, Contract::default(), tokenizer).unwrap();
        compactor.append(Message::new("a", Role::Assistant, "x".repeat(characters))).unwrap();
        compactor.compact(Reason::Manual, None).unwrap();
        let run = drive(&mut compactor, |_| "k".into());
        let report = compactor.report().unwrap();
        assert!(run.requests.is_empty() || report.tokens_before > report.tokens_after);
        assert_eq!(run.requests.len() == 1, applied(report), "{:?}", report.outcome);
        asked.push(run.requests.len());
    }
    assert!(asked.contains(&0) && asked.contains(&1));
}

#[test]
fn a_summary_of_as_many_tokens_as_the_limit_stays_as_it_is() {
    let answer = words(60);
    let tokens = u32::try_from(answer.trim().len().div_ceil(3)).unwrap();
    for (rollup_tokens, requests) in [(tokens, 1), (tokens - 1, 2)] {
        let settings = SummarySettings { rollup_tokens, ..SummarySettings::default() };
        let mut compactor = compactor_with(summary(settings), &long_talk());
        compactor.compact(Reason::Manual, None).unwrap();
        assert_eq!(drive(&mut compactor, |_| answer.clone()).requests.len(), requests);
    }
}

#[test]
fn the_request_for_a_shorter_summary_has_the_notes_of_the_summarizer() {
    let settings = SummarySettings { rollup_tokens: 40, ..SummarySettings::default() };
    let mut compactor = compactor_with(summary(settings), &long_talk());
    compactor.compact(Reason::Manual, None).unwrap();
    let first = next_request(&mut compactor);
    compactor.handle_summary_notes(first.id, "two beds are dry");
    compactor.handle_summary(first.id, &words(60));
    let rollup = next_request(&mut compactor);
    assert_eq!((first.notes.as_str(), rollup.notes.as_str()), ("", "two beds are dry"));
}

#[test]
fn a_level_that_saves_enough_is_taken_before_the_first_request() {
    let mut policy = Policy { keep: Keep::Messages(20), ..Policy::fill_percent(700) };
    policy.min_saving = 0.3;
    assert!(!policy.summary.fallback_levels.is_empty());
    let mut compactor = compactor_with(policy, &long_talk());
    compactor.compact(Reason::Manual, None).unwrap();
    let run = drive(&mut compactor, |_| "They talked.".into());
    assert_eq!(run.requests.len(), 1);
    assert!(applied(compactor.report().unwrap()), "{:?}", compactor.report());
}

#[test]
fn without_tokens_for_lists_no_note_says_that_items_are_left_out() {
    let items: String = (0..40).map(|n| format!("- [ ] plant rose {n}\n")).collect();
    let noted = |checklist_tokens| {
        let mut policy = Policy { keep: Keep::Messages(1), ..Policy::recommended(2_000) };
        policy.summary.checklist_tokens = checklist_tokens;
        let mut compactor = compactor_with(policy, "");
        for (id, text) in [("items", items.as_str()), ("last", "go on")] {
            compactor.append(Message::new(id, Role::User, text)).unwrap();
        }
        compactor.compact(Reason::Manual, None).unwrap();
        drive(&mut compactor, |_| "They made a plan.".into());
        assert!(applied(compactor.report().unwrap()), "{:?}", compactor.report());
        format!("{:?}", compactor.view()).contains("left out]")
    };
    assert_eq!((noted(60), noted(0)), (true, false));
}
