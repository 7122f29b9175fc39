//! Reads a conversation message by message, with pauses in which the page is drawn.

use std::sync::Arc;

use epitome::history::{Record, most_recent};
use epitome::message::{Audience, Message, MessageId};
use epitome::{Compactor, Policy};
use epitome_formats::{Detection, Format, detect, fit_steps, step_id};
use js_sys::Array;
use leptos::prelude::*;
use serde_json::Value;

use super::candidate::Candidate;
use crate::browser::{Pace, Stopwatch, show_memory};
use crate::language::t;
use crate::number::{count, plural};
use crate::store::{Document, Excerpt, Note, Place, Session, Store, agents};

/// The longest slice of reading. Each pause takes time too, so slices are longer than for background work.
const SLICE_MS: f64 = 16.0;

/// The result of reading messages in one format.
enum Attempt {
    /// All messages were read.
    Done(Box<Reading>),
    /// A message shows that the conversation has another format.
    OtherFormat(Format),
}

/// A conversation that was read.
struct Reading {
    compactor: Compactor,
    originals: Array,
    notes: Vec<Note>,
    excerpt: Option<Excerpt>,
}

/// Reads a conversation and replaces the current one, and shows it in a window of this size. `place` is where it was found, if one
/// can come back to it. Fails with a sentence for the user, and then keeps the current one.
pub(super) async fn read(
    store: Store,
    name: String,
    candidate: Candidate,
    window: u32,
    place: Option<Place>,
) -> Result<(), String> {
    let watch = Stopwatch::start("epitome:load");
    let mut format = Format::OpenAiChat;
    let counting = store.settings.counting;
    let overhead_tokens = counting.tokenizer(format.family()).count(&candidate.overhead.text());
    let reading = loop {
        let budget_tokens = window.saturating_sub(overhead_tokens);
        match read_as(format, store, &name, &candidate, budget_tokens).await? {
            Attempt::Done(reading) => break reading,
            Attempt::OtherFormat(other) => format = other,
        }
    };
    let Reading { compactor, originals, notes, excerpt } = *reading;
    let (messages, rows) = (originals.length(), count(compactor.log().len()));
    let format_title = format.title();
    let mut document = Document {
        name,
        format: format_title,
        messages,
        rows,
        overhead_tokens,
        excerpt,
        ..Document::default()
    };
    document.note(notes, &compactor);
    Pace::start(SLICE_MS).rest().await;

    store.clear(place);
    store.settings.form.update(|form| form.try_window(window));
    if !candidate.overhead.is_empty() {
        store.settings.form.update(|form| form.set_document_overhead(overhead_tokens));
    }
    let records = compactor.log().records();
    let names = agents(records.iter().filter_map(Record::message));
    let session = Session::new(format, compactor, &originals, candidate.messages);
    let session = session.with_agents(names).with_overhead(candidate.overhead);
    store.write(|current| *current = session);
    store.apply_settings();
    store.announce(t!("Loaded {messages}.", messages = plural(messages, "message", "messages")));
    store.document.set(Some(Arc::new(document)));
    // The page is drawn before the figures of the conversation are computed.
    Pace::start(SLICE_MS).rest().await;
    store.show_change();
    show_memory();
    Pace::start(SLICE_MS).rest().await;
    watch.stop();
    Ok(())
}

