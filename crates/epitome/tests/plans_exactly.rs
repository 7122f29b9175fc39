//! What a plan counts, keeps and leaves is what its compaction does, message by message.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot continue should fail"
)]

use crate::harness;

use epitome::history::Edit;
use epitome::message::{Message, Role};
use epitome::policy::{
    ClearToolInputs, ClearToolResults, Fill, Keep, LastRequest, LockedReasoning,
    OffloadToolResults, Reducer, ReducerRule, SummaryPlacement, Trigger,
};
use epitome::test_notation::transcript;
use epitome::tokens::CharactersPer;
use epitome::{Action, Compactor, Contract, Outcome, Phase, Plan, Policy, Reason, ReasoningPolicy};
use harness::{actions, applied, compactor_with, drive, long_talk, shown, words};

fn policy(reducers: Vec<ReducerRule>) -> Policy {
    Policy { reducers, ..Policy::fill_percent(1_000) }
}

fn always(reducer: Reducer) -> ReducerRule {
    ReducerRule::when(reducer, Trigger::Always)
}

fn offload(protect_fraction: f64) -> Reducer {
    let limits = OffloadToolResults { protect_fraction, max_tokens: 100, keep_tokens: 30 };
    Reducer::OffloadToolResults(limits)
}

fn clear_results() -> Reducer {
    Reducer::ClearToolResults(ClearToolResults { keep: 0, ..ClearToolResults::default() })
}

fn compacted(policy: Policy, text: &str, answer: &str) -> Compactor {
    let mut compactor = compactor_with(policy, text);
    again(&mut compactor, Reason::Manual, answer);
    compactor
}

fn again(compactor: &mut Compactor, reason: Reason, answer: &str) {
    compactor.compact(reason, None).unwrap();
    drive(compactor, |_| answer.into());
}

/// Questions and answers, numbered from here on, each of about 100 characters.
fn say(compactor: &mut Compactor, from: usize, to: usize) {
    for number in from..to {
        let text = format!("remark {number} {}", "about roses ".repeat(8));
        let role = if number % 2 == 0 { Role::User } else { Role::Assistant };
        compactor.append(Message::new(format!("r{number}"), role, text)).unwrap();
    }
}

/// What a plan counts besides the messages that stay and the summary.
fn frame(compactor: &Compactor, plan: &Plan) -> u32 {
    assert!(plan.summarizes, "{plan:?}");
    let after = |at| plan.message_tokens(compactor.conversation(), at).1.get();
    let stays: u32 = (0..plan.actions.len()).map(after).sum();
    plan.tokens_after.checked_sub(stays + plan.summary_tokens).unwrap()
}

#[test]
fn what_is_planned_to_be_left_is_the_messages_that_stay_the_summary_and_its_frame() {
    let system = format!("s: {}\n", "be kind ".repeat(40));
    let policy = Policy { keep: Keep::Messages(4), ..policy(Vec::new()) };
    let mut compactor = compactor_with(policy.clone(), &(system + &long_talk()));
    let once = frame(&compactor, &compactor.plan(Reason::Manual));
    assert!(once < 60, "{once}");
    again(&mut compactor, Reason::Manual, "They talked.");
    say(&mut compactor, 0, 12);
    // The system prompt is in front of what was summarized before.
    assert_eq!(frame(&compactor, &compactor.plan(Reason::Manual)), once);
    // The same with a result in the tail that is shortened.
    let text = format!("a: !c\nt: =c<{}>\na: seen", "row ".repeat(100));
    for (number, message) in transcript(&text).into_iter().enumerate() {
        compactor.append(Message { id: format!("c{number}").into(), ..message }).unwrap();
    }
    let reducers = vec![always(clear_results())];
    compactor.set_policy(Policy { reducers, ..policy }).unwrap();
    let plan = compactor.plan(Reason::Manual);
    assert_eq!(plan.rewrites().count(), 1);
    assert_eq!(frame(&compactor, &plan), once);
}

