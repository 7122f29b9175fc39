//! The reasons of compactions, in words.

use epitome::Reason;

use crate::language::t;

macro_rules! reasons {
    ($($reason:ident => $label:expr;)+) => {
        /// Every reason, in the order of the select.
        pub(crate) const REASONS: [Reason; [$(stringify!($reason)),+].len()] = [$(Reason::$reason),+];

        /// The name of a reason.
        pub(crate) fn reason_label(reason: Reason) -> &'static str {
            match reason {
                $(Reason::$reason => $label,)+
            }
        }
    };
}

reasons! {
    Manual => t!("Manual");
    SessionCompaction => t!("Whole session");
    Threshold => t!("Threshold");
    RequestBoundary => t!("Request start");
    TaskTransition => t!("Task completed");
    Renew => t!("Changed messages");
    ReactiveMicro => t!("Tool loop, micro");
    ReactiveFull => t!("Tool loop, full");
    Reduce => t!("Reducers only");
}
