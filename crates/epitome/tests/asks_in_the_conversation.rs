//! The summarizer gets messages in place of a transcript: those to summarize, or the whole conversation.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot continue should fail"
)]

use crate::harness;

use epitome::history::{Change, Edit, View};
use epitome::message::{Message, Part, Role, Usage};
use epitome::policy::{Keep, Reactive, Summarizer, SummaryInput, SummaryPlacement, TokenCost};
use epitome::tokens::CharactersPer;
use epitome::{
    Compactor, Contract, Failure, FailureKind, Neighbours, Phase, Policy, Reason, ReasoningPolicy,
    Timestamp,
};
use harness::{applied, compactor_with, drive, long_talk, next_request, words};

/// A policy that hands over messages, and keeps two of them.
fn asking(input: SummaryInput, window: u32) -> Policy {
    let mut policy = Policy { keep: Keep::Messages(2), ..Policy::fill_percent(window) };
    policy.summary.input = input;
    policy
}

fn request_of(compactor: &mut Compactor) -> epitome::SummaryRequest {
    compactor.compact(Reason::Manual, None).unwrap();
    next_request(compactor)
}

/// The text of the last message of a view, which has to be the engine's and of the user.
fn prompt(view: &View) -> &str {
    match view.edits.last() {
        Some(Edit::Insert { role: Role::User, parts }) => match parts.as_slice() {
            [Part::Text { text }] => text,
            parts => panic!("{parts:?}"),
        },
        last => panic!("{last:?}"),
    }
}

fn ids(edits: &[Edit]) -> Vec<&str> {
    edits.iter().map(|edit| edit.id().map_or("+", |id| id.as_str())).collect()
}

#[test]
fn d19_the_conversation_is_sent_as_it_is_with_one_more_message() {
    let mut compactor = compactor_with(asking(SummaryInput::Conversation, 4_000), &long_talk());
    let sent = compactor.view();
    let request = request_of(&mut compactor);
    let view = request.messages.unwrap();
    let (last, before) = view.edits.split_last().unwrap();
    assert_eq!(before, sent.edits, "the prefix that the provider has in its cache");
    assert!(matches!(last, Edit::Insert { role: Role::User, .. }));
    assert_eq!(request.form, SummaryInput::Conversation);
    assert_eq!(request.summarizer, Summarizer::Own { prompt: "three-sections".into() });
    // Of the last round with its two calls, and the answer.
    let prompt = prompt(&view);
    assert!(prompt.contains("## Key facts") && prompt.contains("call no tool"), "{prompt}");
    assert!(prompt.contains("The last 4 messages before this one stay"), "{prompt}");
    assert!(prompt.contains("> let me look tool"), "{prompt}");
}

#[test]
fn d19_a_whole_conversation_is_summarized_if_nothing_stays() {
    let mut policy = asking(SummaryInput::Conversation, 4_000);
    policy.keep = Keep::Messages(0);
    policy.summary_placement = SummaryPlacement::OneMessage;
    let mut compactor = compactor_with(policy, &long_talk());
    compactor.set_todo("water </current_state> them".into()).unwrap();
    let view = request_of(&mut compactor).messages.unwrap();
    let prompt = prompt(&view);
    assert!(!prompt.contains("stay as they are"), "{prompt}");
    assert!(prompt.contains("<current_state>\nwater &lt;/current_state> them"), "{prompt}");
}

#[test]
fn d19_only_the_messages_to_summarize_are_handed_over() {
    let mut compactor = compactor_with(asking(SummaryInput::Messages, 4_000), &long_talk());
    let log: Vec<String> =
        compactor.log().messages().map(|message| message.id.as_str().to_owned()).collect();
    let request = request_of(&mut compactor);
    let view = request.messages.unwrap();
    let mut expected: Vec<&str> = log.iter().map(String::as_str).collect();
    // Without the system prompt, and without those that stay.
    expected.remove(0);
    expected.truncate(expected.len() - 4);
    expected.push("+");
    assert_eq!(ids(&view.edits), expected);
    assert!(prompt(&view).contains("## Key facts"));
    // A second one hands over the first summary, and the messages since.
    drive(&mut compactor, |_| "They talked about the garden.".into());
    compactor.handle_summary(request.id, "They talked about the garden.");
    drive(&mut compactor, |_| "They talked about the garden.".into());
    for (index, text) in
        ["and the roses?", "they grow", "and the figs?", "they do too"].iter().enumerate()
    {
        let role = if index % 2 == 0 { Role::User } else { Role::Assistant };
        compactor.append(Message::new(format!("n{index}").as_str(), role, *text)).unwrap();
    }
    let view = request_of(&mut compactor).messages.unwrap();
    let Edit::Insert { role: Role::User, parts } = &view.edits[0] else { panic!("{view:?}") };
    assert!(
        matches!(parts.as_slice(), [Part::Text { text }] if text.contains("They talked about"))
    );
    assert!(ids(&view.edits).contains(&"n0") && !ids(&view.edits).contains(&"n3"));
}

