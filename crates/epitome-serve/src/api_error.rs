//! Errors in the shape that OpenAI's clients read.

use axum::Json;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// What is wrong with a request.
#[derive(Debug)]
pub(crate) struct Problem {
    /// HTTP status.
    pub(crate) status: StatusCode,
    /// For programs: snake_case.
    pub(crate) code: &'static str,
    /// For people: what is wrong and where.
    pub(crate) message: String,
}

impl Problem {
    /// A request that has to be changed.
    pub(crate) fn bad_request(code: &'static str, message: impl Into<String>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, code, message: message.into() }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let kind =
            if self.status.is_server_error() { "server_error" } else { "invalid_request_error" };
        let error = json!({ "message": self.message, "type": kind, "code": self.code });
        (self.status, Json(json!({ "error": error }))).into_response()
    }
}

/// For a path below `/v1` that leads nowhere.
pub(crate) async fn no_such_path(uri: Uri) -> Problem {
    let message =
        format!("there is no {}; there are /v1/chat/completions and /v1/models", uri.path());
    Problem { status: StatusCode::NOT_FOUND, code: "unknown_path", message }
}

/// For a path that exists, asked in the wrong way.
pub(crate) async fn wrong_method(method: Method, uri: Uri) -> Problem {
    let message = format!("{} does not take {method}", uri.path());
    Problem { status: StatusCode::METHOD_NOT_ALLOWED, code: "wrong_method", message }
}
