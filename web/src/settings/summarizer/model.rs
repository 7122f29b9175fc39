//! Who writes the summaries, as chosen and typed.

use epitome_browser::{Endpoint, Streaming, Timeouts};

use crate::browser::{forget, origin, recall, remember};

/// The kind of summarizer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SummarizerKind {
    /// The server that the page came from.
    #[default]
    Here,
    /// Another server that speaks OpenAI's chat completions.
    Endpoint,
    /// The page itself, without a model.
    Page,
}

impl SummarizerKind {
    /// Every kind, in the order shown.
    pub(crate) const ALL: [Self; 3] = [Self::Here, Self::Endpoint, Self::Page];

    /// The kind's name, for forms.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Here => "here",
            Self::Endpoint => "endpoint",
            Self::Page => "page",
        }
    }

    /// The kind as a person reads it.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Here => "This server",
            Self::Endpoint => "OpenAI-compatible endpoint",
            Self::Page => "In this page",
        }
    }

    /// What the kind means.
    pub(crate) fn hint(self) -> &'static str {
        match self {
            Self::Here => "epitome-extractive, served beside this page. Quotes, needs no key.",
            Self::Endpoint => "A model of yours: Ollama, LM Studio, llama.cpp, or a provider.",
            Self::Page => "Quotes the most telling sentences. No network, no model.",
        }
    }
}

/// Whether a summarizer answers where the page came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Availability {
    /// Nobody has answered yet.
    Unknown,
    /// It does.
    Answers,
    /// It does not: the page is served by something that only serves files.
    Absent,
}

/// Whether the key outlives a reload of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyKeeping {
    /// It is forgotten.
    Memory,
    /// It is kept until the tab is closed.
    Tab,
}

/// The summarizer as chosen and typed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Summarizer {
    pub(crate) kind: SummarizerKind,
    pub(crate) base_url: String,
    pub(crate) model: String,
    /// Never exported, and kept no longer than `keeping` says.
    pub(crate) key: String,
    pub(crate) keeping: KeyKeeping,
    /// One `name: value` a line.
    pub(crate) headers: String,
    /// How long the server may stay silent, in seconds, as typed.
    pub(crate) patience: String,
}

/// The name that a remembered key is kept under.
const KEY: &str = "epitome-key";
/// What `epitome-serve` calls its model.
const EXTRACTIVE: &str = "epitome-extractive";
const DEFAULT_PATIENCE_SECONDS: u32 = 300;
/// Longest chunk that the page itself reads without a pause that could be felt.
const PAGE_CHUNK_CHARACTERS: u32 = 20_000;

impl Summarizer {
    /// The default, with a key that an earlier visit left in this tab.
    pub(crate) fn remembered() -> Self {
        let key = recall(KEY);
        Self {
            kind: SummarizerKind::default(),
            base_url: "http://localhost:11434/v1".to_owned(),
            model: "llama3.2".to_owned(),
            keeping: if key.is_some() { KeyKeeping::Tab } else { KeyKeeping::Memory },
            key: key.unwrap_or_default(),
            headers: String::new(),
            patience: DEFAULT_PATIENCE_SECONDS.to_string(),
        }
    }

    /// Keeps or forgets the key, as chosen.
    pub(crate) fn keep_key(&self) {
        match self.keeping {
            KeyKeeping::Tab => remember(KEY, &self.key),
            KeyKeeping::Memory => forget(KEY),
        }
    }

    /// The longest chunk it takes, where it takes less than others.
    pub(crate) fn chunk_limit(&self) -> Option<u32> {
        (self.kind == SummarizerKind::Page).then_some(PAGE_CHUNK_CHARACTERS)
    }

    /// Where to ask; `None` where the page summarizes by itself.
    pub(crate) fn endpoint(&self) -> Option<Endpoint> {
        match self.kind {
            SummarizerKind::Page => None,
            SummarizerKind::Here => Some(Endpoint::new(format!("{}/v1", origin()), EXTRACTIVE)),
            SummarizerKind::Endpoint => {
                let mut endpoint = Endpoint::new(self.base_url.trim(), self.model.trim());
                endpoint.api_key = Some(self.key.clone());
                endpoint.headers = headers(&self.headers);
                endpoint.stream = Streaming::Streamed;
                endpoint.timeouts = self.timeouts();
                Some(endpoint)
            }
        }
    }

    fn timeouts(&self) -> Timeouts {
        let defaults = Timeouts::default();
        let seconds = self.patience.trim().parse().ok().filter(|seconds| *seconds > 0);
        let silence_ms = seconds.unwrap_or(DEFAULT_PATIENCE_SECONDS).saturating_mul(1_000);
        Timeouts {
            first_byte_ms: silence_ms,
            idle_ms: silence_ms.min(defaults.idle_ms),
            total_ms: defaults.total_ms.max(silence_ms),
        }
    }

    /// Who is asked, in a few words.
    pub(crate) fn described(&self) -> String {
        match self.kind {
            SummarizerKind::Here => "epitome-extractive on this server".to_owned(),
            SummarizerKind::Endpoint => {
                format!("{} at {}", self.model.trim(), self.base_url.trim())
            }
            SummarizerKind::Page => "the page itself, without a model".to_owned(),
        }
    }
}

fn headers(text: &str) -> Vec<(String, String)> {
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::headers;

    #[test]
    fn headers_are_read_line_by_line() {
        let read = headers("x-team: blue\n\nno colon\nx-url: http://a");
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(read, [pair("x-team", "blue"), pair("x-url", "http://a")]);
    }
}
