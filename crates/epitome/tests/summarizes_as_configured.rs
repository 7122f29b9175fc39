//! What is summarized, by which summarizer, in how many requests, and where the summary is placed.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot continue should fail"
)]

use crate::harness;

use epitome::message::{Message, Role, Usage};
use epitome::policy::{
    Keep, LastRequest, Reactive, Shape, Summarizer, SummaryPlacement, SummarySettings, Trigger,
};
use epitome::{Action, Outcome, Phase, Policy, Reason};
use harness::{
    actions, applied, compact, compactor_with, drive, long_talk, next_request, shown, words,
};

const WORK: &str = "s: be kind\nu: mend it all\na: step one !a\nt: =a\na: step two !b\nt: =b\n\
                    a: step three !c\nt: =c\na: step four !d\nt: =d\na: step five !e\nt: =e";

/// Turns of a question and an answer, about twenty tokens each.
fn talk(turns: usize) -> String {
    let words = "with a good many words about the roses in the garden";
    (0..turns).map(|n| format!("u: question {n} {words}\na: answer {n} {words}\n")).collect()
}

/// The latest messages of such a conversation.
fn latest(turns: usize, messages: usize) -> String {
    let talk = talk(turns);
    let lines: Vec<&str> = talk.lines().collect();
    lines[lines.len() - messages..].join("\n") + "\n"
}

fn summary(settings: SummarySettings) -> Policy {
    Policy { summary: settings, keep: Keep::Messages(2), ..Policy::fill_percent(400) }
}

#[test]
fn d6_a_summary_that_is_too_long_is_itself_summarized() {
    let settings = SummarySettings { rollup_tokens: 40, ..SummarySettings::default() };
    let mut compactor = compactor_with(summary(settings), &long_talk());
    compactor.compact(Reason::Manual, None).unwrap();
    let run = drive(&mut compactor, |request| match request.input.contains("question number") {
        true => words(60),
        false => "They talked long.".into(),
    });
    assert_eq!(run.requests.len(), 2);
    let rollup = &run.requests[1];
    assert!(rollup.input.contains(words(60).trim()), "{}", rollup.input);
    assert!(rollup.system.contains("grown too long"), "{}", rollup.system);
    assert!(rollup.target_tokens <= 20, "{}", rollup.target_tokens);
    assert_eq!(compactor.report().unwrap().summary.as_deref(), Some("They talked long."));
}

