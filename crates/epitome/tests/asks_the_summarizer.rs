//! What a summarizer is asked, by whom it is asked, and what comes back to it with the next request.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot continue should fail"
)]

use crate::harness;

use epitome::message::{Message, Role};
use epitome::policy::{Keep, Summarizer, SummaryInput, SummarySettings, Unsupported};
use epitome::{Compactor, Event, Outcome, Policy, Reason, StateEntry, StructuredState};
use harness::{applied, compactor_with, drive, long_talk, next_request, viewed, words};

fn policy(summary: SummarySettings) -> Policy {
    Policy { summary, keep: Keep::Messages(2), ..Policy::fill_percent(2_000) }
}

fn settings() -> SummarySettings {
    SummarySettings::default()
}

fn asked(settings: SummarySettings) -> (Compactor, epitome::SummaryRequest) {
    let mut compactor = compactor_with(policy(settings), &long_talk());
    compactor.compact(Reason::Manual, None).unwrap();
    let request = next_request(&mut compactor);
    (compactor, request)
}

#[test]
fn an_answer_may_be_half_longer_than_it_is_asked_to_be() {
    let (_, request) = asked(settings());
    assert!(request.target_tokens > 10);
    assert_eq!(request.max_tokens, request.target_tokens + request.target_tokens / 2);
    let settings = SummarySettings { rollup_tokens: 40, ..settings() };
    let (mut compactor, request) = asked(settings);
    compactor.handle_summary(request.id, &words(60));
    assert_eq!(next_request(&mut compactor).target_tokens, 20, "half of what it exceeds");
}

#[test]
fn a_large_state_leaves_half_of_the_summary_for_the_answer() {
    let target = |tasks: usize| {
        let settings = SummarySettings { structured_state: true, ledger_tokens: 0, ..settings() };
        let mut compactor = compactor_with(policy(settings), &long_talk());
        let entry = |n| StateEntry { text: format!("{n} {}", words(20)), ..StateEntry::default() };
        let state =
            StructuredState { tasks: (0..tasks).map(entry).collect(), ..Default::default() };
        compactor.set_structured_state(state).unwrap();
        compactor.compact(Reason::Manual, None).unwrap();
        next_request(&mut compactor).target_tokens
    };
    let whole = target(0);
    assert!(target(1) < whole && target(1) > whole / 2);
    assert_eq!(target(9), whole / 2);
}

#[test]
fn open_tasks_and_the_state_are_tracked_apart() {
    let settings = SummarySettings { structured_state: true, ..settings() };
    let mut compactor = compactor_with(policy(settings), &long_talk());
    compactor.set_todo("- plant the oak".into()).unwrap();
    let entry = StateEntry { text: "Oaks only.".into(), ..StateEntry::default() };
    let state = StructuredState { decisions: vec![entry], ..Default::default() };
    compactor.set_structured_state(state.clone()).unwrap();
    compactor.compact(Reason::Manual, None).unwrap();
    let request = next_request(&mut compactor);
    let both = format!("- plant the oak\n\n{}", state.to_text());
    assert!(request.input.contains(both.trim()), "{}", request.input);
}

#[test]
fn the_prompt_of_the_app_is_used_in_the_conversation_too() {
    let settings = SummarySettings {
        input: SummaryInput::Conversation,
        prompt: Some("mine".into()),
        prompts: [("mine".to_owned(), "Say what was planted.".to_owned())].into(),
        ..settings()
    };
    let (_, request) = asked(settings);
    assert_eq!(request.form, SummaryInput::Conversation);
    assert_eq!(request.summarizer, Summarizer::Own { prompt: "mine".into() });
}

#[test]
fn instructions_that_come_back_are_no_summary() {
    let (mut compactor, request) = asked(settings());
    let first = |system: &str| system.lines().next().unwrap().to_owned();
    compactor.handle_summary(request.id, &first(&request.system));
    drive(&mut compactor, |request| first(&request.system));
    let outcome = &compactor.report().unwrap().outcome;
    let Outcome::Failed { message } = outcome else { unreachable!("{outcome:?}") };
    assert!(message.contains("copied what it was given"), "{message}");
}

