//! The servers that are offered, and what each of them needs.

use crate::browser::origin;
use crate::language::t;
use epitome_browser::{EXTRACTIVE_MODEL, Secret};

/// A server with OpenAI's chat completions API.
pub(super) struct KnownServer {
    /// Its name; `None` for the one that the page was loaded from.
    name: Option<&'static str>,
    base_url: &'static str,
    /// The model that it is offered with; empty where the user has to choose one.
    pub(super) model: &'static str,
}

const fn known(name: &'static str, base_url: &'static str, model: &'static str) -> KnownServer {
    KnownServer { name: Some(name), base_url, model }
}

/// The server that the page was loaded from.
pub(super) const OWN: KnownServer =
    KnownServer { name: None, base_url: "", model: EXTRACTIVE_MODEL };

/// All of them, in the order of the list.
pub(super) const KNOWN: [KnownServer; 8] = [
    OWN,
    known("Ollama", "http://localhost:11434/v1", "llama3.2"),
    known("llama.cpp", "http://localhost:8080/v1", "default"),
    known("LM Studio", "http://localhost:1234/v1", ""),
    known("OpenRouter", "https://openrouter.ai/api/v1", "openrouter/auto"),
    known("OpenAI", "https://api.openai.com/v1", "gpt-5.4-mini"),
    known("Anthropic", "https://api.anthropic.com/v1", "claude-haiku-4-5"),
    known("Gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "gemini-3.5-flash"),
];

impl KnownServer {
    /// Its name.
    pub(super) fn name(&self) -> &'static str {
        self.name.unwrap_or_else(|| t!("This page’s server"))
    }

    /// Its base URL.
    pub(super) fn base_url(&self) -> String {
        match self.name {
            Some(_) => self.base_url.to_owned(),
            None => format!("{}/v1", origin()),
        }
    }

    /// What the user has to know.
    pub(super) fn hint(&self) -> &'static str {
        match self.name {
            None => t!("Needs no model: it answers with what it has read."),
            Some("Ollama") => {
                t!("It has to allow requests from this page: set OLLAMA_ORIGINS before it starts.")
            }
            Some("llama.cpp") => {
                t!("Start it with llama-server. It allows requests from every page.")
            }
            Some("LM Studio") => {
                t!(
                    "It has to allow requests from this page: switch on “Enable CORS” in its server settings."
                )
            }
            Some(_) => t!("Needs a key."),
        }
    }
}

/// The place in [`KNOWN`] of the server with this base URL; `None` for another one.
pub(super) fn place_of(base_url: &str) -> Option<usize> {
    let base_url = base_url.trim().trim_end_matches('/');
    KNOWN.iter().position(|known| known.base_url() == base_url)
}

/// Headers without which a provider refuses requests of pages.
pub(super) fn needed_headers(base_url: &str) -> Option<(String, Secret)> {
    let is_anthropic = base_url.trim().starts_with("https://api.anthropic.com/");
    is_anthropic.then(|| ("anthropic-dangerous-direct-browser-access".to_owned(), "true".into()))
}
