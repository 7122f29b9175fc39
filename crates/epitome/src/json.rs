//! Reads types from parsed JSON, and names the field at which a value is wrong; writes types as JSON.
//!
//! serde makes code for each type and each deserializer that it is read by. All types of the engine are read by this one, so that
//! a wasm module has that code once. For the same reason, an object is only read by the names of its fields, and the types have no
//! internal tags and flattened fields, which serde reads by deserializers of its own. All types are written as text, so that there
//! is one serializer too.

use std::fmt::{self, Display};

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, Expected, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::{Serialize, forward_to_deserialize_any};
use serde_json::{Map, Value};

/// Reads a value. Linear in it.
pub fn read<T: DeserializeOwned>(value: &Value) -> Result<T, Misread> {
    T::deserialize(Reader(value))
}

/// Writes a value as JSON that can be changed. Linear in it.
pub fn write(value: &impl Serialize) -> serde_json::Result<Value> {
    serde_json::from_str(&serde_json::to_string(value)?)
}

/// Why a value cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
// Boxed, because most functions of a deserializer return it.
pub struct Misread(Box<Place>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    path: String,
    problem: String,
}

impl Misread {
    /// The path of the field, such as `triggers[0].tokens`; empty if it is the value itself.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// What is wrong there.
    pub fn problem(&self) -> &str {
        &self.0.problem
    }

    /// The same for a value that is this field of another one.
    #[must_use]
    pub fn in_field(mut self, name: &str) -> Self {
        let inner = &self.0.path;
        let dot = if inner.is_empty() || inner.starts_with('[') { "" } else { "." };
        self.0.path = [name, dot, inner].concat();
        self
    }

    fn at(mut self, index: usize) -> Self {
        let inner = &self.0.path;
        let dot = if inner.is_empty() || inner.starts_with('[') { "" } else { "." };
        self.0.path = format!("[{index}]{dot}{inner}");
        self
    }
}

impl Display for Misread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path() {
            "" => f.write_str(self.problem()),
            path => write!(f, "{path}: {}", self.problem()),
        }
    }
}

impl std::error::Error for Misread {}

impl Error for Misread {
    fn custom<T: Display>(problem: T) -> Self {
        Self(Box::new(Place { path: String::new(), problem: problem.to_string() }))
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        match unexpected {
            Unexpected::Unit => {
                Self::custom(format_args!("invalid type: null, expected {expected}"))
            }
            other => Self::custom(format_args!("invalid type: {other}, expected {expected}")),
        }
    }
}

/// Reads a value by serde.
struct Reader<'a>(&'a Value);

impl Reader<'_> {
    fn refuse(&self, expected: &dyn Expected) -> Misread {
        Misread::invalid_type(unexpected(self.0), expected)
    }
}

fn unexpected(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(truth) => Unexpected::Bool(*truth),
        Value::Number(number) => {
            if let Some(number) = number.as_u64() {
                Unexpected::Unsigned(number)
            } else if let Some(number) = number.as_i64() {
                Unexpected::Signed(number)
            } else {
                Unexpected::Float(number.as_f64().unwrap_or(f64::NAN))
            }
        }
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    }
}

fn number<'de, V: Visitor<'de>>(reader: &Reader<'_>, visitor: V) -> Result<V::Value, Misread> {
    match unexpected(reader.0) {
        Unexpected::Unsigned(number) => visitor.visit_u64(number),
        Unexpected::Signed(number) => visitor.visit_i64(number),
        Unexpected::Float(number) => visitor.visit_f64(number),
        _ => Err(reader.refuse(&visitor)),
    }
}

