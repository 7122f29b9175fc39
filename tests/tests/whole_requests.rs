//! Every conversation as an app has it, request by request, under every preset and in windows of all sizes: with usage
//! reports, tool loops, rejected requests and a summarizer that fails.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on should stop, and say what it saw"
)]

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use epitome::message::Usage;
use epitome::policy::{PRESETS, Phase};
use epitome::{Outcome, Policy, Reason};
use epitome_formats::Format;
use epitome_tests::{App, Conversation, chats, defects, readable, role};
use serde_json::Value;

const WINDOWS: [u32; 6] = [4_000, 8_000, 32_000, 128_000, 200_000, 1_000_000];

const TODO: &str = "- [ ] answer the last question";

/// Every preset in every window is driven through one conversation of this many, each through its own share of them;
/// `EPITOME_EVERY_REQUEST` drives all through all, which takes minutes.
const SHARE: usize = 12;

/// What happened in the requests of a conversation.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    conversations: usize,
    requests: usize,
    compactions: usize,
    failures: usize,
    rejected: usize,
    floors: usize,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.conversations += other.conversations;
        self.requests += other.requests;
        self.compactions += other.compactions;
        self.failures += other.failures;
        self.rejected += other.rejected;
        self.floors += other.floors;
    }
}

/// A conversation while it is driven.
struct Drive {
    app: App,
    name: String,
    tally: Tally,
    /// Why the last compaction could not reach its threshold.
    floor: Option<String>,
    /// Compactions after a rejection of this request that failed or changed nothing.
    in_vain: usize,
    /// Reactive compactions of this request.
    reactive: u32,
}

impl Drive {
    /// Compacts if that is due at this phase. The second compaction of a conversation meets a summarizer that fails.
    fn check(&mut self, phase: Phase) -> bool {
        let Some(reason) = self.app.compactor.check(phase) else { return false };
        if reason != Reason::Reduce && self.tally.compactions == 1 && self.tally.failures == 0 {
            self.fail(phase, reason);
        }
        self.reactive += u32::from(reason.is_reactive());
        // After a failure, the next attempt may have to wait.
        let Ok(report) = self.app.compact(reason) else { return false };
        let report = report.unwrap();
        let name = &self.name;
        assert!(!matches!(report.outcome, Outcome::Failed { .. }), "{name}: {:?}", report.outcome);
        self.floor.clone_from(&report.floor);
        let applied = matches!(report.outcome, Outcome::Applied { .. });
        if applied {
            assert!(report.tokens_after < report.tokens_before, "{name}: {report:?}");
            self.tally.compactions += 1;
            self.check_view();
        } else {
            self.in_vain += usize::from(phase == Phase::Overflow);
        }
        applied
    }

    fn fail(&mut self, phase: Phase, reason: Reason) {
        let before = self.app.messages();
        let report = self.app.compact_in_vain(reason).unwrap().unwrap();
        self.reactive += u32::from(reason.is_reactive());
        if matches!(report.outcome, Outcome::Failed { .. }) {
            assert_eq!(self.app.messages(), before, "{}: a failure changes nothing", self.name);
            self.tally.failures += 1;
        }
        self.in_vain += usize::from(phase == Phase::Overflow);
    }

    /// The provider refuses what is larger than the window, until nothing more can be saved.
    fn call_model(&mut self) {
        for _ in 0..6 {
            if self.app.compactor.pressure().tokens <= self.window() {
                return;
            }
            self.tally.rejected += 1;
            let due = self.app.compactor.due(Phase::Overflow).is_some();
            assert!(
                due || self.is_exhausted(),
                "{}: nothing due after a rejected request",
                self.name
            );
            self.check(Phase::Overflow);
        }
    }

    /// Nothing is tried again and again in one request.
    fn is_exhausted(&self) -> bool {
        let allowed =
            self.app.compactor.policy().reactive().map(|reactive| reactive.max_per_request);
        self.in_vain >= 3 || allowed.is_some_and(|allowed| self.reactive >= allowed)
    }

    /// The model answers, and its provider reports the usage: a tenth more than the engine's estimate, and the tools.
    fn answer(&mut self, message: &Value) {
        let prompt = self.provider_tokens();
        self.app.append(message.clone()).unwrap();
        let completion = self.provider_tokens() - prompt;
        let usage =
            Usage { prompt_tokens: prompt, completion_tokens: completion, ..Usage::default() };
        self.app.compactor.handle_usage(usage);
    }

    fn provider_tokens(&self) -> u32 {
        let estimate = self.app.compactor.conversation().counted_tokens().get();
        estimate + estimate / 10 + 100
    }

    fn window(&self) -> u32 {
        self.app.compactor.policy().window
    }

