//! Vercel AI SDK `ModelMessage`: what goes to a model.

use std::borrow::Cow;

use epitome::message::Role;
use epitome::{
    BlankText, Contract, First, Last, Neighbours, ReasoningPolicy, ResultPlace, SummaryRole,
    SystemPlace,
};
use serde_json::{Value, json};

use crate::ai_sdk_part::{
    DENIED, NAMELESS, arguments_of, attachment, input_of, is_compaction, is_error, media_type,
    put_input, role_of, seal, set, unknown, unsealed, worded,
};
use crate::content::{Attachment, Content, Piece, Source, What};
use crate::dialect::{Dialect, Turn};
use crate::format::{ShapeError, kind};
use crate::issue::Code;
use crate::path::Path;
use crate::text::{append, joined};

/// Vercel AI SDK `ModelMessage`: what goes to a model.
///
/// Bytes and addresses that are objects in JavaScript come as whatever stands in for them; they are left
/// where they are.
pub(crate) struct AiSdkModel;

impl Dialect for AiSdkModel {
    fn contract(&self) -> Contract {
        Contract {
            system: SystemPlace::Beside,
            first: First::Anyone,
            last: Last::Anyone,
            neighbours: Neighbours::Free,
            results: ResultPlace::Behind,
            blank_text: BlankText::Allowed,
            reasoning: ReasoningPolicy::WholeTurn,
            summary: SummaryRole::User,
        }
    }

    fn read<'a>(&self, value: &'a Value) -> Result<Content<'a>, ShapeError> {
        let Value::Object(object) = value else {
            return Err(ShapeError::expected("an object with role and content", value));
        };
        let mut content = Content::default();
        let role = role_of(object, &mut content);
        let at = Path::key("content");
        // What a tool's message holds besides results comes last, so that results follow their calls.
        let mut last = Vec::new();
        match object.get("content") {
            Some(Value::String(text)) => content.push(role, at, What::Text(text.into())),
            Some(Value::Array(parts)) => {
                for (index, part) in parts.iter().enumerate() {
                    let at = at.clone().at(index);
                    match part_of(role, &at, part, &mut content) {
                        what @ What::Result { .. } => content.push(Role::Tool, at, what),
                        what if role == Role::Tool => last.push((at, what)),
                        what => content.push(role, at, what),
                    }
                }
            }
            None | Some(Value::Null) => {
                content.note(&at, Code::MissingContent, "the content is missing");
            }
            Some(other) => {
                let message = format!("the content is {}; read as text", kind(other));
                content.note(&at, Code::NotText, message);
                content.push(role, at, What::Text(other.to_string().into()));
            }
        }
        last.into_iter().for_each(|(at, what)| content.push(role, at, what));
        if content.pieces.is_empty() {
            content.pieces.push(Piece { role, items: Vec::new() });
        }
        Ok(content)
    }

    fn answer(&self, item: &mut Value, text: &str) {
        let Some(object) = item.as_object_mut() else { return };
        let Some(Value::Object(output)) = object.get_mut("output") else {
            object.insert("output".into(), json!({ "type": "text", "value": text }));
            return;
        };
        let (key, kind, value) = match output.get("type").and_then(Value::as_str) {
            Some("execution-denied") => ("reason", "execution-denied", text.into()),
            Some("error-text" | "error-json") => ("value", "error-text", text.into()),
            Some("content") => {
                let parts = output.get("value").and_then(Value::as_array).into_iter().flatten();
                let media: Vec<Value> = parts.filter(|part| !is_text(part)).cloned().collect();
                match media.is_empty() {
                    true => ("value", "text", text.into()),
                    false => {
                        let said = json!({ "type": "text", "text": text });
                        let parts = std::iter::once(said).chain(media).collect();
                        ("value", "content", parts)
                    }
                }
            }
            _ => ("value", "text", text.into()),
        };
        output.insert("type".into(), kind.into());
        output.insert(key.into(), value);
    }

    fn call_with(&self, item: &mut Value, arguments: &str) {
        put_input(item, arguments);
    }

    fn write(&self, turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value> {
        let mut said = Vec::new();
        let mut answered = Vec::new();
        for what in &turn.items {
            let to = match what {
                What::Result { .. } | What::Approval { granted: Some(_), .. } => &mut answered,
                _ => &mut said,
            };
            to.extend(written(what, lost));
        }
        let content = match turn.items.as_slice() {
            [What::Text(text)] => text.as_ref().into(),
            _ if turn.role == Role::System => {
                let texts = said.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
                texts.collect::<Vec<_>>().join("\n").into()
            }
            _ => Value::Array(said),
        };
        let empty = content.as_array().is_some_and(Vec::is_empty);
        let first = (turn.role != Role::Tool && !empty)
            .then(|| json!({ "role": turn.role.as_str(), "content": content }));
        let answers =
            (!answered.is_empty()).then(|| json!({ "role": "tool", "content": answered }));
        first.into_iter().chain(answers).collect()
    }

    fn join(&self, first: &mut Value, second: Value) {
        append(first, second, "content", |text| json!({ "type": "text", "text": text }));
    }
}

