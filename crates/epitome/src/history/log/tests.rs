//! Tests of which changes undo a compaction, which versions of a message are kept, and what the log says of its changes.

use super::*;
use crate::history::Cover;
use crate::message::Role;
use crate::test_notation::transcript;

const TALK: &str = "u: zero\na: one\nu: two\na: three\nu: four\na: five\nu: six\na: seven";

fn log(text: &str) -> Log {
    let mut log = Log::default();
    for message in transcript(text) {
        log.append(Record::Message { message: message.into() }).unwrap();
    }
    log
}

fn said(id: &str) -> Record {
    Record::Message { message: Message::new(id, Role::User, "so?").into() }
}

fn edited(id: &str, text: &str) -> Record {
    Record::Edit { message: Message::new(id, Role::User, text).into() }
}

fn inserted_before(id: &str) -> Record {
    Record::Insert { message: Message::new("new", Role::User, "hm").into(), before: id.into() }
}

fn head(id: &str) -> Record {
    Record::Head { message: Some(id.into()) }
}

fn committed(checkpoint: Checkpoint) -> Record {
    Record::Checkpoint { checkpoint: checkpoint.into() }
}

fn rewrite(id: &str, change: Change) -> Rewrite {
    Rewrite { id: id.into(), changes: vec![PartChange { part: 0, change }] }
}

fn shortened(id: &str) -> Rewrite {
    rewrite(id, Change::Text { text: "short".into() })
}

fn offloaded(id: &str, path: &str) -> Rewrite {
    rewrite(id, Change::Offload { text: "see the file".into(), path: path.into() })
}

fn ids<'a>(messages: impl Iterator<Item = &'a Message>) -> Vec<&'a str> {
    messages.map(|message| message.id.as_str()).collect()
}

#[test]
fn a_change_undoes_the_compactions_that_are_about_what_has_changed() {
    let summarized = Checkpoint { cover: Some(Cover::through("m3")), ..Checkpoint::empty(1) };
    let and_shortened = Checkpoint { rewrites: vec![shortened("m6")], ..summarized.clone() };
    let shortened = vec![shortened("m2"), shortened("m5")];
    let reduced = Checkpoint { rewrites: shortened, ..Checkpoint::empty(1) };
    let removed = Checkpoint { dropped: vec!["m2".into(), "m5".into()], ..Checkpoint::empty(1) };
    let leaves = |id: &str| Record::Remove { id: id.into() };
    for (compaction, change, stays) in [
        (&summarized, edited("m3", "changed"), false),
        (&summarized, edited("m4", "changed"), true),
        (&summarized, inserted_before("m3"), false),
        (&summarized, inserted_before("m4"), true),
        (&summarized, leaves("m0"), false),
        (&and_shortened, inserted_before("m3"), false),
        (&and_shortened, inserted_before("m4"), true),
        (&and_shortened, edited("m5", "changed"), true),
        (&and_shortened, edited("m6", "changed"), false),
        (&reduced, edited("m2", "changed"), false),
        (&reduced, edited("m3", "changed"), true),
        (&reduced, edited("m5", "changed"), false),
        (&reduced, inserted_before("m3"), true),
        (&removed, leaves("m2"), false),
        (&removed, leaves("m4"), true),
    ] {
        let mut log = log(TALK);
        log.append(committed(compaction.clone())).unwrap();
        let message = format!("{change:?} behind {compaction:?}");
        log.append(change).unwrap();
        assert_eq!(log.active_checkpoints().count(), usize::from(stays), "{message}");
    }
}

#[test]
fn the_log_says_from_where_on_messages_have_changed() {
    let mut log = log(TALK);
    for id in ["m5", "m3", "m4"] {
        log.append(edited(id, "changed")).unwrap();
    }
    assert_eq!(log.changes(), 3);
    let since = |log: &Log| (0..=3).map(|changes| log.changed_since(changes)).collect::<Vec<_>>();
    assert_eq!(since(&log), [Some(3), Some(3), Some(4), None]);
    log.append(head("m7")).unwrap();
    assert_eq!(since(&log), [Some(3), Some(3), Some(4), None], "the head is there already");
    log.append(head("m6")).unwrap();
    assert_eq!((log.changes(), log.changed_since(3)), (4, Some(7)), "one message has left");
    log.append(said("more")).unwrap();
    assert_eq!(log.changes(), 4, "a new message changes no other");
}

#[test]
fn an_edit_keeps_an_earlier_version_only_if_a_result_was_offloaded_from_it() {
    let mut log = log("u: zero\na: !one\nt: =one\na: three");
    let kept = |log: &mut Log, id: &str| -> usize {
        let before = log.records().len();
        for text in ["changed", "changed again"] {
            log.append(edited(id, text)).unwrap();
        }
        log.records().len() - before
    };
    let shortened = Checkpoint { rewrites: vec![shortened("m3")], ..Checkpoint::empty(1) };
    log.append(committed(shortened)).unwrap();
    assert_eq!(kept(&mut log, "m0"), 0, "nothing was offloaded");
    let offload =
        |id, path| Checkpoint { rewrites: vec![offloaded("m2", path)], ..Checkpoint::empty(id) };
    log.append(committed(offload(2, "first.txt"))).unwrap();
    log.append(said("later")).unwrap();
    assert_eq!(kept(&mut log, "later"), 0, "it came later");
    log.append(Record::Undo { checkpoint: CheckpointId(2) }).unwrap();
    assert_eq!(kept(&mut log, "m3"), 1, "the app may still ask for what was offloaded");
    for (id, path) in [(3, "second.txt"), (4, "third.txt")] {
        log.append(committed(offload(id, path))).unwrap();
        log.append(Record::Undo { checkpoint: CheckpointId(id) }).unwrap();
    }
    log.append(said("last")).unwrap();
    assert_eq!(kept(&mut log, "last"), 0, "it came after both");
    let results = ["first.txt", "second.txt", "third.txt", "m2"].map(|path| log.offloaded(path));
    assert_eq!(results, [Some("result one"), Some("result one"), Some("result one"), None]);
}

#[test]
fn messages_of_other_branches_are_found() {
    let mut log = log("u: zero\na: one\nu: two");
    log.append(head("m0")).unwrap();
    for id in ["again", "more"] {
        log.append(said(id)).unwrap();
    }
    assert_eq!(log.find(&"m1".into()).map(|message| message.text()), Some("one".into()));
    assert_eq!(log.find(&"m9".into()), None);
    assert_eq!(ids(log.following(None)), ["m0"]);
    assert_eq!(ids(log.following(Some(&"m0".into()))), ["m1", "again"]);
    assert_eq!(ids(log.following(Some(&"m2".into()))), [""; 0]);
    assert_eq!(ids(log.following(Some(&"m9".into()))), [""; 0]);
    assert_eq!(ids(log.alternatives(1)), ["m1", "again"]);
    assert_eq!(ids(log.alternatives(2)), ["more"]);
}

#[test]
fn a_log_equals_another_one_with_the_same_records() {
    assert_eq!(log(TALK), log(TALK));
    assert_ne!(log(TALK), log("u: zero"));
    assert!(Log::default().is_empty() && !log("u: zero").is_empty());
}

#[test]
fn a_checkpoint_is_known_until_it_is_undone() {
    let mut log = log(TALK);
    log.append(committed(Checkpoint::empty(7))).unwrap();
    let known = |log: &Log| [6, 7].map(|id| log.has_checkpoint(CheckpointId(id)));
    assert_eq!(known(&log), [false, true]);
    log.append(Record::Undo { checkpoint: CheckpointId(7) }).unwrap();
    assert_eq!(known(&log), [false, false]);
}
