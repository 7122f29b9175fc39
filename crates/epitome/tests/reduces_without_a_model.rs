//! Reducers: what they save without a model, and what they do not change.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot continue should fail"
)]

use crate::harness;

use epitome::message::Part;
use epitome::policy::{
    ClearToolInputs, ClearToolResults, Fill, Keep, OffloadToolResults, Reducer, ReducerRule,
    Trigger, TruncateToolResults, TruncationStep,
};
use epitome::test_notation::transcript;
use epitome::tokens::CharactersPer;
use epitome::{Action, Outcome, Phase, Policy, Reason};
use harness::{actions, applied, compactor_with, drive, long_talk, shown};

/// A policy for a window of 1,000 tokens whose reducers are applied at every check.
fn policy(reducers: Vec<Reducer>) -> Policy {
    let always = |reducer| ReducerRule::when(reducer, Trigger::Always);
    Policy { reducers: reducers.into_iter().map(always).collect(), ..Policy::fill_percent(1_000) }
}

/// Applies the reducers to `before`, and compares the view with `after`.
fn check(policy: Policy, before: &str, after: &str) {
    let mut compactor = compactor_with(policy, before);
    let untouched = compactor.view();
    assert_eq!(compactor.check(Phase::TurnEnd), Some(Reason::Reduce), "{before}");
    compactor.compact(Reason::Reduce, None).unwrap();
    let run = drive(&mut compactor, |_| panic!("a summarizer was asked"));
    assert!(applied(compactor.report().unwrap()), "{:?}", compactor.report());
    assert_eq!(run.requests.len(), 0);
    assert_eq!(shown(&compactor), after);
    assert_eq!(compactor.pressure().tokens, compactor.report().unwrap().tokens_after);

    compactor.compact(Reason::Reduce, None).unwrap();
    drive(&mut compactor, |_| panic!("a summarizer was asked"));
    assert!(
        !applied(compactor.report().unwrap()),
        "applied a second time: {:?}",
        compactor.report()
    );
    assert_eq!(compactor.check(Phase::TurnEnd), None, "until something is said");
    compactor.undo().unwrap();
    drive(&mut compactor, |_| String::new());
    assert_eq!(compactor.view(), untouched);
}

#[test]
fn c1_results_are_truncated_by_age_and_say_so() {
    let long = "long result ".repeat(20);
    let step = |from_messages, max_tokens| TruncationStep { from_messages, max_tokens };
    let age = TruncateToolResults { steps: vec![step(3, 40), step(5, 25)] };
    check(
        policy(vec![Reducer::TruncateToolResults(age)]),
        &format!("u: go\na: !a\nt: =a<{long}>\na: !b\nt: =b<{long}>\na: !c\nt: =c<{long}>"),
        &format!(
            "u: go\na: !a\nt: =a<{}>\na: !b\nt: =b<{}>\na: !c\nt: =c<{long}>\n",
            "long result long\n[truncated: 80 tokens at first, at most 25 now]\nsult ",
            "long result long result long result long result lo\n\
             [truncated: 80 tokens at first, at most 40 now]\nult long result ",
        ),
    );
}

#[test]
fn c1_a_result_of_just_the_limit_stays_beside_one_that_is_truncated() {
    let steps = vec![TruncationStep { from_messages: 1, max_tokens: 40 }];
    let reducer = Reducer::TruncateToolResults(TruncateToolResults { steps });
    let (limit, long) = ("x".repeat(120), "x".repeat(300));
    let text = format!("u: go\na: !a !b\nt: =a<{limit}> =b<{long}>\na: done");
    let plan = compactor_with(policy(vec![reducer]), &text).plan(Reason::Reduce);
    let changed: Vec<usize> =
        plan.rewrites().flat_map(|rewrite| &rewrite.changes).map(|change| change.part).collect();
    assert_eq!(changed, [1]);
}

#[test]
fn k8_all_but_the_newest_results_become_a_placeholder() {
    let long = "long result ".repeat(20);
    let clear = ClearToolResults { keep: 1, ..ClearToolResults::default() };
    check(
        policy(vec![Reducer::ClearToolResults(clear)]),
        &format!("u: go\na: !a !b\nt: =a<{long}>\nt: =b<{long}>\na: !c\nt: =c<{long}>"),
        &format!("u: go\na: !a !b\nt: =a<[cleared]>\nt: =b<[cleared]>\na: !c\nt: =c<{long}>\n"),
    );
}

