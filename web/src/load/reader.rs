//! Reads a conversation message by message, and lets the page be drawn in between.

use std::sync::Arc;

use epitome::history::{Ending, most_recent, repair};
use epitome::message::{Message, MessageId};
use epitome::meter::Tokenizer as _;
use epitome::{Compactor, Policy};
use epitome_formats::{Detection, Format, detect};
use epitome_tokens::Heuristic;
use js_sys::Array;
use leptos::prelude::*;
use serde_json::Value;

use super::candidate::Candidate;
use crate::browser::{Pace, Stopwatch, memory_bytes, show_memory};
use crate::form::Settings;
use crate::number::{count, plural};
use crate::store::{Document, Left, Note, Session, Store, tokenizer};

/// Longest stretch of reading: each pause takes time too, and somebody waits for the end.
const SLICE_MS: f64 = 16.0;
/// Odd things that are listed one by one; there may be one for each of a hundred thousand messages.
const MOST_NOTES: usize = 500;

/// Reads a conversation and shows it in place of the one before. Fails with a sentence for a person,
/// and leaves the one before as it was.
pub(super) async fn read(store: Store, name: String, candidate: Candidate) -> Result<(), String> {
    let watch = Stopwatch::start("epitome:load");
    let policy = store.settings.with_untracked(Settings::policy);
    let budget_tokens = policy.window.saturating_sub(Heuristic.count(&candidate.tools));
    let policy = Policy {
        characters_per_token: policy.characters_per_token,
        ..Policy::recommended(epitome::policy::DEFAULT_WINDOW)
    };
    let counter = tokenizer(&policy);
    let contract = Format::OpenAiChat.contract();
    let mut compactor = Compactor::new(policy.clone(), contract, tokenizer(&policy))
        .map_err(|error| error.to_string())?;
    let recent_only = store.recent_only.get_untracked();
    let mut read = Vec::new();
    let mut notes = Vec::new();
    let total = candidate.messages.length();
    let mut pace = Pace::start(SLICE_MS);
    for index in 0..total {
        let message = message(&candidate, index, &mut notes)?;
        if recent_only {
            read.push(message);
        } else {
            compactor.append(message).map_err(|error| format!("{}: {error}.", place(index)))?;
        }
        if pace.is_due() {
            store.loading.set(Some((name.clone(), f64::from(index) / f64::from(total))));
            pace.rest().await;
        }
    }
    pace.rest().await;
    let mut originals = candidate.messages.clone();
    let mut left = None;
    if recent_only {
        let taken = most_recent(&read, budget_tokens, &*counter);
        originals = take(&mut compactor, &candidate, read, &taken, &mut notes)?;
        let of = total;
        left = (originals.length() < of).then_some(Left { of, budget_tokens });
        pace.rest().await;
    }
    notes.extend(repairs(&compactor));
    notes.sort_by_key(|note| note.position);
    notes.truncate(MOST_NOTES);
    pace.rest().await;

    if !candidate.tools.is_empty() {
        let tokens = Heuristic.count(&candidate.tools);
        store.settings.update(|settings| {
            settings.forget("toolSchemaTokens");
            settings.edit(|policy| policy.tool_schema_tokens = tokens);
        });
    }
    store.clear();
    let messages = originals.length();
    store.write(|session| *session = Session::new(compactor, originals, candidate.messages));
    store.apply_settings();
    let read_ms = watch.elapsed_ms();
    let memory_bytes = memory_bytes();
    let document = Document { name, messages, left, notes, read_ms, memory_bytes };
    store.announce(format!("Loaded {}.", plural(messages, "message", "messages")));
    store.document.set(Some(Arc::new(document)));
    // The page first, and then what it shows of the conversation.
    pace.rest().await;
    store.show_change();
    show_memory();
    pace.rest().await;
    watch.stop();
    Ok(())
}

/// Appends the messages that were taken, under new names, and gives back their originals. Notes on the
/// others are dropped.
fn take(
    compactor: &mut Compactor,
    candidate: &Candidate,
    read: Vec<Message>,
    taken: &[usize],
    notes: &mut Vec<Note>,
) -> Result<Array, String> {
    let originals = Array::new();
    for (index, message) in read.into_iter().enumerate() {
        if taken.binary_search(&index).is_ok() {
            let index = count(index);
            let id = MessageId::from(format!("m{}", originals.length()));
            originals.push(&candidate.messages.get(index));
            let appended = compactor.append(Message { id, ..message });
            appended.map_err(|error| format!("{}: {error}.", place(index)))?;
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

/// Reads one message. Its JSON value lives only in here: the browser keeps the original.
fn message(candidate: &Candidate, index: u32, notes: &mut Vec<Note>) -> Result<Message, String> {
    let original = candidate.messages.get(index);
    let value: Value = serde_wasm_bindgen::from_value(original)
        .map_err(|error| format!("{} cannot be read: {error}.", place(index)))?;
    if let Detection::Foreign(format) = detect(std::slice::from_ref(&value)) {
        return Err(format!(
            "these look like {format}; this version reads OpenAI Chat Completions. {} gives it away.",
            place(index)
        ));
    }
    let reading = Format::OpenAiChat
        .read(MessageId::from(format!("m{index}")), &value)
        .map_err(|error| format!("{} is no message: {error}.", place(index)))?;
    let position = usize::try_from(index).unwrap_or(usize::MAX);
    notes.extend(reading.surprises.into_iter().map(|surprise| Note {
        position,
        path: Some(surprise.path),
        explanation: surprise.message,
    }));
    Ok(reading.message)
}

/// A message in words, by its number and by its index.
fn place(index: u32) -> String {
    format!("message {} (index {index})", index.saturating_add(1))
}

/// What a provider would refuse, and what a compaction does about it.
fn repairs(compactor: &Compactor) -> Vec<Note> {
    let log = compactor.log();
    let messages: Vec<&Message> = log.messages().collect();
    let findings = repair(&messages, Ending::Open).findings;
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