#[test]
fn d7_a_result_that_is_too_large_is_tried_again_with_less() {
    let long = "row ".repeat(100);
    let text: String =
        (0..9).map(|n| format!("u: look {n}\na: !c{n}\nt: =c{n}<{long}>\na: seen {n}\n")).collect();
    let policy = Policy { keep: Keep::Messages(4), ..Policy::fill_percent(700) };
    let mut compactor = compactor_with(policy, &text);
    compactor.compact(Reason::Manual, None).unwrap();
    // This summarizer always writes a summary that is too long.
    let run = drive(&mut compactor, |_| words(416));
    let fallbacks: Vec<String> = run
        .events
        .iter()
        .filter_map(|event| match event {
            epitome::Event::Shorter { tool_result_max_characters, keep } => {
                Some(format!("{tool_result_max_characters} {keep:?}"))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        fallbacks,
        [
            "150 Messages(4)",
            "100 Messages(4)",
            "50 Messages(4)",
            "0 Messages(4)",
            "0 Messages(2)",
            "0 Messages(1)",
            "0 Messages(0)"
        ]
    );
    assert_eq!(run.requests.len(), 8);
    assert!(run.requests[0].input.contains(&"row ".repeat(50)), "200 characters at first");
    assert!(!run.requests[4].input.contains("row row"), "none in the end");
    assert!(run.has_event("tooLarge", "begin a new session"), "{:?}", run.events);
}

#[test]
fn d7_the_first_result_that_is_small_enough_is_used() {
    let mut compactor = compactor_with(
        Policy { keep: Keep::Messages(4), ..Policy::fill_percent(400) },
        &long_talk(),
    );
    compactor.compact(Reason::Manual, None).unwrap();
    let mut answers = [words(182), "They talked.".to_owned()].into_iter();
    let run = drive(&mut compactor, |_| answers.next().unwrap());
    assert_eq!(run.requests.len(), 2);
    assert!(applied(compactor.report().unwrap()));
    assert_eq!(compactor.report().unwrap().summary.as_deref(), Some("They talked."));
}

#[test]
fn d9_the_last_request_is_appended_word_for_word_if_configured() {
    let settings =
        SummarySettings { last_request: LastRequest::Append, ..SummarySettings::default() };
    let policy = Policy {
        summary_placement: SummaryPlacement::OneMessage,
        keep: Keep::Messages(0),
        ..summary(settings)
    };
    let mut compactor = compactor_with(policy, WORK);
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |_| "Five steps were made.".into());
    let report = compactor.report().unwrap();
    let summary = report.summary.as_deref().unwrap();
    assert!(summary.ends_with("The last request, word for word:\nmend it all"), "{summary}");
    assert_eq!(shown(&compactor), "s: be kind\nu: SUMMARY\n");
}

#[test]
fn d10_open_tasks_are_sent_to_the_summarizer_and_appended_to_the_summary() {
    let mut compactor = compactor_with(summary(SummarySettings::default()), &long_talk());
    compactor.set_todo("- [ ] plant the roses\n- [x] dig".into()).unwrap();
    compactor.compact(Reason::Manual, None).unwrap();
    let run = drive(&mut compactor, |_| "They talked.".into());
    assert!(run.requests[0].input.contains("- [ ] plant the roses"), "{}", run.requests[0].input);
    let summary = compactor.report().unwrap().summary.clone().unwrap();
    let tasks = "Open tasks, word for word:\n- [ ] plant the roses\n- [x] dig";
    assert_eq!(summary, format!("They talked.\n\n{tasks}"));

    // The next summary builds on this one, but not on tasks that may be done by then.
    compactor.set_todo("- [ ] water them".into()).unwrap();
    for message in epitome::test_notation::transcript(&long_talk()) {
        let id = format!("second-{}", message.id).into();
        compactor.append(epitome::message::Message { id, ..message }).unwrap();
    }
    compactor.compact(Reason::Manual, None).unwrap();
    let run = drive(&mut compactor, |_| "They talked again.".into());
    let input = &run.requests[0].input;
    assert!(input.contains("They talked.") && !input.contains("plant the roses"), "{input}");
    let summary = compactor.report().unwrap().summary.clone().unwrap();
    assert_eq!(summary, "They talked again.\n\nOpen tasks, word for word:\n- [ ] water them");
}

#[test]
fn d11_a_request_names_the_summarizer() {
    let ask = |settings| {
        let mut compactor = compactor_with(summary(settings), &long_talk());
        compactor.compact(Reason::Manual, None).unwrap();
        next_request(&mut compactor)
    };
    let agent = SummarySettings { agent: Some("fast".into()), ..SummarySettings::default() };
    assert_eq!(ask(agent).summarizer, Summarizer::Agent { name: "fast".into() });
    let own = SummarySettings {
        prompt: Some("mine".into()),
        prompts: [("mine".into(), "List the plants.".into())].into(),
        window_tokens: Some(10_000),
        ..SummarySettings::default()
    };
    let own = ask(own);
    assert_eq!(own.summarizer, Summarizer::Own { prompt: "mine".into() });
    assert!(own.system.contains("List the plants."), "{}", own.system);
}

#[test]
fn d11_without_a_summarizer_only_reducers_are_applied() {
    let settings = SummarySettings { default_agent: None, ..SummarySettings::default() };
    let mut compactor = compactor_with(summary(settings), &long_talk());
    compactor.compact(Reason::Manual, None).unwrap();
    let run = drive(&mut compactor, |_| panic!("a summarizer was asked"));
    assert!(matches!(compactor.report().unwrap().outcome, Outcome::Skipped { .. }));
    assert!(!run.has_event("start", "") && !run.has_event("after", ""), "{:?}", run.events);
}

#[test]
fn d8_d14_the_instructions_have_the_sections_and_the_reason() {
    let settings = SummarySettings { shape: Shape::SevenSections, ..SummarySettings::default() };
    let mut compactor = compactor_with(summary(settings), &long_talk());
    compactor.compact(Reason::RequestBoundary, Some("the roses".into())).unwrap();
    let request = next_request(&mut compactor);
    assert_eq!(request.reason, Reason::RequestBoundary);
    assert!(request.system.contains("## 7. Next step"), "{}", request.system);
    assert!(request.system.contains("between two requests"), "{}", request.system);
    assert!(request.system.ends_with("the roses"), "{}", request.system);
}

fn view_with(summary_placement: SummaryPlacement, keep: Keep, text: &str) -> String {
    let mut policy = Policy { summary_placement, keep, ..Policy::fill_percent(1_000) };
    policy.summary.last_request = match summary_placement {
        SummaryPlacement::OneMessage => LastRequest::Append,
        _ => LastRequest::Keep,
    };
    let mut compactor = compactor_with(policy, text);
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |_| "Done.".into());
    assert!(applied(compactor.report().unwrap()), "{:?}", compactor.report());
    let inserted = compactor.view().edits.iter().filter(|edit| edit.id().is_none()).count();
    assert_eq!(inserted, 1);
    shown(&compactor)
}

