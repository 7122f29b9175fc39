//! Texts that the browser stores until the tab is closed. A browser that stores nothing is not an error.

use web_sys::Storage;

fn storage() -> Option<Storage> {
    web_sys::window()?.session_storage().ok()?
}

/// The stored text of this name.
pub(crate) fn recall(name: &str) -> Option<String> {
    storage()?.get_item(name).ok()?
}

/// Stores a text.
pub(crate) fn remember(name: &str, text: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(name, text);
    }
}

/// Removes a stored text.
pub(crate) fn forget(name: &str) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(name);
    }
}
