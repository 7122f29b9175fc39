//! Tests of reading, rewriting and writing OpenAI Chat Completions messages.

use super::*;
use crate::Format;
use epitome::history::{Change, PartChange};
use epitome::message::Part;
use epitome::test_notation::notate;

fn check(value: &Value, notation: &str, paths: &[&str]) {
    let reading = Format::OpenAiChat.read(&"m".into(), value).unwrap();
    assert_eq!(notate(&reading.messages).trim_end(), notation, "{value}");
    let found: Vec<&str> = reading.issues.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(found, paths, "{value}");
}

fn call(id: &str) -> Value {
    json!({ "id": id, "type": "function", "function": { "name": "f", "arguments": "{}" } })
}

#[test]
fn valid_messages_are_read_without_issues() {
    check(&json!({ "role": "system", "content": "be kind" }), "s: be kind", &[]);
    check(&json!({ "role": "developer", "content": "be kind" }), "s: be kind", &[]);
    check(&json!({ "role": "user", "content": [{ "type": "text", "text": "hi" }] }), "u: hi", &[]);
    let assistant =
        json!({ "role": "assistant", "content": null, "tool_calls": [call("a"), call("b")] });
    check(&assistant, "a: !a !b", &[]);
    check(&json!({ "role": "tool", "tool_call_id": "a", "content": "42" }), "t: =a<42>", &[]);
    let thought = json!({ "role": "assistant", "content": "yes", "reasoning_content": "hm" });
    check(&thought, "a: ?hm yes", &[]);
    let picture =
        json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA" } });
    check(&json!({ "role": "user", "content": [picture] }), "u: <image>", &[]);
}

#[test]
fn malformed_messages_are_read_and_their_issues_listed() {
    check(&json!({ "content": "hi" }), "u: hi", &["role"]);
    check(&json!({ "role": "Assistant", "content": "hi" }), "a: hi", &["role"]);
    check(&json!({ "role": "narrator", "content": "hi" }), "u: hi", &["role"]);
    check(&json!({ "role": "user", "content": 7 }), "u: 7", &["content"]);
    let odd = json!({ "role": "user", "content": [{ "type": "hologram", "data": 1 }] });
    check(&odd, "u: hologram", &["content[0]"]);
    let unnamed = json!({ "role": "tool", "content": { "ok": true } });
    check(&unnamed, "t: =<{\"ok\":true}>", &["content"]);
    let null = json!({ "role": "assistant", "tool_calls": [{ "id": "a", "function": { "name": "f", "arguments": null } }] });
    check(&null, "a: !a<>", &["tool_calls[0].function.arguments"]);
    check(&json!({ "role": "assistant", "content": null }), "a:", &[]);
}

#[test]
fn an_error_names_the_type_of_a_value_that_is_not_an_object() {
    let error = Format::OpenAiChat.read(&"m".into(), &json!("hi")).unwrap_err().to_string();
    assert_eq!(error, "expected an object with role and content, found a string");
}

#[test]
fn what_the_engine_inserts_can_be_read_again() {
    let format = Format::OpenAiChat;
    let result = [Part::ToolResult { call: "a".into(), name: None, text: "none".into() }];
    let value = format.write(Role::Tool, &result);
    assert_eq!(value, json!({ "role": "tool", "tool_call_id": "a", "content": "none" }));
    assert_eq!(format.read(&"m".into(), &value).unwrap().messages[0].parts, result);
    let value = format.write(Role::User, &[Part::text("hi")]);
    assert_eq!(value, json!({ "role": "user", "content": "hi" }));
}

fn rewrites(original: &Value, part: usize, change: Change, expected: &Value) {
    let changes = [PartChange { part, change }];
    assert_eq!(&Format::OpenAiChat.rewrite(original, &changes), expected);
}

#[test]
fn a_changed_result_keeps_its_images() {
    let text = Change::Text { text: "short".into() };
    rewrites(
        &json!({ "role": "tool", "tool_call_id": "a", "content": "long", "x": 1 }),
        0,
        text.clone(),
        &json!({ "role": "tool", "tool_call_id": "a", "content": "short", "x": 1 }),
    );
    let picture = json!({ "type": "image_url", "image_url": { "url": "u" } });
    let parts = json!([{ "type": "text", "text": "long" }, picture]);
    let short = json!([{ "type": "text", "text": "short" }, picture]);
    rewrites(
        &json!({ "role": "tool", "tool_call_id": "a", "content": parts }),
        0,
        text,
        &json!({ "role": "tool", "tool_call_id": "a", "content": short }),
    );
}

#[test]
fn a_call_with_changed_arguments_keeps_its_form() {
    let arguments = Change::Arguments { arguments: "{\"a\":2}".into() };
    let call = |arguments: Value| json!({ "id": "c", "function": { "name": "f", "arguments": arguments } });
    let message = |second: Value| json!({ "role": "assistant", "content": "so", "tool_calls": [call(json!("{}")), call(second)] });
    let one = json!("{\"a\":1}");
    rewrites(&message(one), 2, arguments.clone(), &message(json!("{\"a\":2}")));
    rewrites(&message(json!({ "a": 1 })), 2, arguments.clone(), &message(json!({ "a": 2 })));
    let old = |arguments: &str| json!({ "role": "assistant", "function_call": { "name": "f", "arguments": arguments } });
    rewrites(&old("{}"), 0, arguments, &old("{\"a\":2}"));
}

#[test]
fn reasoning_can_be_removed() {
    rewrites(
        &json!({ "role": "assistant", "content": "so", "reasoning_content": "hm" }),
        0,
        Change::Remove,
        &json!({ "role": "assistant", "content": "so" }),
    );
}
