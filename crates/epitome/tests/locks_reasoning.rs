//! Signed reasoning that a model accepts only behind an unchanged history.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::harness;

use epitome::history::Edit;
use epitome::message::{Message, Part, Role};
use epitome::policy::{ClearToolResults, Keep, LockedReasoning, Reducer, ReducerRule, Trigger};
use epitome::{Compactor, LockedParts, Policy, Reason};
use harness::{compactor_with, drive, shown};

/// The view after a compaction of a conversation with this model that keeps this many messages.
fn compacted_with(model: &str, keep: u32, text: &str) -> String {
    let policy = Policy { keep: Keep::Messages(keep), ..Policy::fill_percent(1_000) };
    counted(compactor_with(Policy { model: Some(model.into()), ..policy }, text))
}

const REASONED: &str = "s: be kind\nu: one and two and three and four and five\na: yes yes yes yes yes yes yes yes\n\
    u: six and seven and eight and nine and ten\na: ?old#seal so it is !a\nt: =a\na: fine\n\
    u: go on\na: ?new#seal let me see !b\nt: =b";

#[test]
fn a4_a_kept_message_keeps_its_signed_reasoning() {
    assert_eq!(
        compacted_with("claude-opus-5", 6, REASONED),
        "s: be kind\nu: SUMMARY\na: ?old#seal so it is !a\nt: =a\na: fine\nu: go on\n\
         a: ?new#seal let me see !b\nt: =b\n"
    );
}

#[test]
fn i5_signed_reasoning_is_removed_if_the_model_binds_it_to_an_unchanged_history() {
    assert_eq!(
        compacted_with("claude-fable-5-1", 6, REASONED),
        "s: be kind\nu: SUMMARY\na: so it is !a\nt: =a\na: fine\nu: go on\na: let me see !b\nt: =b\n"
    );
    let waiting = REASONED.trim_end_matches("\nt: =b");
    let view = compacted_with("claude-fable-5-1", 5, waiting);
    assert!(view.contains("u: go on\na: let me see !b\n"), "while a result is awaited: {view}");
}

/// Compacts with a summary of one word, and returns the view.
fn counted(mut compactor: Compactor) -> String {
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |_| "Counted.".into());
    shown(&compactor)
}

/// A compactor for a model that binds reasoning to the history before it, which keeps this many messages.
fn locked(locked_reasoning: LockedReasoning, keep: u32, text: &str) -> Compactor {
    let policy = Policy { keep: Keep::Messages(keep), ..Policy::fill_percent(1_000) };
    let model = Some("claude-fable-5-1".into());
    compactor_with(Policy { model, locked_reasoning, ..policy }, text)
}

#[test]
fn k7_a_plan_says_how_much_reasoning_the_model_refuses_behind_the_change() {
    let plan = |locking| locked(locking, 6, REASONED).plan(Reason::Manual).locked_reasoning;
    let removed = plan(LockedReasoning::Remove).unwrap();
    assert_eq!((removed.parts, removed.removed), (2, true));
    let tokens = |text: &str| compactor_with(Policy::recommended(400), text).pressure().tokens;
    let saved =
        tokens(REASONED) - tokens(&REASONED.replace("?old#seal ", "").replace("?new#seal ", ""));
    assert_eq!(removed.tokens, saved);
    let kept = plan(LockedReasoning::Keep).unwrap();
    assert_eq!(kept, LockedParts { removed: false, ..removed });
    assert_eq!(plan(LockedReasoning::AppendOnly), None);
    let policy = Policy { keep: Keep::Messages(6), ..Policy::fill_percent(1_000) };
    assert_eq!(compactor_with(policy, REASONED).plan(Reason::Manual).locked_reasoning, None);
}

#[test]
fn k7_reasoning_that_leaves_with_its_message_is_not_counted_as_refused() {
    let text = "u: mend it\na: on it\nu: alive?\na: ?old#seal HEARTBEAT_OK\na: ?new#seal mended";
    let reducers = vec![ReducerRule::when(Reducer::Deduplicate, Trigger::Always)];
    let heartbeat_answer = Some("HEARTBEAT_OK".into());
    let policy = locked(LockedReasoning::Remove, 6, "").policy().clone();
    let policy = Policy { reducers, heartbeat_answer, ..policy };
    let mut compactor = compactor_with(policy, text);
    let refused = compactor.plan(Reason::Reduce).locked_reasoning.unwrap();
    assert_eq!(refused.parts, 1);
    compactor.compact(Reason::Reduce, None).unwrap();
    drive(&mut compactor, |_| String::new());
    assert_eq!(shown(&compactor), "u: mend it\na: on it\na: mended\n");
}

