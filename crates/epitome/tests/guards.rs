//! What the field learned the hard way: each of these once lost or broke somebody's conversation.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that cannot go on should stop"
)]

mod stage;

use epitome::message::{Message, Role};
use epitome::policy::{Keep, SummarySettings};
use epitome::{Moment, Outcome, Policy, Reason};
use stage::{applied, compact, drive, long_talk, next_request, shown, stage, stage_with};

/// Compacts by hand with this answer, and tells how it ended and what is seen afterwards.
fn answered(answer: &str) -> (Outcome, bool) {
    let mut compactor = stage(&long_talk());
    let before = compactor.view();
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |_| answer.into());
    (compactor.report().unwrap().outcome.clone(), compactor.view() == before)
}

#[test]
fn i18_an_answer_that_is_no_summary_changes_nothing() {
    for answer in
        ["", "## Key facts\n\n## Open points\n", "Error: overloaded", "I'm sorry, I can't."]
    {
        let (outcome, untouched) = answered(answer);
        assert!(matches!(outcome, Outcome::Failed { .. }), "{answer:?}: {outcome:?}");
        assert!(untouched, "{answer:?}");
    }
    let (outcome, untouched) = answered("answer number 7 about the garden");
    assert!(matches!(outcome, Outcome::Failed { .. }) && untouched, "the last reply: {outcome:?}");
}

#[test]
fn i19_a_result_that_saves_too_little_is_left_aside_unless_it_makes_the_conversation_fit() {
    let saved = |window| {
        let policy = Policy { min_saving: 0.6, ..Policy::recommended(window) };
        let mut compactor = stage_with(policy, &long_talk());
        compactor.compact(Reason::Manual, None).unwrap();
        drive(&mut compactor, |request| "word ".repeat(request.target_tokens as usize * 3 / 5));
        compactor.report().unwrap().outcome.clone()
    };
    let Outcome::Skipped { message } = saved(700) else { panic!("{:?}", saved(700)) };
    assert!(message.contains("save too little") && message.contains("minSaving"), "{message}");
    assert!(matches!(saved(430), Outcome::Applied { .. }), "{:?}", saved(430));
}

#[test]
fn i35_a_compaction_is_used_before_the_next_one_is_due() {
    let policy = Policy { keep: Keep::Messages(5), ..Policy::team(10_000, Some((3, 5))) };
    let mut compactor = stage_with(policy, &long_talk());
    assert_eq!(compactor.check(Moment::TurnStart), Some(Reason::Threshold));
    assert!(applied(&compact(&mut compactor).unwrap()));
    assert_eq!(compactor.check(Moment::TurnStart), None, "nothing was sent since");
    compactor.append(Message::new("q", Role::User, "and now?")).unwrap();
    assert_eq!(compactor.check(Moment::TurnStart), None, "nothing was sent since");
    compactor.append(Message::new("a", Role::Assistant, "now this")).unwrap();
    assert_eq!(compactor.check(Moment::TurnStart), Some(Reason::Threshold));
}

#[test]
fn i5_sealed_thoughts_behind_a_changed_past_are_left_out_but_for_the_open_tool_loop() {
    let text = "s: be kind\nu: one and two and three and four and five\na: yes yes yes yes yes yes yes yes\n\
                u: six and seven and eight and nine and ten\na: ?old#seal so it is !a\nt: =a\na: fine\n\
                u: go on\na: ?new#seal let me see !b\nt: =b";
    let policy = Policy { keep: Keep::Messages(6), ..Policy::fill_percent(1_000) };
    let mut compactor = stage_with(policy, text);
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |_| "Counted.".into());
    assert_eq!(
        shown(&compactor),
        "s: be kind\nu: SUMMARY\na: so it is !a\nt: =a\na: fine\nu: go on\n\
         a: ?new#seal let me see !b\nt: =b\n"
    );
}

