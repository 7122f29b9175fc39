//! The servers that are offered, and what each of them needs.

use epitome_browser::{EXTRACTIVE_MODEL, Secret};

use crate::browser::origin;
use crate::language::t;

/// Stands for the base URL of the model that the browser has built in.
const BUILT_IN: &str = "built-in:";

/// A server with OpenAI's chat completions API, or what stands for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KnownServer {
    /// The one that the page was loaded from.
    Own,
    /// The model that the browser has built in.
    BuiltIn,
    Ollama,
    LlamaCpp,
    LmStudio,
    OpenRouter,
    OpenAi,
    Anthropic,
    Gemini,
}

impl KnownServer {
    /// All of them, in the order of the list.
    pub(super) const ALL: [Self; 9] = [
        Self::Own,
        Self::BuiltIn,
        Self::Ollama,
        Self::LlamaCpp,
        Self::LmStudio,
        Self::OpenRouter,
        Self::OpenAi,
        Self::Anthropic,
        Self::Gemini,
    ];

    /// The one with this base URL; `None` for another server.
    pub(super) fn at(base_url: &str) -> Option<Self> {
        let base_url = base_url.trim().trim_end_matches('/');
        Self::ALL.into_iter().find(|known| known.base_url() == base_url)
    }

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Own => t!("This page’s server"),
            Self::BuiltIn => t!("Chrome’s built-in model"),
            Self::Ollama => "Ollama",
            Self::LlamaCpp => "llama.cpp",
            Self::LmStudio => "LM Studio",
            Self::OpenRouter => "OpenRouter",
            Self::OpenAi => "OpenAI",
            Self::Anthropic => "Anthropic",
            Self::Gemini => "Gemini",
        }
    }

    /// Its base URL.
    pub(super) fn base_url(self) -> String {
        let base_url = match self {
            Self::Own => return format!("{}/v1", origin()),
            Self::BuiltIn => BUILT_IN,
            Self::Ollama => "http://localhost:11434/v1",
            Self::LlamaCpp => "http://localhost:8080/v1",
            Self::LmStudio => "http://localhost:1234/v1",
            Self::OpenRouter => "https://openrouter.ai/api/v1",
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com/v1",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta/openai",
        };
        base_url.to_owned()
    }

    /// The model that it is offered with; empty where the user has to choose one.
    pub(super) fn model(self) -> &'static str {
        match self {
            Self::Own => EXTRACTIVE_MODEL,
            Self::BuiltIn => "built-in",
            Self::Ollama => "llama3.2",
            Self::LlamaCpp => "default",
            Self::LmStudio => "",
            Self::OpenRouter => "openrouter/auto",
            Self::OpenAi => "gpt-5.4-mini",
            Self::Anthropic => "claude-haiku-4-5",
            Self::Gemini => "gemini-3.5-flash",
        }
    }

    /// What the user has to know.
    pub(super) fn hint(self) -> &'static str {
        match self {
            Self::Own => t!("Needs no model: it answers with what it has read."),
            Self::BuiltIn => t!(
                "Needs neither a server nor a key. Chrome fetches the model when it is used for the first time, which takes minutes."
            ),
            Self::Ollama => {
                t!("It has to allow requests from this page: set OLLAMA_ORIGINS before it starts.")
            }
            Self::LlamaCpp => t!("Start it with llama-server. It allows requests from every page."),
            Self::LmStudio => t!(
                "It has to allow requests from this page: switch on “Enable CORS” in its server settings."
            ),
            Self::OpenRouter | Self::OpenAi | Self::Anthropic | Self::Gemini => {
                t!("Needs a key.")
            }
        }
    }
}

/// True for providers that may refuse messages with calls of tools in a request without tools: Anthropic, also behind OpenRouter.
/// Others get none, since Ollama refuses tools for models that cannot call them, and its other models call them whatever
/// `tool_choice` says.
pub(super) fn needs_tools(base_url: &str) -> bool {
    matches!(KnownServer::at(base_url), Some(KnownServer::Anthropic | KnownServer::OpenRouter))
}

/// Headers without which a provider refuses requests of pages.
pub(super) fn needed_headers(base_url: &str) -> Option<(String, Secret)> {
    let is_anthropic = base_url.trim().starts_with("https://api.anthropic.com/");
    is_anthropic.then(|| ("anthropic-dangerous-direct-browser-access".to_owned(), "true".into()))
}
