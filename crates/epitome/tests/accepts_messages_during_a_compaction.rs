//! Messages are added and edited during a compaction, and conversations are stored and restored.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot continue should fail")]

use crate::harness;

use epitome::history::Defect;
use epitome::message::{Message, Role, Usage};
use epitome::policy::{Keep, OffloadToolResults, Reducer, ReducerRule, Trigger};
use epitome::test_notation::transcript;
use epitome::tokens::CharactersPer;
use epitome::{Action, Compactor, Contract, Outcome, Policy, Reason, ResultPlace, Snapshot};
use harness::{
    applied, compact, compactor_with, drive, long_talk, next_request, recommended_compactor, shown,
};

#[test]
fn messages_during_a_compaction_stand_after_the_tail() {
    let mut compactor = recommended_compactor(&long_talk());
    compactor.compact(Reason::Threshold, None).unwrap();
    let request = next_request(&mut compactor);
    compactor.append(Message::new("new", Role::User, "and the weeds?")).unwrap();
    compactor.handle_summary(request.id, "They talked.");
    drive(&mut compactor, |_| String::new());
    assert!(applied(compactor.report().unwrap()));
    assert!(shown(&compactor).ends_with("u: and the weeds?\n"));
}

#[test]
fn a_result_after_its_call_was_summarized_is_sent_as_text() {
    for results in [ResultPlace::DirectlyAfter, ResultPlace::AnywhereAfter] {
        let contract = Contract { results, ..Contract::default() };
        let policy = Policy { keep: Keep::Messages(3), ..Policy::recommended(400) };
        let mut compactor = Compactor::new(policy, contract, Box::new(CharactersPer(3))).unwrap();
        let text = long_talk().replacen("a: answer number 0", "a: !slow answer number 0", 1);
        for message in transcript(&text) {
            compactor.append(message).unwrap();
        }
        assert!(applied(&compact(&mut compactor).unwrap()));
        for (id, line) in [("r1", "t: =slow<seven roses>"), ("r2", "t: =never<no roses>")] {
            let result = transcript(line).remove(0);
            compactor.append(Message { id: id.into(), ..result }).unwrap();
        }
        let told = "<late-result tool=\"tool\">\nseven roses\n</late-result>";
        let view = compactor.view();
        assert!(shown(&compactor).contains(told), "{}", shown(&compactor));
        assert_eq!(contract.check(compactor.log(), &view), Ok(()));
        let found: Vec<Defect> = view.findings.iter().map(|finding| finding.defect).collect();
        assert_eq!(found, [Defect::LateResult, Defect::OrphanResult]);

        // The next summarizer request contains it.
        compactor.append(Message::new("u", Role::User, "and the tulips? ".repeat(30))).unwrap();
        compactor.append(Message::new("a", Role::Assistant, "they too ".repeat(30))).unwrap();
        compactor.append(Message::new("last", Role::User, "and now?")).unwrap();
        compactor.compact(Reason::Manual, None).unwrap();
        let asked = drive(&mut compactor, |_| "They talked on.".into()).requests;
        assert!(asked.iter().any(|request| request.input.contains("seven roses")), "{asked:?}");
        assert!(applied(compactor.report().unwrap()));
    }
}

#[test]
fn an_edit_of_a_message_to_summarize_cancels_the_compaction() {
    let mut compactor = recommended_compactor(&long_talk());
    compactor.compact(Reason::Threshold, None).unwrap();
    let request = next_request(&mut compactor);
    compactor.edit(Message::new("m1", Role::User, "something else")).unwrap();
    compactor.handle_summary(request.id, "They talked.");
    drive(&mut compactor, |_| panic!("asked again"));
    assert_eq!(compactor.report().unwrap().outcome, Outcome::Cancelled);
    assert!(shown(&compactor).contains("u: something else\n"));
}

#[test]
fn an_edit_in_the_tail_does_not_cancel_the_compaction() {
    let mut compactor = recommended_compactor(&long_talk());
    let last = format!("m{}", compactor.log().len() - 1);
    compactor.compact(Reason::Threshold, None).unwrap();
    let request = next_request(&mut compactor);
    compactor.edit(Message::new(last, Role::Assistant, "a better answer")).unwrap();
    compactor.handle_summary(request.id, "They talked.");
    drive(&mut compactor, |_| String::new());
    assert!(shown(&compactor).ends_with("a: a better answer\n"));
    assert!(shown(&compactor).contains("SUMMARY"));
}

