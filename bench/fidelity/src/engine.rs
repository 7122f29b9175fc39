//! What the engine makes of a conversation, by its public functions only.

use epitome::message::Entry;
use epitome::policy::{Keep, SummarySettings};
use epitome::transcript::Envelope;
use epitome::{Level, Policy, Reason};
use epitome_extractive::{Extract, extract};
use epitome_formats::Format;
use epitome_tests::App;
use epitome_tokens::Heuristic;
use serde_json::Value;

use crate::data;
use crate::tokens;

/// The longest text of at most `budget` exact tokens that `make` gives for a limit in estimated ones.
fn fitted(budget: usize, tries: usize, make: impl Fn(u32) -> String) -> String {
    let mut limit = budget as f64;
    let mut best = String::new();
    let mut most = 0;
    for _ in 0..tries {
        let text = make(limit as u32);
        let tokens = tokens::count(&text);
        if tokens <= budget && tokens > most {
            (best, most) = (text, tokens);
        }
        if tokens == 0 || (tokens <= budget && tokens * 100 >= budget * 99) {
            break;
        }
        limit *= 0.997 * budget as f64 / tokens as f64;
    }
    best
}

/// The extractive summary of all messages in one request, in at most `budget` tokens.
pub(crate) fn alone(messages: &[Value], budget: usize) -> String {
    folded(messages, budget, 1)
}

/// The same in this many requests, each with the summary of the messages before.
pub(crate) fn folded(messages: &[Value], budget: usize, requests: usize) -> String {
    let entries = (1..).zip(messages).map(|(number, message)| {
        let role = message["role"].as_str().unwrap_or_default();
        let speaker = match message["name"].as_str() {
            Some(name) => format!("{role} {name}"),
            None => role.to_owned(),
        };
        Entry { number, speaker, time: None, text: data::text_of(message) }
    });
    let entries: Vec<Entry> = entries.collect();
    fitted(budget, 5, |limit| {
        let mut summary = Extract::default();
        for entries in entries.chunks(entries.len().div_ceil(requests).max(1)) {
            let Extract { text: previous_summary, notes } = summary;
            let state = String::new();
            let envelope = Envelope { previous_summary, notes, state, entries: entries.to_vec() };
            summary = extract(&envelope, limit, &Heuristic);
        }
        summary.text
    })
}

/// The summary, with what is appended to it, of a compaction that keeps no message, in at most `budget` tokens.
pub(crate) fn summary(messages: &[Value], budget: usize) -> String {
    fitted(budget, 5, |limit| summary_of(messages, limit))
}

/// The same in at most `limit` estimated tokens, without what is appended to it.
pub(crate) fn summary_of(messages: &[Value], limit: u32) -> String {
    let policy = Policy {
        keep: Keep::Messages(0),
        keep_requests_tokens: 0,
        reducers: Vec::new(),
        ..Policy::recommended(2_000_000)
    };
    let summary = SummarySettings { max_tokens: Some(limit.max(1)), ..policy.summary.clone() };
    let mut app = app(messages, Policy { summary, ..policy });
    let report = app.compact(Reason::Manual).expect("nothing else is running");
    report.and_then(|report| report.summary).unwrap_or_default()
}

fn app(messages: &[Value], policy: Policy) -> App {
    let mut app = App::new(Format::OpenAiChat, policy).expect("the policy works");
    for message in messages {
        app.append(message.clone()).expect("a message is an object");
    }
    app
}

fn context(app: &App) -> String {
    app.messages().iter().map(data::text_of).collect::<Vec<_>>().join("\n")
}

/// The preset `recommended` after one compaction, in the largest window whose view has at most `budget` tokens.
pub(crate) fn once(messages: &[Value], budget: usize) -> String {
    largest_window(budget, |window| {
        let mut app = app(messages, Policy::recommended(window));
        app.compact(Reason::Manual).expect("nothing else is running");
        context(&app)
    })
}

/// The same, appended message by message and compacted each time that it is due.
pub(crate) fn live(messages: &[Value], budget: usize) -> String {
    largest_window(budget, |window| {
        let mut app =
            App::new(Format::OpenAiChat, Policy::recommended(window)).expect("the policy works");
        for message in messages {
            app.append(message.clone()).expect("a message is an object");
            if app.compactor.pressure().level == Level::Compact {
                app.compact(Reason::Threshold).expect("nothing else is running");
            }
        }
        app.compact(Reason::Manual).expect("nothing else is running");
        context(&app)
    })
}

fn largest_window(budget: usize, view: impl Fn(u32) -> String) -> String {
    let mut best = String::new();
    let (mut low, mut high) = (budget as f64, budget as f64 * 8.0);
    for _ in 0..7 {
        let window = (low * high).sqrt();
        let text = view(window as u32);
        match tokens::count(&text) <= budget {
            true => {
                low = window;
                if text.len() > best.len() {
                    best = text;
                }
            }
            false => high = window,
        }
    }
    best
}
