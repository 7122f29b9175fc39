//! How much of the end stays word for word.

use epitome::Policy;
use epitome::policy::Keep;

use super::amount::{percent, percentage, whole};
use super::entry::{Choice, Entry};

const KINDS: [(&str, &str); 4] = [
    ("share", "% of the window"),
    ("messages", "messages"),
    ("rounds", "rounds"),
    ("tokens", "tokens"),
];

/// What the tail is measured in.
pub(crate) fn keep_kind() -> Choice {
    let write = |policy: &mut Policy, name: &str| {
        policy.keep = match name {
            "messages" => Keep::Messages(12),
            "rounds" => Keep::Rounds(4),
            "tokens" => Keep::Tokens(8_000.min(policy.window / 5)),
            _ => Keep::Fraction(0.2),
        };
    };
    Choice::new("keep", "Measured in", &KINDS, |policy| kind(&policy.keep), write)
}

fn kind(keep: &Keep) -> &'static str {
    match keep {
        Keep::Fraction(_) => "share",
        Keep::Messages(_) => "messages",
        Keep::Rounds(_) => "rounds",
        Keep::Tokens(_) => "tokens",
    }
}

/// How much it is.
pub(crate) fn keep_amount() -> Entry {
    let read = |policy: &Policy| match policy.keep {
        Keep::Fraction(fraction) => percentage(fraction),
        Keep::Messages(amount) | Keep::Rounds(amount) | Keep::Tokens(amount) => amount.to_string(),
    };
    Entry::new("keep", "Tail", "", read, |policy, text| {
        policy.keep = match policy.keep {
            Keep::Fraction(_) => Keep::Fraction(percent(text)?),
            Keep::Messages(_) => Keep::Messages(whole(text)?),
            Keep::Rounds(_) => Keep::Rounds(whole(text)?),
            Keep::Tokens(_) => Keep::Tokens(whole(text)?),
        };
        Ok(())
    })
}
