//! The harness of scenario tests: a small conversation, a compactor, and a summarizer with scripted answers.
#![allow(dead_code, reason = "each test file uses a part of the harness")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot continue should fail")]

use epitome::history::{Edit, Rewrite};
use epitome::message::{Message, MessageId};
use epitome::test_notation::{notate, transcript};
use epitome::tokens::CharactersPer;
use epitome::{
    Action, CommandError, Compactor, Contract, Event, Outcome, Output, Policy, Reason, Report,
    Save, SummaryRequest,
};

/// A system message and eight turns about a garden, three of them with two tool calls each.
pub(crate) fn long_talk() -> String {
    let mut text = String::from("s: you are a gardener\n");
    for turn in 0..8 {
        text.push_str(&format!("u: question number {turn} about the garden\n"));
        if turn % 3 == 1 {
            text.push_str(&format!("a: let me look !look{turn} !read{turn}\n"));
            text.push_str(&format!("t: =read{turn}\nt: =look{turn}\n"));
        }
        text.push_str(&format!("a: answer number {turn} about the garden\n"));
    }
    text
}

/// A compactor with these messages and the recommended policy for a window of 400 tokens.
pub(crate) fn recommended_compactor(text: &str) -> Compactor {
    compactor_with(Policy::recommended(400), text)
}

/// A compactor with these messages and this policy. A token is three characters.
pub(crate) fn compactor_with(policy: Policy, text: &str) -> Compactor {
    let mut compactor =
        Compactor::new(policy, Contract::default(), Box::new(CharactersPer(3))).unwrap();
    for message in transcript(text) {
        compactor.append(message).unwrap();
    }
    compactor
}

/// The messages of the view. Those that only the view has are called `new`.
pub(crate) fn viewed(compactor: &Compactor) -> Vec<Message> {
    let edits = compactor.view().edits.into_iter();
    let message = |edit| match edit {
        Edit::Keep(id) => message(compactor, &id),
        Edit::Replace { id, changes } => {
            let message = message(compactor, &id);
            Rewrite { id, changes }.apply(&message)
        }
        Edit::Insert { role, parts } => Message::with_parts("new", role, parts),
    };
    edits.map(message).collect()
}

/// The view in the test notation, with the summary as `u: SUMMARY`.
pub(crate) fn shown(compactor: &Compactor) -> String {
    let mut messages = viewed(compactor);
    for message in &mut messages {
        if message.id == "new".into() && message.text().contains("<conversation-summary") {
            *message = Message::new("new", message.role, "SUMMARY");
        }
    }
    notate(&messages)
}

fn message(compactor: &Compactor, id: &MessageId) -> Message {
    let position = compactor.log().position(id).unwrap();
    compactor.log().message(position).unwrap().clone()
}

/// The action of each message in a plan.
pub(crate) fn actions(compactor: &Compactor, reason: Reason) -> Vec<Action> {
    compactor.plan(reason).actions
}

/// The outputs of a run.
#[derive(Default)]
pub(crate) struct Run {
    pub(crate) requests: Vec<SummaryRequest>,
    pub(crate) events: Vec<Event>,
    pub(crate) saves: Vec<Save>,
    pub(crate) changes: usize,
}

impl Run {
    /// True if there was an event of this type whose JSON contains these words.
    pub(crate) fn has_event(&self, kind: &str, words: &str) -> bool {
        let texts = self.events.iter().filter_map(|event| serde_json::to_string(event).ok());
        texts
            .into_iter()
            .any(|text| text.starts_with(&format!("{{\"type\":\"{kind}\"")) && text.contains(words))
    }
}

/// Answers every summarizer request by `answer`, stores every record, and polls until the compactor waits.
pub(crate) fn drive(
    compactor: &mut Compactor,
    mut answer: impl FnMut(&SummaryRequest) -> String,
) -> Run {
    let mut run = Run::default();
    for _ in 0..10_000 {
        match compactor.poll_output() {
            Output::Before(_) => compactor.proceed().unwrap(),
            Output::Summarize(request) => {
                compactor.handle_summary(request.id, &answer(&request));
                run.requests.push(request);
            }
            Output::Persist(_) => compactor.handle_persisted().unwrap(),
            Output::Changed => run.changes += 1,
            Output::Save(save) => run.saves.push(save),
            Output::Event(event) => run.events.push(event),
            Output::Continue => {}
            Output::Wait(_) => return run,
        }
    }
    panic!("the compactor never waits");
}

/// So many words of four letters, all of them different.
pub(crate) fn words(count: u32) -> String {
    let letter = |number: u32| char::from_u32('a' as u32 + number % 26).unwrap();
    let word = |n: u32| [letter(n / 17_576), letter(n / 676), letter(n / 26), letter(n), ' '];
    (0..count).flat_map(word).collect()
}

/// Compacts with a short summary and returns the report.
pub(crate) fn compact(compactor: &mut Compactor) -> Result<Report, CommandError> {
    compactor.compact(Reason::Threshold, None)?;
    drive(compactor, |_| "They talked about the garden.".into());
    Ok(compactor.report().unwrap().clone())
}

/// True for a report of an applied compaction.
pub(crate) fn applied(report: &Report) -> bool {
    matches!(report.outcome, Outcome::Applied { .. })
}

/// Polls until the next summarizer request and returns it.
pub(crate) fn next_request(compactor: &mut Compactor) -> SummaryRequest {
    for _ in 0..100 {
        match compactor.poll_output() {
            Output::Before(_) => compactor.proceed().unwrap(),
            Output::Summarize(request) => return request,
            Output::Wait(_) => break,
            Output::Save(_)
            | Output::Persist(_)
            | Output::Changed
            | Output::Event(_)
            | Output::Continue => {}
        }
    }
    panic!("the compactor sends no summarizer request");
}
