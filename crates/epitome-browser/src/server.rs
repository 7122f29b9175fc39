//! The server that a request goes to, and what is known of it for error messages.

use crate::address::Address;
use crate::endpoint::Endpoint;
use crate::error::{EndpointError, EndpointErrorCode};
use crate::mask::Mask;
use crate::provider::HttpApi;

/// The longest part of a server's words that is shown.
const MAX_SHOWN_CHARS: usize = 300;
/// The longest part that is read, which is more: keys are hidden before the words are cut, and are shorter then.
const MAX_READ_CHARS: usize = 4_096;

/// An endpoint with its parsed address.
#[derive(Clone, Copy)]
pub(crate) struct Server<'a> {
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) address: &'a Address,
    /// What the request is for, as error messages say it.
    pub(crate) wanted: &'static str,
}

/// A product that runs on the user's device and is recognized by its default port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LocalProduct {
    Ollama,
    LmStudio,
    LlamaServer,
    Vllm,
}

impl<'a> Server<'a> {
    /// A server that is asked for a completion.
    pub(crate) fn completions(endpoint: &'a Endpoint, address: &'a Address) -> Self {
        Self { endpoint, address, wanted: "chat completions" }
    }

    /// A server that is asked to count tokens.
    pub(crate) fn counts(endpoint: &'a Endpoint, address: &'a Address) -> Self {
        Self { endpoint, address, wanted: "count of tokens" }
    }

    /// A server that is asked to compact messages.
    pub(crate) fn compactions(endpoint: &'a Endpoint, address: &'a Address) -> Self {
        Self { endpoint, address, wanted: "compaction of messages" }
    }

    /// A server that is asked for its models.
    pub(crate) fn models(endpoint: &'a Endpoint, address: &'a Address) -> Self {
        Self { endpoint, address, wanted: "list of models" }
    }

    /// Why an answer in JSON is of no use: it is not what the server was asked for.
    pub(crate) fn not_wanted(self) -> EndpointError {
        let (shown, wanted) = (self.address.shown(), self.wanted);
        let message = format!("{shown} sent no {wanted}; is that the address of the API?");
        EndpointError::new(EndpointErrorCode::BadAnswer, message)
    }

    pub(crate) fn api(self) -> &'static HttpApi {
        self.endpoint.provider.api()
    }

    /// What the base URLs of the provider's API mostly end in: `/v1`, or nothing.
    pub(crate) fn usual_path(self) -> &'static str {
        let host = self.api().base_url.split_once("://").map_or("", |(_, host)| host);
        host.find('/').and_then(|start| host.get(start..)).unwrap_or_default()
    }

    /// What the server says, as error messages show it: on one line, without keys, and cut to 300 characters. `None` if it
    /// says nothing.
    pub(crate) fn quote(self, words: &str) -> Option<String> {
        let mut line = String::new();
        let mut characters = words.split_whitespace().flat_map(|word| word.chars().chain([' ']));
        line.extend(characters.by_ref().take(MAX_READ_CHARS));
        let is_cut = characters.next().is_some();
        let hidden = self.mask().hide(line.trim_end(), is_cut);
        let mut shown: String = hidden.chars().take(MAX_SHOWN_CHARS).collect();
        if is_cut || shown.len() < hidden.len() {
            shown.push('…');
        }
        Some(shown).filter(|shown| !shown.is_empty())
    }

    /// Whatever the app gave that may be a key.
    fn mask(self) -> Mask {
        let keys = &self.endpoint.keys;
        let mut mask = Mask::default();
        if let Some(key) = keys.api_key() {
            mask.add_key(key.reveal());
        }
        keys.headers().iter().for_each(|(_, value)| mask.add_value(value.reveal()));
        self.address.query_values().for_each(|value| mask.add_value(value));
        mask
    }

    pub(crate) fn local_product(self) -> Option<LocalProduct> {
        match self.address.port()? {
            11434 => Some(LocalProduct::Ollama),
            1234 => Some(LocalProduct::LmStudio),
            8080 => Some(LocalProduct::LlamaServer),
            8000 => Some(LocalProduct::Vllm),
            _ => None,
        }
        .filter(|_| self.address.is_loopback())
    }
}
