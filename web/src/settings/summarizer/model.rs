//! The summarizer as chosen and typed, and whether the page's own server is one.

use epitome_browser::{EXTRACTIVE_MODEL, Endpoint, Keys, SecretHeaders, Streaming, Timeouts};

use leptos::prelude::{Set as _, Update as _};
use leptos::task::spawn_local;
use serde_json::{Value, json};

use crate::browser::{Lifetime, forget, origin, recall, remember, text_at};
use crate::settings::SettingsState;
use crate::settings::field::{Options as _, options};

/// The kind of summarizer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SummarizerKind {
    /// The server that the page was loaded from.
    #[default]
    OwnServer,
    /// A server with OpenAI's chat completions API.
    Endpoint,
    /// The page itself, without a model.
    Page,
}

options!(SummarizerKind {
    OwnServer: "here", "This server";
    Endpoint: "endpoint", "OpenAI-compatible endpoint";
    Page: "page", "In this page";
});

impl SummarizerKind {
    /// What the kind means.
    pub(super) fn hint(self) -> &'static str {
        match self {
            Self::OwnServer => {
                "epitome-extractive, served with this page. It quotes; no key needed."
            }
            Self::Endpoint => "Your own model: Ollama, LM Studio, llama.cpp, or a provider.",
            Self::Page => "Quotes the most important sentences. No network, no model.",
        }
    }
}

/// Whether a summarizer answers at the address that the page was loaded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Availability {
    /// The server has not answered yet.
    Unknown,
    /// A summarizer answers.
    Available,
    /// The server only serves files.
    Absent,
}

/// How long the API key is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyStorage {
    /// Until the page is reloaded.
    Memory,
    /// Until the tab is closed.
    Tab,
}

/// The summarizer as chosen and typed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Summarizer {
    pub(super) kind: SummarizerKind,
    pub(super) base_url: String,
    pub(super) model: String,
    /// The API key. It is never exported.
    pub(super) key: String,
    /// The base URL for which the key and the headers were typed. They are not sent to another origin.
    pub(super) keys_for: String,
    pub(super) key_storage: KeyStorage,
    /// One `name: value` per line.
    pub(super) headers: String,
    /// How long the server may send nothing, in seconds, as typed.
    pub(super) timeout: String,
}

/// The name of the stored API key.
const KEY: &str = "epitome-key";
/// The name of the stored base URL that the key is for.
const KEYS_FOR: &str = "epitome-key-for";
const DEFAULT_TIMEOUT_SECONDS: u32 = 300;
/// The longest chunk that the page can summarize without a noticeable pause.
const PAGE_CHUNK_CHARACTERS: u32 = 20_000;

impl Summarizer {
    /// The default, with the key that is stored in this tab.
    pub(crate) fn remembered() -> Self {
        let key = recall(Lifetime::Tab, KEY);
        let base_url = "http://localhost:11434/v1".to_owned();
        Self {
            kind: SummarizerKind::default(),
            keys_for: recall(Lifetime::Tab, KEYS_FOR).unwrap_or_else(|| base_url.clone()),
            base_url,
            model: "llama3.2".to_owned(),
            key_storage: if key.is_some() { KeyStorage::Tab } else { KeyStorage::Memory },
            key: key.unwrap_or_default(),
            headers: String::new(),
            timeout: DEFAULT_TIMEOUT_SECONDS.to_string(),
        }
    }

    /// What the browser keeps for the next visit: neither key nor headers, and no address with a query, which may have a key.
    pub(crate) fn to_keep(&self) -> Value {
        let address = Some(&self.base_url).filter(|address| !address.contains(['?', '#', '@']));
        json!({ "kind": self.kind.name(), "baseUrl": address, "model": self.model })
    }

    /// Chooses what [`Self::to_keep`] has returned. Fields that are missing stay as they are.
    pub(crate) fn choose_kept(&mut self, kept: &Value) {
        let text = |name: &str| kept.get(name).and_then(Value::as_str);
        self.kind = text("kind").and_then(SummarizerKind::named).unwrap_or(self.kind);
        if let Some(address) = text("baseUrl") {
            address.clone_into(&mut self.base_url);
        }
        if let Some(model) = text("model") {
            model.clone_into(&mut self.model);
        }
        if self.key.is_empty() {
            self.keys_for.clone_from(&self.base_url);
        }
    }

    /// Stores or removes the key, as chosen.
    pub(super) fn store_key(&self) {
        match self.key_storage {
            KeyStorage::Tab => {
                remember(Lifetime::Tab, KEY, &self.key);
                remember(Lifetime::Tab, KEYS_FOR, &self.keys_for);
            }
            KeyStorage::Memory => {
                forget(Lifetime::Tab, KEY);
                forget(Lifetime::Tab, KEYS_FOR);
            }
        }
    }

    /// Takes the key as typed, for the current base URL.
    pub(super) fn set_key(&mut self, key: String) {
        if self.key_error().is_some() {
            self.headers.clear();
        }
        self.key = key;
        self.keys_for.clone_from(&self.base_url);
        self.store_key();
    }

