//! The tail: how much of the end of the conversation is kept word for word.

use epitome::Policy;
use epitome::policy::Keep;
use leptos::prelude::*;

use super::SettingsState;
use super::field::number::{percent, percentage, whole};
use super::field::{Choice, Select, TextField, TextInput, options};

/// The units of the tail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeepUnit {
    Fraction,
    Messages,
    Rounds,
    Tokens,
}

options!(KeepUnit {
    Fraction: "share", "% of the window";
    Messages: "messages", "messages";
    Rounds: "rounds", "rounds";
    Tokens: "tokens", "tokens";
});

/// The unit of the tail.
pub(super) fn keep_unit() -> Choice {
    let read = |policy: &Policy| {
        Some(match policy.keep {
            Keep::Fraction(_) => KeepUnit::Fraction,
            Keep::Messages(_) => KeepUnit::Messages,
            Keep::Rounds(_) => KeepUnit::Rounds,
            Keep::Tokens(_) => KeepUnit::Tokens,
        })
    };
    Choice::new("keep", "Measured in", read, |policy, unit| {
        policy.keep = match unit {
            KeepUnit::Fraction => Keep::Fraction(0.2),
            KeepUnit::Messages => Keep::Messages(12),
            KeepUnit::Rounds => Keep::Rounds(4),
            KeepUnit::Tokens => Keep::Tokens(8_000.min(policy.window / 5)),
        };
    })
}

/// The size of the tail.
pub(super) fn keep_amount() -> TextField {
    let read = |policy: &Policy| match policy.keep {
        Keep::Fraction(fraction) => percentage(fraction),
        Keep::Messages(amount) | Keep::Rounds(amount) | Keep::Tokens(amount) => amount.to_string(),
    };
    TextField::new("keep", "Tail", "", read, |policy, text| {
        policy.keep = match policy.keep {
            Keep::Fraction(_) => Keep::Fraction(percent(text)?),
            Keep::Messages(_) => Keep::Messages(whole(text)?),
            Keep::Rounds(_) => Keep::Rounds(whole(text)?),
            Keep::Tokens(_) => Keep::Tokens(whole(text)?),
        };
        Ok(())
    })
}

/// The tail.
#[component]
pub(super) fn KeepSettings(settings: SettingsState) -> impl IntoView {
    view! {
        <fieldset class="group">
            <legend>"Keep the end"</legend>
            <div class="fields">
                <TextInput settings field=keep_amount() />
                <Select settings choice=keep_unit() />
            </div>
        </fieldset>
    }
}