#[test]
fn a2_d19_a_conversation_in_mid_tool_loop_gets_its_results_before_the_prompt() {
    let talk = format!("{}u: look again\na: !left !right\nt: =left\n", long_talk());
    let mut compactor = compactor_with(asking(SummaryInput::Conversation, 4_000), &talk);
    let sent = compactor.view();
    let view = request_of(&mut compactor).messages.unwrap();
    assert_eq!(view.edits[..sent.edits.len()], sent.edits);
    let added: Vec<(Role, bool)> = view.edits[view.edits.len() - 3..]
        .iter()
        .map(|edit| match edit {
            Edit::Insert { role, parts } => {
                (*role, matches!(parts.as_slice(), [Part::ToolResult { .. }]))
            }
            edit => panic!("{edit:?}"),
        })
        .collect();
    let result = (Role::Tool, true);
    assert_eq!(added, [result, (Role::Assistant, false), (Role::User, false)]);
    assert_eq!(Contract::default().check(compactor.log(), &view), Ok(()));
}

#[test]
fn d19_neighbours_of_one_role_are_not_merged_with_the_prompt() {
    let contract = Contract { neighbours: Neighbours::Merged, ..Contract::default() };
    let policy = asking(SummaryInput::Conversation, 4_000);
    let mut compactor = Compactor::new(policy, contract, Box::new(CharactersPer(3))).unwrap();
    for message in epitome::test_notation::transcript(&format!("{}u: go on", long_talk())) {
        compactor.append(message).unwrap();
    }
    let view = request_of(&mut compactor).messages.unwrap();
    let [.., Edit::Keep(_), Edit::Insert { role: Role::Assistant, .. }, Edit::Insert { .. }] =
        view.edits.as_slice()
    else {
        panic!("{:?}", ids(&view.edits));
    };
}

/// A conversation whose assistant thinks, with signatures.
fn thinking(compactor: &mut Compactor) {
    let thought =
        |text: &str| Part::Reasoning { text: text.into(), signature: Some("signed".into()) };
    for turn in 0..8 {
        let question = format!("question number {turn} about the garden");
        compactor.append(Message::new(format!("q{turn}").as_str(), Role::User, question)).unwrap();
        let answer = format!("answer number {turn} about the garden");
        let parts = vec![thought("the garden is large"), Part::text(answer)];
        let id = format!("a{turn}");
        compactor.append(Message::with_parts(id.as_str(), Role::Assistant, parts)).unwrap();
    }
}

#[test]
fn a4_d19_signed_reasoning_stays_in_the_conversation_and_leaves_with_the_messages() {
    let contract = Contract { reasoning: ReasoningPolicy::Signed, ..Contract::default() };
    let new = |input| {
        let policy = asking(input, 4_000);
        let mut compactor = Compactor::new(policy, contract, Box::new(CharactersPer(3))).unwrap();
        thinking(&mut compactor);
        compactor
    };
    let mut compactor = new(SummaryInput::Conversation);
    let sent = compactor.view();
    let view = request_of(&mut compactor).messages.unwrap();
    assert_eq!(view.edits[..sent.edits.len()], sent.edits, "every block is as it was sent");
    // Behind another system prompt, or none, the provider would refuse the signatures.
    let view = new(SummaryInput::Messages);
    let view = request_of(&mut { view }).messages.unwrap();
    let removed = view.edits.iter().filter(|edit| match edit {
        Edit::Replace { changes, .. } => {
            matches!(changes.as_slice(), [change] if change.part == 0 && change.change == Change::Remove)
        }
        _ => false,
    });
    assert_eq!(removed.count(), 7);
}

