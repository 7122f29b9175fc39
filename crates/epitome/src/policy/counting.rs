//! What counts tokens: an estimate, characters, or the encoding or tokenizer of a model.

use std::fmt;

use serde::de::{Error, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// What counts tokens. A provider's own count, where one is told, goes before all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum Counting {
    /// The host's own estimate, for the models that the policy's `model` or the format of the messages tells of.
    #[default]
    Estimate,
    /// The host's own estimate, for these models.
    #[serde(rename = "estimate")]
    EstimateFor(Family),
    /// So many characters make a token.
    CharactersPerToken(u32),
    /// An encoding counts exactly; the host brings its vocabulary.
    Encoding(Encoding),
    /// The tokenizer of this name counts exactly; the host brings it.
    Tokenizer(String),
}

/// Written out, for `estimate` stands alone or with a family.
impl<'de> Deserialize<'de> for Counting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Written)
    }
}

struct Written;

impl<'de> Visitor<'de> for Written {
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
    /// The encoding that counts, where one does.
    pub fn encoding(&self) -> Option<Encoding> {
        match self {
            Self::Encoding(encoding) => Some(*encoding),
            _ => None,
        }
    }
}

/// Models whose tokens are estimated alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub enum Family {
    /// OpenAI's models, as those since GPT-4o count, and whatever is not known.
    #[default]
    #[serde(rename = "o200k_base")]
    O200kBase,
    /// OpenAI's GPT-4, GPT-3.5 and embeddings.
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
    /// The family of a model by its name, such as `anthropic/claude-sonnet-4-5`; `None` where the name does not
    /// tell.
    pub fn of_model(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let is = |marks: &[&str]| marks.iter().any(|mark| name.contains(mark));
        Some(match () {
            () if is(&["claude"]) => Self::Claude,
            () if is(&["gemini", "gemma"]) => Self::Gemini,
            () if is(&["gpt-4o", "gpt-4."]) => Self::O200kBase,
            () if is(&["gpt-4", "gpt-3.5", "gpt-35", "text-embedding"]) => Self::Cl100kBase,
            () if is(&["gpt"]) => Self::O200kBase,
            () => return None,
        })
    }
}

/// A byte-pair encoding that models read text in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub enum Encoding {
    /// That of GPT-4o and the OpenAI models after it.
    #[serde(rename = "o200k_base")]
    O200kBase,
    /// That of GPT-4 and GPT-3.5.
    #[serde(rename = "cl100k_base")]
    Cl100kBase,
}

impl Encoding {
    /// Every encoding, the latest first.
    pub const ALL: [Self; 2] = [Self::O200kBase, Self::Cl100kBase];

    /// The encoding's name, which its vocabulary's file is called by.
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
    fn b1_what_counts_is_a_choice() {
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
    fn b1_an_estimate_is_of_a_family() {
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
    fn a_models_name_tells_its_family() {
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
    fn b1_an_agent_counts_in_its_own_way() {
        let text = r#"{ "counting": { "encoding": "o200k_base" },
                        "agents": { "coder": { "counting": { "charactersPerToken": 4 } } } }"#;
        let spec: PolicySpec = serde_json::from_str(text).unwrap();
        let coder = spec.resolve_for("coder").map(|policy| policy.counting);
        assert_eq!(coder, Ok(Counting::CharactersPerToken(4)));
    }

    #[test]
    fn what_counts_nothing_is_refused_with_what_there_is() {
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
