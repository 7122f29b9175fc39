//! One fact that a summary must not lose.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use strum::EnumCount;

use crate::message::{Entry, MessageId};

/// The kind of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumCount, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify), tsify(rename = "FactKind"))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A line of a checklist, or an acceptance criterion.
    Checklist,
    /// A sentence that states a decision or a requirement.
    Decision,
    /// A sentence that excludes something.
    Negation,
    /// A URL.
    Url,
    /// A file or a folder.
    Path,
    /// A package with its version.
    Package,
    /// A code, a name of a constant or an e-mail address.
    Identifier,
    /// Text in quotation marks.
    Quote,
    /// The name of a person. Another name of two or more capitalized words counts as one, such as that of a city.
    Name,
    /// A number with its unit, if it has one.
    Number,
}

impl Kind {
    /// The kind's lower-case name.
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
            Self::Name => "name",
            Self::Number => "number",
        }
    }

    /// How important facts of this kind are compared with those of other kinds. Lists do not compete with them.
    fn weight(self) -> u32 {
        match self {
            Self::Checklist => 0,
            Self::Decision => 24,
            Self::Negation => 20,
            Self::Url | Self::Path | Self::Package => 16,
            Self::Identifier => 12,
            Self::Quote => 10,
            Self::Name => 8,
            Self::Number => 6,
        }
    }
}

/// A fact found in the messages that a summary stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct Fact {
    /// Its kind.
    #[cfg_attr(feature = "tsify", tsify(type = "FactKind"))]
    pub kind: Kind,
    /// Its text, as found.
    pub text: String,
    /// What it is, if it is a number or a name: the key or the word before it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub label: String,
    /// The speaker of its first mention; `earlier` if only an earlier summary has it.
    pub speaker: String,
    /// The messages that contain it, each once.
    pub sources: Vec<MessageId>,
}

/// A fact with its messages as numbers, from 1; 0 is an earlier summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) kind: Kind,
    pub(super) text: String,
    pub(super) label: String,
    pub(super) speaker: Arc<str>,
    pub(super) numbers: Vec<u32>,
    /// How many of `numbers` were known before this transcript.
    pub(super) carried: usize,
}

/// The entry that facts are found in.
pub(super) struct Source {
    speaker: Arc<str>,
    pub(super) number: u32,
}

impl Source {
    pub(super) fn of(entry: &Entry) -> Self {
        Self { speaker: entry.speaker.as_str().into(), number: entry.number }
    }
}

impl Mention {
    /// The first mention of a fact.
    pub(super) fn new(kind: Kind, text: &str, source: &Source) -> Self {
        let (text, speaker) = (text.to_owned(), Arc::clone(&source.speaker));
        Self { kind, text, label: String::new(), speaker, numbers: vec![source.number], carried: 0 }
    }

    /// Notes that the message of this number contains it too.
    pub(super) fn add_number(&mut self, number: u32) {
        if self.numbers.last() != Some(&number) {
            self.numbers.push(number);
        }
    }

    /// How important it is: by its kind, by whether the user said it, and by how many messages of this transcript contain
    /// it. Earlier messages do not count: a summary that an app stored as text does not say how many contained it, and a
    /// compactor that goes on from that text has to select the same facts.
    pub(super) fn importance(&self) -> u32 {
        let speaker = if self.is_of_user() { 3 } else { 2 };
        let often = self.numbers.len().saturating_sub(self.carried).clamp(1, 16).ilog2();
        self.kind.weight() * speaker + often * 8
    }

    /// True if a user wrote it first.
    pub(super) fn is_of_user(&self) -> bool {
        self.speaker.starts_with("user")
    }

    /// True if it says something by itself: a bare number from a result does not, and neither does a quoted word.
    pub(super) fn is_meaningful(&self) -> bool {
        match self.kind {
            Kind::Number | Kind::Identifier => !self.label.is_empty(),
            Kind::Quote => self.text.contains(' ') || !self.text.is_ascii(),
            _ => true,
        }
    }

    /// The fact with the ids of its messages; `name` finds the id of a message by its number.
    pub(super) fn named(self, name: &dyn Fn(u32) -> Option<MessageId>) -> Fact {
        let Self { kind, text, label, speaker, numbers, carried: _ } = self;
        let sources = numbers.into_iter().filter_map(name).collect();
        Fact { kind, text, label, speaker: speaker.as_ref().to_owned(), sources }
    }
}