    /// The messages for the model are legal; system prompt, last request and open tasks are there.
    fn check_view(&self) {
        let name = &self.name;
        let sent = self.app.messages();
        let originals = &self.app.originals;
        assert_eq!(defects(&sent), Vec::<String>::new(), "{name}");
        if role(&originals[0]) == "system" {
            assert_eq!(sent[0], originals[0], "{name}: the system prompt is first");
        }
        let texts: Vec<String> = sent.iter().map(readable).collect();
        if let Some(request) = self.app.compactor.conversation().last_request() {
            let request = self.app.compactor.log().message(request).unwrap().text();
            let is_there = texts.iter().any(|text| text.contains(request.trim()));
            assert!(is_there, "{name}: the last request is gone: {request}");
        }
        let summaries = texts.iter().filter(|text| text.starts_with("<conversation-summary"));
        for summary in summaries.clone() {
            assert_eq!(summary.matches(TODO).count(), 1, "{name}: open tasks: {summary}");
        }
        assert!(summaries.count() <= 1, "{name}: more than one summary");
    }

    /// At the end of a turn the conversation fits, or it is said why it cannot.
    fn end_turn(&mut self) {
        self.check(Phase::TurnEnd);
        self.call_model();
        let (tokens, window) = (self.app.compactor.pressure().tokens, self.window());
        if tokens > window {
            let explained = self.floor.is_some() || self.is_exhausted();
            assert!(explained, "{}: {tokens} in {window} unexplained", self.name);
            self.tally.floors += 1;
        }
        self.tally.requests += 1;
    }
}

fn is_user(message: &Value) -> bool {
    role(message) == "user"
}

/// What the model gets of a conversation that nobody compacts.
fn sent_uncompacted(originals: &[Value]) -> Vec<Value> {
    let mut app = App::new(Format::OpenAiChat, Policy::recommended(u32::MAX)).unwrap();
    originals.iter().for_each(|message| app.append(message.clone()).unwrap());
    app.messages()
}

fn drive(conversation: &Conversation, preset: &str, window: u32) -> Tally {
    let policy = Policy::preset(preset, window).unwrap();
    let mut app = App::new(Format::OpenAiChat, policy).unwrap();
    app.compactor.set_todo(TODO.into()).unwrap();
    let name = format!("{} under {preset} in {window}", conversation.name);
    let mut drive =
        Drive { app, name, tally: Tally::default(), floor: None, in_vain: 0, reactive: 0 };
    let originals = &conversation.messages;
    for (at, message) in originals.iter().enumerate() {
        let next = originals.get(at + 1);
        if role(message) == "assistant" {
            drive.answer(message);
        } else {
            drive.app.append(message.clone()).unwrap();
        }
        match role(message) {
            "user" if next.is_some_and(|next| !is_user(next)) => {
                (drive.in_vain, drive.reactive) = (0, 0);
                drive.check(Phase::RequestStart);
                drive.check(Phase::TurnStart);
                drive.call_model();
            }
            // All tools have answered.
            "tool" if next.is_some_and(|next| role(next) == "assistant") => {
                drive.check(Phase::Loop);
                drive.check(Phase::TurnStart);
                drive.call_model();
            }
            "assistant" if next.is_none_or(is_user) => drive.end_turn(),
            _ => {}
        }
    }
    while drive.app.undo().is_ok() {}
    assert_eq!(drive.app.messages(), sent_uncompacted(originals), "{}: undo", drive.name);
    Tally { conversations: 1, ..drive.tally }
}

#[test]
fn b15_every_preset_keeps_every_conversation_in_every_window() {
    let conversations = chats();
    let share = match std::env::var_os("EPITOME_EVERY_REQUEST") {
        Some(_) => 1,
        None => SHARE,
    };
    let rows = PRESETS.len() * WINDOWS.len();
    let work: Vec<(usize, usize)> = (0..conversations.len())
        .flat_map(|at| (0..rows).map(move |row| (at, row)))
        .filter(|(at, row)| (at + row) % share == 0)
        .collect();
    let next = AtomicUsize::new(0);
    let tallies = Mutex::new(vec![Tally::default(); rows]);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((at, row)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (preset, window) =
                        (PRESETS[row / WINDOWS.len()], WINDOWS[row % WINDOWS.len()]);
                    let tally = drive(&conversations[*at], preset, window);
                    tallies.lock().unwrap()[*row].add(&tally);
                }
            });
        }
    });
    println!("preset           window     all requests compactions failures rejected floors");
    for (row, tally) in tallies.into_inner().unwrap().iter().enumerate() {
        let (preset, window) = (PRESETS[row / WINDOWS.len()], WINDOWS[row % WINDOWS.len()]);
        let Tally { conversations, requests, compactions, failures, rejected, floors } = tally;
        println!(
            "{preset:<16} {window:>7} {conversations:>6} {requests:>8} {compactions:>11} {failures:>8} \
             {rejected:>8} {floors:>6}"
        );
    }
}