#[test]
fn k8_a_result_that_says_what_the_placeholder_says_stays_as_it_is() {
    let clear = ClearToolResults { keep: 0, ..ClearToolResults::default() };
    let text = format!("u: go\na: !a !b\nt: =a<{}>\nt: =b<[cleared]>", "long result ".repeat(20));
    let compactor = compactor_with(policy(vec![Reducer::ClearToolResults(clear)]), &text);
    let results = [Action::ClearToolResults, Action::Keep];
    assert_eq!(actions(&compactor, Reason::Reduce)[2..], results);
}

#[test]
fn k8_results_of_excluded_tools_stay_and_inputs_are_cleared_on_request() {
    let (long, input) = ("long result ".repeat(20), "x".repeat(200));
    let arguments = format!(r#"{{"path":"a.rs","text":"{input}"}}"#);
    let clear = ClearToolResults {
        keep: 0,
        exclude_tools: vec!["tool-b".into()],
        clear_tool_inputs: true,
        placeholder: "gone".into(),
    };
    let named = |text: &str| {
        let mut messages = transcript(text);
        for part in messages.iter_mut().flat_map(|message| &mut message.parts) {
            if let Part::ToolCall { call, name, .. } = part {
                *name = format!("tool-{}", call.as_str());
            }
        }
        messages
    };
    let text = format!(
        "u: go\na: !a<{arguments}> !b<{arguments}>\nt: =a<{long}>\nt: =b<{long}>\na: done\nu: go on"
    );
    let mut compactor = compactor_with(policy(vec![Reducer::ClearToolResults(clear)]), "");
    for message in named(&text) {
        compactor.append(message).unwrap();
    }
    compactor.compact(Reason::Reduce, None).unwrap();
    drive(&mut compactor, |_| panic!("a summarizer was asked"));
    let cleared = r#"{"path":"…","text":"…"}"#;
    assert_eq!(
        shown(&compactor),
        format!(
            "u: go\na: !a<{cleared}> !b<{arguments}>\nt: =a<gone>\nt: =b<{long}>\na: done\nu: go on\n"
        )
    );
}

#[test]
fn c2_repeated_synthetic_messages_are_removed_except_the_last() {
    let policy = policy(vec![Reducer::Deduplicate]);
    check(
        policy,
        "s: be kind\nu: ~note the time is noon\nu: hi\na: hello\nu: ~note the time is noon\n\
         u: ~note it rains\nu: bye\na: see you",
        "s: be kind\nu: hi\na: hello\nu: ~note the time is noon\nu: ~note it rains\nu: bye\n\
         a: see you\n",
    );
}

#[test]
fn b4_c2_deduplication_begins_at_its_own_threshold() {
    let half = Trigger::Fill(Fill { fraction: 0.5, max_tokens: 0 });
    let policy = |window| Policy {
        reducers: vec![ReducerRule::when(Reducer::Deduplicate, half.clone())],
        ..Policy::fill_percent(window)
    };
    let text = "u: ~note the time is noon\nu: hi\na: hello\nu: ~note the time is noon\nu: bye";
    let mut compactor = compactor_with(policy(10_000), text);
    assert_eq!(compactor.check(Phase::TurnEnd), None);
    let tokens = compactor.pressure().tokens;
    let mut compactor = compactor_with(policy(tokens * 2), text);
    assert_eq!(compactor.check(Phase::TurnEnd), Some(Reason::Reduce));
}

#[test]
fn c3_arguments_are_shortened_outside_of_the_protected_end_and_keep_their_names() {
    let long = "x".repeat(900);
    let call = |text: &str| format!("{{\"path\":\"a.rs\",\"text\":\"{text}\"}}");
    let prune = ClearToolInputs { protect_fraction: 0.3, arg_threshold_tokens: 200 };
    check(
        policy(vec![Reducer::ClearToolInputs(prune)]),
        &format!("u: go\na: !a<{}>\nt: =a\na: !b<{}>\nt: =b\na: done", call(&long), call("short"))
            .replace("a: done", &format!("a: {}", "done ".repeat(200))),
        &format!(
            "u: go\na: !a<{}>\nt: =a\na: !b<{}>\nt: =b\na: done\n",
            call("[900 characters left out]"),
            call("short")
        )
        .replace("a: done", &format!("a: {}", "done ".repeat(200).trim_end())),
    );
}

#[test]
fn c3_tool_inputs_can_be_cleared_after_each_tool_loop_or_in_compactions() {
    let long = "x".repeat(900);
    let filler = "words ".repeat(100);
    let text =
        format!("u: go\na: !a<{{\"text\":\"{long}\"}}>\nt: =a\nu: more\na: {filler}\nu: so?");
    let prune = Reducer::ClearToolInputs(ClearToolInputs {
        protect_fraction: 0.05,
        ..ClearToolInputs::default()
    });
    let actions_with = |reducers| {
        let policy = Policy { reducers, ..Policy::fill_percent(1_000) };
        let mut compactor = compactor_with(policy, &text);
        let due = compactor.check(Phase::Loop);
        (due, actions(&compactor, Reason::Reduce).contains(&Action::ClearToolInputs))
    };
    assert_eq!(actions_with(Vec::new()), (None, false), "off");
    let in_loop = ReducerRule::when(prune.clone(), Trigger::at(Phase::Loop, Trigger::Always));
    assert_eq!(actions_with(vec![in_loop]), (Some(Reason::Reduce), true), "iteration");
    let in_compactions = vec![ReducerRule::in_compactions(prune)];
    assert_eq!(actions_with(in_compactions.clone()), (None, false), "compaction: not by itself");
    let nobody = Policy::team(1_000, None).summary;
    let policy =
        Policy { reducers: in_compactions, summary: nobody, ..Policy::fill_percent(1_000) };
    let compactor = compactor_with(policy, &text);
    assert!(actions(&compactor, Reason::Manual).contains(&Action::ClearToolInputs), "compaction");
}

#[test]
fn c4_large_results_are_offloaded_and_can_be_read() {
    let long = "row ".repeat(300);
    let offload = OffloadToolResults { protect_fraction: 0.0, max_tokens: 100, keep_tokens: 30 };
    let policy = policy(vec![Reducer::OffloadToolResults(offload)]);
    let text = format!("u: go\na: !call_1\nt: =call_1<{long}>\na: done\nu: thanks");
    check(
        policy.clone(),
        &text,
        "u: go\na: !call_1\n\
         t: =call_1<row row row row ro\n[put aside: all 400 tokens are in tool-results/call_1.txt]\nw row >\n\
         a: done\nu: thanks\n",
    );
    let mut compactor = compactor_with(policy, &text);
    compactor.compact(Reason::Reduce, None).unwrap();
    let run = drive(&mut compactor, |_| String::new());
    let path = "tool-results/call_1.txt";
    assert!(run.has_event("offloaded", path), "{:?}", run.events);
    assert_eq!(compactor.log().offloaded(path), Some(long.as_str()));
    assert_eq!(compactor.log().offloaded("tool-results/other.txt"), None);
}

#[test]
fn c4_results_of_calls_with_the_same_id_are_offloaded_under_different_paths() {
    let offload = OffloadToolResults { protect_fraction: 0.0, max_tokens: 50, keep_tokens: 5 };
    let policy = policy(vec![Reducer::OffloadToolResults(offload)]);
    let (one, two) = ("one ".repeat(100), "two ".repeat(100));
    let text = format!("a: !c\nt: =c<{one}>\nu: again\na: !c\nt: =c<{two}>\nu: thanks");
    let mut compactor = compactor_with(policy, &text);
    compactor.compact(Reason::Reduce, None).unwrap();
    drive(&mut compactor, |_| String::new());
    assert_eq!(compactor.log().offloaded("tool-results/c-m1-0.txt"), Some(one.as_str()));
    assert_eq!(compactor.log().offloaded("tool-results/c-m4-0.txt"), Some(two.as_str()));
}

#[test]
fn an_automatic_compaction_has_a_summary_unless_reducers_reach_the_target() {
    let clear = ClearToolResults { keep: 0, ..ClearToolResults::default() };
    let policy = Policy {
        target: 0.5,
        reducers: vec![ReducerRule::in_compactions(Reducer::ClearToolResults(clear))],
        ..Policy::recommended(1_000)
    };
    let summarizes = |turns: usize| {
        let turns = "u: what else?\na: roses and lilies\n".repeat(turns);
        let text = format!("u: go\na: !a\nt: =a<{}>\n{turns}", "long result ".repeat(120));
        let mut compactor = compactor_with(policy.clone(), &text);
        assert_eq!(compactor.check(Phase::TurnStart), Some(Reason::Threshold));
        let plan = compactor.plan(Reason::Threshold);
        assert!(plan.reduced() == 1 || plan.summarizes, "{plan:?}");
        plan.summarizes
    };
    assert!(!summarizes(15), "the results alone are enough");
    assert!(summarizes(40), "between target and threshold");
}

#[test]
fn c5_without_a_summarizer_a_full_window_drops_its_oldest_messages() {
    let policy = Policy { target: 0.5, ..Policy::team(100, None) };
    let text: String =
        (0..16).map(|turn| format!("u: question {turn}\na: answer {turn}\n")).collect();
    let mut compactor = compactor_with(policy, &format!("s: be kind\n{text}"));
    assert_eq!(compactor.check(Phase::TurnStart), Some(Reason::Reduce));
    compactor.compact(Reason::Reduce, None).unwrap();
    let run = drive(&mut compactor, |_| String::new());
    assert_eq!(run.requests.len(), 0);
    let shown = shown(&compactor);
    assert!(
        shown.starts_with("s: be kind\nu: question 13\n")
            || shown.starts_with("s: be kind\na: answer"),
        "{shown}"
    );
    assert!(shown.ends_with("u: question 15\na: answer 15\n"), "{shown}");
    assert!(compactor.pressure().tokens <= 50);
    assert_eq!(compactor.log().len(), 33, "nothing is lost from the log");
}

#[test]
fn c6_heartbeats_are_recognized_by_their_answer_and_removed() {
    let policy = Policy {
        heartbeat_answer: Some("HEARTBEAT_OK".to_owned()),
        ..policy(vec![Reducer::Deduplicate])
    };
    let text = "u: mend it\na: on it\nu: are you alive?\na: HEARTBEAT_OK\na: mended\nu: still?\n\
                a: HEARTBEAT_OK";
    check(policy.clone(), text, "u: mend it\na: on it\na: mended\n");
    let compactor = compactor_with(policy, text);
    assert_eq!(compactor.conversation().last_request(), Some(0), "a heartbeat is no request");
}

#[test]
fn c6_a_heartbeat_answer_is_recognized_with_punctuation_around_it() {
    for answer in ["HEARTBEAT_OK.", "**HEARTBEAT_OK**", "HEARTBEAT_OK 👍", "  HEARTBEAT_OK!"] {
        let policy = Policy {
            heartbeat_answer: Some("HEARTBEAT_OK".to_owned()),
            ..policy(vec![Reducer::Deduplicate])
        };
        let text = format!("u: mend it\na: on it\nu: are you alive?\na: {answer}\na: mended");
        check(policy, &text, "u: mend it\na: on it\na: mended\n");
    }
    for other in ["HEARTBEAT_OK, and the roof leaks", "HEARTBEAT", "…"] {
        let policy = Policy {
            heartbeat_answer: Some("HEARTBEAT_OK".to_owned()),
            ..policy(vec![Reducer::Deduplicate])
        };
        let compactor = compactor_with(policy, &format!("u: mend it\nu: alive?\na: {other}"));
        assert_eq!(compactor.conversation().last_request(), Some(1), "{other}");
    }
}

#[test]
fn a_reducer_that_saves_too_little_is_not_applied() {
    let mut policy = policy(vec![Reducer::Deduplicate]);
    policy.reducers[0].clear_at_least = 50;
    let mut compactor =
        compactor_with(policy, "u: ~note noon\nu: hi\na: hello\nu: ~note noon\nu: bye");
    compactor.compact(Reason::Reduce, None).unwrap();
    drive(&mut compactor, |_| String::new());
    let outcome = compactor.report().unwrap().outcome.clone();
    assert_eq!(outcome, Outcome::Skipped { message: "no reducer finds anything to save".into() });
}

#[test]
fn no_reducer_changes_pinned_exchanges() {
    let long = "row ".repeat(300);
    let text = format!(
        "u: go\na: * !a<{{\"text\":\"{long}\"}}>\nt: =a<{long}>\nu: * ~note noon\nu: ~note noon\nu: so?"
    );
    let offload = OffloadToolResults { protect_fraction: 0.0, max_tokens: 50, keep_tokens: 5 };
    let prune = ClearToolInputs { protect_fraction: 0.0, arg_threshold_tokens: 50 };
    let age =
        TruncateToolResults { steps: vec![TruncationStep { from_messages: 1, max_tokens: 5 }] };
    let reducers = vec![
        Reducer::Deduplicate,
        Reducer::TruncateToolResults(age),
        Reducer::ClearToolInputs(prune),
        Reducer::OffloadToolResults(offload),
        Reducer::DropOldest,
    ];
    let policy = Policy { summary: Policy::team(1_000, None).summary, ..policy(reducers) };
    let mut compactor = compactor_with(policy, &text);
    compactor.compact(Reason::Reduce, None).unwrap();
    drive(&mut compactor, |_| String::new());
    let shown = shown(&compactor);
    assert!(shown.contains(&format!("t: =a<{long}>")), "{shown}");
    assert!(shown.contains("u: * ~note noon\n"), "{shown}");
}

#[test]
fn b1_tokens_are_counted_by_the_tokenizer_of_the_app() {
    let count = |characters| {
        let tokenizer = Box::new(CharactersPer(characters));
        let policy = Policy::recommended(1_000);
        let mut compactor =
            epitome::Compactor::new(policy, epitome::Contract::default(), tokenizer).unwrap();
        for message in epitome::test_notation::transcript("u: twelve chars") {
            compactor.append(message).unwrap();
        }
        compactor.pressure().tokens
    };
    assert_eq!((count(3), count(4), count(12)), (8, 7, 5));
}

#[test]
fn c4_the_summary_names_the_paths_of_offloaded_results() {
    let long = "row ".repeat(300);
    let offload = OffloadToolResults { protect_fraction: 0.0, max_tokens: 100, keep_tokens: 30 };
    let text = format!("u: go\na: !call_1\nt: =call_1<{long}>\na: done\nu: thanks\na: welcome");
    let mut compactor = compactor_with(policy(vec![Reducer::OffloadToolResults(offload)]), &text);
    compactor.compact(Reason::Reduce, None).unwrap();
    drive(&mut compactor, |_| String::new());
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |_| panic!("ten messages stay"));
    let none = Policy { keep: epitome::policy::Keep::Messages(1), ..compactor.policy().clone() };
    compactor.set_policy(none).unwrap();
    compactor.compact(Reason::Manual, None).unwrap();
    let path = "tool-results/call_1.txt";
    let run = drive(&mut compactor, |_| "They looked.".into());
    assert!(run.requests[0].input.contains(path), "{}", run.requests[0].input);
    let receipt = &compactor.report().unwrap().receipt;
    let facts = [&receipt.kept, &receipt.appended, &receipt.given_up].into_iter().flatten();
    assert_eq!(facts.filter(|fact| fact.text == path).count(), 1, "{receipt:?}");
    assert_eq!(compactor.log().offloaded(path), Some(long.as_str()));
}

