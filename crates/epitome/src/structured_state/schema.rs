//! The form of a summary with changes to a state, for servers that hold a model's answer to a JSON schema or to a grammar.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::{StateList, StructuredState};

/// The key of the summary.
const SUMMARY: &str = "summary";
/// The key of what is settled.
const SETTLED: &str = "settled";

impl StructuredState {
    /// A JSON schema of an answer: an object with the summary and the changes beside it. It has the limits of the lists, and
    /// every field is required, as servers with strict schemas need it: what does not apply is `null`.
    pub fn answer_schema() -> Value {
        let text = json!({ "type": "string" });
        let maybe = json!({ "type": ["string", "null"] });
        let entry = object([
            ("text", text.clone()),
            ("by", maybe.clone()),
            ("sources", json!({ "type": "array", "items": { "type": "integer" } })),
            ("done", json!({ "type": ["boolean", "null"] })),
            ("replaces", maybe),
        ]);
        let list = |list: StateList| {
            (list.key(), json!({ "type": "array", "maxItems": list.limit(), "items": entry }))
        };
        let settled =
            json!({ "type": "array", "maxItems": StateList::Tasks.limit(), "items": text });
        let lists = StateList::ALL.into_iter().map(list);
        object([(SUMMARY, text.clone())].into_iter().chain(lists).chain([(SETTLED, settled)]))
    }

    /// The same as a grammar of llama.cpp. It has no white space between values, in which a small model would end up, and an
    /// entry has only the fields that apply.
    pub fn answer_grammar() -> String {
        let mut out = format!(r#"root ::= "{{\"{SUMMARY}\":" text"#);
        for list in StateList::ALL {
            // Writing to a `String` cannot fail.
            let _ = write!(
                out,
                r#" ",\"{}\":[" (entry ("," entry){{0,{}}})? "]""#,
                list.key(),
                list.limit() - 1
            );
        }
        let _ = write!(
            out,
            r#" ",\"{SETTLED}\":[" (text ("," text){{0,{}}})? "]" "}}""#,
            StateList::Tasks.limit() - 1
        );
        out.push_str(RULES);
        out
    }
}

/// The rules below the first one.
const RULES: &str = r#"
entry ::= "{\"text\":" text (",\"by\":" text)? (",\"sources\":[" number ("," number){0,7} "]")? (",\"done\":true")? (",\"replaces\":" text)? "}"
number ::= [1-9] [0-9]{0,5}
text ::= "\"" ([^"\\\x00-\x1F\x7F] | "\\" (["\\bfnrt/] | "u" [0-9a-fA-F]{4}))* "\""
"#;

fn object<'a>(properties: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let properties: Map<String, Value> =
        properties.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    let required: Vec<&String> = properties.keys().collect();
    json!({ "type": "object", "additionalProperties": false, "required": required, "properties": properties })
}

#[cfg(test)]
mod tests {
    use super::super::read_answer;
    use super::*;

    #[test]
    fn e1_a_schema_has_every_list_with_its_limit() {
        let schema = StructuredState::answer_schema();
        let limit = |list: StateList| schema["properties"][list.key()]["maxItems"].as_u64();
        let limits = StateList::ALL.map(|list| limit(list).unwrap());
        assert_eq!(limits, [8, 6, 10, 5, 5, 10, 6]);
        assert_eq!(schema["required"].as_array().unwrap().len(), 9);
        assert_eq!(
            schema["required"],
            json!(schema["properties"].as_object().unwrap().keys().collect::<Vec<_>>())
        );
    }

    #[test]
    fn e1_an_answer_in_the_form_of_the_schema_is_read_as_a_summary_with_changes() {
        let source = |number: u32| Some(format!("m{number}").into());
        let strict = r#"{"summary":"They planned.","decisions":[{"text":"Use oak.","by":null,"sources":[3],"done":null,"replaces":null}],
            "constraints":[],"tasks":[],"questions":[],"risks":[],"artifacts":[],"contributions":[],"settled":[]}"#;
        let by_grammar = r#"{"summary":"They planned.","decisions":[{"text":"Use oak.","sources":[3]}],"constraints":[],"tasks":[],"questions":[],"risks":[],"artifacts":[],"contributions":[],"settled":[]}"#;
        for answer in [strict, by_grammar] {
            let (summary, changes) = read_answer(answer, &source);
            let mut state = StructuredState::default();
            state.apply(&changes);
            assert_eq!(summary, "They planned.");
            assert_eq!(state.to_text(), "Decisions:\n- Use oak.");
            assert_eq!(state.decisions[0].sources, ["m3".into()]);
        }
    }

    #[test]
    fn e1_a_grammar_has_every_list_and_no_white_space_between_values() {
        let grammar = StructuredState::answer_grammar();
        let root = grammar.lines().next().unwrap();
        for list in StateList::ALL {
            let at = format!(
                r#"",\"{}\":[" (entry ("," entry){{0,{}}})? "]""#,
                list.key(),
                list.limit() - 1
            );
            assert!(root.contains(&at), "{root}");
        }
        assert!(!grammar.contains("ws"), "{grammar}");
        let rules: Vec<&str> = grammar
            .lines()
            .filter_map(|line| line.split_once(" ::= "))
            .map(|(name, _)| name)
            .collect();
        assert_eq!(rules, ["root", "entry", "number", "text"]);
    }
}