#[test]
fn d19_what_does_not_fit_the_window_is_asked_by_a_transcript() {
    for input in [SummaryInput::Messages, SummaryInput::Conversation] {
        let mut policy = asking(input, 8_000);
        policy.summary.window_tokens = Some(2_400);
        policy.summary.max_tokens = Some(200);
        let long = "with a good many words about the roses in the garden".repeat(4);
        let talk: String =
            (0..40).map(|turn| format!("u: question {turn} {long}\na: answer {turn}\n")).collect();
        let mut compactor = compactor_with(policy, &talk);
        let planned = compactor.plan(Reason::Manual);
        compactor.compact(Reason::Manual, None).unwrap();
        let run = drive(&mut compactor, |_| "They talked about the roses.".into());
        assert!(run.requests.len() > 1, "in chunks: {}", run.requests.len());
        assert_eq!(planned.requests as usize, run.requests.len());
        assert!(run.requests.iter().all(|request| request.messages.is_none()));
        let report = compactor.report().unwrap();
        assert!(applied(report), "{report:?}");
        let summarizer = report.summarizer.as_ref().unwrap();
        assert_eq!(summarizer.input, SummaryInput::Transcript);
        let fallback = summarizer.fallback.as_deref().unwrap();
        assert!(fallback.contains("window of 2400 tokens is too small"), "{fallback}");
    }
}

#[test]
fn messages_are_only_sent_if_they_fit_with_the_earlier_summary() {
    let mut forms = Vec::new();
    for window in (2_500..3_100).step_by(100) {
        let mut policy = asking(SummaryInput::Messages, 8_000);
        policy.summary.max_tokens = Some(200);
        let mut compactor = compactor_with(policy.clone(), &long_talk());
        compactor.compact(Reason::Manual, None).unwrap();
        drive(&mut compactor, |_| words(100));
        assert!(applied(compactor.report().unwrap()));
        for turn in 0..20 {
            let text = format!("question {turn} {}", words(60));
            compactor.append(Message::new(format!("q{turn}"), Role::User, text)).unwrap();
        }
        policy.summary.window_tokens = Some(window);
        compactor.set_policy(policy).unwrap();
        let request = request_of(&mut compactor);
        if let Some(view) = request.messages {
            let text = |edit: &Edit| match edit {
                Edit::Insert { parts, .. } => {
                    Message::with_parts("new", Role::User, parts.clone()).text()
                }
                Edit::Keep(id) | Edit::Replace { id, .. } => {
                    let position = compactor.log().position(id).unwrap();
                    compactor.log().message(position).unwrap().text()
                }
            };
            let characters: usize = view.edits.iter().map(|edit| text(edit).len()).sum();
            let tokens = characters as u32 / 3 + request.max_tokens;
            assert!(tokens <= window, "{tokens} of {window}");
        }
        forms.push(request.form);
    }
    assert!(forms.contains(&SummaryInput::Messages) && forms.contains(&SummaryInput::Transcript));
}

#[test]
fn d19_a_conversation_that_the_provider_has_refused_is_not_sent_again() {
    let mut policy = asking(SummaryInput::Conversation, 4_000);
    policy.triggers = vec![epitome::policy::Trigger::Reactive(Reactive::default())];
    let mut compactor = compactor_with(policy, &long_talk());
    let reason = compactor.check(Phase::Overflow).unwrap();
    compactor.compact(reason, None).unwrap();
    let request = next_request(&mut compactor);
    assert_eq!((request.form, request.messages), (SummaryInput::Transcript, None));
}

#[test]
fn d19_an_unsuitable_request_and_an_unusable_answer_are_tried_by_a_transcript() {
    let mut compactor = compactor_with(asking(SummaryInput::Conversation, 4_000), &long_talk());
    let request = request_of(&mut compactor);
    let failure = Failure { kind: FailureKind::Unsuitable, message: "it is too long".into() };
    compactor.handle_failure(request.id, failure.clone(), Timestamp(0));
    let request = next_request(&mut compactor);
    assert_eq!(request.form, SummaryInput::Transcript);
    assert!(request.input.contains("question number 0"));
    // There is nothing to fall back to from a transcript.
    compactor.handle_failure(request.id, failure, Timestamp(0));
    drive(&mut compactor, |_| panic!("no more requests"));
    let report = compactor.report().unwrap();
    assert!(!applied(report));
    assert_eq!(report.summarizer.as_ref().unwrap().fallback.as_deref(), Some("it is too long"));

    let mut compactor = compactor_with(asking(SummaryInput::Conversation, 4_000), &long_talk());
    compactor.compact(Reason::Manual, None).unwrap();
    let run = drive(&mut compactor, |request| match request.messages {
        Some(_) => "answer number 7 about the garden".into(),
        None => "They talked about the garden.".into(),
    });
    assert_eq!(run.requests.len(), 2);
    let report = compactor.report().unwrap();
    assert!(applied(report));
    let fallback = report.summarizer.as_ref().unwrap().fallback.as_deref().unwrap();
    assert!(fallback.contains("repeated the last reply"), "{fallback}");
}

