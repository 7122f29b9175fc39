//! When a compaction is due, and which warning comes before it.

#![allow(clippy::unwrap_used, reason = "a test that cannot continue should fail")]

use crate::harness;

use epitome::message::{Message, Role, Usage};
use epitome::policy::{Fill, Keep, Reducer, ReducerRule, Trigger};
use epitome::{CommandError, Compactor, Level, Phase, Policy, Reason};
use harness::{
    applied, compact, compactor_with, drive, long_talk, next_request, recommended_compactor,
};

#[test]
fn the_phase_before_the_next_request_follows_from_the_last_message() {
    let phase = |text: &str| compactor_with(Policy::recommended(400), text).phase();
    assert_eq!(phase("u: go\na: !c\nt: =c"), Phase::Loop);
    assert_eq!(phase("u: go\na: !c\nt: =c\na: done"), Phase::RequestStart);
    assert_eq!(phase(""), Phase::RequestStart);
}

#[test]
fn a_usage_of_the_view_that_a_compaction_left_shows_that_it_was_sent() {
    let policy = Policy { keep: Keep::Messages(5), ..Policy::team(10_000, Some((3, 5))) };
    let mut compactor = compactor_with(policy, &long_talk());
    let before = compactor.epoch();
    assert!(applied(&compact(&mut compactor).unwrap()));
    let usage = |epoch| Usage { prompt_tokens: 100, epoch: Some(epoch), ..Usage::default() };
    compactor.append(Message::new("q", Role::User, "and now?")).unwrap();
    compactor.handle_usage(usage(before));
    assert_eq!(compactor.check(Phase::TurnStart), None, "it is of the view before");
    compactor.handle_usage(usage(compactor.epoch()));
    assert_eq!(compactor.check(Phase::TurnStart), Some(Reason::Threshold));
}

#[test]
fn a_summary_may_be_due_at_once_after_reducers_have_saved_too_little() {
    let rule = ReducerRule::when(Reducer::Deduplicate, Trigger::Always);
    let text = format!("u: ~note noon\nu: ~note noon\n{}", long_talk());
    let mut compactor =
        compactor_with(Policy { reducers: vec![rule], ..Policy::recommended(400) }, &text);
    compactor.compact(Reason::Reduce, None).unwrap();
    drive(&mut compactor, |_| String::new());
    assert!(applied(compactor.report().unwrap()));
    assert_eq!(compactor.check(Phase::TurnEnd), Some(Reason::Threshold));
}

/// Whether compactions are applied in one request that goes on and on, from the first one on that is due. After one that is not
/// applied, the next one is tried when the request has grown by a fifteenth of the window. `None`: none is due then.
fn ends_in_one_request<const N: usize>(summaries: [&str; N]) -> [Option<bool>; N] {
    let mut compactor = compactor_with(Policy::recommended(3_000), &long_talk());
    let mut said = 0;
    let mut say = |compactor: &mut Compactor| {
        said += 1;
        let words = "more and more words about the garden ".repeat(25);
        compactor.append(Message::new(format!("w{said}"), Role::Assistant, words)).unwrap();
        compactor.check(Phase::Loop)
    };
    let mut was_applied = true;
    summaries.map(|summary| {
        let mut reason = say(&mut compactor);
        while was_applied && reason.is_none() {
            reason = say(&mut compactor);
        }
        compactor.compact(reason?, None).unwrap();
        drive(&mut compactor, |_| summary.into());
        was_applied = applied(compactor.report().unwrap());
        Some(was_applied)
    })
}

#[test]
fn what_failed_in_a_request_is_counted_beyond_a_summary_that_succeeded() {
    let ends = ends_in_one_request(["", "", "They talked.", "", ""]);
    let expected = [Some(false), Some(false), Some(true), Some(false), None];
    assert_eq!(ends, expected, "three failures of one request");
}

#[test]
fn however_often_a_compaction_saves_too_little_another_one_is_due_when_there_is_more_to_save() {
    let long = "They talked about each of the beds. ".repeat(400);
    let ends = ends_in_one_request([long.as_str(), &long, &long, &long, "They talked."]);
    assert_eq!(ends, [false, false, false, false, true].map(Some));
}