fn part_of<'a>(role: Role, at: &Path, part: &'a Value, content: &mut Content<'a>) -> What<'a> {
    let text = |key: &str| part.get(key).and_then(Value::as_str);
    let owned = |key: &str| Cow::Borrowed(text(key).unwrap_or_default());
    let options = part.get("providerOptions");
    let flag = |key: &str| part.get(key).and_then(Value::as_bool).unwrap_or_default();
    let read = match text("type") {
        Some(kind @ ("text" | "custom")) if is_compaction(part, options) => {
            content.pinned = true;
            Some(What::opaque(text("kind").unwrap_or(kind), part))
        }
        Some("text") => What::text(text("text")),
        Some("reasoning") => {
            Some(What::Reasoning { text: owned("text"), signature: options.and_then(seal) })
        }
        Some("image" | "file") => Some(attachment(part).what()),
        Some(kind @ "tool-call") if flag("providerExecuted") => Some(What::opaque(kind, part)),
        Some("tool-call") => {
            let arguments = part.get("input").map(arguments_of).unwrap_or_else(|| {
                let at = at.clone().then("input");
                content.note(&at, Code::MissingArguments, "the input is missing");
                "".into()
            });
            Some(What::Call { call: owned("toolCallId"), name: owned("toolName"), arguments })
        }
        // Only what a provider ran itself has its result there.
        Some(kind @ "tool-result") if role == Role::Assistant => Some(What::opaque(kind, part)),
        Some("tool-result") => Some(result(at, part, content)),
        Some("tool-approval-request") => Some(What::Approval {
            approval: owned("approvalId"),
            call: Some(owned("toolCallId")),
            granted: None,
        }),
        Some("tool-approval-response") => Some(What::Approval {
            approval: owned("approvalId"),
            call: None,
            granted: Some(flag("approved")),
        }),
        Some(kind @ "reasoning-file") => Some(What::opaque(kind, part)),
        Some(kind @ "custom") => Some(What::opaque(text("kind").unwrap_or(kind), part)),
        _ => None,
    };
    read.unwrap_or_else(|| unknown(at, part, content))
}

fn is_text(part: &Value) -> bool {
    part.get("type").and_then(Value::as_str) == Some("text")
}

