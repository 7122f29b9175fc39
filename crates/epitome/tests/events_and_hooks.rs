//! Warnings, events and hooks for the app, and their content.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot continue should fail"
)]

use crate::harness;

use epitome::message::{Message, Role, Usage};
use epitome::policy::{Keep, SummarySettings};
use epitome::{BeforeCompaction, CommandError, Event, Outcome, Output, Phase, Policy, Reason};
use harness::{compact, compactor_with, drive, long_talk};

fn policy() -> Policy {
    Policy { keep: Keep::Messages(2), ..Policy::fill_percent(400) }
}

#[test]
fn b6_a_warning_is_sent_once_until_the_next_compaction() {
    let policy = Policy { warning: Some(0.5), ..policy() };
    let mut compactor = compactor_with(policy, &long_talk());
    let warnings = |compactor: &mut epitome::Compactor| {
        compactor.check(Phase::TurnStart);
        let run = drive(compactor, |_| String::new());
        run.events.iter().filter(|event| matches!(event, Event::Warning { .. })).count()
    };
    assert_eq!((warnings(&mut compactor), warnings(&mut compactor)), (1, 0));
    compact(&mut compactor).unwrap();
    assert_eq!(warnings(&mut compactor), 0, "below the mark again");
    for message in epitome::test_notation::transcript(&long_talk()) {
        let id = format!("second-{}", message.id).into();
        compactor.append(Message { id, ..message }).unwrap();
    }
    assert_eq!((warnings(&mut compactor), warnings(&mut compactor)), (1, 0), "a new cycle");
}

#[test]
fn b6_without_the_setting_no_warning_is_sent() {
    let mut compactor = compactor_with(policy(), &long_talk());
    compactor.check(Phase::TurnStart);
    assert_eq!(drive(&mut compactor, |_| String::new()).events, []);
}

#[test]
fn b12_status_and_events_have_the_used_share_of_the_budget() {
    let mut compactor = compactor_with(policy(), &long_talk());
    let pressure = compactor.pressure();
    assert!((pressure.budget_used_pct - pressure.fill * 100.0).abs() < 1e-9);
    compactor.compact(Reason::Manual, None).unwrap();
    let run = drive(&mut compactor, |_| "They talked.".into());
    assert!(run.events.iter().any(|event| matches!(
        event,
        Event::Start { budget_used_pct, .. } if (budget_used_pct - pressure.budget_used_pct).abs() < 1e-9
    )));
    let after = compactor.report().unwrap().budget_used_pct;
    assert!((after - compactor.pressure().budget_used_pct).abs() < 1e-9);
    assert!(after < pressure.budget_used_pct);
}

#[test]
fn b11_usage_is_summed_over_all_requests() {
    let mut compactor = compactor_with(policy(), "u: hi\na: hello");
    let usage = |prompt_tokens, completion_tokens| Usage {
        prompt_tokens,
        completion_tokens,
        duration_ms: Some(2_000),
        ..Usage::default()
    };
    compactor.handle_usage(usage(100, 20));
    compactor.handle_usage(usage(150, 40));
    let statistics = compactor.conversation().statistics();
    assert_eq!(statistics.session_prompt_tokens, 250);
    assert_eq!(statistics.context_tokens, 190);
    assert!((statistics.tokens_per_second - 20.0).abs() < 1e-9);
}

