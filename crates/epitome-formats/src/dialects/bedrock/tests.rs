//! Tests of reading, rewriting and writing Bedrock Converse messages.

use super::*;
use crate::Format;
use crate::edit_message::edit_message;
use epitome::history::{Change, PartChange};
use epitome::message::Part;
use epitome::test_notation::notate;

fn check(value: &Value, notation: &str, paths: &[&str]) {
    let reading = Format::Bedrock.read(&"m".into(), value).unwrap();
    assert_eq!(notate(&reading.messages), notation, "{value}");
    let found: Vec<&str> = reading.issues.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(found, paths, "{value}");
}

fn user(blocks: &Value) -> Value {
    json!({ "role": "user", "content": blocks })
}

fn assistant(blocks: &Value) -> Value {
    json!({ "role": "assistant", "content": blocks })
}

fn call(input: &Value) -> Value {
    json!({ "toolUse": { "toolUseId": "one", "name": "f", "input": input } })
}

fn result(id: &str, content: &Value) -> Value {
    json!({ "toolResult": { "toolUseId": id, "content": content, "status": "success" } })
}

#[test]
fn blocks_are_read_and_every_result_is_a_step_of_its_own() {
    check(&user(&json!([{ "text": "hi" }])), "u: hi\n", &[]);
    let thought = json!({ "reasoningText": { "text": "hm", "signature": "sig" } });
    let said = json!({ "text": "look" });
    let turn = json!([{ "reasoningContent": thought }, said, call(&json!({ "a": 1 }))]);
    check(&assistant(&turn), "a: ?hm#sig look !one<{\"a\":1}>\n", &[]);
    let results = json!([
        result("one", &json!([{ "text": "4" }, { "json": { "b": 2 } }])),
        result("two", &json!([])),
        { "text": "look" },
        { "cachePoint": { "type": "default" } },
    ]);
    check(&user(&results), "t: =one<4\n{\"b\":2}>\nt: =two<>\nu: look\n", &[]);
}

#[test]
fn media_and_parts_that_only_this_provider_has_are_read() {
    let bytes = json!({ "bytes": "AAAA" });
    let media = json!([
        { "image": { "format": "png", "source": bytes } },
        { "document": { "name": "notes", "format": "pdf", "source": bytes } },
        { "video": { "format": "mp4", "source": { "s3Location": { "uri": "s3://films/one" } } } },
        { "image": { "format": "gif", "source": { "bytes": { "marker": 7 } } } },
    ]);
    let reading = Format::Bedrock.read(&"m".into(), &user(&media)).unwrap();
    let found = |part: &Part| match part {
        Part::Image(media) => format!("image {:?} {:?}", media.media_type, media.name),
        Part::File(media) => format!("file {:?} {:?}", media.media_type, media.name),
        other => format!("{other:?}"),
    };
    let found: Vec<String> = reading.messages[0].parts.iter().map(found).collect();
    assert_eq!(
        found,
        [
            "image Some(\"image/png\") None",
            "file Some(\"application/pdf\") Some(\"notes\")",
            "file Some(\"video/mp4\") Some(\"s3://films/one\")",
            "image Some(\"image/gif\") None",
        ]
    );
    assert_eq!(reading.issues, []);
    let own = json!([
        { "reasoningContent": { "redactedContent": "sig" } },
        { "citationsContent": { "content": [{ "text": "see " }, { "text": "here" }], "citations": [] } },
        { "toolUse": { "toolUseId": "w", "name": "search", "input": {}, "type": "server_tool_use" } },
        { "toolResult": { "toolUseId": "w", "content": [] } },
    ]);
    check(&assistant(&own), "a: ?#sig see here toolUse toolResult\n", &[]);
    let guarded = json!([{ "guardContent": { "text": { "text": "is it safe?" } } }]);
    check(&user(&guarded), "u: is it safe?\n", &[]);
}

#[test]
fn issues_of_malformed_messages_are_listed() {
    check(&json!({ "role": "user" }), "u:\n", &["content"]);
    check(&json!({ "role": "user", "content": "hi" }), "u: hi\n", &["content"]);
    check(&json!({ "role": "user", "content": 7 }), "u: 7\n", &["content"]);
    check(&json!({ "role": "human", "content": [] }), "u:\n", &["role"]);
    check(&user(&json!([{ "hologram": 1 }])), "u: hologram\n", &["content[0]"]);
    check(&user(&json!([{ "type": "tool_use" }])), "u: tool_use\n", &["content[0]"]);
    let bare = json!({ "toolUse": { "toolUseId": "one", "name": "f" } });
    check(&assistant(&json!([bare])), "a: !one<>\n", &["content[0].toolUse.input"]);
    let bare = json!({ "toolResult": { "toolUseId": "one" } });
    check(&user(&json!([bare])), "t: =one<>\n", &["content[0].toolResult.content"]);
    let error = Format::Bedrock.read(&"m".into(), &json!([])).unwrap_err().to_string();
    assert_eq!(error, "expected an object with role and content, found an array");
    let document = json!({ "document": { "name": "a", "format": "txt", "source": {} } });
    let found = |message: &Value| Bedrock.check(message).len();
    assert_eq!(found(&user(&json!([document]))), 1);
    assert_eq!(found(&user(&json!([document, { "text": "what is this?" }]))), 0);
}