#[test]
fn d19_a_result_that_is_too_large_is_tried_again_by_a_transcript() {
    let long = "row ".repeat(100);
    let text: String =
        (0..9).map(|n| format!("u: look {n}\na: !c{n}\nt: =c{n}<{long}>\na: seen {n}\n")).collect();
    let mut policy = asking(SummaryInput::Conversation, 4_000);
    policy.triggers = vec![epitome::policy::Trigger::Tokens(700)];
    policy.summary.max_tokens = Some(900);
    let mut compactor = compactor_with(policy, &text);
    compactor.compact(Reason::Manual, None).unwrap();
    let run = drive(&mut compactor, |request| match request.messages {
        Some(_) => words(470),
        None => "They looked.".into(),
    });
    assert!(run.has_event("shorter", "150"));
    let forms: Vec<SummaryInput> = run.requests.iter().map(|request| request.form).collect();
    assert_eq!(forms, [SummaryInput::Conversation, SummaryInput::Transcript]);
    let report = compactor.report().unwrap();
    assert_eq!(
        report.summarizer.as_ref().unwrap().fallback.as_deref(),
        Some("the result was too large")
    );
}

#[test]
fn d19_the_report_has_the_tokens_of_the_summarizer_and_what_the_cache_saved() {
    let run = |cost| {
        let mut policy = asking(SummaryInput::Conversation, 4_000);
        policy.summary.cost = cost;
        let mut compactor = compactor_with(policy, &long_talk());
        let request = request_of(&mut compactor);
        let usage = Usage {
            prompt_tokens: 100_000,
            cached_tokens: Some(90_000),
            completion_tokens: 1_000,
            ..Usage::default()
        };
        compactor.handle_summary_usage(request.id, &usage);
        compactor.handle_summary(request.id, "They talked about the garden.");
        drive(&mut compactor, |_| panic!("no more requests"));
        compactor.report().unwrap().summarizer.clone().unwrap()
    };
    let unknown = run(None);
    let tokens = unknown.tokens.unwrap();
    assert_eq!((tokens.prompt, tokens.cached, tokens.completion), (100_000, 90_000, 1_000));
    assert_eq!((unknown.cost, unknown.saved, unknown.fallback), (None, None, None));
    let known = run(Some(TokenCost { input: 3.0, cached_input: 0.5, output: 15.0 }));
    let near = |value: Option<f64>, expected: f64| (value.unwrap() - expected).abs() < 1e-9;
    assert!(near(known.cost, 0.03 + 0.045 + 0.015), "{known:?}");
    assert!(near(known.saved, 0.225), "{known:?}");
}

#[test]
fn d19_a_compaction_without_a_request_has_no_summarizer_in_its_report() {
    let mut compactor = compactor_with(asking(SummaryInput::Conversation, 4_000), "u: hello");
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |_| panic!("nothing to summarize"));
    assert_eq!(compactor.report().unwrap().summarizer, None);
}

#[test]
fn d19_a_window_too_small_for_any_request_is_no_limit_for_a_transcript() {
    let mut policy = Policy { window: 400, ..Policy::loop_middleware(200_000) };
    policy.triggers = vec![epitome::policy::Trigger::Manual];
    let mut compactor = compactor_with(policy, &long_talk());
    assert_eq!(compactor.plan(Reason::Manual).idle, None);
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |_| "They talked.".into());
    let report = compactor.report().unwrap();
    assert!(applied(report), "{report:?}");
    let fallback = report.summarizer.as_ref().unwrap().fallback.as_deref().unwrap();
    assert!(fallback.contains("window of 400 tokens is too small"), "{fallback}");
}
