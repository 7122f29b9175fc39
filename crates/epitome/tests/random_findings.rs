//! Defects that random histories and real conversations have shown, each with as few messages as possible.

#![allow(clippy::unwrap_used, reason = "a test that cannot continue should fail")]

use crate::harness;

use epitome::policy::{Keep, SummaryPlacement, Trigger};
use epitome::tokens::{CharactersPer, Tokenizer};
use epitome::{Policy, Reason, Report};
use harness::{applied, compactor_with, drive, shown};

const TALK: &str = "s: be kind\n\
     u: tell me about roses and how they grow in a garden that has hardly any sun in it\n\
     a: they grow slowly and want a wall behind them that keeps the wind and the cold away\n\
     u: and about lilies and how they grow in a garden that has hardly any sun in it\n\
     a: they grow fast and want no wall behind them at all, wind or no wind, cold or no cold";

fn compacted(policy: Policy, text: &str, summary: &str) -> (String, Report) {
    let mut compactor = compactor_with(policy, text);
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |_| summary.to_owned());
    let report = compactor.report().unwrap().clone();
    assert!(applied(&report), "{report:?}");
    (shown(&compactor), report)
}

#[test]
fn d12_one_message_remains_whatever_tail_the_policy_keeps() {
    let keep = Keep::Messages(2);
    let policy = Policy {
        summary_placement: SummaryPlacement::OneMessage,
        keep,
        ..Policy::recommended(400)
    };
    let (shown, report) = compacted(policy, TALK, "They talked.");
    assert_eq!(shown, "s: be kind\nu: SUMMARY\n");
    let summary = report.summary.unwrap();
    let request = "and about lilies and how they grow in a garden that has hardly any sun in it";
    assert!(summary.ends_with(request), "the last request is appended to the summary: {summary}");
}

#[test]
fn d12_a_summary_without_other_messages_is_not_a_system_message() {
    let work = "s: be kind\n\
        a: !one<{\"path\":\"a garden that has hardly any sun in it, and a wall\"}>\n\
        t: =one<roses grow slowly and want a wall behind them that keeps the wind and the cold away>\n\
        a: they grow slowly and want a wall behind them that keeps the wind and the cold away";
    let keep = Keep::Messages(0);
    let policy = Policy {
        summary_placement: SummaryPlacement::LeadingSystem,
        keep,
        ..Policy::recommended(400)
    };
    let (shown, _) = compacted(policy, work, "They talked.");
    assert_eq!(shown, "s: be kind\nu: SUMMARY\n");
}

#[test]
fn d1_a_kept_call_with_more_results_than_kept_messages_is_explained() {
    let text = format!("{TALK}\na: !a !b !c !d\nt: =a\nt: =b\nt: =c\nt: =d");
    let triggers = vec![Trigger::Messages(3)];
    let keep = Keep::Messages(2);
    let policy = Policy { triggers, keep, target: 0.9, ..Policy::recommended(2_000) };
    let (_, report) = compacted(policy, &text, "They talked.");
    let floor = report.floor.unwrap();
    assert!(floor.starts_with("5 messages are left, for calls stay with their results"), "{floor}");
}

#[test]
fn a_trigger_that_does_not_depend_on_the_number_of_messages_explains_nothing_by_it() {
    let policy = Policy { triggers: vec![Trigger::Always], ..Policy::recommended(2_000) };
    assert_eq!(compactor_with(policy, TALK).plan(Reason::Manual).floor, None);
}

#[test]
fn a_plan_counts_the_request_that_is_appended_to_the_summary() {
    let policy = Policy {
        summary_placement: SummaryPlacement::OneMessage,
        keep: Keep::Messages(2),
        ..Policy::recommended(400)
    };
    let plan = compactor_with(policy, TALK).plan(Reason::Manual);
    let request = "and about lilies and how they grow in a garden that has hardly any sun in it";
    let least = plan.summary_tokens + CharactersPer(3).count(request);
    assert!(plan.tokens_after >= least, "{} of {least}", plan.tokens_after);
}

#[test]
fn a_name_inside_of_another_name_is_not_reported_as_unsupported() {
    let text = format!(
        "{TALK}\na: !one<{{\"text\":\"a list:\\ntest/roses.rs\\nand no more\"}}>\nt: =one\na: I wrote it"
    );
    let policy = Policy { keep: Keep::Messages(0), ..Policy::recommended(400) };
    let (_, report) = compacted(policy, &text, "They read test/roses.rs and test/lilies.rs.");
    assert_eq!(report.receipt.unsupported, ["test/lilies.rs"]);
}

#[test]
fn a_name_that_only_a_message_that_stays_has_is_reported_as_unsupported() {
    let text = format!("{TALK}\na: I read test/roses.rs\na: now test/lilies.rs");
    let policy = Policy { keep: Keep::Messages(1), ..Policy::recommended(400) };
    let (_, report) = compacted(policy, &text, "They read test/roses.rs and test/lilies.rs.");
    assert_eq!(report.receipt.unsupported, ["test/lilies.rs"]);
}

#[test]
fn a_name_that_the_transcript_has_cut_off_is_not_reported_as_unsupported() {
    let row = "a row of roses and lilies, ".repeat(100);
    let row = format!("{row}order KX-4711, {row}");
    let calls = [
        format!("a: !list\nt: =list<{row}>"),
        format!("a: I write the list !write<{{\"rows\":\"{row}\"}}>\nt: =write<done>"),
    ];
    for call in calls {
        let text = format!("{TALK}\n{call}\na: I read it");
        let policy = Policy { keep: Keep::Messages(0), ..Policy::recommended(4_000) };
        let (_, report) = compacted(policy, &text, "They read the orders KX-4711 and KX-4712.");
        assert_eq!(report.receipt.unsupported, ["KX-4712"]);
    }
}
