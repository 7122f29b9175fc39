//! What became of the facts in what was summarized.

use epitome::facts;
use serde::Serialize;
use tsify::Tsify;

/// What sort of thing a fact is.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "lowercase")]
pub enum FactKind {
    /// A line of a checklist, or an acceptance criterion.
    Checklist,
    /// A sentence that settles something.
    Decision,
    /// A sentence that rules something out.
    Negation,
    /// An address on the web.
    Url,
    /// A file or a folder.
    Path,
    /// A package with its version.
    Package,
    /// A code, a name of a constant, an e-mail address.
    Identifier,
    /// Wording that somebody put in quotation marks.
    Quote,
    /// A number, with its unit.
    Number,
}

/// A thing found in the messages that a summary stands for.
#[derive(Clone, Debug, Serialize, Tsify)]
pub struct Fact {
    /// What sort of thing it is.
    pub kind: FactKind,
    /// Its wording, as it was found.
    pub text: String,
    /// Who said it first; `earlier` where only an earlier summary has it.
    pub speaker: String,
    /// The messages that have it, by id.
    pub sources: Vec<String>,
}

/// Where each fact of the summarized messages is now.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// In the summary, or in a message that stays.
    pub kept: Vec<Fact>,
    /// Appended to the summary, word for word.
    pub appended: Vec<Fact>,
    /// In none of them: there was no room. Still in the history.
    pub given_up: Vec<Fact>,
    /// Names of the summary that no summarized message has.
    pub unsupported: Vec<String>,
}

impl From<facts::Kind> for FactKind {
    fn from(kind: facts::Kind) -> Self {
        match kind {
            facts::Kind::Checklist => Self::Checklist,
            facts::Kind::Decision => Self::Decision,
            facts::Kind::Negation => Self::Negation,
            facts::Kind::Url => Self::Url,
            facts::Kind::Path => Self::Path,
            facts::Kind::Package => Self::Package,
            facts::Kind::Identifier => Self::Identifier,
            facts::Kind::Quote => Self::Quote,
            facts::Kind::Number => Self::Number,
        }
    }
}

impl From<facts::Fact> for Fact {
    fn from(fact: facts::Fact) -> Self {
        let facts::Fact { kind, text, speaker, sources } = fact;
        let sources = sources.iter().map(|id| id.as_str().to_owned()).collect();
        Self { kind: kind.into(), text, speaker, sources }
    }
}

impl From<facts::Receipt> for Receipt {
    fn from(receipt: facts::Receipt) -> Self {
        let facts::Receipt { kept, appended, given_up, unsupported } = receipt;
        let facts = |facts: Vec<facts::Fact>| facts.into_iter().map(Fact::from).collect();
        Self {
            kept: facts(kept),
            appended: facts(appended),
            given_up: facts(given_up),
            unsupported,
        }
    }
}