#[test]
fn nothing_is_summarized_if_all_in_front_of_the_tail_is_pinned() {
    let text = "u: * remember the roses\na: * I do\nu: and now?\na: now this";
    let policy = Policy { keep: Keep::Messages(2), ..policy(Vec::new()) };
    let plan = compactor_with(policy, text).plan(Reason::Manual);
    assert!(!plan.summarizes);
    assert!(plan.idle.unwrap().contains("nothing is left to summarize"));
}

#[test]
fn a_compaction_that_is_not_needed_says_so() {
    let compactor = compacted(policy(Vec::new()), "", "");
    assert!(format!("{:?}", compactor.report()).contains("the conversation is empty"));
    let mut compactor = compactor_with(policy(Vec::new()), "u: hi\na: ho\nu: and now?");
    again(&mut compactor, Reason::Threshold, "");
    let outcome = &compactor.report().unwrap().outcome;
    let Outcome::Skipped { message } = outcome else { unreachable!("{outcome:?}") };
    assert!(message.contains("no compaction is needed"), "{message}");
}

#[test]
fn a_floor_is_reported_only_if_it_is_what_reaches_the_threshold() {
    let system = "s: be kind\n";
    let policy = || Policy { keep: Keep::Messages(1), ..Policy::recommended(300) };
    let compactor = compactor_with(policy(), &format!("{system}{}", long_talk()));
    assert_eq!(compactor.plan(Reason::Manual).floor, None);
    // A summary that was made for a larger window is a part of it.
    let wide = Policy { window: 3_000, min_saving: 0.0, ..policy() };
    let mut compactor = compacted(wide, &format!("{system}{}", long_talk()), &words(150));
    assert!(applied(compactor.report().unwrap()));
    compactor.set_policy(policy()).unwrap();
    let plan = compactor.plan(Reason::Manual);
    let floor = plan.floor.unwrap();
    assert!(floor.contains("summary ") && floor.contains("system prompt"), "{floor}");
}

#[test]
fn a_request_that_was_summarized_does_not_come_back_with_a_larger_budget() {
    let small = Policy { keep: Keep::Messages(2), keep_requests_tokens: 0, ..policy(Vec::new()) };
    let mut compactor = compacted(small.clone(), &long_talk(), "They talked.");
    say(&mut compactor, 0, 8);
    compactor.set_policy(Policy { keep_requests_tokens: 400, ..small }).unwrap();
    again(&mut compactor, Reason::Manual, "They talked on.");
    let view = shown(&compactor);
    assert!(applied(compactor.report().unwrap()));
    assert!(!view.contains("question number 6") && view.contains("remark 4"), "{view}");
}

#[test]
fn a_summary_in_place_stands_before_a_pinned_message_that_was_said_after_the_first_ones() {
    let summary_placement = SummaryPlacement::InPlace;
    let policy = Policy { keep: Keep::Messages(2), summary_placement, ..policy(Vec::new()) };
    let text = format!("{}u: * never name the budget\na: I will not", long_talk());
    let mut compactor =
        compacted(policy, text.trim_start_matches("s: you are a gardener\n"), "They talked.");
    assert!(shown(&compactor).starts_with("u: SUMMARY\nu: * never"), "{}", shown(&compactor));
    say(&mut compactor, 0, 8);
    again(&mut compactor, Reason::Manual, "They talked on.");
    assert!(applied(compactor.report().unwrap()));
    assert!(shown(&compactor).starts_with("u: SUMMARY\nu: * never"), "{}", shown(&compactor));
}

#[test]
fn a_message_that_is_shortened_and_summarized_counts_as_summarized_and_a_removed_one_as_removed() {
    let text = format!(
        "u: ~note noon\nu: go\na: !c\nt: =c<{}>\nu: ~note noon\na: seen\nu: so?\na: yes",
        "row ".repeat(60)
    );
    let reducers = vec![always(Reducer::Deduplicate), always(clear_results())];
    let compactor = compactor_with(Policy { keep: Keep::Messages(2), ..policy(reducers) }, &text);
    let plan = compactor.plan(Reason::Manual);
    assert!(plan.summarizes && plan.tail_start > 4, "{plan:?}");
    assert_eq!(plan.actions[0], Action::Deduplicate);
    assert_eq!(plan.actions[3], Action::Summarize);
}

