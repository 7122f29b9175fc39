//! `GET /v1/models`: the one summarizer there is.

use axum::Json;
use serde_json::{Value, json};

/// What answers, whatever model a request names.
pub(crate) const EXTRACTIVE: &str = "epitome-extractive";

/// The list of models.
pub(crate) async fn list() -> Json<Value> {
    let model = json!({ "id": EXTRACTIVE, "object": "model", "created": 0, "owned_by": "epitome" });
    Json(json!({ "object": "list", "data": [model] }))
}
