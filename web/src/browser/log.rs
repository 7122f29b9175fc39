//! Conversations that the browser keeps, as text that one tab writes and the others follow. The npm package does it.

use js_sys::{Array, JsString};
use serde_json::Value;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast as _, JsValue};

#[wasm_bindgen(raw_module = "page/storage.js")]
extern "C" {
    /// The records of one conversation, as this tab has it.
    #[derive(Clone, Debug)]
    pub(crate) type Log;

    /// The number of its last commit.
    #[wasm_bindgen(method)]
    pub(crate) fn sequence(this: &Log) -> u32;

    /// All records that this tab has read, and the engine's own state.
    #[wasm_bindgen(method)]
    pub(crate) fn text(this: &Log) -> String;

    /// Lets another tab write.
    #[wasm_bindgen(method)]
    pub(crate) fn close(this: &Log);

    /// Makes this tab the writer.
    #[wasm_bindgen(method, catch, js_name = takeOver)]
    pub(crate) async fn take_over(this: &Log) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, js_name = role)]
    fn role_name(this: &Log) -> String;

    #[wasm_bindgen(method, getter)]
    fn damage(this: &Log) -> JsValue;

    #[wasm_bindgen(catch, js_name = beginLog)]
    async fn begin_log(
        id: &str,
        is_saved: &JsValue,
        on_change: &JsValue,
    ) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_name = openLog)]
    async fn open_log(
        id: &str,
        is_saved: &JsValue,
        on_change: &JsValue,
    ) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_name = newId)]
    fn new_log_id() -> String;

    #[wasm_bindgen(catch)]
    async fn commit(log: &Log, lines: &JsString, state: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_name = archiveOf)]
    async fn archive_of(lines: &JsString, state: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_name = deleteConversation)]
    async fn delete_conversation(id: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_name = spaceUsed)]
    async fn space_used() -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_name = persistStorage)]
    async fn persist_storage() -> Result<JsValue, JsValue>;
}

/// What a tab may do with a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It changes and stores the conversation.
    Writer,
    /// It shows what another tab stores.
    Follower,
    /// Another tab has changed or deleted the conversation, and this one can store nothing any more.
    Stale,
}

/// Lines that are stored in one step, and the engine's own state after them.
#[derive(Debug)]
pub(crate) struct Lines {
    /// The lines, in pieces.
    pub(crate) pieces: Array,
    /// The state.
    pub(crate) state: String,
}

impl Lines {
    fn joined(&self) -> JsString {
        self.pieces.join("")
    }
}

/// Functions of the page that a log calls.
pub(crate) struct Calls {
    is_saved: JsValue,
    on_change: JsValue,
}

impl Calls {
    /// `is_saved` is false while the page has something that is not committed; `on_change` is called when another tab has changed
    /// the conversation, and when the role of this tab has changed.
    pub(crate) fn new(
        is_saved: impl Fn() -> bool + 'static,
        on_change: impl Fn() + 'static,
    ) -> Self {
        let is_saved: Closure<dyn Fn() -> bool> = Closure::new(is_saved);
        let on_change: Closure<dyn Fn()> = Closure::new(on_change);
        Self { is_saved: is_saved.into_js_value(), on_change: on_change.into_js_value() }
    }
}

/// An id that no conversation has.
pub(crate) fn new_id() -> String {
    new_log_id()
}

impl Log {
    /// Begins a conversation under a new id.
    pub(crate) async fn begin(id: &str, calls: &Calls) -> Result<Self, JsValue> {
        Ok(begin_log(id, &calls.is_saved, &calls.on_change).await?.unchecked_into())
    }

    /// Opens a conversation; `None` if the browser does not have it.
    pub(crate) async fn open(id: &str, calls: &Calls) -> Result<Option<Self>, JsValue> {
        let opened = open_log(id, &calls.is_saved, &calls.on_change).await?;
        Ok((!opened.is_undefined()).then(|| opened.unchecked_into()))
    }

    /// What this tab may do with it.
    pub(crate) fn role(&self) -> Role {
        match self.role_name().as_str() {
            "writer" => Role::Writer,
            "follower" => Role::Follower,
            _ => Role::Stale,
        }
    }

    /// True if the browser has lost something of it.
    pub(crate) fn is_damaged(&self) -> bool {
        !self.damage().is_undefined()
    }

    /// Stores what is new in one step, if this tab is still the writer.
    pub(crate) async fn commit(&self, lines: &Lines) -> Result<(), JsValue> {
        commit(self, &lines.joined(), &lines.state).await.map(drop)
    }
}

/// A conversation as one text, from which the package restores it.
pub(crate) async fn archive(lines: &Lines) -> Result<JsValue, JsValue> {
    archive_of(&lines.joined(), &lines.state).await
}

/// Deletes a conversation from the browser, for all tabs.
pub(crate) async fn delete_log(id: &str) -> Result<(), JsValue> {
    delete_conversation(id).await.map(drop)
}

/// What the package says of the space that is used; `None` if the browser does not say.
pub(crate) async fn storage_use() -> Option<Value> {
    serde_wasm_bindgen::from_value(space_used().await.ok()?).ok()
}

/// Asks the browser to delete nothing of this page when the disk fills up. True if it agrees: some ask the user.
pub(crate) async fn ask_to_persist() -> bool {
    persist_storage().await.is_ok_and(|answer| answer.as_bool() == Some(true))
}
