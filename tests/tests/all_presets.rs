//! Every conversation under every preset: legal, small enough or with a reason, complete, and undone exactly.

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
use epitome::policy::{PRESETS, Phase};
use epitome::{Outcome, Policy, Reason};
use epitome_formats::Format;
use epitome_tests::{App, Conversation, chats, defects, facts_in, has_fact, readable, role};
use serde_json::Value;

/// An app with all messages of a conversation, under a preset in a window of 60 % of their tokens.
fn load(conversation: &Conversation, name: &str) -> App {
    let mut app = App::new(Format::OpenAiChat, Policy::recommended(u32::MAX)).unwrap();
    for message in &conversation.messages {
        app.append(message.clone()).unwrap();
    }
    let size = u64::from(app.compactor.pressure().tokens);
    let window = u32::try_from(size * 6 / 10).unwrap();
    app.compactor.set_policy(Policy::preset(name, window).unwrap()).unwrap();
    app
}

/// The reason for which the preset compacts: the first one that a phase of a request gives. If no phase gives one,
/// the compaction is manual, or only reduces if the preset has no summarizer.
fn reason_for(app: &mut App) -> Reason {
    let phases = [Phase::RequestStart, Phase::TurnStart, Phase::Loop, Phase::TurnEnd];
    let mut due = phases.into_iter().filter_map(|phase| app.compactor.check(phase));
    match due.find(|reason| *reason != Reason::Reduce) {
        Some(reason) => reason,
        None if app.compactor.policy().summary.summarizer().is_none() => Reason::Reduce,
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
    manual: usize,
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
        self.manual += other.manual;
        self.reduction += other.reduction;
        self.facts += other.facts;
        self.given_up += other.given_up;
    }
}

fn check(conversation: &Conversation, preset: &str) -> Row {
    let name = format!("{} under {preset}", conversation.name);
    let originals = &conversation.messages;
    let mut app = load(conversation, preset);
    let sent = app.messages();
    let reason = reason_for(&mut app);
    let report = app.compact(reason).unwrap().unwrap();
    let pressure = app.compactor.pressure();
    let mut row = Row { conversations: 1, ..Row::default() };
    row.manual = usize::from(reason == Reason::Manual);

    // Small enough, or the report says why not.
    if pressure.level == Level::Compact {
        assert!(report.floor.is_some(), "{name}: unexplained {pressure:?} after {report:?}");
        // With the number of messages alone as the reason, there is no such limit.
        let reached = |threshold: &u32| pressure.tokens >= *threshold;
        if let Some(threshold) = pressure.threshold.filter(reached) {
            let conversation = app.compactor.conversation();
            let scale = app.compactor.scale();
            let protected = scale.to_provider(conversation.protected().sum());
            // The remaining tokens would not hold the tags of a summary and one line between them.
            assert!(protected + 100 > threshold, "{name}: {protected} leave space in {threshold}");
        }
        row.floors = 1;
    } else {
        row.below = 1;
    }
    let after = app.messages();
    if !matches!(report.outcome, Outcome::Applied { .. }) {
        assert!(matches!(report.outcome, Outcome::Skipped { .. }), "{name}: {:?}", report.outcome);
        assert_eq!(after, *originals, "{name}: unchanged");
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

    // Every fact of a removed message is still in the view, or is listed as given up.
    let all = after.iter().map(readable).collect::<Vec<String>>().join("\n");
    let receipt = &report.receipt;
    for fact in receipt.kept.iter().chain(&receipt.appended) {
        assert!(has_fact(&all, &fact.text), "{name}: the receipt lists {fact:?}, which is missing");
    }
    if report.summary.is_some() {
        let kept: BTreeSet<String> = after.iter().map(Value::to_string).collect();
        let removed = originals.iter().filter(|message| !kept.contains(&message.to_string()));
        for fact in removed.flat_map(facts_in) {
            let listed = receipt.given_up.iter().any(|given| given.text.contains(&fact));
            assert!(listed || all.contains(&fact), "{name}: {fact:?} is lost and not listed");
            row.facts += 1;
        }
        row.given_up = receipt.given_up.len();
    }

    let again = match app.compact(reason) {
        Ok(report) => report.unwrap(),
        Err(_) => app.compact(Reason::Manual).unwrap().unwrap(),
    };
    assert!(matches!(again.outcome, Outcome::Skipped { .. }), "{name}: {:?}", again.outcome);
    assert_eq!(app.messages(), after, "{name}: a second compaction changes nothing");

    app.undo().unwrap();
    assert_eq!(app.messages(), sent, "{name}: undo");
    row
}

/// At most one message is new, the summary. Tool results and messages with calls may be shorter; all others are as
/// they were.
fn check_only_results_and_arguments_are_changed(name: &str, before: &[Value], after: &[Value]) {
    let originals: BTreeSet<String> = before.iter().map(Value::to_string).collect();
    let mut summaries = 0;
    for message in after.iter().filter(|message| !originals.contains(&message.to_string())) {
        // The first line may be the preset's label.
        if readable(message).lines().take(2).any(|line| line.starts_with("<conversation-summary")) {
            summaries += 1;
            continue;
        }
        let shortened = role(message) == "tool" || message.get("tool_calls").is_some();
        assert!(shortened, "{name}: neither a summary nor an original: {message}");
    }
    assert!(summaries <= 1, "{name}: {summaries} summaries");
}

#[test]
fn every_conversation_is_legal_and_complete_under_every_preset() {
    let conversations = chats();
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
        "manual",
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
            row.manual,
            row.applied,
            row.skipped,
            row.below,
            row.floors,
            row.facts,
            row.given_up
        );
    }
}