#[test]
fn a_last_request_in_front_of_the_tail_is_shortened_unless_it_is_appended_to_the_summary() {
    let text = format!("{}u: {}\na: one\na: two\na: three\na: four", long_talk(), words(700));
    let reducers = vec![always(Reducer::ExcerptLastRequest)];
    let mut policy = Policy { keep: Keep::Messages(2), ..policy(reducers) };
    let plan = compactor_with(policy.clone(), &text).plan(Reason::Manual);
    let at = plan.actions.iter().position(|it| *it == Action::ExcerptLastRequest).unwrap();
    assert!(at < plan.tail_start, "{plan:?}");
    policy.summary.last_request = LastRequest::Append;
    let actions = actions(&compactor_with(policy, &text), Reason::Reduce);
    assert!(!actions.contains(&Action::ExcerptLastRequest), "{actions:?}");
}

#[test]
fn a_compaction_offloads_only_what_it_takes_to_reach_its_target() {
    let text = format!("{}a: !c\nt: =c<{}>\na: seen\nu: thanks", long_talk(), "row ".repeat(110));
    let rules = [ReducerRule::in_compactions(offload(0.0)), always(offload(0.0))];
    let offloads = rules.map(|rule| {
        let keep = Keep::Messages(6);
        let compactor = compactor_with(Policy { keep, ..policy(vec![rule]) }, &text);
        assert!(compactor.pressure().tokens < compactor.policy().window * 7 / 10);
        actions(&compactor, Reason::Manual).contains(&Action::OffloadToolResults)
    });
    assert_eq!(offloads, [false, true]);
}

#[test]
fn results_within_the_protected_share_stay_and_one_of_just_the_limit_too() {
    let long = "row ".repeat(110);
    let just = "x".repeat(300);
    let text = format!(
        "u: go\na: !a\nt: =a<{long}>\na: !b\nt: =b<{long}>\na: !c\nt: =c<{long}>\nu: thanks"
    );
    let changed = |reducer: Reducer, text: &str| -> Vec<usize> {
        let actions = actions(&compactor_with(policy(vec![always(reducer)]), text), Reason::Reduce);
        (0..actions.len()).filter(|at| actions[*at] == Action::OffloadToolResults).collect()
    };
    assert_eq!(changed(offload(0.0), &text), [2, 4, 6]);
    assert_eq!(changed(offload(0.2), &text), [2, 4]);
    assert_eq!(changed(offload(0.35), &text), [2]);
    let text = format!("u: go\na: !a !b\nt: =a<{just}>\nt: =b<{just}x>\nu: thanks");
    assert_eq!(changed(offload(0.0), &text), [3]);
}

#[test]
fn a_reducer_runs_at_its_phase_and_above_its_threshold_and_no_other_time() {
    let text = format!(
        "u: ~note noon\nu: go\na: !c\nt: =c<{}>\nu: ~note noon\na: seen",
        "row ".repeat(60)
    );
    let at = |phase| Trigger::at(phase, Trigger::Always);
    let reducers = vec![
        ReducerRule::when(Reducer::Deduplicate, at(Phase::TurnEnd)),
        ReducerRule::when(clear_results(), at(Phase::Loop)),
    ];
    let mut compactor = compactor_with(policy(reducers), &text);
    assert_eq!(
        compactor.check(Phase::TurnStart),
        None,
        "and a check of another phase is no answer"
    );
    assert_eq!(compactor.check(Phase::Loop), Some(Reason::Reduce));
    again(&mut compactor, Reason::Reduce, "");
    let view = shown(&compactor);
    assert!(view.contains("[cleared]") && view.matches("noon").count() == 2, "{view}");
    compactor.append(Message::new("more", Role::Assistant, "more")).unwrap();
    assert_eq!(compactor.check(Phase::TurnEnd), Some(Reason::Reduce));

    let half = Trigger::Fill(Fill { fraction: 0.9, max_tokens: 0 });
    let compactor = compactor_with(policy(vec![ReducerRule::when(clear_results(), half)]), &text);
    assert_eq!(compactor.plan(Reason::Reduce).reduced(), 0);
}

