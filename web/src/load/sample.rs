//! The sample conversations.

use strum::EnumCount;

use crate::language::t;

/// The name of a conversation as the page shows it.
pub(crate) fn shown_name(name: &str) -> &str {
    Sample::named(name).map_or(name, |sample| sample.title())
}

/// What a summarizer could make up about the sample of this name, for an example of what is said of it then.
pub(crate) fn invention(name: &str) -> Option<&'static str> {
    match Sample::named(name)? {
        Sample::Support => Some("The replacement machine has the order number BW-77312."),
        _ => None,
    }
}

/// A sample conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumCount)]
pub(crate) enum Sample {
    Support,
    Coding,
    Trip,
    Review,
    LongCoding,
    Pictures,
}

impl Sample {
    /// Every sample, in the order shown.
    pub(crate) const ALL: [Self; Self::COUNT] =
        [Self::Support, Self::Coding, Self::Trip, Self::Review, Self::LongCoding, Self::Pictures];

    /// The name of its file in `samples/`.
    pub(crate) fn file_name(self) -> &'static str {
        match self {
            Self::Support => "support.json",
            Self::Coding => "coding.json",
            Self::Trip => "trip.json",
            Self::Review => "review.json",
            Self::LongCoding => "long-session.json",
            Self::Pictures => "pictures.json",
        }
    }

    /// Its name, the same in every language: a kept conversation is recognized as a sample by it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Support => "Customer support",
            Self::Coding => "A coding session",
            Self::Trip => "Planning a trip",
            Self::Review => "A design review",
            Self::LongCoding => "A long coding session",
            Self::Pictures => "A flat in pictures",
        }
    }

    /// The sample of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sample| sample.name() == name)
    }

    /// Its name as the page shows it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Support => t!("Customer support"),
            Self::Coding => t!("A coding session"),
            Self::Trip => t!("Planning a trip"),
            Self::Review => t!("A design review"),
            Self::LongCoding => t!("A long coding session"),
            Self::Pictures => t!("A flat in pictures"),
        }
    }

    /// Its content in a few words.
    pub(crate) fn about(self) -> &'static str {
        match self {
            Self::Support => t!("a damaged espresso machine, with tools called in parallel"),
            Self::Coding => t!("a bug hunt through a parser, with file reads and test runs"),
            Self::Trip => t!("four friends, four languages, one week in Lisbon"),
            Self::Review => t!("five agents review an app that opens doors, with private notes"),
            Self::LongCoding => {
                t!("real changes of this project’s code, three times what the window takes")
            }
            Self::Pictures => {
                t!("nine plans, quotes and charts, counted by their pixels and not by their data")
            }
        }
    }

    /// A window that the sample nearly fills, or has outgrown long ago.
    pub(crate) fn window(self) -> u32 {
        match self {
            Self::Support => 8_000,
            Self::Coding => 12_000,
            Self::Trip => 10_000,
            Self::Review => 4_200,
            Self::LongCoding => 128_000,
            Self::Pictures => 18_000,
        }
    }
}
