//! Real conversations, read from a folder that is not part of the project.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::Value;

/// One conversation of a data file.
pub struct Conversation {
    /// File and id.
    pub name: String,
    /// Its messages, as recorded.
    pub messages: Vec<Value>,
}

/// The folder named by `EPITOME_DATA`, or `shared/data` beside the checkout.
fn folder() -> Option<PathBuf> {
    let folder = match std::env::var_os("EPITOME_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"),
    };
    folder.is_dir().then_some(folder)
}

/// Every conversation in OpenAI's shape; `None`, said aloud, where the data is absent.
#[expect(clippy::print_stderr, reason = "a test that checks nothing must say so")]
pub fn conversations() -> Option<Vec<Conversation>> {
    let Some(folder) = folder() else {
        eprintln!(
            "SKIPPED: no real conversations here; point EPITOME_DATA at a folder that has some"
        );
        return None;
    };
    let mut conversations = Vec::new();
    for path in sorted(&folder.join("openai")) {
        let Some(text) = text_of(&path) else { continue };
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let Ok(document) = serde_json::from_str::<Value>(line) else { continue };
            let id = document.get("id").and_then(Value::as_str).unwrap_or("?").to_owned();
            if let Ok(messages) = epitome_formats::messages_of(document) {
                conversations.push(Conversation { name: format!("{file} {id}"), messages });
            }
        }
    }
    Some(conversations)
}

/// Name and text of every broken history; `None`, said aloud, where the data is absent.
#[expect(clippy::print_stderr, reason = "a test that checks nothing must say so")]
pub fn malformed() -> Option<Vec<(String, String)>> {
    let Some(folder) = folder() else {
        eprintln!(
            "SKIPPED: no broken histories here; point EPITOME_DATA at a folder that has some"
        );
        return None;
    };
    let files = sorted(&folder.join("malformed"))
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    let named = files.filter_map(|path| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        Some((name, text_of(&path)?))
    });
    Some(named.collect())
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn text_of(path: &Path) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    if path.extension().is_some_and(|extension| extension == "gz") {
        let mut text = String::new();
        GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).ok()?;
        return Some(text);
    }
    String::from_utf8(bytes).ok()
}
