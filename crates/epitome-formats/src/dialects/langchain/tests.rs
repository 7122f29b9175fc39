//! Tests of reading, rewriting and writing LangChain messages.

use super::*;
use crate::edit_message::edit_message;
use crate::{Format, Outgoing};
use epitome::history::{Change, Edit, Log, PartChange, Record, View};
use epitome::message::Part;
use epitome::test_notation::notate;

fn constructor(class: &str, kwargs: &Value) -> Value {
    let id = ["langchain_core", "messages", class];
    json!({ "lc": 1, "type": "constructor", "id": id, "kwargs": kwargs })
}

fn stored(kind: &str, data: &Value) -> Value {
    json!({ "type": kind, "data": data })
}

#[track_caller]
fn check(value: &Value, notation: &str, paths: &[&str]) {
    let reading = Format::LangChain.read(&"m".into(), value).unwrap();
    assert_eq!(notate(&reading.messages).trim_end(), notation, "{value}");
    let found: Vec<&str> = reading.issues.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(found, paths, "{value}");
}

fn call(id: &str, args: &Value) -> Value {
    json!({ "id": id, "name": "f", "args": args, "type": "tool_call" })
}

#[test]
fn every_class_is_read_in_every_form() {
    let cases = [
        ("SystemMessage", "system", json!({ "content": "be kind" }), "s: be kind"),
        ("HumanMessage", "human", json!({ "content": "hi" }), "u: hi"),
        ("HumanMessageChunk", "HumanMessageChunk", json!({ "content": "hi" }), "u: hi"),
        ("AIMessage", "ai", json!({ "content": "hi" }), "a: hi"),
        ("AIMessageChunk", "AIMessageChunk", json!({ "content": [{ "text": "hi" }] }), "a: hi"),
        ("ToolMessage", "tool", json!({ "content": "42", "tool_call_id": "a" }), "t: =a<42>"),
        ("FunctionMessage", "function", json!({ "content": "42", "name": "f" }), "t: =f<42>"),
        ("ChatMessage", "generic", json!({ "content": "hi", "role": "assistant" }), "a: hi"),
        ("ChatMessage", "chat", json!({ "content": "hi", "role": "user" }), "u: hi"),
        ("MyMessage", "mine", json!({ "content": "hi", "type": "ai" }), "a: hi"),
    ];
    for (class, kind, body, notation) in cases {
        check(&constructor(class, &body), notation, &[]);
        check(&stored(kind, &body), notation, &[]);
    }
    let blocks = json!({ "content_blocks": [{ "type": "text", "text": "hi" }] });
    check(&constructor("HumanMessage", &blocks), "u: hi", &[]);
    check(&json!({ "role": "user", "content": "hi" }), "u: hi", &[]);
    check(&json!({ "type": "ai", "content": "hi", "tool_calls": [] }), "a: hi", &[]);
    check(&json!({ "role": "developer", "content": "hi" }), "s: hi", &[]);
}

#[test]
fn a_compaction_by_the_provider_is_pinned() {
    let block = json!({ "type": "compaction", "content": "so far" });
    check(&stored("ai", &json!({ "content": [block] })), "a: * compaction", &[]);
}

#[test]
fn issues_of_malformed_messages_are_listed() {
    check(&stored("generic", &json!({ "content": "hi", "role": "bard" })), "u: hi", &["data.role"]);
    check(&constructor("HumanMessage", &json!({})), "u:", &["kwargs.content"]);
    check(&constructor("AIMessage", &json!({})), "a:", &[]);
    check(&stored("human", &json!({ "content": 7 })), "u: 7", &["data.content"]);
    check(&stored("tool", &json!({ "tool_call_id": "a" })), "t: =a<>", &["data.content"]);
    let odd = json!({ "content": [{ "type": "hologram" }] });
    check(&constructor("HumanMessage", &odd), "u: hologram", &["kwargs.content[0]"]);
    let bare = json!({ "content": "", "tool_calls": [{ "id": "a", "name": "f" }] });
    check(&stored("ai", &bare), "a: !a<>", &["data.tool_calls[0]"]);
    check(&constructor("RemoveMessage", &json!({ "id": "m7", "content": [] })), "u:", &[""]);
    let error = |value| Format::LangChain.read(&"m".into(), &value).unwrap_err().to_string();
    assert!(error(json!("hi")).ends_with("found a string"));
    assert!(error(json!({ "lc": 1, "type": "not_implemented" })).ends_with("found an object"));
}