#[test]
fn a_fact_that_an_edit_removes_from_the_tail_is_not_reported_as_kept() {
    for edited in [false, true] {
        let mut policy = Policy::recommended(400);
        policy.summary.chunks = 4;
        let mut compactor = compactor_with(
            policy,
            &long_talk().replace("question number 0 about", "is it port 8443,"),
        );
        let tail_start = compactor.plan(Reason::Manual).tail_start;
        let first = compactor
            .log()
            .messages()
            .skip(tail_start)
            .find(|message| message.role == Role::Assistant && message.calls().next().is_none())
            .map(|message| message.id.clone())
            .unwrap();
        let worded = |text: &str| Message::new(first.clone(), Role::Assistant, text);
        compactor.edit(worded("it is port 8443, in the garden")).unwrap();

        compactor.compact(Reason::Manual, None).unwrap();
        for chunk in 1.. {
            let request = next_request(&mut compactor);
            let last = chunk == request.chunk_count;
            if edited && last {
                compactor.edit(worded("it is another port, in the garden")).unwrap();
            }
            compactor.handle_summary(request.id, "They talked.");
            if last {
                break;
            }
        }
        drive(&mut compactor, |_| panic!("asked again"));
        let receipt = &compactor.report().unwrap().receipt;
        let kept = receipt.kept.iter().any(|fact| fact.text == "8443");
        assert_eq!(kept, !edited, "{receipt:?}");
    }
}

#[test]
fn an_edit_of_a_summarized_message_undoes_the_summary() {
    let mut compactor = recommended_compactor(&long_talk());
    compact(&mut compactor).unwrap();
    compactor.edit(Message::new("m1", Role::User, "something else")).unwrap();
    drive(&mut compactor, |_| String::new());
    assert!(!shown(&compactor).contains("SUMMARY"));
    assert!(shown(&compactor).contains("u: something else\n"));
}

#[test]
fn a_stored_and_restored_conversation_continues_unchanged() {
    let mut straight = recommended_compactor(&long_talk());
    compact(&mut straight).unwrap();
    let text = straight.snapshot().to_json_lines().unwrap();
    let snapshot = Snapshot::from_json_lines(&text).unwrap();
    let tokenizer = Box::new(CharactersPer(3));
    let mut restored = Compactor::restore(snapshot, Contract::default(), tokenizer).unwrap();
    for compactor in [&mut straight, &mut restored] {
        for message in epitome::test_notation::transcript(&long_talk()) {
            let id = format!("second-{}", message.id).into();
            compactor.append(Message { id, ..message }).unwrap();
        }
        compact(compactor).unwrap();
    }
    assert_eq!(straight.view(), restored.view());
    assert_eq!(straight.pressure(), restored.pressure());
    assert_eq!(straight.snapshot(), restored.snapshot());
}

