//! Tests of reading, rewriting and writing Gemini contents.

use super::*;
use crate::Format;
use crate::attachment::Attachment;
use crate::content::ContentPart;
use crate::edit_message::edit_message;
use epitome::history::{Change, PartChange};
use epitome::message::{Part, Role};
use epitome::test_notation::notate;

fn check(value: &Value, notation: &str, paths: &[&str]) {
    let reading = Format::Gemini.read(&"m".into(), value).unwrap();
    assert_eq!(notate(&reading.messages), notation, "{value}");
    let found: Vec<&str> = reading.issues.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(found, paths, "{value}");
}

fn model(parts: &Value) -> Value {
    json!({ "role": "model", "parts": parts })
}

fn user(parts: &Value) -> Value {
    json!({ "role": "user", "parts": parts })
}

fn response(name: &str, said: &str) -> Value {
    json!({ "functionResponse": { "name": name, "response": { "output": said } } })
}

#[test]
fn every_kind_of_part_is_read() {
    check(&user(&json!([{ "text": "hi" }])), "u: hi\n", &[]);
    check(&user(&json!({ "text": "hi" })), "u: hi\n", &[]);
    let thought = json!({ "text": "hm", "thought": true, "thoughtSignature": "sig" });
    let said = json!({ "text": "so", "thoughtSignature": "other" });
    let call = json!({ "functionCall": { "id": "one", "name": "f", "args": { "a": 1 } } });
    check(&model(&json!([thought, said, call])), "a: ?hm#sig so !one<{\"a\":1}>\n", &[]);
    let picture = json!({ "inlineData": { "mimeType": "image/png", "data": "AAAA" } });
    let paper = json!({ "fileData": { "mimeType": "application/pdf", "fileUri": "gs://a" } });
    check(&user(&json!([picture, paper])), "u: <image> <file>\n", &[]);
    let code = json!({ "executableCode": { "language": "PYTHON", "code": "1" } });
    let search = json!({ "toolCall": { "id": "x" }, "thoughtSignature": "sig" });
    check(&model(&json!([code, search])), "a: executableCode toolCall\n", &[]);
}

#[test]
fn a_signature_without_text_is_reasoning() {
    check(&model(&json!([{ "thoughtSignature": "sig" }])), "a: ?#sig\n", &[]);
    let empty = json!({ "text": "", "thoughtSignature": "sig" });
    check(&model(&json!([{ "text": "so" }, empty])), "a: so ?#sig\n", &[]);
}

#[test]
fn snake_case_fields_are_read_too() {
    let call = json!({ "text": null, "function_call": { "name": "f", "args": {} } });
    check(&model(&json!([call])), "a: !f\n", &[]);
    let picture = json!({ "inline_data": { "mime_type": "image/png", "data": "AAAA" } });
    let answer = json!({ "function_response": { "name": "f", "response": { "result": "42" } } });
    check(&user(&json!([answer, picture])), "t: =f<42>\nu: <image>\n", &[]);
}

#[test]
fn parallel_calls_of_one_tool_pair_in_order_without_ids() {
    let call = |name: &str| json!({ "functionCall": { "name": name } });
    check(&model(&json!([call("f"), call("g"), call("f")])), "a: !f !g !f#2\n", &[]);
    let answers = json!([response("f", "1"), response("g", "2"), response("f", "3")]);
    check(&user(&answers), "t: =f<1>\nt: =g<2>\nt: =f#2<3>\n", &[]);
}

#[test]
fn a_response_is_read_as_its_only_text_or_as_json() {
    let answers = |response: &Value| {
        user(&json!([{ "functionResponse": { "name": "f", "response": response } }]))
    };
    check(&answers(&json!({ "error": "no" })), "t: =f<no>\n", &[]);
    check(&answers(&json!({ "city": "Rome" })), "t: =f<{\"city\":\"Rome\"}>\n", &[]);
    check(&answers(&json!({ "output": 1 })), "t: =f<{\"output\":1}>\n", &[]);
    let at = ["parts[0].functionResponse.response"];
    check(&answers(&json!("bare")), "t: =f<\"bare\">\n", &at);
    check(&answers(&json!(null)), "t: =f<>\n", &at);
}

#[test]
fn issues_of_malformed_messages_are_listed() {
    check(&json!({ "role": "user" }), "u:\n", &["parts"]);
    check(&json!({ "role": "assistant", "parts": [{ "text": "hi" }] }), "a: hi\n", &["role"]);
    check(&json!({ "parts": [{ "text": "hi" }] }), "u: hi\n", &["role"]);
    check(&user(&json!("hi")), "u: hi\n", &["parts"]);
    check(
        &user(&json!([{ "hologram": 1 }, 7])),
        "u: hologram untyped\n",
        &["parts[0]", "parts[1]"],
    );
    check(&model(&json!([{ "text": "" }, {}])), "a:  \n", &[]);
    let sealed = json!({ "thoughtSignature": "sig", "hologram": 1 });
    check(&model(&json!([sealed])), "a: hologram\n", &["parts[0]"]);
    check(&model(&json!([])), "a:\n", &[]);
    check(&model(&json!([{ "functionCall": "f" }])), "a: functionCall\n", &["parts[0]"]);
    let error = Format::Gemini.read(&"m".into(), &json!(1)).unwrap_err().to_string();
    assert_eq!(error, "expected an object with role and parts, found a number");
}

