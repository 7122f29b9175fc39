//! Changes to some parts of a message that stays.

use epitome_columns::sort_by_key;
use serde::{Deserialize, Serialize};

use crate::message::{Message, MessageId, Part};

/// The changes to one message. Parts that are not named stay as they are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rewrite {
    /// The message.
    pub id: MessageId,
    /// Its changed parts, in the order of the parts.
    pub changes: Vec<PartChange>,
}

/// A changed part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartChange {
    /// Its index among the parts of the original message.
    pub part: usize,
    /// The change.
    pub change: Change,
}

/// A change to one part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// Replaces a text or the text of a tool result.
    Text {
        /// The new text.
        text: String,
    },
    /// Replaces the text of a tool result. The original can be read under a path.
    Offload {
        /// The new text.
        text: String,
        /// The path, such as `tool-results/call_1.txt`.
        path: String,
    },
    /// Replaces the arguments of a tool call.
    Arguments {
        /// The new arguments as JSON text.
        arguments: String,
    },
    /// Removes the part.
    Remove,
}

impl Rewrite {
    /// The message with the changes. A change of another kind than its part has no effect.
    pub fn apply(&self, message: &Message) -> Message {
        let mut changes = self.changes.iter().peekable();
        let parts = message.parts.iter().enumerate().filter_map(|(index, part)| {
            // One pass over both lists. It relies on the order of the changes: behind one that is out of order,
            // no other is applied.
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

/// The changes of a message with its signed reasoning removed as well, each part whole: neither the reasoning nor the
/// signature is accepted without the other.
pub(crate) fn without_signed_reasoning(
    message: &Message,
    changes: &[PartChange],
) -> Vec<PartChange> {
    let is_signed = |at: usize| message.parts.get(at).is_some_and(Part::is_signed_reasoning);
    // Changes are applied in one pass, so that each part has at most one.
    let others = changes.iter().filter(|change| !is_signed(change.part)).cloned();
    let signed = (0..message.parts.len()).filter(|at| is_signed(*at));
    let removals = signed.map(|part| PartChange { part, change: Change::Remove });
    let mut all: Vec<PartChange> = others.chain(removals).collect();
    sort_by_key(&mut all, |change| change.part);
    all
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
    fn parts_that_are_not_named_stay() {
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

    #[test]
    fn signed_reasoning_goes_beside_the_changes_of_other_parts() {
        let message = transcript("a: ?hm#signed look ?ho").remove(0);
        let text = |part: usize| change(part, Change::Text { text: "short".into() });
        let changes = without_signed_reasoning(&message, &[text(0), text(1)]);
        assert_eq!(changes, [change(0, Change::Remove), text(1)]);
    }
}
