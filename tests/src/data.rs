//! The conversations that tests run on: fixtures, which always exist, and recordings, which may be absent.

#![expect(clippy::panic, reason = "a test must not pass because its data is missing")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use epitome::message::Usage;
use epitome_formats::{Detection, Format, detect};
use flate2::read::GzDecoder;
use serde_json::Value;

use crate::skipped::skipped;

/// One conversation of a data file.
#[derive(Clone)]
pub struct Conversation {
    /// File and id.
    pub name: String,
    /// The format of its messages.
    pub format: Format,
    /// Its messages, as recorded.
    pub messages: Vec<Value>,
    /// What the provider reported, by the index of the message that it answered with. Often empty.
    pub usage: BTreeMap<usize, Usage>,
}

impl Conversation {
    /// A conversation without reports of a provider.
    pub fn new(name: String, format: Format, messages: Vec<Value>) -> Self {
        Self { name, format, messages, usage: BTreeMap::new() }
    }
}

/// The recordings whose messages are not in OpenAI's format, by what their file names begin with.
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

/// The conversations of `tests/fixtures`, in every format.
pub fn fixtures() -> Vec<Conversation> {
    let fixtures: Vec<Conversation> = fixture_files("conversations")
        .into_iter()
        .map(|(name, text)| {
            let document = parsed(&name, &text);
            let format = format_of(&name, &document);
            let usage = document.get("usage").map(reports).unwrap_or_default();
            let messages = epitome_formats::messages_of(document)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            Conversation { name, format, messages, usage }
        })
        .collect();
    for format in Format::ALL {
        let found = fixtures.iter().any(|fixture| fixture.format == format);
        assert!(found, "tests/fixtures/conversations has none in the format {}", format.as_str());
    }
    fixtures
}

/// The fixture whose name begins with these characters.
pub fn fixture(name: &str) -> Conversation {
    let found = fixtures().into_iter().find(|fixture| fixture.name.starts_with(name));
    found.unwrap_or_else(|| panic!("tests/fixtures/conversations has no {name}"))
}

/// The recordings in OpenAI's Chat Completions format; `None` if there are none, which is reported.
pub fn recorded_chats() -> Option<Vec<Conversation>> {
    let files = sorted(&recordings_folder()?.join("openai")).into_iter();
    Some(files.flat_map(|path| conversations_in(&path, Format::OpenAiChat)).collect())
}

/// The recordings in every format; `None` if there are none, which is reported.
pub fn recordings() -> Option<Vec<Conversation>> {
    let mut recordings = recorded_chats()?;
    for path in sorted(&recordings_folder()?.join("shapes")) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let known = SHAPES.iter().find(|(prefix, _)| name.starts_with(prefix));
        if let Some((_, format)) = known {
            recordings.extend(conversations_in(&path, *format));
        }
    }
    Some(recordings)
}

/// The fixtures in OpenAI's Chat Completions format, and the recordings in it if there are any.
pub fn chats() -> Vec<Conversation> {
    let mut chats = fixtures();
    chats.retain(|conversation| conversation.format == Format::OpenAiChat);
    chats.extend(recorded_chats().unwrap_or_default());
    chats
}

/// The fixtures in every format, and the recordings if there are any.
pub fn conversations() -> Vec<Conversation> {
    let mut conversations = fixtures();
    conversations.extend(recordings().unwrap_or_default());
    conversations
}

/// The messages in each provider's response: those of `tests/fixtures/responses.json`, and in the recordings,
/// if there are any, every response and every request of a trace.
pub fn responses() -> Vec<Conversation> {
    let file = "responses.json";
    let document = parsed(file, &fixture_text(&fixtures_folder().join(file)));
    let mut responses: Vec<Conversation> = document
        .as_array()
        .into_iter()
        .flatten()
        .map(|response| {
            let name = format!("{file} {}", response.get("id").unwrap_or(&Value::Null));
            let (format, messages) = response
                .get("response")
                .and_then(messages_in)
                .unwrap_or_else(|| panic!("{name} holds no messages"));
            assert_eq!(format, format_of(&name, response), "{name}");
            Conversation::new(name, format, messages)
        })
        .collect();
    assert!(!responses.is_empty(), "tests/fixtures/{file} is empty");
    let recorded = recordings_folder().map(|folder| sorted(&folder.join("shapes")));
    responses.extend(recorded.into_iter().flatten().flat_map(|path| recorded_responses(&path)));
    responses
}

