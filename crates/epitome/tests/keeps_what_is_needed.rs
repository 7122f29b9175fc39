//! The log keeps no version of a message and no compaction that nothing can refer to any more.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should stop")]

use crate::harness;

use epitome::message::{Message, Role};
use epitome::policy::{OffloadToolResults, Reducer, ReducerRule, Trigger};
use epitome::tokens::CharactersPer;
use epitome::{Compactor, Contract, Outcome, Policy, Reason, Snapshot};
use harness::{compactor_with, drive, long_talk, recommended_compactor, shown};

fn snapshot(compactor: &Compactor) -> String {
    compactor.snapshot().to_json_lines().unwrap()
}

fn restored(snapshot: &str) -> Compactor {
    let snapshot = Snapshot::from_json_lines(snapshot).unwrap();
    Compactor::restore(snapshot, Contract::default(), Box::new(CharactersPer(3))).unwrap()
}

fn compact(compactor: &mut Compactor, summary: &str) -> epitome::message::CheckpointId {
    compactor.compact(Reason::Manual, None).unwrap();
    drive(compactor, |_| summary.into());
    match compactor.report().unwrap().outcome {
        Outcome::Applied { checkpoint } => checkpoint,
        ref other => panic!("{other:?}"),
    }
}

fn undo(compactor: &mut Compactor) {
    compactor.undo().unwrap();
    drive(compactor, |_| String::new());
}

/// Streams an answer by this many edits, and returns the conversation.
fn streamed(compactor: &mut Compactor, edits: usize) -> String {
    compactor.append(Message::new("answer", Role::Assistant, "")).unwrap();
    let mut text = String::new();
    for number in 0..edits {
        text.push_str(if number % 2 == 0 { "r" } else { " " });
        compactor.edit(Message::new("answer", Role::Assistant, text.as_str())).unwrap();
    }
    snapshot(compactor)
}

#[test]
fn j10_an_answer_that_is_streamed_by_edits_leaves_its_last_version_only() {
    let mut compactor = recommended_compactor(&long_talk());
    compact(&mut compactor, "They talked about the garden.");
    let before = snapshot(&compactor).len();
    let after = streamed(&mut compactor, 5_000);
    assert!(after.len() <= before + 5_000 + 300, "{before} and then {}", after.len());
    let restored = restored(&after);
    assert_eq!(shown(&restored), shown(&compactor));
    assert_eq!(restored.pressure(), compactor.pressure());
    assert_eq!(restored.log(), compactor.log());
    assert_eq!(restored.log().changes(), 0, "it was put in place of the first version");
}

#[test]
fn j10_an_undo_behind_edits_is_exact() {
    let mut compactor = recommended_compactor(&long_talk());
    compactor.append(Message::new("answer", Role::Assistant, "so")).unwrap();
    let before = (shown(&compactor), compactor.pressure().tokens);
    compact(&mut compactor, "They talked about the garden.");
    for text in ["so it", "so it is", "so"] {
        compactor.edit(Message::new("answer", Role::Assistant, text)).unwrap();
    }
    undo(&mut compactor);
    assert_eq!((shown(&compactor), compactor.pressure().tokens), before);
}

#[test]
fn j10_a_result_that_was_offloaded_from_an_earlier_version_is_still_there() {
    let offload = OffloadToolResults { protect_fraction: 0.0, max_tokens: 100, keep_tokens: 30 };
    let rule = ReducerRule::when(Reducer::OffloadToolResults(offload), Trigger::Always);
    let policy = Policy { reducers: vec![rule], ..Policy::fill_percent(1_000) };
    let long = "row ".repeat(300);
    let text = format!("u: go\na: !call_1\nt: =call_1<{long}>\na: done\nu: thanks\na: welcome");
    let mut compactor = compactor_with(policy, &text);
    let path = "tool-results/call_1.txt";
    for round in 0..50 {
        compactor.compact(Reason::Reduce, None).unwrap();
        drive(&mut compactor, |_| String::new());
        assert_eq!(compactor.log().offloaded(path), Some(long.as_str()), "{round}");
        undo(&mut compactor);
    }
    assert!(snapshot(&compactor).matches(path).count() == 1);
    let mut result = compactor.log().message(2).unwrap().clone();
    result.parts = vec![epitome::message::Part::ToolResult {
        call: "call_1".into(),
        name: None,
        text: "none".into(),
    }];
    compactor.edit(result).unwrap();
    for compactor in [&compactor, &restored(&snapshot(&compactor))] {
        assert_eq!(compactor.log().offloaded(path), Some(long.as_str()));
    }
}

#[test]
fn j10_compactions_that_were_undone_take_no_space() {
    let after = |rounds: u32| {
        let mut compactor = recommended_compactor(&long_talk());
        let view = shown(&compactor);
        let mut ids: Vec<u32> = Vec::new();
        for _ in 0..rounds {
            ids.push(compact(&mut compactor, "They talked about the garden.").0);
            undo(&mut compactor);
            assert_eq!(shown(&compactor), view);
        }
        assert_eq!(ids, (1..=rounds).collect::<Vec<_>>(), "no id is used twice");
        assert_eq!(compactor.session(), rounds + 1);
        let restored = restored(&snapshot(&compactor));
        assert_eq!((restored.session(), shown(&restored)), (rounds + 1, view));
        snapshot(&compactor).len()
    };
    let (few, many) = (after(2), after(200));
    assert!(many <= few + 20, "{few} bytes after 2 undos, {many} after 200");
}

#[test]
fn j10_a_snapshot_with_earlier_versions_and_undone_compactions_can_be_restored() {
    let mut compactor = recommended_compactor(&long_talk());
    let id = compact(&mut compactor, "They talked about the garden.");
    // As the log was written when it kept everything.
    let mut lines = snapshot(&compactor);
    let is_message = |line: &&str| line.starts_with(r#"{"record":"message""#);
    let last = lines.lines().rfind(is_message).unwrap();
    let mut edit: serde_json::Value = serde_json::from_str(last).unwrap();
    edit["record"] = "edit".into();
    for text in ["so", "so it is"] {
        edit["message"]["parts"][0]["text"]["text"] = text.into();
        lines += &format!("{edit}\n");
    }
    lines += &serde_json::json!({ "record": "undo", "checkpoint": id }).to_string();
    let mut restored = restored(&lines);
    assert_eq!(restored.session(), 2);
    assert!(shown(&restored).trim_end().ends_with("so it is"), "{}", shown(&restored));
    assert!(!snapshot(&restored).contains("They talked"));
    assert_eq!(compact(&mut restored, "They talked.").0, id.0 + 1);
}
