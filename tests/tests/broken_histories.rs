//! Broken histories are read with a list of what is wrong, or refused by what and where; none is lost.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on should stop, and say what it saw"
)]

use epitome::history::{Defect, Ending, repair};
use epitome::message::Message;
use epitome::{Policy, Reason};
use epitome_formats::{Detection, detect, messages_of};
use epitome_tests::{Host, malformed};
use serde_json::{Value, json};

/// What comes of a history: refused by a sentence, or read with what was found.
enum Outcome {
    Refused(String),
    Read { host: Box<Host>, findings: Vec<String> },
}

fn read(document: Value) -> Outcome {
    let messages = match messages_of(document) {
        Ok(messages) => messages,
        Err(error) => return Outcome::Refused(error.to_string()),
    };
    if let Detection::Foreign(name) = detect(&messages) {
        return Outcome::Refused(format!("these are {name}"));
    }
    let mut host = Host::new(Policy::recommended(400)).unwrap();
    for (index, message) in messages.into_iter().enumerate() {
        if let Err(error) = host.append(message) {
            return Outcome::Refused(format!("message {index}: {error}"));
        }
    }
    let messages: Vec<&Message> = host.compactor.log().messages().collect();
    let defects = repair(&messages, Ending::Open).findings;
    let mut findings: Vec<String> = defects
        .iter()
        .map(|finding| format!("{}: {}", finding.id, finding.defect.explanation()))
        .collect();
    let surprises = host.surprises.iter();
    findings
        .extend(surprises.map(|(at, found)| format!("m{at}.{}: {}", found.path, found.message)));
    Outcome::Read { host: Box::new(host), findings }
}

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

/// Files whose class says that a provider refuses them, and that a history alone does not show it:
/// nothing but system prompts, or nothing at all, is fine until it is sent.
const NOTHING_TO_SAY: [&str; 2] = ["27-", "28-"];

#[test]
fn every_broken_history_is_read_with_findings_or_refused_with_a_reason() {
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
        let broken = document["class"] == "broken";
        let chat = document["shape"] == "openai-chat";
        match read(document) {
            Outcome::Refused(reason) => assert!(!chat, "{name}: {reason}"),
            Outcome::Read { mut host, findings } => {
                let silent = NOTHING_TO_SAY.iter().any(|prefix| name.starts_with(prefix));
                if chat && broken && !silent {
                    assert!(!findings.is_empty(), "{name}: nothing was found");
                }
                let before = host.messages();
                assert_eq!(before, host.originals, "{name}: untouched until compacted");
                if host.compact(Reason::Manual).is_ok()
                    && host.compactor.log().checkpoint().is_some()
                {
                    host.undo().unwrap();
                }
                assert_eq!(host.messages(), before, "{name}: nothing is lost");
            }
        }
    }
}

#[test]
fn a_message_that_is_none_is_refused_by_its_place() {
    let Outcome::Refused(reason) = read(json!([{ "role": "user", "content": "hi" }, 7])) else {
        panic!("a number was read as a message");
    };
    assert_eq!(reason, "message 1: expected an object with role and content, found a number");
}

#[test]
fn what_is_repaired_is_listed_by_message() {
    let history = json!([
        { "role": "user", "content": "hi" },
        { "role": "tool", "tool_call_id": "x", "content": "late" },
    ]);
    let Outcome::Read { findings, .. } = read(history) else { panic!("it was refused") };
    assert_eq!(findings, [format!("m1: {}", Defect::OrphanResult.explanation())]);
}