macro_rules! numbers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
            number(&self, visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = Misread;

    /// Only for what can be any JSON, such as [`Value`] itself.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(truth) => visitor.visit_bool(*truth),
            Value::Number(_) => number(&self, visitor),
            Value::String(text) => visitor.visit_str(text),
            Value::Array(items) => visitor.visit_seq(Items::of(items)),
            Value::Object(fields) => visitor.visit_map(Fields::of(fields)),
        }
    }

    numbers! {
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_f32 deserialize_f64
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match self.0 {
            Value::Bool(truth) => visitor.visit_bool(*truth),
            _ => Err(self.refuse(&visitor)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match self.0 {
            Value::String(text) => visitor.visit_str(text),
            _ => Err(self.refuse(&visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        self.deserialize_str(visitor)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            _ => Err(self.refuse(&visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misread> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match self.0 {
            Value::Array(items) => visitor.visit_seq(Items::of(items)),
            _ => Err(self.refuse(&visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Misread> {
        match self.0 {
            Value::Array(items) if items.len() > length => {
                Err(Misread::invalid_length(items.len(), &visitor))
            }
            _ => self.deserialize_seq(visitor),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match self.0 {
            Value::Object(fields) => visitor.visit_map(Fields::of(fields)),
            _ => Err(self.refuse(&visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misread> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misread> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(Variant { name, content: None }),
            Value::Object(fields) => match fields.iter().next() {
                Some((name, content)) if fields.len() == 1 => {
                    visitor.visit_enum(Variant { name, content: Some(content) })
                }
                _ => Err(Misread::invalid_value(Unexpected::Map, &"map with a single key")),
            },
            _ => Err(self.refuse(&"string or map")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i128 u128 char bytes byte_buf unit_struct tuple_struct
    }
}

/// The elements of an array.
struct Items<'a> {
    items: std::iter::Enumerate<std::slice::Iter<'a, Value>>,
}

impl<'a> Items<'a> {
    fn of(items: &'a [Value]) -> Self {
        Self { items: items.iter().enumerate() }
    }
}

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Misread;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Misread> {
        let Some((index, item)) = self.items.next() else { return Ok(None) };
        seed.deserialize(Reader(item)).map(Some).map_err(|error| error.at(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// The fields of an object.
struct Fields<'a> {
    fields: serde_json::map::Iter<'a>,
    /// The field whose name was read.
    field: Option<(&'a str, &'a Value)>,
}

impl<'a> Fields<'a> {
    fn of(fields: &'a Map<String, Value>) -> Self {
        Self { fields: fields.iter(), field: None }
    }
}

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = Misread;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Misread> {
        self.field = self.fields.next().map(|(name, value)| (name.as_str(), value));
        let Some((name, _)) = self.field else { return Ok(None) };
        let key = seed.deserialize(StrDeserializer::new(name));
        key.map(Some).map_err(|error: Misread| error.in_field(name))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Misread> {
        let (name, value) = self.field.take().unwrap_or(("", &Value::Null));
        seed.deserialize(Reader(value)).map_err(|error| error.in_field(name))
    }
}

/// A variant of an enum: its name alone, or with its content.
struct Variant<'a> {
    name: &'a str,
    content: Option<&'a Value>,
}

impl Variant<'_> {
    fn content(&self, expected: &str) -> Result<Reader<'_>, Misread> {
        let missing = || Misread::invalid_type(Unexpected::UnitVariant, &expected);
        self.content.map(Reader).ok_or_else(missing)
    }

    fn locate<T>(&self, read: Result<T, Misread>) -> Result<T, Misread> {
        read.map_err(|error| error.in_field(self.name))
    }
}

impl<'de> EnumAccess<'de> for Variant<'_> {
    type Error = Misread;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Misread> {
        let name = StrDeserializer::<Misread>::new(self.name);
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_> {
    type Error = Misread;

    fn unit_variant(self) -> Result<(), Misread> {
        match self.content {
            None | Some(Value::Null) => Ok(()),
            Some(value) => self.locate(Err(Reader(value).refuse(&"unit variant"))),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Misread> {
        let content = self.content("newtype variant")?;
        self.locate(seed.deserialize(content))
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Misread> {
        let content = self.content("tuple variant")?;
        self.locate(content.deserialize_tuple(length, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misread> {
        let content = self.content("struct variant")?;
        self.locate(content.deserialize_map(visitor))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Garden {
        beds: Vec<Bed>,
        #[serde(default)]
        height: Option<f64>,
        #[serde(default)]
        notes: BTreeMap<String, Value>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "camelCase")]
    enum Bed {
        Empty,
        Roses(u32),
        Herbs { names: (String, i8) },
    }

    #[test]
    fn values_of_all_kinds_are_read() {
        let garden = json!({
            "beds": ["empty", { "roses": 3 }, { "herbs": { "names": ["thyme", -1] } }],
            "height": 2,
            "notes": { "a": null, "b": [true, 1.5, "x", { "c": 1 }] },
        });
        let read: Garden = read(&garden).unwrap();
        let herbs = Bed::Herbs { names: ("thyme".into(), -1) };
        assert_eq!(read.beds, [Bed::Empty, Bed::Roses(3), herbs]);
        assert_eq!(read.height, Some(2.0));
        assert_eq!(read.notes["b"], garden["notes"]["b"]);
    }

    #[test]
    fn errors_name_the_path_and_say_the_same_as_those_of_serde_json() {
        let check = |value: Value, path: &str| {
            let error = read::<Garden>(&value).unwrap_err();
            assert_eq!(error.path(), path, "{error}");
            let known = serde_json::from_value::<Garden>(value).unwrap_err().to_string();
            assert_eq!(error.problem(), known);
        };
        check(json!(null), "");
        check(json!({}), "");
        check(json!({ "beds": {} }), "beds");
        check(json!({ "beds": [], "trees": 1 }), "trees");
        check(json!({ "beds": ["full"] }), "beds[0]");
        check(json!({ "beds": [7] }), "beds[0]");
        check(json!({ "beds": [{}] }), "beds[0]");
        check(json!({ "beds": ["empty", { "roses": -3 }] }), "beds[1].roses");
        check(json!({ "beds": [{ "roses": 1.5 }] }), "beds[0].roses");
        check(json!({ "beds": ["roses"] }), "beds[0]");
        check(
            json!({ "beds": [{ "herbs": { "names": ["thyme", "x"] } }] }),
            "beds[0].herbs.names[1]",
        );
        check(json!({ "beds": [{ "herbs": { "names": ["thyme"] } }] }), "beds[0].herbs.names");
        check(json!({ "beds": [], "height": "high" }), "height");
    }
}
