//! A parsed message, in terms that all formats share: what is in it, and where.

use std::borrow::Cow;

use epitome::message::{Media, Message, MessageId, Part, Role};
use serde_json::Value;

use crate::attachment::{Attachment, Source};
use crate::issue::{Issue, IssueCode};
use crate::path::Path;
use crate::shape::kind;
use crate::steps::step_id;
use crate::text::joined;

/// A parsed message.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Content<'a> {
    /// Its steps, in order. Each step is one message to the engine.
    pub(crate) steps: Vec<Step<'a>>,
    /// Name of the speaker.
    pub(crate) author: Option<Cow<'a, str>>,
    /// True for a message that has to stay unchanged and in its place: a compaction by the provider itself.
    pub(crate) pinned: bool,
    /// What is malformed or unknown.
    pub(crate) issues: Vec<Issue>,
}

/// A step of a message: what one role says without interruption.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step<'a> {
    pub(crate) role: Role,
    pub(crate) items: Vec<Item<'a>>,
}

/// A content part with its places in the message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item<'a> {
    /// Where it is.
    pub(crate) at: Path,
    /// Where the message repeats it. The engine sees it once; a change is made in all places.
    pub(crate) also: Vec<Path>,
    /// What it is.
    pub(crate) part: ContentPart<'a>,
}

/// What a tool result contains.
pub(crate) struct ResultContent<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) media: Vec<Attachment<'a>>,
    /// What is wrong with the content, if it is neither a text nor a list of parts.
    pub(crate) issue: Option<(IssueCode, String)>,
}

