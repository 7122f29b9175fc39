//! What counts tokens: an estimate, characters, or the encoding of a model.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What counts tokens. A provider's own count, where one is told, goes before all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Counting {
    /// The host's own estimate.
    #[default]
    Estimate,
    /// So many characters make a token.
    CharactersPerToken(u32),
    /// An encoding counts exactly; the host brings its vocabulary.
    Encoding(Encoding),
}

impl Counting {
    /// The encoding that counts, where one does.
    pub fn encoding(self) -> Option<Encoding> {
        match self {
            Self::Encoding(encoding) => Some(encoding),
            Self::Estimate | Self::CharactersPerToken(_) => None,
        }
    }
}

/// A byte-pair encoding that models read text in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    }
}
