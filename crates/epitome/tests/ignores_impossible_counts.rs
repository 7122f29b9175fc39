//! A token count of the provider that cannot be true of the view is shown and not used.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::harness;

use epitome::message::{Media, Message, Part, Role, Usage};
use epitome::policy::Phase;
use epitome::tokens::CharactersPer;
use epitome::{Compactor, Contract, Event, Level, Output, Policy, Reason};
use harness::drive;

fn compactor(messages: impl IntoIterator<Item = Message>) -> Compactor {
    let policy = Policy::recommended(10_000);
    let mut compactor =
        Compactor::new(policy, Contract::default(), Box::new(CharactersPer(4))).unwrap();
    for message in messages {
        compactor.append(message).unwrap();
    }
    compactor
}

/// Twice as much text as fits the window.
fn long_talk() -> Vec<Message> {
    let roles = [Role::User, Role::Assistant].into_iter().cycle();
    let messages = (0..40).zip(roles);
    messages.map(|(n, role)| Message::new(format!("m{n}"), role, "roses ".repeat(333))).collect()
}

fn usage(prompt_tokens: u32, completion_tokens: u32) -> Usage {
    Usage { prompt_tokens, completion_tokens, ..Usage::default() }
}

/// What was ignored since the last call: the tokens that were reported, and those that are used instead.
fn ignored(compactor: &mut Compactor) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    loop {
        match compactor.poll_output() {
            Output::Event(Event::UsageIgnored { reported, used }) => found.push((reported, used)),
            Output::Wait(_) => return found,
            _ => {}
        }
    }
}

#[test]
fn j3_a_zero_usage_is_shown_and_does_not_switch_compaction_off() {
    for (prompt, completion) in [(0, 0), (1, 1), (0, 300), (900, 20)] {
        let mut compactor = compactor(long_talk());
        let before = compactor.pressure();
        assert_eq!(before.level, Level::Compact);
        compactor.handle_usage(usage(prompt, completion));
        assert_eq!(compactor.pressure(), before, "{prompt}");
        assert!(!before.exact || before.error_band > 0.0);
        assert_eq!(ignored(&mut compactor), [(prompt + completion, before.tokens)]);
        assert!(compactor.check(Phase::RequestStart).is_some());
    }
}

#[test]
fn j3_a_zero_count_of_the_view_is_ignored_too() {
    let mut compactor = compactor(long_talk());
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |_| "They talked about roses.".into());
    let before = compactor.pressure();
    compactor.handle_count(0);
    assert_eq!(compactor.pressure(), before);
    assert_eq!(ignored(&mut compactor), [(0, before.tokens)]);
}

#[test]
fn j3_an_earlier_count_goes_on_to_be_used() {
    let mut compactor = compactor(long_talk());
    compactor.handle_usage(usage(15_000, 500));
    assert_eq!((compactor.pressure().tokens, compactor.pressure().exact), (15_500, true));
    compactor.append(Message::new("next", Role::User, "so?")).unwrap();
    compactor.append(Message::new("answer", Role::Assistant, "so ".repeat(40))).unwrap();
    let before = compactor.pressure();
    assert!(before.tokens > 15_500 && !before.exact);
    compactor.handle_usage(usage(0, 0));
    assert_eq!(compactor.pressure(), before);
    assert_eq!(ignored(&mut compactor), [(0, before.tokens)]);
}

#[test]
fn j3_a_count_that_can_be_true_is_used_however_far_from_the_estimate() {
    // Half of the estimate, the double of it, and what the error band allows below the half.
    for prompt in [5_000, 9_500, 40_000] {
        let mut compactor = compactor(long_talk());
        compactor.handle_usage(usage(prompt, 0));
        assert_eq!(compactor.pressure().tokens, prompt);
        assert_eq!(ignored(&mut compactor), []);
    }
}

#[test]
fn j3_a_low_count_is_used_if_most_of_the_estimate_is_not_text() {
    let reasoning =
        Part::Reasoning { text: "hm ".repeat(9_000), signature: Some("signature".into()) };
    let image = Part::Image(Media { pixels: Some((4_000, 4_000)), ..Media::default() });
    for part in [reasoning, image, Part::Other { kind: "x".into(), characters: 30_000 }] {
        let role = if matches!(part, Part::Image(_)) { Role::User } else { Role::Assistant };
        let mut compactor = compactor([
            Message::new("one", Role::User, "look"),
            Message::with_parts("two", role, vec![part, Part::text("done")]),
            Message::new("three", Role::User, "and?"),
            Message::new("four", Role::Assistant, "no"),
        ]);
        assert!(compactor.pressure().tokens > 500);
        compactor.handle_usage(usage(40, 0));
        assert_eq!(compactor.pressure().tokens, 40);
        assert_eq!(ignored(&mut compactor), []);
    }
}

#[test]
fn j3_a_short_conversation_and_an_empty_one_take_small_counts() {
    let mut compactor = compactor([
        Message::new("one", Role::User, "hi"),
        Message::new("two", Role::Assistant, "ho"),
    ]);
    compactor.handle_usage(usage(3, 1));
    assert_eq!(compactor.pressure().tokens, 4);
    compactor.handle_usage(usage(0, 0));
    assert_eq!(ignored(&mut compactor), [(0, 4)]);
    let mut compactor = self::compactor([]);
    compactor.handle_count(0);
    assert_eq!(ignored(&mut compactor), []);
}
