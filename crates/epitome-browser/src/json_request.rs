//! One request that is answered by one JSON value.

use serde_json::Value;

use crate::bounded_json;
use crate::deadline::Deadline;
use crate::error::{EndpointError, EndpointErrorCode};
use crate::error_body::ErrorBody;
use crate::http_request::{MAX_BODY_BYTES, MAX_ERROR_BYTES, send};
use crate::server::Server;

/// Sends a body, or asks without one, and returns the answer if it has at most so many values. Only the total timeout applies.
pub(crate) async fn ask(
    server: Server<'_>,
    path: &str,
    body: Option<&str>,
    most_values: usize,
    deadline: &mut Deadline,
) -> Result<Value, EndpointError> {
    if let Some(stopped) = deadline.cause() {
        return Err(stopped);
    }
    deadline.await_whole();
    let (head, mut response) = send(server, path, body, deadline).await?;
    let limit_bytes = if head.is_success() { MAX_BODY_BYTES } else { MAX_ERROR_BYTES };
    let text = match response.text(limit_bytes, deadline).await {
        // The status alone is enough to classify the error.
        Err(error) if !head.is_success() && error.code == EndpointErrorCode::CutOff => {
            String::new()
        }
        read => read.map_err(|error| error.with_status(head.status))?,
    };
    if !head.is_success() {
        return Err(ErrorBody::parse(head.status, &text).explain(server, head.retry_after_ms));
    }
    let response = bounded_json::parse(&text, most_values)
        .ok_or_else(|| server.not_wanted().with_status(head.status))?;
    match response.get("error").filter(|error| !error.is_null()) {
        Some(error) => Err(ErrorBody::inside_response(error).explain(server, None)),
        None => Ok(response),
    }
}