#[test]
fn a_reducer_has_to_save_its_own_least_number_of_tokens() {
    let text = format!(
        "u: go\na: !c\nt: =c<{}>\na: seen\nu: ~note noon it is\nu: ~note noon it is",
        "row ".repeat(60)
    );
    let saved = |rules: Vec<(Reducer, u32)>| {
        let rules = rules
            .into_iter()
            .map(|(reducer, clear_at_least)| ReducerRule { clear_at_least, ..always(reducer) });
        let plan = compactor_with(policy(rules.collect()), &text).plan(Reason::Reduce);
        plan.tokens_before - plan.tokens_after
    };
    let by_clearing = saved(vec![(clear_results(), 0)]);
    let by_removing = saved(vec![(Reducer::Deduplicate, 0)]);
    assert!(by_clearing > by_removing && by_removing > 0);
    assert_eq!(saved(vec![(clear_results(), by_clearing)]), by_clearing);
    assert_eq!(saved(vec![(clear_results(), by_clearing + 1)]), 0);
    let both = |least| saved(vec![(clear_results(), 0), (Reducer::Deduplicate, least)]);
    assert_eq!(both(by_removing), by_clearing + by_removing);
    assert_eq!(both(by_removing + 1), by_clearing);
}

#[test]
fn the_oldest_exchanges_leave_from_behind_the_summary_on_and_the_newest_stays() {
    let keep = Keep::Messages(2);
    let mut compactor =
        compacted(Policy { keep, ..policy(Vec::new()) }, &long_talk(), "They talked.");
    say(&mut compactor, 1, 8);
    let huge = Message::new("huge", Role::Assistant, words(600));
    compactor.append(huge).unwrap();
    let summary = Policy::team(1_000, None).summary;
    let reducers = vec![ReducerRule::in_compactions(Reducer::DropOldest)];
    compactor.set_policy(Policy { summary, ..policy(reducers) }).unwrap();
    let plan = compactor.plan(Reason::Manual);
    let dropped = plan.actions.iter().filter(|it| **it == Action::DropOldest).count();
    assert_eq!(plan.reduced() as usize, dropped, "only what is in the view: {plan:?}");
    assert!(dropped > 4 && plan.actions[1..20].iter().all(|it| *it == Action::Summarized));
    again(&mut compactor, Reason::Manual, "");
    let view = shown(&compactor);
    assert!(view.contains("SUMMARY") && view.contains(words(600).trim()), "{view}");
    again(&mut compactor, Reason::Manual, "");
    let outcome = &compactor.report().unwrap().outcome;
    assert!(matches!(outcome, Outcome::Skipped { .. }), "nothing is removed twice: {outcome:?}");
}

#[test]
fn an_append_only_plan_changes_what_stands_behind_the_reasoning_and_nothing_before() {
    let long = "row ".repeat(110);
    let text = format!(
        "u: go\na: !a\nt: =a<{long}>\na: ?old#seal yes\nu: {}\na: !b\nt: =b<{long}>\na: seen",
        words(700)
    );
    let policy = |locked_reasoning| Policy {
        locked_reasoning,
        model: Some("claude-fable-5-1".into()),
        ..policy(vec![always(clear_results()), always(Reducer::ExcerptLastRequest)])
    };
    let changed = |locked| -> Vec<usize> {
        let actions = actions(&compactor_with(policy(locked), &text), Reason::Reduce);
        (0..actions.len()).filter(|at| actions[*at] != Action::Keep).collect()
    };
    assert_eq!(changed(LockedReasoning::AppendOnly), [4, 6]);
    assert_eq!(changed(LockedReasoning::Keep), [2, 4, 6]);
    let summary = Policy::team(1_000, None).summary;
    let reducers = vec![ReducerRule::in_compactions(Reducer::DropOldest)];
    let drop = Policy { summary, reducers, target: 0.1, ..policy(LockedReasoning::AppendOnly) };
    let dropped = actions(&compactor_with(drop, &text), Reason::Manual);
    assert!(dropped[..4].iter().all(|action| *action == Action::Keep), "{dropped:?}");
    assert!(dropped.contains(&Action::DropOldest), "{dropped:?}");
}

