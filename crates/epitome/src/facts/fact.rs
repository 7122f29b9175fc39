//! One thing that a summary must not lose.

use serde::{Deserialize, Serialize};

use crate::message::MessageId;

/// What sort of thing it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify), tsify(rename = "FactKind"))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
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

impl Kind {
    /// The sort's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Checklist => "checklist",
            Self::Decision => "decision",
            Self::Negation => "negation",
            Self::Url => "url",
            Self::Path => "path",
            Self::Package => "package",
            Self::Identifier => "identifier",
            Self::Quote => "quote",
            Self::Number => "number",
        }
    }

    /// What it is worth against the others, before anything else is known.
    fn weight(self) -> u32 {
        match self {
            Self::Checklist => 40,
            Self::Decision => 24,
            Self::Negation => 20,
            Self::Url | Self::Path | Self::Package => 16,
            Self::Identifier => 12,
            Self::Quote => 10,
            Self::Number => 6,
        }
    }
}

/// A thing found in the messages that a summary stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct Fact {
    /// What sort of thing it is.
    #[cfg_attr(feature = "tsify", tsify(type = "FactKind"))]
    pub kind: Kind,
    /// Its wording, as it was found.
    pub text: String,
    /// Who said it first; `earlier` where only an earlier summary has it.
    pub speaker: String,
    /// The messages that have it, each once.
    pub sources: Vec<MessageId>,
}

/// A fact while the messages are known by their numbers, from 1; 0 is an earlier summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) kind: Kind,
    pub(super) text: String,
    pub(super) speaker: String,
    pub(super) numbers: Vec<u32>,
}

impl Mention {
    /// What it is worth: its kind, whether a person said it, and how often it came up.
    pub(super) fn worth(&self) -> u32 {
        let said = if self.speaker.starts_with("user") { 3 } else { 2 };
        let often = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX).clamp(1, 16).ilog2();
        self.kind.weight() * said + often * 8
    }

    /// The fact, its messages by name.
    pub(super) fn named(self, name: &dyn Fn(u32) -> Option<MessageId>) -> Fact {
        let Self { kind, text, speaker, numbers } = self;
        Fact { kind, text, speaker, sources: numbers.into_iter().filter_map(name).collect() }
    }
}
