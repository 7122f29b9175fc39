//! What happens to a summary that is written in advance while the app does something else.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use epitome::message::{Message, RequestId, Role, Usage};
use epitome::policy::{Keep, Phase, PrepareAt, Reducer, ReducerRule, Trigger};
use epitome::test_notation::transcript;
use epitome::{
    Event, Failure, FailureKind, MemoryEntry, NextSummary, Outcome, Output, Policy, PreparedUse,
    Reason, Timestamp,
};

use crate::prepares::{Chat, policy};

/// A chat whose next summary is being written.
fn writing() -> Chat {
    let mut chat = Chat::new(policy(0.6));
    chat.say(12);
    assert_eq!(chat.check(), None);
    assert_eq!(chat.requests.len(), 1);
    chat
}

fn fail(chat: &mut Chat) {
    let request = chat.requests.remove(0);
    let failure = Failure { kind: FailureKind::Permanent, message: "the server is busy".into() };
    chat.compactor.handle_failure(request.id, failure, Timestamp(0));
    chat.drain();
}

#[test]
fn a_request_that_was_not_polled_is_taken_back_and_has_cost_nothing() {
    let mut chat = Chat::new(policy(0.6));
    chat.say(12);
    assert_eq!(chat.compactor.check(Phase::TurnStart), None);
    while !matches!(chat.compactor.poll_output(), Output::Event(Event::Preparing { .. })) {}
    chat.compactor.remove("m1".into()).unwrap();
    chat.drain();
    assert_eq!((chat.dropped(), chat.requests.len()), (vec![true], 0));
    chat.compact(Reason::Manual, None);
    chat.answer("They have talked.");
    assert_eq!(chat.report().prepared, None);
}

#[test]
fn a_request_and_its_answer_are_counted_if_the_provider_reports_nothing() {
    let wasted = |answer: &str| {
        let mut chat = writing();
        chat.answer(answer);
        chat.compactor.remove("m0".into()).unwrap();
        chat.compact(Reason::Manual, None);
        chat.answer("They have talked.");
        chat.report().prepared.unwrap().wasted
    };
    let (short, long) = (wasted("They talked."), wasted(&"They talked. ".repeat(2)));
    assert_eq!((short.requests, long.requests), (1, 1));
    assert_eq!(long.tokens - short.tokens, 4, "13 characters more");
}

#[test]
fn an_answer_or_a_usage_of_another_request_is_not_taken() {
    let mut chat = writing();
    let other = RequestId(99);
    let usage = Usage { prompt_tokens: 700, completion_tokens: 60, ..Usage::default() };
    chat.compactor.handle_summary_usage(other, &usage);
    chat.compactor.handle_summary(other, "They have talked of everything.");
    chat.drain();
    assert!(!chat.is_prepared());
    assert_eq!(chat.events.last(), Some(&Event::Stale { request: other }));
    chat.answer("They have talked of everything.");
    assert!(chat.is_prepared());

    // The same while a compaction is running.
    chat.compact(Reason::Manual, Some("focus on roses"));
    chat.compactor.handle_summary_usage(other, &usage);
    chat.compactor.handle_summary(other, "They have talked of everything.");
    chat.answer("Roses.");
    assert_eq!(chat.report().summarizer.as_ref().unwrap().tokens, None);
    assert_ne!(chat.report().prepared.unwrap().wasted.tokens, 760, "they are those of another one");
    assert!(chat.report().summary.as_ref().unwrap().starts_with("Roses."));
}

#[test]
fn cancelling_leaves_the_other_requests_that_were_not_polled() {
    let mut chat = Chat::new(policy(0.6));
    chat.say(12);
    for number in 0..15 {
        let text = format!("note {number}");
        chat.compactor.remember(MemoryEntry { text, standing: false }).unwrap();
    }
    assert_eq!(chat.compactor.check(Phase::TurnStart), None);
    chat.compactor.compact(Reason::Manual, None).unwrap();
    chat.compactor.cancel();
    chat.drain();
    assert_eq!(chat.report().outcome, Outcome::Cancelled);
    let inputs: Vec<bool> =
        chat.requests.iter().map(|request| request.input.contains("note 0")).collect();
    assert_eq!(inputs, [true, false], "those of the memory and of the next summary");
    assert!(chat.requests.iter().all(|request| request.is_ahead));
    assert!(chat.events.iter().all(|event| !matches!(event, Event::Stale { .. })));
}

#[test]
fn cancelling_takes_back_that_the_host_is_asked() {
    let mut chat = Chat::new(policy(0.9));
    chat.say(12);
    chat.compactor.compact(Reason::Manual, None).unwrap();
    chat.compactor.cancel();
    loop {
        match chat.compactor.poll_output() {
            Output::Before(_) => unreachable!("the compaction is cancelled"),
            Output::Wait(_) => break,
            _ => {}
        }
    }
}

