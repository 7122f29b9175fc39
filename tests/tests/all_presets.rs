//! Every real conversation under every preset: legal, small enough or explained, complete, undone exactly.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on should stop, and say what it saw"
)]

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use epitome::Level;
use epitome::policy::{PRESETS, Phase, Trigger};
use epitome::{Outcome, Policy, Reason};
use epitome_formats::Format;
use epitome_tests::{Conversation, Host, conversations, defects, facts_in, readable, role};
use serde_json::Value;

/// Thresholds that presets give in tokens are made for windows of this size.
const MADE_FOR: u32 = 200_000;

/// The preset for a window. Presets have thresholds of a number of tokens, such as 80,000; in a window
/// that is smaller than those were made for, they are smaller by as much.
fn preset(name: &str, window: u32) -> Policy {
    let mut policy = Policy::preset(name, window).unwrap();
    policy.triggers.iter_mut().for_each(|trigger| scale(trigger, window));
    assert_eq!(policy.check(), Ok(()), "{name} for a window of {window}");
    policy
}

fn scale(trigger: &mut Trigger, window: u32) {
    let scaled = |tokens: u32| {
        u32::try_from(u64::from(tokens) * u64::from(window) / u64::from(MADE_FOR)).unwrap()
    };
    match trigger {
        Trigger::Budget(budget) => {
            budget.output_reserve = scaled(budget.output_reserve);
            budget.safety_margin = scaled(budget.safety_margin);
        }
        // At the window itself nothing would fit any more.
        Trigger::Tokens(tokens) => {
            *tokens = i64::from(scaled(u32::try_from(*tokens).unwrap()));
        }
        Trigger::RequestBoundary(boundary) => {
            boundary.trigger_tokens = scaled(boundary.trigger_tokens);
        }
        Trigger::At { trigger, .. } => scale(trigger, window),
        _ => {}
    }
}

/// A host with all messages of a conversation, under a preset in a window of 60 % of their size.
fn load(conversation: &Conversation, name: &str) -> Host {
    let mut host = Host::new(Format::OpenAiChat, Policy::recommended(u32::MAX)).unwrap();
    for message in &conversation.messages {
        host.append(message.clone()).unwrap();
    }
    let size = u64::from(host.compactor.pressure().tokens);
    let window = u32::try_from(size * 6 / 10).unwrap();
    host.compactor.set_policy(preset(name, window)).unwrap();
    host
}

/// What the preset calls for: the first reason to compact in the course of a request, by hand where
/// there is none, and what needs no model where nobody summarizes.
fn called_for(host: &mut Host) -> Reason {
    let phases = [Phase::RequestStart, Phase::TurnStart, Phase::Loop, Phase::TurnEnd];
    let mut due = phases.into_iter().filter_map(|phase| host.compactor.check(phase));
    match due.find(|reason| *reason != Reason::Reduce) {
        Some(reason) => reason,
        None if host.compactor.policy().summary.summarizer().is_none() => Reason::Reduce,
        None => Reason::Manual,
    }
}

#[derive(Clone, Copy, Default)]
struct Row {
    conversations: usize,
    applied: usize,
    skipped: usize,
    below: usize,
    floors: usize,
    by_hand: usize,
    reduction: f64,
    facts: usize,
    given_up: usize,
}

impl Row {
    fn add(&mut self, other: &Self) {
        self.conversations += other.conversations;
        self.applied += other.applied;
        self.skipped += other.skipped;
        self.below += other.below;
        self.floors += other.floors;
        self.by_hand += other.by_hand;
        self.reduction += other.reduction;
        self.facts += other.facts;
        self.given_up += other.given_up;
    }
}

