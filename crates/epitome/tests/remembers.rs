//! The memory: entries, the summary into which the older ones are blended, and where it is shown.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::harness;

use epitome::policy::{Keep, MemorySettings};
use epitome::tokens::CharactersPer;
use epitome::{
    Compactor, Contract, Event, Failure, FailureKind, Memory, MemoryEntry, Output, Phase, Policy,
    Reason, Snapshot, SummaryRequest, Timestamp,
};
use harness::{applied, compactor_with, drive, long_talk, next_request};

fn policy(memory: MemorySettings) -> Policy {
    Policy { memory, keep: Keep::Messages(2), min_saving: 0.0, ..Policy::fill_percent(2_000) }
}

fn talk() -> Compactor {
    compactor_with(policy(MemorySettings::default()), &long_talk())
}

fn note(text: &str) -> MemoryEntry {
    MemoryEntry { text: text.into(), standing: false }
}

fn remember(compactor: &mut Compactor, from: u32, to: u32) {
    for number in from..to {
        compactor.remember(note(&format!("note {number}"))).unwrap();
    }
}

fn texts(memory: &Memory) -> Vec<&str> {
    memory.entries.iter().map(|entry| entry.text.as_str()).collect()
}

#[test]
fn e2_the_fifteenth_entry_blends_the_ten_oldest_with_the_summary_before() {
    let mut compactor = talk();
    compactor.remember(MemoryEntry { text: "be brief".into(), standing: true }).unwrap();
    remember(&mut compactor, 0, 14);
    assert!(drive(&mut compactor, |_| String::new()).requests.is_empty());
    remember(&mut compactor, 14, 15);
    let run = drive(&mut compactor, |_| "They planted oaks.".into());
    assert!(run.has_event("memoryBlended", "\"entries\":10"));
    let [request]: [SummaryRequest; 1] = run.requests.try_into().unwrap();
    assert!(request.input.contains("note 0") && request.input.contains("note 9"));
    assert!(!request.input.contains("note 10") && !request.input.contains("be brief"));
    assert_eq!((request.target_tokens, request.is_ahead), (1_000, true));
    assert_eq!(request.max_tokens, 1_500);
    assert_eq!(compactor.memory().summary, "They planted oaks.");
    let left = ["be brief", "note 10", "note 11", "note 12", "note 13", "note 14"];
    assert_eq!(texts(compactor.memory()), left);
    // Five are left, so that ten more make fifteen.
    remember(&mut compactor, 15, 25);
    let run = drive(&mut compactor, |_| "They planted oaks and elms.".into());
    let [request]: [SummaryRequest; 1] = run.requests.try_into().unwrap();
    assert!(request.input.contains("They planted oaks."), "the summary before");
    assert_eq!(texts(compactor.memory()).len(), 6);
}

#[test]
fn e2_entries_of_meanwhile_and_edits_stay() {
    let mut compactor = talk();
    remember(&mut compactor, 0, 15);
    let request = next_request(&mut compactor);
    let mut memory = compactor.memory().clone();
    memory.entries.retain(|entry| entry.text != "note 4");
    memory.entries.push(note("late"));
    compactor.set_memory(memory).unwrap();
    compactor.handle_summary(request.id, "They planted oaks.");
    assert_eq!(
        texts(compactor.memory()),
        ["note 10", "note 11", "note 12", "note 13", "note 14", "late"]
    );
}

#[test]
fn e2_a_failure_loses_nothing_and_the_next_check_tries_again() {
    let mut compactor = talk();
    remember(&mut compactor, 0, 15);
    let request = next_request(&mut compactor);
    let failure = Failure { kind: FailureKind::Permanent, message: "no".into() };
    compactor.handle_failure(request.id, failure, Timestamp(0));
    assert!(
        matches!(compactor.poll_output(), Output::Event(Event::MemoryFailed { message }) if message == "no")
    );
    assert_eq!(texts(compactor.memory()).len(), 15);
    compactor.check(Phase::TurnEnd);
    let again = next_request(&mut compactor);
    compactor.handle_summary(again.id, " ");
    assert_eq!(texts(compactor.memory()).len(), 15, "a blank answer is none");
}

#[test]
fn e2_a_compaction_goes_on_beside_it() {
    let mut compactor = talk();
    remember(&mut compactor, 0, 15);
    compactor.compact(Reason::Manual, None).unwrap();
    let run = drive(&mut compactor, |request| match request.is_ahead {
        true => "They planted oaks.".into(),
        false => "They talked about the garden.".into(),
    });
    assert_eq!(run.requests.len(), 2);
    assert!(applied(compactor.report().unwrap()));
    assert_eq!(compactor.memory().summary, "They planted oaks.");
    compactor.undo().unwrap();
    drive(&mut compactor, |_| String::new());
    assert_eq!(compactor.memory().summary, "They planted oaks.", "it has its own cycle");
}

#[test]
fn e2_summary_and_entries_follow_each_summary_if_the_policy_says_so() {
    for in_summary in [true, false] {
        let settings = MemorySettings { in_summary, ..MemorySettings::default() };
        let mut compactor = compactor_with(policy(settings), &long_talk());
        remember(&mut compactor, 0, 15);
        drive(&mut compactor, |_| "They planted oaks.".into());
        compactor.compact(Reason::Manual, None).unwrap();
        drive(&mut compactor, |_| "They talked.".into());
        let summary = compactor.report().unwrap().summary.clone().unwrap();
        let shown = "Remembered:\nThey planted oaks.\n- note 10";
        assert_eq!(summary.contains(shown), in_summary, "{summary}");
    }
}

#[test]
fn e2_the_memory_is_stored_and_blended_after_a_restore() {
    let mut compactor = talk();
    remember(&mut compactor, 0, 15);
    let stored = compactor.snapshot().to_json_lines().unwrap();
    let restored = Snapshot::from_json_lines(&stored).unwrap();
    let mut restored =
        Compactor::restore(restored, Contract::default(), Box::new(CharactersPer(3))).unwrap();
    assert_eq!(restored.memory(), compactor.memory());
    restored.check(Phase::TurnStart);
    drive(&mut restored, |_| "They planted oaks.".into());
    assert_eq!(texts(restored.memory()).len(), 5);
}
