//! How tokens are counted: by an estimate, by characters, or by the encoding or tokenizer of a model.

use std::fmt;

use serde::de::{Error, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use strum::EnumCount;

/// How tokens are counted. Tokens that a provider reports are used before any of these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum Counting {
    /// The app's estimate for the family of models that the policy's `model`, or else the format of the messages,
    /// suggests.
    #[default]
    Estimate,
    /// The app's estimate for this family of models.
    #[serde(rename = "estimate")]
    EstimateFor(Family),
    /// A token for this many characters, above 0.
    CharactersPerToken(u32),
    /// Exactly, by this encoding. The app loads its vocabulary.
    Encoding(Encoding),
    /// Exactly, by the tokenizer that the app has loaded under this name.
    Tokenizer(String),
}

/// Not derived, because serde cannot read `estimate` both as a string and as a key with a family.
impl<'de> Deserialize<'de> for Counting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CountingVisitor)
    }
}

struct CountingVisitor;

impl<'de> Visitor<'de> for CountingVisitor {
    type Value = Counting;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "\"estimate\", { \"estimate\": a family }, { \"charactersPerToken\": a number }, \
             { \"encoding\": a name } or { \"tokenizer\": a name }",
        )
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Counting, E> {
        match name {
            "estimate" => Ok(Counting::Estimate),
            _ => Err(E::invalid_value(Unexpected::Str(name), &self)),
        }
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Counting, M::Error> {
        let Some(key) = map.next_key::<String>()? else {
            return Err(M::Error::invalid_length(0, &self));
        };
        let counting = match key.as_str() {
            "estimate" => Counting::EstimateFor(map.next_value()?),
            "charactersPerToken" => Counting::CharactersPerToken(map.next_value()?),
            "encoding" => Counting::Encoding(map.next_value()?),
            "tokenizer" => Counting::Tokenizer(map.next_value()?),
            _ => return Err(M::Error::invalid_value(Unexpected::Str(&key), &self)),
        };
        match map.next_key::<String>()? {
            None => Ok(counting),
            Some(_) => Err(M::Error::invalid_length(2, &self)),
        }
    }
}

impl Counting {
    /// The encoding that counts; `None` if something else does.
    pub fn encoding(&self) -> Option<Encoding> {
        match self {
            Self::Encoding(encoding) => Some(*encoding),
            _ => None,
        }
    }
}

/// A family of models that share one estimate of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub enum Family {
    /// OpenAI's models since GPT-4o, and all models that are not known.
    #[default]
    #[serde(rename = "o200k_base")]
    O200kBase,
    /// OpenAI's GPT-4, GPT-3.5 and embedding models.
    #[serde(rename = "cl100k_base")]
    Cl100kBase,
    /// Anthropic's models.
    #[serde(rename = "claude")]
    Claude,
    /// Google's models.
    #[serde(rename = "gemini")]
    Gemini,
}

impl Family {
    /// The family of a model by its name, such as `anthropic/claude-sonnet-4-5`; `None` if the name does not say.
    /// The order of the cases matters: `gpt-4o` contains `gpt-4`.
    pub fn of_model(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let is = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        Some(match () {
            () if is(&["claude"]) => Self::Claude,
            () if is(&["gemini", "gemma"]) => Self::Gemini,
            // Before the next line, since these names contain `gpt-4`, whose encoding is the older one.
            () if is(&["gpt-4o", "gpt-4."]) => Self::O200kBase,
            () if is(&["gpt-4", "gpt-3.5", "gpt-35", "text-embedding"]) => Self::Cl100kBase,
            () if is(&["gpt"]) => Self::O200kBase,
            () => return None,
        })
    }
}

/// A byte-pair encoding of OpenAI's models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumCount, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub enum Encoding {
    /// The encoding of GPT-4o and later models.
    #[serde(rename = "o200k_base")]
    O200kBase,
    /// The encoding of GPT-4 and GPT-3.5.
    #[serde(rename = "cl100k_base")]
    Cl100kBase,
}

impl Encoding {
    /// Every encoding, the latest first.
    pub const ALL: [Self; Self::COUNT] = [Self::O200kBase, Self::Cl100kBase];

    /// The encoding's name, which is also the file name of its vocabulary.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::PolicySpec;

    fn counting(text: &str) -> Result<Counting, String> {
        let spec: PolicySpec = serde_json::from_str(text).unwrap();
        spec.resolve().map(|policy| policy.counting).map_err(|error| error.to_string())
    }