#[test]
fn a_text_that_is_not_a_snapshot_is_refused() {
    let cases = [
        ("{}", "this is not a snapshot: line 1: missing field `record`"),
        ("", "this is not a snapshot: it has no version"),
        (r#"{"record":"begin","version":2}"#, "this is not a snapshot: it has no policy"),
        (r#"{"record":"begin","version":9}"#, "the snapshot is of version 9"),
        (
            "{\"record\":\"begin\",\"version\":2}\n{\"record\":\"message\"}",
            "this is not a snapshot: line 2",
        ),
    ];
    for (text, expected) in cases {
        let error = Snapshot::from_json_lines(text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn b9_reported_tokens_are_used_until_the_next_compaction() {
    let mut compactor = recommended_compactor(&long_talk());
    let own = compactor.pressure();
    assert!(!own.exact && own.error_band > 0.0);
    compactor.handle_usage(Usage {
        prompt_tokens: 5_000,
        completion_tokens: 50,
        ..Usage::default()
    });
    let read = compactor.pressure();
    assert_eq!((read.tokens, read.exact, read.error_band), (5_050, true, 0.0));

    compactor.append(Message::new("new", Role::User, "and?")).unwrap();
    let since = compactor.pressure();
    assert!(since.tokens > 5_050 && !since.exact, "what came after the reading is added");

    compact(&mut compactor).unwrap();
    assert!(compactor.pressure().tokens < own.tokens, "a reading of another view is void");
}

#[test]
fn a_message_id_cannot_be_used_twice() {
    let mut compactor = recommended_compactor("u: hi");
    let error = compactor.append(Message::new("m0", Role::User, "hi")).unwrap_err().to_string();
    assert_eq!(error, "a message named \"m0\" is there already; to change it, edit it");
    let error = compactor.edit(Message::new("m9", Role::User, "hi")).unwrap_err().to_string();
    assert_eq!(error, "no message is named \"m9\"");
}

/// A compaction that waits for its summarizer, the number of its request, and where its tail begins.
fn waiting() -> (Compactor, epitome::message::RequestId, usize) {
    let policy = Policy { keep: Keep::Messages(4), ..Policy::recommended(400) };
    let mut compactor = compactor_with(policy, &long_talk());
    let tail = compactor.plan(Reason::Manual).tail_start;
    compactor.compact(Reason::Manual, None).unwrap();
    let request = next_request(&mut compactor);
    (compactor, request.id, tail)
}

/// True if a compaction goes on after this change.
fn goes_on_after(change: impl Fn(&mut Compactor, usize)) -> bool {
    let (mut compactor, request, tail) = waiting();
    compactor.append(Message::new("late", Role::Assistant, "one answer more")).unwrap();
    change(&mut compactor, tail);
    compactor.handle_summary(request, "They talked.");
    drive(&mut compactor, |_| panic!("asked again"));
    match &compactor.report().unwrap().outcome {
        Outcome::Applied { .. } => true,
        Outcome::Cancelled => false,
        outcome => panic!("{outcome:?}"),
    }
}

#[test]
fn a_removal_cancels_the_compaction_only_if_the_message_was_there_when_it_was_planned() {
    assert!(goes_on_after(|compactor, _| compactor.remove("late".into()).unwrap()));
    let last = compactor_with(Policy::recommended(400), &long_talk()).log().len() - 1;
    assert!(!goes_on_after(|it, _| it.remove(format!("m{last}").as_str().into()).unwrap()));
    assert!(!goes_on_after(|compactor, _| compactor.remove("m1".into()).unwrap()));
}

#[test]
fn an_insertion_cancels_the_compaction_only_if_it_is_between_planned_messages() {
    let insert = |before: &'static str| {
        move |compactor: &mut Compactor, _: usize| {
            compactor.insert(Message::new("new", Role::User, "wait"), before.into()).unwrap();
        }
    };
    assert!(goes_on_after(insert("late")));
    assert!(!goes_on_after(insert("m2")));
}

#[test]
fn a_conversation_that_ends_where_the_tail_begins_is_compacted_all_the_same() {
    for (left, goes_on) in [(0, true), (1, true), (-1, false)] {
        let after = goes_on_after(|compactor, tail| {
            let end = tail.checked_add_signed(left).unwrap();
            let id = compactor.log().message(end - 1).unwrap().id.clone();
            compactor.move_head(Some(id)).unwrap();
        });
        assert_eq!(after, goes_on, "{left}");
    }
}

#[test]
fn a_change_of_a_message_that_the_compaction_shortens_cancels_it() {
    let long = "row ".repeat(100);
    let text = format!("{}a: !c\nt: =c<{long}>\na: seen\nu: thanks\na: welcome", long_talk());
    let clear = Reducer::OffloadToolResults(OffloadToolResults {
        protect_fraction: 0.0,
        max_tokens: 50,
        keep_tokens: 10,
    });
    let policy = Policy {
        keep: Keep::Messages(6),
        reducers: vec![ReducerRule::when(clear, Trigger::Always)],
        ..Policy::fill_percent(1_000)
    };
    let outcome = |change: &dyn Fn(&mut Compactor)| {
        let mut compactor = compactor_with(policy.clone(), &text);
        let plan = compactor.plan(Reason::Manual);
        let shortened = plan.actions.iter().position(|it| *it == Action::OffloadToolResults);
        assert!(shortened.unwrap() > plan.tail_start, "{:?}", plan.actions);
        compactor.compact(Reason::Manual, None).unwrap();
        let request = next_request(&mut compactor);
        change(&mut compactor);
        compactor.handle_summary(request.id, "They talked.");
        drive(&mut compactor, |_| panic!("asked again"));
        applied(compactor.report().unwrap())
    };
    let last = |compactor: &Compactor, back: usize| {
        let position = compactor.log().len() - 1 - back;
        compactor.log().message(position).unwrap().clone()
    };
    assert!(outcome(&|compactor| compactor.edit(last(compactor, 0)).unwrap()));
    assert!(!outcome(&|compactor| compactor.edit(last(compactor, 3)).unwrap()));
    assert!(outcome(&|compactor| compactor.move_head(Some(last(compactor, 1).id)).unwrap()));
    assert!(!outcome(&|compactor| compactor.move_head(Some(last(compactor, 4).id)).unwrap()));
}
