//! The reasons of compactions, in words.

use epitome::Reason;

use crate::language::t;

macro_rules! reasons {
    ($($reason:ident => $label:literal;)+) => {
        /// Every reason, in the order of the select.
        pub(crate) const REASONS: [Reason; [$($label),+].len()] = [$(Reason::$reason),+];

        /// The name of a reason.
        pub(crate) fn reason_label(reason: Reason) -> &'static str {
            match reason {
                $(Reason::$reason => t!($label),)+
            }
        }
    };
}

reasons! {
    Manual => "Manual";
    SessionCompaction => "Whole session";
    Threshold => "Threshold";
    RequestBoundary => "Request start";
    TaskTransition => "Task completed";
    Renew => "Changed messages";
    ReactiveMicro => "Tool loop, micro";
    ReactiveFull => "Tool loop, full";
    Reduce => "Reducers only";
}
