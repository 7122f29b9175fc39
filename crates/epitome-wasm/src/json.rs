//! Reads JavaScript values as JSON, as `JSON.stringify` does, and writes JSON as plain JavaScript values.

use std::fmt::{self, Display};

use epitome::message::{Message, MessageId};
use epitome_formats::Format;
use js_sys::{Array, ArrayBuffer, BigInt, Function, JSON, JsString, Object, Reflect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value, json};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::error::{ErrorCode, PackageErrorCode, Thrown};
use crate::host;

/// The deepest nesting that is read: deeper than any message, and far below the limit of the stack. This limit also refuses
/// values that contain themselves.
const DEEPEST: u32 = 128;

/// The most values in one message or option: objects, arrays and their contents. `npm/src/host/plain-json.ts` has the same
/// limit for messages. This limit also counts values that exist only after a `toJSON` was called.
const MOST_VALUES: u32 = 1_000_000;

/// Why a value cannot be read.
#[derive(Debug)]
pub(crate) enum Unreadable {
    /// It is nested too deeply, or contains itself.
    Deep,
    /// It has too many parts.
    Large,
    /// One of its properties throws when it is read.
    Property(String),
    /// It throws when it is inspected.
    Closed,
}

impl Unreadable {
    /// The code of the error: a code of its own for a value that is too large, otherwise `code`.
    fn code(&self, code: impl Into<ErrorCode>) -> ErrorCode {
        match self {
            Self::Large => PackageErrorCode::TooLarge.into(),
            Self::Deep | Self::Property(_) | Self::Closed => code.into(),
        }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deep => write!(f, "is nested deeper than {DEEPEST} levels, or contains itself"),
            Self::Large => write!(f, "has more than {MOST_VALUES} values"),
            Self::Closed => f.write_str("throws when it is inspected, as a revoked proxy does"),
            Self::Property(name) => {
                write!(f, "has a property {name:?} that throws when it is read")
            }
        }
    }
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = Array, js_name = isArray)]
    fn is_array(value: &JsValue) -> Result<bool, JsValue>;
    #[wasm_bindgen(catch, js_namespace = Object, js_name = keys)]
    fn keys_of(value: &JsValue) -> Result<Array, JsValue>;
}

fn length_of(array: &JsValue) -> u32 {
    let length = Reflect::get(array, &"length".into()).ok();
    length.and_then(|length| length.as_f64()).map_or(0, |length| length as u32)
}

/// Reads a value. Properties that are undefined, functions or symbols are left out. The contents of byte buffers are not
/// copied: a buffer is read as its length and a number that distinguishes it from other buffers in the same value.
pub(crate) fn read(value: &JsValue) -> Result<Value, Unreadable> {
    read_at(value, 0, &mut Seen::default())
}

/// How much has been read of one value.
#[derive(Default)]
struct Seen {
    values: u32,
    /// Number of byte buffers.
    buffers: u32,
}

fn read_at(value: &JsValue, depth: u32, seen: &mut Seen) -> Result<Value, Unreadable> {
    seen.values += 1;
    if seen.values > MOST_VALUES {
        return Err(Unreadable::Large);
    }
    if let Some(text) = host::text(value) {
        return Ok(Value::String(text));
    }
    if let Some(number) = value.as_f64() {
        return Ok(read_number(number));
    }
    if let Some(truth) = value.as_bool() {
        return Ok(Value::Bool(truth));
    }
    if depth > DEEPEST {
        return Err(Unreadable::Deep);
    }
    if is_array(value).map_err(|_| Unreadable::Closed)? {
        let length = length_of(value);
        // An array can claim a length without having an element.
        if length > MOST_VALUES {
            return Err(Unreadable::Large);
        }
        let items = (0..length).map(|index| {
            let item = Reflect::get_u32(value, index)
                .map_err(|_| Unreadable::Property(index.to_string()))?;
            read_at(&item, depth + 1, seen)
        });
        return items.collect::<Result<_, _>>().map(Value::Array);
    }
    if let Some(big) = value.dyn_ref::<BigInt>() {
        return Ok(big.to_string(10).map_or(Value::Null, |digits| Value::String(digits.into())));
    }
    if !value.is_object() {
        return Ok(Value::Null);
    }
    if let Some(length) = byte_length(value) {
        seen.buffers += 1;
        return Ok(json!({ "$bytes": length, "$number": seen.buffers }));
    }
    if let Some(json) = to_json(value) {
        return read_at(&json, depth + 1, seen);
    }
    let mut fields = Map::new();
    let object: &Object = value.unchecked_ref();
    for key in keys_of(value).map_err(|_| Unreadable::Closed)?.iter() {
        let name = key.as_string().unwrap_or_default();
        let Ok(field) = Reflect::get(object, &key) else { return Err(Unreadable::Property(name)) };
        if !field.is_undefined() && !field.is_function() && !field.is_symbol() {
            fields.insert(name, read_at(&field, depth + 1, seen)?);
        }
    }
    Ok(Value::Object(fields))
}

