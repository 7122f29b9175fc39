//! The session as records: what a store does not have of it yet, and the session that records make.

use epitome::history::Record;
use epitome::message::MessageId;
use epitome::tokens::BoxedTokenizer;
use epitome::{Compactor, Policy, Snapshot, Stored};
use js_sys::{Array, JSON, Reflect};
use serde_json::{Value, json};
use wasm_bindgen::JsValue;

use super::message_number::index_of;
use super::overhead::{Overhead, overhead_in};
use super::session::Session;
use crate::browser::{Lines, lines, pieces};

/// How the first line begins.
const BEGIN: &str = "{\"record\":\"begin\",";

/// How a line with a loaded message begins.
const ORIGINAL: &str = "{\"record\":\"original\",";

/// How the line with the engine's own state begins.
const STATE: &str = "{\"record\":\"state\",";

/// The kind of the record that says which messages were brought back. The engine keeps it and passes over it.
const BROUGHT_BACK: &str = "broughtBack";

/// What a store has of a session.
#[derive(Debug, Default)]
pub(super) struct InStore {
    /// How many of the originals it has.
    originals: u32,
    /// The messages that were brought back when it was stored.
    brought_back: Vec<MessageId>,
    /// Whether it has what came beside the messages, which never changes.
    overhead: bool,
}

/// What a store does not have yet.
pub(crate) struct Changes {
    records: String,
    state: String,
    originals: Array,
    /// The index of the first of these originals.
    first: u32,
    brought_back: Vec<MessageId>,
}

impl Changes {
    /// The lines to store. In slices, since loaded messages may be long.
    pub(crate) async fn lines(&self) -> Result<Lines, JsValue> {
        let records = pieces(&self.records).await;
        let originals = lines(&self.originals, |index| original(self.first.saturating_add(index)));
        let pieces = records.concat(&originals.await?);
        Ok(Lines { pieces, state: self.state.clone() })
    }
}

impl Session {
    /// What a store does not have yet; `None` if it has everything. Linear in it.
    pub(crate) fn changes(&mut self) -> Option<Changes> {
        let first = self.in_store.originals;
        let is_back_new = self.in_store.brought_back != self.brought_back;
        let originals = self.originals.slice(first, self.originals.length());
        let brought_back = self.brought_back.clone();
        let overhead = Some(&self.overhead).filter(|_| !self.in_store.overhead);
        let overhead = overhead.filter(|it| !it.is_empty()).map(Overhead::line);
        let compactor = self.compactor_mut()?;
        if originals.length() == 0 && !is_back_new && !compactor.has_unsaved() {
            return None;
        }
        let mut records = compactor.unsaved().ok()?;
        if is_back_new {
            records.push_str(&brought_back_line(&brought_back));
        }
        records.extend(overhead);
        let state = compactor.state_line().ok()?;
        Some(Changes { records, state, originals, first, brought_back })
    }

    /// Takes note that these changes are stored.
    pub(crate) fn handle_stored(&mut self, changes: Changes) {
        let Changes { originals, first, brought_back, .. } = changes;
        self.in_store =
            InStore { originals: first + originals.length(), brought_back, overhead: true };
        if let Some(compactor) = self.compactor_mut() {
            compactor.handle_saved();
        }
    }

    /// Takes note that no store has anything of the session.
    pub(crate) fn handle_unstored(&mut self) {
        self.in_store = InStore::default();
        if let Some(compactor) = self.compactor_mut() {
            compactor.collect_unsaved(Stored::Nothing);
        }
    }

    /// Everything, as if nothing of it were stored. Linear in it.
    pub(crate) fn everything(&self) -> Option<Changes> {
        let mut records = self.compactor()?.snapshot().to_json_lines().ok()?;
        let state = records.split_off(records.rfind(STATE)?);
        records.push_str(&brought_back_line(&self.brought_back));
        // A restored engine has it.
        if !self.overhead.is_empty() && overhead_in(&records) != self.overhead {
            records.push_str(&self.overhead.line());
        }
        let (originals, brought_back) = (self.originals.clone(), self.brought_back.clone());
        Some(Changes { records, state, originals, first: 0, brought_back })
    }

    /// Shows what records say of the loaded messages, and messages of theirs that are not here yet. Fails with a sentence for the user, and then changes nothing. Linear in the
    /// conversation.
    pub(crate) fn replay(&mut self, text: &str, tokenizer: BoxedTokenizer) -> Result<(), String> {
        let Some(counting) = self.compactor().map(|it| it.policy().counting.clone()) else {
            return Ok(());
        };
        let snapshot = Snapshot::from_json_lines(text).map_err(|error| error.to_string())?;
        let restored = Compactor::restore(snapshot, self.format(), tokenizer);
        let mut restored = restored.map_err(|error| error.to_string())?;
        // The messages were counted by this tokenizer now, whichever counted them when they were stored.
        let policy = Policy { counting, ..restored.policy().clone() };
        restored.set_policy(policy).map_err(|error| error.to_string())?;
        restored.collect_unsaved(Stored::Everything);
        let brought_back = brought_back_in(&restored);
        add_originals(text, &self.originals);
        self.renew(restored);
        let originals = self.originals.length();
        self.in_store = InStore { originals, brought_back: brought_back.clone(), overhead: true };
        self.set_brought_back(brought_back);
        Ok(())
    }
}

/// True for a text that begins as records do.
pub(crate) fn is_archive(text: &str) -> bool {
    text.starts_with(BEGIN)
}

/// The loaded messages in records, in their order.
pub(crate) fn originals_in(text: &str) -> Array {
    let originals = Array::new();
    add_originals(text, &originals);
    originals
}

/// Adds the messages in records that a list does not have yet.
fn add_originals(text: &str, originals: &Array) {
    let lines = text.lines().filter(|line| line.starts_with(ORIGINAL));
    for line in lines.skip(usize::try_from(originals.length()).unwrap_or(usize::MAX)) {
        let Ok(record) = JSON::parse(line) else { continue };
        let field = |name: &str| Reflect::get(&record, &name.into()).unwrap_or_default();
        let index = field("id").as_string().and_then(|id| index_of(&id));
        if let Some(index) = index {
            originals.set(index, field("message"));
        }
    }
}

/// What stands around a loaded message in its line.
fn original(index: u32) -> (String, &'static str) {
    (format!("{ORIGINAL}\"id\":\"m{index}\",\"message\":"), "}\n")
}

fn brought_back_line(ids: &[MessageId]) -> String {
    let ids: Vec<&str> = ids.iter().map(MessageId::as_str).collect();
    format!("{}\n", json!({ "record": BROUGHT_BACK, "ids": ids }))
}

/// What was brought back last.
fn brought_back_in(compactor: &Compactor) -> Vec<MessageId> {
    let unknown = compactor.log().records().iter().rev().find_map(|record| match record {
        Record::Unknown(unknown) if unknown.kind() == BROUGHT_BACK => Some(unknown),
        _ => None,
    });
    let record = unknown.and_then(|it| serde_json::from_str::<Value>(it.line()).ok());
    let ids = record.and_then(|record| record.get("ids")?.as_array().cloned()).unwrap_or_default();
    ids.iter().filter_map(Value::as_str).map(MessageId::from).collect()
}