#[test]
fn k7_reasoning_stays_if_the_app_sends_the_providers_switch() {
    let view = counted(locked(LockedReasoning::Keep, 6, REASONED));
    assert_eq!(view, compacted_with("claude-opus-5", 6, REASONED));
}

#[test]
fn k7_an_append_only_plan_changes_nothing_before_reasoning_that_stays() {
    let view = counted(locked(LockedReasoning::AppendOnly, 6, REASONED));
    assert_eq!(view, "s: be kind\nu: SUMMARY\nu: go on\n");
    let reducers = vec![ReducerRule::in_compactions(Reducer::DropOldest)];
    let policy = locked(LockedReasoning::AppendOnly, 6, REASONED).policy().clone();
    let compactor = compactor_with(Policy { reducers, ..policy }, REASONED);
    assert_eq!(compactor.plan(Reason::Reduce).reduced(), 0);
    let waiting = locked(LockedReasoning::AppendOnly, 5, REASONED.trim_end_matches("\nt: =b"));
    let idle = waiting.plan(Reason::Manual).idle.unwrap();
    assert!(idle.contains("policy.lockedReasoning"), "{idle}");
}

const THOUGHT: &str = "u: one\na: ?first#seal yes\nu: two\na: ?second#seal no";

fn edit(compactor: &mut Compactor, id: &str, role: Role, text: &str) {
    compactor.edit(Message::new(id, role, text)).unwrap();
}

#[test]
fn k7_reasoning_behind_a_changed_message_is_left_out_until_the_message_is_as_it_was() {
    let mut compactor = locked(LockedReasoning::Remove, 6, THOUGHT);
    let whole = (shown(&compactor), compactor.pressure().tokens);
    edit(&mut compactor, "m2", Role::User, "three");
    assert_eq!(shown(&compactor), "u: one\na: ?first#seal yes\nu: three\na: no\n");
    assert!(compactor.pressure().tokens < whole.1);
    edit(&mut compactor, "m0", Role::User, "zero");
    assert_eq!(shown(&compactor), "u: zero\na: yes\nu: three\na: no\n");
    edit(&mut compactor, "m0", Role::User, "one");
    edit(&mut compactor, "m2", Role::User, "two");
    assert_eq!((shown(&compactor), compactor.pressure().tokens), whole);
    compactor.insert(Message::new("new", Role::User, "really"), "m2".into()).unwrap();
    assert_eq!(shown(&compactor), "u: one\na: ?first#seal yes\nu: really\nu: two\na: no\n");
    compactor.remove("new".into()).unwrap();
    assert_eq!((shown(&compactor), compactor.pressure().tokens), whole);
    compactor.remove("m0".into()).unwrap();
    assert_eq!(shown(&compactor), "a: yes\nu: two\na: no\n");
}

#[test]
fn k7_reasoning_that_was_written_behind_a_summary_is_left_out_once_that_is_undone() {
    let mut compactor = locked(LockedReasoning::Remove, 2, &format!("{REASONED}\na: done"));
    let before = shown(&compactor);
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |_| "Counted.".into());
    let reasoning = Part::Reasoning { text: "so".into(), signature: Some("seal".into()) };
    let parts = vec![reasoning, Part::text("finished")];
    compactor.append(Message::new("q", Role::User, "and now?")).unwrap();
    compactor.append(Message::with_parts("r", Role::Assistant, parts)).unwrap();
    assert!(shown(&compactor).ends_with("a: ?so#seal finished\n"), "{}", shown(&compactor));
    compactor.undo().unwrap();
    drive(&mut compactor, |_| String::new());
    assert_eq!(shown(&compactor), format!("{before}u: and now?\na: finished\n"));
}

