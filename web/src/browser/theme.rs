//! The theme: light, dark, or that of the system. `index.html` applies it before the first paint.

use super::storage::{Lifetime, recall, remember};
use strum::EnumCount;

use crate::language::t;

/// The theme, which is stored for the next visit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumCount)]
pub(crate) enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

/// The storage key, which `index.html` reads too.
const KEY: &str = "epitome-theme";

impl Theme {
    /// Every theme, in the order shown.
    pub(crate) const ALL: [Self; Self::COUNT] = [Self::System, Self::Light, Self::Dark];

    /// The name in storage and markup.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The name on the page.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::System => t!("System"),
            Self::Light => t!("Light"),
            Self::Dark => t!("Dark"),
        }
    }

    /// The stored theme.
    pub(crate) fn chosen() -> Self {
        let name = recall(Lifetime::Lasting, KEY);
        let chosen = |theme: &Self| name.as_deref() == Some(theme.as_str());
        Self::ALL.into_iter().find(chosen).unwrap_or_default()
    }

    /// Applies and stores the theme.
    pub(crate) fn apply(self) {
        let document = web_sys::window().and_then(|window| window.document());
        if let Some(root) = document.and_then(|document| document.document_element()) {
            let _ = match self {
                Self::System => root.remove_attribute("data-theme"),
                Self::Light | Self::Dark => root.set_attribute("data-theme", self.as_str()),
            };
        }
        remember(Lifetime::Lasting, KEY, self.as_str());
    }
}
