//! A store gets what is new, commit by commit, and its records are the conversation.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should stop"
)]

use crate::harness;

use epitome::history::Record;
use epitome::message::{Message, Role, Usage};
use epitome::policy::{Reducer, ReducerRule, Trigger};
use epitome::tokens::CharactersPer;
use epitome::{
    Compactor, Contract, Output, Policy, Reason, Snapshot, StateEntry, Stored, StructuredState,
};
use harness::{applied, compact, compactor_with, drive, long_talk, recommended_compactor, shown};

fn committed(compactor: &mut Compactor) -> String {
    let lines = compactor.unsaved().unwrap();
    compactor.handle_saved();
    lines
}

fn restored(lines: &str) -> Compactor {
    let snapshot = Snapshot::from_json_lines(lines).unwrap();
    Compactor::restore(snapshot, Contract::default(), Box::new(CharactersPer(3))).unwrap()
}

fn kinds(lines: &str) -> Vec<String> {
    let kind = |line| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        value["record"].as_str().unwrap().to_owned()
    };
    lines.lines().map(kind).collect()
}

/// Compacts until the record waits for the store.
fn compact_up_to_storing(compactor: &mut Compactor) {
    compactor.compact(Reason::Manual, None).unwrap();
    loop {
        match compactor.poll_output() {
            Output::Before(_) => compactor.proceed().unwrap(),
            Output::Summarize(request) => compactor.handle_summary(request.id, "They talked."),
            Output::Persist(_) => return,
            other => assert!(!matches!(other, Output::Wait(_)), "the compaction has ended"),
        }
    }
}

