//! A JavaScript value as JSON, with the eyes of `JSON.stringify`, and JSON as a plain JavaScript value.

use std::fmt;

use epitome::message::{Message, MessageId};
use epitome_formats::Format;
use js_sys::{Array, BigInt, Object, Reflect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};
use wasm_bindgen::{JsCast, JsValue};

use crate::error::{ErrorCode, Thrown};

/// Deeper than any message, and far from the end of the stack: a value that contains itself ends here.
const DEEPEST: u32 = 128;

/// Why a value cannot be read.
#[derive(Debug)]
pub(crate) enum Unreadable {
    /// It is nested too deeply, or contains itself.
    Deep,
    /// One of its properties throws when read.
    Property(String),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deep => write!(f, "is nested deeper than {DEEPEST} levels, or contains itself"),
            Self::Property(name) => {
                write!(f, "has a property {name:?} that throws when it is read")
            }
        }
    }
}

/// Reads a value. Properties that are undefined or functions are left out.
pub(crate) fn read(value: &JsValue) -> Result<Value, Unreadable> {
    read_at(value, 0)
}

fn read_at(value: &JsValue, depth: u32) -> Result<Value, Unreadable> {
    if let Some(text) = value.as_string() {
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
    if let Some(array) = value.dyn_ref::<Array>() {
        let items = array.iter().map(|item| read_at(&item, depth + 1));
        return items.collect::<Result<_, _>>().map(Value::Array);
    }
    if let Some(big) = value.dyn_ref::<BigInt>() {
        return Ok(big.to_string(10).map_or(Value::Null, |digits| Value::String(digits.into())));
    }
    if !value.is_object() {
        return Ok(Value::Null);
    }
    let mut fields = Map::new();
    let object: &Object = value.unchecked_ref();
    for key in Object::keys(object).iter() {
        let name = key.as_string().unwrap_or_default();
        let Ok(field) = Reflect::get(object, &key) else { return Err(Unreadable::Property(name)) };
        if !field.is_undefined() && !field.is_function() && !field.is_symbol() {
            fields.insert(name, read_at(&field, depth + 1)?);
        }
    }
    Ok(Value::Object(fields))
}

/// A whole number as one, so that it can be read as an integer.
fn read_number(number: f64) -> Value {
    const LARGEST_EXACT: f64 = 9_007_199_254_740_991.0;
    if number.fract() == 0.0 && number.abs() <= LARGEST_EXACT {
        return Value::Number((number as i64).into());
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

/// Reads an option, which the error calls `name`. Undefined and null are the default.
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

/// Reads a value that has no default, which the error calls `name`.
pub(crate) fn required<T: DeserializeOwned>(
    value: &JsValue,
    name: &str,
    code: ErrorCode,
) -> Result<T, Thrown> {
    let value = read(value).map_err(|error| Thrown::new(code, &format!("{name} {error}")))?;
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." { name.to_owned() } else { format!("{name}.{path}") };
        Thrown::new(code, &format!("{place}: {}", error.inner()))
    })
}

/// Reads one message; `place` is how the error calls it.
pub(crate) fn message(
    format: Format,
    id: MessageId,
    value: &JsValue,
    place: &str,
) -> Result<Message, Thrown> {
    let invalid = |problem: String| Thrown::new(ErrorCode::InvalidMessage, &problem);
    let value = read(value).map_err(|error| invalid(format!("{place} {error}")))?;
    let reading = format.read(id, &value).map_err(|error| invalid(format!("{place}: {error}")))?;
    Ok(reading.message)
}

/// A copy of an object, which reads as `before`, that reads as `after`. Whatever is the same in both is the
/// object's own value, and whatever cannot be read stays.
pub(crate) fn copy_with(
    original: &JsValue,
    before: &Value,
    after: &Value,
) -> Result<JsValue, Thrown> {
    let (Some(before), Some(after)) = (before.as_object(), after.as_object()) else {
        return Ok(original.clone());
    };
    let copy = Object::assign(&Object::new(), original.unchecked_ref());
    // A new object takes any property, and lets go of it.
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        let _ = Reflect::delete_property(&copy, &key.into());
    }
    for (key, value) in after.iter().filter(|(key, value)| before.get(*key) != Some(*value)) {
        let _ = Reflect::set(&copy, &key.into(), &write(value)?);
    }
    Ok(copy.into())
}

/// Writes a value as plain objects and arrays.
pub(crate) fn write(value: &Value) -> Result<JsValue, Thrown> {
    value
        .serialize(&serde_wasm_bindgen::Serializer::json_compatible())
        .map_err(|error| Thrown::new(ErrorCode::Internal, &error))
}
