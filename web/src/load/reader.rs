//! Reads a conversation message by message, and lets the page be drawn in between.

use std::sync::Arc;

use epitome::history::{Ending, most_recent, repair};
use epitome::message::{Message, MessageId};
use epitome::{Compactor, Policy};
use epitome_formats::{Detection, Format, detect, fit_steps, step_id};
use js_sys::Array;
use leptos::prelude::*;
use serde_json::Value;

use super::candidate::Candidate;
use crate::browser::{Pace, Stopwatch, memory_bytes, show_memory};
use crate::form::Settings;
use crate::number::{count, plural};
use crate::store::{Document, Left, Note, Session, Store};

/// Longest stretch of reading: each pause takes time too, and somebody waits for the end.
const SLICE_MS: f64 = 16.0;
/// Odd things that are listed one by one; there may be one for each of a hundred thousand messages.
const MOST_NOTES: usize = 500;

/// What came of reading messages as some format.
enum Progress {
    /// All were read.
    Done(Box<Reading>),
    /// One of them shows that they are in another format.
    Other(Format),
}

/// A conversation that was read.
struct Reading {
    compactor: Compactor,
    originals: Array,
    notes: Vec<Note>,
    left: Option<Left>,
}

/// Reads a conversation and shows it in place of the one before. Fails with a sentence for a person,
/// and leaves the one before as it was.
pub(super) async fn read(store: Store, name: String, candidate: Candidate) -> Result<(), String> {
    let watch = Stopwatch::start("epitome:load");
    let mut format = Format::OpenAiChat;
    let beside_tokens = store.counter.tokenizer(format.family()).count(&candidate.beside);
    let reading = loop {
        match read_as(format, store, &name, &candidate, beside_tokens).await? {
            Progress::Done(reading) => break reading,
            Progress::Other(other) => format = other,
        }
    };
    let Reading { compactor, originals, mut notes, left } = *reading;
    notes.extend(repairs(&compactor));
    notes.sort_by_key(|note| note.position);
    notes.truncate(MOST_NOTES);
    Pace::start(SLICE_MS).rest().await;

    store.clear();
    if !candidate.beside.is_empty() {
        store.settings.update(|settings| settings.bring(beside_tokens));
    }
    let messages = originals.length();
    let session = Session::new(format, compactor, originals, candidate.messages);
    store.write(|current| *current = session);
    store.apply_settings();
    let read_ms = watch.elapsed_ms();
    let memory_bytes = memory_bytes();
    let format = format.title();
    let rows = store.read(|session| session.compactor().map_or(0, |c| count(c.log().len())));
    let document = Document {
        name,
        format,
        messages,
        rows,
        beside_tokens,
        left,
        notes,
        read_ms,
        memory_bytes,
    };
    store.announce(format!("Loaded {}.", plural(messages, "message", "messages")));
    store.document.set(Some(Arc::new(document)));
    // The page first, and then what it shows of the conversation.
    Pace::start(SLICE_MS).rest().await;
    store.show_change();
    show_memory();
    Pace::start(SLICE_MS).rest().await;
    watch.stop();
    Ok(())
}

/// Reads every message in one format, unless one of them tells of another.
async fn read_as(
    format: Format,
    store: Store,
    name: &str,
    candidate: &Candidate,
    beside_tokens: u32,
) -> Result<Progress, String> {
    let policy = store.settings.with_untracked(Settings::policy);
    let counter = store.counter.tokenizer(format.family());
    let budget_tokens = policy.window.saturating_sub(beside_tokens);
    let policy = Policy {
        counting: store.counter.ready.get_untracked(),
        ..Policy::recommended(epitome::policy::DEFAULT_WINDOW)
    };
    let tokenizer = store.counter.tokenizer(format.family());
    let mut compactor =
        Compactor::new(policy, format, tokenizer).map_err(|error| error.to_string())?;
    let recent_only = store.recent_only.get_untracked();
    let mut read = Vec::new();
    let mut notes = Vec::new();
    let total = candidate.messages.length();
    let mut pace = Pace::start(SLICE_MS);
    for index in 0..total {
        let value = value(candidate, index)?;
        if format == Format::OpenAiChat
            && let Detection::Known(other) = detect(std::slice::from_ref(&value))
            && other != format
        {
            return Ok(Progress::Other(other));
        }
        let pieces = pieces(format, &value, index, &mut notes)?;
        if recent_only {
            read.push(pieces);
        } else {
            append(&mut compactor, pieces, index)?;
        }
        if pace.is_due() {
            store.loading.set(Some((name.to_owned(), f64::from(index) / f64::from(total))));
            pace.rest().await;
        }
    }
    pace.rest().await;
    let mut originals = candidate.messages.clone();
    let mut left = None;
    if recent_only {
        let whole = MessageId::from("");
        let merged = read.iter().map(|pieces| fit_steps(pieces.clone(), &whole, 1));
        let merged: Vec<Message> = merged.flatten().collect();
        let taken = most_recent(&merged, budget_tokens, &*counter);
        originals = take(&mut compactor, candidate, read, &taken, &mut notes)?;
        left = (originals.length() < total).then_some(Left { of: total, budget_tokens });
        pace.rest().await;
    }
    let log = compactor.log();
    for note in &mut notes {
        note.position = log.position(&named(count(note.position))).unwrap_or_default();
    }
    Ok(Progress::Done(Box::new(Reading { compactor, originals, notes, left })))
}

