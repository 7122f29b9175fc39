//! `GET /v1/models`: lists the one model, the extractive summarizer.

use axum::Json;
use serde_json::{Value, json};

/// The name of the model. It answers every request, even if the request names another model.
pub(crate) const EXTRACTIVE: &str = "epitome-extractive";

/// The list of models.
pub(crate) async fn list() -> Json<Value> {
    let model = json!({ "id": EXTRACTIVE, "object": "model", "created": 0, "owned_by": "epitome" });
    Json(json!({ "object": "list", "data": [model] }))
}
