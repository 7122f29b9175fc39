//! Keeps conversations in the browser, so that a reload goes on where it was.
//!
//! A conversation is two files: its messages, written once, and what was recorded since, written after each change. The list of
//! conversations is a small text beside them.

use epitome::message::MessageId;
use epitome_browser::clock;
use js_sys::Array;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::{Value, json};
use wasm_bindgen::JsValue;

use super::space::{Space, bytes_of};
use super::{Session, Store};
use crate::browser::{Lifetime, pretty, read_file, recall, remember, remove_file, write_file};
use crate::number;

/// The name of the list.
const LIST: &str = "epitome-conversations";

/// A conversation that the browser keeps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Kept {
    /// Its id, which its files are named by.
    pub(crate) id: String,
    /// The name of its file or sample.
    pub(crate) name: String,
    /// The number of its messages.
    pub(crate) messages: u32,
    /// The tokens that the model gets of it.
    pub(crate) tokens: u32,
    /// The ids of its messages that were brought back.
    pub(crate) brought_back: Vec<MessageId>,
}

/// Whether what is on the page is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Saved {
    /// Nothing has changed yet, and it is a sample.
    #[default]
    Unneeded,
    /// It is being written.
    Writing,
    /// All of it is kept.
    Kept,
    /// The browser has no space for it, or keeps nothing.
    Failed,
}

/// State of what is kept. Copying it copies handles.
#[derive(Clone, Copy)]
pub(crate) struct Keeping {
    /// The conversations, latest change first.
    pub(crate) list: RwSignal<Vec<Kept>>,
    /// Whether the one on the page is kept.
    pub(crate) saved: RwSignal<Saved>,
    /// The space that they take, once it was measured.
    pub(crate) space: RwSignal<Option<Space>>,
    /// What came of the latest deletion or question to the browser.
    pub(crate) said: RwSignal<String>,
    /// The id of the one on the page, once it is kept.
    current: StoredValue<Option<String>>,
    /// Whether it is being written.
    writing: StoredValue<bool>,
    /// Whether it has changed while it was being written.
    changed: StoredValue<bool>,
}

impl Keeping {
    /// The conversations of earlier visits.
    pub(super) fn new() -> Self {
        Self {
            list: RwSignal::new(listed()),
            saved: RwSignal::new(Saved::default()),
            space: RwSignal::new(None),
            said: RwSignal::new(String::new()),
            current: StoredValue::new(None),
            writing: StoredValue::new(false),
            changed: StoredValue::new(false),
        }
    }

    /// Another conversation is shown: one of the list, or a new one.
    pub(super) fn show(self, id: Option<String>) {
        self.saved.set(if id.is_some() { Saved::Kept } else { Saved::default() });
        self.current.set_value(id);
    }

    /// Removes a conversation from the browser, and then says what that has freed.
    pub(crate) fn forget(self, id: &str, freed: impl FnOnce(String) + 'static) {
        self.edit(|list| list.retain(|kept| kept.id != id));
        if self.current.with_value(|current| current.as_deref() == Some(id)) {
            self.show(None);
        }
        let id = id.to_owned();
        spawn_local(async move {
            let bytes = bytes_of(&id).await;
            for name in files(&id) {
                remove_file(&name).await;
            }
            freed(format!("{} are free again.", number::bytes(bytes)));
            self.measure();
        });
    }

    /// Puts a conversation at the beginning of the list. None goes for it: what to delete is for the user to say.
    fn add(self, kept: Kept) {
        self.edit(|list| {
            list.retain(|other| other.id != kept.id);
            list.insert(0, kept);
        });
    }

    /// Changes the list, on the page and in the browser. Another tab may have changed it meanwhile.
    fn edit(self, change: impl FnOnce(&mut Vec<Kept>)) {
        let mut list = listed();
        change(&mut list);
        let written: Vec<Value> = list.iter().map(Kept::written).collect();
        remember(Lifetime::Lasting, LIST, &Value::from(written).to_string());
        self.list.set(list);
    }
}

