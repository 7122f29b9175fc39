//! Which conversations the browser keeps, and how far the one on the page is kept.
//!
//! Their records are in the store of the npm package ([`super::commit`]). The list of them is a small text beside it, which all
//! tabs see.

use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen::JsValue;

use super::space::Space;
use crate::browser::{Calls, Lifetime, Log, Role, recall, remember};

/// The name of the list.
const LIST: &str = "epitome-conversations";

/// A conversation that the browser keeps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Kept {
    /// Its id in the store.
    pub(crate) id: String,
    /// The name of its file or sample.
    pub(crate) name: String,
    /// The number of its messages.
    pub(crate) messages: u32,
    /// The tokens that the model gets of it.
    pub(crate) tokens: u32,
}

/// How far what is on the page is kept.
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
    /// Another tab has changed or deleted it, and nothing of this tab is stored any more.
    Lost,
}

/// The conversation on the page, as the browser keeps it.
#[derive(Clone)]
pub(super) struct Open {
    /// Its id.
    pub(super) id: String,
    /// Its records.
    pub(super) log: Log,
    /// The number of the last commit that is on the page.
    pub(super) shown: u32,
}

/// State of what is kept. Copying it copies handles.
#[derive(Clone, Copy)]
pub(crate) struct Keeping {
    /// The conversations, latest change first.
    pub(crate) list: RwSignal<Vec<Kept>>,
    /// How far the one on the page is kept.
    pub(crate) saved: RwSignal<Saved>,
    /// True while another tab edits the one on the page.
    pub(crate) is_following: RwSignal<bool>,
    /// Incremented when another tab has changed the one on the page, or the role of this tab has changed.
    pub(crate) news: RwSignal<u32>,
    /// The space that they take, once it was measured.
    pub(crate) space: RwSignal<Option<Space>>,
    /// What came of the latest deletion or question to the browser.
    pub(crate) said: RwSignal<String>,
    /// The one on the page, once it is kept.
    pub(super) open: StoredValue<Option<Open>, LocalStorage>,
    /// Whether it is being written.
    pub(super) writing: StoredValue<bool>,
    /// Whether it has changed since the last commit began.
    pub(super) changed: StoredValue<bool>,
    /// What is called after the next commit.
    pub(super) then: StoredValue<Vec<Box<dyn FnOnce()>>, LocalStorage>,
}

impl Keeping {
    /// The conversations of earlier visits.
    pub(super) fn new() -> Self {
        Self {
            list: RwSignal::new(listed()),
            saved: RwSignal::new(Saved::default()),
            is_following: RwSignal::new(false),
            news: RwSignal::new(0),
            space: RwSignal::new(None),
            said: RwSignal::new(String::new()),
            open: StoredValue::new_local(None),
            writing: StoredValue::new(false),
            changed: StoredValue::new(false),
            then: StoredValue::new_local(Vec::new()),
        }
    }

    /// Functions for the log of a conversation that is shown by this page.
    pub(super) fn calls(self) -> Calls {
        Calls::new(
            move || matches!(self.saved.get_untracked(), Saved::Unneeded | Saved::Kept),
            move || self.news.update(|news| *news = news.wrapping_add(1)),
        )
    }

    /// Opens a conversation of the list; `None` if the browser does not have it any more. It is not on the page yet.
    pub(crate) async fn open(self, id: &str) -> Result<Option<Log>, JsValue> {
        Log::open(id, &self.calls()).await
    }

    /// Another conversation is on the page: one that is kept, or a new one. The other tabs may edit the one before it.
    pub(crate) fn show(self, kept: Option<(String, Log)>) {
        let role = kept.as_ref().map(|(_, log)| log.role());
        self.is_following.set(role == Some(Role::Follower));
        self.saved.set(if kept.is_some() { Saved::Kept } else { Saved::default() });
        let next = kept.map(|(id, log)| Open { id, shown: log.sequence(), log });
        if let Some(before) =
            self.open.try_update_value(|open| std::mem::replace(open, next)).flatten()
        {
            before.log.close();
        }
    }

    /// The id of the conversation on the page, if it is kept.
    pub(crate) fn id(self) -> Option<String> {
        self.open.with_value(|open| open.as_ref().map(|open| open.id.clone()))
    }

    /// True if the conversation on the page is the kept one of this id.
    pub(crate) fn is_open(self, id: &str) -> bool {
        self.open.with_value(|open| open.as_ref().is_some_and(|open| open.id == id))
    }

    /// What this tab may do with the conversation on the page, if that is kept.
    pub(crate) fn role(self) -> Option<Role> {
        self.open.with_value(|open| open.as_ref().map(|open| open.log.role()))
    }

    /// The records of the conversation on the page, if another tab has added some since they were shown.
    pub(crate) fn newer_text(self) -> Option<String> {
        let text = self.open.try_update_value(|open| {
            let open = open.as_mut()?;
            let latest = open.log.sequence();
            let is_newer = std::mem::replace(&mut open.shown, latest) != latest;
            is_newer.then(|| open.log.text())
        });
        text.flatten()
    }

    /// Makes this tab the one that edits the conversation on the page. The role changes once that is done.
    pub(crate) async fn take_over(self) -> Result<(), JsValue> {
        let log = self.open.with_value(|open| open.as_ref().map(|open| open.log.clone()));
        match log {
            Some(log) => log.take_over().await.map(drop),
            None => Ok(()),
        }
    }

    /// Nothing of the conversation on the page can be stored under its id any more.
    pub(crate) fn lose(self) {
        self.show(None);
        self.saved.set(Saved::Lost);
    }

    /// Shows the list as another tab has changed it. False if it has deleted the conversation on the page.
    pub(crate) fn read_list(self) -> bool {
        let list = listed();
        let had = self.list.with_untracked(|before| before.iter().any(|it| self.is_open(&it.id)));
        let has = list.iter().any(|it| self.is_open(&it.id));
        self.list.set(list);
        has || !had
    }

    /// Puts a conversation at the beginning of the list. None goes for it: what to delete is for the user to say.
    pub(super) fn add(self, kept: Kept) {
        self.edit(|list| {
            list.retain(|other| other.id != kept.id);
            list.insert(0, kept);
        });
    }

    /// Takes a conversation out of the list.
    pub(crate) fn drop_from_list(self, id: &str) {
        self.edit(|list| list.retain(|kept| kept.id != id));
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
        let Self { id, name, messages, tokens } = self;
        json!({ "id": id, "name": name, "messages": messages, "tokens": tokens })
    }

    fn read(value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
        let number = |name: &str| u32::try_from(value.get(name)?.as_u64()?).ok();
        let (messages, tokens) = (number("messages")?, number("tokens")?);
        Some(Self { id: text("id")?, name: text("name")?, messages, tokens })
    }
}

/// The list, as the browser has it.
fn listed() -> Vec<Kept> {
    let text = recall(Lifetime::Lasting, LIST).unwrap_or_default();
    let list = serde_json::from_str::<Vec<Value>>(&text).unwrap_or_default();
    list.iter().filter_map(Kept::read).collect()
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
        };
        assert_eq!(Kept::read(&kept.written()), Some(kept));
        assert_eq!(Kept::read(&json!({ "id": 7 })), None);
    }
}
