//! What would be sent, told by who speaks and what kind of thing is said: enough to judge it by, without writing it.

use epitome::history::{Change, Log, PartChange};
use epitome::message::{CallId, Message, MessageId, Part, Role};

use crate::compose::{Fragment, Outgoing};

/// A stretch of a message that would be sent: what comes of one edit of the view.
pub(crate) enum Stretch<'a> {
    /// What the host said, with what is changed in it.
    Original { message: &'a Message, changes: &'a [PartChange] },
    /// What the engine says.
    Inserted { role: Role, parts: &'a [Part] },
    /// Something that the log does not have.
    Unknown,
}

/// A thing that would be sent.
pub(crate) enum Kind<'a> {
    Text {
        blank: bool,
    },
    Thought {
        sealed: bool,
        blank: bool,
    },
    Call(&'a CallId),
    Result(&'a CallId),
    /// Leave is asked for to run this call.
    Asks(&'a CallId),
    /// What the provider itself has condensed.
    Compaction,
    Other,
}

/// What a message that would be sent is made of, in its order. Linear in that, and in the logarithm of the log.
pub(crate) fn stretches<'a>(log: &'a Log, outgoing: &'a Outgoing) -> Vec<Stretch<'a>> {
    let fragments = match outgoing {
        Outgoing::Keep(id) => return whole(log, id),
        Outgoing::Make(recipe) => &recipe.fragments,
    };
    let mut stretches = Vec::with_capacity(fragments.len());
    for fragment in fragments {
        let (whole, pieces, changes) = match fragment {
            Fragment::Original { whole, pieces, changes, .. } => (whole, pieces, changes),
            Fragment::Inserted { role, parts } => {
                stretches.push(Stretch::Inserted { role: *role, parts });
                continue;
            }
        };
        let first = log.position(whole);
        stretches.extend(pieces.iter().map(|piece| {
            let own = changes.iter().find(|(of, _)| of == piece);
            let changes = own.map(|(_, changes)| changes.as_slice()).unwrap_or_default();
            match first.and_then(|first| log.message(first + piece)) {
                Some(message) => Stretch::Original { message, changes },
                None => Stretch::Unknown,
            }
        }));
    }
    stretches
}

/// All pieces of one of the host's messages. They stand one behind the other in the log.
fn whole<'a>(log: &'a Log, id: &MessageId) -> Vec<Stretch<'a>> {
    let Some(first) = log.position(id) else { return vec![Stretch::Unknown] };
    let messages = (first..log.len()).map_while(|at| log.message(at));
    let own = messages.take_while(|message| whole_of(&message.id) == id.as_str());
    own.map(|message| Stretch::Original { message, changes: &[] }).collect()
}

/// The id of the host's message that a piece is of: what stands before `#` and a number from 1.
fn whole_of(piece: &MessageId) -> &str {
    match piece.as_str().rsplit_once('#') {
        Some((whole, number)) if is_number(number) => whole,
        _ => piece.as_str(),
    }
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0') && !text.is_empty()
}

impl<'a> Stretch<'a> {
    pub(crate) fn role(&self) -> Option<Role> {
        match self {
            Self::Original { message, .. } => Some(message.role),
            Self::Inserted { role, .. } => Some(*role),
            Self::Unknown => None,
        }
    }

    /// True where both are of one of the host's messages, which then has them together by itself.
    pub(crate) fn shares_a_message(&self, next: &Self) -> bool {
        match (self, next) {
            (Self::Original { message: one, .. }, Self::Original { message: other, .. }) => {
                whole_of(&one.id) == whole_of(&other.id)
            }
            _ => false,
        }
    }

    /// What is said in it, in order. Linear.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind<'a>> + use<'a> {
        let (parts, changes): (&'a [Part], &'a [PartChange]) = match self {
            Self::Original { message, changes } => (&message.parts, changes),
            Self::Inserted { parts, .. } => (parts, &[]),
            Self::Unknown => (&[], &[]),
        };
        parts
            .iter()
            .zip(actions(parts.len(), changes))
            .filter_map(|(part, change)| kind(part, change))
    }
}

/// For each part of a message what becomes of it. Changes are in the order of the parts.
pub(crate) fn actions(
    parts: usize,
    changes: &[PartChange],
) -> impl Iterator<Item = Option<&Change>> {
    let mut changes = changes.iter().peekable();
    (0..parts).map(move |part| Some(&changes.next_if(|change| change.part == part)?.change))
}

fn kind<'a>(part: &'a Part, change: Option<&Change>) -> Option<Kind<'a>> {
    Some(match (part, change) {
        (_, Some(Change::Remove)) => return None,
        (Part::Text { .. }, Some(Change::Text { text })) => {
            Kind::Text { blank: text.trim().is_empty() }
        }
        (Part::Text { .. }, _) => Kind::Text { blank: part.is_blank() },
        (Part::Reasoning { signature, .. }, _) => {
            Kind::Thought { sealed: signature.is_some(), blank: part.is_blank() }
        }
        (Part::ToolCall { call, .. }, _) => Kind::Call(call),
        (Part::ToolResult { call, .. }, _) => Kind::Result(call),
        (Part::Approval { call: Some(call), .. }, _) => Kind::Asks(call),
        (part, _) if part.is_compaction() => Kind::Compaction,
        _ => Kind::Other,
    })
}

impl Kind<'_> {
    pub(crate) fn is_blank(&self) -> bool {
        matches!(self, Self::Text { blank: true } | Self::Thought { blank: true, .. })
    }
}