#[test]
fn i16_a_question_is_cut_to_the_summarizers_own_window() {
    let words = "word ".repeat(400);
    let text: String = (0..6).map(|n| format!("u: {n} {words}\na: {n} {words}\n")).collect();
    let ask = |window_tokens| {
        let settings = SummarySettings {
            window_tokens: Some(window_tokens),
            max_tokens: 200,
            ledger_tokens: 0,
            ..SummarySettings::default()
        };
        let keep = Keep::Messages(1);
        let policy = Policy { summary: settings, keep, ..Policy::fill_percent(20_000) };
        let mut compactor = stage_with(policy, &text);
        compactor.compact(Reason::Manual, None).unwrap();
        let run = drive(&mut compactor, |_| "They said words.".into());
        let size = |text: &str| text.chars().count().div_ceil(3);
        let largest = run.requests.iter().map(|request| {
            size(&request.system) + size(&request.input) + request.max_tokens as usize
        });
        (run.requests.len(), largest.max(), compactor.report().unwrap().outcome.clone())
    };
    let (requests, largest, outcome) = ask(3_000);
    assert!(requests > 1 && largest <= Some(3_000), "{requests} requests, {largest:?}");
    assert!(matches!(outcome, Outcome::Applied { .. }), "{outcome:?}");
    let (requests, _, outcome) = ask(500);
    let Outcome::Failed { message } = outcome else { panic!("{outcome:?}") };
    assert!(
        message.contains("500 tokens is too small") && message.contains("windowTokens"),
        "{message}"
    );
    assert_eq!(requests, 0);
}

#[test]
fn i16_a_model_that_condenses_its_own_conversation_has_that_window() {
    let settings = SummarySettings {
        prompt: Some("mine".into()),
        prompts: [("mine".into(), "Condense.".into())].into(),
        ..SummarySettings::default()
    };
    let policy = Policy { summary: settings, ..Policy::fill_percent(400) };
    let mut compactor = stage_with(policy, &long_talk());
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |_| panic!("a summarizer was asked"));
    assert!(matches!(compactor.report().unwrap().outcome, Outcome::Failed { .. }));
}

#[test]
fn i31_a_smaller_window_can_be_tried_before_it_is_used() {
    let compactor = stage_with(Policy::recommended(2_000), &long_talk());
    assert_eq!(compactor.pressure().level, epitome::meter::Level::Ok);
    let smaller = compactor.pressure_under(&Policy::recommended(400));
    assert_eq!(smaller.level, epitome::meter::Level::Compact);
    assert_eq!(compactor.policy().window, 2_000, "nothing has changed");
}

#[test]
fn i20_a_reading_from_before_a_compaction_counts_no_more() {
    let mut compactor = stage(&long_talk());
    compactor.handle_usage(epitome::message::Usage { prompt_tokens: 390, ..Default::default() });
    assert!(compactor.pressure().exact);
    compact(&mut compactor).unwrap();
    assert!(!compactor.pressure().exact);
    assert_eq!(compactor.pressure().tokens, compactor.report().unwrap().tokens_after);
}

#[test]
fn i27_an_edit_of_a_message_that_was_rewritten_takes_the_rewriting_back() {
    let long = "row ".repeat(300);
    let mut compactor = stage_with(
        Policy::request(100_000),
        &format!("u: go\na: !a\nt: =a<{}>\na: done\nu: thanks", long.repeat(10)),
    );
    assert_eq!(compactor.check(Moment::RequestStart), Some(Reason::Trim));
    compactor.compact(Reason::Trim, None).unwrap();
    drive(&mut compactor, |_| String::new());
    assert!(shown(&compactor).contains("put aside"), "{}", shown(&compactor));
    let edited = epitome::notation::transcript("u: x\nu: x\nt: =a<short>").remove(2);
    compactor.edit(edited).unwrap();
    drive(&mut compactor, |_| String::new());
    assert_eq!(shown(&compactor), "u: go\na: !a\nt: =a<short>\na: done\nu: thanks\n");
}

#[test]
fn i28_nothing_of_a_request_is_in_the_view_while_it_runs() {
    let mut compactor = stage(&long_talk());
    let before = compactor.view();
    compactor.compact(Reason::Manual, None).unwrap();
    next_request(&mut compactor);
    assert_eq!(compactor.view(), before);
}
