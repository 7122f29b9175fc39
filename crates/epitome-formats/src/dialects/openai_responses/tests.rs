//! Tests of reading, rewriting and writing OpenAI Responses items.

use super::*;
use crate::Format;
use crate::attachment::Attachment;
use crate::content::ContentPart;
use crate::edit_message::edit_message;
use epitome::history::pairing::Pairing;
use epitome::history::{Change, PartChange, exchanges};
use epitome::message::{Message, Part};
use epitome::test_notation::notate;

fn check(value: &Value, notation: &str, paths: &[&str]) {
    let reading = Format::OpenAiResponses.read(&"m".into(), value).unwrap();
    assert_eq!(notate(&reading.messages).trim_end(), notation, "{value}");
    let found: Vec<&str> = reading.issues.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(found, paths, "{value}");
}

/// An item of a type with these members.
fn item(kind: &str, members: Value) -> Value {
    let Value::Object(members) = members else { return members };
    std::iter::once(("type".to_owned(), kind.into())).chain(members).collect()
}

#[test]
fn messages_are_read_with_every_kind_of_part() {
    check(&json!({ "role": "user", "content": "hi" }), "u: hi", &[]);
    check(&json!({ "role": "developer", "content": "be kind" }), "s: be kind", &[]);
    let parts = json!([
        { "type": "input_text", "text": "look" },
        { "type": "input_image", "image_url": "data:image/png;base64,AAAA" },
        { "type": "input_file", "file_id": "file-1", "filename": "a.pdf" },
    ]);
    check(&json!({ "role": "user", "content": parts }), "u: look <image> <file>", &[]);
    let parts = json!([
        { "type": "output_text", "text": "so", "annotations": [] },
        { "type": "refusal", "refusal": "no" },
    ]);
    check(&item("message", json!({ "role": "assistant", "content": parts })), "a: so no", &[]);
}

