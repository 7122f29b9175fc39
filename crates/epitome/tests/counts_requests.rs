//! What a provider reports for a request holds for the messages of that request and its answer, and for no others.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use epitome::message::{Message, Part, Role, Usage};
use epitome::tokens::CharactersPer;
use epitome::{Compactor, Contract, Policy, Pressure};

fn call() -> Message {
    let arguments = "{}".to_owned();
    let call = Part::ToolCall { call: "one".into(), name: "look".into(), arguments };
    Message::with_parts("call", Role::Assistant, vec![call])
}

fn result() -> Message {
    let text = "rose ".repeat(1_600);
    Message::with_parts(
        "result",
        Role::Tool,
        vec![Part::ToolResult { call: "one".into(), name: None, text }],
    )
}

fn compactor(messages: &[Message]) -> Compactor {
    let policy = Policy::recommended(10_000);
    let mut compactor =
        Compactor::new(policy, Contract::default(), Box::new(CharactersPer(4))).unwrap();
    append(&mut compactor, messages);
    compactor
}

fn append(compactor: &mut Compactor, messages: &[Message]) {
    for message in messages {
        compactor.append(message.clone()).unwrap();
    }
}

fn usage(prompt_tokens: u32, completion_tokens: u32) -> Usage {
    Usage { prompt_tokens, completion_tokens, ..Usage::default() }
}

#[test]
fn k3_results_behind_the_answer_are_added_to_its_usage() {
    let question = Message::new("question", Role::User, "where is it?");
    let mut before = compactor(&[question.clone(), call()]);
    before.handle_usage(usage(100, 20));
    append(&mut before, &[result()]);
    let mut after = compactor(&[question, call(), result()]);
    after.handle_usage(usage(100, 20));
    assert_eq!(before.pressure(), after.pressure());
    let tokens = after.pressure().tokens;
    assert!((2_100..2_300).contains(&tokens), "{tokens}");
    assert!(!after.pressure().exact);
}

#[test]
fn k3_a_usage_before_its_answer_is_there_counts_the_prompt_alone() {
    let mut compactor = compactor(&[Message::new("question", Role::User, "where is it?")]);
    compactor.handle_usage(usage(100, 20));
    assert_eq!(compactor.pressure().tokens, 100);
    append(&mut compactor, &[Message::new("answer", Role::Assistant, "there")]);
    let tokens = compactor.pressure().tokens;
    assert!((101..110).contains(&tokens), "{tokens}");
    // Once more, now that the answer is there.
    compactor.handle_usage(usage(100, 20));
    assert_eq!((compactor.pressure().tokens, compactor.pressure().exact), (120, true));
    // And its final count.
    compactor.handle_usage(usage(100, 25));
    assert_eq!(compactor.pressure().tokens, 125);
}

#[test]
fn k3_an_answer_that_is_generated_again_leaves_the_count_of_its_prompt() {
    let question = Message::new("question", Role::User, "where is it?");
    let answer = Message::new("answer", Role::Assistant, "there");
    let mut compactor = compactor(&[question, answer]);
    compactor.handle_usage(usage(100, 20));
    compactor.move_head(Some("question".into())).unwrap();
    assert_eq!((compactor.pressure().tokens, compactor.pressure().exact), (100, true));
}

#[test]
fn k3_reasoning_that_only_the_provider_can_read_widens_the_error_band() {
    let answer = |id: &str, text: &str| {
        let signature = Some("A".repeat(16_000));
        let parts = vec![Part::Reasoning { text: text.into(), signature }, Part::text("yes")];
        Message::with_parts(id, Role::Assistant, parts)
    };
    for (text, hidden) in [("", 3_000), ("it is a rose", 0)] {
        let question = |id: &str| Message::new(id, Role::User, "what is this");
        let mut compactor = compactor(&[question("m0"), answer("a", text), question("m1")]);
        compactor.handle_count(400);
        let Pressure { tokens, exact, error_band, .. } = compactor.pressure();
        assert_eq!((tokens, exact), (400, hidden == 0), "{text}");
        assert!((error_band * 400.0 - f64::from(hidden)).abs() < 1.0, "{error_band}");
        compactor.remove("a".into()).unwrap();
        compactor.handle_count(400);
        assert!(compactor.pressure().exact, "nothing is hidden any more");
    }
}
