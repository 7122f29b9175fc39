//! Signed reasoning that a provider would refuse behind a changed history.

use crate::history::{Change, PartChange};
use crate::message::{Message, Part};

/// Changes that remove the signed reasoning of a message, each part whole: a signature covers everything
/// before it, and neither the reasoning nor the signature is accepted without the other. A message that
/// contains nothing else keeps it, since it would be blank.
pub(in crate::plan) fn stale_reasoning(message: &Message) -> Vec<PartChange> {
    let is_signed = |part: &Part| matches!(part, Part::Reasoning { signature: Some(_), .. });
    if message.parts.iter().all(|part| is_signed(part) || part.is_blank()) {
        return Vec::new();
    }
    let parts = message.parts.iter().enumerate().filter(|(_, part)| is_signed(part));
    parts.map(|(part, _)| PartChange { part, change: Change::Remove }).collect()
}
