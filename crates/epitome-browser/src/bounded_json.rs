//! Parses JSON of a server up to a number of values, so that no answer takes long.
//!
//! A megabyte of `[],[],[]` takes as long as fifty megabytes of text, and is of no use to anybody.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::surrogate::replace_lone_surrogates;

/// The value of a text; `None` if it is not JSON, or has more values than this. If it fails because of lone surrogates, which
/// no JSON parser for UTF-8 accepts, they are replaced.
pub(crate) fn parse(text: &str, most_values: usize) -> Option<Value> {
    let parsed = parse_once(text, most_values);
    if parsed.is_some() || !(text.contains("\\ud") || text.contains("\\uD")) {
        return parsed;
    }
    parse_once(&replace_lone_surrogates(text), most_values)
}

fn parse_once(text: &str, most_values: usize) -> Option<Value> {
    let left = Cell::new(most_values);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Bounded { left: &left }.deserialize(&mut deserializer).ok()?;
    deserializer.end().is_ok().then_some(value)
}

/// Builds a value as long as there are some left.
#[derive(Clone, Copy)]
struct Bounded<'a> {
    left: &'a Cell<usize>,
}

impl<'de> DeserializeSeed<'de> for Bounded<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let left = self.left.get().checked_sub(1);
        self.left.set(left.ok_or_else(|| D::Error::custom("too many values"))?);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Bounded<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element_seed(self)? {
            list.push(element);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            object.insert(name, fields.next_value_seed(self)?);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_read_as_serde_reads_it() {
        for text in [
            r#"{"a":[1,-2,3.5,1e30,true,false,null,"\u00e9\n"],"b":{"a":{},"c":[]},"a":2}"#,
            "18446744073709551615",
            " \"text\" ",
        ] {
            assert_eq!(parse(text, 20), serde_json::from_str(text).ok(), "{text}");
        }
        for text in ["", "{", "[1,]", "{} {}", "nul", "\"\n\""] {
            assert_eq!(parse(text, 20), None, "{text}");
        }
    }

    #[test]
    fn lone_surrogates_are_replaced() {
        assert_eq!(parse(r#""a\uD83D""#, 1), Some("a\u{fffd}".into()));
        assert_eq!(parse(r#""a\ud83d\ude00""#, 1), Some("a😀".into()));
        assert_eq!(parse(r#"["a\ud83d""#, 9), None);
    }

    #[test]
    fn j5_reading_ends_after_so_many_values() {
        assert!(parse("[[],[],{}]", 4).is_some());
        assert_eq!(parse("[[],[],{}]", 3), None);
        assert_eq!(parse(r#"{"a":1,"b":2}"#, 2), None);
        // What comes after the limit is not read: it is not JSON.
        let left = Cell::new(2);
        let text = format!("[1,2,{}", "x".repeat(9));
        let mut deserializer = serde_json::Deserializer::from_str(&text);
        let error = Bounded { left: &left }.deserialize(&mut deserializer).unwrap_err();
        assert!(error.to_string().starts_with("too many values"), "{error}");
    }
}