#[test]
fn d12_a_summary_has_four_placements() {
    assert_eq!(
        view_with(SummaryPlacement::SystemSummaryTail, Keep::Messages(2), WORK),
        "s: be kind\nu: SUMMARY\nu: mend it all\na: step five !e\nt: =e\n"
    );
    assert_eq!(
        view_with(SummaryPlacement::OneMessage, Keep::Messages(0), WORK),
        "s: be kind\nu: SUMMARY\n"
    );
    assert_eq!(
        view_with(SummaryPlacement::LeadingSystem, Keep::Messages(2), WORK),
        "s: be kind\ns: SUMMARY\nu: mend it all\na: step five !e\nt: =e\n"
    );
    assert_eq!(
        view_with(SummaryPlacement::InPlace, Keep::Rounds(2), WORK),
        "s: be kind\nu: mend it all\nu: SUMMARY\na: step four !d\nt: =d\na: step five !e\nt: =e\n"
    );
}

#[test]
fn d12_later_messages_stand_after_the_summary() {
    let mut compactor = compactor_with(Policy::loop_middleware(300_000), WORK);
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |_| "Done.".into());
    for message in epitome::test_notation::transcript("a: step six") {
        let id = "later".into();
        compactor.append(epitome::message::Message { id, ..message }).unwrap();
    }
    assert_eq!(shown(&compactor), "s: be kind\nu: SUMMARY\na: step six\n");
}

#[test]
fn d15_in_the_tool_loop_the_oldest_rounds_are_summarized_first_then_all() {
    let policy = Policy::request(100_000);
    let mut compactor = compactor_with(policy, WORK);
    let usage = |prompt_tokens| Usage { prompt_tokens, ..Usage::default() };
    compactor.handle_usage(usage(86_000));
    assert_eq!(compactor.check(Phase::Loop), Some(Reason::ReactiveMicro));
    compactor.compact(Reason::ReactiveMicro, None).unwrap();
    drive(&mut compactor, |_| "Begun.".into());
    assert_eq!(
        shown(&compactor),
        "s: be kind\nu: mend it all\nu: SUMMARY\na: step three !c\nt: =c\na: step four !d\nt: =d\n\
         a: step five !e\nt: =e\n"
    );
    assert_eq!(compactor.check(Phase::Loop), None, "that reading was of another view");
    compactor.handle_usage(usage(92_000));
    assert_eq!(compactor.check(Phase::Loop), Some(Reason::ReactiveFull));
    compactor.compact(Reason::ReactiveFull, None).unwrap();
    drive(&mut compactor, |_| "More.".into());
    assert_eq!(
        shown(&compactor),
        "s: be kind\nu: mend it all\nu: SUMMARY\na: step four !d\nt: =d\na: step five !e\nt: =e\n"
    );
}

#[test]
fn b9_one_request_causes_at_most_three_compactions() {
    let mut compactor = compactor_with(Policy::request(100_000), WORK);
    for _ in 0..3 {
        assert_eq!(compactor.check(Phase::Overflow), Some(Reason::ReactiveFull));
        compactor.compact(Reason::ReactiveFull, None).unwrap();
        drive(&mut compactor, |_| "Begun.".into());
    }
    assert_eq!(compactor.check(Phase::Overflow), None);
    assert_eq!(compactor.check(Phase::RequestStart), None);
    assert_eq!(compactor.check(Phase::Overflow), Some(Reason::ReactiveFull));
}

#[test]
fn b8_at_the_start_of_a_request_all_but_two_rounds_of_a_long_history_are_summarized() {
    let text = talk(12);
    let boundary = epitome::policy::RequestBoundary { trigger_tokens: 400, min_messages: 20 };
    let policy = Policy {
        triggers: vec![Trigger::RequestBoundary(boundary), Trigger::Reactive(Reactive::default())],
        ..Policy::request(1_000)
    };
    let mut compactor = compactor_with(policy, &text);
    assert_eq!(compactor.check(Phase::TurnStart), None);
    assert_eq!(compactor.check(Phase::RequestStart), Some(Reason::RequestBoundary));
    compactor.compact(Reason::RequestBoundary, None).unwrap();
    drive(&mut compactor, |_| "Ten questions.".into());
    assert_eq!(shown(&compactor), format!("u: SUMMARY\n{}", latest(12, 3)));
}

