//! Reads a conversation message by message, and lets the page be drawn in between.

use std::sync::Arc;

use epitome::history::{Ending, repair};
use epitome::message::{Message, MessageId};
use epitome::meter::Tokenizer as _;
use epitome::{Compactor, Policy};
use epitome_browser::clock;
use epitome_formats::{Detection, Format, detect};
use epitome_tokens::Heuristic;
use leptos::prelude::*;
use serde_json::Value;

use super::candidate::Candidate;
use crate::browser::{Stopwatch, memory_bytes, show_memory};
use crate::number::{count, plural};
use crate::store::{Document, Note, Session, Store};

/// Longest stretch of reading without letting the page be drawn.
const SLICE_MS: f64 = 20.0;
/// Odd things that are listed one by one; there may be one for each of a hundred thousand messages.
const MOST_NOTES: usize = 500;

/// Reads a conversation and shows it in place of the one before. Fails with a sentence for a person,
/// and leaves the one before as it was.
pub(super) async fn read(store: Store, name: String, candidate: Candidate) -> Result<(), String> {
    let watch = Stopwatch::start("epitome:load");
    let policy = Policy::recommended(epitome::policy::DEFAULT_WINDOW);
    let tokenizer = Box::new(Heuristic);
    let mut compactor = Compactor::new(policy, Format::OpenAiChat.contract(), tokenizer)
        .map_err(|error| error.to_string())?;
    let mut notes = Vec::new();
    let total = candidate.messages.length();
    let mut slice_ms = clock::now_ms();
    for index in 0..total {
        let message = message(&candidate, index, &mut notes)?;
        compactor.append(message).map_err(|error| format!("{}: {error}.", place(index)))?;
        if clock::now_ms() - slice_ms > SLICE_MS {
            store.loading.set(Some((name.clone(), f64::from(index) / f64::from(total))));
            breathe().await;
            slice_ms = clock::now_ms();
        }
    }
    breathe().await;
    notes.extend(repairs(&compactor));
    notes.sort_by_key(|note| note.position);
    notes.truncate(MOST_NOTES);
    breathe().await;

    if !candidate.tools.is_empty() {
        let tokens = Heuristic.count(&candidate.tools).to_string();
        store.form.update(|form| form.tool_schemas = tokens);
    }
    store.clear();
    store.write(|session| *session = Session::new(compactor, candidate.messages));
    store.apply_settings();
    let read_ms = watch.elapsed_ms();
    let memory_bytes = memory_bytes();
    let document = Document { name, messages: total, notes, read_ms, memory_bytes };
    store.announce(format!("Loaded {}.", plural(total, "message", "messages")));
    store.document.set(Some(Arc::new(document)));
    store.show_change();
    show_memory();
    breathe().await;
    watch.stop();
    Ok(())
}

/// Lets the page be drawn and keys be heard.
async fn breathe() {
    let _ = clock::sleep(0.0, None).await;
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