#[test]
fn parts_in_several_places_are_read_once() {
    let reasoning = json!({ "type": "thinking", "thinking": "hm", "signature": "sig" });
    let block = json!({ "type": "tool_use", "id": "a", "name": "f", "input": { "x": 1 } });
    let raw = json!({ "id": "a", "function": { "name": "f", "arguments": "{\"x\":1}" } });
    let body = json!({
        "content": [reasoning, { "type": "text", "text": "so" }, block],
        "tool_calls": [call("a", &json!({ "x": 1 }))],
        "invalid_tool_calls": [{ "id": "b", "name": "f", "args": "{\"x", "error": "bad" }],
        "additional_kwargs": { "tool_calls": [raw] },
    });
    check(&constructor("AIMessage", &body), "a: ?hm#sig so !a<{\"x\":1}> !b<{\"x>", &[]);
    let raw = json!({ "content": "", "additional_kwargs": { "tool_calls": [raw], "reasoning_content": "hm" } });
    check(&stored("ai", &raw), "a: ?hm !a<{\"x\":1}>", &[]);
    let item = json!({ "id": "rs", "type": "reasoning", "summary": [{ "text": "hm" }], "encrypted_content": "sig" });
    let said = json!({ "type": "message", "content": [{ "type": "output_text", "text": "so" }] });
    let body = json!({
        "content": [{ "type": "text", "text": "so" }],
        "additional_kwargs": { "reasoning": item, "refusal": "no" },
        "response_metadata": { "output": [item, said] },
    });
    check(&constructor("AIMessage", &body), "a: ?hm#sig so no", &[]);
}

#[test]
fn results_are_read_with_images_and_errors() {
    let picture = json!({ "type": "image_url", "image_url": { "url": "https://a/b.png" } });
    let body = json!({
        "content": ["4", { "type": "text", "text": "2" }, picture, { "type": "non_standard", "value": 1 }],
        "tool_call_id": "a", "name": "f", "status": "error", "artifact": { "rows": [1, 2, 3] },
    });
    let value = stored("tool", &body);
    let content = LangChain::Stored.read(&value).unwrap();
    let ContentPart::Result { call, name, text, media, failed } = &content.steps[0].items[0].part
    else {
        panic!("no result")
    };
    assert_eq!((call.as_ref(), name.as_deref(), *failed), ("a", Some("f"), true));
    assert_eq!(text, "4\n2\n{\"type\":\"non_standard\",\"value\":1}");
    assert_eq!(media.len(), 1);
    // Written by the app in the form of Anthropic.
    let answer = |id: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": "42" });
    let body = json!({ "content": [answer("a"), answer("b"), { "type": "text", "text": "so" }] });
    let value = constructor("HumanMessage", &body);
    check(&value, "t: =a<42>\nt: =b<42>\nu: so", &[]);
    let short = constructor("HumanMessage", &json!({ "content": [answer("b")] }));
    assert_eq!(edit_message(&LangChain::Constructor, &value, Some((&[1], usize::MAX)), &[]), short);
}

#[track_caller]
fn rewrites(original: &Value, part: usize, change: Change, expected: &Value) {
    let changes = [PartChange { part, change }];
    assert_eq!(&Format::LangChain.rewrite(original, &changes), expected);
}

#[test]
fn a_call_is_changed_and_removed_in_every_place() {
    let message = |x: u32| {
        let text = format!("{{\"x\":{x}}}");
        let raw = json!({ "id": "a", "function": { "name": "f", "arguments": text } });
        let item =
            json!({ "type": "function_call", "id": "fc", "call_id": "a", "arguments": text });
        let body = json!({
            "content": [{ "type": "tool_use", "id": "a", "name": "f", "input": { "x": x } }],
            "tool_calls": [call("a", &json!({ "x": x })), call("b", &json!({}))],
            "tool_call_chunks": [{ "id": "a", "name": "f", "args": text, "index": 0 }],
            "additional_kwargs": { "tool_calls": [raw] },
            "response_metadata": { "output": [item] },
        });
        constructor("AIMessageChunk", &body)
    };
    let arguments = Change::Arguments { arguments: "{\"x\":2}".into() };
    rewrites(&message(1), 0, arguments, &message(2));
    let gone = constructor(
        "AIMessageChunk",
        &json!({
            "content": [],
            "tool_calls": [call("b", &json!({}))],
            "tool_call_chunks": [],
            "additional_kwargs": { "tool_calls": [] },
            "response_metadata": { "output": [] },
        }),
    );
    rewrites(&message(1), 0, Change::Remove, &gone);
}

#[test]
fn changed_texts_and_results_leave_the_rest_as_it_is() {
    let text = || Change::Text { text: "short".into() };
    let picture = json!({ "type": "image_url", "image_url": "https://a/b.png" });
    let with = |said: &str| {
        let content = json!([{ "type": "text", "text": said }, picture]);
        constructor(
            "ToolMessage",
            &json!({ "content": content, "tool_call_id": "a", "artifact": 1 }),
        )
    };
    rewrites(&with("long"), 0, text(), &with("short"));
    let with = |said: &str| stored("tool", &json!({ "content": said, "tool_call_id": "a" }));
    rewrites(&with("long"), 0, text(), &with("short"));
    let with = |said: &str| {
        let blocks = json!([{ "type": "text", "text": said }]);
        constructor("ToolMessage", &json!({ "content_blocks": blocks, "tool_call_id": "a" }))
    };
    rewrites(&with("long"), 0, text(), &with("short"));
    let with = |said: &str| json!({ "role": "tool", "content": said, "tool_call_id": "a" });
    rewrites(&with("long"), 0, text(), &with("short"));
    let with =
        |said: &str| stored("ai", &json!({ "content": [{ "type": "refusal", "refusal": said }] }));
    rewrites(&with("long"), 0, text(), &with("short"));
    let with = |said: &str| {
        let item =
            json!({ "type": "message", "content": [{ "type": "output_text", "text": said }] });
        stored("ai", &json!({ "content": said, "response_metadata": { "output": [item] } }))
    };
    rewrites(&with("long"), 0, text(), &with("short"));
}

