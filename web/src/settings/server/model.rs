//! A server as chosen and typed: address, model, key, headers and patience.

use epitome_browser::{Endpoint, Keys, SecretHeaders, Streaming, Timeouts};
use serde_json::{Value, json};

use super::known::{KnownServer, needed_headers};
use crate::browser::{Lifetime, forget, recall, remember};
use crate::language::t;

/// How long the API key is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::settings) enum KeyStorage {
    /// Until the page is reloaded.
    Memory,
    /// Until the tab is closed.
    Tab,
}

/// What a server is for. Each purpose has a server of its own, with a key of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::settings) enum Purpose {
    /// It writes summaries.
    Summaries,
    /// It answers in the chat.
    Answers,
}

impl Purpose {
    /// What the ids of its fields begin with.
    pub(in crate::settings) fn prefix(self) -> &'static str {
        match self {
            Self::Summaries => "",
            Self::Answers => "answers-",
        }
    }

    /// The name of the stored key, and that of the stored base URL that the key is for.
    fn stored(self) -> (&'static str, &'static str) {
        match self {
            Self::Summaries => ("epitome-key", "epitome-key-for"),
            Self::Answers => ("epitome-answers-key", "epitome-answers-key-for"),
        }
    }
}

/// A server with OpenAI's chat completions API, as chosen and typed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Server {
    pub(in crate::settings) purpose: Purpose,
    pub(in crate::settings) base_url: String,
    pub(in crate::settings) model: String,
    /// The API key. It is never exported.
    pub(in crate::settings) key: String,
    /// The base URL for which the key and the headers were typed. They are not sent to another origin.
    pub(in crate::settings) keys_for: String,
    pub(in crate::settings) key_storage: KeyStorage,
    /// One `name: value` per line.
    pub(in crate::settings) headers: String,
    /// How long the server may send nothing, in seconds, as typed.
    pub(in crate::settings) timeout: String,
}

const DEFAULT_TIMEOUT_SECONDS: u32 = 300;

impl Server {
    /// A server with the key that is stored in this tab.
    pub(in crate::settings) fn remembered(purpose: Purpose, base_url: String, model: &str) -> Self {
        let (key, keys_for) = purpose.stored();
        let key = recall(Lifetime::Tab, key);
        Self {
            purpose,
            keys_for: recall(Lifetime::Tab, keys_for).unwrap_or_else(|| base_url.clone()),
            base_url,
            model: model.to_owned(),
            key_storage: if key.is_some() { KeyStorage::Tab } else { KeyStorage::Memory },
            key: key.unwrap_or_default(),
            headers: String::new(),
            timeout: DEFAULT_TIMEOUT_SECONDS.to_string(),
        }
    }

    /// The server that answers in the chat, before another one is chosen: the one that the page was loaded from.
    pub(in crate::settings) fn for_answers() -> Self {
        let own = KnownServer::Own;
        Self::remembered(Purpose::Answers, own.base_url(), own.model())
    }

    /// What the browser keeps for the next visit: neither key nor headers, and no address with a query, which may have a key.
    pub(in crate::settings) fn to_keep(&self) -> Value {
        let address = Some(&self.base_url).filter(|address| !address.contains(['?', '#', '@']));
        json!({ "baseUrl": address, "model": self.model })
    }

