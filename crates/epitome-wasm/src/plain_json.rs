//! Messages that crossed as JSON in one piece.

use epitome::message::{Message, MessageId};
use epitome_formats::Format;
use serde_json::{Deserializer, Value};

use crate::error::Thrown;
use crate::{json, memory};

/// What messages read as that stand in `json` one behind the other, and are called `m` and a number from `first` on.
/// `None` where one of them cannot be read. Each is let go of before the next one is read.
pub(crate) fn read(
    format: Format,
    json: &[u8],
    first: u32,
) -> Result<Option<Vec<Message>>, Thrown> {
    let mut pieces = Vec::new();
    for (index, value) in (0_u32..).zip(Deserializer::from_slice(json).into_iter::<Value>()) {
        let Ok(value) = value else { return Ok(None) };
        memory::grow_ahead();
        let id = MessageId::from(format!("m{}", first.saturating_add(index)));
        pieces.extend(json::pieces(format, &id, &value, &format_args!("messages[{index}]"))?);
    }
    Ok(Some(pieces))
}
