//! What counts tokens.

use epitome::policy;
use serde::Serialize;
use tsify::Tsify;

/// What counts tokens. A provider's own count, where one is told, goes before all of them.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum Counting {
    /// The package's own estimate, for the models that the policy's `model` or the format of the messages
    /// tells of.
    Estimate,
    /// The package's own estimate, for these models.
    #[serde(rename = "estimate")]
    EstimateFor(Family),
    /// So many characters make a token.
    CharactersPerToken(u32),
    /// An encoding counts exactly, by its vocabulary: see `loadEncoding`.
    Encoding(Encoding),
    /// The tokenizer of this name counts exactly: see `loadTokenizer`, and the option `tokenizers`.
    Tokenizer(String),
}

/// Models whose tokens are estimated alike: OpenAI's, as those since GPT-4o count, and whatever is not known;
/// OpenAI's GPT-4, GPT-3.5 and embeddings; Anthropic's; Google's.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
pub enum Family {
    /// OpenAI's models, as those since GPT-4o count, and whatever is not known.
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

/// A byte-pair encoding that models read text in: `o200k_base` is that of GPT-4o and the OpenAI models
/// after it, `cl100k_base` that of GPT-4 and GPT-3.5.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
pub enum Encoding {
    /// That of GPT-4o and the OpenAI models after it.
    #[serde(rename = "o200k_base")]
    O200kBase,
    /// That of GPT-4 and GPT-3.5.
    #[serde(rename = "cl100k_base")]
    Cl100kBase,
}

impl From<policy::Counting> for Counting {
    fn from(counting: policy::Counting) -> Self {
        match counting {
            policy::Counting::Estimate => Self::Estimate,
            policy::Counting::EstimateFor(family) => Self::EstimateFor(family.into()),
            policy::Counting::CharactersPerToken(number) => Self::CharactersPerToken(number),
            policy::Counting::Encoding(encoding) => Self::Encoding(encoding.into()),
            policy::Counting::Tokenizer(name) => Self::Tokenizer(name),
        }
    }
}

impl From<policy::Family> for Family {
    fn from(family: policy::Family) -> Self {
        match family {
            policy::Family::O200kBase => Self::O200kBase,
            policy::Family::Cl100kBase => Self::Cl100kBase,
            policy::Family::Claude => Self::Claude,
            policy::Family::Gemini => Self::Gemini,
        }
    }
}

impl From<policy::Encoding> for Encoding {
    fn from(encoding: policy::Encoding) -> Self {
        match encoding {
            policy::Encoding::O200kBase => Self::O200kBase,
            policy::Encoding::Cl100kBase => Self::Cl100kBase,
        }
    }
}
