//! The kinds of content that fill a window.

use epitome::message::Role;
use strum::EnumCount;

use crate::language::t;
use crate::store::{Fill, Kind};

/// One kind of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumCount)]
pub(super) enum Segment {
    System,
    Tools,
    Context,
    Summary,
    Pinned,
    User,
    Assistant,
    Reasoning,
    Results,
    Images,
}

impl Segment {
    /// Every kind, in the order of the bar.
    pub(super) const ALL: [Self; Self::COUNT] = [
        Self::System,
        Self::Tools,
        Self::Context,
        Self::Summary,
        Self::Pinned,
        Self::User,
        Self::Assistant,
        Self::Reasoning,
        Self::Results,
        Self::Images,
    ];

    /// The name of the kind, for the style sheet.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Tools => "tools",
            Self::Context => "context",
            Self::Summary => "summary",
            Self::Pinned => "pinned",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Reasoning => "reasoning",
            Self::Results => "results",
            Self::Images => "images",
        }
    }

    /// Which messages it is of; `None` if it is not made of messages.
    pub(super) fn messages(self) -> Option<Kind> {
        match self {
            Self::System => Some(Kind::Of(Role::System)),
            Self::Pinned => Some(Kind::Pinned),
            Self::User => Some(Kind::Of(Role::User)),
            Self::Assistant => Some(Kind::Of(Role::Assistant)),
            Self::Reasoning => Some(Kind::Reasoning),
            Self::Results => Some(Kind::Of(Role::Tool)),
            Self::Images => Some(Kind::Images),
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
            Self::Pinned => t!("Pinned"),
            Self::Reasoning => t!("Reasoning"),
            Self::Images => t!("Images"),
        }
    }

    /// Its tokens.
    pub(super) fn tokens(self, fill: &Fill) -> u32 {
        let breakdown = &fill.rest;
        match self {
            Self::System => breakdown.system,
            Self::Tools => breakdown.tools,
            Self::Context => breakdown.context,
            Self::Summary => breakdown.summary,
            Self::User => breakdown.user,
            Self::Assistant => breakdown.assistant,
            Self::Results => breakdown.results,
            Self::Pinned => fill.pinned,
            Self::Reasoning => fill.reasoning,
            Self::Images => fill.images,
        }
    }
}
