//! The epitome engine for JavaScript: thin bindings, one file for each thing that is exported.
//!
//! Nothing is decided here. Commands, `handle*` and `poll` forward to [`epitome::Compactor`]; what comes
//! back is a small plain object or the id of a message, so that each message crosses once. The `TypeScript`
//! driver beside this crate, in `npm/src`, does the waiting and the calling.
#![cfg(target_arch = "wasm32")]

mod compactor;
mod counter;
mod detection;
mod endpoint;
mod error;
mod event;
mod extractive;
mod format;
mod json;
mod legality;
mod made;
mod memory;
mod metadata;
mod output;
mod plain;
mod plan;
mod policy;
mod presets;
mod reason;
mod receipt;
mod recent;
mod report;
#[allow(dead_code, reason = "the other modules need more of it")]
#[path = "../../epitome-count/src/room.rs"]
mod room;
mod statistics;
mod status;
mod tokenizer;
mod tokenizer_json;
mod usage;

pub use compactor::Compactor;
pub use counter::{CounterOptions, count_by_provider};
pub use detection::{Detection, detect_format};
pub use endpoint::{EndpointOptions, EndpointTimeouts, complete};
pub use epitome_browser::{Completion, CompletionUsage};
pub use error::{ErrorCode, PackageErrorCode};
pub use event::EngineEvent;
pub use extractive::extractive;
pub use format::Format;
pub use legality::{Issue, IssueCode, Severity, convert, repair, validate};
pub use metadata::MessageMetadata;
pub use output::{BeforeCompaction, Output, Summarizer, SummaryRequest};
pub use plan::PlanFigures;
pub use policy::{
    Budget, ClearToolInputs, Counting, Encoding, Family, Fill, Keep, LastRequest,
    OffloadToolResults, Phase, Policy, PolicyFields, PolicySpec, Reactive, Reducer, ReducerRule,
    RequestBoundary, Retry, Shape, SummaryPlacement, SummarySettings, ToolFilter, Trigger,
    TruncateToolResults, TruncationStep, resolve_policy,
};
pub use presets::{Preset, Presets, presets};
pub use reason::Reason;
pub use receipt::{Fact, FactKind, Receipt};
pub use recent::recent_within;
pub use report::{Defect, Finding, Outcome, Report};
pub use room::room;
pub use statistics::Statistics;
pub use status::{Breakdown, Level, Status};
pub use tokenizer::{count_tokens, has_encoding, read_encoding, read_encoding_at_once};
pub use tokenizer_json::{Tokenizers, bring_tokenizers};
pub use usage::{Usage, read_usage};

/// Makes a panic say on the console where it happened.
#[cfg(feature = "panic-hook")]
#[wasm_bindgen::prelude::wasm_bindgen(start)]
fn start() {
    console_error_panic_hook::set_once();
}
