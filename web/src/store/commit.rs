//! Commits what is new of the conversation on the page, one commit after the other.

use epitome_browser::clock;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsValue;

use super::keeping::{Kept, Open, Saved};
use super::records::Changes;
use super::session::Session;
use super::{Document, Store};
use crate::browser::{Log, Role, delete_log, new_id};
use crate::language::t;
use crate::number;

impl Store {
    /// Keeps the conversation on the page.
    pub(crate) fn keep(self) {
        self.keep_and_then(|| {});
    }

    /// Keeps the conversation on the page, and then calls a function. If it cannot be stored, the page says so, and goes on with
    /// it in memory: the function is called all the same, and the next commit has what this one lacks.
    pub(crate) fn keep_and_then(self, then: impl FnOnce() + 'static) {
        let keeping = self.keeping;
        keeping.changed.set_value(true);
        keeping.then.update_value(|all| all.push(Box::new(then)));
        if keeping.saved.get_untracked() != Saved::Lost {
            keeping.saved.set(Saved::Writing);
        }
        if keeping.writing.get_value() {
            return;
        }
        keeping.writing.set_value(true);
        spawn_local(async move {
            while keeping.changed.get_value() {
                // In a task of its own: the change is drawn first.
                let _ = clock::sleep(0.0, None).await;
                keeping.changed.set_value(false);
                let then = keeping.then.try_update_value(std::mem::take).unwrap_or_default();
                self.commit().await;
                then.into_iter().for_each(|then| then());
            }
            keeping.writing.set_value(false);
        });
    }

    /// Commits what is new, and shows whether it is stored.
    async fn commit(self) {
        let keeping = self.keeping;
        let Some(document) = self.document.get_untracked() else { return };
        if keeping.saved.get_untracked() == Saved::Lost {
            return;
        }
        if keeping.role() == Some(Role::Follower) {
            return keeping.saved.set(Saved::Kept);
        }
        let identity = self.read(Session::identity);
        let changes = self.write(Session::changes).flatten();
        let stored = self.store(&document, changes.as_ref()).await;
        // Another conversation may be on the page now.
        if !self.read(|session| session.is(&identity)) {
            return;
        }
        match (stored, changes) {
            (Ok(()), changes) => {
                if let Some(changes) = changes {
                    self.write(|session| session.handle_stored(changes));
                }
                // What came meanwhile is written next.
                if !keeping.changed.get_value() {
                    keeping.saved.set(Saved::Kept);
                }
            }
            // The other tab's change may have been heard of before the refusal.
            (Err(_), _) if keeping.saved.get_untracked() == Saved::Lost => {}
            (Err(_), _) if matches!(keeping.role(), None | Some(Role::Writer)) => {
                keeping.saved.set(Saved::Failed);
            }
            (Err(_), _) => keeping.lose(),
        }
    }

    /// Stores changes, and lists the conversation.
    async fn store(self, document: &Document, changes: Option<&Changes>) -> Result<(), JsValue> {
        let keeping = self.keeping;
        let lines = match changes {
            Some(changes) => Some(changes.lines().await?),
            None => None,
        };
        let Open { id, log, .. } = self.open_log().await?;
        if let Some(lines) = lines {
            log.commit(&lines).await?;
            keeping.open.update_value(|open| {
                if let Some(open) = open.as_mut().filter(|open| open.id == id) {
                    open.shown = log.sequence();
                }
            });
        }
        let tokens = self.pressure.with_untracked(|now| now.as_ref().map_or(0, |now| now.tokens));
        let (name, messages) = (document.name.clone(), document.messages);
        keeping.add(Kept { id, name, messages, tokens });
        Ok(())
    }

    /// The log of the conversation on the page, which is begun if there is none.
    async fn open_log(self) -> Result<Open, JsValue> {
        let keeping = self.keeping;
        if let Some(open) = keeping.open.get_value() {
            return Ok(open);
        }
        let identity = self.read(Session::identity);
        let id = new_id();
        let log = Log::begin(&id, &keeping.calls()).await?;
        let open = Open { id, log, shown: 0 };
        if self.read(|session| session.is(&identity)) {
            keeping.open.set_value(Some(open.clone()));
        }
        Ok(open)
    }

    /// Keeps the conversation on the page as another one than the one that it was.
    pub(crate) fn keep_copy(self) {
        self.keeping.show(None);
        self.write(Session::handle_unstored);
        self.keep();
    }

    /// Deletes a conversation from the browser, and then says what that has freed. The one on the page stays there.
    pub(crate) fn forget(self, id: &str, freed: impl FnOnce(String) + 'static) {
        let keeping = self.keeping;
        keeping.drop_from_list(id);
        self.chat.drafts.forget(id);
        if keeping.is_open(id) {
            keeping.show(None);
            self.write(Session::handle_unstored);
        }
        let bytes = keeping.space.with_untracked(|space| {
            space.as_ref().and_then(|space| space.of.get(id).copied()).unwrap_or_default()
        });
        let id = id.to_owned();
        spawn_local(async move {
            freed(match delete_log(&id).await {
                Ok(()) => t!("{bytes} are free again.", bytes = number::bytes(bytes)),
                Err(_) => t!("The browser could not delete it now.").to_owned(),
            });
            keeping.measure();
            // There may be space for it now.
            if keeping.saved.get_untracked() == Saved::Failed {
                self.keep();
            }
        });
    }
}