    /// Chooses what [`Self::to_keep`] has returned. Fields that are missing stay as they are.
    pub(in crate::settings) fn choose_kept(&mut self, kept: &Value) {
        let text = |name: &str| kept.get(name).and_then(Value::as_str);
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
    pub(in crate::settings) fn store_key(&self) {
        let (key, keys_for) = self.purpose.stored();
        match self.key_storage {
            KeyStorage::Tab => {
                remember(Lifetime::Tab, key, &self.key);
                remember(Lifetime::Tab, keys_for, &self.keys_for);
            }
            KeyStorage::Memory => {
                forget(Lifetime::Tab, key);
                forget(Lifetime::Tab, keys_for);
            }
        }
    }

    /// Takes an address as chosen or typed. A key that was typed for another origin is not sent there.
    pub(in crate::settings) fn set_base_url(&mut self, base_url: String) {
        self.base_url = base_url;
        if self.key.is_empty() && self.headers.is_empty() {
            self.keys_for.clone_from(&self.base_url);
        }
    }

    /// Takes the key as typed, for the current base URL.
    pub(in crate::settings) fn set_key(&mut self, key: String) {
        if self.key_error().is_some() {
            self.headers.clear();
        }
        self.key = key;
        self.keys_for.clone_from(&self.base_url);
        self.store_key();
    }

    /// Takes the headers as typed, for the current base URL.
    pub(in crate::settings) fn set_headers(&mut self, headers: String) {
        if self.key_error().is_some() {
            self.key.clear();
        }
        self.headers = headers;
        self.keys_for.clone_from(&self.base_url);
        self.store_key();
    }

    /// Why the key and the headers are not sent to the current base URL, if they are for another origin.
    pub(in crate::settings) fn key_error(&self) -> Option<String> {
        self.keys().error_for(self.base_url.trim())
    }

    fn keys(&self) -> Keys {
        let mut headers = headers(&self.headers);
        if !self.key.trim().is_empty() {
            headers.0.extend(needed_headers(&self.keys_for));
        }
        Keys::new(self.keys_for.trim()).with_headers(headers).with_api_key(self.key.as_str())
    }

    /// The endpoint to ask.
    pub(crate) fn endpoint(&self) -> Endpoint {
        let mut endpoint = Endpoint::new(self.base_url.trim(), self.model.trim());
        endpoint.keys = self.keys();
        endpoint.stream = Streaming::Streamed;
        endpoint.timeouts = self.timeouts();
        endpoint
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

    /// True for the model that the browser has built in.
    pub(super) fn is_built_in(&self) -> bool {
        KnownServer::at(&self.base_url) == Some(KnownServer::BuiltIn)
    }

    /// The model's name.
    pub(in crate::settings) fn model(&self) -> &str {
        self.model.trim()
    }

    /// Its model and its name in a sentence: "Answered by …".
    pub(crate) fn described(&self) -> String {
        let known = KnownServer::at(&self.base_url);
        // A query may have a key.
        let address = self.base_url.split(['?', '#']).next().unwrap_or_default().trim();
        let server = known.map(KnownServer::name).unwrap_or(address);
        let model = self.model();
        match model {
            _ if known == Some(KnownServer::Own) => t!("{model} at this page’s server", model),
            _ if self.is_built_in() => server.to_owned(),
            "" => server.to_owned(),
            _ => t!("{model} at {server}", model, server),
        }
    }
}

fn headers(text: &str) -> SecretHeaders {
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    SecretHeaders(
        pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().into())).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(base_url: &str) -> Server {
        Server {
            purpose: Purpose::Answers,
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
        let mut other = Server { key: String::new(), ..typed("http://localhost/v1") };
        other.choose_kept(&kept);
        assert_eq!(other.base_url, "https://example.org/v1");
        assert_eq!(other.keys_for, other.base_url);
    }

    #[test]
    fn j4_a_key_is_for_the_address_for_which_it_was_typed() {
        let mut server = typed("https://example.org/v1");
        server.set_base_url("https://elsewhere.example/v1".to_owned());
        assert!(server.key_error().is_some());
        server.set_base_url("https://example.org/other/v1".to_owned());
        assert_eq!(server.key_error(), None);
        let mut without = Server { key: String::new(), headers: String::new(), ..server };
        without.set_base_url("https://elsewhere.example/v1".to_owned());
        assert_eq!(
            (without.keys_for.as_str(), without.key_error()),
            (without.base_url.as_str(), None)
        );
    }

    #[test]
    fn headers_are_read_line_by_line() {
        let read = headers("x-team: blue\n\nno colon\nx-url: http://a");
        let pair = |name: &str, value: &str| (name.to_owned(), value.into());
        assert_eq!(read.0, [pair("x-team", "blue"), pair("x-url", "http://a")]);
    }
}
