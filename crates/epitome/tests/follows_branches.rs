//! The app generates an answer again, edits a question, deletes a message, and shows an earlier branch.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::harness;

use epitome::message::{Message, MessageId, Role};
use epitome::policy::{Keep, Phase, Reducer, ReducerRule, StaleSummary, Trigger};
use epitome::{CommandError, Compactor, Outcome, Output, Policy, Reason};
use harness::{applied, compact, compactor_with, drive, long_talk, shown};

/// Compacted up to the last request, which is `m22`; its answer is `m25`.
fn compacted() -> Compactor {
    let policy = Policy { keep: Keep::Messages(2), target: 0.7, ..Policy::recommended(400) };
    let mut compactor = compactor_with(policy, &long_talk());
    assert!(applied(&compact(&mut compactor).unwrap()));
    compactor
}

fn last(compactor: &Compactor) -> MessageId {
    compactor.log().messages().next_back().unwrap().id.clone()
}

/// The message of this number from the end.
fn from_end(compactor: &Compactor, number: usize) -> MessageId {
    let position = compactor.log().len() - number;
    compactor.log().message(position).unwrap().id.clone()
}

fn say(compactor: &mut Compactor, id: &str, role: Role, text: &str) {
    compactor.append(Message::new(id, role, text)).unwrap();
}

fn active(compactor: &Compactor) -> usize {
    compactor.log().active_checkpoints().count()
}

#[test]
fn k2_an_answer_that_is_generated_again_leaves_the_compaction_and_both_answers() {
    let mut compactor = compacted();
    let (before, first) = (shown(&compactor), last(&compactor));
    let head = from_end(&compactor, 2);
    compactor.move_head(Some(head.clone())).unwrap();
    say(&mut compactor, "again", Role::Assistant, "another answer");
    assert_eq!(active(&compactor), 1);
    let again = before.replace("answer number 7 about the garden", "another answer");
    assert_eq!(shown(&compactor), again);
    let position = compactor.log().position(&"again".into()).unwrap();
    let alternatives: Vec<&str> =
        compactor.log().alternatives(position).map(|message| message.id.as_str()).collect();
    assert_eq!(alternatives, [first.as_str(), "again"]);
    compactor.switch_to(&first).unwrap();
    assert_eq!(shown(&compactor), before);
    compactor.switch_to(&"again".into()).unwrap();
    assert_eq!(shown(&compactor), again);
}

#[test]
fn k2_a_compaction_holds_on_every_branch_that_has_its_messages() {
    let mut compactor = compacted();
    let (before, first) = (shown(&compactor), last(&compactor));
    // An earlier question is asked in another way: what the summary is about is gone.
    compactor.move_head(Some("m3".into())).unwrap();
    say(&mut compactor, "other", Role::User, "another question");
    assert_eq!(active(&compactor), 0);
    assert!(shown(&compactor).ends_with("u: another question\n"));
    assert!(!shown(&compactor).contains("SUMMARY"));
    compactor.switch_to(&first).unwrap();
    assert_eq!((active(&compactor), shown(&compactor)), (1, before));
}

#[test]
fn k2_a_compaction_on_one_branch_serves_another_that_shares_its_messages() {
    let policy = Policy { keep: Keep::Messages(2), target: 0.7, ..Policy::recommended(400) };
    let mut compactor = compactor_with(policy, &long_talk());
    let (whole, first) = (shown(&compactor), last(&compactor));
    compactor.move_head(Some(from_end(&compactor, 2))).unwrap();
    say(&mut compactor, "again", Role::Assistant, "another answer");
    assert!(applied(&compact(&mut compactor).unwrap()));
    compactor.switch_to(&first).unwrap();
    assert!(shown(&compactor).contains("SUMMARY"));
    compactor.undo().unwrap();
    drive(&mut compactor, |_| String::new());
    assert_eq!(shown(&compactor), whole);
    compactor.switch_to(&"again".into()).unwrap();
    assert_eq!(active(&compactor), 0, "the undo is for every branch");
}

#[test]
fn k1_a_deleted_message_takes_back_the_summary_of_it_and_does_not_come_back() {
    let mut compactor = compacted();
    let tail = last(&compactor);
    compactor.remove(tail).unwrap();
    assert_eq!(active(&compactor), 1, "no compaction is about it");
    compactor.remove("m2".into()).unwrap();
    assert_eq!(active(&compactor), 0);
    assert_eq!(compactor.undo(), Err(CommandError::NothingToUndo));
    assert!(!shown(&compactor).contains("answer number 0 about"), "{}", shown(&compactor));
    assert!(compactor.remove("m2".into()).is_err());
    say(&mut compactor, "m2", Role::Assistant, "its id is free");
}

#[test]
fn k1_an_inserted_message_is_in_the_view_and_takes_back_a_summary_around_it() {
    let mut compactor = compacted();
    let before = last(&compactor);
    compactor.insert(Message::new("late", Role::Assistant, "wait"), before).unwrap();
    assert_eq!(active(&compactor), 1);
    assert!(shown(&compactor).ends_with("a: wait\na: answer number 7 about the garden\n"));
    let again = compactor.insert(Message::new("late", Role::User, "wait"), "m1".into());
    assert!(again.unwrap_err().to_string().contains("late"));
    compactor.insert(Message::new("early", Role::User, "hello"), "m1".into()).unwrap();
    assert_eq!(active(&compactor), 0);
    assert!(shown(&compactor).starts_with("s: you are a gardener\nu: hello\nu: question number 0"));
}

