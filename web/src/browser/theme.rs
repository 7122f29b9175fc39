//! Light, dark, or as the system has it. `index.html` applies the choice before the first paint.

/// The choice, kept from one visit to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

/// The name that `index.html` reads.
const KEY: &str = "epitome-theme";

impl Theme {
    /// Every choice, in the order shown.
    pub(crate) const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// The choice's name.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The choice as a person reads it.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::System => "System",
            Self::Light => "Light",
            Self::Dark => "Dark",
        }
    }

    /// What was chosen on an earlier visit.
    pub(crate) fn chosen() -> Self {
        let storage = web_sys::window().and_then(|window| window.local_storage().ok()?);
        let name = storage.and_then(|storage| storage.get_item(KEY).ok()?);
        let chosen = |theme: &Self| name.as_deref() == Some(theme.as_str());
        Self::ALL.into_iter().find(chosen).unwrap_or_default()
    }

    /// Applies the choice and keeps it.
    pub(crate) fn apply(self) {
        let Some(window) = web_sys::window() else { return };
        if let Some(root) = window.document().and_then(|document| document.document_element()) {
            let _ = match self {
                Self::System => root.remove_attribute("data-theme"),
                Self::Light | Self::Dark => root.set_attribute("data-theme", self.as_str()),
            };
        }
        if let Ok(Some(storage)) = window.local_storage() {
            let _ = storage.set_item(KEY, self.as_str());
        }
    }
}
