//! Tests of reading, rewriting and writing AI SDK UI messages.

use super::*;
use crate::{Format, Outgoing};
use epitome::history::{Change, Log, PLACEHOLDER_RESULT, PartChange, Projection, Record, View};
use epitome::message::Part;
use epitome::test_notation::notate;

fn check(value: &Value, notation: &str, paths: &[&str]) {
    let reading = Format::AiSdkUi.read(&"m".into(), value).unwrap();
    assert_eq!(notate(&reading.messages).trim_end(), notation, "{value}");
    let found: Vec<&str> = reading.issues.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(found, paths, "{value}");
}

fn message(role: &str, parts: &[Value]) -> Value {
    json!({ "id": "m", "role": role, "metadata": { "model": "x" }, "parts": parts })
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text, "state": "done" })
}

fn tool(call: &str, more: &Value) -> Value {
    let mut part = json!({ "type": "tool-f", "toolCallId": call, "input": {} });
    more.as_object().into_iter().flatten().for_each(|(key, value)| part[key] = value.clone());
    part
}

fn done(call: &str) -> Value {
    tool(call, &json!({ "state": "output-available", "output": format!("result {call}") }))
}

fn step() -> Value {
    json!({ "type": "step-start" })
}

/// The message after a compaction that removed these steps of it.
fn compacted(message: &Value, dropped: &[usize]) -> Value {
    let format = Format::AiSdkUi;
    let mut log = Log::default();
    for message in format.read(&"m".into(), message).unwrap().messages {
        log.append(Record::Message { message: message.into() }).unwrap();
    }
    let dropped = dropped.iter().copied().collect();
    let projection = Projection { checkpoints: 1, dropped, ..Projection::default() };
    let view = View::of(&log, &projection, &format.contract());
    format.contract().check(&log, &view).unwrap();
    match format.compose(&log, &view).as_slice() {
        [Outgoing::Keep(_)] => message.clone(),
        [Outgoing::Composed(recipe)] => recipe.compose(format, |_| Some(message)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_message_is_read_step_by_step() {
    check(&message("system", &[text("be kind")]), "s: be kind", &[]);
    check(&message("user", &[text("hi")]), "u: hi", &[]);
    let steps = [step(), text("look"), done("a"), done("b"), step(), done("c"), text("so")];
    let read = "a: look !a !b\nt: =a\nt: =b\na: !c so\nt: =c";
    check(&message("assistant", &steps), read, &[]);
    let unmarked = [done("a"), done("b"), text("look"), done("c"), text("so")];
    let read = "a: !a !b\nt: =a\nt: =b\na: look !c\nt: =c\na: so";
    check(&message("assistant", &unmarked), read, &[]);
}

#[test]
fn a_call_is_read_in_every_state() {
    let asked = json!({ "id": "x" });
    let granted = json!({ "id": "x", "approved": true });
    let refused = json!({ "id": "x", "approved": false, "reason": "no" });
    let denied = json!({ "id": "x", "approved": false });
    let cases = [
        (json!({ "state": "input-streaming", "input": { "a": 1 } }), "a: !c<{\"a\":1}>"),
        (json!({ "state": "input-streaming", "input": null }), "a: !c<>"),
        (json!({ "state": "input-available" }), "a: !c"),
        (json!({ "state": "approval-requested", "approval": asked }), "a: !c may:x<c>"),
        (json!({ "state": "approval-responded", "approval": granted }), "a: !c may:x<c>\nt: yes:x"),
        (
            json!({ "state": "approval-responded", "approval": refused }),
            "a: !c may:x<c>\nt: no:x =c<no>",
        ),
        (json!({ "state": "output-available", "output": "42" }), "a: !c\nt: =c<42>"),
        (
            json!({ "state": "output-available", "output": [1], "approval": granted }),
            "a: !c may:x<c>\nt: yes:x =c<[1]>",
        ),
        (json!({ "state": "output-available" }), "a: !c\nt: =c<null>"),
        (
            json!({ "state": "output-error", "errorText": "boom", "input": null, "rawInput": "{\"a\":" }),
            "a: !c<\"{\\\"a\\\":\">\nt: =c<boom>",
        ),
        (
            json!({ "state": "output-denied", "approval": denied }),
            "a: !c may:x<c>\nt: no:x =c<Tool call execution denied.>",
        ),
        (
            json!({ "state": "output-available", "output": 1, "providerExecuted": true }),
            "a: tool-f",
        ),
    ];
    for (part, read) in cases {
        check(&message("assistant", &[tool("c", &part)]), read, &[]);
    }
    let dynamic = json!({ "type": "dynamic-tool", "toolName": "g", "toolCallId": "c", "state": "input-available", "input": "{\"a\":1}" });
    let value = message("assistant", &[dynamic]);
    let parts = Format::AiSdkUi.read(&"m".into(), &value).unwrap().messages.remove(0).parts;
    let (call, name, arguments) = ("c".into(), "g".into(), "{\"a\":1}".into());
    assert_eq!(parts, [Part::ToolCall { call, name, arguments }]);
}

#[test]
fn results_follow_their_calls_before_approvals() {
    let granted =
        json!({ "state": "approval-responded", "approval": { "id": "x", "approved": true } });
    let parts = [tool("a", &granted), done("b")];
    let read = "a: !a !b may:x<a>\nt: =b\nt: yes:x";
    check(&message("assistant", &parts), read, &[]);
    let value = message("assistant", &parts);
    assert_eq!(compacted(&value, &[]), value);
    let passed = [&parts[..], &[step(), step(), text("so")]].concat();
    check(&message("assistant", &passed), "a: !a !b\nt: =b\na: so", &[]);
}

#[test]
fn every_type_of_part_is_read() {
    let hosted = json!({ "type": "file", "mediaType": "application/pdf", "url": "https://example.com/a.pdf" });
    let picture =
        json!({ "type": "file", "mediaType": "image/png", "url": "data:image/png;base64,AA" });
    check(&message("user", &[picture.clone(), hosted]), "u: <image> <file>", &[]);
    let metadata = json!({ "anthropic": { "signature": "seal" } });
    let thought = |metadata: Value| json!({ "type": "reasoning", "text": "hm", "providerMetadata": metadata });
    let read = "a: ?hm#{\"anthropic\":{\"signature\":\"seal\"}} ?hm";
    check(&message("assistant", &[thought(metadata), thought(json!({}))]), read, &[]);
    let url = json!({ "type": "source-url", "sourceId": "1", "url": "https://example.com" });
    let data = json!({ "type": "data-chart", "data": [1] });
    let thinking = json!({ "type": "reasoning-file", "mediaType": "image/png", "url": "u" });
    let custom = json!({ "type": "custom", "kind": "openai.thing" });
    check(
        &message("assistant", &[step(), url, data, text("so"), thinking, custom, picture]),
        "a: so reasoning-file openai.thing <image>",
        &[],
    );
    let steering = json!({ "type": "steering-message", "id": "s", "parts": [text("faster")] });
    let steered = message("assistant", &[step(), done("a"), steering, step(), text("ok")]);
    check(&steered, "a: !a\nt: =a\nu: faster\na: ok", &[]);
    let left = message("assistant", &[step(), done("a"), step(), text("ok")]);
    assert_eq!(compacted(&steered, &[2]), left);
}

#[test]
fn a_compaction_by_the_provider_is_pinned() {
    let custom = json!({ "type": "custom", "kind": "openai.compaction" });
    check(&message("assistant", &[custom]), "a: * openai.compaction", &[]);
    let metadata = json!({ "anthropic": { "type": "compaction" } });
    let said = json!({ "type": "text", "text": "so far", "providerMetadata": metadata });
    check(&message("assistant", &[said]), "a: * text", &[]);
}

#[test]
fn malformed_messages_are_read_and_their_issues_listed() {
    let stateless = |more: Value| message("assistant", &[tool("c", &more)]);
    check(&stateless(json!({})), "a: !c", &["parts[0].state"]);
    check(&stateless(json!({ "output": 4 })), "a: !c\nt: =c<4>", &["parts[0].state"]);
    check(
        &stateless(json!({ "state": "result", "errorText": "no" })),
        "a: !c\nt: =c<no>",
        &["parts[0].state"],
    );
    let inputless = json!({ "input": null, "state": "input-available" });
    check(&stateless(inputless), "a: !c<>", &["parts[0].input"]);
    let odd = [json!({ "type": "hologram" }), json!("hi"), text("ok")];
    check(&message("user", &odd), "u: hologram untyped ok", &["parts[0]", "parts[1]"]);
    let old = json!({ "type": "tool-invocation", "toolInvocation": {} });
    check(&message("assistant", &[old]), "a: tool-invocation", &["parts[0]"]);
    check(&message("user", &[done("a"), text("hi")]), "u: hi", &["parts[0]"]);
    check(&message("tool", &[done("a")]), "a: !a\nt: =a", &["role"]);
    check(&message("Model", &[text("hi")]), "a: hi", &["role"]);
    check(&json!({ "role": "user", "content": "hi" }), "u: hi", &["parts"]);
    check(&message("assistant", &[step()]), "a:", &[]);
    check(&message("assistant", &[]), "a:", &[]);
    check(&message("assistant", &[step(), text("so"), step()]), "a: so", &[]);
    let error = Format::AiSdkUi.read(&"m".into(), &json!([])).unwrap_err().to_string();
    assert_eq!(error, "expected an object with role and parts, found an array");
}

#[test]
fn steps_are_removed_with_everything_that_belongs_to_them() {
    let data = json!({ "type": "data-chart", "data": [1] });
    let parts =
        [step(), text("one"), done("a"), data, step(), done("b"), done("c"), step(), text("so")];
    let value = message("assistant", &parts);
    assert_eq!(compacted(&value, &[]), value);
    assert_eq!(compacted(&value, &[0, 1]), message("assistant", &parts[4..]));
    assert_eq!(compacted(&value, &[0, 1, 2, 3, 4]), message("assistant", &parts[7..]));
    let ends = [&parts[..4], &parts[7..]].concat();
    assert_eq!(compacted(&value, &[2, 3, 4]), message("assistant", &ends));
}

#[test]
fn the_placeholder_of_a_missing_result_is_in_the_part_of_its_call() {
    let error = |call: &str, input: Value| {
        tool(
            call,
            &json!({ "state": "output-error", "input": input, "errorText": PLACEHOLDER_RESULT }),
        )
    };
    let open = [
        json!({ "state": "input-streaming", "input": null, "title": "x" }),
        json!({ "state": "input-available", "input": { "a": 1 }, "title": "x" }),
    ];
    for (part, input) in open.into_iter().zip([json!({}), json!({ "a": 1 })]) {
        let value = |part: Value| message("assistant", &[done("a"), part, text("so")]);
        let mut filled = error("b", input);
        filled["title"] = "x".into();
        assert_eq!(compacted(&value(tool("b", &part)), &[]), value(filled));
    }
    let steps = |part: Value| message("assistant", &[step(), part, step(), text("so")]);
    let open = steps(tool("b", &json!({ "state": "input-available" })));
    assert_eq!(compacted(&open, &[]), steps(error("b", json!({}))));
    let granted = json!({ "id": "x", "approved": true });
    let open = json!({ "state": "approval-responded", "approval": granted });
    let mut filled = error("b", json!({}));
    filled["approval"] = granted;
    assert_eq!(compacted(&steps(tool("b", &open)), &[]), steps(filled));
}

#[test]
fn an_approval_request_without_response_is_removed_when_a_result_is_added() {
    let asked = json!({ "state": "approval-requested", "approval": { "id": "x" } });
    let mut first = message("assistant", &[tool("a", &asked)]);
    let result = Part::ToolResult { call: "a".into(), name: None, text: "42".into() };
    let second = Format::AiSdkUi.write(Role::Tool, &[result]);
    AiSdkUi.merge(&mut first, second);
    let expected = tool("a", &json!({ "state": "output-available", "output": "42" }));
    assert_eq!(first, message("assistant", &[expected]));
}

#[test]
fn written_messages_can_be_read_again() {
    let format = Format::AiSdkUi;
    let value = format.write(Role::User, &[Part::text("so far")]);
    let parts = json!([{ "type": "text", "text": "so far" }]);
    assert_eq!(value, json!({ "id": "epitome-7fdb0b1eb3b47481", "role": "user", "parts": parts }));
    let name = || Some("f".to_owned());
    let metadata = json!({ "anthropic": { "signature": "seal" } }).to_string();
    let thought = Part::Reasoning { text: "hm".into(), signature: Some(metadata) };
    let call = |call: &str| Part::ToolCall {
        call: call.into(),
        name: "f".into(),
        arguments: "{\"a\":1}".into(),
    };
    let result =
        |call: &str| Part::ToolResult { call: call.into(), name: name(), text: "42".into() };
    let approval = Part::Approval { approval: "x".into(), call: Some("b".into()), granted: None };
    let mut value = format.write(Role::Assistant, &[thought, call("a"), call("b"), approval]);
    let read =
        "a: ?hm#{\"anthropic\":{\"signature\":\"seal\"}} !a<{\"a\":1}> !b<{\"a\":1}> may:x<b>";
    check(&value, read, &[]);
    AiSdkUi.merge(&mut value, format.write(Role::Tool, &[result("a")]));
    AiSdkUi.merge(&mut value, format.write(Role::Tool, &[result("b")]));
    AiSdkUi.merge(&mut value, format.write(Role::Assistant, &[Part::text("so")]));
    let read = "a: ?hm#{\"anthropic\":{\"signature\":\"seal\"}} !a<{\"a\":1}> !b<{\"a\":1}>\n\
                t: =a<42>\nt: =b<42>\na: so";
    check(&value, read, &[]);
    check(&format.write(Role::Tool, &[result("a")]), "a: !a\nt: =a<42>", &[]);
}

#[test]
fn what_the_format_cannot_hold_is_listed_as_lost() {
    let seal = Some("seal".into());
    let items = vec![
        ContentPart::Reasoning { text: "hm".into(), signature: seal },
        ContentPart::Image(crate::attachment::Attachment::default()),
        ContentPart::Opaque { kind: "hologram".into(), characters: 1 },
        ContentPart::Approval { approval: "x".into(), call: None, granted: Some(true) },
        ContentPart::NotSent,
    ];
    let turn = Turn { role: Role::Assistant, author: None, parts: items };
    let mut lost = Vec::new();
    let written = AiSdkUi.write(&turn, &mut lost);
    let thought = json!({ "type": "reasoning", "text": "hm", "state": "done" });
    assert_eq!(written[0]["parts"], json!([thought]));
    let nothing = Turn { parts: vec![ContentPart::NotSent], ..turn };
    assert_eq!(AiSdkUi.write(&nothing, &mut Vec::new()), Vec::<Value>::new());
    assert_eq!(
        lost,
        [
            "the signature of reasoning is left out",
            "an image or file that only another provider has is left out",
            "a part of type \"hologram\" is left out",
            "the response to an approval request is left out",
        ]
    );
}

#[test]
fn a_changed_result_stays_in_its_field() {
    let refused = |reason: &str| json!({ "id": "x", "approved": false, "reason": reason });
    let cases: [[Value; 2]; 4] = [
        [
            json!({ "state": "output-available", "output": { "a": 1 } }),
            json!({ "state": "output-available", "output": "short" }),
        ],
        [
            json!({ "state": "output-error", "errorText": "long" }),
            json!({ "state": "output-error", "errorText": "short" }),
        ],
        [
            json!({ "state": "output-denied", "approval": refused("long") }),
            json!({ "state": "output-denied", "approval": refused("short") }),
        ],
        [json!({ "output": "long" }), json!({ "output": "short" })],
    ];
    for [before, after] in cases {
        let mut part = tool("c", &before);
        AiSdkUi.set_result(&mut part, "short");
        assert_eq!(part, tool("c", &after));
    }
}

#[test]
fn changed_texts_and_arguments_keep_their_form() {
    let arguments = Change::Arguments { arguments: "{\"a\":2}".into() };
    let value = |said: &str, input: Value| {
        message(
            "assistant",
            &[text(said), tool("a", &json!({ "state": "input-available", "input": input }))],
        )
    };
    let changes = [
        PartChange { part: 0, change: Change::Text { text: "short".into() } },
        PartChange { part: 1, change: arguments },
    ];
    let rewrite = |original| Format::AiSdkUi.rewrite(&original, &changes);
    assert_eq!(rewrite(value("long", json!({ "a": 1 }))), value("short", json!({ "a": 2 })));
    let (one, two) = (json!("{\"a\":1}"), json!("{\"a\":2}"));
    assert_eq!(rewrite(value("long", one)), value("short", two));
}
