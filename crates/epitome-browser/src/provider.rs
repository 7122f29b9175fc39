//! The HTTP APIs that are known: base URLs, headers, routes and body formats of each provider, in one table.
//!
//! To let a provider summarize, fill in its `completion` route. If it needs a body format of its own, add it to
//! [`CompletionFormat`]: the compiler then points at `complete.rs`, which wants a type that writes the request and one
//! that reads the response (`completion_format.rs`). Errors need no entry: `error_body.rs` reads the error objects of
//! all providers in one way.

use serde::Deserialize;

/// A provider, which here means the HTTP API that a server implements. Deserializes from the name in JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(strum::EnumCount))]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// `OpenAI`, and every server that implements its chat completions: LM Studio, vLLM, Ollama too, and many more.
    OpenAi,
    /// Anthropic.
    Anthropic,
    /// Google's Gemini API.
    Gemini,
    /// The own API of llama.cpp's server. For its chat completions use [`OpenAi`](Self::OpenAi) and its base URL.
    #[serde(rename = "llama.cpp")]
    LlamaCpp,
    /// Ollama's own API, which takes the size of the context window with each request.
    Ollama,
}

/// A row of the table: how to call a provider.
#[derive(Debug)]
pub(crate) struct HttpApi {
    pub(crate) base_url: &'static str,
    pub(crate) key: KeyHeader,
    /// The name and value of a header that every request needs.
    pub(crate) version: Option<(&'static str, &'static str)>,
    /// How to ask for a completion; `None` if this crate cannot.
    pub(crate) completion: Option<CompletionRoute>,
    /// How to count the tokens of messages; `None` if the provider does not count.
    pub(crate) count: Option<CountRoute>,
    /// How to have messages compacted by the provider itself; `None` if it does not do that.
    pub(crate) compaction: Option<CompactionRoute>,
}

/// The header that carries the API key.
#[derive(Debug)]
pub(crate) struct KeyHeader {
    pub(crate) name: &'static str,
    /// What precedes the key in the header's value.
    pub(crate) prefix: &'static str,
}

/// Where and how to ask for a completion.
#[derive(Debug)]
pub(crate) struct CompletionRoute {
    /// Appended to the base URL; `{model}` stands for the model's name.
    pub(crate) path: &'static str,
    /// The same for an answer that is streamed.
    pub(crate) streamed_path: &'static str,
    /// Where the server lists its models.
    pub(crate) models_path: &'static str,
    /// What users paste after the base URL. Removed in this order before `path` is appended.
    pub(crate) pasted_paths: &'static [&'static str],
    pub(crate) format: CompletionFormat,
}

/// Where and how to count tokens.
#[derive(Debug)]
pub(crate) struct CountRoute {
    /// Appended to the base URL; `{model}` stands for the model's name.
    pub(crate) path: &'static str,
    /// What users paste after the base URL. Removed in this order before `path` is appended.
    pub(crate) pasted_paths: &'static [&'static str],
    pub(crate) format: CountFormat,
}

/// Where a provider compacts messages itself.
#[derive(Debug)]
pub(crate) struct CompactionRoute {
    /// Appended to the base URL.
    pub(crate) path: &'static str,
    /// What users paste after the base URL. Removed in this order before `path` is appended.
    pub(crate) pasted_paths: &'static [&'static str],
}

/// The body format of a completion request, its response and its stream events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompletionFormat {
    /// `OpenAI`'s chat completions.
    ChatCompletions,
    /// Anthropic's Messages API.
    AnthropicMessages,
    /// Contents of the Gemini API.
    GeminiContents,
    /// Ollama's chat, which is streamed as lines of JSON.
    OllamaChat,
}

/// The body format of a count request and its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CountFormat {
    /// Messages of Anthropic's Messages API.
    AnthropicMessages,
    /// Input items of `OpenAI`'s Responses API.
    OpenAiResponses,
    /// Contents of the Gemini API.
    GeminiContents,
    /// Chat messages that llama.cpp first turns into a prompt by the model's chat template, at `template_path`.
    LlamaCppPrompt { template_path: &'static str },
}

const CHAT_COMPLETIONS: &str = "/chat/completions";
const MODELS: &str = "/models";
const OLLAMA_CHAT: &str = "/api/chat";
const BEARER: KeyHeader = KeyHeader { name: "authorization", prefix: "Bearer " };

const OPENAI: HttpApi = HttpApi {
    base_url: "https://api.openai.com/v1",
    key: BEARER,
    version: None,
    completion: Some(CompletionRoute {
        path: CHAT_COMPLETIONS,
        streamed_path: CHAT_COMPLETIONS,
        models_path: MODELS,
        pasted_paths: &[CHAT_COMPLETIONS],
        format: CompletionFormat::ChatCompletions,
    }),
    count: Some(CountRoute {
        path: "/responses/input_tokens",
        pasted_paths: &[CHAT_COMPLETIONS, "/input_tokens", "/responses"],
        format: CountFormat::OpenAiResponses,
    }),
    compaction: Some(CompactionRoute {
        path: "/responses/compact",
        pasted_paths: &[CHAT_COMPLETIONS, "/compact", "/responses"],
    }),
};

const ANTHROPIC: HttpApi = HttpApi {
    base_url: "https://api.anthropic.com/v1",
    key: KeyHeader { name: "x-api-key", prefix: "" },
    version: Some(("anthropic-version", "2023-06-01")),
    completion: Some(CompletionRoute {
        path: "/messages",
        streamed_path: "/messages",
        models_path: MODELS,
        pasted_paths: &["/messages"],
        format: CompletionFormat::AnthropicMessages,
    }),
    count: Some(CountRoute {
        path: "/messages/count_tokens",
        pasted_paths: &[CHAT_COMPLETIONS, "/count_tokens", "/messages"],
        format: CountFormat::AnthropicMessages,
    }),
    compaction: Some(CompactionRoute { path: "/messages", pasted_paths: &["/messages"] }),
};