/// Name and text of every broken history: the fixtures, and the recordings if there are any.
pub fn broken_histories() -> Vec<(String, String)> {
    let mut histories = fixture_files("broken");
    let recorded = recordings_folder().map(|folder| sorted(&folder.join("malformed")));
    histories.extend(recorded.into_iter().flat_map(|paths| {
        let recorded: Vec<(String, String)> =
            paths.iter().filter(|path| is_json(path)).filter_map(|path| named(path)).collect();
        assert_eq!(recorded.len(), 57, "the recordings are incomplete");
        recorded
    }));
    histories
}

fn fixtures_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// The text of a fixture that must exist.
pub fn fixture_text(path: &Path) -> String {
    let path = fixtures_folder().join(path);
    text_of(&path).unwrap_or_else(|| panic!("{} is missing", path.display()))
}

/// Name and text of a file.
fn named(path: &Path) -> Option<(String, String)> {
    Some((path.file_name()?.to_string_lossy().into_owned(), text_of(path)?))
}

/// Name and text of every file in a folder of fixtures.
fn fixture_files(folder: &str) -> Vec<(String, String)> {
    let folder = fixtures_folder().join(folder);
    let files: Vec<(String, String)> = sorted(&folder)
        .iter()
        .filter(|path| is_json(path))
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, fixture_text(path))
        })
        .collect();
    assert!(files.len() >= 10, "{} has only {} fixtures", folder.display(), files.len());
    files
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

fn parsed(name: &str, text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn format_of(name: &str, document: &Value) -> Format {
    let format = document.get("format").and_then(Value::as_str).unwrap_or_default();
    Format::named(format).unwrap_or_else(|| panic!("{name}: unknown format {format:?}"))
}

/// The reports of a fixture, each an object with the index of a `message` and a provider's counts.
fn reports(list: &Value) -> BTreeMap<usize, Usage> {
    let report = |entry: &Value| {
        let index = entry.get("message").and_then(Value::as_u64)?;
        Some((usize::try_from(index).ok()?, epitome_formats::read_usage(entry)?))
    };
    list.as_array().into_iter().flatten().filter_map(report).collect()
}

/// The folder that `EPITOME_DATA` names, or `shared/data` next to the checkout; `None`, which is reported, if it
/// does not exist.
fn recordings_folder() -> Option<PathBuf> {
    let folder = match std::env::var_os("EPITOME_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"),
    };
    if folder.is_dir() {
        return Some(folder);
    }
    skipped("no recorded conversations; set EPITOME_DATA to a folder that has some");
    None
}

fn recorded_responses(path: &Path) -> Vec<Conversation> {
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut responses = Vec::new();
    for line in text_of(path).unwrap_or_default().lines() {
        let Ok(document) = serde_json::from_str::<Value>(line) else { continue };
        let id = document.get("id").and_then(Value::as_str).unwrap_or("?");
        for key in ["response", "recorded_response", "recorded_output"] {
            let held = document.get(key).and_then(messages_in);
            responses.extend(held.map(|(format, messages)| {
                Conversation::new(format!("{file} {id} {key}"), format, messages)
            }));
        }
        let traced = document.get("input").filter(|_| file.starts_with("framework-traces"));
        responses.extend(traced.map(|input| {
            let messages = input.as_array().cloned().unwrap_or_else(|| vec![input.clone()]);
            let format = match detect(&messages) {
                Detection::Known(format) => format,
                Detection::Unclear => Format::OpenAiChat,
            };
            Conversation::new(format!("{file} {id}"), format, messages)
        }));
    }
    responses
}

/// The messages of a provider's response, by its shape.
fn messages_in(response: &Value) -> Option<(Format, Vec<Value>)> {
    let list = |pointer: &str| response.pointer(pointer).and_then(Value::as_array);
    if let Some(message) = response.pointer("/output/message") {
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
    list("/content").map(|_| (Format::Anthropic, vec![response.clone()]))
}

fn conversations_in(path: &Path, format: Format) -> Vec<Conversation> {
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = text_of(path).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let conversations = lines.filter_map(|line| {
        let document = serde_json::from_str::<Value>(line).ok()?;
        let id = document.get("id").and_then(Value::as_str).unwrap_or("?").to_owned();
        let messages = epitome_formats::messages_of(document).ok()?;
        // One of the files of the AI SDK's model messages also holds a conversation of UI messages.
        let ui = format == Format::AiSdkModel
            && messages.iter().any(|message| message.get("parts").is_some());
        let format = if ui { Format::AiSdkUi } else { format };
        Some(Conversation::new(format!("{file} {id}"), format, messages))
    });
    conversations.collect()
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