fn result<'a>(at: &Path, part: &'a Value, content: &mut Content<'a>) -> What<'a> {
    let field = |key: &str| part.get(key).and_then(Value::as_str);
    let output = part.get("output");
    let inside = |key: &str| output.and_then(|output| output.get(key));
    let (mut media, mut failed) = (Vec::new(), false);
    let text = match inside("type").and_then(Value::as_str) {
        Some("text") => worded(inside("value")),
        Some("json") => inside("value").map_or("null".into(), |value| value.to_string().into()),
        Some("error-text" | "error-json") => {
            failed = true;
            worded(inside("value"))
        }
        Some("execution-denied") => {
            failed = true;
            inside("reason").and_then(Value::as_str).unwrap_or(DENIED).into()
        }
        Some("content") => {
            let mut texts = Vec::new();
            for part in inside("value").and_then(Value::as_array).into_iter().flatten() {
                match part.get("type").and_then(Value::as_str) {
                    Some("text") => texts.push(worded(part.get("text"))),
                    Some("custom") | None => texts.push(part.to_string().into()),
                    Some(_) => media.push(attachment(part)),
                }
            }
            joined(texts)
        }
        _ => {
            let at = at.clone().then("output");
            match output.or(part.get("result")) {
                Some(other) => {
                    let message = "expected an object with type and value; read as text";
                    content.note(&at, Code::NotText, message);
                    worded(Some(other))
                }
                None => {
                    let message = "the output is missing; read as empty";
                    content.note(&at, Code::MissingContent, message);
                    "".into()
                }
            }
        }
    };
    let call = field("toolCallId").unwrap_or_default().into();
    let name = field("toolName").map(Cow::Borrowed);
    What::Result { call, name, text, media, failed }
}

/// A thing as a part, where the format can hold it.
fn written(what: &What<'_>, lost: &mut Vec<String>) -> Option<Value> {
    Some(match what {
        What::Text(text) => json!({ "type": "text", "text": text }),
        What::Reasoning { text, signature } => {
            let mut part = json!({ "type": "reasoning", "text": text });
            match signature.as_deref().and_then(|seal| unsealed(seal, lost)) {
                Some(options) => set(&mut part, "providerOptions", options),
                None if text.is_empty() => return None,
                None => {}
            }
            part
        }
        What::Call { call, name, arguments } => {
            let input = input_of(arguments);
            json!({ "type": "tool-call", "toolCallId": call, "toolName": name, "input": input })
        }
        What::Result { call, name, text, media, failed } => {
            let name = name.as_deref().unwrap_or(NAMELESS);
            let output = output(text, media, *failed, lost);
            json!({ "type": "tool-result", "toolCallId": call, "toolName": name, "output": output })
        }
        What::Approval { approval, granted: Some(approved), .. } => {
            json!({ "type": "tool-approval-response", "approvalId": approval, "approved": approved })
        }
        What::Approval { approval, call, granted: None } => {
            json!({ "type": "tool-approval-request", "approvalId": approval, "toolCallId": call })
        }
        What::Image(media) | What::File(media) => {
            let data = match &media.source {
                Source::Base64(data) | Source::Url(data) => data,
                Source::Id(_) | Source::Elsewhere => {
                    lost.push("a picture or file that another provider keeps is left out".into());
                    return None;
                }
            };
            let mut file = json!({ "type": "file", "mediaType": media_type(media), "data": data });
            if let Some(name) = &media.name {
                set(&mut file, "filename", name.as_ref());
            }
            file
        }
        What::Opaque { kind, .. } => {
            lost.push(format!("a part of type {kind:?} is left out"));
            return None;
        }
        What::Silent => return None,
    })
}