#[test]
fn k7_what_reasoning_was_written_behind_is_known_after_a_change_of_the_policy_and_back() {
    let mut compactor = locked(LockedReasoning::Remove, 6, THOUGHT);
    edit(&mut compactor, "m2", Role::User, "three");
    let without = shown(&compactor);
    assert!(without.ends_with("a: no\n"), "{without}");
    let policy = compactor.policy().clone();
    let locked_reasoning = LockedReasoning::Keep;
    compactor.set_policy(Policy { locked_reasoning, ..policy.clone() }).unwrap();
    assert!(shown(&compactor).ends_with("a: ?second#seal no\n"), "{}", shown(&compactor));
    compactor.set_policy(policy).unwrap();
    edit(&mut compactor, "m2", Role::User, "four");
    edit(&mut compactor, "m2", Role::User, "three");
    assert_eq!(shown(&compactor), without);
}

#[test]
fn k7_a_message_without_its_reasoning_is_edited() {
    let mut compactor = locked(LockedReasoning::Remove, 6, THOUGHT);
    edit(&mut compactor, "m2", Role::User, "three");
    assert!(shown(&compactor).ends_with("a: no\n"), "{}", shown(&compactor));
    edit(&mut compactor, "m3", Role::Assistant, "maybe");
    assert!(shown(&compactor).ends_with("a: maybe\n"), "{}", shown(&compactor));
}

#[test]
fn k7_a_message_that_an_edit_has_left_without_reasoning_is_not_changed() {
    let mut compactor = locked(LockedReasoning::Remove, 6, "u: one\na: ?old#seal two\nu: three");
    edit(&mut compactor, "m1", Role::Assistant, "two and no more");
    compactor.insert(Message::new("new", Role::User, "one more"), "m1".into()).unwrap();
    let kept = ["m0", "new", "m1", "m2"].map(|id| Edit::Keep(id.into()));
    assert_eq!(compactor.view().edits, kept);
}

#[test]
fn k7_an_answer_with_reasoning_that_is_streamed_by_edits_keeps_it() {
    let mut compactor = locked(LockedReasoning::Remove, 6, THOUGHT);
    compactor.append(Message::new("q", Role::User, "three")).unwrap();
    compactor.append(Message::new("r", Role::Assistant, "")).unwrap();
    let reasoning = Part::Reasoning { text: "so".into(), signature: Some("seal".into()) };
    for text in ["may", "maybe"] {
        let parts = vec![reasoning.clone(), Part::text(text)];
        compactor.edit(Message::with_parts("r", Role::Assistant, parts)).unwrap();
    }
    assert!(shown(&compactor).ends_with("u: three\na: ?so#seal maybe\n"), "{}", shown(&compactor));
}

#[test]
fn i7_a_message_with_only_signed_reasoning_stays_or_goes_as_a_whole() {
    let words = "one and two and three and four and five and six and seven and eight ".repeat(4);
    let text = format!("u: {words}\na: {words}\nu: five\na: ?all#seal\nu: go on\na: well");
    let whole = "u: SUMMARY\nu: five\na: ?all#seal\nu: go on\na: well\n";
    assert_eq!(compacted_with("claude-opus-5", 4, &text), whole);
    let without = "u: SUMMARY\nu: five\nu: go on\na: well\n";
    assert_eq!(compacted_with("claude-fable-5-1", 4, &text), without);
}

#[test]
fn reasoning_that_was_removed_keeps_nothing_from_being_changed() {
    let text = REASONED.replace("t: =a\n", &format!("t: =a<{}>\n", "row ".repeat(20)));
    let mut compactor = locked(LockedReasoning::Remove, 6, &text);
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |_| "They counted.".into());
    assert!(!shown(&compactor).contains("#seal"), "{}", shown(&compactor));
    let clear = Reducer::ClearToolResults(ClearToolResults { keep: 0, ..Default::default() });
    let reducers = vec![ReducerRule::when(clear, Trigger::Always)];
    let locked_reasoning = LockedReasoning::AppendOnly;
    let policy = Policy { reducers, locked_reasoning, ..compactor.policy().clone() };
    compactor.set_policy(policy).unwrap();
    compactor.append(Message::new("end", Role::Assistant, "done")).unwrap();
    assert!(compactor.plan(Reason::Reduce).reduced() > 0);
}