#[test]
fn texts_of_the_engine_are_written_in_the_form_of_the_conversation() {
    let result = Part::ToolResult { call: "a".into(), name: None, text: "none".into() };
    let call = Part::ToolCall { call: "a".into(), name: "f".into(), arguments: "{}".into() };
    let cases = [
        (Role::Tool, result),
        (Role::Assistant, call),
        (Role::User, Part::text("hi")),
        (Role::System, Part::text("be kind")),
    ];
    let samples = [
        (LangChain::Constructor, constructor("HumanMessage", &json!({ "content": "hi" }))),
        (LangChain::Stored, stored("human", &json!({ "content": "hi" }))),
        (LangChain::Plain, json!({ "role": "user", "content": "hi" })),
    ];
    for (form, sample) in samples {
        let dialect = LangChain::Constructor.form_of(&sample).unwrap();
        for (role, part) in &cases {
            let turn = Turn { role: *role, author: None, parts: vec![ContentPart::of(part)] };
            let value = dialect.write(&turn, &mut Vec::new()).remove(0);
            assert_eq!(body(&value).map(|(form, _)| form), Some(form));
            let read = Format::LangChain.read(&"m".into(), &value).unwrap();
            assert_eq!((read.messages[0].role, &read.messages[0].parts[0]), (*role, part));
            assert_eq!(read.issues, []);
        }
    }
    let kwargs = json!({ "content": "hi", "additional_kwargs": {}, "response_metadata": {} });
    let written = Format::LangChain.write(Role::User, &[Part::text("hi")]);
    assert_eq!(written, constructor("HumanMessage", &kwargs));
}

#[test]
fn what_langchain_cannot_hold_is_listed_as_lost() {
    let media = |media_type: &'static str, source| Attachment {
        media_type: Some(media_type.into()),
        name: Some("plan".into()),
        source,
    };
    let bytes = || crate::attachment::Source::Base64("AA".into());
    let items = vec![
        ContentPart::Text("look".into()),
        ContentPart::Image(media("image/png", bytes())),
        ContentPart::File(media("application/pdf", bytes())),
        ContentPart::File(media("audio/wav", bytes())),
        ContentPart::File(media("", crate::attachment::Source::Id("f".into()))),
        ContentPart::Reasoning { text: "hm".into(), signature: None },
    ];
    let mut lost = Vec::new();
    let turn = Turn { role: Role::User, author: Some("ann".into()), parts: items };
    let written = LangChain::Plain.write(&turn, &mut lost);
    let metadata = json!({ "filename": "plan" });
    let content = json!([
        { "type": "text", "text": "look" },
        { "type": "image_url", "image_url": { "url": "data:image/png;base64,AA" } },
        { "type": "file", "source_type": "base64", "mime_type": "application/pdf", "data": "AA", "metadata": metadata },
        { "type": "audio", "source_type": "base64", "mime_type": "audio/wav", "data": "AA", "metadata": metadata },
    ]);
    assert_eq!(written, [json!({ "role": "user", "content": content, "name": "ann" })]);
    assert_eq!(lost.len(), 2, "{lost:?}");
}

#[test]
fn two_messages_are_merged_into_one() {
    let mut first =
        stored("ai", &json!({ "content": "so", "tool_calls": [call("a", &json!({}))] }));
    let second =
        json!({ "role": "assistant", "content": "and", "tool_calls": [call("b", &json!({}))] });
    LangChain::Stored.merge(&mut first, second);
    check(&first, "a: so and !a !b", &[]);
}

#[test]
fn all_messages_of_a_view_have_one_form() {
    let original = stored("human", &json!({ "content": "hi" }));
    let mut log = Log::default();
    for message in Format::LangChain.read(&"m".into(), &original).unwrap().messages {
        log.append(Record::Message { message: message.into() }).unwrap();
    }
    let insert = Edit::Insert { role: Role::User, parts: vec![Part::text("so far")] };
    for edits in [vec![insert.clone(), Edit::Keep("m".into())], vec![insert]] {
        let view = View { edits, ..View::default() };
        let outgoing = Format::LangChain.compose(&log, &view).remove(0);
        let Outgoing::Composed(recipe) = outgoing else { panic!("{outgoing:?}") };
        assert_eq!(recipe.sources().count(), 0);
        let composed =
            recipe.compose(Format::LangChain, |id| (id.as_str() == "m").then_some(&original));
        let data = json!({ "content": "so far", "additional_kwargs": {}, "response_metadata": {} });
        assert_eq!(composed, stored("human", &data));
    }
}
