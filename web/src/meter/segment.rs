//! The kinds of content that fill a window.

use epitome::Breakdown;
use epitome::message::Role;
use strum::EnumCount;

use crate::language::t;

/// One kind of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumCount)]
pub(super) enum Segment {
    System,
    Tools,
    Context,
    Summary,
    User,
    Assistant,
    Results,
}

impl Segment {
    /// Every kind, in the order of the bar.
    pub(super) const ALL: [Self; Self::COUNT] = [
        Self::System,
        Self::Tools,
        Self::Context,
        Self::Summary,
        Self::User,
        Self::Assistant,
        Self::Results,
    ];

    /// The name of the kind, for the style sheet.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Tools => "tools",
            Self::Context => "context",
            Self::Summary => "summary",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Results => "results",
        }
    }

    /// The role of its messages; `None` if it is not made of messages of one role.
    pub(super) fn role(self) -> Option<Role> {
        match self {
            Self::System => Some(Role::System),
            Self::User => Some(Role::User),
            Self::Assistant => Some(Role::Assistant),
            Self::Results => Some(Role::Tool),
            Self::Tools | Self::Context | Self::Summary => None,
        }
    }

    /// The name of the kind, as the page shows it.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::System => t!("System prompt"),
            Self::Tools => t!("Tools and instructions"),
            Self::Context => t!("Context of the request"),
            Self::Summary => t!("Summary"),
            Self::User => t!("User"),
            Self::Assistant => t!("Assistant"),
            Self::Results => t!("Tool results"),
        }
    }

    /// Its tokens.
    pub(super) fn tokens(self, breakdown: &Breakdown) -> u32 {
        match self {
            Self::System => breakdown.system,
            Self::Tools => breakdown.tools,
            Self::Context => breakdown.context,
            Self::Summary => breakdown.summary,
            Self::User => breakdown.user,
            Self::Assistant => breakdown.assistant,
            Self::Results => breakdown.results,
        }
    }
}