impl Kept {
    fn written(&self) -> Value {
        let Self { id, name, messages, tokens, brought_back } = self;
        let ids: Vec<&str> = brought_back.iter().map(MessageId::as_str).collect();
        json!({ "id": id, "name": name, "messages": messages, "tokens": tokens, "broughtBack": ids })
    }

    fn read(value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
        let number = |name: &str| u32::try_from(value.get(name)?.as_u64()?).ok();
        let (messages, tokens) = (number("messages")?, number("tokens")?);
        // A list of an earlier version has none.
        let ids = value.get("broughtBack").and_then(Value::as_array).into_iter().flatten();
        let brought_back = ids.filter_map(Value::as_str).map(MessageId::from).collect();
        Some(Self { id: text("id")?, name: text("name")?, messages, tokens, brought_back })
    }
}

/// The list, as the browser has it.
fn listed() -> Vec<Kept> {
    let text = recall(Lifetime::Lasting, LIST).unwrap_or_default();
    let list = serde_json::from_str::<Vec<Value>>(&text).unwrap_or_default();
    list.iter().filter_map(Kept::read).collect()
}

/// The names of the files of a conversation: its messages, and what was recorded since.
pub(super) fn files(id: &str) -> [String; 2] {
    [format!("{id}.json"), format!("{id}.jsonl")]
}

/// The messages of a kept conversation as JSON, and what was recorded since; `None` if the browser does not have it any more.
pub(crate) async fn kept_texts(id: &str) -> Option<(String, String)> {
    let [messages, changes] = files(id);
    Some((read_file(&messages).await?, read_file(&changes).await.unwrap_or_default()))
}

impl Store {
    /// Keeps the conversation on the page. A further call while it is being written has it written once more.
    pub(crate) fn keep(self) {
        let keeping = self.keeping;
        keeping.changed.set_value(true);
        keeping.saved.set(Saved::Writing);
        if keeping.writing.get_value() {
            return;
        }
        keeping.writing.set_value(true);
        spawn_local(async move {
            while keeping.changed.get_value() {
                // In a task of its own: the change is drawn first.
                let _ = clock::sleep(0.0, None).await;
                keeping.changed.set_value(false);
                let Some((id, written)) = self.write_files().await else { continue };
                // Another conversation may be on the page now.
                if keeping.current.with_value(|current| *current == Some(id)) {
                    keeping.saved.set(if written.is_ok() { Saved::Kept } else { Saved::Failed });
                }
            }
            keeping.writing.set_value(false);
        });
    }

    /// Writes the conversation on the page as it is now. Returns its id.
    async fn write_files(self) -> Option<(String, Result<(), JsValue>)> {
        let keeping = self.keeping;
        let document = self.document.get_untracked()?;
        let is_new = keeping.current.with_value(Option::is_none);
        let id = keeping.current.get_value().unwrap_or_else(|| format!("{:.0}", clock::now_ms()));
        keeping.current.set_value(Some(id.clone()));
        let originals = self.read(Session::originals);
        let recorded = self.write(Session::recorded).unwrap_or_default();
        let tokens = self.pressure.with_untracked(|now| now.as_ref().map_or(0, |now| now.tokens));
        let (name, messages) = (document.name.clone(), document.messages);
        let brought_back = self.read(|session| session.brought_back().to_vec());
        let kept = Kept { id: id.clone(), name, messages, tokens, brought_back };
        let written = write(&id, is_new.then_some(originals), recorded).await;
        if written.is_ok() {
            keeping.add(kept);
        }
        Some((id, written))
    }
}

/// Writes the files of a conversation.
async fn write(id: &str, originals: Option<Array>, recorded: String) -> Result<(), JsValue> {
    let [messages, changes] = files(id);
    if let Some(originals) = originals {
        write_file(&messages, &pretty(&originals).await?).await?;
    }
    write_file(&changes, &Array::of1(&recorded.into())).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_conversation_is_written_and_read() {
        let kept = Kept {
            id: "17".to_owned(),
            name: "a \"chat\".json".to_owned(),
            messages: 3,
            tokens: 450,
            brought_back: vec!["m1".into(), "m2#1".into()],
        };
        assert_eq!(Kept::read(&kept.written()), Some(kept));
        assert_eq!(Kept::read(&json!({ "id": 7 })), None);
    }
}