    #[test]
    fn b1_how_tokens_are_counted_is_a_setting() {
        assert_eq!(counting("{}"), Ok(Counting::Estimate));
        let workstream = r#"{ "preset": "workstream" }"#;
        assert_eq!(counting(workstream), Ok(Counting::CharactersPerToken(3)));
        let estimate = r#"{ "preset": "workstream", "counting": "estimate" }"#;
        assert_eq!(counting(estimate), Ok(Counting::Estimate));
        let characters = r#"{ "counting": { "charactersPerToken": 4 } }"#;
        assert_eq!(counting(characters), Ok(Counting::CharactersPerToken(4)));
        for encoding in Encoding::ALL {
            let text = format!(r#"{{ "counting": {{ "encoding": "{encoding}" }} }}"#);
            assert_eq!(counting(&text), Ok(Counting::Encoding(encoding)));
        }
        let tokenizer = r#"{ "counting": { "tokenizer": "llama" } }"#;
        assert_eq!(counting(tokenizer), Ok(Counting::Tokenizer("llama".to_owned())));
    }

    #[test]
    fn b1_an_estimate_can_be_for_a_family_of_models() {
        for (name, family) in [
            ("o200k_base", Family::O200kBase),
            ("cl100k_base", Family::Cl100kBase),
            ("claude", Family::Claude),
            ("gemini", Family::Gemini),
        ] {
            let text = format!(r#"{{ "counting": {{ "estimate": "{name}" }} }}"#);
            assert_eq!(counting(&text), Ok(Counting::EstimateFor(family)));
            let written = serde_json::to_value(Counting::EstimateFor(family)).unwrap();
            assert_eq!(written, serde_json::json!({ "estimate": name }));
        }
    }

    #[test]
    fn the_family_of_a_model_is_found_by_its_name() {
        let cases = [
            ("anthropic/claude-opus-4.8-fast", Some(Family::Claude)),
            ("us.anthropic.Claude-3-haiku", Some(Family::Claude)),
            ("models/gemini-2.5-pro", Some(Family::Gemini)),
            ("gpt-4o-mini", Some(Family::O200kBase)),
            ("openai/gpt-oss-20b", Some(Family::O200kBase)),
            ("chatgpt-4o-latest", Some(Family::O200kBase)),
            ("gpt-4.1-nano", Some(Family::O200kBase)),
            ("gpt-5", Some(Family::O200kBase)),
            ("openai/gpt-4-turbo", Some(Family::Cl100kBase)),
            ("gpt-4", Some(Family::Cl100kBase)),
            ("gpt-3.5-turbo-0125", Some(Family::Cl100kBase)),
            ("azure/gpt-35-turbo", Some(Family::Cl100kBase)),
            ("text-embedding-3-large", Some(Family::Cl100kBase)),
            ("mistral-large", None),
            ("", None),
        ];
        for (name, family) in cases {
            assert_eq!(Family::of_model(name), family, "{name}");
        }
    }

    #[test]
    fn b1_an_agent_can_count_differently() {
        let text = r#"{ "counting": { "encoding": "o200k_base" },
                        "agents": { "coder": { "counting": { "charactersPerToken": 4 } } } }"#;
        let spec: PolicySpec = serde_json::from_str(text).unwrap();
        let coder = spec.resolve_for("coder").map(|policy| policy.counting);
        assert_eq!(coder, Ok(Counting::CharactersPerToken(4)));
    }

    #[test]
    fn an_unknown_way_of_counting_is_refused_with_the_known_ones() {
        let none = counting(r#"{ "counting": { "charactersPerToken": 0 } }"#).unwrap_err();
        assert!(none.starts_with("policy.counting.charactersPerToken: is 0; give how"), "{none}");
        let unknown = counting(r#"{ "counting": { "encoding": "p50k_base" } }"#).unwrap_err();
        let named = ["policy.counting.encoding: ", "p50k_base", "`o200k_base`", "`cl100k_base`"];
        assert!(named.iter().all(|words| unknown.contains(words)), "{unknown}");
        for other in
            [r#""exact""#, "{}", r#"{ "tokens": 3 }"#, r#"{ "estimate": "gemini", "encoding": 3 }"#]
        {
            let refused = counting(&format!(r#"{{ "counting": {other} }}"#)).unwrap_err();
            assert!(
                refused.contains("expected \"estimate\", { \"estimate\": a family }"),
                "{refused}"
            );
        }
    }
}
