//! The parts of a `tokenizer.json` that counting needs, as they are in the file.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::alphabet;
use super::error::TokenizerJsonError;

/// A file, without the added tokens and the post-processor: those do not affect plain text.
#[derive(Deserialize)]
pub(super) struct File {
    #[serde(default)]
    pub(super) normalizer: Value,
    #[serde(default)]
    pub(super) pre_tokenizer: Value,
    pub(super) model: Model,
}

/// The model, of any type.
#[derive(Deserialize)]
pub(super) struct Model {
    /// Old files of byte-pair encodings do not have a type.
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    #[serde(default)]
    pub(super) vocab: Vocab,
    pub(super) merges: Option<Vec<Merge>>,
    #[serde(default)]
    pub(super) dropout: Value,
    #[serde(default)]
    pub(super) continuing_subword_prefix: Value,
    #[serde(default)]
    pub(super) end_of_word_suffix: Value,
    #[serde(default)]
    pub(super) byte_fallback: Value,
    #[serde(default)]
    pub(super) ignore_merges: Value,
}

/// The tokens that are written in the byte-level alphabet, with their numbers. Text cannot have any other token.
#[derive(Default)]
pub(super) struct Vocab(pub(super) Vec<(Vec<u8>, u32)>);

/// A line of the list of merges.
pub(super) enum Merge {
    /// Two tokens that merge into a third.
    Pair(Vec<u8>, Vec<u8>),
    /// One of the two tokens is not written in the byte-level alphabet.
    Foreign,
    /// The version of the format.
    Version,
}

/// Parses the text of a file.
pub(super) fn read(text: &str) -> Result<File, TokenizerJsonError> {
    serde_json::from_str(text)
        .map_err(|error| TokenizerJsonError::Malformed { problem: error.to_string() })
}

impl<'de> Deserialize<'de> for Vocab {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Tokens;
        impl<'de> Visitor<'de> for Tokens {
            type Value = Vocab;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the tokens of a vocabulary")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vocab, A::Error> {
                let mut tokens = Vec::new();
                while let Some((token, number)) = map.next_entry::<Letters, u32>()? {
                    if let Letters(Some(bytes)) = token {
                        tokens.push((bytes, number));
                    }
                }
                Ok(Vocab(tokens))
            }

            // Other models have a list here. It is skipped, so that the error is about the type of the model.
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vocab, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Vocab::default())
            }
        }
        deserializer.deserialize_any(Tokens)
    }
}

impl<'de> Deserialize<'de> for Merge {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pair;
        impl<'de> Visitor<'de> for Pair {
            type Value = Merge;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("two tokens, with a space between or as a list")
            }

            fn visit_str<E: Error>(self, line: &str) -> Result<Merge, E> {
                if line.starts_with("#version") {
                    return Ok(Merge::Version);
                }
                let (left, right) = line
                    .split_once(' ')
                    .filter(|(_, right)| !right.contains(' '))
                    .ok_or_else(|| E::custom(format_args!("{line:?} is not two tokens")))?;
                Ok(merge(alphabet::bytes(left), alphabet::bytes(right)))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Merge, A::Error> {
                let short = |count| A::Error::invalid_length(count, &self);
                let Letters(left) = list.next_element()?.ok_or_else(|| short(0))?;
                let Letters(right) = list.next_element()?.ok_or_else(|| short(1))?;
                match list.next_element::<IgnoredAny>()? {
                    Some(_) => Err(short(3)),
                    None => Ok(merge(left, right)),
                }
            }
        }
        deserializer.deserialize_any(Pair)
    }
}

fn merge(left: Option<Vec<u8>>, right: Option<Vec<u8>>) -> Merge {
    match (left, right) {
        (Some(left), Some(right)) => Merge::Pair(left, right),
        _ => Merge::Foreign,
    }
}

/// The bytes of a token.
// Decoded from the borrowed string: a copy of each of 200,000 tokens would cost several milliseconds.
struct Letters(Option<Vec<u8>>);

impl<'de> Deserialize<'de> for Letters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Token;
        impl Visitor<'_> for Token {
            type Value = Letters;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a token")
            }

            fn visit_str<E: Error>(self, token: &str) -> Result<Letters, E> {
                Ok(Letters(alphabet::bytes(token)))
            }
        }
        deserializer.deserialize_str(Token)
    }
}
