//! What becomes of a message.

use serde::Serialize;

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// It stays as it is seen now.
    Keep,
    /// It adds nothing, and is left out.
    Trim,
    /// Its tool results are truncated by age.
    Truncate,
    /// The arguments of its tool calls are shortened.
    Prune,
    /// Its tool results are put aside.
    Offload,
    /// Its sealed thoughts are left out: behind a changed past no provider takes them.
    Strip,
    /// It is left out to make room.
    Drop,
    /// The summary is to stand for it.
    Summarize,
    /// It is not in the view any more: an earlier summary stands for it, or it was left out.
    Summarized,
}

impl Fate {
    /// Every fate, in the order to show them, each at its own number.
    pub const ALL: [Self; 9] = [
        Self::Keep,
        Self::Trim,
        Self::Truncate,
        Self::Prune,
        Self::Offload,
        Self::Strip,
        Self::Drop,
        Self::Summarize,
        Self::Summarized,
    ];

    /// The fate's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Trim => "trim",
            Self::Truncate => "truncate",
            Self::Prune => "prune",
            Self::Offload => "offload",
            Self::Strip => "strip",
            Self::Drop => "drop",
            Self::Summarize => "summarize",
            Self::Summarized => "summarized",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fate_is_listed_at_its_number() {
        for (number, fate) in Fate::ALL.into_iter().enumerate() {
            assert_eq!(fate as usize, number, "{fate:?}");
        }
    }
}
