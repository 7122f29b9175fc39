//! The server that a request goes to, and what is known of it for error messages.

use crate::address::Address;
use crate::endpoint::Endpoint;
use crate::provider::HttpApi;

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

    pub(crate) fn api(self) -> &'static HttpApi {
        self.endpoint.provider.api()
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
