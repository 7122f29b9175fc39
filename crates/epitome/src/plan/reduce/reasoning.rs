//! Signed reasoning that a provider would refuse behind a changed history.

use crate::history::{Change, PartChange};
use crate::message::{Message, Part};

/// True for a model that refuses signed reasoning once anything before it has changed, whose name may have a vendor in
/// front and a date behind: Claude Fable from 5.1 on. All others check a signature with its own part only.
pub(in crate::plan) fn binds_reasoning(model: &str) -> bool {
    let model = model.to_ascii_lowercase();
    let Some((_, version)) = model.split_once("claude-fable-") else { return false };
    let mut numbers = version.split(['-', '.', ':', '@']).map(|number| {
        // A longer number is the date of a release.
        number.parse::<u32>().ok().filter(|_| number.len() < 3)
    });
    let major = numbers.next().flatten().unwrap_or(0);
    let minor = numbers.next().flatten().unwrap_or(0);
    (major, minor) >= (5, 1)
}

/// Changes that remove the signed reasoning of a message, each part whole: neither the reasoning nor the signature
/// is accepted without the other. A message that contains nothing else is left out of the view then.
pub(in crate::plan) fn bound_reasoning(message: &Message) -> Vec<PartChange> {
    let is_signed = |part: &Part| matches!(part, Part::Reasoning { signature: Some(_), .. });
    let parts = message.parts.iter().enumerate().filter(|(_, part)| is_signed(part));
    parts.map(|(part, _)| PartChange { part, change: Change::Remove }).collect()
}

#[cfg(test)]
mod tests {
    use super::binds_reasoning;

    #[test]
    fn models_that_bind_reasoning_are_known_by_their_version() {
        for model in [
            "claude-fable-5-1",
            "claude-fable-5.1",
            "anthropic/claude-fable-5.2",
            "us.anthropic.claude-fable-5-1-20260826-v1:0",
            "Claude-Fable-6",
        ] {
            assert!(binds_reasoning(model), "{model}");
        }
        for model in [
            "claude-fable-5",
            "claude-fable-5-20260610",
            "claude-opus-5-1",
            "gpt-5.1",
            "claude-mythos-5-1",
        ] {
            assert!(!binds_reasoning(model), "{model}");
        }
    }
}
