//! Tests of reading, rewriting and writing AI SDK model messages.

use super::*;
use crate::Format;
use epitome::history::{Change, PLACEHOLDER_RESULT, PartChange};
use epitome::message::Part;
use epitome::test_notation::notate;

fn check(value: &Value, notation: &str, paths: &[&str]) {
    let reading = Format::AiSdkModel.read(&"m".into(), value).unwrap();
    assert_eq!(notate(&reading.messages).trim_end(), notation, "{value}");
    let found: Vec<&str> = reading.issues.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(found, paths, "{value}");
}

fn message(role: &str, content: &[Value]) -> Value {
    json!({ "role": role, "content": content, "providerOptions": { "x": {} } })
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn call(id: &str, input: &Value) -> Value {
    json!({ "type": "tool-call", "toolCallId": id, "toolName": "f", "input": input })
}

fn result(id: &str, output: &Value) -> Value {
    json!({ "type": "tool-result", "toolCallId": id, "toolName": "f", "output": output })
}

#[test]
fn valid_messages_are_read_without_issues() {
    check(&json!({ "role": "system", "content": "be kind" }), "s: be kind", &[]);
    check(&json!({ "role": "user", "content": "hi" }), "u: hi", &[]);
    check(&message("user", &[text("hi")]), "u: hi", &[]);
    let thought = |more: Value| {
        let mut part = json!({ "type": "reasoning", "text": "hm" });
        part["providerOptions"] = more;
        part
    };
    let seal = json!({ "anthropic": { "signature": "seal" } });
    let asked = json!({ "type": "tool-approval-request", "approvalId": "x", "toolCallId": "b" });
    let parts = [
        thought(seal),
        thought(json!({})),
        text("look"),
        call("a", &json!({ "a": 1 })),
        call("b", &json!("{\"a\": 1}")),
        call("c", &json!("free text")),
        asked,
    ];
    check(
        &message("assistant", &parts),
        "a: ?hm#{\"anthropic\":{\"signature\":\"seal\"}} ?hm look !a<{\"a\":1}> !b<{\"a\": 1}> \
         !c<\"free text\"> may:x<b>",
        &[],
    );
    let mut own = call("a", &json!({}));
    own["providerExecuted"] = true.into();
    let parts = [
        own,
        result("a", &json!({ "type": "json", "value": [] })),
        json!({ "type": "reasoning-file", "mediaType": "image/png", "data": "AAAA" }),
        json!({ "type": "custom", "kind": "openai.thing" }),
    ];
    let read = "a: tool-call tool-result reasoning-file openai.thing";
    check(&message("assistant", &parts), read, &[]);
}

#[test]
fn results_follow_their_calls_before_approvals() {
    let answer = |id: &str, approved: bool| json!({ "type": "tool-approval-response", "approvalId": id, "approved": approved });
    let output = json!({ "type": "text", "value": "42" });
    let parts = [answer("x", true), result("a", &output), answer("y", false), result("b", &output)];
    check(&message("tool", &parts), "t: =a<42>\nt: =b<42>\nt: yes:x no:y", &[]);
    check(&message("tool", &[answer("x", true)]), "t: yes:x", &[]);
}

#[test]
fn every_type_of_output_is_read_as_text() {
    let parts = json!([
        { "type": "text", "text": "see" },
        { "type": "image-data", "data": "AAAA", "mediaType": "image/png" },
        { "type": "file-url", "url": "https://example.com/a.pdf" },
        { "type": "file", "mediaType": "image/png", "data": { "type": "data", "data": "AAAA" } },
    ]);
    let cases = [
        (json!({ "type": "text", "value": "42" }), "t: =a<42>"),
        (json!({ "type": "json", "value": { "b": 1 } }), "t: =a<{\"b\":1}>"),
        (json!({ "type": "error-text", "value": "boom" }), "t: =a<boom>"),
        (json!({ "type": "error-json", "value": { "b": 1 } }), "t: =a<{\"b\":1}>"),
        (json!({ "type": "execution-denied", "reason": "no" }), "t: =a<no>"),
        (json!({ "type": "execution-denied" }), "t: =a<Tool call execution denied.>"),
        (json!({ "type": "content", "value": parts }), "t: =a<see> <image> <file> <image>"),
    ];
    for (output, read) in cases {
        check(&message("tool", &[result("a", &output)]), read, &[]);
    }
}

#[test]
fn images_and_files_are_read_wherever_their_bytes_are() {
    let named = json!({ "openai": "file-1" });
    let cases = [
        (json!({ "type": "image", "image": "AAAA" }), Some("image"), None),
        (json!({ "type": "image", "image": "data:image/png;base64,AA" }), Some("image/png"), None),
        (json!({ "type": "image", "image": { "$epitome": 3 } }), Some("image"), None),
        (
            json!({ "type": "file", "mediaType": "image/png", "data": "https://example.com/a" }),
            Some("image/png"),
            Some("https://example.com/a"),
        ),
        (
            json!({ "type": "file", "mediaType": "a/b", "data": { "type": "url", "url": "https://example.com/a" } }),
            Some("a/b"),
            Some("https://example.com/a"),
        ),
        (
            json!({ "type": "file", "mediaType": "a/b", "data": { "type": "url", "url": { "$epitome": 3 } } }),
            Some("a/b"),
            None,
        ),
        (
            json!({ "type": "file", "mediaType": "a/b", "data": { "type": "text", "text": "AAAA" } }),
            Some("a/b"),
            None,
        ),
        (
            json!({ "type": "file", "mediaType": "a/b", "data": { "type": "reference", "reference": named } }),
            Some("a/b"),
            Some("file-1"),
        ),
        (json!({ "type": "file", "mediaType": "a/b", "data": named }), Some("a/b"), Some("file-1")),
        (
            json!({ "type": "file", "mediaType": "a/b", "data": "AAAA", "filename": "a.b" }),
            Some("a/b"),
            Some("a.b"),
        ),
        (json!({ "type": "file" }), None, None),
    ];
    for (part, media_type, name) in cases {
        let value = message("user", &[part]);
        let reading = Format::AiSdkModel.read(&"m".into(), &value).unwrap();
        let (is_image, media) = match reading.messages[0].parts.as_slice() {
            [Part::Image(media)] => (true, media),
            [Part::File(media)] => (false, media),
            parts => panic!("{parts:?}"),
        };
        assert_eq!(is_image, media_type.is_some_and(|kind| kind.starts_with("image")));
        let found = (media.media_type.as_deref(), media.name.as_deref());
        assert_eq!(found, (media_type, name), "{value}");
    }
}

#[test]
fn malformed_messages_are_read_and_their_issues_listed() {
    check(&json!({ "role": "user" }), "u:", &["content"]);
    check(&json!({ "role": "user", "content": 7 }), "u: 7", &["content"]);
    check(&json!({ "role": "human", "content": "hi" }), "u: hi", &["role"]);
    let odd = [json!({ "type": "hologram" }), json!({ "type": "tool_use" }), json!(1)];
    let paths = ["content[0]", "content[1]", "content[2]"];
    check(&message("user", &odd), "u: hologram tool_use untyped", &paths);
    let bare = json!({ "type": "tool-call", "toolCallId": "a", "toolName": "f" });
    check(&message("assistant", &[bare]), "a: !a<>", &["content[0].input"]);
    let old = json!({ "type": "tool-result", "toolCallId": "a", "result": { "b": 1 } });
    check(&message("tool", &[old]), "t: =a<{\"b\":1}>", &["content[0].output"]);
    let none = json!({ "type": "tool-result", "toolCallId": "a" });
    check(&message("tool", &[none]), "t: =a<>", &["content[0].output"]);
    let error = Format::AiSdkModel.read(&"m".into(), &json!("hi")).unwrap_err().to_string();
    assert_eq!(error, "expected an object with role and content, found a string");
}

#[test]
fn a_compaction_by_the_provider_is_pinned() {
    let custom = json!({ "type": "custom", "kind": "openai.compaction" });
    check(&message("assistant", &[custom]), "a: * openai.compaction", &[]);
    let mut said = text("so far");
    said["providerOptions"] = json!({ "anthropic": { "type": "compaction" } });
    check(&message("assistant", &[said]), "a: * text", &[]);
}

#[test]
fn a_changed_result_keeps_its_type() {
    let picture = json!({ "type": "image-url", "url": "u" });
    let cases = [
        (json!({ "type": "text", "value": "long" }), json!({ "type": "text", "value": "short" })),
        (json!({ "type": "json", "value": [1] }), json!({ "type": "text", "value": "short" })),
        (
            json!({ "type": "error-json", "value": [1], "providerOptions": {} }),
            json!({ "type": "error-text", "value": "short", "providerOptions": {} }),
        ),
        (
            json!({ "type": "execution-denied", "reason": "long" }),
            json!({ "type": "execution-denied", "reason": "short" }),
        ),
        (
            json!({ "type": "content", "value": [text("long")] }),
            json!({ "type": "content", "value": [text("short")] }),
        ),
        (
            json!({ "type": "content", "value": [text("long"), picture, text("more")] }),
            json!({ "type": "content", "value": [text("short"), picture] }),
        ),
        (json!("long"), json!({ "type": "text", "value": "short" })),
    ];
    for (before, after) in cases {
        let mut part = result("a", &before);
        AiSdkModel.set_result(&mut part, "short");
        assert_eq!(part, result("a", &after));
    }
}

#[test]
fn a_call_with_changed_arguments_keeps_its_form() {
    let arguments = Change::Arguments { arguments: "{\"a\":2}".into() };
    let changes = [PartChange { part: 1, change: arguments }];
    let value = |input: Value| message("assistant", &[text("so"), call("a", &input)]);
    let cases = [
        (json!({ "a": 1 }), json!({ "a": 2 })),
        (json!("{\"a\":1}"), json!("{\"a\":2}")),
        (json!("free text"), json!({ "a": 2 })),
    ];
    for (before, after) in cases {
        assert_eq!(Format::AiSdkModel.rewrite(&value(before), &changes), value(after));
    }
}

#[test]
fn written_messages_can_be_read_again() {
    let format = Format::AiSdkModel;
    let value = format.write(Role::User, &[Part::text("so far")]);
    assert_eq!(value, json!({ "role": "user", "content": "so far" }));
    let value = format.write(Role::System, &[Part::text("be"), Part::text("kind")]);
    assert_eq!(value, json!({ "role": "system", "content": "be\nkind" }));
    let seal = json!({ "anthropic": { "signature": "seal" } }).to_string();
    let parts = [
        Part::Reasoning { text: "hm".into(), signature: Some(seal) },
        Part::text("look"),
        Part::ToolCall { call: "a".into(), name: "f".into(), arguments: "{\"a\":1}".into() },
        Part::Approval { approval: "x".into(), call: Some("a".into()), granted: None },
    ];
    let read = |value: &Value| format.read(&"m".into(), value).unwrap().messages[0].parts.clone();
    assert_eq!(read(&format.write(Role::Assistant, &parts)), parts);
    let none = PLACEHOLDER_RESULT;
    let placeholder =
        [Part::ToolResult { call: "a".into(), name: Some("f".into()), text: none.into() }];
    let value = format.write(Role::Tool, &placeholder);
    let expected = result("a", &json!({ "type": "error-text", "value": none }));
    assert_eq!(value, json!({ "role": "tool", "content": [expected] }));
    assert_eq!(read(&value), placeholder);
    let answer = [Part::Approval { approval: "x".into(), call: None, granted: Some(true) }];
    assert_eq!(read(&format.write(Role::Tool, &answer)), answer);
}

#[test]
fn images_are_written_and_what_the_format_cannot_hold_is_listed_as_lost() {
    let picture = Attachment::bytes(Some("image/png"), "AAAA");
    let items = vec![
        ContentPart::Text("look".into()),
        ContentPart::Image(picture.clone()),
        ContentPart::File(Attachment::at("https://example.com/a.pdf")),
        ContentPart::File(Attachment::default()),
        ContentPart::Opaque { kind: "hologram".into(), characters: 1 },
        ContentPart::Result {
            call: "a".into(),
            name: None,
            text: "see".into(),
            media: vec![picture],
            failed: false,
        },
    ];
    let turn = Turn { role: Role::User, author: None, parts: items };
    let mut lost = Vec::new();
    let image = json!({ "type": "file", "mediaType": "image/png", "data": "AAAA" });
    let file = json!({ "type": "file", "mediaType": "application/octet-stream", "data": "https://example.com/a.pdf" });
    let inside = json!({ "type": "image-data", "data": "AAAA", "mediaType": "image/png" });
    let mut answer = result("a", &json!({ "type": "content", "value": [text("see"), inside] }));
    answer["toolName"] = "unknown".into();
    let expected = [
        json!({ "role": "user", "content": [text("look"), image, file] }),
        json!({ "role": "tool", "content": [answer] }),
    ];
    assert_eq!(AiSdkModel.write(&turn, &mut lost), expected);
    assert_eq!(
        lost,
        [
            "an image or file that only another provider has is left out",
            "a part of type \"hologram\" is left out",
        ]
    );
}

#[test]
fn neighbours_are_merged_part_by_part_and_field_by_field() {
    let mut first = json!({ "role": "user", "content": "one", "own": 1 });
    let mut second = message("user", &[text("two")]);
    second["own"] = 2.into();
    let options = second["providerOptions"].clone();
    AiSdkModel.merge(&mut first, second);
    let content = [text("one"), text("two")];
    let merged =
        json!({ "role": "user", "content": content, "own": 1, "providerOptions": options });
    assert_eq!(first, merged);
}