#[test]
fn g5_a_compaction_has_start_and_end_events_with_their_content() {
    let mut compactor = compactor_with(policy(), &long_talk());
    let tokens = compactor.pressure().tokens;
    compactor.compact(Reason::Manual, None).unwrap();
    let run = drive(&mut compactor, |_| "They talked.".into());
    let kinds: Vec<String> = run
        .events
        .iter()
        .map(|event| serde_json::to_value(event).unwrap()["type"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(kinds, ["start", "progress", "after", "end"]);
    let start = serde_json::to_value(&run.events[0]).unwrap();
    assert_eq!((&start["tokens"], &start["threshold"]), (&tokens.into(), &320.into()));
    let report = &serde_json::to_value(&run.events[3]).unwrap()["report"];
    assert_eq!(report["tokensBefore"], tokens);
    assert_eq!(report["tokensAfter"], compactor.pressure().tokens);
    assert_eq!(report["summaryCharacters"], "They talked.".len());
}

#[test]
fn g5_a_compaction_in_the_tool_loop_has_its_own_events() {
    let mut compactor = compactor_with(Policy::request(100_000), &long_talk());
    compactor.compact(Reason::ReactiveMicro, None).unwrap();
    let messages = compactor.conversation().messages();
    let run = drive(&mut compactor, |_| "They talked.".into());
    assert!(run.has_event("reacting", "\"tokens\""), "{:?}", run.events);
    assert!(!run.has_event("start", "") && !run.has_event("end", ""), "{:?}", run.events);
    let reacted = run.events.iter().find_map(|event| match event {
        Event::Reacted { messages_before, messages_after, .. } => {
            Some((*messages_before, *messages_after))
        }
        _ => None,
    });
    assert_eq!(reacted, Some((messages, compactor.conversation().messages())));
}

fn before(compactor: &mut epitome::Compactor) -> BeforeCompaction {
    match compactor.poll_output() {
        Output::Before(before) => before,
        other => panic!("{other:?}"),
    }
}

#[test]
fn g4_the_app_can_skip_a_compaction_before_it_begins() {
    let mut compactor = compactor_with(policy(), &long_talk());
    let (view, pressure) = (compactor.view(), compactor.pressure());
    compactor.compact(Reason::Manual, None).unwrap();
    let asked = before(&mut compactor);
    assert!(asked.forced);
    assert_eq!(asked.tokens_used, pressure.tokens);
    assert!((asked.context_percent - pressure.budget_used_pct).abs() < 1e-9);
    assert_eq!(asked.message_count as usize, compactor.log().len());
    assert_eq!(asked.keep_last, 5, "two, the rest of their exchange, and the last request");
    compactor.skip().unwrap();
    let run = drive(&mut compactor, |_| panic!("a summarizer was asked"));
    assert!(matches!(compactor.report().unwrap().outcome, Outcome::Skipped { .. }));
    assert!(!run.has_event("after", ""), "{:?}", run.events);
    assert_eq!(compactor.view(), view);
    assert_eq!(compactor.skip(), Err(CommandError::NothingToDecide));
}

#[test]
fn g4_after_a_compaction_the_app_gets_its_outcome() {
    let mut compactor = compactor_with(policy(), &long_talk());
    compactor.compact(Reason::Threshold, None).unwrap();
    assert!(!before(&mut compactor).forced);
    compactor.proceed().unwrap();
    let messages = compactor.conversation().messages();
    let run = drive(&mut compactor, |_| "They talked.".into());
    let after = Event::After {
        success: true,
        messages_before: messages,
        messages_after: compactor.conversation().messages(),
        summary_characters: 12,
    };
    assert!(run.events.contains(&after), "{:?}", run.events);

    compactor.undo().unwrap();
    drive(&mut compactor, |_| String::new());
    compactor.compact(Reason::Manual, None).unwrap();
    let run = drive(&mut compactor, |_| String::new());
    assert!(run.has_event("after", "\"success\":false"), "{:?}", run.events);
}

#[test]
fn g4_the_hook_is_not_called_if_only_reducers_are_applied() {
    let text = format!("u: ~note noon\n{}\nu: ~note noon\nu: so?", long_talk());
    let settings = SummarySettings { default_agent: None, ..SummarySettings::default() };
    let mut compactor = compactor_with(Policy { summary: settings, ..policy() }, &text);
    compactor.compact(Reason::Threshold, None).unwrap();
    let mut outputs = Vec::new();
    loop {
        match compactor.poll_output() {
            Output::Wait(_) => break,
            Output::Persist(_) => compactor.handle_persisted().unwrap(),
            output => outputs.push(output),
        }
    }
    assert!(matches!(compactor.report().unwrap().outcome, Outcome::Applied { .. }));
    let asked = outputs
        .iter()
        .any(|output| matches!(output, Output::Before(_) | Output::Event(Event::After { .. })));
    assert!(!asked, "{outputs:?}");
}

#[test]
fn d16_the_next_trigger_uses_the_reported_tokens() {
    let mut compactor = compactor_with(policy(), &long_talk());
    compact(&mut compactor).unwrap();
    let report = compactor.report().unwrap();
    assert_eq!(report.session, 2, "a compaction begins another session");
    compactor.handle_count(399);
    assert_eq!((compactor.pressure().tokens, compactor.pressure().exact), (399, true));
    compactor.append(Message::new("next", Role::Assistant, "well")).unwrap();
    assert_eq!(compactor.check(Phase::TurnEnd), Some(Reason::Threshold));
}
