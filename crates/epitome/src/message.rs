//! The canonical message: what every format is read into.

mod attachment;
mod entry;
mod id;
mod part;
mod timestamp;
mod usage;

pub(crate) use attachment::attachment;
pub(crate) use entry::CALLS;
pub use entry::Entry;
pub use id::{CallId, CheckpointId, MessageId, RequestId};
pub use part::{Media, Part};
pub use timestamp::Timestamp;
pub use usage::Usage;

use serde::{Deserialize, Serialize};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Standing instructions, by whoever runs the app.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool that the model called.
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

/// Who may see a message, in a conversation of several agents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// All agents.
    #[default]
    Everyone,
    /// Only these agents, by name.
    Agents(Vec<String>),
}

/// A message as the engine sees it: enough to count, cut and summarize. The host keeps its own object,
/// with everything else that came along, and gets it back by id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The host's name for it.
    pub id: MessageId,
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub parts: Vec<Part>,
    /// Name of the speaker, where there are several of one role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Who may see it.
    #[serde(default)]
    pub audience: Audience,
    /// When it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Timestamp>,
    /// The kind of machine-made message it is (a reminder, a health check), or `None` where somebody
    /// said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synthetic: Option<String>,
    /// Pinned messages survive every compaction, word for word.
    #[serde(default)]
    pub pinned: bool,
}

impl Message {
    /// A message of one text.
    pub fn new(id: impl Into<MessageId>, role: Role, text: impl Into<String>) -> Self {
        Self::with_parts(id, role, vec![Part::text(text)])
    }

    /// A message of these parts.
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

    /// True where its provider has condensed earlier messages to it. A provider may leave out what stands before.
    pub fn is_compaction(&self) -> bool {
        self.parts.iter().any(Part::is_compaction)
    }

    /// The calls it makes, in order.
    pub fn calls(&self) -> impl Iterator<Item = &CallId> {
        self.parts.iter().filter_map(|part| match part {
            Part::ToolCall { call, .. } => Some(call),
            _ => None,
        })
    }

    /// The calls it answers, in order.
    pub fn results(&self) -> impl Iterator<Item = &CallId> {
        self.parts.iter().filter_map(|part| match part {
            Part::ToolResult { call, .. } => Some(call),
            _ => None,
        })
    }

    /// All of its plain text, parts joined by a line break.
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

    /// Everything in it that can be read: text, tool calls and results, a line each. Thoughts are not.
    pub fn readable_text(&self) -> String {
        let words: Vec<&str> = self
            .parts
            .iter()
            .flat_map(|part| match part {
                Part::Text { text } | Part::ToolResult { text, .. } => [Some(text.as_str()), None],
                Part::ToolCall { name, arguments, .. } => [Some(name.as_str()), Some(arguments)],
                _ => [None, None],
            })
            .flatten()
            .collect();
        words.join("\n")
    }

    /// True where this stands somewhere in what can be read.
    pub fn contains(&self, wording: &str) -> bool {
        self.parts.iter().any(|part| match part {
            Part::Text { text } | Part::ToolResult { text, .. } => text.contains(wording),
            Part::ToolCall { name, arguments, .. } => {
                name.contains(wording) || arguments.contains(wording)
            }
            _ => false,
        })
    }

    /// True where a model would find nothing to read.
    pub fn is_blank(&self) -> bool {
        self.parts.iter().all(Part::is_blank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Media;

    #[test]
    fn a1_a_message_with_everything_in_it_is_stored_and_read_back() {
        let parts = vec![
            Part::text("look"),
            Part::Reasoning { text: "hm".into(), signature: Some("sealed".into()) },
            Part::ToolCall { call: "c".into(), name: "f".into(), arguments: "{\"a\":".into() },
            Part::ToolResult { call: "c".into(), name: None, text: "42".into() },
            Part::Image(Media { pixels: Some((640, 480)), ..Media::default() }),
            Part::File(Media { name: Some("plan.pdf".into()), ..Media::default() }),
            Part::Other { kind: "hologram".into(), characters: 7 },
        ];
        let message = Message {
            author: Some("alice".into()),
            audience: Audience::Agents(vec!["planner".into()]),
            time: Some(Timestamp(1_700_000_000_000)),
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
