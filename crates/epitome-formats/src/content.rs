//! What is in a message of any format, and where in it that stands.

use std::borrow::Cow;

use epitome::message::{Media, Message, MessageId, Part, Role};
use serde_json::Value;

use crate::image_size::{length, pixels};
use crate::issue::{Code, Issue};
use crate::path::Path;
use crate::steps::piece_id;

/// A message as its format has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Content<'a> {
    /// What it is made of, in order. Each piece is one message to the engine.
    pub(crate) pieces: Vec<Piece<'a>>,
    /// Name of the speaker.
    pub(crate) author: Option<Cow<'a, str>>,
    /// True for what must stay as it is and where it is: what a provider itself has compacted.
    pub(crate) pinned: bool,
    /// What was odd.
    pub(crate) issues: Vec<Issue>,
}

/// What one role says without being interrupted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Piece<'a> {
    pub(crate) role: Role,
    pub(crate) items: Vec<Item<'a>>,
}

/// One thing in a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item<'a> {
    /// Where it stands.
    pub(crate) at: Path,
    /// Where the same thing stands once more. It is one to the model, and what is done to it is done in
    /// all places.
    pub(crate) also: Vec<Path>,
    /// What it is.
    pub(crate) what: What<'a>,
}

/// What a thing in a message is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What<'a> {
    Text(Cow<'a, str>),
    Reasoning {
        text: Cow<'a, str>,
        signature: Option<Cow<'a, str>>,
    },
    Call {
        call: Cow<'a, str>,
        name: Cow<'a, str>,
        /// As text, as the provider wrote it.
        arguments: Cow<'a, str>,
    },
    Result {
        call: Cow<'a, str>,
        name: Option<Cow<'a, str>>,
        text: Cow<'a, str>,
        /// Pictures and files in it.
        media: Vec<Attachment<'a>>,
        failed: bool,
    },
    Approval {
        approval: Cow<'a, str>,
        call: Option<Cow<'a, str>>,
        granted: Option<bool>,
    },
    Image(Attachment<'a>),
    File(Attachment<'a>),
    /// Something only this provider has; it is sent, and stays as it is.
    Opaque {
        kind: Cow<'a, str>,
        characters: u32,
    },
    /// Something the model is never sent.
    Silent,
}

/// A picture or a file, with where its bytes are.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Attachment<'a> {
    pub(crate) media_type: Option<Cow<'a, str>>,
    pub(crate) name: Option<Cow<'a, str>>,
    pub(crate) source: Source<'a>,
}

/// Where the bytes of an attachment are.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Source<'a> {
    /// In the message, as base64.
    Base64(Cow<'a, str>),
    /// At an address.
    Url(Cow<'a, str>),
    /// With the provider, under this name.
    Id(Cow<'a, str>),
    /// Not told in a way that is known here.
    #[default]
    Elsewhere,
}

impl<'a> Content<'a> {
    /// The pieces as the engine's messages, under the id of the whole.
    pub(crate) fn messages(&self, whole: &MessageId) -> Vec<Message> {
        let pieces = self.pieces.iter().enumerate();
        let messages = pieces.map(|(index, piece)| {
            let parts = piece.parts().map(|(part, _)| part).collect();
            let mut message = Message::with_parts(piece_id(whole, index), piece.role, parts);
            // A tool has its name in its result.
            let speaks = piece.role != Role::Tool;
            message.author = self.author.as_deref().filter(|_| speaks).map(str::to_owned);
            message.pinned = self.pinned;
            message
        });
        messages.collect()
    }

    /// Has the content be of so many pieces, as [`fit`](crate::fit) has messages.
    pub(crate) fn fit(&mut self, count: usize) {
        while self.pieces.len() > count.max(1) {
            let Some(surplus) = self.pieces.pop() else { break };
            if let Some(last) = self.pieces.last_mut() {
                last.items.extend(surplus.items);
            }
        }
    }

    /// Notes something odd.
    pub(crate) fn note(&mut self, at: &Path, code: Code, message: impl Into<String>) {
        self.issues.push(Issue::new(at, code, message));
    }

    /// Adds a thing to what this role is saying. Every result is a piece of its own, so that each can be
    /// moved and left out by itself.
    pub(crate) fn push(&mut self, role: Role, at: Path, what: What<'a>) {
        self.push_item(role, Item::new(at, what));
    }

    /// The same for a thing that may stand in several places.
    pub(crate) fn push_item(&mut self, role: Role, item: Item<'a>) {
        let alone = matches!(item.what, What::Result { .. });
        match self.pieces.last_mut() {
            Some(piece) if piece.role == role && !alone && !piece.has_result() => {
                piece.items.push(item);
            }
            _ => self.pieces.push(Piece { role, items: vec![item] }),
        }
    }
}

impl<'a> Piece<'a> {
    pub(crate) fn has_result(&self) -> bool {
        self.items.iter().any(|item| matches!(item.what, What::Result { .. }))
    }

    /// The parts that the engine sees, each with the item that it is of.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (Part, &Item<'a>)> {
        self.items
            .iter()
            .flat_map(|item| item.what.parts().into_iter().map(move |part| (part, item)))
    }
}

impl<'a> Item<'a> {
    /// A thing that stands in one place.
    pub(crate) fn new(at: Path, what: What<'a>) -> Self {
        Self { at, also: Vec::new(), what }
    }

    /// Every place where it stands.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.at).chain(&self.also)
    }
}

impl<'a> What<'a> {
    /// A text that is there and not empty, or nothing.
    pub(crate) fn text(text: Option<&'a str>) -> Option<Self> {
        text.map(|text| Self::Text(text.into()))
    }

    /// Something of a provider's own, by its name and size.
    pub(crate) fn opaque(kind: impl Into<Cow<'a, str>>, value: &Value) -> Self {
        let characters = value.to_string().chars().count();
        Self::Opaque {
            kind: kind.into(),
            characters: u32::try_from(characters).unwrap_or(u32::MAX),
        }
    }

    /// The arguments of a call that are no JSON.
    pub(crate) fn broken_arguments(&self) -> Option<&str> {
        let Self::Call { arguments, .. } = self else { return None };
        let broken = serde_json::from_str::<serde::de::IgnoredAny>(arguments).is_err();
        broken.then_some(arguments)
    }

    /// What is said of a thing that another format does not hold; nothing where it is never sent.
    pub(crate) fn left_out(&self) -> Option<String> {
        Some(match self {
            Self::Image(_) | Self::File(_) => {
                "a picture or file that is not the user's is left out".into()
            }
            Self::Reasoning { .. } => {
                "thoughts are left out: another provider's seal does not hold here".into()
            }
            Self::Approval { .. } => "leave to run a tool is left out".into(),
            Self::Opaque { kind, .. } => format!("a part of type {kind:?} is left out"),
            Self::Text(_) | Self::Call { .. } | Self::Result { .. } | Self::Silent => return None,
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
            Self::Silent => return Vec::new(),
        }]
    }

    /// What a part of the engine's is, for writing.
    pub(crate) fn of(part: &'a Part) -> Self {
        let attachment = |media: &'a Media| Attachment {
            media_type: media.media_type.as_deref().map(Cow::Borrowed),
            name: media.name.as_deref().map(Cow::Borrowed),
            source: Source::Elsewhere,
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

impl<'a> Attachment<'a> {
    /// A picture or a file at an address, which may hold the bytes itself: `data:image/png;base64,…`.
    pub(crate) fn at(url: &'a str) -> Self {
        let Some(data) = url.strip_prefix("data:") else {
            return Self { source: Source::Url(url.into()), ..Self::default() };
        };
        let (head, bytes) = data.split_once(',').unwrap_or((data, ""));
        let media_type = head.split(';').next().filter(|name| !name.is_empty());
        let source = match head.ends_with(";base64") {
            true => Source::Base64(bytes.into()),
            false => Source::Url(url.into()),
        };
        Self { media_type: media_type.map(Cow::Borrowed), name: None, source }
    }

    /// Bytes in base64.
    pub(crate) fn bytes(media_type: Option<&'a str>, base64: &'a str) -> Self {
        let source = Source::Base64(base64.into());
        Self { media_type: media_type.map(Cow::Borrowed), name: None, source }
    }

    /// The same as one address.
    pub(crate) fn url(&self) -> Option<String> {
        match &self.source {
            Source::Url(url) => Some(url.to_string()),
            Source::Base64(bytes) => {
                let kind = self.media_type.as_deref().unwrap_or("application/octet-stream");
                Some(format!("data:{kind};base64,{bytes}"))
            }
            Source::Id(_) | Source::Elsewhere => None,
        }
    }

    fn media(&self) -> Media {
        let address = match &self.source {
            Source::Url(url) if !url.starts_with("data:") => Some(url.chars().take(200).collect()),
            Source::Id(id) => Some(id.to_string()),
            _ => None,
        };
        let held = match &self.source {
            Source::Base64(bytes) => Some(bytes.as_ref()),
            _ => None,
        };
        let picture = held.filter(|_| self.is_image());
        Media {
            media_type: self.media_type.as_deref().map(str::to_owned),
            name: self.name.as_deref().map(str::to_owned).or(address),
            pixels: picture.and_then(pixels),
            bytes: held.map(length),
        }
    }

    /// What the engine sees: a picture where its type says so.
    pub(crate) fn part(&self) -> Part {
        match self.is_image() {
            true => Part::Image(self.media()),
            false => Part::File(self.media()),
        }
    }

    pub(crate) fn is_image(&self) -> bool {
        self.media_type.as_deref().is_some_and(|kind| kind.starts_with("image"))
    }

    /// As a thing in a message.
    pub(crate) fn what(self) -> What<'a> {
        if self.is_image() { What::Image(self) } else { What::File(self) }
    }
}
