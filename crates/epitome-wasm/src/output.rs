//! What the engine asks its driver to do.

use epitome::{BeforeCompaction, Save, SummaryRequest, Timestamp};
use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::prelude::*;

use crate::error::Thrown;
use crate::json;

/// In JSON, the fields of the outcome are among those of the report.
#[wasm_bindgen(typescript_custom_section)]
const REPORT: &str = r"
/** What one compaction did. */
export type Report = ReportFields & ReportOutcome;
";

/// What the engine asks its driver to do: [`epitome::Output`] as tagged objects, without the records, which stay in the
/// engine.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(tag = "type", rename_all = "camelCase")]
#[tsify(hashmap_as_object)]
pub enum Output {
    /// Say whether a compaction may start.
    Before {
        /// The compaction.
        context: BeforeCompaction,
    },
    /// Have a summary written.
    Summarize {
        /// The request.
        request: SummaryRequest,
    },
    /// Confirm that the record is stored.
    Persist,
    /// Save the conversation, before the next output.
    Save {
        /// Which occasion it is.
        save: Save,
    },
    /// The view has changed.
    Changed,
    /// Something to show.
    Event {
        /// What happened. A receipt can have thousands of facts, which JavaScript reads from one text in a third of the time
        /// that one call for each of their fields takes.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "EngineEvent")]
        event: JsValue,
    },
    /// Poll again, after the page has had the time to react.
    Continue,
    /// Nothing more for now.
    Wait {
        /// When to call `handleTimeout`, if at all.
        #[serde(skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
    },
}

impl Output {
    pub(crate) fn new(output: epitome::Output) -> Result<Self, Thrown> {
        Ok(match output {
            epitome::Output::Before(context) => Self::Before { context },
            epitome::Output::Summarize(request) => Self::Summarize { request },
            epitome::Output::Persist(_) => Self::Persist,
            epitome::Output::Save(save) => Self::Save { save },
            epitome::Output::Changed => Self::Changed,
            epitome::Output::Event(event) => Self::Event { event: json::write(&event)? },
            epitome::Output::Continue => Self::Continue,
            epitome::Output::Wait(until) => Self::Wait { until },
        })
    }
}
