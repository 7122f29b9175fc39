//! Asks an endpoint for a completion: one request, one whole answer.

use web_sys::AbortSignal;

use crate::address::Address;
use crate::anthropic_request::AnthropicRequest;
use crate::anthropic_response::AnthropicResponse;
use crate::chat_request::ChatRequest;
use crate::chat_response::ChatResponse;
use crate::completion::{Completion, Prompt};
use crate::completion_format::{CompletionRequest, CompletionResponse, Framing, StreamState};
use crate::deadline::Deadline;
use crate::endpoint::{Endpoint, Streaming};
use crate::error::{EndpointError, EndpointErrorCode};
use crate::error_body::ErrorBody;
use crate::gemini_request::GeminiRequest;
use crate::gemini_response::GeminiResponse;
use crate::http_request::{
    Body, ContentType, MAX_BODY_BYTES, MAX_ERROR_BYTES, MAX_STREAM_BYTES, send,
};
use crate::json_lines::JsonLines;
use crate::model_path::model_path;
use crate::ollama_request::OllamaRequest;
use crate::ollama_response::OllamaResponse;
use crate::provider::CompletionFormat;
use crate::server::Server;
use crate::sse::{EventTooLong, SseParser};

/// How long a server may take to close a stream after its last event.
const CLOSE_GRACE_MS: u32 = 250;

/// How much of a stream is split into events at once. A chunk of it may have many megabytes.
const PIECE_BYTES: usize = 4 * 1024;

/// Asks once, and settles with the whole answer or with the reason why there is none.
///
/// `on_delta` gets each part of the text as it arrives; a response that is not streamed is one part. Failures are not
/// retried, with one exception: if a server names a field of the request as unsupported (`max_tokens`,
/// `stream_options`, the field for the answer's form), the request is sent again without it. When `signal` aborts, or the future is dropped, the
/// connection is closed, so that the server can stop working.
pub async fn complete(
    endpoint: &Endpoint,
    prompt: &Prompt,
    signal: Option<&AbortSignal>,
    on_delta: &mut dyn FnMut(&str),
) -> Result<Completion, EndpointError> {
    let Some(route) = &endpoint.provider.api().completion else {
        let message = "this provider has no endpoint for completions; use an OpenAI-compatible one";
        return Err(EndpointError::new(EndpointErrorCode::Misconfigured, message));
    };
    let address = Address::parse(&endpoint.base_url, route.pasted_paths)?;
    let server = Server::completions(endpoint, &address);
    let deadline = Deadline::start(endpoint.timeouts, signal)?;
    let path = match endpoint.stream {
        Streaming::Streamed => route.streamed_path,
        Streaming::Plain => route.path,
    };
    let path = &model_path(path, &endpoint.model);
    match route.format {
        CompletionFormat::ChatCompletions => {
            ask::<ChatRequest, ChatResponse<'_>>(server, path, prompt, deadline, on_delta).await
        }
        CompletionFormat::AnthropicMessages => {
            ask::<AnthropicRequest, AnthropicResponse<'_>>(server, path, prompt, deadline, on_delta)
                .await
        }
        CompletionFormat::GeminiContents => {
            ask::<GeminiRequest, GeminiResponse<'_>>(server, path, prompt, deadline, on_delta).await
        }
        CompletionFormat::OllamaChat => {
            ask::<OllamaRequest, OllamaResponse<'_>>(server, path, prompt, deadline, on_delta).await
        }
    }
}

