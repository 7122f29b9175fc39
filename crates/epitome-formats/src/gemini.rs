//! Gemini `Content`: user and model, made of parts.

mod part;
mod reader;
mod writer;

use epitome::{
    BlankText, Contract, First, Last, Neighbours, ReasoningPolicy, ResultPlace, SummaryRole,
    SystemPlace,
};
use serde_json::{Map, Value, json};

use self::part::{body_mut, only_text};
use crate::content::Content;
use crate::dialect::{Dialect, Turn};
use crate::format::ShapeError;
use crate::text::append;

/// Gemini `Content`.
pub(crate) struct Gemini;

impl Dialect for Gemini {
    fn contract(&self) -> Contract {
        Contract {
            system: SystemPlace::Beside,
            first: First::User,
            last: Last::Anyone,
            neighbours: Neighbours::Merged,
            results: ResultPlace::NextUser,
            blank_text: BlankText::Refused,
            // The seals of a turn are checked together.
            reasoning: ReasoningPolicy::WholeTurn,
            summary: SummaryRole::User,
        }
    }

    fn read<'a>(&self, value: &'a Value) -> Result<Content<'a>, ShapeError> {
        if !value.is_object() {
            return Err(ShapeError::expected("an object with role and parts", value));
        }
        Ok(reader::read(value))
    }

    fn answer(&self, item: &mut Value, text: &str) {
        let Some(body) = body_mut(item, "functionResponse") else { return };
        let key = body.get("response").and_then(only_text).map(|(key, _)| key.to_owned());
        let response = Map::from_iter([(key.unwrap_or("output".into()), text.into())]);
        body.insert("response".into(), response.into());
    }

    fn call_with(&self, item: &mut Value, arguments: &str) {
        let Some(body) = body_mut(item, "functionCall") else { return };
        if let Ok(Value::Object(arguments)) = serde_json::from_str(arguments) {
            body.insert("args".into(), arguments.into());
        }
    }

    fn write(&self, turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value> {
        writer::write(turn, lost)
    }

    fn join(&self, first: &mut Value, second: Value) {
        append(first, second, "parts", |text| json!({ "text": text }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::content::{Attachment, What};
    use crate::extract::extract;
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
        let thought = json!({ "text": "hm", "thought": true, "thoughtSignature": "seal" });
        let said = json!({ "text": "so", "thoughtSignature": "other" });
        let call = json!({ "functionCall": { "id": "one", "name": "f", "args": { "a": 1 } } });
        check(&model(&json!([thought, said, call])), "a: ?hm#seal so !one<{\"a\":1}>\n", &[]);
        let picture = json!({ "inlineData": { "mimeType": "image/png", "data": "AAAA" } });
        let paper = json!({ "fileData": { "mimeType": "application/pdf", "fileUri": "gs://a" } });
        check(&user(&json!([picture, paper])), "u: <image> <file>\n", &[]);
        let code = json!({ "executableCode": { "language": "PYTHON", "code": "1" } });
        let search = json!({ "toolCall": { "id": "x" }, "thoughtSignature": "seal" });
        check(&model(&json!([code, search])), "a: executableCode toolCall\n", &[]);
    }

    #[test]
    fn a_seal_without_words_is_a_thought() {
        check(&model(&json!([{ "thoughtSignature": "seal" }])), "a: ?#seal\n", &[]);
        let empty = json!({ "text": "", "thoughtSignature": "seal" });
        check(&model(&json!([{ "text": "so" }, empty])), "a: so ?#seal\n", &[]);
    }

    #[test]
    fn the_other_spelling_is_read_too() {
        let call = json!({ "text": null, "function_call": { "name": "f", "args": {} } });
        check(&model(&json!([call])), "a: !f\n", &[]);
        let picture = json!({ "inline_data": { "mime_type": "image/png", "data": "AAAA" } });
        let answer =
            json!({ "function_response": { "name": "f", "response": { "result": "42" } } });
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
    fn a_response_says_its_only_text_or_all_of_it() {
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
    fn what_is_odd_is_listed() {
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
        let sealed = json!({ "thoughtSignature": "seal", "hologram": 1 });
        check(&model(&json!([sealed])), "a: hologram\n", &["parts[0]"]);
        check(&model(&json!([])), "a:\n", &[]);
        check(&model(&json!([{ "functionCall": "f" }])), "a: functionCall\n", &["parts[0]"]);
        let error = Format::Gemini.read(&"m".into(), &json!(1)).unwrap_err().to_string();
        assert_eq!(error, "expected an object with role and parts, found a number");
    }

    #[test]
    fn a_response_says_something_else_and_keeps_the_rest() {
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
    fn a_call_has_other_arguments_and_keeps_its_seal() {
        let message = |args: &Value| {
            let call = json!({ "name": "f", "args": args });
            model(&json!([{ "functionCall": call, "thoughtSignature": "seal" }]))
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
    fn some_pieces_stay_and_the_others_go() {
        let parts = [response("f", "1"), response("f", "2"), json!({ "text": "so" })];
        let of = |kept: &[usize]| -> Value {
            user(&kept.iter().map(|index| parts[*index].clone()).collect())
        };
        let whole = of(&[0, 1, 2]);
        for kept in [&[0, 1, 2][..], &[0, 2], &[1], &[2], &[1, 0]] {
            assert_eq!(
                extract(&Gemini, &whole, Some((kept, usize::MAX)), &[]),
                of(kept),
                "{kept:?}"
            );
        }
    }

    #[test]
    fn neighbours_become_one_message() {
        let mut first = user(&json!([response("f", "1")]));
        Gemini.join(&mut first, user(&json!([{ "text": "so" }])));
        assert_eq!(first, user(&json!([response("f", "1"), { "text": "so" }])));
    }

    #[test]
    fn what_the_engine_inserts_reads_back() {
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
    fn what_another_format_holds_is_written_or_noted() {
        let items = vec![
            What::Text("so".into()),
            What::Text(" ".into()),
            What::Call { call: "c".into(), name: "f".into(), arguments: "[1]".into() },
            What::Reasoning { text: "hm".into(), signature: None },
            What::opaque("hologram", &json!(1)),
        ];
        let mut lost = Vec::new();
        let turn = Turn { role: Role::Assistant, author: None, items };
        let call = json!({ "name": "f", "args": { "arguments": "[1]" }, "id": "c" });
        let parts = json!([{ "text": "so" }, { "functionCall": call }]);
        assert_eq!(Gemini.write(&turn, &mut lost), [model(&parts)]);
        assert_eq!(lost.len(), 3, "{lost:?}");
        let items = vec![
            What::Image(Attachment::at("data:image/png;base64,AAAA")),
            What::File(Attachment::at("https://a.example/b.pdf")),
        ];
        let turn = Turn { role: Role::User, author: None, items };
        let parts = json!([
            { "inlineData": { "mimeType": "image/png", "data": "AAAA" } },
            { "fileData": { "fileUri": "https://a.example/b.pdf" } },
        ]);
        assert_eq!(Gemini.write(&turn, &mut Vec::new()), [user(&parts)]);
    }
}