fn append(compactor: &mut Compactor, pieces: Vec<Message>, index: u32) -> Result<(), String> {
    let mut appended = pieces.into_iter().map(|piece| compactor.append(piece));
    appended.try_for_each(|result| result.map_err(|error| format!("{}: {error}.", place(index))))
}

/// Appends the messages that were taken, under new names, and gives back their originals. Notes on the
/// others are dropped.
fn take(
    compactor: &mut Compactor,
    candidate: &Candidate,
    read: Vec<Vec<Message>>,
    taken: &[usize],
    notes: &mut Vec<Note>,
) -> Result<Array, String> {
    let originals = Array::new();
    for (index, pieces) in read.into_iter().enumerate() {
        if taken.binary_search(&index).is_ok() {
            let index = count(index);
            let whole = named(originals.length());
            originals.push(&candidate.messages.get(index));
            let pieces = pieces.into_iter().enumerate();
            let pieces =
                pieces.map(|(piece, message)| Message { id: step_id(&whole, piece), ..message });
            append(compactor, pieces.collect(), index)?;
        }
    }
    notes.retain_mut(|note| match taken.binary_search(&note.position) {
        Ok(position) => {
            note.position = position;
            true
        }
        Err(_) => false,
    });
    Ok(originals)
}

/// A message as JSON, which lives only while it is read: the browser keeps the original.
fn value(candidate: &Candidate, index: u32) -> Result<Value, String> {
    serde_wasm_bindgen::from_value(candidate.messages.get(index))
        .map_err(|error| format!("{} cannot be read: {error}.", place(index)))
}

/// Reads one message. What was odd is noted under its index.
fn pieces(
    format: Format,
    value: &Value,
    index: u32,
    notes: &mut Vec<Note>,
) -> Result<Vec<Message>, String> {
    let reading = format
        .read(&named(index), value)
        .map_err(|error| format!("{} is no message: {error}.", place(index)))?;
    let position = usize::try_from(index).unwrap_or(usize::MAX);
    notes.extend(reading.issues.into_iter().map(|issue| Note {
        position,
        path: Some(issue.path),
        explanation: issue.message,
    }));
    Ok(reading.messages)
}

/// What the engine calls a message.
fn named(index: u32) -> MessageId {
    MessageId::from(format!("m{index}"))
}

/// A message in words, by its number and by its index.
fn place(index: u32) -> String {
    format!("message {} (index {index})", index.saturating_add(1))
}

/// What a provider would refuse, and what a compaction does about it.
fn repairs(compactor: &Compactor) -> Vec<Note> {
    let log = compactor.log();
    let messages: Vec<&Message> = log.messages().collect();
    let contract = compactor.conversation().contract();
    let findings = repair(&messages, Ending::Open, contract).findings;
    let notes = findings.into_iter().map(|finding| Note {
        position: log.position(&finding.id).unwrap_or_default(),
        path: None,
        explanation: finding.defect.explanation().to_owned(),
    });
    notes.collect()
}

/// A window that a conversation of `tokens` fills well beyond every threshold.
pub(crate) fn tight_window(tokens: u32) -> u32 {
    count((u64::from(tokens) * 6 / 10).max(1).try_into().unwrap_or(usize::MAX))
}
