//! Text that may be a key: it can be sent, and never be printed.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// What errors and `{:?}` show in place of a secret.
pub(crate) const HIDDEN: &str = "[key]";

/// Text that may be a key. It cannot be printed or serialized, and `{:?}` shows `[key]`. A value of a wrong type is refused
/// without being quoted.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// Headers whose values may be keys. Deserializes from an object of texts, and quotes no value if it is another one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SecretHeaders(pub Vec<(String, Secret)>);

impl Secret {
    /// The text itself, without white space around it: for the request, and to find it in what a server says.
    pub(crate) fn reveal(&self) -> &str {
        self.0.trim()
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The errors of serde quote the value that they refuse.
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(text)),
            _ => Err(D::Error::custom("expected a text")),
        }
    }
}

impl<'de> Deserialize<'de> for SecretHeaders {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Value::Object(fields) = Value::deserialize(deserializer)? else {
            return Err(D::Error::custom("expected an object with a text for each header"));
        };
        let headers = fields.into_iter().map(|(name, value)| match value {
            Value::String(text) => Ok((name, Secret(text))),
            _ => Err(D::Error::custom(format!("expected a text for the header `{name}`"))),
        });
        headers.collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn j4_a_secret_is_not_printed() {
        let headers = SecretHeaders(vec![("x-a".into(), "sk-12345678".into())]);
        assert_eq!(format!("{headers:?}"), r#"SecretHeaders([("x-a", [key])])"#);
    }

    #[test]
    fn j4_a_key_of_a_wrong_type_is_not_quoted() {
        for value in [json!(12_345_678), json!(["sk-12345678"]), json!({ "a": "sk-12345678" })] {
            let error = serde_json::from_value::<Secret>(value).unwrap_err().to_string();
            assert_eq!(error, "expected a text");
        }
        for value in [json!("sk-12345678"), json!(12_345_678), json!(["sk-12345678"])] {
            let error = serde_json::from_value::<SecretHeaders>(value).unwrap_err().to_string();
            assert_eq!(error, "expected an object with a text for each header");
        }
        let value = json!({ "x-a": 12_345_678 });
        let error = serde_json::from_value::<SecretHeaders>(value).unwrap_err().to_string();
        assert_eq!(error, "expected a text for the header `x-a`");
    }
}
