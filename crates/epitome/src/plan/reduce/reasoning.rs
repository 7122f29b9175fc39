//! Sealed thoughts that a provider would refuse behind a changed past.

use crate::history::{Change, PartChange};
use crate::message::{Message, Part};

/// The sealed thoughts of a message, left out whole: a seal is bound to what came before it, and neither
/// thought nor seal may stand alone. A message of nothing else keeps them.
pub(crate) fn stale_reasoning(message: &Message) -> Vec<PartChange> {
    let sealed = |part: &Part| matches!(part, Part::Reasoning { signature: Some(_), .. });
    if message.parts.iter().all(|part| sealed(part) || part.is_blank()) {
        return Vec::new();
    }
    let parts = message.parts.iter().enumerate().filter(|(_, part)| sealed(part));
    parts.map(|(part, _)| PartChange { part, change: Change::Remove }).collect()
}
