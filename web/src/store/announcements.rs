//! What screen readers announce, in the one live region of the page.

use epitome_browser::clock;
use leptos::prelude::*;

use super::Store;

/// For how long after an announcement nothing is said that nobody waits for, in milliseconds.
const QUIET_MS: f64 = 5_000.0;

impl Store {
    /// Has screen readers announce a text.
    pub(crate) fn announce(&self, text: impl Into<String>) {
        self.announced_ms.set_value(clock::now_ms());
        self.announcement.set(text.into());
    }

    /// The same for what nobody waits for: it is left out if something was announced in the last five seconds.
    pub(crate) fn mention(&self, text: impl Into<String>) {
        if clock::now_ms() - self.announced_ms.get_value() >= QUIET_MS {
            self.announce(text);
        }
    }
}