    /// Takes the headers as typed, for the current base URL.
    pub(super) fn set_headers(&mut self, headers: String) {
        if self.key_error().is_some() {
            self.key.clear();
        }
        self.headers = headers;
        self.keys_for.clone_from(&self.base_url);
        self.store_key();
    }

    /// Why the key and the headers are not sent to the current base URL, if they are for another origin.
    pub(super) fn key_error(&self) -> Option<String> {
        self.keys().error_for(self.base_url.trim())
    }

    fn keys(&self) -> Keys {
        Keys::new(self.keys_for.trim())
            .with_headers(headers(&self.headers))
            .with_api_key(self.key.as_str())
    }

    /// The longest chunk that it accepts, in characters, if it has its own limit.
    pub(crate) fn chunk_limit(&self) -> Option<u32> {
        (self.kind == SummarizerKind::Page).then_some(PAGE_CHUNK_CHARACTERS)
    }

    /// The endpoint to ask; `None` if the page summarizes by itself.
    pub(crate) fn endpoint(&self) -> Option<Endpoint> {
        match self.kind {
            SummarizerKind::Page => None,
            SummarizerKind::OwnServer => {
                Some(Endpoint::new(format!("{}/v1", origin()), EXTRACTIVE_MODEL))
            }
            SummarizerKind::Endpoint => {
                let mut endpoint = Endpoint::new(self.base_url.trim(), self.model.trim());
                endpoint.keys = self.keys();
                endpoint.stream = Streaming::Streamed;
                endpoint.timeouts = self.timeouts();
                Some(endpoint)
            }
        }
    }

    fn timeouts(&self) -> Timeouts {
        let defaults = Timeouts::default();
        let seconds = self.timeout.trim().parse().ok().filter(|seconds| *seconds > 0);
        let silence_ms = seconds.unwrap_or(DEFAULT_TIMEOUT_SECONDS).saturating_mul(1_000);
        Timeouts {
            first_byte_ms: silence_ms,
            idle_ms: silence_ms.min(defaults.idle_ms),
            total_ms: defaults.total_ms.max(silence_ms),
        }
    }

    /// Its name in a sentence: "Summarized by …".
    pub(crate) fn described(&self) -> String {
        match self.kind {
            SummarizerKind::OwnServer => "epitome-extractive on this server".to_owned(),
            SummarizerKind::Endpoint => {
                // A query may have a key.
                let address = self.base_url.split(['?', '#']).next().unwrap_or_default();
                format!("{} at {}", self.model.trim(), address.trim())
            }
            SummarizerKind::Page => "the page itself, without a model".to_owned(),
        }
    }
}

/// Looks for a summarizer at the address that the page was loaded from. If there is none, the page summarizes by
/// itself.
pub(crate) fn find_summarizer(settings: SettingsState) {
    spawn_local(async move {
        let text = text_at(&format!("{}/v1/models", origin())).await;
        let answers = text.is_some_and(|text| {
            // A file server may answer every address with a page.
            serde_json::from_str::<serde_json::Value>(&text)
                .is_ok_and(|models| models.get("data").is_some_and(serde_json::Value::is_array))
        });
        if answers {
            settings.own_server.set(Availability::Available);
            return;
        }
        settings.own_server.set(Availability::Absent);
        settings.summarizer.update(|summarizer| {
            if summarizer.kind == SummarizerKind::OwnServer {
                summarizer.kind = SummarizerKind::Page;
            }
        });
    });
}

fn headers(text: &str) -> SecretHeaders {
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    SecretHeaders(
        pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().into())).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::{KeyStorage, Summarizer, SummarizerKind, headers};

    fn typed(base_url: &str) -> Summarizer {
        Summarizer {
            kind: SummarizerKind::Endpoint,
            base_url: base_url.to_owned(),
            model: "llama3.2".to_owned(),
            key: "sk-secret".to_owned(),
            keys_for: base_url.to_owned(),
            key_storage: KeyStorage::Memory,
            headers: "x-team: blue".to_owned(),
            timeout: "300".to_owned(),
        }
    }

    #[test]
    fn j4_what_the_browser_keeps_has_no_key_and_no_header() {
        let kept = typed("https://example.org/v1").to_keep();
        let text = kept.to_string();
        assert!(text.contains("https://example.org/v1"), "{text}");
        assert!(!text.contains("secret") && !text.contains("blue"), "{text}");
        for with_key in ["https://a.example/v1?key=secret", "https://me:secret@a.example/v1"] {
            assert!(!typed(with_key).to_keep().to_string().contains("secret"), "{with_key}");
        }
        let mut other = Summarizer { key: String::new(), ..typed("http://localhost/v1") };
        other.choose_kept(&kept);
        assert_eq!(other.base_url, "https://example.org/v1");
        assert_eq!(other.keys_for, other.base_url);
    }

    #[test]
    fn headers_are_read_line_by_line() {
        let read = headers("x-team: blue\n\nno colon\nx-url: http://a");
        let pair = |name: &str, value: &str| (name.to_owned(), value.into());
        assert_eq!(read.0, [pair("x-team", "blue"), pair("x-url", "http://a")]);
    }
}