fn output(text: &str, media: &[Attachment<'_>], failed: bool, lost: &mut Vec<String>) -> Value {
    if media.is_empty() {
        let kind = if is_error(failed, text) { "error-text" } else { "text" };
        return json!({ "type": kind, "value": text });
    }
    let mut parts = Vec::new();
    if !text.is_empty() {
        parts.push(json!({ "type": "text", "text": text }));
    }
    for media in media {
        let form = if media.is_image() { "image" } else { "file" };
        parts.extend(match &media.source {
            Source::Base64(data) => {
                let kind = media_type(media);
                Some(json!({ "type": format!("{form}-data"), "data": data, "mediaType": kind }))
            }
            Source::Url(url) => Some(json!({ "type": format!("{form}-url"), "url": url })),
            Source::Id(_) | Source::Elsewhere => {
                lost.push("a picture or file that another provider keeps is left out".into());
                None
            }
        });
    }
    json!({ "type": "content", "value": parts })
}

#[cfg(test)]
mod tests {
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
    fn tidy_messages_read_without_surprise() {
        check(&json!({ "role": "system", "content": "be kind" }), "s: be kind", &[]);
        check(&json!({ "role": "user", "content": "hi" }), "u: hi", &[]);
        check(&message("user", &[text("hi")]), "u: hi", &[]);
        let thought = |more: Value| {
            let mut part = json!({ "type": "reasoning", "text": "hm" });
            part["providerOptions"] = more;
            part
        };
        let seal = json!({ "anthropic": { "signature": "seal" } });
        let asked =
            json!({ "type": "tool-approval-request", "approvalId": "x", "toolCallId": "b" });
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
    fn results_follow_their_calls_before_leave_that_was_given() {
        let answer = |id: &str, approved: bool| json!({ "type": "tool-approval-response", "approvalId": id, "approved": approved });
        let output = json!({ "type": "text", "value": "42" });
        let parts =
            [answer("x", true), result("a", &output), answer("y", false), result("b", &output)];
        check(&message("tool", &parts), "t: =a<42>\nt: =b<42>\nt: yes:x no:y", &[]);
        check(&message("tool", &[answer("x", true)]), "t: yes:x", &[]);
    }

    #[test]
    fn every_kind_of_output_is_read_as_text() {
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
    fn pictures_and_files_are_read_wherever_their_bytes_are() {
        let named = json!({ "openai": "file-1" });
        let cases = [
            (json!({ "type": "image", "image": "AAAA" }), Some("image"), None),
            (
                json!({ "type": "image", "image": "data:image/png;base64,AA" }),
                Some("image/png"),
                None,
            ),
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
            (
                json!({ "type": "file", "mediaType": "a/b", "data": named }),
                Some("a/b"),
                Some("file-1"),
            ),
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
    fn untidy_messages_are_read_and_listed() {
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
    fn a_compaction_of_the_providers_is_pinned() {
        let custom = json!({ "type": "custom", "kind": "openai.compaction" });
        check(&message("assistant", &[custom]), "a: * openai.compaction", &[]);
        let mut said = text("so far");
        said["providerOptions"] = json!({ "anthropic": { "type": "compaction" } });
        check(&message("assistant", &[said]), "a: * text", &[]);
    }

    #[test]
    fn a_result_says_something_else_in_its_own_kind() {
        let picture = json!({ "type": "image-url", "url": "u" });
        let cases = [
            (
                json!({ "type": "text", "value": "long" }),
                json!({ "type": "text", "value": "short" }),
            ),
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
                json!({ "type": "text", "value": "short" }),
            ),
            (
                json!({ "type": "content", "value": [text("long"), picture, text("more")] }),
                json!({ "type": "content", "value": [text("short"), picture] }),
            ),
            (json!("long"), json!({ "type": "text", "value": "short" })),
        ];
        for (before, after) in cases {
            let mut part = result("a", &before);
            AiSdkModel.answer(&mut part, "short");
            assert_eq!(part, result("a", &after));
        }
    }

    #[test]
    fn a_call_has_other_arguments_and_keeps_its_form() {
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
    fn what_is_written_reads_back() {
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
        let read =
            |value: &Value| format.read(&"m".into(), value).unwrap().messages[0].parts.clone();
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
    fn pictures_are_written_and_what_the_format_cannot_hold_is_told() {
        let picture = Attachment::bytes(Some("image/png"), "AAAA");
        let items = vec![
            What::Text("look".into()),
            What::Image(picture.clone()),
            What::File(Attachment::at("https://example.com/a.pdf")),
            What::File(Attachment::default()),
            What::Opaque { kind: "hologram".into(), characters: 1 },
            What::Result {
                call: "a".into(),
                name: None,
                text: "see".into(),
                media: vec![picture],
                failed: false,
            },
        ];
        let turn = Turn { role: Role::User, author: None, items };
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
                "a picture or file that another provider keeps is left out",
                "a part of type \"hologram\" is left out",
            ]
        );
    }

    #[test]
    fn neighbours_are_joined_part_by_part() {
        let mut first = json!({ "role": "user", "content": "one" });
        AiSdkModel.join(&mut first, message("user", &[text("two")]));
        assert_eq!(first, json!({ "role": "user", "content": [text("one"), text("two")] }));
    }
}