impl<'a> ResultContent<'a> {
    /// The content of a result in formats in which that is a text or a list of parts; `read` reads the part at an index.
    pub(crate) fn read(
        content: Option<&'a Value>,
        read: &mut dyn FnMut(usize, &'a Value) -> ContentPart<'a>,
    ) -> Self {
        let mut texts: Vec<Cow<'a, str>> = Vec::new();
        let mut media = Vec::new();
        let mut issue = None;
        match content {
            Some(Value::String(text)) => texts.push(text.into()),
            Some(Value::Array(parts)) => {
                for (index, part) in parts.iter().enumerate() {
                    match read(index, part) {
                        ContentPart::Text(text) => texts.push(text),
                        ContentPart::Image(attachment) | ContentPart::File(attachment) => {
                            media.push(attachment);
                        }
                        _ => texts.push(part.to_string().into()),
                    }
                }
            }
            None | Some(Value::Null) => {
                let message = "the result is missing; read as empty".to_owned();
                issue = Some((IssueCode::MissingContent, message));
            }
            Some(other) => {
                let message = format!("expected text, found {}; read as JSON", kind(other));
                issue = Some((IssueCode::NotText, message));
                texts.push(other.to_string().into());
            }
        }
        Self { text: joined(texts), media, issue }
    }
}

/// A content part in terms that all formats share.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ContentPart<'a> {
    Text(Cow<'a, str>),
    Reasoning {
        text: Cow<'a, str>,
        /// The provider's signature or encrypted form of the reasoning.
        signature: Option<Cow<'a, str>>,
    },
    /// A tool call.
    Call {
        call: Cow<'a, str>,
        name: Cow<'a, str>,
        /// As text, as the provider wrote it.
        arguments: Cow<'a, str>,
    },
    /// A tool result.
    Result {
        call: Cow<'a, str>,
        name: Option<Cow<'a, str>>,
        text: Cow<'a, str>,
        /// Images and files in it.
        media: Vec<Attachment<'a>>,
        failed: bool,
    },
    /// A request to approve a tool call, or the response to one.
    Approval {
        approval: Cow<'a, str>,
        /// The call that a request is about.
        call: Option<Cow<'a, str>>,
        /// `None` for a request.
        granted: Option<bool>,
    },
    Image(Attachment<'a>),
    File(Attachment<'a>),
    /// Something that only this provider has. It is sent, and stays as it is.
    Opaque {
        kind: Cow<'a, str>,
        /// Its size as JSON.
        characters: u32,
    },
    /// Something that is not sent to the model.
    NotSent,
}

impl<'a> Content<'a> {
    /// The steps as messages of the engine. `id` is that of the whole message.
    pub(crate) fn messages(&self, id: &MessageId) -> Vec<Message> {
        let steps = self.steps.iter().enumerate();
        let messages = steps.map(|(index, step)| {
            let parts = step.parts().map(|(part, _)| part).collect();
            let mut message = Message::with_parts(step_id(id, index), step.role, parts);
            // In a tool message the name is that of the tool, which is in the result.
            let speaks = step.role != Role::Tool;
            message.author = self.author.as_deref().filter(|_| speaks).map(str::to_owned);
            message.pinned = self.pinned;
            message
        });
        messages.collect()
    }

    /// Reduces the content to `count` steps, as [`fit_steps`](crate::fit_steps) does with messages.
    pub(crate) fn fit(&mut self, count: usize) {
        while self.steps.len() > count.max(1) {
            let Some(surplus) = self.steps.pop() else { break };
            if let Some(last) = self.steps.last_mut() {
                last.items.extend(surplus.items);
            }
        }
    }

    /// Adds an issue.
    pub(crate) fn note(&mut self, at: &Path, code: IssueCode, message: impl Into<String>) {
        self.issues.push(Issue::new(at, code, message));
    }

    /// Adds a part to the current step, or to a new one if the role changes. Every tool result is a step of
    /// its own: the engine can then move and remove each result without the others.
    pub(crate) fn push(&mut self, role: Role, at: Path, part: ContentPart<'a>) {
        self.push_item(role, Item::new(at, part));
    }

    /// The same for a part that may be in several places.
    pub(crate) fn push_item(&mut self, role: Role, item: Item<'a>) {
        let alone = matches!(item.part, ContentPart::Result { .. });
        match self.steps.last_mut() {
            Some(step) if step.role == role && !alone && !step.is_of_result() => {
                step.items.push(item);
            }
            _ => self.steps.push(Step { role, items: vec![item] }),
        }
    }

    /// Adds an empty step if there is none: every message has at least one.
    pub(crate) fn or_empty_step(mut self, role: Role) -> Self {
        if self.steps.is_empty() {
            self.steps.push(Step { role, items: Vec::new() });
        }
        self
    }
}

impl<'a> Step<'a> {
    pub(crate) fn has_result(&self) -> bool {
        self.items.iter().any(|item| matches!(item.part, ContentPart::Result { .. }))
    }

    /// True for a step that [`Content::push_item`] began with a result, which stays alone. A step may have thousands of
    /// items, so that not all are looked at.
    fn is_of_result(&self) -> bool {
        let mut ends = self.items.first().into_iter().chain(self.items.last());
        ends.any(|item| matches!(item.part, ContentPart::Result { .. }))
    }

    /// The engine's parts, each with the item that it comes from. An item has no part if it is not sent, and
    /// several if it is a result with images.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (Part, &Item<'a>)> {
        self.items
            .iter()
            .flat_map(|item| item.part.parts().into_iter().map(move |part| (part, item)))
    }
}

impl<'a> Item<'a> {
    /// A part in one place.
    pub(crate) fn new(at: Path, part: ContentPart<'a>) -> Self {
        Self { at, also: Vec::new(), part }
    }

    /// Every place of the part.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.at).chain(&self.also)
    }
}

impl<'a> ContentPart<'a> {
    /// A text part, if there is a text.
    pub(crate) fn text(text: Option<&'a str>) -> Option<Self> {
        text.map(|text| Self::Text(text.into()))
    }

    /// A provider's own part, with its type and size.
    pub(crate) fn opaque(kind: impl Into<Cow<'a, str>>, value: &Value) -> Self {
        let characters = value.to_string().chars().count();
        Self::Opaque {
            kind: kind.into(),
            characters: u32::try_from(characters).unwrap_or(u32::MAX),
        }
    }

