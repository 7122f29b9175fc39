//! The messages of recorded conversations, if they are available.

use std::io::Read;
use std::path::PathBuf;

use epitome_tests::skipped;
use serde_json::Value;

use crate::reference;

const RECORDINGS: [&str; 9] = [
    "openai/tool-chat-taubench-airline.jsonl.gz",
    "openai/tool-chat-tau2-airline.jsonl.gz",
    "openai/tool-chat-tau2-telecom.jsonl.gz",
    "openai/coding-pi-long-session.jsonl.gz",
    "openai/coding-swe-agent.jsonl",
    "openai/coding-openhands.jsonl",
    "openai/long-aider-200k.jsonl",
    "openai/multilingual.jsonl",
    "retention/qmsum-product-meetings.jsonl.gz",
];
/// The most conversations of each file.
const CONVERSATIONS: usize = 60;

/// The text of each message, by conversation and file. Empty, and the test is listed as skipped, if there are
/// no recordings.
pub(crate) fn read() -> Vec<Vec<Vec<String>>> {
    let folder = match std::env::var_os("EPITOME_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => reference::root().join("../shared/data"),
    };
    let file = |name: &&str| {
        let bytes = std::fs::read(folder.join(name)).ok()?;
        let mut text = String::new();
        match name.strip_suffix(".gz") {
            Some(_) => flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text),
            None => bytes.as_slice().read_to_string(&mut text),
        }
        .unwrap();
        let lines = text.lines().take(CONVERSATIONS);
        Some(lines.map(|line| messages(&serde_json::from_str(line).unwrap())).collect())
    };
    let found: Vec<_> = RECORDINGS.iter().filter_map(file).collect();
    if found.is_empty() {
        skipped("no real conversations here; point EPITOME_DATA at a folder that has some");
    }
    found
}

fn messages(conversation: &Value) -> Vec<String> {
    let text = |message: &Value| {
        let mut texts = vec![message["content"].as_str().unwrap_or_default()];
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let part = |name: &str| call["function"][name].as_str().unwrap_or_default();
            texts.extend([part("name"), part("arguments")]);
        }
        texts.join("\n")
    };
    conversation["messages"].as_array().unwrap().iter().map(text).collect()
}
