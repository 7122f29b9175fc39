//! A user compacts a long conversation, continues, compacts again, and undoes both.

use crate::harness;

use epitome::history::{Defect, Edit, View};
use epitome::message::{Message, Role, Usage};
use epitome::policy::{
    Keep, Reducer, ReducerRule, ToolFilter, Trigger, TruncateToolResults, TruncationStep,
};
use epitome::{Action, CommandError, Compactor, Level, Outcome, Policy, Reason};
use harness::{
    applied, compact, compactor_with, drive, long_talk, recommended_compactor, shown, viewed,
};

use crate::random::plan_follower::Follower;

#[test]
fn a_view_is_system_prompt_then_last_request_then_summary_then_tail() {
    let policy = Policy { keep: Keep::Messages(2), target: 0.7, ..Policy::recommended(400) };
    let mut compactor = compactor_with(policy, &long_talk());
    assert_eq!(compactor.pressure().level, Level::Compact);
    let report = compact(&mut compactor).unwrap();
    assert!(applied(&report), "{report:?}");
    assert_eq!(report.floor, None);
    assert_eq!(
        shown(&compactor),
        "s: you are a gardener\n\
         u: question number 5 about the garden\n\
         u: question number 6 about the garden\n\
         u: SUMMARY\n\
         u: question number 7 about the garden\n\
         a: let me look !look7 !read7\n\
         t: =read7\n\
         t: =look7\n\
         a: answer number 7 about the garden\n"
    );
    assert_eq!(compactor.pressure().level, Level::Ok);
    assert_eq!(compactor.pressure().tokens, report.tokens_after);
}

#[test]
fn a1_messages_that_the_model_does_not_get_any_more_are_compacted() {
    let policy = Policy { keep: Keep::Messages(2), target: 0.7, ..Policy::recommended(400) };
    let mut compactor = compactor_with(policy, &long_talk());
    assert_eq!(compactor.compacted().count(), 0);
    assert!(applied(&compact(&mut compactor).unwrap()));
    let view = compactor.view();
    let seen: Vec<_> = view.edits.iter().filter_map(Edit::id).collect();
    let compacted: Vec<_> = compactor.compacted().collect();
    assert!(compacted.len() > 5);
    for message in compactor.log().messages() {
        let id = &message.id;
        assert_eq!(compactor.is_compacted(id), !seen.contains(&id), "{id}");
        assert_eq!(compactor.is_compacted(id), compacted.contains(&id), "{id}");
    }
    compactor.undo().unwrap();
    drive(&mut compactor, |_| String::new());
    assert_eq!(compactor.compacted().count(), 0);
}

#[test]
fn a3_the_first_view_is_repaired_and_lists_what_was_wrong() {
    let compactor = recommended_compactor("u: go\nt: =z\na: !lost\nu: well?\na: done");
    let lost = "[no result was recorded for this call]";
    let repaired = format!("u: go\na: !lost\nt: =lost<{lost}>\nu: well?\na: done\n");
    assert_eq!(shown(&compactor), repaired);
    let defects: Vec<Defect> =
        compactor.view().findings.iter().map(|finding| finding.defect).collect();
    assert_eq!(defects, [Defect::OrphanResult, Defect::MissingResult]);
    let legal = recommended_compactor(&long_talk());
    let untouched = View { as_appended: false, ..View::as_appended(legal.log()) };
    assert_eq!(legal.view(), untouched);
}

#[test]
fn d16_the_next_trigger_sees_the_new_count() {
    let mut compactor = recommended_compactor(&long_talk());
    let before = compactor.pressure();
    let report = compact(&mut compactor).unwrap();
    let after = compactor.pressure();
    assert_eq!((report.tokens_before, report.tokens_after), (before.tokens, after.tokens));
    let sum = after.breakdown;
    let parts =
        sum.system + sum.tools + sum.context + sum.summary + sum.user + sum.assistant + sum.results;
    assert_eq!(parts, after.tokens);
}

#[test]
fn making_a_plan_changes_nothing_and_gives_every_message_an_action() {
    let compactor = recommended_compactor(&long_talk());
    let before = shown(&compactor);
    let plan = compactor.plan(Reason::Manual);
    assert_eq!(plan.actions.len(), compactor.log().len());
    assert_eq!(plan.actions.first(), Some(&Action::Keep), "the system prompt");
    assert_eq!(plan.actions.get(1), Some(&Action::Summarize));
    assert_eq!(plan.actions.last(), Some(&Action::Keep));
    assert!(plan.tokens_after < plan.tokens_before);
    assert_eq!(plan.requests, 1);
    assert_eq!(shown(&compactor), before);
}