    /// The arguments of a call.
    pub(crate) fn arguments(&self) -> Option<&str> {
        let Self::Call { arguments, .. } = self else { return None };
        Some(arguments)
    }

    /// The clause that reports this part as left out of another format; `None` for parts that every format
    /// holds, and for those that are not sent.
    pub(crate) fn left_out(&self) -> Option<String> {
        Some(match self {
            Self::Image(_) | Self::File(_) => {
                "an image or file that is not in a user message is left out".into()
            }
            Self::Reasoning { .. } => {
                "reasoning is left out: its signature is valid only for the provider that made it"
                    .into()
            }
            Self::Approval { .. } => "the approval of a tool call is left out".into(),
            Self::Opaque { kind, .. } => format!("a part of type {kind:?} is left out"),
            Self::Text(_) | Self::Call { .. } | Self::Result { .. } | Self::NotSent => return None,
        })
    }

    fn parts(&self) -> Vec<Part> {
        vec![match self {
            Self::Text(text) => Part::text(text.as_ref()),
            Self::Reasoning { text, signature } => Part::Reasoning {
                text: text.to_string(),
                signature: signature.as_deref().map(str::to_owned),
            },
            Self::Call { call, name, arguments } => Part::ToolCall {
                call: call.as_ref().into(),
                name: name.to_string(),
                arguments: arguments.to_string(),
            },
            Self::Result { call, name, text, media, .. } => {
                let result = Part::ToolResult {
                    call: call.as_ref().into(),
                    name: name.as_deref().map(str::to_owned),
                    text: text.to_string(),
                };
                return std::iter::once(result).chain(media.iter().map(Attachment::part)).collect();
            }
            Self::Approval { approval, call, granted } => Part::Approval {
                approval: approval.to_string(),
                call: call.as_deref().map(Into::into),
                granted: *granted,
            },
            Self::Image(attachment) => Part::Image(attachment.media()),
            Self::File(attachment) => Part::File(attachment.media()),
            Self::Opaque { kind, characters } => {
                Part::Other { kind: kind.to_string(), characters: *characters }
            }
            Self::NotSent => return Vec::new(),
        }]
    }

    /// A part of the engine's, to be written.
    pub(crate) fn of(part: &'a Part) -> Self {
        let attachment = |media: &'a Media| Attachment {
            media_type: media.media_type.as_deref().map(Cow::Borrowed),
            name: media.name.as_deref().map(Cow::Borrowed),
            source: Source::Unknown,
        };
        match part {
            Part::Text { text } => Self::Text(text.into()),
            Part::Reasoning { text, signature } => Self::Reasoning {
                text: text.into(),
                signature: signature.as_deref().map(Cow::Borrowed),
            },
            Part::ToolCall { call, name, arguments } => Self::Call {
                call: call.as_str().into(),
                name: name.into(),
                arguments: arguments.into(),
            },
            Part::ToolResult { call, name, text } => Self::Result {
                call: call.as_str().into(),
                name: name.as_deref().map(Cow::Borrowed),
                text: text.into(),
                media: Vec::new(),
                failed: false,
            },
            Part::Approval { approval, call, granted } => Self::Approval {
                approval: approval.into(),
                call: call.as_ref().map(|call| call.as_str().into()),
                granted: *granted,
            },
            Part::Image(media) => Self::Image(attachment(media)),
            Part::File(media) => Self::File(attachment(media)),
            Part::Other { kind, characters } => {
                Self::Opaque { kind: kind.into(), characters: *characters }
            }
        }
    }
}

impl<'a> From<Attachment<'a>> for ContentPart<'a> {
    fn from(attachment: Attachment<'a>) -> Self {
        if attachment.is_image() { Self::Image(attachment) } else { Self::File(attachment) }
    }
}
