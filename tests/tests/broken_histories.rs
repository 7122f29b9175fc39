//! Broken histories are recognized, and repaired or reported; nothing in them is lost.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on should stop, and say what it saw"
)]

use epitome::{Policy, Reason};
use epitome_formats::{
    Format, Issue, Repaired, RepairedMessage, Strictness, messages_of, repair, validate,
};
use epitome_tests::{App, broken_histories};
use serde_json::{Value, json};

/// Writes out contents that a file only describes: `$generate` is a text repeated, `$generateMessages` a number
/// of pairs of messages.
fn expand(value: Value) -> Value {
    match value {
        Value::Object(mut object) => match object.remove("$generate") {
            Some(recipe) => {
                let times = usize::try_from(recipe["times"].as_u64().unwrap()).unwrap();
                recipe["unit"].as_str().unwrap().repeat(times).into()
            }
            None => object.into_iter().map(|(key, value)| (key, expand(value))).collect(),
        },
        Value::Array(values) => values.into_iter().flat_map(expand_item).collect(),
        other => other,
    }
}

fn expand_item(item: Value) -> Vec<Value> {
    let Some(recipe) = item.get("$generateMessages") else { return vec![expand(item)] };
    let pairs = recipe["pairs"].as_u64().unwrap();
    let message = |role: &str, pair: u64| {
        let text = recipe[role].as_str().unwrap().replace("{i}", &pair.to_string());
        json!({ "role": role, "content": text })
    };
    (0..pairs).flat_map(|pair| [message("user", pair), message("assistant", pair)]).collect()
}

/// The format of a file. Recordings call it a shape, and write the AI SDK without a hyphen.
fn format_of(document: &Value) -> Format {
    let name = document.get("format").unwrap_or(&document["shape"]).as_str().unwrap();
    Format::named(&name.replace("aisdk", "ai-sdk")).unwrap()
}

#[test]
fn every_broken_history_is_recognized_and_repaired_or_reported() {
    for (name, text) in broken_histories() {
        let document: Value = match serde_json::from_str(&text) {
            Ok(document) => document,
            Err(error) => {
                assert!(name.contains("surrogates"), "{name}: {error}");
                assert!(error.line() > 0, "{name}: the error names the line");
                continue;
            }
        };
        let document = expand(document);
        let format = format_of(&document);
        let class = document["class"].as_str().unwrap().to_owned();
        let messages = messages_of(document).unwrap();
        let refused = validate(&messages, format, Strictness::Provider);
        let strict = validate(&messages, format, Strictness::Strictest);
        match class.as_str() {
            "broken" => assert!(!refused.is_empty(), "{name}: nothing was found"),
            "template-dependent" => assert!(!strict.is_empty(), "{name}: nothing was found"),
            "legal-but-tricky" | "generator" => assert_eq!(refused, [], "{name}: it is legal"),
            other => panic!("{name}: unknown class {other}"),
        }
        let repaired = repair(&messages, format);
        println!("{name} ({class}): {}", outcome(&refused, &strict, &repaired));
        nothing_is_lost(&name, &messages, &refused, &repaired);
        compacts_and_undoes(&name, format, &messages);
    }
}

/// The outcome of a history, for people.
fn outcome(refused: &[Issue], strict: &[Issue], repaired: &Repaired) -> &'static str {
    match (refused, strict, repaired.left.as_slice()) {
        ([], [], _) => "legal",
        ([], ..) => "legal, but some servers refuse it",
        (_, _, []) => "repaired",
        _ => "reported",
    }
}

/// Every message is in the result, or an issue names it.
fn nothing_is_lost(name: &str, messages: &[Value], refused: &[Issue], repaired: &Repaired) {
    let mut accounted = vec![false; messages.len()];
    for message in &repaired.messages {
        match message {
            RepairedMessage::Keep(index) => accounted[*index] = true,
            RepairedMessage::Composed { sources, .. } => {
                sources.iter().for_each(|index| accounted[*index] = true);
            }
        }
    }
    for issue in refused {
        // A path begins as `messages[12]`.
        let index = issue.path.strip_prefix("messages[").and_then(|rest| rest.split(']').next());
        if let Some(index) = index.and_then(|index| index.parse::<usize>().ok()) {
            accounted[index] = true;
        }
    }
    let vanished = accounted.iter().position(|accounted| !accounted);
    assert_eq!(vanished, None, "{name}: the message at this index has vanished");
}

fn compacts_and_undoes(name: &str, format: Format, messages: &[Value]) {
    let mut app = App::new(format, Policy::recommended(400)).unwrap();
    for message in messages {
        app.append(message.clone()).unwrap();
    }
    let before = app.messages();
    let codes = |issues: &[Issue]| {
        let mut codes: Vec<_> = issues.iter().map(|issue| format!("{:?}", issue.code)).collect();
        codes.sort();
        codes
    };
    // Composing repairs the order of messages. What is wrong inside of one, the host repairs by `Format::normalize`.
    let mut normal = before.clone();
    normal.iter_mut().for_each(|message| {
        format.normalize(message);
    });
    let refused = validate(&normal, format, Strictness::Provider);
    assert_eq!(codes(&refused), codes(&repair(messages, format).left), "{name}: only by a guess");
    if validate(messages, format, Strictness::Strictest).is_empty() {
        assert_eq!(before, messages, "{name}: untouched if it is legal");
    }
    if app.compact(Reason::Manual).is_ok() && app.compactor.log().checkpoint().is_some() {
        app.undo().unwrap();
    }
    assert_eq!(app.messages(), before, "{name}: the undo is exact");
}

#[test]
fn a_value_that_is_not_a_message_is_reported_with_its_index() {
    let messages = [json!({ "role": "user", "content": "hi" }), json!(7)];
    let issues = validate(&messages, Format::OpenAiChat, Strictness::Provider);
    let [issue] = issues.as_slice() else { panic!("{issues:?}") };
    assert_eq!(issue.path, "messages[1]");
    assert_eq!(issue.message, "expected an object with role and content, found a number");
}