#[test]
fn a_plan_without_a_summary_says_what_the_last_one_stands_for_and_what_it_left() {
    let text = long_talk().replace("a: let me look !look1", "a: * let me look !look1");
    let mut compactor = recommended_compactor(&text);
    let first = compactor.plan(Reason::Threshold);
    compact(&mut compactor).unwrap();
    let plan = compactor.plan(Reason::Reduce);
    assert!(!plan.summarizes);
    assert_eq!((plan.tail_start, plan.summarized()), (first.tail_start, first.summarized()));
    for (position, action) in first.actions.iter().enumerate() {
        assert_eq!(plan.action(position) == Action::Keep, *action == Action::Keep, "{position}");
    }

    let mut next = recommended_compactor("");
    for message in viewed(&compactor) {
        next.append(message).unwrap();
    }
    assert_eq!(next.plan(Reason::Reduce).summarized(), first.summarized(), "with the view alone");
}

#[test]
fn a_second_compaction_in_a_row_changes_nothing() {
    let mut compactor = recommended_compactor(&long_talk());
    compact(&mut compactor).unwrap();
    let once = shown(&compactor);
    let again = compact(&mut compactor).unwrap();
    assert!(matches!(again.outcome, Outcome::Skipped { .. }), "{:?}", again.outcome);
    assert_eq!(shown(&compactor), once);
}

#[test]
fn d18_a_second_summary_builds_on_the_first() {
    let mut compactor = recommended_compactor(&long_talk());
    compact(&mut compactor).unwrap();
    for message in epitome::test_notation::transcript(&long_talk()) {
        let id = format!("second-{}", message.id).into();
        compactor.append(epitome::message::Message { id, ..message }).unwrap();
    }
    compactor.compact(Reason::Threshold, None).unwrap();
    let run = drive(&mut compactor, |_| "Both talks.".into());
    assert_eq!(run.requests.len(), 1);
    let input = &run.requests[0].input;
    assert!(input.contains("They talked about the garden."), "{input}");
    assert_eq!(shown(&compactor).matches("SUMMARY").count(), 1);

    compactor.undo().unwrap();
    drive(&mut compactor, |_| String::new());
    let cover = compactor.log().checkpoint().unwrap().cover.as_ref().unwrap();
    assert_eq!(cover.summary, "They talked about the garden.");
}

#[test]
fn undo_restores_the_previous_view_exactly() {
    let mut compactor = recommended_compactor(&long_talk());
    let (view, tokens) = (compactor.view(), compactor.pressure().tokens);
    compact(&mut compactor).unwrap();
    compactor.undo().unwrap();
    drive(&mut compactor, |_| String::new());
    assert_eq!(compactor.view(), view);
    assert_eq!(compactor.pressure().tokens, tokens);
    assert_eq!(compactor.undo(), Err(CommandError::NothingToUndo));
}

#[test]
fn a5_pinned_exchanges_and_inner_system_messages_stay() {
    let text = long_talk()
        .replace("a: let me look !look1", "a: * let me look !look1")
        .replace("u: question number 3", "s: speak french\nu: question number 3");
    let mut compactor = recommended_compactor(&text);
    compact(&mut compactor).unwrap();
    let shown = shown(&compactor);
    let head = "s: you are a gardener\ns: speak french\nu: question number 6 about the garden\n\
                u: SUMMARY\na: * let me look !look1 !read1\n\
                t: =read1\nt: =look1\n";
    assert!(shown.starts_with(head), "{shown}");
}

#[test]
fn the_last_request_stays_even_if_the_work_on_it_is_long() {
    let mut text = String::from("s: be brief\nu: please mend everything\n");
    for step in 0..20 {
        text.push_str(&format!("a: step number {step} of the work !call{step}\nt: =call{step}\n"));
    }
    let mut compactor = recommended_compactor(&text);
    let report = compact(&mut compactor).unwrap();
    assert!(applied(&report), "{report:?}");
    let shown = shown(&compactor);
    assert!(
        shown.starts_with("s: be brief\nu: SUMMARY\nu: please mend everything\na: step"),
        "{shown}"
    );
}

#[test]
fn d13_instructions_reach_the_summarizer() {
    let mut compactor = recommended_compactor(&long_talk());
    compactor.compact(Reason::Manual, Some("keep the roses".into())).unwrap();
    let run = drive(&mut compactor, |_| "Roses.".into());
    assert!(run.requests[0].system.contains("keep the roses"));
    assert_eq!(run.requests[0].instructions.as_deref(), Some("keep the roses"));
}

#[test]
fn d10_facts_that_the_summary_lost_are_appended_and_reported() {
    let text = long_talk().replace("question number 1 about", "booking HAT039 of");
    let policy = Policy { target: 0.7, ..Policy::recommended(400) };
    let mut compactor = compactor_with(policy, &text);
    let report = compact(&mut compactor).unwrap();
    let appended = &report.receipt.appended;
    let fact = appended.iter().find(|fact| fact.text == "HAT039").unwrap();
    assert_eq!((fact.speaker.as_str(), fact.sources.as_slice()), ("user", &["m3".into()][..]));
    let summary = report.summary.unwrap();
    assert!(summary.starts_with("They talked about the garden.\n\nAlso said"), "{summary}");
    assert!(summary.contains("- user: booking: HAT039"), "{summary}");
}