/// The length in bytes of a buffer or of a view of one.
fn byte_length(value: &JsValue) -> Option<u32> {
    let buffer = value.is_instance_of::<ArrayBuffer>() || ArrayBuffer::is_view(value);
    let length = buffer.then(|| Reflect::get(value, &"byteLength".into()).ok()).flatten()?;
    length.as_f64().map(|length| length as u32)
}

/// The result of an object's `toJSON`, such as the text of a `URL` or a `Date`.
fn to_json(value: &JsValue) -> Option<JsValue> {
    let method: Function = Reflect::get(value, &"toJSON".into()).ok()?.dyn_into().ok()?;
    method.call0(value).ok()
}

/// Whole numbers become integers of JSON, so that they can be deserialized as integers.
fn read_number(number: f64) -> Value {
    const LARGEST_EXACT: f64 = 9_007_199_254_740_991.0;
    if number.fract() == 0.0 && number.abs() <= LARGEST_EXACT {
        return Value::Number((number as i64).into());
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

/// Reads an option; undefined and null give the default. `name` is its name in the error.
pub(crate) fn option<T: DeserializeOwned + Default>(
    value: &JsValue,
    name: &str,
    code: ErrorCode,
) -> Result<T, Thrown> {
    if value.is_undefined() || value.is_null() {
        return Ok(T::default());
    }
    required(value, name, code)
}

/// Reads a value that has no default. `name` is its name in the error.
pub(crate) fn required<T: DeserializeOwned>(
    value: &JsValue,
    name: &str,
    code: ErrorCode,
) -> Result<T, Thrown> {
    let value =
        read(value).map_err(|error| Thrown::new(error.code(code), &format!("{name} {error}")))?;
    epitome::json::read(&value).map_err(|error| {
        let dot = if error.path().is_empty() { "" } else { "." };
        Thrown::new(code, &format!("{name}{dot}{}: {}", error.path(), error.problem()))
    })
}

/// A message of the app, as the engine knows it.
pub(crate) struct ReadMessage {
    /// One message for each of its steps.
    pub(crate) steps: Vec<Message>,
    /// True if it does not have the form that its format requires.
    pub(crate) malformed: bool,
}

/// Reads one message of the app. `place` is its name in the error.
pub(crate) fn message(
    format: Format,
    id: &MessageId,
    value: &JsValue,
    place: &dyn Display,
) -> Result<ReadMessage, Thrown> {
    let json = read(value).map_err(|error| {
        Thrown::new(error.code(PackageErrorCode::InvalidMessage), &format!("{place} {error}"))
    })?;
    let read = read_message(format, id, &json, place)?;
    let malformed = read.malformed || !ill_formed(value, &json, "").is_empty();
    Ok(ReadMessage { malformed, ..read })
}

/// Reads one message of the app from JSON, which cannot contain a lone surrogate.
pub(crate) fn read_message(
    format: Format,
    id: &MessageId,
    value: &Value,
    place: &dyn Display,
) -> Result<ReadMessage, Thrown> {
    let reading = format.read(id, value);
    let reading = reading.map_err(|error| {
        Thrown::new(PackageErrorCode::InvalidMessage, &format!("{place}: {error}"))
    })?;
    let malformed = format.is_malformed(value, &reading);
    Ok(ReadMessage { steps: reading.messages, malformed })
}

/// Reads the messages of an array as JSON.
pub(crate) fn messages(list: &Array, first: usize) -> Result<Vec<Value>, Thrown> {
    let read = list.iter().enumerate().map(|(index, value)| {
        read(&value).map_err(|error| {
            let code = error.code(PackageErrorCode::InvalidMessage);
            Thrown::new(code, &format!("messages[{}] {error}", first + index))
        })
    });
    read.collect()
}

/// A JavaScript value and the JSON that it was read as.
pub(crate) type Known = (JsValue, Value);

/// The paths of the strings in a value that contain a lone surrogate. `json` is the result of reading the value. Only if it
/// contains U+FFFD, which replaces such a surrogate, the value itself is searched, which takes several times as long.
pub(crate) fn ill_formed(value: &JsValue, json: &Value, path: &str) -> Vec<String> {
    let mut found = Vec::new();
    if has_replacement(json) {
        find_ill_formed(value, path, 0, &mut found);
    }
    found
}

/// True if a text in the JSON contains U+FFFD.
pub(crate) fn has_replacement(json: &Value) -> bool {
    match json {
        Value::String(text) => text.contains(char::REPLACEMENT_CHARACTER),
        Value::Array(elements) => elements.iter().any(has_replacement),
        Value::Object(fields) => fields.values().any(has_replacement),
        _ => false,
    }
}

fn find_ill_formed(value: &JsValue, path: &str, depth: u32, found: &mut Vec<String>) {
    if let Some(text) = value.dyn_ref::<JsString>() {
        if !text.is_valid_utf16() {
            found.push(path.to_owned());
        }
    } else if depth > DEEPEST || !value.is_object() || byte_length(value).is_some() {
        // It contains no text, or it contains itself.
    } else if is_array(value).unwrap_or_default() {
        for index in 0..length_of(value) {
            let Ok(item) = Reflect::get_u32(value, index) else { continue };
            find_ill_formed(&item, &format!("{path}[{index}]"), depth + 1, found);
        }
    } else {
        for key in keys_of(value).unwrap_or_default().iter().filter_map(|key| key.as_string()) {
            let Ok(field) = Reflect::get(value, &JsValue::from_str(&key)) else { continue };
            let dot = if path.is_empty() { "" } else { "." };
            find_ill_formed(&field, &format!("{path}{dot}{key}"), depth + 1, found);
        }
    }
}

/// True if the JSON stands for bytes that were not copied.
pub(crate) fn has_bytes(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.contains_key("$bytes") || fields.values().any(has_bytes),
        Value::Array(elements) => elements.iter().any(has_bytes),
        _ => false,
    }
}

/// Writes JSON that was composed from known values. A part that equals a part of a known value becomes that part itself, with
/// its bytes and objects, unless it contains a lone surrogate. All other parts are written as new values.
pub(crate) fn graft(known: &[Known], composed: &Value) -> Result<JsValue, Thrown> {
    let same = known.iter().find(|(_, value)| value == composed);
    if let Some((own, _)) = same.filter(|(own, json)| ill_formed(own, json, "").is_empty()) {
        return Ok(own.clone());
    }
    match composed {
        Value::Array(elements) => {
            let known: Vec<Known> = known.iter().flat_map(elements_of).collect();
            elements
                .iter()
                .map(|element| graft(&known, element))
                .collect::<Result<Array, _>>()
                .map(Into::into)
        }
        Value::Object(fields) => {
            let object = Object::new();
            // Setting and deleting a property of a new object cannot fail.
            if let Some((own, before)) = nearest(known, fields) {
                Object::assign(&object, own.unchecked_ref());
                if before.contains_key(PROTOTYPE) {
                    // `assign` has also copied this property, which made its value the prototype of the copy.
                    Object::set_prototype_of(&object, &Object::get_prototype_of(&Object::new()));
                }
                for key in before.keys().filter(|key| !fields.contains_key(*key)) {
                    let _ = Reflect::delete_property(&object, &key.into());
                }
            }
            for (key, field) in fields {
                let of_key: Vec<Known> =
                    known.iter().filter_map(|known| field_of(known, key)).collect();
                put(&object, key, &graft(&of_key, field)?);
            }
            Ok(object.into())
        }
        Value::Null => Ok(JsValue::NULL),
        Value::Bool(truth) => Ok((*truth).into()),
        Value::Number(number) => Ok(number.as_f64().map_or(JsValue::NULL, Into::into)),
        Value::String(text) => Ok(text.as_str().into()),
    }
}

/// The key by which an assignment sets the prototype of an object and not a property.
const PROTOTYPE: &str = "__proto__";

/// Sets a property of a plain object, for any key.
fn put(object: &Object, key: &str, value: &JsValue) {
    // These calls cannot fail for a new object.
    if key != PROTOTYPE {
        let _ = Reflect::set(object, &key.into(), value);
        return;
    }
    let descriptor = Object::new();
    let _ = Reflect::set(&descriptor, &"value".into(), value);
    for attribute in ["writable", "enumerable", "configurable"] {
        let _ = Reflect::set(&descriptor, &attribute.into(), &true.into());
    }
    Object::define_property(object, &key.into(), &descriptor);
}

/// The known object with the most equal fields. Properties that JSON cannot hold are taken from it.
fn nearest<'a>(
    known: &'a [Known],
    fields: &Map<String, Value>,
) -> Option<(&'a JsValue, &'a Map<String, Value>)> {
    let plain = known.iter().filter(|(own, _)| to_json(own).is_none());
    let objects = plain.filter_map(|(own, value)| Some((own, value.as_object()?)));
    let same = |before: &Map<String, Value>| {
        fields.iter().filter(|(key, field)| before.get(*key) == Some(*field)).count()
    };
    let counted = objects.map(|(own, before)| (same(before), own, before));
    let best = counted.filter(|(same, ..)| *same > 0).max_by_key(|(same, ..)| *same)?;
    Some((best.1, best.2))
}

fn elements_of((own, value): &Known) -> Vec<Known> {
    let (Some(own), Value::Array(elements)) = (own.dyn_ref::<Array>(), value) else {
        return Vec::new();
    };
    own.iter().zip(elements.iter().cloned()).collect()
}

fn field_of((own, value): &Known, key: &str) -> Option<Known> {
    let field = value.as_object()?.get(key)?.clone();
    let json = to_json(own);
    Some((Reflect::get(json.as_ref().unwrap_or(own), &key.into()).ok()?, field))
}

/// Writes a value that the engine also stores as JSON, such as a policy. It is written as text first, so that the module
/// contains one serializer for it instead of two.
pub(crate) fn write(value: &impl Serialize) -> Result<JsValue, Thrown> {
    let json = serde_json::to_string(value);
    let json = json.map_err(|error| Thrown::new(PackageErrorCode::Internal, &error))?;
    JSON::parse(&json).map_err(|_| Thrown::new(PackageErrorCode::Internal, &"this is not JSON"))
}
