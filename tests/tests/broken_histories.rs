//! Broken histories are found to be what they are, put right or reported; nothing in them is lost.

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
use epitome_tests::{Host, malformed};
use serde_json::{Value, json};

/// Replaces what is described by what it describes: `$generate` is a text repeated, `$generateMessages`
/// a number of pairs of messages.
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
    let say = |role: &str, pair: u64| {
        let text = recipe[role].as_str().unwrap().replace("{i}", &pair.to_string());
        json!({ "role": role, "content": text })
    };
    (0..pairs).flat_map(|pair| [say("user", pair), say("assistant", pair)]).collect()
}

/// The format of a file by the name of its shape.
fn format_of(document: &Value) -> Format {
    let shape = document["shape"].as_str().unwrap().replace("aisdk", "ai-sdk");
    Format::named(&shape).unwrap()
}

#[test]
fn every_broken_history_comes_out_as_its_class_says() {
    let Some(files) = malformed() else { return };
    assert_eq!(files.len(), 57);
    for (name, text) in files {
        let document: Value = match serde_json::from_str(&text) {
            Ok(document) => document,
            Err(error) => {
                assert!(name.contains("surrogates"), "{name}: {error}");
                assert!(error.line() > 0, "{name}: the place is named");
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
            _ => assert_eq!(refused, [], "{name}: it is legal"),
        }
        let repaired = repair(&messages, format);
        println!("{name} ({class}): {}", outcome(&refused, &strict, &repaired));
        nothing_is_lost(&name, &messages, &refused, &repaired);
        compacts_and_undoes(&name, format, &messages);
    }
}

/// What became of a history, in a few words.
fn outcome(refused: &[Issue], strict: &[Issue], repaired: &Repaired) -> &'static str {
    match (refused, strict, repaired.left.as_slice()) {
        ([], [], _) => "legal",
        ([], ..) => "legal, and reported as depending on the server",
        (_, _, []) => "repaired",
        _ => "reported",
    }
}

/// Every message is in the result, or was said to be left out.
fn nothing_is_lost(name: &str, messages: &[Value], refused: &[Issue], repaired: &Repaired) {
    for index in 0..messages.len() {
        let there = repaired.messages.iter().any(|message| match message {
            RepairedMessage::Keep(kept) => *kept == index,
            RepairedMessage::Composed { sources, .. } => sources.contains(&index),
        });
        let prefix = format!("messages[{index}]");
        let said = refused.iter().any(|issue| issue.path.starts_with(&prefix));
        assert!(there || said, "{name}: message {index} has vanished");
    }
}

fn compacts_and_undoes(name: &str, format: Format, messages: &[Value]) {
    let mut host = Host::new(format, Policy::recommended(400)).unwrap();
    for message in messages {
        host.append(message.clone()).unwrap();
    }
    assert_eq!(host.messages(), messages, "{name}: untouched until compacted");
    if host.compact(Reason::Manual).is_ok() && host.compactor.log().checkpoint().is_some() {
        host.undo().unwrap();
    }
    assert_eq!(host.messages(), messages, "{name}: nothing is lost");
}

#[test]
fn a_message_that_is_none_is_refused_by_its_place() {
    let messages = [json!({ "role": "user", "content": "hi" }), json!(7)];
    let issues = validate(&messages, Format::OpenAiChat, Strictness::Provider);
    let [issue] = issues.as_slice() else { panic!("{issues:?}") };
    assert_eq!(issue.path, "messages[1]");
    assert_eq!(issue.message, "expected an object with role and content, found a number");
}
