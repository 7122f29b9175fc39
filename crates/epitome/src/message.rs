//! The engine's message, which every message format is read into.

mod attachment;
mod entry;
mod id;
mod part;
mod timestamp;
mod unix_time;
mod usage;

pub(crate) use attachment::attachment;
pub use entry::Entry;
pub use entry::{ANSWERS, CALLS};
pub use id::{CallId, CheckpointId, MessageId, RequestId};
pub use part::{Media, Part};
pub use timestamp::Timestamp;
pub use unix_time::UnixTime;
pub use usage::Usage;

use serde::{Deserialize, Serialize};

/// The role of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions of the app's operator.
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
    /// The results of tools that the model called.
    Tool,
}

impl Role {
    /// The role's lower-case name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// The agents that may see a message, in a conversation of several agents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// All agents.
    #[default]
    Everyone,
    /// Only these agents, by name.
    Agents(Vec<String>),
}

impl Audience {
    /// True for all agents.
    pub fn is_everyone(&self) -> bool {
        *self == Self::Everyone
    }
}

/// A message as the engine knows it: enough to count, cut and summarize it. The app keeps its own object with all
/// other fields, and finds it again by the id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The app's id of the message, unique in its conversation.
    pub id: MessageId,
    /// Its role.
    pub role: Role,
    /// Its content, in the order the model reads it.
    pub parts: Vec<Part>,
    /// Name of the author, to distinguish several of one role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The agents that may see it, in a conversation of several agents. Its author sees it in any case.
    #[serde(default)]
    pub audience: Audience,
    /// When it was sent. A transcript for a summarizer has it to the minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<UnixTime>,
    /// For a synthetic message, which the app wrote by itself, its kind, such as `reminder`. `None` for a message of
    /// the user, the model or a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synthetic: Option<String>,
    /// A pinned message stays word for word in every compaction.
    #[serde(default)]
    pub pinned: bool,
}

impl Message {
    /// A message with one text part.
    pub fn new(id: impl Into<MessageId>, role: Role, text: impl Into<String>) -> Self {
        Self::with_parts(id, role, vec![Part::text(text)])
    }

    /// A message with these parts.
    pub fn with_parts(id: impl Into<MessageId>, role: Role, parts: Vec<Part>) -> Self {
        Self {
            id: id.into(),
            role,
            parts,
            author: None,
            audience: Audience::Everyone,
            time: None,
            synthetic: None,
            pinned: false,
        }
    }

    /// True if an agent may see it: it is for everyone, or for this one, or written by it.
    pub fn is_for(&self, agent: &str) -> bool {
        match &self.audience {
            Audience::Everyone => true,
            Audience::Agents(names) => {
                self.author.as_deref() == Some(agent) || names.iter().any(|name| name == agent)
            }
        }
    }

    /// True if its provider has compacted earlier messages into it. A provider may then ignore the messages before it.
    pub fn is_compaction(&self) -> bool {
        self.parts.iter().any(Part::is_compaction)
    }

    /// True if it has reasoning with a signature of the provider.
    pub fn has_signed_reasoning(&self) -> bool {
        self.signed_reasoning().next().is_some()
    }

    /// Its reasoning with a signature of the provider, in order.
    pub(crate) fn signed_reasoning(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(|part| part.is_signed_reasoning())
    }

    /// The ids of the tool calls in it, in order.
    pub fn calls(&self) -> impl Iterator<Item = &CallId> {
        self.parts.iter().filter_map(|part| match part {
            Part::ToolCall { call, .. } => Some(call),
            _ => None,
        })
    }

    /// The ids of the tool calls whose results are in it, in order.
    pub fn results(&self) -> impl Iterator<Item = &CallId> {
        self.parts.iter().filter_map(|part| match part {
            Part::ToolResult { call, .. } => Some(call),
            _ => None,
        })
    }

    /// Its text parts, joined by line breaks.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        texts.join("\n")
    }

    /// Its texts, tool names, arguments and results, joined by line breaks; without reasoning and attachments.
    pub(crate) fn readable_text(&self) -> String {
        self.readable_texts().collect::<Vec<&str>>().join("\n")
    }

    /// The same, one by one.
    pub(crate) fn readable_texts(&self) -> impl Iterator<Item = &str> {
        let texts = self.parts.iter().flat_map(|part| match part {
            Part::Text { text } | Part::ToolResult { text, .. } => [Some(text.as_str()), None],
            Part::ToolCall { name, arguments, .. } => [Some(name.as_str()), Some(arguments)],
            _ => [None, None],
        });
        texts.flatten()
    }

    /// True if a model finds nothing to read in it.
    pub fn is_blank(&self) -> bool {
        self.parts.iter().all(Part::is_blank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Media;

    #[test]
    fn a1_a_message_with_every_field_survives_writing_and_reading() {
        let parts = vec![
            Part::text("look"),
            Part::Reasoning { text: "hm".into(), signature: Some("signature".into()) },
            Part::ToolCall { call: "c".into(), name: "f".into(), arguments: "{\"a\":".into() },
            Part::ToolResult { call: "c".into(), name: None, text: "42".into() },
            Part::Image(Media { pixels: Some((640, 480)), ..Media::default() }),
            Part::File(Media { name: Some("plan.pdf".into()), ..Media::default() }),
            Part::Other { kind: "hologram".into(), characters: 7 },
        ];
        let message = Message {
            author: Some("alice".into()),
            audience: Audience::Agents(vec!["planner".into()]),
            time: Some(UnixTime(1_700_000_000_000)),
            synthetic: Some("reminder".into()),
            pinned: true,
            ..Message::with_parts("m", Role::Assistant, parts)
        };
        let text = serde_json::to_string(&message).unwrap();
        assert_eq!(serde_json::from_str::<Message>(&text).unwrap(), message);
        assert_eq!(message.calls().count() + message.results().count(), 2);
        assert_eq!(message.text(), "look");
    }
}