/// Reads every message in one format, unless one of them shows that it is another.
async fn read_as(
    format: Format,
    store: Store,
    name: &str,
    candidate: &Candidate,
    budget_tokens: u32,
) -> Result<Attempt, String> {
    let counting = store.settings.counting;
    let counter = counting.tokenizer(format.family());
    let policy = Policy {
        counting: counting.active.get_untracked(),
        ..Policy::recommended(epitome::policy::DEFAULT_WINDOW)
    };
    let tokenizer = counting.tokenizer(format.family());
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
            return Ok(Attempt::OtherFormat(other));
        }
        let mut steps = read_message(format, &value, index, &mut notes)?;
        if let Some(names) = audience(&value) {
            for step in &mut steps {
                step.audience = Audience::Agents(names.clone());
            }
        }
        if recent_only {
            read.push(steps);
        } else {
            append(&mut compactor, steps, index)?;
        }
        if pace.is_due() {
            store.loading.set(Some((name.to_owned(), f64::from(index) / f64::from(total))));
            pace.rest().await;
        }
    }
    pace.rest().await;
    let mut originals = candidate.messages.clone();
    let mut excerpt = None;
    if recent_only {
        let whole = MessageId::from("");
        let merged = read.iter().map(|steps| fit_steps(steps.clone(), &whole, 1));
        let merged: Vec<Message> = merged.flatten().collect();
        let recent = most_recent(&merged, budget_tokens, &*counter);
        originals = append_recent(&mut compactor, candidate, read, &recent, &mut notes)?;
        excerpt = (originals.length() < total).then_some(Excerpt { of: total, budget_tokens });
        pace.rest().await;
    }
    Ok(Attempt::Done(Box::new(Reading { compactor, originals, notes, excerpt })))
}

fn append(compactor: &mut Compactor, steps: Vec<Message>, index: u32) -> Result<(), String> {
    let mut appended = steps.into_iter().map(|step| compactor.append(step));
    appended.try_for_each(|result| {
        result.map_err(|error| {
            let number = number(index);
            t!("message {number} (index {index}): {error}.", number, index, error)
        })
    })
}

/// Appends the recent messages with new ids, and returns their originals. Drops the notes on the others.
fn append_recent(
    compactor: &mut Compactor,
    candidate: &Candidate,
    read: Vec<Vec<Message>>,
    recent: &[usize],
    notes: &mut Vec<Note>,
) -> Result<Array, String> {
    let originals = Array::new();
    for (index, steps) in read.into_iter().enumerate() {
        if recent.binary_search(&index).is_ok() {
            let index = count(index);
            let whole = message_id(originals.length());
            originals.push(&candidate.messages.get(index));
            let steps = steps.into_iter().enumerate();
            let steps =
                steps.map(|(step, message)| Message { id: step_id(&whole, step), ..message });
            append(compactor, steps.collect(), index)?;
        }
    }
    let index_of = |note: &Note| note.message.as_str().strip_prefix('m')?.parse::<usize>().ok();
    notes.retain_mut(|note| match index_of(note).map(|index| recent.binary_search(&index)) {
        Some(Ok(position)) => {
            note.message = message_id(count(position));
            true
        }
        _ => false,
    });
    Ok(originals)
}

/// A message as JSON, only while it is read; the session keeps the original object.
fn value(candidate: &Candidate, index: u32) -> Result<Value, String> {
    serde_wasm_bindgen::from_value(candidate.messages.get(index)).map_err(|error| {
        let number = number(index);
        t!("message {number} (index {index}) cannot be read: {error}.", number, index, error)
    })
}

/// Reads one message into its steps. Findings are noted with its index.
fn read_message(
    format: Format,
    value: &Value,
    index: u32,
    notes: &mut Vec<Note>,
) -> Result<Vec<Message>, String> {
    let reading = format.read(&message_id(index), value).map_err(|error| {
        let number = number(index);
        t!("message {number} (index {index}) is not a message: {error}.", number, index, error)
    })?;
    notes.extend(reading.issues.into_iter().map(|issue| Note {
        message: message_id(index),
        path: Some(issue.path),
        explanation: issue.message,
    }));
    Ok(reading.messages)
}

/// The agents that a message is only for: their names under `audience`, which no format of a provider has.
fn audience(value: &Value) -> Option<Vec<String>> {
    let names = value.get("audience")?.as_array()?.iter();
    names.map(|name| name.as_str().map(str::to_owned)).collect()
}

/// The engine's id of a loaded message.
fn message_id(index: u32) -> MessageId {
    MessageId::from(format!("m{index}"))
}

/// The number of a message, counted from 1.
fn number(index: u32) -> u32 {
    index.saturating_add(1)
}