#[test]
fn each_reducer_sees_what_the_one_before_it_has_left() {
    let long = "row ".repeat(300);
    let steps = vec![TruncationStep { from_messages: 1, max_tokens: 60 }];
    let offload = OffloadToolResults { protect_fraction: 0.0, max_tokens: 100, keep_tokens: 30 };
    let policy = policy(vec![
        Reducer::TruncateToolResults(TruncateToolResults { steps }),
        Reducer::OffloadToolResults(offload),
    ]);
    let text = format!("u: go\na: !one !two\nt: =one<{long}> =two<short>\na: done\nu: thanks");
    let mut compactor = compactor_with(policy, &text);
    compactor.compact(Reason::Reduce, None).unwrap();
    drive(&mut compactor, |_| panic!("a summarizer was asked"));
    let view = shown(&compactor);
    assert!(view.contains("truncated") && view.contains("=two<short>"), "{view}");
    assert!(!view.contains("put aside"), "{view}");
}

#[test]
fn a_message_that_is_rewritten_again_keeps_what_was_done_to_its_other_parts() {
    let long = "row ".repeat(300);
    let clear = ClearToolInputs { protect_fraction: 0.0, arg_threshold_tokens: 20 };
    let steps = vec![TruncationStep { from_messages: 1, max_tokens: 60 }];
    let truncate = Reducer::TruncateToolResults(TruncateToolResults { steps });
    let text = format!(
        "u: go\na: !one<{{\"text\":\"{}\"}}> =one<{long}>\na: done\nu: thanks",
        "x".repeat(300)
    );
    let mut compactor = compactor_with(policy(vec![truncate.clone()]), &text);
    compactor.compact(Reason::Reduce, None).unwrap();
    drive(&mut compactor, |_| panic!("a summarizer was asked"));
    let once = shown(&compactor);
    assert!(once.contains("truncated") && once.contains("xxxxx"), "{once}");
    compactor.set_policy(policy(vec![truncate, Reducer::ClearToolInputs(clear)])).unwrap();
    compactor.compact(Reason::Reduce, None).unwrap();
    drive(&mut compactor, |_| panic!("a summarizer was asked"));
    let twice = shown(&compactor);
    assert_eq!(once.split("=one").nth(1), twice.split("=one").nth(1));
    assert!(!twice.contains("xxxxx"), "{twice}");
}