#[test]
fn a_request_over_the_window_is_compacted_even_if_that_has_failed_before() {
    let ends = ends_in_one_request(["", "", "", "They talked."]);
    assert_eq!(ends, [false, false, false, true].map(Some));
    let failures = ends_in_one_request([""; 8]).into_iter().flatten().count();
    assert_eq!(failures, 6, "three times within the window, and three times over it");
}

#[test]
fn the_level_is_a_warning_from_the_policys_share_or_a_reducers_threshold_on() {
    let talk = long_talk();
    let tokens = compactor_with(Policy::recommended(4_000), &talk).pressure().tokens;
    let level = |warning: Option<f64>, reducer_at: Option<u32>| {
        let threshold = tokens * 2;
        let mut policy = Policy {
            triggers: vec![Trigger::Tokens(threshold.into())],
            ..Policy::recommended(4_000)
        };
        policy.warning = warning;
        policy.reducers = reducer_at
            .map(|tokens| ReducerRule::when(Reducer::Deduplicate, Trigger::Tokens(tokens.into())))
            .into_iter()
            .collect();
        compactor_with(policy, &talk).pressure().level
    };
    assert_eq!(level(Some(0.5), None), Level::Warn, "at just the half");
    assert_eq!(level(Some(0.51), None), Level::Ok);
    assert_eq!(level(None, Some(tokens - 1)), Level::Warn);
    assert_eq!(level(None, Some(tokens + 1)), Level::Ok);
    assert_eq!(level(None, None), Level::Ok);
    let fill = Trigger::Fill(Fill { fraction: 0.01, max_tokens: 0 });
    let policy = Policy { triggers: vec![fill], ..Policy::recommended(4_000) };
    assert_eq!(compactor_with(policy, &talk).pressure().level, Level::Compact);
}

#[test]
fn a_record_of_reducers_that_cannot_be_stored_is_reported_as_nothing_changed() {
    let rule = ReducerRule::when(Reducer::Deduplicate, Trigger::Always);
    let text = format!("u: ~note noon\nu: ~note noon\n{}", long_talk());
    let mut compactor =
        compactor_with(Policy { reducers: vec![rule], ..Policy::recommended(4_000) }, &text);
    compactor.compact(Reason::Reduce, None).unwrap();
    while !matches!(compactor.poll_output(), epitome::Output::Persist(_)) {}
    compactor.handle_unpersisted("the disk is full".into()).unwrap();
    let report = compactor.report().unwrap();
    assert_eq!((report.reduced, report.messages_after), (0, report.messages_before));
    let exhausted = CommandError::Exhausted("the disk is full".into());
    assert_eq!(compactor.compact(Reason::Threshold, None), Err(exhausted));

    let mut compactor = recommended_compactor(&long_talk());
    compactor.compact(Reason::Manual, None).unwrap();
    let request = next_request(&mut compactor);
    compactor.handle_summary(request.id, "They talked.");
    while !matches!(compactor.poll_output(), epitome::Output::Persist(_)) {}
    compactor.handle_unpersisted("the disk is full".into()).unwrap();
    let report = compactor.report().unwrap();
    assert_eq!(report.receipt, epitome::facts::Receipt::default());
    assert_eq!(report.messages_after, report.messages_before);
}

#[test]
fn the_conversation_that_is_shown_again_whole_is_a_change_and_the_same_end_is_none() {
    let mut compactor = recommended_compactor(&long_talk());
    let ends = |compactor: &mut epitome::Compactor, id: &str| {
        compactor.move_head(Some(id.into())).unwrap();
        drive(compactor, |_| String::new()).changes
    };
    assert_eq!(ends(&mut compactor, "m25"), 0, "it ends there already");
    assert_eq!(ends(&mut compactor, "m20"), 1);
    assert_eq!(ends(&mut compactor, "m25"), 1, "what was behind it is back");
}
