//! `POST /v1/chat/completions`: parses a request, answers it, and sends the answer as JSON or as a stream.

mod answer;
mod chat_reply;
mod deltas;
mod event_stream;
mod json_response;
mod request;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::api_error::ApiError;
use crate::models;
use answer::Answer;
use request::Request;

/// Answers one request. `delay` is the wait before each delta of a stream.
pub(crate) async fn complete(
    State(delay): State<Duration>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let body = body.map_err(|rejection| ApiError {
        status: rejection.status(),
        code: "unreadable_body",
        message: rejection.body_text(),
    })?;
    let request = Request::parse(&body)?;
    // Summarizing a long conversation takes long. It runs on another thread, so that it does not block other requests.
    let (request, answer) = tokio::task::spawn_blocking(move || {
        let answer = Answer::to(&request);
        (request, answer)
    })
    .await
    .map_err(|error| ApiError {
        status: StatusCode::INTERNAL_SERVER_ERROR,
        code: "summarizer_failed",
        message: format!("the summarizer stopped: {error}"),
    })?;
    let completion = Completion::now(&request, answer);
    Ok(if request.stream() {
        event_stream::respond(&completion, request.usage_in_stream(), delay)
    } else {
        json_response::respond(&completion).into_response()
    })
}

/// An answer and the other fields of a completion object.
#[derive(Debug)]
struct Completion {
    id: String,
    created: u64,
    model: String,
    answer: Answer,
}

impl Completion {
    fn now(request: &Request, answer: Answer) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            id: format!("chatcmpl-{}", NUMBER.fetch_add(1, Ordering::Relaxed)),
            created: since_1970.as_secs(),
            model: request.model().unwrap_or(models::EXTRACTIVE).to_owned(),
            answer,
        }
    }

    fn usage(&self) -> Value {
        let Answer { prompt_tokens, completion_tokens, .. } = self.answer;
        json!({
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens.saturating_add(completion_tokens),
        })
    }
}
