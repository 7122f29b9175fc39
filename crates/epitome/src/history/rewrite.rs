//! A message that stays, but for some of its parts.

use serde::{Deserialize, Serialize};

use crate::message::{Message, MessageId, Part};

/// What is changed in one message. Everything that is not named stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rewrite {
    /// The message.
    pub id: MessageId,
    /// Its changed parts, in order.
    pub changes: Vec<PartChange>,
}

/// A changed part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartChange {
    /// Its index among the parts of the message as it came.
    pub part: usize,
    /// What becomes of it.
    #[serde(flatten)]
    pub change: Change,
}

/// What becomes of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "camelCase")]
pub enum Change {
    /// A text or a tool result says this instead.
    Text {
        /// What it says now.
        text: String,
    },
    /// A tool result says this instead; all of it can be read back under a name.
    Offload {
        /// What it says now.
        text: String,
        /// The name, made like a path: `tool-results/call_1.txt`.
        path: String,
    },
    /// A tool call has these arguments instead.
    Arguments {
        /// The arguments as the provider would write them.
        arguments: String,
    },
    /// It is left out.
    Remove,
}

impl Rewrite {
    /// The message as it is seen. A change that does not fit its part leaves it as it was.
    pub fn apply(&self, message: &Message) -> Message {
        let mut changes = self.changes.iter().peekable();
        let parts = message.parts.iter().enumerate().filter_map(|(index, part)| {
            let change = changes.next_if(|change| change.part == index);
            match change {
                Some(change) => change.change.apply(part),
                None => Some(part.clone()),
            }
        });
        let parts = parts.collect();
        Message { parts, ..message.clone() }
    }
}

impl Change {
    fn apply(&self, part: &Part) -> Option<Part> {
        Some(match (self, part) {
            (Self::Remove, _) => return None,
            (Self::Text { text }, Part::Text { .. }) => Part::text(text.as_str()),
            (
                Self::Text { text } | Self::Offload { text, .. },
                Part::ToolResult { call, name, .. },
            ) => Part::ToolResult { call: call.clone(), name: name.clone(), text: text.clone() },
            (Self::Arguments { arguments }, Part::ToolCall { call, name, .. }) => Part::ToolCall {
                call: call.clone(),
                name: name.clone(),
                arguments: arguments.clone(),
            },
            (_, part) => part.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_notation::{notate, transcript};

    fn change(part: usize, change: Change) -> PartChange {
        PartChange { part, change }
    }

    #[test]
    fn what_is_not_named_stays() {
        let message = transcript("a: ?hm look !one !two").remove(0);
        let arguments = Change::Arguments { arguments: "{\"a\":1}".into() };
        let rewrite = Rewrite {
            id: message.id.clone(),
            changes: vec![change(0, Change::Remove), change(2, arguments.clone())],
        };
        let seen = rewrite.apply(&message);
        assert_eq!(notate([&seen]), "a: look !one<{\"a\":1}> !two\n");
        assert_eq!(seen.parts[2], message.parts[3]);
        let misfit = Rewrite { id: message.id.clone(), changes: vec![change(1, arguments)] };
        assert_eq!(misfit.apply(&message), message);
    }
}
