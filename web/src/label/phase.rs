//! The phases of an app's request loop, in words.

use epitome::policy::Phase;

use crate::language::t;

macro_rules! phases {
    ($($phase:ident => $label:literal, $hint:literal;)+) => {
        /// Every phase, in the order of the request loop.
        pub(crate) const PHASES: [Phase; [$($label),+].len()] = [$(Phase::$phase),+];

        /// The name of a phase.
        pub(crate) fn phase_label(phase: Phase) -> &'static str {
            match phase {
                $(Phase::$phase => t!($label),)+
            }
        }

        /// When a phase is reached.
        pub(crate) fn phase_hint(phase: Phase) -> &'static str {
            match phase {
                $(Phase::$phase => t!($hint),)+
            }
        }
    };
}

phases! {
    RequestStart => "Request start", "a user request has arrived";
    TurnStart => "Turn start", "before the model is called";
    Loop => "Tool loop", "after the tools have answered";
    TurnEnd => "Turn end", "after the model has answered";
    Overflow => "Overflow", "the provider rejected the prompt as too long";
}
