//! A user chooses where a compaction ends, and what it leaves as it is.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should stop"
)]

use crate::harness;
use crate::prepares::{Chat, policy};

use epitome::message::Role;
use epitome::policy::{ClearToolResults, Keep, LastRequest, Reducer, ReducerRule};
use epitome::{Action, Compactor, Outcome, Policy, Reason, Scope};
use harness::{applied, compactor_with, drive, long_talk, shown};

fn up_to(position: usize) -> Scope {
    Scope { up_to: Some(position), ..Scope::default() }
}

fn compact_within(compactor: &mut Compactor, scope: Scope) -> epitome::Report {
    compactor.compact_within(Reason::Manual, None, scope).unwrap();
    drive(compactor, |_| "They talked about the garden.".into());
    compactor.report().unwrap().clone()
}

#[test]
fn the_summary_ends_where_it_is_chosen_whatever_the_policy_keeps() {
    for keep in [Keep::Messages(2), Keep::Messages(500)] {
        let policy = Policy { keep, keep_requests_tokens: 0, ..Policy::recommended(4_000) };
        let mut compactor = compactor_with(policy, &long_talk());
        let plan = compactor.plan_within(Reason::Manual, &up_to(9));
        assert_eq!((plan.tail_start, plan.idle), (9, None), "{keep:?}");
        let report = compact_within(&mut compactor, up_to(9));
        assert!(applied(&report), "{report:?}");
        let behind = compactor_with(Policy::recommended(4_000), &long_talk());
        let behind: Vec<String> = shown(&behind).lines().skip(9).map(str::to_owned).collect();
        let now = shown(&compactor);
        let now: Vec<&str> = now.lines().collect();
        assert_eq!(now[..2], ["s: you are a gardener", "u: SUMMARY"]);
        assert_eq!(now[2..], behind);
    }
}

#[test]
fn a4_an_end_inside_a_tool_call_moves_in_front_of_it() {
    let compactor = compactor_with(Policy::recommended(4_000), &long_talk());
    let call = compactor.log().messages().position(|message| message.role == Role::Tool).unwrap();
    for inside in [call, call + 1] {
        assert_eq!(compactor.plan_within(Reason::Manual, &up_to(inside)).tail_start, call - 1);
    }
    assert_eq!(compactor.plan_within(Reason::Manual, &up_to(call + 2)).tail_start, call + 2);
}

#[test]
fn reducers_change_nothing_behind_a_chosen_end() {
    let placeholder = ClearToolResults { keep: 0, ..ClearToolResults::default() };
    let clear = ReducerRule::in_compactions(Reducer::ClearToolResults(placeholder));
    let policy =
        Policy { reducers: vec![clear], keep: Keep::Messages(6), ..Policy::recommended(4_000) };
    let read = "a long line of a file that was read ".repeat(9);
    let text = format!(
        "u: {read}\na: {read}\nu: look\na: !c\nt: =c<{read}>\na: seen\nu: and now?\na: done"
    );
    let compactor = compactor_with(policy, &text);
    let plan = compactor.plan_within(Reason::Manual, &up_to(2));
    assert!(plan.summarizes);
    assert!(plan.actions.iter().skip(2).all(|action| *action == Action::Keep));
    let by_policy = compactor.plan(Reason::Manual);
    assert!(by_policy.actions.iter().skip(2).any(|action| *action != Action::Keep));
}

#[test]
fn an_end_in_front_of_everything_leaves_nothing_to_do() {
    let mut compactor = compactor_with(Policy::recommended(4_000), &long_talk());
    let before = shown(&compactor);
    let report = compact_within(&mut compactor, up_to(0));
    assert!(matches!(report.outcome, Outcome::Skipped { .. }), "{report:?}");
    assert_eq!(shown(&compactor), before);
    assert_eq!(
        compactor.plan_within(Reason::Manual, &up_to(usize::MAX)).tail_start,
        compactor.log().len()
    );
}

