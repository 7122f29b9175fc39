//! What an app says about a message that is not in the message itself.

use epitome::message::{Audience, Message, UnixTime};
use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// What an app says about messages that their format has no field for. Absent fields leave a message as it is.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MessageMetadata {
    /// Whether they survive every compaction word for word.
    #[tsify(optional)]
    pub pinned: Option<bool>,
    /// The kind of a message that the app generates, such as a reminder: the reducer `deduplicate` leaves out those that a
    /// later message repeats.
    #[tsify(optional)]
    pub synthetic: Option<String>,
    /// Who speaks, if there are several of one role.
    #[tsify(optional)]
    pub author: Option<String>,
    /// When it was sent, as `Date.now()` counts. A summarizer reads it to the minute.
    #[tsify(optional)]
    pub time: Option<f64>,
    /// The names of the agents that may see them; absent: all.
    #[tsify(optional)]
    pub audience: Option<Vec<String>>,
}

/// What is known of a message besides its content.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct StoredMetadata {
    /// Whether the model does not get it any more: a summary has replaced it, or it was removed. It is still in the history,
    /// and the undo of the compaction brings it back.
    pub is_compacted: bool,
    /// Whether it survives every compaction word for word.
    pub pinned: bool,
    /// The kind of a message that the app generates.
    #[tsify(optional)]
    pub synthetic: Option<String>,
    /// Who speaks, if there are several of one role.
    #[tsify(optional)]
    pub author: Option<String>,
    /// When it was sent, as `Date.now()` counts.
    #[tsify(optional)]
    pub time: Option<f64>,
    /// The names of the agents that may see it; absent: all.
    #[tsify(optional)]
    pub audience: Option<Vec<String>>,
}

impl StoredMetadata {
    pub(crate) fn of(message: &Message, is_compacted: bool) -> Self {
        let MessageMetadata { pinned, synthetic, author, time, audience } =
            MessageMetadata::of(message);
        let pinned = pinned.unwrap_or_default();
        Self { is_compacted, pinned, synthetic, author, time, audience }
    }
}

impl MessageMetadata {
    /// The message with these metadata. Absent fields stay as they are in the message.
    pub(crate) fn on(&self, message: Message) -> Message {
        let Self { pinned, synthetic, author, time, audience } = self.clone();
        Message {
            pinned: pinned.unwrap_or(message.pinned),
            synthetic: synthetic.or(message.synthetic),
            author: author.or(message.author),
            time: time.map(|time| UnixTime(time as u64)).or(message.time),
            audience: audience.map_or(message.audience, Audience::Agents),
            ..message
        }
    }

    /// The metadata of a message.
    pub(crate) fn of(message: &Message) -> Self {
        let Message { author, audience, time, synthetic, pinned, id: _, role: _, parts: _ } =
            message;
        Self {
            pinned: Some(*pinned),
            synthetic: synthetic.clone(),
            author: author.clone(),
            time: time.map(|time| time.0 as f64),
            audience: match audience {
                Audience::Everyone => None,
                Audience::Agents(names) => Some(names.clone()),
            },
        }
    }
}
