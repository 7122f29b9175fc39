//! Messages that cross as one JSON text.

use epitome::message::MessageId;
use epitome_formats::Format;
use serde_json::{Deserializer, Value};

use crate::error::Thrown;
use crate::json::ReadMessage;
use crate::{json, memory};

/// The messages of JSON values that follow each other in `json`, with the ids `m` and a number that starts at `first`.
/// `None` if one of them is not JSON. Each value is freed before the next one is read. The first one stands at `index` in the
/// app's list.
pub(crate) fn read(
    format: Format,
    json: &[u8],
    first: u32,
    index: u32,
) -> Result<Option<Vec<ReadMessage>>, Thrown> {
    let mut read = Vec::new();
    for (count, value) in (0_u32..).zip(Deserializer::from_slice(json).into_iter::<Value>()) {
        let Ok(value) = value else { return Ok(None) };
        memory::grow_ahead();
        let id = MessageId::from(format!("m{}", first.saturating_add(count)));
        let place = index.saturating_add(count);
        read.push(json::read_message(format, &id, &value, &format_args!("messages[{place}]"))?);
    }
    Ok(Some(read))
}