#[test]
fn what_is_exempt_stays_once_and_is_summarized_by_the_next_compaction() {
    let policy =
        Policy { keep: Keep::Messages(2), keep_requests_tokens: 0, ..Policy::recommended(400) };
    let mut compactor = compactor_with(policy, &long_talk());
    let position =
        compactor.log().messages().position(|it| it.text().contains("answer number 2")).unwrap();
    let scope = Scope { exempt: vec![position], ..Scope::default() };
    assert!(applied(&compact_within(&mut compactor, scope)));
    assert!(shown(&compactor).contains("a: answer number 2"));
    for turn in 0..12 {
        let said = format!("and what of the beds behind the shed, number {turn}?");
        compactor
            .append(epitome::message::Message::new(format!("n{turn}"), Role::User, said))
            .unwrap();
    }
    assert!(applied(&compact_within(&mut compactor, Scope::default())));
    assert!(!shown(&compactor).contains("a: answer number 2"), "{}", shown(&compactor));
}

#[test]
fn a_last_request_that_is_exempt_is_not_shortened() {
    let excerpt = ReducerRule::in_compactions(Reducer::ExcerptLastRequest);
    let keep = Keep::Messages(0);
    let policy = Policy { reducers: vec![excerpt], keep, ..Policy::recommended(4_000) };
    let asked = "please look at all of this and say what of it is wrong ".repeat(150);
    let compactor = compactor_with(policy, &format!("u: hi\na: hello\nu: {asked}\na: I look"));
    assert_ne!(compactor.plan(Reason::Manual).action(2), Action::Keep);
    let scope = Scope { exempt: vec![2], ..Scope::default() };
    assert_eq!(compactor.plan_within(Reason::Manual, &scope).action(2), Action::Keep);
}

#[test]
fn a_last_request_that_is_exempt_is_not_appended_to_the_summary_as_well() {
    let keep = Keep::Messages(0);
    let mut policy = Policy { keep, keep_requests_tokens: 0, ..Policy::recommended(400) };
    policy.summary.last_request = LastRequest::Append;
    for is_exempt in [false, true] {
        let mut compactor = compactor_with(policy.clone(), &long_talk());
        let request = compactor.conversation().last_request().unwrap();
        let asked = compactor.log().message(request).unwrap().text();
        let exempt = if is_exempt { vec![request] } else { Vec::new() };
        let scope = Scope { exempt, ..Scope::default() };
        assert!(applied(&compact_within(&mut compactor, scope)));
        let appendix = &compactor.conversation().projection().cover.as_ref().unwrap().appendix;
        assert_eq!(appendix.contains(&asked), !is_exempt, "{appendix}");
        assert_eq!(shown(&compactor).contains(&asked), is_exempt);
    }
}

#[test]
fn a_call_that_is_exempt_keeps_its_results() {
    let policy = Policy { keep: Keep::Messages(2), ..Policy::recommended(400) };
    let mut compactor = compactor_with(policy, &long_talk());
    let result = compactor.log().messages().position(|message| message.role == Role::Tool).unwrap();
    let scope = Scope { exempt: vec![result], ..Scope::default() };
    assert!(applied(&compact_within(&mut compactor, scope)));
    let now = shown(&compactor);
    assert!(now.contains("!look1 !read1\nt: =read1\nt: =look1\n"), "{now}");
}

#[test]
fn a_summary_in_advance_is_not_used_for_a_chosen_end() {
    let mut chat = Chat::new(policy(0.5));
    chat.say_until_due();
    chat.answer("They talked about all of the files.");
    assert!(chat.is_prepared());
    chat.compactor.compact_within(Reason::Manual, None, up_to(4)).unwrap();
    chat.drain();
    let asked = chat.requests.last().unwrap();
    assert!(asked.input.contains("Message 3 in"), "{}", asked.input);
    assert!(!asked.input.contains("Message 4 in"), "{}", asked.input);
    chat.answer("They talked about four files.");
    assert!(applied(chat.report()));
    assert_eq!(chat.used(), None);
}
