//! The epitome engine for JavaScript: thin bindings, one file for each thing that is exported.
//!
//! Commands, `handle*` and `poll` forward to [`epitome::Compactor`]. Options and results are the engine's own types, whose
//! TypeScript declarations its feature `tsify` adds. A message crosses once, when it is appended; after that, both sides
//! know it by its id. The driver in `npm/src/host` does the waiting and calls the app.
#![cfg(target_arch = "wasm32")]

mod compactor;
mod composed;
mod counter;
mod detection;
mod endpoint;
mod error;
mod extractive;
mod format;
mod host;
mod json;
mod memory;
mod metadata;
mod output;
mod overflow;
mod plain_json;
mod plan;
mod policy;
mod presets;
mod recent;
mod snapshot;
mod status;
mod tokenizer;
mod usage;
mod validation;

pub use compactor::Compactor;
pub use counter::{CounterOptions, count_by_provider};
pub use detection::detect_format;
pub use endpoint::{EndpointOptions, EndpointTimeouts, complete};
pub use epitome_buffer::resize_buffer;
pub use error::{ErrorCode, PackageErrorCode};
pub use extractive::extractive;
pub use host::{Host, connect};
pub use metadata::MessageMetadata;
pub use output::Output;
pub use overflow::context_overflow;
pub use plan::{PlanFigures, PlanView};
pub use policy::{counting_of, resolve_policy};
pub use presets::{Preset, presets};
pub use recent::recent_within;
pub use snapshot::ParsedSnapshot;
pub use status::Status;
pub use tokenizer::{
    count_tokens, has_encoding, parse_counting, read_encoding, read_encoding_at_once,
};
pub use usage::read_usage;
pub use validation::{convert, repair, validate, validate_locked};

/// Logs a panic with its location to the console.
#[cfg(feature = "panic-hook")]
#[wasm_bindgen::prelude::wasm_bindgen(start)]
fn start() {
    console_error_panic_hook::set_once();
}
