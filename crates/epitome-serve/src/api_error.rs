//! Error responses in the format of OpenAI's API.

use axum::Json;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// Why a request cannot be answered.
#[derive(Debug)]
pub(crate) struct ApiError {
    /// HTTP status.
    pub(crate) status: StatusCode,
    /// For programs, in snake case.
    pub(crate) code: &'static str,
    /// For people: what is wrong and where.
    pub(crate) message: String,
}

impl ApiError {
    /// An error with status 400: the client has to change the request.
    pub(crate) fn bad_request(code: &'static str, message: impl Into<String>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, code, message: message.into() }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let kind =
            if self.status.is_server_error() { "server_error" } else { "invalid_request_error" };
        let error = json!({ "message": self.message, "type": kind, "code": self.code });
        (self.status, Json(json!({ "error": error }))).into_response()
    }
}

/// Answers requests for unknown paths below `/v1`.
pub(crate) async fn no_such_path(uri: Uri) -> ApiError {
    let message = format!("{} does not exist; use /v1/chat/completions or /v1/models", uri.path());
    ApiError { status: StatusCode::NOT_FOUND, code: "unknown_path", message }
}

/// Answers requests with a method that the path does not support.
pub(crate) async fn wrong_method(method: Method, uri: Uri) -> ApiError {
    let message = format!("{} does not take {method}", uri.path());
    ApiError { status: StatusCode::METHOD_NOT_ALLOWED, code: "wrong_method", message }
}
