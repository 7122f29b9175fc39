//! The JSON Schema of a policy as the app writes it, for editors and for checks outside of Rust.

use serde_json::{Map, Value, json};

use super::{PRESETS, Policy};

/// The schema of a [`PolicySpec`](super::PolicySpec): every field of a policy, none of them required, and `preset`,
/// `modelWindow`, `reserveOutput`, `trigger` and `agents`.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(Policy).to_value();
    let mut fields =
        schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_else(Map::new);
    fields.insert(
        "preset".into(),
        json!({ "description": "The preset to start from. Default: recommended.", "enum": PRESETS }),
    );
    fields.insert(
        "modelWindow".into(),
        json!({
            "description": "The model's context window in tokens, according to its provider. Used if window is \
                            not given.",
            "type": "integer",
            "minimum": 1,
        }),
    );
    fields.insert(
        "reserveOutput".into(),
        json!({
            "description": "Tokens of the window that are kept free for the answer. Default: 0.",
            "type": "integer",
            "minimum": 0,
        }),
    );
    let condition = json!({
        "type": "object",
        "properties": {
            "fraction": { "description": "From this share of the window on.", "type": "number" },
            "tokens": { "description": "From this many tokens on.", "type": "integer", "minimum": 0 },
            "messages": {
                "description": "From this many messages on, not counting system messages and those that a \
                                summary stands for.",
                "type": "integer",
                "minimum": 0,
            },
        },
        "additionalProperties": false,
        "minProperties": 1,
    });
    fields.insert(
        "trigger".into(),
        json!({
            "description": "When a compaction is due, in place of triggers: if one of these conditions holds, each \
                            with all of its parts.",
            "anyOf": [condition, { "type": "array", "items": condition }],
        }),
    );
    let agent = json!({ "type": "object", "properties": fields, "additionalProperties": false });
    fields.insert(
        "agents".into(),
        json!({
            "description": "The fields that differ for an agent, by the agent's name.",
            "type": "object",
            "additionalProperties": agent,
        }),
    );
    if let Some(object) = schema.as_object_mut() {
        object.insert("title".into(), "epitome policy".into());
        object.insert("properties".into(), Value::Object(fields));
        object.insert("additionalProperties".into(), false.into());
        object.remove("required");
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by `cargo run -p epitome --features schema --example policy_schema`.
    const COMMITTED: &str = include_str!("../../../epitome-wasm/npm/policy.schema.json");

    #[test]
    fn the_schema_in_the_package_is_that_of_the_engine() {
        let committed: Value = serde_json::from_str(COMMITTED).unwrap();
        assert_eq!(committed, schema(), "run the command above and commit what it writes");
    }

    #[test]
    fn every_field_of_a_policy_is_in_the_schema() {
        let schema = schema();
        let properties = schema["properties"].as_object().unwrap();
        let policy = serde_json::to_value(Policy::recommended(1_000)).unwrap();
        for field in policy.as_object().unwrap().keys() {
            assert!(properties.contains_key(field), "{field}");
            assert!(properties[field].get("description").is_some(), "{field} has no description");
        }
        assert_eq!(schema.get("required"), None);
    }
}