#[test]
fn a_changed_response_keeps_the_rest_of_its_part() {
    let change = Change::Text { text: "short".into() };
    let check = |before: &Value, after: &Value| {
        let message = |response: &Value| {
            let mut body = json!({ "id": "one", "name": "f", "parts": [{ "inlineData": {} }] });
            body["response"] = response.clone();
            user(&json!([{ "functionResponse": body }, { "text": "look" }]))
        };
        let changes = [PartChange { part: 0, change: change.clone() }];
        let changed = Format::Gemini.rewrite(&message(before), &changes);
        assert_eq!(changed, message(after), "{before}");
    };
    check(&json!({ "output": "long" }), &json!({ "output": "short" }));
    check(&json!({ "rows": [1, 2], "more": true }), &json!({ "output": "short" }));
    check(&json!({ "error": "long" }), &json!({ "error": "short" }));
}

#[test]
fn a_call_with_changed_arguments_keeps_its_signature() {
    let message = |args: &Value| {
        let call = json!({ "name": "f", "args": args });
        model(&json!([{ "functionCall": call, "thoughtSignature": "sig" }]))
    };
    let rewrite = |arguments: &str| {
        let change = Change::Arguments { arguments: arguments.into() };
        let changes = [PartChange { part: 1, change }];
        Format::Gemini.rewrite(&message(&json!({ "a": 1 })), &changes)
    };
    assert_eq!(rewrite("{\"a\":2}"), message(&json!({ "a": 2 })));
    assert_eq!(rewrite("no JSON"), message(&json!({ "a": 1 })));
}

#[test]
fn some_steps_stay_and_the_others_are_removed() {
    let parts = [response("f", "1"), response("f", "2"), json!({ "text": "so" })];
    let of = |kept: &[usize]| -> Value {
        user(&kept.iter().map(|index| parts[*index].clone()).collect())
    };
    let whole = of(&[0, 1, 2]);
    for kept in [&[0, 1, 2][..], &[0, 2], &[1], &[2], &[1, 0]] {
        assert_eq!(
            edit_message(&Gemini, &whole, Some((kept, usize::MAX)), &[]),
            of(kept),
            "{kept:?}"
        );
    }
}

#[test]
fn neighbours_are_merged_into_one_message() {
    let mut first = user(&json!([response("f", "1")]));
    Gemini.merge(&mut first, user(&json!([{ "text": "so" }])));
    assert_eq!(first, user(&json!([response("f", "1"), { "text": "so" }])));
}

#[test]
fn what_the_engine_inserts_can_be_read_again() {
    let write = |role, part: &Part| Format::Gemini.write(role, std::slice::from_ref(part));
    let result = |call: &str, name: Option<&str>| Part::ToolResult {
        call: call.into(),
        name: name.map(str::to_owned),
        text: "none".into(),
    };
    assert_eq!(write(Role::User, &Part::text("hi")), user(&json!([{ "text": "hi" }])));
    assert_eq!(write(Role::System, &Part::text("hi")), user(&json!([{ "text": "hi" }])));
    assert_eq!(write(Role::Assistant, &Part::text("ok")), model(&json!([{ "text": "ok" }])));
    let mut named = response("f", "none");
    for (call, name) in [("f", Some("f")), ("f#2", Some("f")), ("f#2", None), ("f", None)] {
        assert_eq!(write(Role::Tool, &result(call, name)), user(&json!([named])), "{call}");
    }
    named["functionResponse"]["id"] = "one".into();
    assert_eq!(write(Role::Tool, &result("one", Some("f"))), user(&json!([named])));
    check(&write(Role::Tool, &result("one", Some("f"))), "t: =one<none>\n", &[]);
}

#[test]
fn parts_of_other_formats_are_written_or_listed_as_lost() {
    let items = vec![
        ContentPart::Text("so".into()),
        ContentPart::Text(" ".into()),
        ContentPart::Call { call: "c".into(), name: "f".into(), arguments: "[1]".into() },
        ContentPart::Reasoning { text: "hm".into(), signature: None },
        ContentPart::opaque("hologram", &json!(1)),
    ];
    let mut lost = Vec::new();
    let turn = Turn { role: Role::Assistant, author: None, parts: items };
    let call = json!({ "name": "f", "args": { "arguments": "[1]" }, "id": "c" });
    let parts = json!([{ "text": "so" }, { "functionCall": call }]);
    assert_eq!(Gemini.write(&turn, &mut lost), [model(&parts)]);
    assert_eq!(lost.len(), 3, "{lost:?}");
    let items = vec![
        ContentPart::Image(Attachment::at("data:image/png;base64,AAAA")),
        ContentPart::File(Attachment::at("https://a.example/b.pdf")),
    ];
    let turn = Turn { role: Role::User, author: None, parts: items };
    let parts = json!([
        { "inlineData": { "mimeType": "image/png", "data": "AAAA" } },
        { "fileData": { "fileUri": "https://a.example/b.pdf" } },
    ]);
    assert_eq!(Gemini.write(&turn, &mut Vec::new()), [user(&parts)]);
}
