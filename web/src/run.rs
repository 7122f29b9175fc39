//! Running a compaction: the button, the settings of this one compaction, the decision before it, and its progress.

mod act;
mod decision;
mod phases;
mod progress;
mod start;
mod task;

pub(crate) use act::Act;
pub(crate) use decision::CONTINUE_BUTTON;
pub(crate) use phases::Phases;
pub(crate) use progress::{Arriving, CANCEL_BUTTON};
pub(crate) use start::Start;
pub(crate) use task::CompleteTask;

/// The id of the button that compacts, which gets the focus back.
pub(crate) const COMPACT_BUTTON: &str = "compact-now";

/// The id of the form of that button, which is elsewhere on the page.
const COMPACT_FORM: &str = "compact-form";