fn rewrites(original: &Value, part: usize, change: Change, expected: &Value) {
    let changes = [PartChange { part, change }];
    assert_eq!(&Format::Bedrock.rewrite(original, &changes), expected);
}

#[test]
fn changed_texts_results_and_calls_leave_the_rest_as_it_is() {
    let text = || Change::Text { text: "short".into() };
    let image = json!({ "image": { "format": "png", "source": { "bytes": "AAAA" } } });
    let long = json!([{ "text": "long" }, image, { "json": [1, 2] }]);
    let short = json!([{ "text": "short" }, image]);
    let with = |content: &Value| user(&json!([result("one", content)]));
    rewrites(&with(&long), 0, text(), &with(&short));
    let with = |input: &Value| assistant(&json!([{ "text": "so" }, call(input)]));
    let arguments = Change::Arguments { arguments: "{\"a\":2}".into() };
    rewrites(&with(&json!({ "a": 1 })), 1, arguments, &with(&json!({ "a": 2 })));
    let with = |said: &Value| {
        assistant(&json!([{ "citationsContent": { "content": said, "citations": [] } }]))
    };
    let said = json!([{ "text": "long" }, { "text": "er" }]);
    rewrites(&with(&said), 0, text(), &with(&json!([{ "text": "short" }])));
    let with = |said: &str| user(&json!([{ "guardContent": { "text": { "text": said } } }]));
    rewrites(&with("long"), 0, text(), &with("short"));
    rewrites(&user(&json!([{ "text": "long" }])), 0, text(), &user(&json!([{ "text": "short" }])));
}

#[test]
fn some_results_of_a_message_can_stay_without_the_others() {
    let (one, two) = (result("one", &json!([])), result("two", &json!([{ "text": "2" }])));
    let point = json!({ "cachePoint": { "type": "default" } });
    let original = user(&json!([one, two, { "text": "so" }, point]));
    let part = |kept: &[usize]| edit_message(&Bedrock, &original, Some((kept, usize::MAX)), &[]);
    assert_eq!(part(&[0, 1, 2]), original);
    assert_eq!(part(&[1]), user(&json!([two])));
    assert_eq!(part(&[0, 2]), user(&json!([one, { "text": "so" }, point])));
}

#[test]
fn written_messages_can_be_read_again_and_merged() {
    let result = Part::ToolResult { call: "one".into(), name: None, text: "none".into() };
    let call = Part::ToolCall { call: "one".into(), name: "f".into(), arguments: "{}".into() };
    for (role, part) in
        [(Role::Tool, result.clone()), (Role::Assistant, call), (Role::User, Part::text("hi"))]
    {
        let value = Format::Bedrock.write(role, std::slice::from_ref(&part));
        let reading = Format::Bedrock.read(&"m".into(), &value).unwrap();
        assert_eq!((reading.messages[0].role, &reading.messages[0].parts), (role, &vec![part]));
    }
    let mut first = Format::Bedrock.write(Role::Tool, &[result]);
    Bedrock.merge(&mut first, json!({ "role": "user", "content": "and?" }));
    let answer = json!({ "toolUseId": "one", "content": [{ "text": "none" }] });
    assert_eq!(first, user(&json!([{ "toolResult": answer }, { "text": "and?" }])));
}

#[test]
fn what_converse_cannot_hold_is_listed_as_lost() {
    let media = |media_type: &'static str, source| Attachment {
        media_type: Some(media_type.into()),
        name: Some("plan: v2.pdf".into()),
        source,
    };
    let bytes = || Source::Base64("AAAA".into());
    let items = vec![
        ContentPart::Image(media("image/jpg", bytes())),
        ContentPart::File(media("application/pdf", bytes())),
        ContentPart::File(media("audio/wav", bytes())),
        ContentPart::Image(media("image/png", Source::Url("https://example.com/a.png".into()))),
        ContentPart::Reasoning { text: "hm".into(), signature: None },
        ContentPart::Text(" ".into()),
    ];
    let mut lost = Vec::new();
    let turn = Turn { role: Role::User, author: None, parts: items };
    let source = json!({ "bytes": "AAAA" });
    let expected = json!([
        { "image": { "format": "jpeg", "source": source } },
        { "document": { "name": "plan v2 pdf", "format": "pdf", "source": source } },
    ]);
    assert_eq!(Bedrock.write(&turn, &mut lost), [user(&expected)]);
    assert_eq!(lost.len(), 3, "{lost:?}");
}