#[test]
fn b7_above_a_number_of_messages_all_but_the_latest_are_summarized() {
    let mut compactor = compactor_with(Policy::team(10_000, Some((7, 5))), &talk(4));
    assert_eq!(compactor.check(Phase::TurnEnd), Some(Reason::Threshold));
    compact(&mut compactor).unwrap();
    assert_eq!(shown(&compactor), format!("u: SUMMARY\n{}", latest(4, 5)));
    assert_eq!(compactor.check(Phase::TurnEnd), None);
}

#[test]
fn d1_the_latest_user_messages_stay_word_for_word_within_a_budget() {
    let policy = Policy { keep: Keep::Messages(1), ..Policy::recommended(400) };
    let mut compactor = compactor_with(policy, &long_talk());
    assert_eq!(actions(&compactor, Reason::Manual).last(), Some(&Action::Keep));
    compact(&mut compactor).unwrap();
    let shown = shown(&compactor);
    let head = "s: you are a gardener\nu: question number 6 about the garden\nu: SUMMARY\n\
                u: question number 7";
    assert!(shown.starts_with(head), "{shown}");
}

#[test]
fn d10_appended_facts_keep_their_speakers_in_the_next_summary() {
    let said = "u: please do not touch the API\nu: - [ ] ship the thing by Friday\na: noted\n";
    let text = format!("{said}{}", talk(8));
    let mut policy = Policy { keep: Keep::Messages(2), ..Policy::fill_percent(2_000) };
    policy.summary.ledger_tokens = 1_000;
    let mut compactor = compactor_with(policy, &text);
    for round in 0..4 {
        compactor.compact(Reason::Manual, None).unwrap();
        drive(&mut compactor, |_| "They talked.".into());
        let report = compactor.report().unwrap();
        assert!(applied(report), "{report:?}");
        let summary = report.summary.clone().unwrap();
        for line in
            ["\nuser:\n- [ ] ship the thing by Friday", "- user: please do not touch the API"]
        {
            assert_eq!(summary.matches(line).count(), 1, "round {round}: {summary}");
        }
        let fact =
            report.receipt.appended.iter().find(|fact| fact.text.contains("Friday")).unwrap();
        assert_eq!(fact.sources, ["m1".into()], "round {round}");
        for message in epitome::test_notation::transcript(&talk(8)) {
            let id = format!("{round}-{}", message.id).into();
            compactor.append(epitome::message::Message { id, ..message }).unwrap();
        }
    }
}

#[test]
fn d9_a_request_with_other_parts_than_text_stays_as_its_own_message() {
    use epitome::message::{Media, Message, Part, Role};
    let mut compactor = compactor_with(Policy::loop_middleware(300_000), &talk(4));
    let picture = Part::Image(Media::default());
    compactor.append(Message::with_parts("picture", Role::User, vec![picture])).unwrap();
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |_| "They talked.".into());
    assert_eq!(shown(&compactor), "u: SUMMARY\nu: <image>\n");
    let summary = compactor.report().unwrap().summary.clone().unwrap();
    assert!(!summary.contains("The last request"), "{summary}");
}

#[test]
fn d9_a_request_during_a_compaction_is_in_the_tail_and_not_in_the_summary() {
    let mut compactor = compactor_with(Policy::loop_middleware(300_000), WORK);
    compactor.compact(Reason::Manual, None).unwrap();
    let request = next_request(&mut compactor);
    let late = epitome::message::Message::new("late", epitome::message::Role::User, "and paint it");
    compactor.append(late).unwrap();
    compactor.handle_summary(request.id, "Five steps were made.");
    drive(&mut compactor, |_| panic!("asked again"));
    assert_eq!(shown(&compactor), "s: be kind\nu: SUMMARY\nu: and paint it\n");
    let summary = compactor.report().unwrap().summary.clone().unwrap();
    assert!(!summary.contains("paint"), "{summary}");
}

