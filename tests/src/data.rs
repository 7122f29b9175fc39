//! Real conversations, read from a folder that is not part of the project.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use epitome_formats::{Detection, Format, detect};
use flate2::read::GzDecoder;
use serde_json::Value;

/// One conversation of a data file.
pub struct Conversation {
    /// File and id.
    pub name: String,
    /// The format of its messages.
    pub format: Format,
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

/// The files of conversations in other shapes, by what their names begin with.
const SHAPES: [(&str, Format); 14] = [
    ("aisdk-modelmessage", Format::AiSdkModel),
    ("aisdk-uimessage", Format::AiSdkUi),
    ("anthropic-messages", Format::Anthropic),
    ("bedrock-converse", Format::Bedrock),
    ("cline-session", Format::Anthropic),
    ("gemini-generatecontent", Format::Gemini),
    ("openai-chat-small", Format::OpenAiChat),
    ("openai-content-arrays", Format::OpenAiChat),
    ("openai-responses", Format::OpenAiResponses),
    ("reshaped-aisdk-modelmessage", Format::AiSdkModel),
    ("reshaped-aisdk-uimessage", Format::AiSdkUi),
    ("reshaped-anthropic", Format::Anthropic),
    ("reshaped-gemini", Format::Gemini),
    ("anthropic-messages-pi", Format::Anthropic),
];

/// Every conversation in OpenAI's shape; `None`, said aloud, where the data is absent.
pub fn conversations() -> Option<Vec<Conversation>> {
    let folder = data()?.join("openai");
    let files = sorted(&folder).into_iter();
    Some(files.flat_map(|path| conversations_in(&path, Format::OpenAiChat)).collect())
}

/// Every conversation in any shape; `None`, said aloud, where the data is absent.
pub fn recordings() -> Option<Vec<Conversation>> {
    let mut recordings = conversations()?;
    for path in sorted(&data()?.join("shapes")) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let known = SHAPES.iter().find(|(prefix, _)| name.starts_with(prefix));
        if let Some((_, format)) = known {
            recordings.extend(conversations_in(&path, *format));
        }
    }
    Some(recordings)
}

/// Every answer of a provider's, and every request in a trace, as the messages that they hold; `None`, said
/// aloud, where the data is absent.
pub fn answers() -> Option<Vec<Conversation>> {
    let folder = data()?.join("shapes");
    let mut answers = Vec::new();
    for path in sorted(&folder) {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = text_of(&path).unwrap_or_default();
        for line in text.lines() {
            let Ok(document) = serde_json::from_str::<Value>(line) else { continue };
            let id = document.get("id").and_then(Value::as_str).unwrap_or("?");
            for key in ["response", "recorded_response", "recorded_output"] {
                let held = document.get(key).and_then(messages_in);
                answers.extend(held.map(|(format, messages)| Conversation {
                    name: format!("{file} {id} {key}"),
                    format,
                    messages,
                }));
            }
            let traced = document.get("input").filter(|_| file.starts_with("framework-traces"));
            answers.extend(traced.map(|input| {
                let messages = input.as_array().cloned().unwrap_or_else(|| vec![input.clone()]);
                let format = match detect(&messages) {
                    Detection::Known(format) => format,
                    Detection::Unclear => Format::OpenAiChat,
                };
                Conversation { name: format!("{file} {id}"), format, messages }
            }));
        }
    }
    Some(answers)
}

/// The messages of a provider's answer, by its shape.
fn messages_in(answer: &Value) -> Option<(Format, Vec<Value>)> {
    let list = |pointer: &str| answer.pointer(pointer).and_then(Value::as_array);
    if let Some(message) = answer.pointer("/output/message") {
        return Some((Format::Bedrock, vec![message.clone()]));
    }
    if let Some(items) = list("/output") {
        return Some((Format::OpenAiResponses, items.clone()));
    }
    if let Some(choices) = list("/choices") {
        let messages = choices.iter().filter_map(|choice| choice.get("message").cloned());
        return Some((Format::OpenAiChat, messages.collect()));
    }
    if let Some(candidates) = list("/candidates") {
        let messages = candidates.iter().filter_map(|candidate| candidate.get("content").cloned());
        return Some((Format::Gemini, messages.collect()));
    }
    list("/content").map(|_| (Format::Anthropic, vec![answer.clone()]))
}

#[expect(clippy::print_stderr, reason = "a test that checks nothing must say so")]
fn data() -> Option<PathBuf> {
    let folder = folder();
    if folder.is_none() {
        eprintln!(
            "SKIPPED: no real conversations here; point EPITOME_DATA at a folder that has some"
        );
    }
    folder
}

fn conversations_in(path: &Path, format: Format) -> Vec<Conversation> {
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = text_of(path).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let conversations = lines.filter_map(|line| {
        let document = serde_json::from_str::<Value>(line).ok()?;
        let id = document.get("id").and_then(Value::as_str).unwrap_or("?").to_owned();
        let messages = epitome_formats::messages_of(document).ok()?;
        // One of the model messages of the AI SDK is a conversation of its pages.
        let page = format == Format::AiSdkModel
            && messages.iter().any(|message| message.get("parts").is_some());
        let format = if page { Format::AiSdkUi } else { format };
        Some(Conversation { name: format!("{file} {id}"), format, messages })
    });
    conversations.collect()
}

/// Name and text of every broken history; `None`, said aloud, where the data is absent.
pub fn malformed() -> Option<Vec<(String, String)>> {
    let files = sorted(&data()?.join("malformed"))
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
