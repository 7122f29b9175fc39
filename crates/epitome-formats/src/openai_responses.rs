//! OpenAI Responses input items: one item a call, a result, a thought or a message.

mod item;
mod reader;
mod writer;

use epitome::message::Role;
use epitome::{
    BlankText, Contract, First, Last, Neighbours, ReasoningPolicy, ResultPlace, SummaryRole,
    SystemPlace,
};
use serde_json::{Value, json};

use self::item::{
    arguments_key, id_of, is_media, is_screenshot, is_shell, needs_id, output_key, prefix_of, text,
};
use self::writer::said;
use crate::content::Content;
use crate::dialect::{Dialect, Turn};
use crate::format::ShapeError;
use crate::issue::{Code, Issue};
use crate::path::Path;
use crate::text::append;

/// OpenAI Responses input items: one item a call, a result, a thought or a message.
pub(crate) struct OpenAiResponses;

impl Dialect for OpenAiResponses {
    fn contract(&self) -> Contract {
        Contract {
            system: SystemPlace::Anywhere,
            first: First::Anyone,
            last: Last::Anyone,
            neighbours: Neighbours::Free,
            results: ResultPlace::Later,
            blank_text: BlankText::Allowed,
            // A thought without what followed it is refused, and so is the other way round.
            reasoning: ReasoningPolicy::WholeTurn,
            summary: SummaryRole::AsAsked,
        }
    }

    fn read<'a>(&self, value: &'a Value) -> Result<Content<'a>, ShapeError> {
        if !value.is_object() {
            return Err(ShapeError::expected("an object with type or role", value));
        }
        Ok(reader::read(value))
    }

    fn say(&self, item: &mut Value, text: &str) {
        match item {
            Value::Object(part) if part.contains_key("type") => {
                let key = if part.contains_key("refusal") { "refusal" } else { "text" };
                part.insert(key.into(), text.into());
            }
            other => *other = text.into(),
        }
    }

    fn answer(&self, item: &mut Value, text: &str) {
        let Some(key) = output_key(item) else { return };
        let output = match item.get(key) {
            // Neither a list of tools nor a screenshot can be told in words.
            Some(_) if key == "tools" => return,
            Some(output) if is_screenshot(output) => return,
            Some(Value::Array(runs)) if is_shell(item) => {
                let outcome = runs.last().and_then(|run| run.get("outcome"));
                json!([{ "stdout": text, "stderr": "", "outcome": outcome }])
            }
            Some(Value::Array(parts)) => {
                let media = parts.iter().filter(|part| is_media(part)).cloned();
                std::iter::once(said(Role::Tool, text)).chain(media).collect()
            }
            _ => text.into(),
        };
        if let Value::Object(object) = item {
            object.insert(key.into(), output);
        }
    }

    fn call_with(&self, item: &mut Value, arguments: &str) {
        let Some(key) = arguments_key(item) else { return };
        let Some(slot) = item.get_mut(key) else { return };
        let given = serde_json::from_str(arguments).ok();
        *slot = match (&*slot, given) {
            (Value::Object(own), Some(Value::Object(given))) => {
                let given = given.into_iter();
                given.map(|(name, value)| (name.clone(), like(own.get(&name), value))).collect()
            }
            // The input of a custom tool is no JSON; it is read as a JSON string.
            (Value::String(_), Some(Value::String(text))) if key == "input" => text.into(),
            (Value::String(_), _) => arguments.into(),
            _ => return,
        };
    }

    fn write(&self, turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value> {
        writer::write(turn, lost)
    }

    fn id<'a>(&self, item: &'a Value) -> Option<&'a str> {
        id_of(item)
    }

    /// An item that needs no id goes under none: the provider would look another one up and not find it.
    fn rename(&self, item: &mut Value, _id: &str) -> bool {
        let needed = needs_id(item);
        !needed && item.as_object_mut().is_some_and(|item| item.shift_remove("id").is_some())
    }

    fn check(&self, item: &Value) -> Vec<Issue> {
        let prefix = prefix_of(item);
        let found = id_of(item).zip(prefix).filter(|(id, prefix)| !id.starts_with(prefix));
        let told = |(_, prefix)| {
            let message = format!("OpenAI wants an id here that begins with {prefix}");
            Issue::new(&Path::key("id"), Code::RefusedId, message)
        };
        found.map(told).into_iter().collect()
    }

    /// A request to compact stands behind everything else.
    fn check_together(&self, items: &[Value]) -> Vec<Issue> {
        let triggers = items.iter().enumerate().filter(|(index, item)| {
            text(item, "type") == Some("compaction_trigger") && index + 1 < items.len()
        });
        let told = "a request to compact stands last; leave it out here";
        let issue =
            |index| Issue::new(&Path::key("messages").at(index), Code::MisplacedCompaction, told);
        triggers.map(|(index, _)| issue(index)).collect()
    }

    /// Every item is a message of its own; only what is said can be put together.
    fn join(&self, first: &mut Value, second: Value) {
        if first.get("content").is_some() && second.get("content").is_some() {
            let speaks = text(first, "role") == Some("assistant");
            let role = if speaks { Role::Assistant } else { Role::User };
            append(first, second, "content", |text| said(role, text));
        }
    }
}