#[test]
fn h2_a_compaction_is_stored_before_it_is_applied_and_its_undo_behind_it() {
    let mut compactor = recommended_compactor(&long_talk());
    compactor.collect_unsaved(Stored::Nothing);
    let mut store = committed(&mut compactor);
    assert_eq!(&kinds(&store)[..3], ["begin", "policy", "message"]);
    assert_eq!(compactor.unsaved().unwrap(), "");

    assert!(applied(&compact(&mut compactor).unwrap()));
    let checkpoint = committed(&mut compactor);
    assert_eq!(kinds(&checkpoint), ["checkpoint"]);
    assert!(checkpoint.contains("They talked about the garden."), "the summary");
    assert!(checkpoint.contains(r#""through":"m"#), "the last message that it covers");
    store += &checkpoint;
    assert_eq!(shown(&restored(&store)), shown(&compactor));

    compactor.undo().unwrap();
    assert_eq!(kinds(&compactor.unsaved().unwrap()), ["undo"], "while it waits for the store");
    drive(&mut compactor, |_| String::new());
    store += &committed(&mut compactor);
    assert_eq!(shown(&restored(&store)), shown(&compactor));
    assert_eq!(store.matches("They talked about the garden.").count(), 1, "it is still in the log");
}

fn counted(prompt_tokens: u32) -> Usage {
    Usage { prompt_tokens, ..Usage::default() }
}

#[test]
fn h2_what_the_provider_has_counted_is_stored_without_a_new_message() {
    let mut compactor = recommended_compactor(&long_talk());
    compactor.collect_unsaved(Stored::Nothing);
    let mut store = committed(&mut compactor);
    compactor.agent("ann").unwrap();
    assert!(!compactor.has_unsaved());
    compactor.handle_usage(counted(240));
    assert!(compactor.has_unsaved());
    store += &committed(&mut compactor);
    store += &compactor.state_line().unwrap();
    assert!(!compactor.has_unsaved());
    assert_eq!(restored(&store).pressure().tokens, compactor.pressure().tokens);

    compactor.unsaved().unwrap();
    compactor.handle_usage(counted(250));
    compactor.handle_saved();
    assert!(compactor.has_unsaved(), "it came after the commit had begun");
    committed(&mut compactor);
    compactor.agent("ann").unwrap().handle_usage(counted(230));
    assert!(compactor.has_unsaved(), "an agent has a state too");
    committed(&mut compactor);
    assert!(!compactor.has_unsaved());
}

#[test]
fn h2_a_compaction_that_could_not_be_stored_is_not_stored_later() {
    let mut compactor = recommended_compactor(&long_talk());
    compactor.collect_unsaved(Stored::Everything);
    compact_up_to_storing(&mut compactor);
    assert_eq!(kinds(&compactor.unsaved().unwrap()), ["checkpoint"]);
    compactor.append(Message::new("late", Role::User, "and now?")).unwrap();
    compactor.handle_unpersisted("the disk is full".into()).unwrap();
    assert_eq!(kinds(&compactor.unsaved().unwrap()), ["message"]);
}

#[test]
fn h2_the_state_that_is_stored_with_a_compaction_has_no_count_of_the_view_before_it() {
    let mut compactor = recommended_compactor(&long_talk());
    compactor.collect_unsaved(Stored::Nothing);
    let counted = compactor.pressure().tokens;
    compactor.handle_usage(Usage { prompt_tokens: counted + 50, ..Usage::default() });
    let mut store = committed(&mut compactor) + &compactor.state_line().unwrap();
    assert_eq!(restored(&store).pressure(), compactor.pressure());
    compact_up_to_storing(&mut compactor);
    store += &(committed(&mut compactor) + &compactor.state_line().unwrap());
    compactor.handle_persisted().unwrap();
    assert_eq!(restored(&store).pressure(), compactor.pressure());
}

#[test]
fn h2_an_answer_that_is_streamed_by_edits_is_stored_once() {
    let mut compactor = recommended_compactor(&long_talk());
    compactor.collect_unsaved(Stored::Everything);
    compactor.append(Message::new("answer", Role::Assistant, "")).unwrap();
    for length in 0..500 {
        compactor.edit(Message::new("answer", Role::Assistant, "so ".repeat(length))).unwrap();
    }
    let first = committed(&mut compactor);
    assert_eq!(kinds(&first), ["message"]);
    assert!(first.len() < 2_000, "{first}");

    compactor.edit(Message::new("answer", Role::Assistant, "first")).unwrap();
    assert_eq!(kinds(&compactor.unsaved().unwrap()), ["edit"]);
    // The store may have the lines already, also if it has not said so yet.
    compactor.edit(Message::new("answer", Role::Assistant, "second")).unwrap();
    compactor.handle_saved();
    let rest = compactor.unsaved().unwrap();
    assert_eq!((kinds(&rest).len(), rest.contains("second")), (1, true));
}

#[test]
fn h2_lines_that_were_not_confirmed_come_again() {
    let mut compactor = recommended_compactor(&long_talk());
    compactor.collect_unsaved(Stored::Everything);
    compactor.append(Message::new("one", Role::User, "one")).unwrap();
    let first = compactor.unsaved().unwrap();
    compactor.append(Message::new("two", Role::User, "two")).unwrap();
    compactor.set_policy(Policy::recommended(500)).unwrap();
    let again = compactor.unsaved().unwrap();
    assert!(again.contains(&first));
    assert_eq!(kinds(&again), ["policy", "message", "message"]);
}

/// Bytes and lines of the commit of a turn behind this many messages.
fn turn_behind(messages: u32) -> (usize, usize) {
    let mut compactor = compactor_with(Policy::recommended(100_000_000), "");
    for number in 0..messages {
        compactor.append(Message::new(format!("{number:06}"), Role::User, "so it is")).unwrap();
    }
    compactor.collect_unsaved(Stored::Everything);
    for (id, role) in [("question", Role::User), ("answer", Role::Assistant)] {
        compactor.append(Message::new(id, role, "and now?")).unwrap();
    }
    let lines = committed(&mut compactor) + &compactor.state_line().unwrap();
    (lines.len(), lines.lines().count())
}

#[test]
fn h3_the_commit_of_a_turn_writes_what_is_new_also_behind_100_000_messages() {
    let (bytes, lines) = turn_behind(1_000);
    assert_eq!(lines, 3, "two messages and the state");
    assert_eq!(turn_behind(100_000), (bytes, lines));
}

#[test]
fn h3_a_record_of_a_newer_engine_is_kept_and_named() {
    let mut compactor = recommended_compactor(&long_talk());
    compactor.collect_unsaved(Stored::Nothing);
    let mut lines = committed(&mut compactor);
    let newer = r#"{"record":"poll","question":"which rose?","n":1.50}"#;
    lines += &format!("{newer}\n");
    // What a host adds for itself is none.
    lines += r#"{"record":"original","id":"m0","message":{}}"#;
    let restored = restored(&lines);
    assert_eq!(shown(&restored), shown(&compactor));
    let unknown: Vec<&str> = restored
        .log()
        .records()
        .iter()
        .filter_map(|record| match record {
            Record::Unknown(unknown) => Some(unknown.kind()),
            _ => None,
        })
        .collect();
    assert_eq!(unknown, ["poll"]);
    let again = restored.snapshot().to_json_lines().unwrap();
    assert!(again.lines().any(|line| line == newer), "byte for byte");
}

#[test]
fn h3_logs_of_every_version_can_be_read() {
    let version_2 = include_str!("logs/version-2.jsonl");
    let restored = restored(version_2);
    let expected = include_str!("logs/version-2.txt");
    assert_eq!(shown(&restored), expected);
    assert_eq!(restored.session(), 3);
    assert_eq!(restored.log().todo(), Some("- [ ] plant the roses"));
}

#[test]
fn e1_h2_a_state_that_is_set_while_a_compaction_is_stored_is_undone_as_after_a_restore() {
    let reducers = vec![ReducerRule::when(Reducer::Deduplicate, Trigger::Always)];
    let mut compactor =
        compactor_with(Policy { reducers, ..Policy::recommended(4_000) }, &long_talk());
    for id in ["first", "copy"] {
        let note = Message::new(id, Role::User, "The garden is open.");
        compactor.append(Message { synthetic: Some("note".into()), ..note }).unwrap();
    }
    compactor.collect_unsaved(Stored::Nothing);
    compactor.compact(Reason::Reduce, None).unwrap();
    while !matches!(compactor.poll_output(), Output::Persist(_)) {}
    let entry = StateEntry { text: "Plant oaks.".into(), ..StateEntry::default() };
    let state = StructuredState { decisions: vec![entry], ..StructuredState::default() };
    compactor.set_structured_state(state.clone()).unwrap();
    let stored = committed(&mut compactor);
    compactor.handle_persisted().unwrap();
    for mut compactor in [restored(&stored), compactor] {
        assert!(compactor.log().checkpoint().is_some());
        compactor.undo().unwrap();
        drive(&mut compactor, |_| String::new());
        assert!(compactor.log().checkpoint().is_none(), "the compaction has come last");
        assert_eq!(*compactor.structured_state(), state);
        compactor.undo().unwrap();
        assert!(compactor.structured_state().is_empty());
    }
}

#[test]
fn the_revision_counts_the_records_that_were_appended() {
    let mut compactor = recommended_compactor("u: hi");
    assert_eq!(compactor.log().revision(), 1);
    for number in 2..5 {
        let message = Message::new(format!("n{number}"), Role::User, "and?");
        compactor.append(message).unwrap();
        assert_eq!(compactor.log().revision(), number);
    }
}

#[test]
fn a_policy_that_changes_before_the_first_commit_is_in_its_beginning() {
    let mut compactor = recommended_compactor(&long_talk());
    compactor.collect_unsaved(Stored::Nothing);
    compactor.set_policy(Policy::recommended(500)).unwrap();
    let store = committed(&mut compactor);
    assert_eq!(&kinds(&store)[..3], ["begin", "policy", "message"]);
    assert_eq!(restored(&store).policy().window, 500);
}

#[test]
fn blank_lines_between_commits_and_a_preparation_that_is_not_there_mean_nothing() {
    let mut compactor = recommended_compactor(&long_talk());
    assert!(applied(&compact(&mut compactor).unwrap()));
    let lines = compactor.snapshot().to_json_lines().unwrap();
    assert!(!lines.contains("preparations"), "{lines}");
    assert_eq!(shown(&restored(&lines.replace('\n', "\n \n\n"))), shown(&compactor));
}

#[test]
fn j24_what_is_to_be_stored_is_written_line_by_line_as_it_was_when_that_was_begun() {
    let mut compactor = recommended_compactor(&long_talk());
    compactor.collect_unsaved(Stored::Nothing);
    let whole = compactor.snapshot().to_json_lines().unwrap();
    let unsaved = compactor.unsaved().unwrap();
    let mut lines = compactor.snapshot().into_lines().unwrap();
    let later = compactor.begin_unsaved().unwrap();
    compactor.append(Message::new("late", Role::User, "And the tulips?")).unwrap();
    let mut written = String::new();
    while !lines.is_done() {
        written += &lines.next().unwrap().unwrap();
    }
    assert!(lines.next().is_none());
    assert_eq!(written, whole);
    assert_eq!(later.collect::<Result<String, _>>().unwrap(), unsaved);
    compactor.handle_saved();
    assert_eq!(kinds(&compactor.unsaved().unwrap()), ["message"], "what came meanwhile is left");
}
