//! What an app knows about a message and the message itself does not tell.

use epitome::message::{Audience, Message, UnixTime};
use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// What an app knows about messages that their format has no place for. What is absent is as it was.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MessageMetadata {
    /// Whether they survive every compaction, word for word.
    #[tsify(optional)]
    pub pinned: Option<bool>,
    /// The kind of machine-made message they are, such as a reminder: the reducer `trim` leaves out those
    /// that a later one repeats.
    #[tsify(optional)]
    pub synthetic: Option<String>,
    /// Who speaks, where there are several of one role.
    #[tsify(optional)]
    pub author: Option<String>,
    /// When it was sent, as `Date.now()` counts. A summarizer reads it to the minute.
    #[tsify(optional)]
    pub time: Option<f64>,
    /// The agents that may see them, by name; all where absent.
    #[tsify(optional)]
    pub audience: Option<Vec<String>>,
}

impl MessageMetadata {
    /// The message with these metadata besides its own.
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

    /// What metadata a message already.
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
