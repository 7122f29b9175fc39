//! An outline of composed messages: who says what kinds of parts. It is enough to check messages without
//! writing them.

use epitome::history::{Change, Log, PartChange};
use epitome::message::{CallId, Message, MessageId, Part, Role};

use crate::compose::{Fragment, Outgoing};

/// The outline of one composed message.
pub(crate) struct ComposedMessage<'a> {
    /// Its steps, in order.
    pub(crate) steps: Vec<ComposedStep<'a>>,
}

/// What a composed message has for one edit of the view.
pub(crate) enum ComposedStep<'a> {
    /// A step of a message of the app, with changes.
    Original { message: &'a Message, changes: &'a [PartChange] },
    /// A message that the engine inserts.
    Inserted { role: Role, parts: &'a [Part] },
    /// Something that the log does not have.
    Unknown,
}

/// The kind of a composed part.
pub(crate) enum PartKind<'a> {
    Text {
        blank: bool,
    },
    Reasoning {
        signed: bool,
        blank: bool,
    },
    Call(&'a CallId),
    Result(&'a CallId),
    /// A request to approve this call.
    ApprovalRequest(&'a CallId),
    /// A compaction by the provider itself.
    Compaction,
    Other,
}

impl<'a> ComposedMessage<'a> {
    /// The outline of an outgoing message. Linear in its steps, times the logarithm of the log.
    pub(crate) fn of(log: &'a Log, outgoing: &'a Outgoing) -> Self {
        let fragments = match outgoing {
            Outgoing::Keep(id) => return Self::kept(log, id),
            Outgoing::Composed(recipe) => &recipe.fragments,
        };
        let mut composed = Vec::with_capacity(fragments.len());
        for fragment in fragments {
            let (message, steps, changes) = match fragment {
                Fragment::Original { message, steps, changes, .. } => (message, steps, changes),
                Fragment::Inserted { role, parts } => {
                    composed.push(ComposedStep::Inserted { role: *role, parts });
                    continue;
                }
            };
            // The steps of a message are consecutive in the log, so that one lookup is enough for all of them.
            let first = log.position(message);
            composed.extend(steps.iter().map(|step| {
                let own = changes.iter().find(|(of, _)| of == step);
                let changes = own.map(|(_, changes)| changes.as_slice()).unwrap_or_default();
                match first.and_then(|first| log.message(first + step)) {
                    Some(message) => ComposedStep::Original { message, changes },
                    None => ComposedStep::Unknown,
                }
            }));
        }
        Self { steps: composed }
    }

    /// A message of the app as it is, with all of its steps. They are consecutive in the log.
    pub(crate) fn kept(log: &'a Log, id: &MessageId) -> Self {
        let Some(first) = log.position(id) else {
            return Self { steps: vec![ComposedStep::Unknown] };
        };
        let messages = (first..log.len()).map_while(|at| log.message(at));
        let own = messages.take_while(|message| message_of(&message.id) == id.as_str());
        Self {
            steps: own.map(|message| ComposedStep::Original { message, changes: &[] }).collect(),
        }
    }
}

/// The id of the app's message that a step belongs to: the text before `#` and a number from 1.
///
/// Deliberately not [`split_step_id`](crate::split_step_id), which composing uses: a fault there would be
/// repeated here and not be found.
fn message_of(step: &MessageId) -> &str {
    match step.as_str().rsplit_once('#') {
        Some((message, number)) if is_number(number) => message,
        _ => step.as_str(),
    }
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0') && !text.is_empty()
}

impl<'a> ComposedStep<'a> {
    /// Its role; `None` for an unknown step.
    pub(crate) fn role(&self) -> Option<Role> {
        match self {
            Self::Original { message, .. } => Some(message.role),
            Self::Inserted { role, .. } => Some(*role),
            Self::Unknown => None,
        }
    }

    /// True if both are steps of one message of the app, which may hold steps of different roles.
    pub(crate) fn shares_a_message(&self, next: &Self) -> bool {
        match (self, next) {
            (Self::Original { message: one, .. }, Self::Original { message: other, .. }) => {
                message_of(&one.id) == message_of(&other.id)
            }
            _ => false,
        }
    }

    /// The kinds of its parts that stay, in order. Linear.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = PartKind<'a>> + use<'a> {
        let (parts, changes): (&'a [Part], &'a [PartChange]) = match self {
            Self::Original { message, changes } => (&message.parts, changes),
            Self::Inserted { parts, .. } => (parts, &[]),
            Self::Unknown => (&[], &[]),
        };
        parts
            .iter()
            .zip(changes_by_part(parts.len(), changes))
            .filter_map(|(part, change)| kind(part, change))
    }
}

/// The change to each part of a step, or `None`. `changes` is in the order of the parts.
pub(crate) fn changes_by_part(
    parts: usize,
    changes: &[PartChange],
) -> impl Iterator<Item = Option<&Change>> {
    let mut changes = changes.iter().peekable();
    (0..parts).map(move |part| Some(&changes.next_if(|change| change.part == part)?.change))
}

/// The kind of a part after a change; `None` if the change removes it.
fn kind<'a>(part: &'a Part, change: Option<&Change>) -> Option<PartKind<'a>> {
    Some(match (part, change) {
        (_, Some(Change::Remove)) => return None,
        (Part::Text { .. }, Some(Change::Text { text })) => {
            PartKind::Text { blank: text.trim().is_empty() }
        }
        (Part::Text { .. }, _) => PartKind::Text { blank: part.is_blank() },
        (Part::Reasoning { signature, .. }, _) => {
            PartKind::Reasoning { signed: signature.is_some(), blank: part.is_blank() }
        }
        (Part::ToolCall { call, .. }, _) => PartKind::Call(call),
        (Part::ToolResult { call, .. }, _) => PartKind::Result(call),
        (Part::Approval { call: Some(call), .. }, _) => PartKind::ApprovalRequest(call),
        (part, _) if part.is_compaction() => PartKind::Compaction,
        _ => PartKind::Other,
    })
}

impl PartKind<'_> {
    /// True for a text or reasoning without visible characters.
    pub(crate) fn is_blank(&self) -> bool {
        matches!(self, Self::Text { blank: true } | Self::Reasoning { blank: true, .. })
    }
}
