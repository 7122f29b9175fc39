//! Random histories under random policies: what must always hold, holds.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on should stop, and say what it saw"
)]

mod stage;

use std::collections::BTreeMap;

use epitome::history::{Edit, View};
use epitome::message::{Message, MessageId, Part, Role};
use epitome::meter::CharactersPer;
use epitome::policy::{Budget, Fill, Keep, Trigger};
use epitome::{Compactor, Contract, Outcome, Policy, Reason};
use proptest::prelude::*;
use stage::drive;

/// One message in the making: who, how long, which calls, which results, pinned.
type Draft = (u8, usize, Vec<u8>, Option<u8>, bool);

fn draft() -> impl Strategy<Value = Draft> {
    let calls = prop_oneof![3 => Just(Vec::new()), 2 => prop::collection::vec(0_u8..6, 1..4)];
    let result = prop_oneof![Just(None), (0_u8..6).prop_map(Some)];
    (0_u8..20, 0_usize..200, calls, result, prop::bool::weighted(0.03))
}

/// Calls are answered more often than not; ids repeat, go missing and come in any order.
fn history(drafts: &[Draft]) -> Vec<Message> {
    let mut messages = Vec::new();
    for (who, length, calls, result, pinned) in drafts {
        let id = format!("m{}", messages.len());
        let text = Part::text("wörd ".repeat(length / 5));
        let mut message = match (who, result) {
            (0, _) => Message::with_parts(id, Role::System, vec![text]),
            (1..=7, _) => Message::with_parts(id, Role::User, vec![text]),
            (8..=9, Some(call)) => {
                Message::with_parts(id, Role::Tool, vec![answer(*call, *length)])
            }
            _ => {
                let ask = calls.iter().map(|call| Part::ToolCall {
                    call: format!("c{call}").into(),
                    name: "look".into(),
                    arguments: "{}".into(),
                });
                let parts = std::iter::once(text).chain(ask).collect();
                Message::with_parts(id, Role::Assistant, parts)
            }
        };
        message.pinned = *pinned;
        let answered = message.role == Role::Assistant && who % 4 != 0;
        messages.push(message);
        if answered {
            for call in calls {
                let id = format!("m{}", messages.len());
                messages.push(Message::with_parts(id, Role::Tool, vec![answer(*call, *length)]));
            }
        }
    }
    messages
}

fn answer(call: u8, length: usize) -> Part {
    let call = if call == 5 { String::new() } else { format!("c{call}") };
    Part::ToolResult { call: call.into(), name: None, text: "日本 ".repeat(length / 3) }
}

fn policy() -> impl Strategy<Value = Policy> {
    let keep = prop_oneof![
        (0_u32..30).prop_map(Keep::Messages),
        (0_u32..10).prop_map(Keep::Rounds),
        (0_u32..3_000).prop_map(Keep::Tokens),
        (0_u32..90).prop_map(|percent| Keep::Fraction(f64::from(percent) / 100.0)),
    ];
    let trigger = prop_oneof![
        (1_u32..100).prop_map(|percent| Trigger::Fill(Fill {
            fraction: f64::from(percent) / 100.0,
            max_tokens: 0
        })),
        (1_i64..200).prop_map(Trigger::Tokens),
        Just(Trigger::Budget(Budget { fraction: 0.7, output_reserve: 30, safety_margin: 9 })),
    ];
    (200_u32..9_000, keep, trigger, 1_u32..99, 1_u32..3_000, 1_000_u32..5_000, 1_u32..4).prop_map(
        |(window, keep, trigger, target, max_tokens, chunk_characters, chunks)| {
            let mut policy = Policy::recommended(window);
            policy.keep = keep;
            policy.triggers = vec![trigger];
            policy.target = f64::from(target) / 100.0;
            policy.summary.max_tokens = max_tokens;
            policy.summary.chunk_characters = chunk_characters;
            policy.summary.chunks = chunks;
            policy
        },
    )
}

fn compactor(policy: Policy, messages: &[Message]) -> Compactor {
    let tokenizer = Box::new(CharactersPer(3));
    let mut compactor = Compactor::new(policy, Contract::default(), tokenizer).unwrap();
    for message in messages {
        compactor.append(message.clone()).unwrap();
    }
    compactor
}

fn run(compactor: &mut Compactor) -> Outcome {
    compactor.compact(Reason::Manual, None).unwrap();
    drive(compactor, |request| "s ".repeat(request.target_tokens as usize / 2));
    compactor.report().unwrap().outcome.clone()
}

fn kept(view: &View) -> Vec<&MessageId> {
    view.edits.iter().filter_map(Edit::id).collect()
}

/// Messages that call and answer each other, told without the engine: a result belongs to the nearest
/// call of its id before it that no other result has answered; one without an id, to the first open call
/// of the latest message that calls.
fn pairs(messages: &[Message]) -> Vec<(usize, usize)> {
    let mut answered: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (at, message) in messages.iter().enumerate() {
        for result in message.results() {
            let nameless = result.as_str().is_empty();
            let callers = (0..at).rev().filter(|earlier| messages[*earlier].calls().count() > 0);
            let call = callers.take(if nameless { 1 } else { at }).find_map(|earlier| {
                let calls = messages[earlier].calls().enumerate();
                let mut open = calls.filter(|(part, id)| {
                    (nameless || *id == result) && !answered.contains_key(&(earlier, *part))
                });
                open.next().map(|(part, _)| (earlier, part))
            });
            if let Some(call) = call {
                answered.insert(call, at);
            }
        }
    }
    answered.into_iter().map(|((call, _), result)| (call, result)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_must_always_hold_holds(
        drafts in prop::collection::vec(draft(), 0..60),
        policy in policy(),
    ) {
        let messages = history(&drafts);
        prop_assume!(policy.check().is_ok());
        let mut compactor = compactor(policy, &messages);
        let before = (compactor.view(), compactor.pressure());
        let outcome = run(&mut compactor);
        if !matches!(outcome, Outcome::Applied { .. }) {
            prop_assert_eq!((compactor.view(), compactor.pressure()), before, "{:?}", outcome);
            return Ok(());
        }

        // The view is smaller and legal.
        let view = compactor.view();
        prop_assert!(compactor.pressure().tokens < before.1.tokens);
        prop_assert_eq!(Contract::default().check(compactor.log(), &view), Ok(()));

        // Every kept message is one that came in, once; system and pinned messages are all there.
        let kept = kept(&view);
        let mut places: BTreeMap<&MessageId, usize> = BTreeMap::new();
        for id in &kept {
            *places.entry(id).or_default() += 1;
        }
        prop_assert!(places.values().all(|times| *times == 1));
        let dropped: Vec<&MessageId> = view.findings.iter().map(|found| &found.id).collect();
        for message in messages.iter().filter(|m| m.pinned || m.role == Role::System) {
            let there = places.contains_key(&message.id) || dropped.contains(&&message.id);
            prop_assert!(there, "{} is gone", message.id);
        }

        // No pair is split: a call and its result stay together, or are summarized together.
        for (call, result) in pairs(&messages) {
            let gone = |at: usize| !places.contains_key(&messages[at].id);
            prop_assert_eq!(gone(call), gone(result), "call m{} and result m{}", call, result);
        }

        // Compacting twice is compacting once.
        let again = run(&mut compactor);
        prop_assert!(!matches!(again, Outcome::Applied { .. }), "{:?}", again);
        prop_assert_eq!(compactor.view(), view);

        // Undo is exact.
        compactor.undo().unwrap();
        drive(&mut compactor, |_| String::new());
        prop_assert_eq!((compactor.view(), compactor.pressure()), before);
    }
}