/// A value in the place of another. A provider's own calls have fixed shapes: a text in the place of a list
/// of texts is the only one of them, and what else does not fit is left as it was.
fn like(own: Option<&Value>, given: Value) -> Value {
    match (own, given) {
        (Some(Value::Array(texts)), text @ Value::String(_))
            if texts.iter().all(Value::is_string) =>
        {
            Value::Array(vec![text])
        }
        (Some(own @ (Value::Array(_) | Value::Object(_))), Value::String(_)) => own.clone(),
        (_, given) => given,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::content::{Attachment, What};
    use crate::extract::extract;
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

    /// An item of a type, with these members besides.
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
    fn calls_and_what_answers_them_are_read() {
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
        check(
            &item("local_shell_call_output", json!({ "id": "c", "output": "a" })),
            "t: =c<a>",
            &[],
        );
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
    fn what_only_the_provider_knows_is_kept() {
        check(&item("web_search_call", json!({ "id": "x" })), "a: web_search_call", &[]);
        let hosted = json!({ "call_id": null, "execution": "server", "arguments": {} });
        check(&item("tool_search_call", hosted), "a: tool_search_call", &[]);
        let drawn = json!({ "result": "AAAA" });
        check(&item("image_generation_call", drawn), "a: <image>", &[]);
        let tools = json!({ "role": "developer", "tools": [] });
        check(&item("additional_tools", tools), "s: additional_tools", &[]);
        check(&json!({ "id": "msg_1" }), "a: item_reference", &[]);
        let compaction = json!({ "encrypted_content": "seal" });
        check(&item("compaction", compaction), "a: * compaction", &[]);
        let request = json!({ "id": "x", "name": "f", "arguments": "{}" });
        let asked = "a: mcp_approval_request may:x<x>";
        check(&item("mcp_approval_request", request), asked, &[]);
        let answer = json!({ "approval_request_id": "x", "approve": true });
        check(&item("mcp_approval_response", answer), "t: yes:x", &[]);
    }

    #[test]
    fn what_is_odd_is_listed() {
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
    fn thoughts_stay_with_the_call_behind_them_and_its_answer() {
        let summary = json!([{ "type": "summary_text", "text": "hm" }]);
        let thought = json!({ "id": "rs_1", "summary": summary, "encrypted_content": "seal" });
        let call = |id: &str| {
            item("function_call", json!({ "call_id": id, "name": "f", "arguments": "{}" }))
        };
        let output =
            |id: &str| item("function_call_output", json!({ "call_id": id, "output": "42" }));
        let said = json!({ "role": "user", "content": "hi" });
        let items = [
            said.clone(),
            item("reasoning", thought),
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
            "u: hi\na: ?hm#seal\na: !a\na: !b\nt: =a<42>\nt: =b<42>\na: ?#rs_2\na: so\nu: hi\n"
        );
        let pairing = Pairing::of(&messages);
        assert_eq!(exchanges(messages.len(), &pairing), [0..1, 1..6, 6..8, 8..9]);
    }

    fn rewrites(original: &Value, change: Change, expected: &Value) {
        let changes = [PartChange { part: 0, change }];
        assert_eq!(&Format::OpenAiResponses.rewrite(original, &changes), expected);
    }

    #[test]
    fn an_answer_says_something_else_in_its_own_form() {
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
    fn a_call_has_other_arguments_in_its_own_form() {
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
    fn a_text_says_something_else_where_it_stands() {
        let message = |part: Value| json!({ "role": "assistant", "content": [part], "phase": "x" });
        let refusal = |text: &str| message(json!({ "type": "refusal", "refusal": text }));
        rewrites(&refusal("long"), Change::Text { text: "short".into() }, &refusal("short"));
        let plain = |text: &str| json!({ "role": "user", "content": text });
        rewrites(&plain("long"), Change::Text { text: "short".into() }, &plain("short"));
        let odd = json!({ "role": "user", "content": { "a": 1 } });
        rewrites(&odd, Change::Text { text: "short".into() }, &plain("short"));
        let said = |text: &str| message(json!({ "type": "output_text", "text": text }));
        assert_eq!(extract(&OpenAiResponses, &said("so"), Some((&[0], 1)), &[]), said("so"));
    }

    #[test]
    fn what_the_engine_inserts_reads_back() {
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
            What::Text("so".into()),
            What::Call { call: "c".into(), name: "f".into(), arguments: "{}".into() },
            What::Reasoning { text: "hm".into(), signature: None },
        ];
        let mut lost = Vec::new();
        let turn = Turn { role: Role::Assistant, author: None, items };
        let call =
            json!({ "type": "function_call", "call_id": "c", "name": "f", "arguments": "{}" });
        let said = json!({ "role": "assistant", "content": "so" });
        assert_eq!(OpenAiResponses.write(&turn, &mut lost), [said, call]);
        assert_eq!(lost.len(), 1, "{lost:?}");
        let picture = What::Image(Attachment::at("data:image/png;base64,AAAA"));
        let turn = Turn { role: Role::User, author: None, items: vec![picture] };
        let url = "data:image/png;base64,AAAA";
        // The type of the SDK asks for the detail.
        let content = json!([{ "type": "input_image", "image_url": url, "detail": "auto" }]);
        assert_eq!(
            OpenAiResponses.write(&turn, &mut lost),
            [json!({ "role": "user", "content": content })]
        );
    }

    #[test]
    fn what_is_said_twice_in_a_row_can_be_one_message() {
        let mut first = json!({ "role": "user", "content": "a" });
        OpenAiResponses.join(&mut first, json!({ "role": "user", "content": "b" }));
        let part = |text: &str| json!({ "type": "input_text", "text": text });
        assert_eq!(first, json!({ "role": "user", "content": [part("a"), part("b")] }));
    }
}
