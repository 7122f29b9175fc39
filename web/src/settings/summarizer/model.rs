//! The summarizer as chosen, and whether the page's own server is one.

use epitome_browser::{EXTRACTIVE_MODEL, Endpoint};
use leptos::prelude::{Set as _, Update as _};
use leptos::task::spawn_local;
use serde_json::Value;

use crate::browser::{origin, text_at};
use crate::language::t;
use crate::settings::SettingsState;
use crate::settings::field::{Options as _, options};
use crate::settings::server::{Purpose, Server};

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
    OwnServer: "here", t!("This server");
    Endpoint: "endpoint", t!("OpenAI-compatible endpoint");
    Page: "page", t!("In this page");
});

impl SummarizerKind {
    /// What the kind means.
    pub(super) fn hint(self) -> &'static str {
        match self {
            Self::OwnServer => {
                t!("epitome-extractive, served with this page. It quotes; no key needed.")
            }
            Self::Endpoint => t!("Your own model: Ollama, LM Studio, llama.cpp, or a provider."),
            Self::Page => t!("Quotes the most important sentences. No network, no model."),
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

/// The summarizer as chosen and typed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Summarizer {
    pub(super) kind: SummarizerKind,
    /// The server of [`SummarizerKind::Endpoint`].
    pub(in crate::settings) server: Server,
}

/// The longest chunk that the page can summarize without a noticeable pause.
const PAGE_CHUNK_CHARACTERS: u32 = 20_000;

impl Summarizer {
    /// The default, with the key that is stored in this tab.
    pub(crate) fn remembered() -> Self {
        let base_url = "http://localhost:11434/v1".to_owned();
        let server = Server::remembered(Purpose::Summaries, base_url, "llama3.2");
        Self { kind: SummarizerKind::default(), server }
    }

    /// What the browser keeps for the next visit: the kind, and what it keeps of the server.
    pub(crate) fn to_keep(&self) -> Value {
        let mut kept = self.server.to_keep();
        if let Some(kept) = kept.as_object_mut() {
            kept.insert("kind".to_owned(), self.kind.name().into());
        }
        kept
    }

    /// Chooses what [`Self::to_keep`] has returned. Fields that are missing stay as they are.
    pub(crate) fn choose_kept(&mut self, kept: &Value) {
        let kind = kept.get("kind").and_then(Value::as_str);
        self.kind = kind.and_then(SummarizerKind::named).unwrap_or(self.kind);
        self.server.choose_kept(kept);
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
            SummarizerKind::Endpoint => Some(self.server.endpoint()),
        }
    }

    /// Its name in a sentence: "Summarized by …".
    pub(crate) fn described(&self) -> String {
        match self.kind {
            SummarizerKind::OwnServer => t!("epitome-extractive on this server").to_owned(),
            SummarizerKind::Endpoint => self.server.described(),
            SummarizerKind::Page => t!("the page itself, without a model").to_owned(),
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
