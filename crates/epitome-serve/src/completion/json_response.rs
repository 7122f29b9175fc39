//! A completion as one JSON object.

use axum::Json;
use serde_json::{Value, json};

use super::Completion;

/// The response with the whole completion.
pub(super) fn respond(completion: &Completion) -> Json<Value> {
    let message = json!({ "role": "assistant", "content": completion.answer.text });
    Json(json!({
        "id": completion.id,
        "object": "chat.completion",
        "created": completion.created,
        "model": completion.model,
        "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }],
        "usage": completion.usage(),
    }))
}