#[test]
fn the_chunks_that_are_done_are_counted() {
    let (mut compactor, request) = asked(SummarySettings { chunks: 3, ..settings() });
    compactor.handle_summary(request.id, "They talked.");
    let run = drive(&mut compactor, |_| "They talked on.".into());
    let progress: Vec<(u32, u32)> = run
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Progress { done, chunks } => Some((*done, *chunks)),
            _ => None,
        })
        .collect();
    assert_eq!(progress, [(1, 3), (2, 3), (3, 3)]);
}

#[test]
fn messages_without_a_text_are_not_sent_to_a_summarizer() {
    for input in [SummaryInput::Transcript, SummaryInput::Messages] {
        let text = format!("a: ?{}\n", "hm".repeat(200)).repeat(4) + "u: and?\na: yes";
        let settings = SummarySettings { input, ..settings() };
        let mut compactor = compactor_with(policy(settings), &text);
        compactor.compact(Reason::Manual, None).unwrap();
        assert!(drive(&mut compactor, |_| "They thought.".into()).requests.is_empty());
        let outcome = &compactor.report().unwrap().outcome;
        let message = "the messages to summarize have no text".to_owned();
        assert_eq!(outcome, &Outcome::Skipped { message }, "{input:?}");
    }
}

#[test]
fn the_notes_of_a_summarizer_come_back_also_to_another_compactor() {
    let (mut compactor, request) = asked(settings());
    assert_eq!(compactor.summarizer_notes(), "");
    compactor.handle_summary_notes(request.id, "two beds are dry");
    compactor.handle_summary(request.id, "They talked.");
    drive(&mut compactor, |_| String::new());
    assert_eq!(compactor.summarizer_notes(), "two beds are dry");

    // The app stores the view with the notes.
    let view = viewed(&compactor);
    let continued = |notes: &str, role: Option<Role>| {
        let mut next = compactor_with(policy(settings()), "");
        next.set_returned_notes(notes.into());
        for (number, mut message) in view.clone().into_iter().enumerate() {
            if message.text().contains("<conversation-summary") {
                message.role = role.unwrap_or(message.role);
            }
            next.append(Message { id: format!("v{number}").into(), ..message }).unwrap();
        }
        for number in 0..8 {
            let text = format!("remark {number} {}", words(20));
            next.append(Message::new(format!("r{number}"), Role::Assistant, text)).unwrap();
        }
        next.compact(Reason::Manual, None).unwrap();
        next_request(&mut next)
    };
    let request = continued("two beds are dry", None);
    assert_eq!(request.notes, "two beds are dry");
    assert!(request.envelope().previous_summary.starts_with("They talked."));
    let posing = continued("", Some(Role::Assistant));
    assert_eq!(posing.envelope().previous_summary, "", "an answer of the model is no summary");
}

#[test]
fn a_summary_that_says_nothing_unsupported_is_not_sent_back() {
    let settings = SummarySettings { unsupported: Unsupported::AskAgain, ..settings() };
    let (mut compactor, request) = asked(settings);
    compactor.handle_summary(request.id, "They talked about the garden.");
    assert!(drive(&mut compactor, |_| "Once more.".into()).requests.is_empty());
    assert!(applied(compactor.report().unwrap()));
}

#[test]
fn a_request_that_is_the_first_message_of_the_tail_is_read_once() {
    let policy = Policy { keep: Keep::Messages(1), keep_requests_tokens: 0, ..policy(settings()) };
    let mut compactor = compactor_with(policy, &long_talk());
    compactor.append(Message::new("last", Role::User, "what of the tulips?")).unwrap();
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |_| "They talked.".into());
    assert!(applied(compactor.report().unwrap()));
    for number in 0..8 {
        let text = format!("remark {number} {}", words(20));
        compactor.append(Message::new(format!("r{number}"), Role::Assistant, text)).unwrap();
    }
    compactor.compact(Reason::Manual, None).unwrap();
    let request = next_request(&mut compactor);
    assert_eq!(request.input.matches("what of the tulips?").count(), 1, "{}", request.input);
}

