//! One question to an endpoint and its whole answer.

use web_sys::AbortSignal;

use crate::address::Address;
use crate::chat_request::Dialect;
use crate::chat_response::{Answer, Progress};
use crate::deadline::Deadline;
use crate::endpoint::{Endpoint, Streaming};
use crate::error::{EndpointError, EndpointErrorCode};
use crate::error_body::Refusal;
use crate::http_request::{Body, Format, Route, post};
use crate::server::Server;
use crate::sse::SseParser;

/// The longest answer that is read, thinking and framing included.
pub(crate) const LONGEST_ANSWER_BYTES: usize = 16 * 1024 * 1024;
/// The longest refusal that is read.
pub(crate) const LONGEST_REFUSAL_BYTES: usize = 64 * 1024;
/// How long a server may take to close a stream that it has declared done.
const GRACE_MS: u32 = 250;

/// What to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The system message; none is sent where it is empty.
    pub system: String,
    /// The user message.
    pub user: String,
    /// The most tokens the answer may have.
    pub max_tokens: u32,
}

/// A complete answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The text, without white space before it and without a `<think>…</think>` that opens it; never
    /// empty. Where it was streamed, it is the deltas joined.
    pub text: String,
    /// What the server counted, where it says so.
    pub usage: Option<Usage>,
    /// Why the model stopped, in the server's words: mostly `stop`.
    pub finish_reason: Option<String>,
}

/// Tokens as the server counted them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the question. Far fewer than estimated mean that the server cut it silently.
    pub prompt_tokens: u32,
    /// Tokens of the answer, thinking included.
    pub completion_tokens: u32,
}

/// Asks once, and settles with the whole answer or the reason why there is none.
///
/// `on_delta` gets each piece of the text as it arrives; a plain answer is one piece. No failure is
/// asked again, except that a server which names a field of the request as unsupported (`max_tokens`,
/// `stream_options`) is asked without it. When `signal` aborts, or the future is dropped, the
/// connection is closed, so the server can stop working.
pub async fn complete(
    endpoint: &Endpoint,
    prompt: &Prompt,
    signal: Option<&AbortSignal>,
    on_delta: &mut dyn FnMut(&str),
) -> Result<Completion, EndpointError> {
    let address = Address::parse(&endpoint.base_url)?;
    let server = Server::completions(endpoint, &address);
    let mut deadline = Deadline::start(endpoint.timeouts, signal)?;
    let mut dialect = Dialect::default();
    loop {
        if let Some(stopped) = deadline.cause() {
            return Err(stopped);
        }
        match endpoint.stream {
            Streaming::Streamed => deadline.await_first_byte(),
            Streaming::Plain => deadline.await_whole(),
        }
        let request = dialect.write(endpoint, prompt);
        let (head, body) = post(server, &Route::COMPLETIONS, &request, &deadline).await?;
        if (200..300).contains(&head.status) {
            let format = head.format.unwrap_or_else(|| endpoint.stream.into());
            let answer = read(format, &body, server, &mut deadline, on_delta).await;
            return answer.map_err(|error| error.with_status(head.status));
        }
        let refusal = match body.text(LONGEST_REFUSAL_BYTES, &mut deadline).await {
            Ok(text) => Refusal::read(head.status, &text),
            // The status says enough.
            Err(error) if error.code == EndpointErrorCode::CutOff => Refusal::read(head.status, ""),
            Err(error) => return Err(error.with_status(head.status)),
        };
        match dialect.without(&refusal) {
            Some(other) => dialect = other,
            None => return Err(refusal.explain(server, head.retry_after_ms)),
        }
    }
}

async fn read(
    format: Format,
    body: &Body,
    server: Server<'_>,
    deadline: &mut Deadline,
    on_delta: &mut dyn FnMut(&str),
) -> Result<Completion, EndpointError> {
    let mut answer = Answer::new(server);
    match format {
        Format::Events => read_events(body, &mut answer, deadline, on_delta).await?,
        Format::Json => {
            let text = body.text(LONGEST_ANSWER_BYTES, deadline).await?;
            refuse_too_much(text.len())?;
            answer.add_whole(&text, on_delta)?;
        }
        Format::Html => return Err(web_page(server)),
    }
    // An abort during the last piece is still an abort: the host has stopped listening.
    match deadline.cause() {
        Some(stopped) if stopped.code == EndpointErrorCode::Aborted => Err(stopped),
        _ => answer.finish(on_delta),
    }
}

async fn read_events(
    body: &Body,
    answer: &mut Answer<'_>,
    deadline: &mut Deadline,
    on_delta: &mut dyn FnMut(&str),
) -> Result<(), EndpointError> {
    let mut parser = SseParser::default();
    let mut length = 0;
    while let Some(piece) = body.next_piece(deadline).await? {
        length += piece.len();
        refuse_too_much(length)?;
        for event in parser.push(&piece).map_err(|error| bad_answer(error.to_string()))? {
            if answer.add_event(&event.data, on_delta)? == Progress::Done {
                // The answer is there; reading on only lets the connection be used again.
                deadline.await_end(GRACE_MS);
                body.drain(deadline).await;
                return Ok(());
            }
        }
    }
    match parser.finish() {
        Some(event) => answer.add_last_event(&event.data, on_delta),
        None => Ok(()),
    }
}

fn refuse_too_much(length_bytes: usize) -> Result<(), EndpointError> {
    if length_bytes > LONGEST_ANSWER_BYTES {
        return Err(bad_answer("the answer is longer than 16 megabytes"));
    }
    Ok(())
}

fn web_page(server: Server<'_>) -> EndpointError {
    let shown = server.address.shown();
    bad_answer(format!(
        "the server sent a web page, not a completion; is {shown} the address of the API?"
    ))
}

fn bad_answer(message: impl Into<String>) -> EndpointError {
    EndpointError::new(EndpointErrorCode::BadAnswer, message)
}
