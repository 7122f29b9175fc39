//! A server that cuts the prompt of a summarizer without saying so is noticed by the tokens that it reports.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::harness;

use epitome::message::{Message, Role, Usage};
use epitome::policy::SummaryInput;
use epitome::tokens::CharactersPer;
use epitome::{Compactor, Contract, Event, Output, Policy, PromptCut, Reason, SummaryRequest};
use harness::{drive, next_request};

/// Messages of about 17,000 tokens.
fn compactor(input: SummaryInput) -> Compactor {
    let mut policy = Policy::recommended(50_000);
    policy.summary.input = input;
    let mut compactor =
        Compactor::new(policy, Contract::default(), Box::new(CharactersPer(4))).unwrap();
    let roles = [Role::User, Role::Assistant].into_iter().cycle();
    for (n, role) in (0..40).zip(roles) {
        let text = format!("{n}: {}", "roses ".repeat(280));
        compactor.append(Message::new(format!("m{n}"), role, text)).unwrap();
    }
    compactor
}

/// The first request of a compaction.
fn request_of(compactor: &mut Compactor) -> SummaryRequest {
    compactor.compact(Reason::Manual, None).unwrap();
    next_request(compactor)
}

fn estimated(request: &SummaryRequest) -> u32 {
    u32::try_from((request.system.len() + request.input.len()) / 4).unwrap()
}

fn cuts(compactor: &mut Compactor) -> Vec<(u32, u32, String)> {
    let mut found = Vec::new();
    loop {
        match compactor.poll_output() {
            Output::Event(Event::PromptCut { reported, estimated, message }) => {
                found.push((reported, estimated, message));
            }
            Output::Wait(_) => return found,
            _ => {}
        }
    }
}

fn report(compactor: &mut Compactor, request: &SummaryRequest, prompt_tokens: u32) {
    let usage = Usage { prompt_tokens, completion_tokens: 9, ..Usage::default() };
    compactor.handle_summary_usage(request.id, &usage);
}

#[test]
fn i39_a_prompt_that_was_cut_is_an_event_and_in_the_report_with_what_to_do() {
    let mut compactor = compactor(SummaryInput::Transcript);
    let request = request_of(&mut compactor);
    let sent = estimated(&request);
    assert!(sent > 4_000, "{sent}");
    report(&mut compactor, &request, 2_048);
    let found = cuts(&mut compactor);
    let [(reported, counted, message)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(*reported, 2_048);
    assert!(counted.abs_diff(sent) < sent / 50, "{counted} of {sent}");
    assert!(message.contains("raise the server's context length"), "{message}");
    compactor.handle_summary(request.id, "They talked about roses.");
    drive(&mut compactor, |_| "They talked about roses.".into());
    let summarizer = compactor.report().unwrap().summarizer.clone().unwrap();
    assert_eq!(summarizer.cut, Some(PromptCut { reported: 2_048, estimated: *counted }));
}

#[test]
fn i39_a_count_within_the_error_of_an_estimate_is_no_cut() {
    let mut compactor = compactor(SummaryInput::Transcript);
    let request = request_of(&mut compactor);
    let sent = estimated(&request);
    for prompt_tokens in [0, sent * 7 / 10, sent, sent * 2] {
        report(&mut compactor, &request, prompt_tokens);
        assert_eq!(cuts(&mut compactor), [], "{prompt_tokens} of {sent}");
    }
    compactor.handle_summary(request.id, "They talked about roses.");
    drive(&mut compactor, |_| "They talked about roses.".into());
    let summarizer = compactor.report().unwrap().summarizer.clone().unwrap();
    assert_eq!(summarizer.cut, None);
}

#[test]
fn i39_of_messages_nothing_is_said_because_a_provider_may_not_count_all_of_them() {
    let mut compactor = compactor(SummaryInput::Conversation);
    let request = request_of(&mut compactor);
    assert!(request.messages.is_some());
    report(&mut compactor, &request, 2_048);
    assert_eq!(cuts(&mut compactor), []);
}

#[test]
fn i39_a_prompt_is_counted_as_it_was_when_it_was_sent() {
    let mut compactor = compactor(SummaryInput::Transcript);
    let request = request_of(&mut compactor);
    let sent = estimated(&request);
    // The messages are counted otherwise before the server has answered.
    compactor.count_by(Box::new(CharactersPer(40)));
    report(&mut compactor, &request, 2_048);
    let found = cuts(&mut compactor);
    let [(_, counted, _)] = found.as_slice() else { panic!("{found:?}") };
    assert!(counted.abs_diff(sent) < sent / 50, "{counted} of {sent}");
}