#[test]
fn arguments_of_calls_that_are_signed_with_their_turn_are_not_shortened() {
    let long = "x".repeat(300);
    let text = format!(
        "u: go\na: ?why#seal !a<{{\"text\":\"{long}\"}}>\nt: =a\na: !b<{{\"text\":\"{long}\"}}>\nt: =b\n\
         a: done\nu: thanks"
    );
    let inputs = ClearToolInputs { protect_fraction: 0.0, arg_threshold_tokens: 20 };
    let results = ClearToolResults {
        keep: 0,
        clear_tool_inputs: true,
        placeholder: "-".into(),
        ..ClearToolResults::default()
    };
    for reducer in [Reducer::ClearToolInputs(inputs), Reducer::ClearToolResults(results)] {
        let shortened = |reasoning| {
            let contract = Contract { reasoning, ..Contract::default() };
            let policy = policy(vec![always(reducer.clone())]);
            let mut compactor =
                Compactor::new(policy, contract, Box::new(CharactersPer(3))).unwrap();
            transcript(&text).into_iter().for_each(|it| compactor.append(it).unwrap());
            again(&mut compactor, Reason::Reduce, "");
            let changed = |position: usize| {
                let id = &compactor.log().message(position).unwrap().id;
                let is_changed =
                    |edit: &Edit| matches!(edit, Edit::Replace { id: other, .. } if other == id);
                compactor.view().edits.iter().any(is_changed)
            };
            (changed(1), changed(3))
        };
        assert_eq!(shortened(ReasoningPolicy::WholeTurn), (false, true));
        assert_eq!(shortened(Contract::default().reasoning), (true, true));
    }
}

#[test]
fn a_shortened_last_request_takes_half_of_what_the_target_has_room_for() {
    for texts in [1, 2] {
        let policy = policy(vec![always(Reducer::ExcerptLastRequest)]);
        let mut compactor = compactor_with(policy.clone(), "u: hi\na: ho");
        let part = |_| epitome::message::Part::text(words(900 / texts));
        let parts = (0..texts).map(part).collect();
        compactor.append(Message::with_parts("long", Role::User, parts)).unwrap();
        let plan = compactor.plan(Reason::Reduce);
        let room = share(policy.target, policy.window);
        assert!(plan.tokens_before > room);
        let part = f64::from(plan.tokens_after) / f64::from(room);
        assert!((0.35..0.6).contains(&part), "{part}");
    }
}

fn share(fraction: f64, window: u32) -> u32 {
    (fraction * f64::from(window)) as u32
}

#[test]
fn a_name_in_a_result_that_is_cleared_is_not_taken_for_one_that_stays() {
    let long = format!("src/rose1.rs {}", "row ".repeat(60));
    let text = format!(
        "{}u: look at src/rose1.rs\na: I see !c\nt: =c<{long}>\na: seen\nu: thanks\na: welcome",
        long_talk()
    );
    let kept = |reducers| {
        let policy = Policy { keep: Keep::Messages(4), ..policy(reducers) };
        let compactor = compacted(policy, &text, "They looked.");
        let report = compactor.report().unwrap();
        assert!(applied(report), "{report:?}");
        report.receipt.kept.iter().any(|fact| fact.text == "src/rose1.rs")
    };
    assert!(kept(Vec::new()), "it is in the tail");
    assert!(!kept(vec![always(clear_results())]));
}
