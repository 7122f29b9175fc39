//! The phases of an app's request loop, in words.

use epitome::policy::Phase;

use crate::language::t;

macro_rules! phases {
    ($($phase:ident => $label:expr, $hint:expr;)+) => {
        /// Every phase, in the order of the request loop.
        pub(crate) const PHASES: [Phase; [$(stringify!($phase)),+].len()] = [$(Phase::$phase),+];

        /// The name of a phase.
        pub(crate) fn phase_label(phase: Phase) -> &'static str {
            match phase {
                $(Phase::$phase => $label,)+
            }
        }

        /// When a phase is reached.
        pub(crate) fn phase_hint(phase: Phase) -> &'static str {
            match phase {
                $(Phase::$phase => $hint,)+
            }
        }
    };
}

phases! {
    RequestStart => t!("Request start"), t!("a user request has arrived");
    TurnStart => t!("Turn start"), t!("before the model is called");
    Loop => t!("Tool loop"), t!("after the tools have answered");
    TurnEnd => t!("Turn end"), t!("after the model has answered");
    Overflow => t!("Overflow"), t!("the provider rejected the prompt as too long");
}
