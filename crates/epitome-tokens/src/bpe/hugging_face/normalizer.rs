//! Reads the `normalizer` of a file: how a text is normalized before it is split.

use std::borrow::Cow;

use serde_json::Value;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::error::TokenizerJsonError;

/// How a text is normalized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Normalizer {
    /// Not at all.
    Nothing,
    /// Unicode NFC: a letter and its accents become one character, if Unicode has one. Takes linear time, except that
    /// each run of accents is sorted.
    Nfc,
}

impl Normalizer {
    /// The normalizer of `value`, the `normalizer` of a file.
    pub(super) fn read(value: &Value) -> Result<Self, TokenizerJsonError> {
        Self::read_at(value, "normalizer")
    }

    fn read_at(value: &Value, place: &str) -> Result<Self, TokenizerJsonError> {
        if value.is_null() {
            return Ok(Self::Nothing);
        }
        match value.get("type").and_then(Value::as_str) {
            Some("NFC") => Ok(Self::Nfc),
            Some("Sequence") => {
                let mut found = Self::Nothing;
                let steps = value.get("normalizers").and_then(Value::as_array);
                for (at, step) in steps.into_iter().flatten().enumerate() {
                    // NFC twice is the same as once, so a sequence needs no list.
                    if Self::read_at(step, &format!("{place}.normalizers[{at}]"))? == Self::Nfc {
                        found = Self::Nfc;
                    }
                }
                Ok(found)
            }
            Some(other) => {
                Err(TokenizerJsonError::unsupported(&format!("{place}.type"), &other, KNOWN))
            }
            None => Err(TokenizerJsonError::unsupported(place, value, KNOWN)),
        }
    }

    /// The normalized text. Borrowed if normalizing does not change it.
    pub(super) fn of(self, text: &str) -> Cow<'_, str> {
        match self {
            // Nearly all text is in NFC already, and the quick check is several times as fast as normalizing.
            Self::Nfc if !text.is_ascii() && is_nfc_quick(text.chars()) != IsNormalized::Yes => {
                Cow::Owned(text.nfc().collect())
            }
            Self::Nfc | Self::Nothing => Cow::Borrowed(text),
        }
    }
}

const KNOWN: &str = "NFC, Sequence, and none";

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expected: Result<Normalizer, &str>) {
        let found = Normalizer::read(&serde_json::from_str(json).unwrap());
        assert_eq!(found.map_err(|error| error.to_string()), expected.map_err(str::to_owned));
    }

    #[test]
    fn nfc_is_supported_alone_and_in_a_sequence() {
        check("null", Ok(Normalizer::Nothing));
        check(r#"{ "type": "NFC" }"#, Ok(Normalizer::Nfc));
        check(r#"{ "type": "Sequence", "normalizers": [] }"#, Ok(Normalizer::Nothing));
        check(r#"{ "type": "Sequence", "normalizers": [{ "type": "NFC" }] }"#, Ok(Normalizer::Nfc));
    }

    #[test]
    fn other_normalizers_are_errors_that_name_them() {
        check(
            r#"{ "type": "NFKC" }"#,
            Err("normalizer.type: NFKC is not known; known are NFC, Sequence, and none"),
        );
        check(
            r#"{ "type": "Sequence", "normalizers": [{ "type": "NFC" }, { "type": "Lowercase" }] }"#,
            Err(
                "normalizer.normalizers[1].type: Lowercase is not known; known are NFC, Sequence, and none",
            ),
        );
        check("7", Err("normalizer: 7 is not known; known are NFC, Sequence, and none"));
    }

    #[test]
    fn nfc_composes_a_letter_and_its_accent() {
        assert_eq!(Normalizer::Nfc.of("cafe\u{301} ＡＢ"), "café ＡＢ");
        assert_eq!(Normalizer::Nothing.of("cafe\u{301}"), "cafe\u{301}");
    }
}