#[test]
fn d9_the_last_request_stays_through_ten_compactions_of_one_request() {
    const REQUEST: &str = "mend the green garden gate by noon";
    let placements = [
        SummaryPlacement::SystemSummaryTail,
        SummaryPlacement::OneMessage,
        SummaryPlacement::LeadingSystem,
        SummaryPlacement::InPlace,
    ];
    for summary_placement in placements {
        for last_request in [LastRequest::Keep, LastRequest::Append] {
            let case = format!("{summary_placement:?} {last_request:?}");
            let settings = SummarySettings { last_request, ..SummarySettings::default() };
            let policy = Policy { summary_placement, ..summary(settings) };
            let text = format!("s: be kind\nu: {REQUEST}\n");
            let mut compactor = compactor_with(policy, &text);
            for round in 0..10 {
                for step in 0..6 {
                    let call = format!("c{round}x{step}");
                    let words = "looking at the hinges and at the old paint once more";
                    let id = format!("{call}-");
                    let steps =
                        format!("a: {words} !{call}\nt: ={call}<a long result of the tool>");
                    for mut message in epitome::test_notation::transcript(&steps) {
                        message.id = format!("{id}{}", message.id.as_str()).as_str().into();
                        compactor.append(message).unwrap();
                    }
                }
                compactor.compact(Reason::Manual, None).unwrap();
                let run = drive(&mut compactor, |_| "They worked on it.".into());
                let inputs: Vec<&str> =
                    run.requests.iter().map(|request| request.input.as_str()).collect();
                assert!(inputs[0].contains(REQUEST), "{case}, {round}: {inputs:?}");
                let shown = whole(&compactor);
                assert_eq!(shown.matches(REQUEST).count(), 1, "{case}, {round}: {shown}");
                assert_eq!(shown.matches("<conversation-summary").count(), 1, "{case}: {shown}");
                assert!(shown.starts_with("be kind"), "{case}, {round}: {shown}");
            }
        }
    }
}

/// All texts of the view.
fn whole(compactor: &epitome::Compactor) -> String {
    use epitome::history::Edit;
    let text = |edit: Edit| match edit {
        Edit::Keep(id) | Edit::Replace { id, .. } => {
            compactor.log().message(compactor.log().position(&id).unwrap()).unwrap().text()
        }
        Edit::Insert { role, parts } => {
            epitome::message::Message::with_parts("", role, parts).text()
        }
    };
    compactor.view().edits.into_iter().map(text).collect::<Vec<_>>().join("\n")
}

#[test]
fn b15_after_a_rejected_request_the_tail_is_shortened_if_nothing_else_is_left() {
    let rounds = format!("a: !look\nt: =look {}\n", "everything in the garden ".repeat(40));
    for count in 1..=6 {
        let policy = Policy { keep: Keep::Messages(2 * count), ..Policy::fill_percent(20_000) };
        let text = format!("u: look at all of it\n{}", rounds.repeat(count as usize));
        let mut compactor = compactor_with(policy, &text);
        let reason = compactor.check(Phase::Overflow).unwrap();
        compactor.compact(reason, None).unwrap();
        drive(&mut compactor, |_| "- a garden".into());
        let report = compactor.report().unwrap();
        assert!(applied(report), "{count}: {:?}", report.outcome);
    }
}

#[test]
fn d10_lists_are_appended_only_as_far_as_the_target_leaves_room_beside_the_ledger() {
    let place = "in the garden behind the house ".repeat(4);
    let items: String = (0..400).map(|n| format!("- [ ] plant rose {n} {place}\n")).collect();
    let facts: String = (0..400).map(|n| format!("It is in src/rose{n}.rs now.\n")).collect();
    let last = "and go on with the roses ".repeat(200);
    let mut policy = Policy { target: 0.2, keep: Keep::Messages(1), ..Policy::recommended(40_000) };
    policy.summary.checklist_tokens = 40_000;
    let mut compactor = compactor_with(policy, "");
    for (id, text) in [("items", &items), ("facts", &facts), ("last", &last)] {
        compactor.append(Message::new(id, Role::User, text.as_str())).unwrap();
    }
    let planned = compactor.plan(Reason::Manual).tokens_after;
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |_| "They made a plan for roses. ".repeat(2) + &words(200));
    let report = compactor.report().unwrap();
    let appended =
        |text: &str| report.receipt.appended.iter().filter(|fact| fact.text.contains(text)).count();
    assert!(appended("plant") > 0 && appended("src/") > 0, "{:?}", report.receipt.appended);
    assert!(report.tokens_after <= planned.max(8_000), "{} of {planned}", report.tokens_after);
}

#[test]
fn d5_an_acknowledgement_has_no_chunk_of_its_own() {
    let mut policy = Policy { keep: Keep::Messages(1), ..Policy::fill_percent(20_000) };
    policy.summary.chunks = 4;
    let rounds = "a: !look\nt: =look everything in the garden\n".repeat(4);
    let mut compactor = compactor_with(policy, &format!("{rounds}u: go on"));
    compactor.compact(Reason::Manual, None).unwrap();
    let run = drive(&mut compactor, |_| "- a garden".into());
    assert_eq!(run.requests.len(), 4);
    for request in &run.requests {
        assert!(request.input.contains("everything in the garden"), "{}", request.input);
    }
}