#[test]
fn after_a_failure_nothing_is_asked_before_the_conversation_has_grown() {
    let mut chat = writing();
    fail(&mut chat);
    assert_eq!((chat.check(), chat.requests.len()), (None, 0));
    chat.say(1);
    assert_eq!((chat.check(), chat.requests.len()), (None, 1));
}

#[test]
fn other_instructions_do_not_wait_for_a_summary_without_them() {
    let mut chat = writing();
    chat.compact(Reason::Manual, Some("focus on roses"));
    assert_eq!(chat.requests.len(), 2);
    assert!(chat.requests.last().unwrap().system.contains("focus on roses"));
}

#[test]
fn what_stays_can_change_from_its_first_message_on() {
    let kept = writing().compactor.plan(Reason::SessionCompaction).tail_start;
    for position in [kept - 1, kept] {
        let mut chat = writing();
        let id = chat.compactor.log().message(position).unwrap().id.clone();
        chat.compactor.edit(Message::new(id, Role::User, "Another one.")).unwrap();
        chat.drain();
        assert_eq!(chat.dropped().is_empty(), position == kept);
    }
}

#[test]
fn reducers_leave_it_and_an_undo_of_the_summary_that_it_builds_on_throws_it_away() {
    let rule = ReducerRule::when(Reducer::Deduplicate, Trigger::at(Phase::Loop, Trigger::Always));
    let mut chat = Chat::new(Policy { reducers: vec![rule], ..policy(0.6) });
    let reason = chat.say_until_due();
    chat.requests.clear();
    chat.compact(reason, Some("all of it"));
    chat.answer("They have talked of everything.");
    chat.events.clear();
    while chat.requests.is_empty() {
        chat.say(1);
        assert_eq!(chat.check(), None);
    }
    chat.answer("They have talked of all that, and of more.");
    for (number, message) in transcript("u: ~note noon\nu: ~note noon").into_iter().enumerate() {
        let id = format!("note{number}").into();
        chat.compactor.append(Message { id, ..message }).unwrap();
    }
    assert_eq!(chat.compactor.check(Phase::Loop), Some(Reason::Reduce));
    chat.compact(Reason::Reduce, None);
    assert!(matches!(chat.report().outcome, Outcome::Applied { .. }), "{:?}", chat.report());
    assert!(chat.dropped().is_empty());
    chat.compactor.undo().unwrap();
    chat.drain();
    chat.compactor.undo().unwrap();
    chat.drain();
    assert_eq!(chat.dropped(), [false], "the earlier summary is undone");
}

#[test]
fn a_task_that_ends_behind_what_is_written_gets_a_summary_of_all_of_it() {
    let mut chat = Chat::prepared(0.6);
    chat.compactor.complete_task("garden".into()).unwrap();
    assert_eq!(chat.check(), Some(Reason::TaskTransition));
    assert_eq!(chat.compactor.next_summary(), Some(NextSummary::Ready { tokens_after: None }));
    chat.compact(Reason::TaskTransition, None);
    assert!(chat.requests.first().unwrap().input.contains("Message 11 "));
    chat.answer("They have talked of everything, and of more.");
    assert_ne!(chat.used(), Some(PreparedUse::AsWritten));
}

#[test]
fn without_a_summarizer_nothing_is_written_in_advance() {
    let rule = ReducerRule::in_compactions(Reducer::Deduplicate);
    let summary = Policy::team(1_000, None).summary;
    let mut chat = Chat::new(Policy { reducers: vec![rule], summary, ..policy(0.2) });
    for message in transcript("u: ~note noon\nu: ~note noon\na: yes") {
        chat.compactor
            .append(Message { id: format!("n{}", message.id).into(), ..message })
            .unwrap();
    }
    chat.say(10);
    chat.check();
    assert!(chat.requests.is_empty() && chat.events.is_empty(), "{:?}", chat.events);
}

#[test]
fn a_call_that_waited_for_its_result_when_the_summary_was_written_is_read_later() {
    let prepare_at = Some(PrepareAt::Fraction(0.6));
    let mut chat = Chat::new(Policy { keep: Keep::Messages(0), prepare_at, ..policy(0.6) });
    chat.say(12);
    let [call, result] =
        transcript("a: !c<{\"rose\":\"the red one\"}>\nt: =c<a rose>").try_into().unwrap();
    chat.compactor.append(Message { id: "call".into(), ..call }).unwrap();
    chat.check();
    assert!(!chat.requests.first().unwrap().input.contains("the red one"), "it waits");
    chat.answer("They have talked of everything.");
    chat.compactor.append(Message { id: "result".into(), ..result }).unwrap();
    chat.say(2);
    chat.compact(Reason::Manual, None);
    let request = chat.requests.first().expect("it is not used as it is");
    assert!(request.input.contains("the red one"), "{}", request.input);
    chat.answer("They have talked of everything, and of a red rose.");
    assert_eq!(chat.used(), Some(PreparedUse::ToppedUp));
}
