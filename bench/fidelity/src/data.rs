//! The recorded conversations with questions, goals or identifiers.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::Value;

/// The folder that `EPITOME_DATA` names, or `shared/data` next to the checkout; `None` if it does not exist.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = match std::env::var_os("EPITOME_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    folder.is_dir().then_some(folder)
}

/// The conversations of one file, one for each line.
pub(crate) fn lines(path: &Path) -> Vec<Value> {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut text = String::new();
    if path.extension().is_some_and(|extension| extension == "gz") {
        let read = GzDecoder::new(bytes.as_slice()).read_to_string(&mut text);
        read.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    } else {
        text = String::from_utf8_lossy(&bytes).into_owned();
    }
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).expect("a line of a data file is JSON")).collect()
}

/// The messages of a conversation.
pub(crate) fn messages(conversation: &Value) -> &[Value] {
    conversation["messages"].as_array().map_or(&[], Vec::as_slice)
}

/// The text of a message: its content, and name, arguments of its calls.
pub(crate) fn text_of(message: &Value) -> String {
    let mut text = content(message).to_owned();
    for part in message["content"].as_array().into_iter().flatten() {
        text.push_str(part["text"].as_str().unwrap_or_default());
    }
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        for field in ["name", "arguments"] {
            text.push('\n');
            text.push_str(call["function"][field].as_str().unwrap_or_default());
        }
    }
    text
}

/// The content of a message; empty if it is not a text.
pub(crate) fn content(message: &Value) -> &str {
    message["content"].as_str().unwrap_or_default()
}