#[test]
fn c2_a_repeated_message_behind_the_summary_is_removed_with_what_is_summarized() {
    let policy = Policy {
        keep: Keep::Messages(5),
        reducers: vec![ReducerRule::in_compactions(Reducer::Deduplicate)],
        ..Policy::fill_percent(400)
    };
    let text = format!(
        "{}u: ~note it is noon\na: so it is\nu: ~note it is noon\na: still\nu: and now?",
        long_talk()
    );
    let mut compactor = compactor_with(policy, &text);
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |_| "They talked.".into());
    let view = shown(&compactor);
    assert_eq!(view.matches("it is noon").count(), 1, "{view}");
    assert!(view.ends_with("a: so it is\nu: ~note it is noon\na: still\nu: and now?\n"), "{view}");
}

#[test]
fn a_last_request_longer_than_the_target_keeps_its_beginning_and_end_unless_it_is_pinned() {
    let words = harness::words(700);
    let excerpt = || policy(vec![Reducer::ExcerptLastRequest]);
    let mut compactor = compactor_with(excerpt(), &format!("u: hi\na: ho\nu: {words}"));
    let before = compactor.pressure().tokens;
    compactor.compact(Reason::Reduce, None).unwrap();
    drive(&mut compactor, |_| panic!("a summarizer was asked"));
    let after = compactor.pressure().tokens;
    let target = (f64::from(excerpt().window) * excerpt().target) as u32;
    assert!(before > target && after < target && after > target / 4, "{after} of {before}");
    let view = shown(&compactor);
    let mut each = words.split_whitespace();
    let (first, last) = (each.next().unwrap(), each.next_back().unwrap());
    assert!(view.contains(first) && view.contains(last) && view.contains("truncated"), "{view}");

    for text in [format!("u: hi\na: ho\nu: * {words}"), format!("u: {}", harness::words(100))] {
        let mut compactor = compactor_with(excerpt(), &text);
        compactor.compact(Reason::Reduce, None).unwrap();
        drive(&mut compactor, |_| panic!("a summarizer was asked"));
        assert!(matches!(compactor.report().unwrap().outcome, Outcome::Skipped { .. }));
    }
}

#[test]
fn c4_the_newest_exchange_is_only_reduced_if_no_share_of_the_window_is_protected() {
    let text = format!("u: go\na: !one\nt: =one<{}>", "row ".repeat(300));
    for (protect_fraction, is_offloaded) in [(0.0, true), (0.001, false)] {
        let offload = OffloadToolResults { protect_fraction, max_tokens: 100, keep_tokens: 30 };
        let mut compactor =
            compactor_with(policy(vec![Reducer::OffloadToolResults(offload)]), &text);
        compactor.compact(Reason::Reduce, None).unwrap();
        drive(&mut compactor, |_| panic!("a summarizer was asked"));
        assert_eq!(shown(&compactor).contains("put aside"), is_offloaded, "{protect_fraction}");
    }
}