fn check(conversation: &Conversation, preset: &str) -> Row {
    let name = format!("{} under {preset}", conversation.name);
    let originals = &conversation.messages;
    let mut host = load(conversation, preset);
    let reason = called_for(&mut host);
    let report = host.compact(reason).unwrap().unwrap();
    let pressure = host.compactor.pressure();
    let mut row = Row { conversations: 1, ..Row::default() };
    row.by_hand = usize::from(reason == Reason::Manual);

    // Small enough, or it is told why not.
    if pressure.level == Level::Compact {
        assert!(report.floor.is_some(), "{name}: unexplained {pressure:?} after {report:?}");
        if let Some(threshold) = pressure.threshold {
            let conversation = host.compactor.conversation();
            let scale = conversation.scale(host.compactor.policy());
            let protected = scale.to_provider(conversation.protected().sum());
            // What is left would not hold the fence of a summary and a line inside it.
            assert!(protected + 100 > threshold, "{name}: {protected} leave room in {threshold}");
        }
        row.floors = 1;
    } else {
        row.below = 1;
    }
    let after = host.messages();
    if !matches!(report.outcome, Outcome::Applied { .. }) {
        assert!(matches!(report.outcome, Outcome::Skipped { .. }), "{name}: {:?}", report.outcome);
        assert_eq!(after, *originals, "{name}: as it was");
        row.skipped = 1;
        return row;
    }
    row.applied = 1;
    assert!(report.tokens_after < report.tokens_before, "{name}");
    assert_eq!(report.tokens_after, pressure.tokens, "{name}");
    row.reduction = 1.0 - f64::from(report.tokens_after) / f64::from(report.tokens_before);

    assert_eq!(defects(&after), Vec::<String>::new(), "{name}");
    if role(&originals[0]) == "system" {
        assert_eq!(after[0], originals[0], "{name}: the system prompt is first");
    }
    check_only_results_and_arguments_are_changed(&name, originals, &after);

    // Every fact of what is gone is there, or told as given up.
    let all = after.iter().map(readable).collect::<Vec<String>>().join("\n");
    let receipt = &report.receipt;
    for fact in receipt.kept.iter().chain(&receipt.appended) {
        assert!(all.contains(&fact.text), "{name}: the receipt says {fact:?} is there");
    }
    if report.summary.is_some() {
        let still: BTreeSet<String> = after.iter().map(Value::to_string).collect();
        let gone = originals.iter().filter(|message| !still.contains(&message.to_string()));
        for fact in gone.flat_map(facts_in) {
            let told = receipt.given_up.iter().any(|given| given.text.contains(&fact));
            assert!(told || all.contains(&fact), "{name}: {fact:?} is lost without a word");
            row.facts += 1;
        }
        row.given_up = receipt.given_up.len();
    }

    let again = match host.compact(reason) {
        Ok(report) => report.unwrap(),
        Err(_) => host.compact(Reason::Manual).unwrap().unwrap(),
    };
    assert!(matches!(again.outcome, Outcome::Skipped { .. }), "{name}: {:?}", again.outcome);
    assert_eq!(host.messages(), after, "{name}: compacting twice is compacting once");

    host.undo().unwrap();
    assert_eq!(host.messages(), *originals, "{name}: undo");
    row
}

/// System prompts and people's words are as they were; one message more is the summary; results and
/// calls may be shorter, and stand in for nobody.
fn check_only_results_and_arguments_are_changed(name: &str, before: &[Value], after: &[Value]) {
    let originals: BTreeSet<String> = before.iter().map(Value::to_string).collect();
    let mut summaries = 0;
    for message in after.iter().filter(|message| !originals.contains(&message.to_string())) {
        if readable(message).starts_with("<conversation-summary") {
            summaries += 1;
            continue;
        }
        let shortened = role(message) == "tool" || message.get("tool_calls").is_some();
        assert!(shortened, "{name}: neither a summary nor an original: {message}");
    }
    assert!(summaries <= 1, "{name}: {summaries} summaries");
}

#[test]
fn every_real_conversation_comes_out_well_of_every_preset() {
    let Some(conversations) = conversations() else { return };
    let work: Vec<(&Conversation, usize)> = conversations
        .iter()
        .flat_map(|conversation| (0..PRESETS.len()).map(move |preset| (conversation, preset)))
        .collect();
    let next = AtomicUsize::new(0);
    let rows = Mutex::new([Row::default(); PRESETS.len()]);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((conversation, preset)) =
                    work.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let row = check(conversation, PRESETS[*preset]);
                    rows.lock().unwrap()[*preset].add(&row);
                }
            });
        }
    });
    println!(
        "{:<16} {:>5} {:>7} {:>7} {:>7} {:>5} {:>6} {:>9} {:>6} {:>8}",
        "preset",
        "all",
        "by hand",
        "applied",
        "skipped",
        "below",
        "floors",
        "reduction",
        "facts",
        "given up"
    );
    for (name, row) in PRESETS.iter().zip(rows.into_inner().unwrap()) {
        let applied = u32::try_from(row.applied.max(1)).unwrap();
        let reduction = 100.0 * row.reduction / f64::from(applied);
        println!(
            "{name:<16} {:>5} {:>7} {:>7} {:>7} {:>5} {:>6} {reduction:>7.1} % {:>6} {:>8}",
            row.conversations,
            row.by_hand,
            row.applied,
            row.skipped,
            row.below,
            row.floors,
            row.facts,
            row.given_up
        );
    }
}