async fn ask<'a, Q: CompletionRequest, R: CompletionResponse<'a>>(
    server: Server<'a>,
    path: &str,
    prompt: &Prompt,
    mut deadline: Deadline,
    on_delta: &mut dyn FnMut(&str),
) -> Result<Completion, EndpointError> {
    let endpoint = server.endpoint;
    let mut request = Q::first(endpoint, prompt);
    loop {
        if let Some(stopped) = deadline.cause() {
            return Err(stopped);
        }
        match endpoint.stream {
            Streaming::Streamed => deadline.await_first_byte(),
            Streaming::Plain => deadline.await_whole(),
        }
        let (head, mut body) =
            send(server, path, Some(&request.body(endpoint, prompt)), &deadline).await?;
        if head.is_success() {
            let content_type = head.content_type.unwrap_or_else(|| endpoint.stream.into());
            let answer = read::<R>(content_type, &mut body, server, &mut deadline, on_delta).await;
            return answer.map_err(|error| error.with_status(head.status));
        }
        let error = match body.text(MAX_ERROR_BYTES, &mut deadline).await {
            Ok(text) => ErrorBody::parse(head.status, &text),
            // The status alone is enough to classify the error.
            Err(error) if error.code == EndpointErrorCode::CutOff => {
                ErrorBody::parse(head.status, "")
            }
            Err(error) => return Err(error.with_status(head.status)),
        };
        match request.without_rejected_field(&error) {
            Some(other) => request = other,
            None => return Err(error.explain(server, head.retry_after_ms)),
        }
    }
}

async fn read<'a, R: CompletionResponse<'a>>(
    declared: ContentType,
    body: &mut Body,
    server: Server<'a>,
    deadline: &mut Deadline,
    on_delta: &mut dyn FnMut(&str),
) -> Result<Completion, EndpointError> {
    let mut response = R::new(server);
    match body.format(declared, deadline).await? {
        ContentType::EventStream => {
            let parser = Parser::Events(SseParser::default());
            read_stream(body, parser, &mut response, deadline, on_delta).await?;
        }
        ContentType::Json if R::FRAMING == Framing::Lines => {
            let parser = Parser::Lines(JsonLines::default());
            read_stream(body, parser, &mut response, deadline, on_delta).await?;
        }
        ContentType::Json => {
            let text = body.text(MAX_BODY_BYTES, deadline).await?;
            check_length(text.len(), MAX_BODY_BYTES)?;
            response.add_body(&text, on_delta)?;
        }
        ContentType::Html => return Err(web_page(server)),
    }
    // `on_delta` may have aborted during the last part. Then the caller no longer wants the answer, and expects an
    // abort, even though the response is complete.
    match deadline.cause() {
        Some(stopped) if stopped.code == EndpointErrorCode::Aborted => Err(stopped),
        _ => response.finish(on_delta),
    }
}

/// Divides a stream into what a response takes.
enum Parser {
    Events(SseParser),
    Lines(JsonLines),
}

impl Parser {
    fn push(&mut self, chunk: &[u8]) -> Result<Vec<String>, EventTooLong> {
        match self {
            Self::Events(parser) => {
                Ok(parser.push(chunk)?.into_iter().map(|event| event.data).collect())
            }
            Self::Lines(lines) => lines.push(chunk),
        }
    }

    fn finish(self) -> Option<String> {
        match self {
            Self::Events(parser) => parser.finish().map(|event| event.data),
            Self::Lines(mut lines) => lines.finish(),
        }
    }
}

async fn read_stream<'a>(
    body: &mut Body,
    mut parser: Parser,
    response: &mut impl CompletionResponse<'a>,
    deadline: &mut Deadline,
    on_delta: &mut dyn FnMut(&str),
) -> Result<(), EndpointError> {
    let mut length_bytes = 0;
    while let Some(chunk) = body.next_chunk(deadline).await? {
        length_bytes += chunk.len();
        check_length(length_bytes, MAX_STREAM_BYTES)?;
        for piece in chunk.chunks(PIECE_BYTES) {
            for event in parser.push(piece).map_err(|error| bad_answer(error.to_string()))? {
                if response.add_event(&event, on_delta)? == StreamState::Done {
                    // The answer is complete. Reading to the end lets the browser reuse the connection, but some servers
                    // never close the stream, so this must not wait for long.
                    deadline.await_end(CLOSE_GRACE_MS);
                    body.drain(deadline).await;
                    return Ok(());
                }
                body.pause(deadline).await?;
            }
            body.pause(deadline).await?;
        }
    }
    match parser.finish() {
        Some(event) => response.add_last_event(&event, on_delta),
        None => Ok(()),
    }
}

fn check_length(length_bytes: usize, limit_bytes: usize) -> Result<(), EndpointError> {
    if length_bytes > limit_bytes {
        let megabytes = limit_bytes / (1024 * 1024);
        return Err(bad_answer(format!("the answer is longer than {megabytes} megabytes")));
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
