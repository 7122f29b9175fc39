//! The server that a message to people talks about.

use crate::address::Address;
use crate::endpoint::Endpoint;

/// An endpoint whose address could be read.
#[derive(Clone, Copy)]
pub(crate) struct Server<'a> {
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) address: &'a Address,
    /// What is wanted of it, in the words of a message to people.
    pub(crate) wanted: &'static str,
}

/// A product that is known by the port it listens on, on the user's own machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Product {
    Ollama,
    LmStudio,
    LlamaServer,
    Vllm,
}

impl<'a> Server<'a> {
    /// One that is asked for completions.
    pub(crate) fn completions(endpoint: &'a Endpoint, address: &'a Address) -> Self {
        Self { endpoint, address, wanted: "chat completions" }
    }

    /// One that is asked for counts.
    pub(crate) fn counts(endpoint: &'a Endpoint, address: &'a Address) -> Self {
        Self { endpoint, address, wanted: "count of tokens" }
    }

    pub(crate) fn product(self) -> Option<Product> {
        match self.address.port()? {
            11434 => Some(Product::Ollama),
            1234 => Some(Product::LmStudio),
            8080 => Some(Product::LlamaServer),
            8000 => Some(Product::Vllm),
            _ => None,
        }
        .filter(|_| self.address.is_loopback())
    }
}
