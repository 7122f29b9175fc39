//! The conversation that the packed npm package compacts in every tool and runtime (`tests/packaging`), compacted without wasm.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should stop"
)]

use epitome::{Outcome, Policy, PolicySpec, Reason};
use epitome_formats::Format;
use epitome_tests::App;
use serde_json::Value;

#[test]
fn m5_the_engine_makes_what_every_tool_and_runtime_has_to_make() {
    let text = include_str!("../fixtures/packaging.json");
    let fixture: Value = serde_json::from_str(text).unwrap();
    let spec: PolicySpec = serde_json::from_value(fixture["policy"].clone()).unwrap();
    let policy: Policy = spec.resolve().unwrap();
    let mut app = App::new(Format::OpenAiChat, policy).unwrap();
    for message in fixture["messages"].as_array().unwrap() {
        app.append(message.clone()).unwrap();
    }
    let report = app.compact(Reason::SessionCompaction).unwrap().unwrap();
    assert!(matches!(report.outcome, Outcome::Applied { .. }), "{:?}", report.outcome);
    assert_eq!(Value::from(app.messages()), fixture["expected"]);
}
