//! How much of the end of the conversation is kept word for word.

use epitome::Policy;
use epitome::policy::Keep;

use super::field::number::{percent, percentage, whole};
use super::field::{Choice, Options as _, TextField, options};
use crate::language::t;

/// The units of what is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeepUnit {
    Fraction,
    Messages,
    Rounds,
    Tokens,
}

options!(KeepUnit {
    Fraction: "share", t!("% of the window");
    Messages: "messages", t!("messages");
    Rounds: "rounds", t!("rounds");
    Tokens: "tokens", t!("tokens");
});

impl KeepUnit {
    /// The unit in a policy.
    pub(super) fn of(policy: &Policy) -> Self {
        match policy.keep {
            Keep::Fraction(_) => Self::Fraction,
            Keep::Messages(_) => Self::Messages,
            Keep::Rounds(_) => Self::Rounds,
            Keep::Tokens(_) => Self::Tokens,
        }
    }

    /// How many of this unit are kept.
    pub(super) fn amount(self) -> TextField {
        let read = move |policy: &Policy| match policy.keep {
            _ if Self::of(policy) != self => String::new(),
            Keep::Fraction(fraction) => percentage(fraction),
            Keep::Messages(amount) | Keep::Rounds(amount) | Keep::Tokens(amount) => {
                amount.to_string()
            }
        };
        TextField::new("keep", t!("Keep at the end"), self.unit(), read, move |policy, text| {
            policy.keep = match self {
                Self::Fraction => Keep::Fraction(percent(text)?),
                Self::Messages => Keep::Messages(whole(text)?),
                Self::Rounds => Keep::Rounds(whole(text)?),
                Self::Tokens => Keep::Tokens(whole(text)?),
            };
            Ok(())
        })
        .about(t!("The end of the conversation stays word for word up to this length."))
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Fraction => "%",
            Self::Messages | Self::Rounds | Self::Tokens => self.label(),
        }
    }
}

/// The unit of what is kept.
pub(super) fn keep_unit() -> Choice {
    let read = |policy: &Policy| Some(KeepUnit::of(policy));
    Choice::new("keep", t!("Measured in"), read, |policy, unit| {
        policy.keep = match unit {
            KeepUnit::Fraction => Keep::Fraction(0.2),
            KeepUnit::Messages => Keep::Messages(12),
            KeepUnit::Rounds => Keep::Rounds(4),
            KeepUnit::Tokens => Keep::Tokens(8_000.min(policy.window / 5)),
        };
    })
    .about(t!("What the end of the conversation is measured in; a round is one answer with its tool results."))
}
