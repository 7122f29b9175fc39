//! What each body format of a completion API implements: a writer of requests and a reader of responses.

use crate::completion::{Completion, Prompt};
use crate::endpoint::Endpoint;
use crate::error::{EndpointError, EndpointErrorCode};
use crate::error_body::ErrorBody;
use crate::server::Server;

/// Writes requests.
pub(crate) trait CompletionRequest: Sized {
    /// The request that suits most servers.
    fn first(endpoint: &Endpoint, prompt: &Prompt) -> Self;

    /// The body, as JSON.
    fn body(&self, endpoint: &Endpoint, prompt: &Prompt) -> String;

    /// The same request without the field that the server's error names as unsupported. `None` if the error names no
    /// such field, or if the request can be written in no other way. Has to become `None` after a few calls, because
    /// the caller sends a request after each.
    fn without_rejected_field(&self, error: &ErrorBody) -> Option<Self>;
}

/// Collects a response, from one JSON object or from the events of a stream. Each new part of the answer's text is
/// passed to `on_delta`.
pub(crate) trait CompletionResponse<'a> {
    /// How a streamed response is divided into what [`add_event`](Self::add_event) takes.
    const FRAMING: Framing = Framing::Events;

    fn new(server: Server<'a>) -> Self;

    /// Adds the data of one event.
    fn add_event(
        &mut self,
        data: &str,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<StreamState, EndpointError>;

    /// Adds the data of an event that only the end of the stream completed.
    ///
    /// A connection that ends inside an event leaves half of its JSON. That is not a bad answer, but one that was cut
    /// off: `finish` reports so, because the end mark is missing.
    fn add_last_event(
        &mut self,
        data: &str,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<(), EndpointError> {
        match self.add_event(data, on_delta) {
            Err(error) if error.code != EndpointErrorCode::BadAnswer => Err(error),
            _ => Ok(()),
        }
    }

    /// Adds a whole response that is one JSON object.
    fn add_body(&mut self, body: &str, on_delta: &mut dyn FnMut(&str))
    -> Result<(), EndpointError>;

    /// The completion, or why the response is not one.
    fn finish(self, on_delta: &mut dyn FnMut(&str)) -> Result<Completion, EndpointError>;
}

/// How a streamed response is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events.
    Events,
    /// A JSON object in each line. A response that is not streamed is one line.
    Lines,
}

/// Whether a stream goes on after an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamState {
    Open,
    Done,
}