#[test]
fn messages_are_one_request_however_many_chunks_a_transcript_has() {
    let requests = |input| {
        let settings = SummarySettings { input, chunks: 4, ..settings() };
        let compactor = compactor_with(policy(settings), &long_talk());
        compactor.plan(Reason::Manual).requests
    };
    assert_eq!((requests(SummaryInput::Transcript), requests(SummaryInput::Messages)), (4, 1));
}

#[test]
fn requests_with_long_open_tasks_fit_the_summarizers_window_too() {
    let text: String = (0..6).map(|n| format!("u: {n} {0}\na: {n} {0}\n", words(300))).collect();
    for window in (2_500..3_000).step_by(50) {
        let settings = SummarySettings {
            window_tokens: Some(window),
            max_tokens: Some(200),
            ledger_tokens: 0,
            ..settings()
        };
        let keep = Keep::Messages(1);
        let policy = Policy { summary: settings, keep, ..Policy::fill_percent(20_000) };
        let mut compactor = compactor_with(policy, &text);
        compactor.set_todo(format!("- plant {}", words(120))).unwrap();
        compactor.compact(Reason::Manual, None).unwrap();
        let run = drive(&mut compactor, |request| words(request.max_tokens * 3 / 5));
        assert!(run.requests.len() > 1, "{:?}", compactor.report());
        for request in run.requests {
            let size = |text: &str| u32::try_from(text.chars().count().div_ceil(3)).unwrap();
            let tokens = size(&request.system) + size(&request.input) + request.max_tokens;
            assert!(tokens <= window, "{tokens} of {window}");
        }
    }
    // Without room for any chunk, a plan says so.
    let settings = SummarySettings { window_tokens: Some(500), ..settings() };
    let idle = compactor_with(policy(settings), &text).plan(Reason::Manual).idle.unwrap();
    assert!(idle.contains("500 tokens is too small"), "{idle}");
}

#[test]
fn a_plan_knows_whether_messages_fit_the_summarizers_window() {
    let (mut forms, talk) = (Vec::new(), long_talk().repeat(5));
    for window in (600..3_000).step_by(120) {
        let settings = SummarySettings {
            input: SummaryInput::Messages,
            chunks: 4,
            window_tokens: Some(window),
            max_tokens: Some(200),
            ledger_tokens: 0,
            ..settings()
        };
        let mut compactor = compactor_with(policy(settings), &talk);
        let planned = compactor.plan(Reason::Manual);
        if planned.idle.is_some() {
            continue;
        }
        compactor.compact(Reason::Manual, None).unwrap();
        let run = drive(&mut compactor, |_| "They talked.".into());
        assert_eq!(planned.requests as usize, run.requests.len(), "{window}");
        forms.push(run.requests[0].form);
    }
    assert!(forms.contains(&SummaryInput::Messages) && forms.contains(&SummaryInput::Transcript));
}

#[test]
fn a_conversation_is_sent_after_a_rejected_request_if_the_user_asks_for_a_compaction() {
    let settings = SummarySettings { input: SummaryInput::Conversation, ..settings() };
    let mut compactor = compactor_with(policy(settings), &long_talk());
    compactor.check(epitome::Phase::Overflow);
    compactor.compact(Reason::Manual, None).unwrap();
    assert_eq!(next_request(&mut compactor).form, SummaryInput::Conversation);
}

#[test]
fn a_request_of_the_memory_and_one_of_a_compaction_have_different_numbers() {
    let mut compactor = compactor_with(policy(settings()), &long_talk());
    for number in 0..15 {
        let text = format!("note {number}");
        compactor.remember(epitome::MemoryEntry { text, standing: false }).unwrap();
    }
    let memory = next_request(&mut compactor);
    compactor.compact(Reason::Manual, None).unwrap();
    assert_ne!(memory.id, next_request(&mut compactor).id);
}