#[test]
fn d4_a_long_prefix_is_summarized_chunk_by_chunk() {
    let mut policy = Policy::recommended(4_000);
    policy.summary.chunk_characters = Some(1_000);
    let text = long_talk().repeat(40).replace("s: you are a gardener\n", "");
    let mut compactor = compactor_with(policy, &text);
    compactor.compact(Reason::Threshold, None).unwrap();
    let mut parts = 0;
    let run = drive(&mut compactor, |request| {
        assert!(request.input.contains(&format!("notes after {parts}")) == (parts > 0));
        parts += 1;
        format!("notes after {parts}")
    });
    assert!(run.requests.len() > 3);
    let count = run.requests[0].chunk_count;
    for (request, part) in run.requests.iter().zip(1..) {
        assert!(request.system.contains(&format!("part {part} of {count}")), "{}", request.system);
    }
    assert_eq!(run.requests.len(), count as usize);
    assert_eq!(compactor.plan(Reason::Manual).requests, 0, "nothing is left to summarize");
    assert_eq!(compactor.report().unwrap().summary, Some(format!("notes after {count}")));
}

#[test]
fn d4_a_summarizer_that_reads_in_slices_gets_a_long_transcript_at_once() {
    let policy = Policy::recommended(100_000);
    let long =
        format!("u: {}\na: noted\nu: and now?\na: now that\nu: bye", "a rose ".repeat(40_000));
    let mut compactor = compactor_with(policy, &long);
    assert!(compactor.plan(Reason::Manual).requests > 2);
    compactor.set_reads_in_slices(true);
    assert_eq!(compactor.plan(Reason::Manual).requests, 1);
    assert_eq!(compactor.agent("ann").unwrap().plan(Reason::Manual).requests, 1, "so do agents");
    compactor.compact(Reason::Manual, None).unwrap();
    let run = drive(&mut compactor, |_| "Roses.".into());
    assert_eq!(run.requests.len(), 1);
    // In parts, so that no step is about all of a long message.
    let entries = run.requests[0].envelope().entries;
    assert!(entries.iter().all(|entry| entry.text.len() <= 60_000), "{}", entries.len());
    let whole: String =
        entries.iter().filter(|entry| entry.number == 1).map(|it| it.text.as_str()).collect();
    assert_eq!(whole, "a rose ".repeat(40_000).trim_end());
}

#[test]
fn a_conversation_with_nothing_to_summarize_says_so() {
    let mut compactor = recommended_compactor("");
    let report = compact(&mut compactor).unwrap();
    assert_eq!(report.outcome, Outcome::Skipped { message: "the conversation is empty".into() });

    let mut compactor =
        recommended_compactor(&format!("s: {}\nu: hi\na: hello", "long rules ".repeat(150)));
    let report = compact(&mut compactor).unwrap();
    assert!(matches!(report.outcome, Outcome::Skipped { .. }), "{:?}", report.outcome);
    let floor = report.floor.unwrap();
    assert!(
        floor.starts_with("system prompt 554 + last user request 5 leave 0 of the 300"),
        "{floor}"
    );
}

#[test]
fn a_compaction_of_messages_without_text_is_skipped() {
    let mut policy = Policy { keep: Keep::Messages(2), ..Policy::recommended(400) };
    policy.summary.tools = ToolFilter::Only(Vec::new());
    let loops: String = (0..6).map(|n| format!("a: ?{}{n}#signed\n", "hm".repeat(40))).collect();
    let mut compactor = compactor_with(policy, &format!("{loops}u: thanks\na: bye\n"));
    let before = shown(&compactor);
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |_| panic!("a summarizer was asked"));
    let message = "the messages to summarize have no text".to_owned();
    assert_eq!(compactor.report().unwrap().outcome, Outcome::Skipped { message });
    assert_eq!(shown(&compactor), before);
}

#[test]
fn a_page_that_follows_the_changed_rows_of_plans_has_each_messages_action_and_tokens() {
    let mut policy = Policy { keep: Keep::Messages(2), ..Policy::recommended(400) };
    let steps = vec![TruncationStep { from_messages: 1, max_tokens: 20 }];
    let truncate = Reducer::TruncateToolResults(TruncateToolResults { steps });
    policy.reducers = vec![ReducerRule::when(truncate, Trigger::Always)];
    let long = "line ".repeat(40);
    let text = format!("{}u: look\na: !f1\nt: =f1<{long}>\na: found\nu: so?\n", long_talk());
    let mut compactor = compactor_with(policy, &text);
    let mut follower = Follower::default();
    let mut follow = |compactor: &Compactor| {
        let plan = compactor.plan(Reason::Threshold);
        follower.follow(&plan, compactor).unwrap();
    };
    follow(&compactor);
    compactor.compact(Reason::Reduce, None).unwrap();
    drive(&mut compactor, |_| panic!("a summarizer was asked"));
    follow(&compactor);
    assert!(applied(&compact(&mut compactor).unwrap()));
    follow(&compactor);
    // The provider counts half as much again.
    let tokens = compactor.pressure().tokens;
    compactor.handle_usage(Usage { prompt_tokens: tokens * 3 / 2, ..Usage::default() });
    follow(&compactor);
    compactor.append(Message::new("more", Role::User, "and what else?")).unwrap();
    follow(&compactor);
}
