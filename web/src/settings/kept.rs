//! The settings between visits. The browser keeps them without keys and headers.

use leptos::prelude::*;
use serde_json::{Value, json};

use super::{Form, Server, SettingsState, Summarizer};
use crate::browser::{Lifetime, recall, remember};

/// The name under which the browser keeps them.
const NAME: &str = "epitome-settings";

/// The settings of the last visit, or the recommended ones.
pub(super) fn last() -> (Form, Summarizer, Server) {
    let kept = recall(Lifetime::Lasting, NAME);
    let kept: Option<Value> = kept.and_then(|kept| serde_json::from_str(&kept).ok());
    let mut form = Form::recommended();
    let mut summarizer = Summarizer::remembered();
    let mut server = Server::for_answers();
    if let Some(kept) = kept {
        if let Some(policy) = kept.get("policy").and_then(Value::as_str) {
            // What another version of the page has kept may not be valid now.
            let _ = form.apply_json(policy);
        }
        if let Some(chosen) = kept.get("summarizer") {
            summarizer.choose_kept(chosen);
        }
        if let Some(chosen) = kept.get("answers") {
            server.choose_kept(chosen);
        }
    }
    (form, summarizer, server)
}

impl SettingsState {
    /// Keeps the settings for the next visit, unless they are not valid. `window` and `document_overhead` are what belongs to
    /// the loaded conversation and not to the settings.
    pub(crate) fn keep(self, window: u32, document_overhead: u32) {
        let mut form = self.form.get_untracked();
        if form.resolve().is_err() {
            return;
        }
        form.clear_document_overhead(document_overhead);
        form.set_window(window);
        let summarizer = self.summarizer.with_untracked(Summarizer::to_keep);
        let answers = self.server.with_untracked(Server::to_keep);
        let text = json!({ "policy": form.json(), "summarizer": summarizer, "answers": answers });
        let text = text.to_string();
        if self.kept.with_value(|kept| *kept != text) {
            remember(Lifetime::Lasting, NAME, &text);
            self.kept.set_value(text);
        }
    }
}