#[test]
fn k1_a_message_that_was_dropped_for_a_later_copy_comes_back_without_the_copy() {
    let reducers = vec![ReducerRule::when(Reducer::Deduplicate, Trigger::Always)];
    let policy = Policy { reducers, ..Policy::recommended(4_000) };
    for change in ["remove", "edit"] {
        let mut compactor = compactor_with(policy.clone(), &long_talk());
        for id in ["first", "copy"] {
            let note = Message::new(id, Role::User, "The garden is open.");
            compactor.append(Message { synthetic: Some("note".into()), ..note }).unwrap();
            say(&mut compactor, &format!("{id} answer"), Role::Assistant, "good");
        }
        let before = shown(&compactor);
        compactor.compact(Reason::Reduce, None).unwrap();
        drive(&mut compactor, |_| String::new());
        assert_eq!(shown(&compactor).matches("garden is open").count(), 1);
        match change {
            "remove" => compactor.remove("copy".into()).unwrap(),
            _ => compactor.edit(Message::new("copy", Role::User, "It is shut.")).unwrap(),
        }
        assert_eq!(active(&compactor), 0, "{change}");
        assert_eq!(shown(&compactor).matches("garden is open").count(), 1, "{change}: {before}");
    }
}

#[test]
fn k2_a_running_compaction_goes_on_if_what_it_summarizes_stays() {
    let policy = Policy { keep: Keep::Messages(2), target: 0.7, ..Policy::recommended(400) };
    for (stays, outcome) in [(true, "applied"), (false, "cancelled")] {
        let mut compactor = compactor_with(policy.clone(), &long_talk());
        compactor.compact(Reason::Manual, None).unwrap();
        let request = loop {
            match compactor.poll_output() {
                Output::Before(_) => compactor.proceed().unwrap(),
                Output::Summarize(request) => break request,
                _ => {}
            }
        };
        let head = if stays { from_end(&compactor, 2) } else { "m3".into() };
        compactor.move_head(Some(head)).unwrap();
        say(&mut compactor, "again", Role::Assistant, "another answer");
        compactor.handle_summary(request.id, "They spoke of the garden.");
        drive(&mut compactor, |_| "They spoke of the garden.".to_owned());
        let report = compactor.report().unwrap();
        let ended = match report.outcome {
            Outcome::Applied { .. } => "applied",
            Outcome::Cancelled => "cancelled",
            _ => "another end",
        };
        assert_eq!(ended, outcome);
        assert!(shown(&compactor).ends_with("a: another answer\n"));
        assert!(!shown(&compactor).contains("answer number 7"));
    }
}

#[test]
fn k2_a_message_of_another_branch_can_be_neither_edited_nor_removed() {
    let mut compactor = compacted();
    let first = last(&compactor);
    compactor.move_head(Some(from_end(&compactor, 2))).unwrap();
    let errors = [
        compactor.edit(Message::new(first.as_str(), Role::User, "no")),
        compactor.remove(first.clone()),
        compactor.insert(Message::new("new", Role::User, "no"), first),
    ];
    for error in errors {
        assert!(error.unwrap_err().to_string().contains("is on another branch"));
    }
    let unknown = compactor.move_head(Some("nobody".into())).unwrap_err();
    assert!(unknown.to_string().contains("\"nobody\""));
}

#[test]
fn k2_a_summary_of_a_changed_message_is_made_again_if_the_policy_asks_for_it() {
    for (stale_summary, due) in
        [(StaleSummary::Undo, None), (StaleSummary::Renew, Some(Reason::Renew))]
    {
        let mut compactor = compacted();
        let policy = Policy { triggers: Vec::new(), stale_summary, ..compactor.policy().clone() };
        compactor.set_policy(policy).unwrap();
        let first = compactor.log().message(1).unwrap().clone();
        let (id, role) = (first.id.clone(), first.role);
        compactor.edit(Message::new(id, role, "another question")).unwrap();
        assert_eq!(active(&compactor), 0);
        assert_eq!(compactor.due(Phase::RequestStart), due);
        let Some(reason) = due else { continue };
        compactor.compact(reason, None).unwrap();
        drive(&mut compactor, |_| "They spoke of another question.".into());
        assert_eq!(active(&compactor), 1);
        assert_eq!(compactor.due(Phase::RequestStart), None, "once");
        edit_last(&mut compactor);
        assert_eq!(compactor.due(Phase::RequestStart), None, "the summary does not cover it");
    }
}

fn edit_last(compactor: &mut Compactor) {
    let id = last(compactor);
    compactor.edit(Message::new(id, Role::Assistant, "another answer")).unwrap();
}

#[test]
fn a_branch_that_has_lost_a_message_is_shown_again_as_it_was_shown_last() {
    let mut compactor =
        compactor_with(Policy::recommended(400), "u: hi\na: ho\nu: which roses?\na: red ones");
    compactor.move_head(Some("m1".into())).unwrap();
    say(&mut compactor, "later", Role::User, "which tulips?");
    compactor.remove("m1".into()).unwrap();
    let before = shown(&compactor);
    compactor.move_head(None).unwrap();
    say(&mut compactor, "other", Role::User, "something else");
    compactor.switch_to(&"m0".into()).unwrap();
    assert_eq!(shown(&compactor), before);
    assert_eq!(before, "u: hi\nu: which tulips?\n");
}
