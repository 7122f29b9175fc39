//! Texts that the browser stores. A browser that stores nothing is not an error.

use leptos::prelude::{on_cleanup, window_event_listener};
use web_sys::Storage;

/// How long the browser keeps a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lifetime {
    /// Until the tab is closed.
    Tab,
    /// For the next visit too.
    Lasting,
}

fn storage(lifetime: Lifetime) -> Option<Storage> {
    let window = web_sys::window()?;
    match lifetime {
        Lifetime::Tab => window.session_storage().ok()?,
        Lifetime::Lasting => window.local_storage().ok()?,
    }
}

/// The stored text of this name.
pub(crate) fn recall(lifetime: Lifetime, name: &str) -> Option<String> {
    storage(lifetime)?.get_item(name).ok()?
}

/// Stores a text.
pub(crate) fn remember(lifetime: Lifetime, name: &str, text: &str) {
    if let Some(storage) = storage(lifetime) {
        let _ = storage.set_item(name, text);
    }
}

/// Removes a stored text.
pub(crate) fn forget(lifetime: Lifetime, name: &str) {
    if let Some(storage) = storage(lifetime) {
        let _ = storage.remove_item(name);
    }
}

/// Calls a function when another tab has changed a lasting text.
pub(crate) fn on_other_tabs_change(changed: impl Fn() + 'static) {
    let listener = window_event_listener(leptos::ev::storage, move |_| changed());
    on_cleanup(move || listener.remove());
}
