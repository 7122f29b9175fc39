//! The conversations in a text: one, or one per line.

use epitome_formats::{Detection, detect, messages_of};
use js_sys::{Array, JSON, JsString, Object, Reflect};
use serde_json::{Map, Value};
use wasm_bindgen::{JsCast as _, JsValue};

use super::request_body::request_overhead;
use super::spoken::turns;
use crate::browser::sessions_in;
use crate::language::t;
use crate::store::{Overhead, originals_in, overhead_in};

/// A conversation that was found but not read yet.
#[derive(Clone)]
pub(crate) struct Candidate {
    /// Its name.
    pub(crate) label: String,
    /// Its messages, as the browser parsed them.
    pub(crate) messages: Array,
    /// Its instructions and tool schemas.
    pub(crate) overhead: Overhead,
}

/// The keys of messages, the same as in [`messages_of`].
const KEYS: [&str; 3] = ["messages", "contents", "input"];

impl Candidate {
    /// Messages for everyone, without instructions.
    pub(super) fn of(label: String, messages: Array) -> Self {
        Self { label, messages, overhead: Overhead::default() }
    }

    /// What records have.
    pub(super) fn in_records(label: String, text: &str) -> Self {
        Self { label, messages: originals_in(text), overhead: overhead_in(text) }
    }
}

/// Finds the conversations in a text. Fails with a sentence for the user.
///
/// It uses the browser's JSON parser, because that accepts half of a surrogate pair, which some recordings contain,
/// and because the same objects are exported again.
pub(crate) fn candidates(text: &str) -> Result<Vec<Candidate>, String> {
    if text.trim().is_empty() {
        return Err(t!("The text is empty.").to_owned());
    }
    match JSON::parse(text) {
        Ok(document) => candidate(&document, t!("Conversation")).map(|found| vec![found]),
        Err(error) => lines(text)
            .or_else(|| spoken(text).map(|found| Ok(vec![found])))
            .unwrap_or_else(|| Err(not_json(&error))),
    }
}

/// Fields and values that session files of coding agents and exports of traces have, in this order: Claude Code, Codex, pi, opencode,
/// Langfuse.
const OF_SESSIONS: [&str; 5] = [
    "\"parentUuid\"",
    "\"response_item\"",
    "\"type\":\"session\"",
    "\"sessionID\"",
    "\"GENERATION\"",
];

/// The conversations of such a file; `None` if it is none.
pub(super) async fn in_sessions(text: &str) -> Option<Vec<Candidate>> {
    if !OF_SESSIONS.iter().any(|word| text.contains(word)) {
        return None;
    }
    let found = sessions_in(text).await?;
    found.iter().map(|session| candidate(&session, t!("Conversation")).ok()).collect()
}

/// A conversation that was copied as plain text.
fn spoken(text: &str) -> Option<Candidate> {
    let messages = Array::new();
    for (role, said) in turns(text)? {
        let message = Object::new();
        for (key, value) in [("role", role.as_str()), ("content", &said)] {
            // Setting a field of a new object cannot fail.
            let _ = Reflect::set(&message, &JsString::from(key), &JsString::from(value));
        }
        messages.push(&message);
    }
    Some(Candidate::of(t!("Conversation").to_owned(), messages))
}

/// The conversations of a JSONL text; `None` if its first line is not JSON.
fn lines(text: &str) -> Option<Result<Vec<Candidate>, String>> {
    let lines: Vec<(usize, &str)> =
        (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()).collect();
    let (_, first) = lines.first()?;
    if lines.len() < 2 || JSON::parse(first).is_err() {
        return None;
    }
    let mut documents = Vec::with_capacity(lines.len());
    for (number, line) in lines {
        match JSON::parse(line) {
            Ok(document) => documents.push((number, document)),
            Err(error) => {
                return Some(Err(t!(
                    "Line {number} is not JSON: {reason}.",
                    number,
                    reason = reason(&error)
                )));
            }
        }
    }
    if documents.iter().all(|(_, document)| is_message(document)) {
        let messages: Array = documents.iter().map(|(_, document)| document).collect();
        let label = t!("Conversation").to_owned();
        return Some(Ok(vec![Candidate::of(label, messages)]));
    }
    let found = documents.iter().map(|(number, document)| {
        let line = t!("Line {number}", number);
        candidate(document, &line).map_err(|problem| format!("{line}: {problem}"))
    });
    Some(found.collect())
}

fn candidate(document: &JsValue, label: &str) -> Result<Candidate, String> {
    if let Some(messages) = document.dyn_ref::<Array>() {
        return Ok(Candidate::of(label.to_owned(), messages.clone()));
    }
    messages_of(shallow(document))
        .map_err(|error| t!("This is not a conversation: {error}.", error))?;
    let held = KEYS.iter().map(|key| property(document, key));
    let messages = held.filter_map(|value| value.dyn_into::<Array>().ok()).next();
    let name = property(document, "id").as_string().unwrap_or_else(|| label.to_owned());
    let overhead = request_overhead(document);
    Ok(Candidate { label: name, messages: messages.unwrap_or_default(), overhead })
}

/// The document with empty values: enough to recognize the kind of document without converting all of it.
fn shallow(document: &JsValue) -> Value {
    let Some(object) = document.dyn_ref::<Object>() else { return kind(document) };
    let keys = Object::keys(object);
    let keys = keys.iter().filter_map(|key| key.as_string());
    let fields: Map<String, Value> =
        keys.map(|key| (key.clone(), kind(&property(document, &key)))).collect();
    Value::Object(fields)
}

fn kind(value: &JsValue) -> Value {
    if Array::is_array(value) {
        Value::Array(Vec::new())
    } else if value.is_object() {
        Value::Object(Map::new())
    } else if value.is_string() {
        Value::String(String::new())
    } else if let Some(number) = value.as_f64() {
        Value::from(number)
    } else {
        value.as_bool().map_or(Value::Null, Value::Bool)
    }
}

/// True for a single message of any format.
fn is_message(document: &JsValue) -> bool {
    if property(document, "role").is_string() {
        return true;
    }
    let has_messages = KEYS.iter().any(|key| Array::is_array(&property(document, key)));
    let mut outline = shallow(document);
    let kind = property(document, "type").as_string();
    if let (Some(outline), Some(kind)) = (outline.as_object_mut(), kind) {
        outline.insert("type".into(), kind.into());
    }
    !has_messages && matches!(detect(&[outline]), Detection::Known(_))
}

/// The value of a key; undefined if `object` is not an object.
pub(super) fn property(object: &JsValue, key: &str) -> JsValue {
    Reflect::get(object, &JsString::from(key)).unwrap_or(JsValue::UNDEFINED)
}

fn not_json(error: &JsValue) -> String {
    t!("This is not JSON: {reason}.", reason = reason(error))
}

fn reason(error: &JsValue) -> String {
    let message = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message()));
    message.unwrap_or_default().trim_end_matches('.').to_owned()
}
