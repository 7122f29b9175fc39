//! What the browser keeps until the tab is closed. A browser that keeps nothing is no failure.

use web_sys::Storage;

fn storage() -> Option<Storage> {
    web_sys::window()?.session_storage().ok()?
}

/// What was remembered under a name.
pub(crate) fn recall(name: &str) -> Option<String> {
    storage()?.get_item(name).ok()?
}

/// Remembers a text under a name.
pub(crate) fn remember(name: &str, text: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(name, text);
    }
}

/// Forgets what was remembered under a name.
pub(crate) fn forget(name: &str) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(name);
    }
}