const GEMINI: HttpApi = HttpApi {
    base_url: "https://generativelanguage.googleapis.com/v1beta",
    key: KeyHeader { name: "x-goog-api-key", prefix: "" },
    version: None,
    completion: Some(CompletionRoute {
        path: "/models/{model}:generateContent",
        streamed_path: "/models/{model}:streamGenerateContent?alt=sse",
        models_path: MODELS,
        pasted_paths: &[CHAT_COMPLETIONS, "/openai"],
        format: CompletionFormat::GeminiContents,
    }),
    count: Some(CountRoute {
        path: "/models/{model}:countTokens",
        pasted_paths: &[CHAT_COMPLETIONS, "/openai"],
        format: CountFormat::GeminiContents,
    }),
    compaction: None,
};

const LLAMA_CPP: HttpApi = HttpApi {
    base_url: "http://127.0.0.1:8080",
    key: BEARER,
    version: None,
    completion: None,
    count: Some(CountRoute {
        path: "/tokenize",
        // The server's own paths are outside of `/v1`, which only its OpenAI-compatible paths begin with.
        pasted_paths: &[CHAT_COMPLETIONS, "/v1"],
        format: CountFormat::LlamaCppPrompt { template_path: "/apply-template" },
    }),
    compaction: None,
};

const OLLAMA: HttpApi = HttpApi {
    base_url: "http://localhost:11434",
    key: BEARER,
    version: None,
    completion: Some(CompletionRoute {
        path: OLLAMA_CHAT,
        streamed_path: OLLAMA_CHAT,
        models_path: "/api/tags",
        // Its OpenAI-compatible paths begin with `/v1`.
        pasted_paths: &[OLLAMA_CHAT, CHAT_COMPLETIONS, "/v1", "/api"],
        format: CompletionFormat::OllamaChat,
    }),
    count: None,
    compaction: None,
};

impl Provider {
    /// Where the provider's API is, unless the caller sets another base URL.
    pub fn base_url(self) -> &'static str {
        self.api().base_url
    }

    pub(crate) fn api(self) -> &'static HttpApi {
        match self {
            Self::OpenAi => &OPENAI,
            Self::Anthropic => &ANTHROPIC,
            Self::Gemini => &GEMINI,
            Self::LlamaCpp => &LLAMA_CPP,
            Self::Ollama => &OLLAMA,
        }
    }
}

#[cfg(test)]
mod tests {
    use strum::EnumCount as _;

    use super::*;
    use crate::address::Address;

    const ALL: [Provider; Provider::COUNT] = [
        Provider::OpenAi,
        Provider::Anthropic,
        Provider::Gemini,
        Provider::LlamaCpp,
        Provider::Ollama,
    ];

    #[test]
    fn every_url_that_users_paste_leads_to_the_same_base_url() {
        for (provider, base_url, expected) in [
            (Provider::Anthropic, "https://h/v1", "https://h/v1/p"),
            (Provider::Anthropic, "https://h/v1/messages/count_tokens", "https://h/v1/p"),
            (Provider::Anthropic, "https://h/v1/messages/", "https://h/v1/p"),
            (Provider::OpenAi, "https://h/v1/responses/input_tokens", "https://h/v1/p"),
            (Provider::LlamaCpp, "http://h:8080/v1/", "http://h:8080/p"),
            (Provider::LlamaCpp, "http://h:8080/v1/chat/completions", "http://h:8080/p"),
            (Provider::LlamaCpp, "http://h:8080", "http://h:8080/p"),
        ] {
            let pasted_paths = provider.api().count.as_ref().unwrap().pasted_paths;
            let address = Address::parse(base_url, pasted_paths).unwrap();
            assert_eq!(address.url("/p"), expected, "{base_url}");
        }
        for (provider, base_url, expected) in [
            (Provider::Gemini, "https://h/v1beta", "https://h/v1beta/p"),
            (Provider::Gemini, "https://h/v1beta/openai/", "https://h/v1beta/p"),
            (Provider::Gemini, "https://h/v1beta/openai/chat/completions", "https://h/v1beta/p"),
            (Provider::Ollama, "http://h:11434", "http://h:11434/p"),
            (Provider::Ollama, "http://h:11434/api/", "http://h:11434/p"),
            (Provider::Ollama, "http://h:11434/api/chat", "http://h:11434/p"),
            (Provider::Ollama, "http://h:11434/v1/chat/completions", "http://h:11434/p"),
        ] {
            let pasted_paths = provider.api().completion.as_ref().unwrap().pasted_paths;
            let address = Address::parse(base_url, pasted_paths).unwrap();
            assert_eq!(address.url("/p"), expected, "{base_url}");
        }
    }

    #[test]
    fn every_base_url_can_be_called() {
        for provider in ALL {
            assert!(Address::parse(provider.base_url(), &[]).is_ok(), "{provider:?}");
        }
    }

    #[test]
    fn a_provider_is_read_by_its_name() {
        for (name, provider) in [
            ("openai", Provider::OpenAi),
            ("anthropic", Provider::Anthropic),
            ("gemini", Provider::Gemini),
            ("llama.cpp", Provider::LlamaCpp),
            ("ollama", Provider::Ollama),
        ] {
            assert_eq!(serde_json::from_value::<Provider>(name.into()).unwrap(), provider);
        }
        assert!(serde_json::from_value::<Provider>("else".into()).is_err());
    }
}
