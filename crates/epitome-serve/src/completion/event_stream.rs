//! A completion as a stream of server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use futures_util::stream;
use serde_json::{Value, json};

use super::Completion;
use super::deltas::deltas;

/// Sends the role, the deltas, the finish reason, the usage if `usage` is true, and the end mark. Waits for
/// `delay` before each delta.
pub(super) fn respond(completion: &Completion, usage: bool, delay: Duration) -> Response {
    let opening = chunk(completion, &json!({ "role": "assistant", "content": "" }), None);
    let contents: Vec<Value> = deltas(&completion.answer.text)
        .into_iter()
        .map(|delta| chunk(completion, &json!({ "content": delta }), None))
        .collect();
    let mut closing = vec![chunk(completion, &json!({}), Some("stop")).to_string()];
    if usage {
        let mut last = chunk_object(completion, &json!([]));
        if let Some(fields) = last.as_object_mut() {
            fields.insert("usage".into(), completion.usage());
        }
        closing.push(last.to_string());
    }
    closing.push("[DONE]".into());

    let contents = stream::iter(contents).then(move |content| async move {
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        content.to_string()
    });
    let events = stream::iter([opening.to_string()]).chain(contents).chain(stream::iter(closing));
    Sse::new(events.map(|data| Ok::<_, Infallible>(Event::default().data(data)))).into_response()
}

fn chunk(completion: &Completion, delta: &Value, finish_reason: Option<&str>) -> Value {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish_reason });
    chunk_object(completion, &json!([choice]))
}

fn chunk_object(completion: &Completion, choices: &Value) -> Value {
    json!({
        "id": completion.id,
        "object": "chat.completion.chunk",
        "created": completion.created,
        "model": completion.model,
        "choices": choices,
    })
}