#[test]
fn calls_and_outputs_of_every_type_are_read() {
    let call = json!({ "call_id": "c", "name": "f", "arguments": "{\"a\":1}" });
    check(&item("function_call", call), "a: !c<{\"a\":1}>", &[]);
    let output = |kind, output: Value| item(kind, json!({ "call_id": "c", "output": output }));
    check(&output("function_call_output", json!("42")), "t: =c<42>", &[]);
    let parts = json!([
        { "type": "input_text", "text": "42" },
        { "type": "input_image", "image_url": "https://a.example/b.png" },
    ]);
    check(&output("function_call_output", parts), "t: =c<42> <image>", &[]);
    let call = json!({ "call_id": "c", "name": "f", "input": "a \"b\"" });
    check(&item("custom_tool_call", call), r#"a: !c<"a \"b\"">"#, &[]);
    check(&output("custom_tool_call_output", json!("ok")), "t: =c<ok>", &[]);
    let call = json!({ "call_id": "c", "action": { "commands": ["ls"] } });
    check(&item("shell_call", call), r#"a: !c<{"commands":["ls"]}>"#, &[]);
    let runs = json!([
        { "stdout": "a", "stderr": "", "outcome": { "type": "exit", "exit_code": 0 } },
        { "stdout": "", "stderr": "b", "outcome": { "type": "timeout" } },
    ]);
    check(&output("shell_call_output", runs), "t: =c<a\nb>", &[]);
    check(&item("local_shell_call_output", json!({ "id": "c", "output": "a" })), "t: =c<a>", &[]);
    let call = json!({ "call_id": "c", "operation": { "type": "delete_file" } });
    check(&item("apply_patch_call", call), r#"a: !c<{"type":"delete_file"}>"#, &[]);
    let patched = json!({ "call_id": "c", "status": "completed" });
    check(&item("apply_patch_call_output", patched), "t: =c<completed>", &[]);
    let call = json!({ "id": "x", "call_id": "c", "action": { "type": "wait" } });
    check(&item("computer_call", call), r#"a: !c<{"type":"wait"}>"#, &[]);
    let screenshot =
        json!({ "type": "computer_screenshot", "image_url": "data:image/png;base64,A" });
    check(&output("computer_call_output", screenshot), "t: =c<> <image>", &[]);
    let search = json!({ "call_id": "c", "execution": "client", "arguments": {} });
    check(&item("tool_search_call", search), "a: !c", &[]);
    let found = json!({ "call_id": "c", "execution": "client", "tools": [] });
    check(&item("tool_search_output", found), "t: =c<> tool_search_output", &[]);
}

#[test]
fn items_that_only_the_provider_has_are_kept() {
    check(&item("web_search_call", json!({ "id": "x" })), "a: web_search_call", &[]);
    let hosted = json!({ "call_id": null, "execution": "server", "arguments": {} });
    check(&item("tool_search_call", hosted), "a: tool_search_call", &[]);
    let drawn = json!({ "result": "AAAA" });
    check(&item("image_generation_call", drawn), "a: <image>", &[]);
    let tools = json!({ "role": "developer", "tools": [] });
    check(&item("additional_tools", tools), "s: additional_tools", &[]);
    check(&json!({ "id": "msg_1" }), "a: item_reference", &[]);
    let compaction = json!({ "encrypted_content": "sig" });
    check(&item("compaction", compaction), "a: * compaction", &[]);
    let request = json!({ "id": "x", "name": "f", "arguments": "{}" });
    let asked = "a: mcp_approval_request may:x<x>";
    check(&item("mcp_approval_request", request), asked, &[]);
    let answer = json!({ "approval_request_id": "x", "approve": true });
    check(&item("mcp_approval_response", answer), "t: yes:x", &[]);
}

#[test]
fn issues_of_malformed_items_are_listed() {
    check(&json!({ "content": "hi" }), "u: hi", &["role"]);
    check(&json!({ "role": "Assistant", "content": "hi" }), "a: hi", &["role"]);
    check(&json!({ "role": "user" }), "u:", &["content"]);
    check(&json!({ "role": "user", "content": 7 }), "u: 7", &["content"]);
    let foreign = json!({ "role": "user", "content": [{ "type": "text", "text": "hi" }] });
    check(&foreign, "u: hi", &["content[0]"]);
    check(&item("hologram", json!({})), "a: hologram", &["type"]);
    check(&item("hologram", json!({ "role": "user" })), "u: hologram", &["type"]);
    check(&item("compaction", json!({})), "a: * compaction", &["encrypted_content"]);
    check(&item("function_call", json!({ "call_id": "c" })), "a: !c<>", &["arguments"]);
    check(&item("function_call_output", json!({ "call_id": "c" })), "t: =c<>", &["output"]);
    let error = Format::OpenAiResponses.read(&"m".into(), &json!("hi")).unwrap_err();
    assert_eq!(error.to_string(), "expected an object with type or role, found a string");
}

#[test]
fn reasoning_stays_with_the_calls_after_it_and_their_results() {
    let summary = json!([{ "type": "summary_text", "text": "hm" }]);
    let reasoning = json!({ "id": "rs_1", "summary": summary, "encrypted_content": "sig" });
    let call =
        |id: &str| item("function_call", json!({ "call_id": id, "name": "f", "arguments": "{}" }));
    let output = |id: &str| item("function_call_output", json!({ "call_id": id, "output": "42" }));
    let said = json!({ "role": "user", "content": "hi" });
    let items = [
        said.clone(),
        item("reasoning", reasoning),
        call("a"),
        call("b"),
        output("a"),
        output("b"),
        item("reasoning", json!({ "id": "rs_2", "summary": [] })),
        json!({ "role": "assistant", "content": "so" }),
        said,
    ];
    let read = items.iter().map(|item| Format::OpenAiResponses.read(&"m".into(), item));
    let messages: Vec<Message> = read.flat_map(|reading| reading.unwrap().messages).collect();
    assert_eq!(
        notate(&messages),
        "u: hi\na: ?hm#sig\na: !a\na: !b\nt: =a<42>\nt: =b<42>\na: ?#rs_2\na: so\nu: hi\n"
    );
    let pairing = Pairing::of(&messages);
    assert_eq!(exchanges(messages.len(), &pairing), [0..1, 1..6, 6..8, 8..9]);
}

fn rewrites(original: &Value, change: Change, expected: &Value) {
    let changes = [PartChange { part: 0, change }];
    assert_eq!(&Format::OpenAiResponses.rewrite(original, &changes), expected);
}

#[test]
fn a_changed_output_keeps_its_form() {
    let check = |kind, before: Value, after: Value| {
        let output = |output| item(kind, json!({ "call_id": "c", "output": output, "x": 1 }));
        rewrites(&output(before), Change::Text { text: "short".into() }, &output(after));
    };
    check("function_call_output", json!("long"), json!("short"));
    let picture = json!({ "type": "input_image", "image_url": "u" });
    let said = |text: &str| json!({ "type": "input_text", "text": text });
    check(
        "custom_tool_call_output",
        json!([said("long"), picture]),
        json!([said("short"), picture]),
    );
    let run = |text: &str| json!({ "stdout": text, "stderr": "", "outcome": { "type": "exit", "exit_code": 0 } });
    check("shell_call_output", json!([run("long"), run("long")]), json!([run("short")]));
    let screenshot = json!({ "type": "computer_screenshot", "image_url": "u" });
    check("computer_call_output", screenshot.clone(), screenshot);
    check("function_call_output", json!({ "rows": [1] }), json!("short"));
}

#[test]
fn a_call_with_changed_arguments_keeps_its_form() {
    let check = |kind, key: &str, before: Value, arguments: Value, after: Value| {
        let call = |value: Value| item(kind, json!({ "call_id": "c", key: value }));
        let arguments = arguments.to_string();
        rewrites(&call(before), Change::Arguments { arguments }, &call(after));
    };
    let (one, two) = (json!({ "a": 1 }), json!({ "a": 2 }));
    check("function_call", "arguments", json!("{}"), two.clone(), json!("{\"a\":2}"));
    check("tool_search_call", "arguments", one, two.clone(), two);
    check("custom_tool_call", "input", json!("long"), json!("short"), json!("short"));
    let (long, short) = (json!({ "commands": ["a", "b"] }), json!({ "commands": "short" }));
    check("shell_call", "action", long, short, json!({ "commands": ["short"] }));
}

#[test]
fn a_changed_text_stays_in_its_place() {
    let message = |part: Value| json!({ "role": "assistant", "content": [part], "phase": "x" });
    let refusal = |text: &str| message(json!({ "type": "refusal", "refusal": text }));
    rewrites(&refusal("long"), Change::Text { text: "short".into() }, &refusal("short"));
    let plain = |text: &str| json!({ "role": "user", "content": text });
    rewrites(&plain("long"), Change::Text { text: "short".into() }, &plain("short"));
    let odd = json!({ "role": "user", "content": { "a": 1 } });
    rewrites(&odd, Change::Text { text: "short".into() }, &plain("short"));
    let said = |text: &str| message(json!({ "type": "output_text", "text": text }));
    assert_eq!(edit_message(&OpenAiResponses, &said("so"), Some((&[0], 1)), &[]), said("so"));
}

#[test]
fn what_the_engine_inserts_can_be_read_again() {
    let format = Format::OpenAiResponses;
    let said = json!({ "role": "user", "content": "hi" });
    assert_eq!(format.write(Role::User, &[Part::text("hi")]), said);
    for (name, kind) in [
        (None, "function_call_output"),
        (Some("shell_call"), "shell_call_output"),
        (Some("apply_patch_call"), "apply_patch_call_output"),
        (Some("local_shell_call"), "local_shell_call_output"),
    ] {
        let name = name.map(str::to_owned);
        let result = Part::ToolResult { call: "c".into(), name, text: "none".into() };
        let written = format.write(Role::Tool, &[result]);
        assert_eq!(text(&written, "type"), Some(kind));
        check(&written, "t: =c<none>", &[]);
    }
}

#[test]
fn a_turn_becomes_a_message_and_an_item_for_each_call() {
    let items = vec![
        ContentPart::Text("so".into()),
        ContentPart::Call { call: "c".into(), name: "f".into(), arguments: "{}".into() },
        ContentPart::Reasoning { text: "hm".into(), signature: None },
    ];
    let mut lost = Vec::new();
    let turn = Turn { role: Role::Assistant, author: None, parts: items };
    let call = json!({ "type": "function_call", "call_id": "c", "name": "f", "arguments": "{}" });
    let said = json!({ "role": "assistant", "content": "so" });
    assert_eq!(OpenAiResponses.write(&turn, &mut lost), [said, call]);
    assert_eq!(lost.len(), 1, "{lost:?}");
    let picture = ContentPart::Image(Attachment::at("data:image/png;base64,AAAA"));
    let turn = Turn { role: Role::User, author: None, parts: vec![picture] };
    let url = "data:image/png;base64,AAAA";
    // The type of the SDK asks for the detail.
    let content = json!([{ "type": "input_image", "image_url": url, "detail": "auto" }]);
    assert_eq!(
        OpenAiResponses.write(&turn, &mut lost),
        [json!({ "role": "user", "content": content })]
    );
}

#[test]
fn two_messages_in_a_row_can_be_merged() {
    let mut first = json!({ "role": "user", "content": "a" });
    OpenAiResponses.merge(&mut first, json!({ "role": "user", "content": "b" }));
    let part = |text: &str| json!({ "type": "input_text", "text": text });
    assert_eq!(first, json!({ "role": "user", "content": [part("a"), part("b")] }));
}
