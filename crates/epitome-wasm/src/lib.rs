//! The epitome engine for JavaScript: thin bindings, one file for each thing that is exported.
//!
//! Commands, `handle*` and `poll` forward to [`epitome::Compactor`]. Options and results are the engine's own types, whose
//! TypeScript declarations its feature `tsify` adds. A message crosses once, when it is appended; after that, both sides
//! know it by its id. The driver in `npm/src/host` does the waiting and calls the app.
//!
//! Each feature exports functions for one purpose; the package's build compiles the crate once for each of its wasm modules.
#![cfg(target_arch = "wasm32")]
#![cfg_attr(
    not(all(feature = "engine", feature = "endpoint", feature = "validation")),
    allow(
        dead_code,
        reason = "a module with a part of the exports needs a part of what they share"
    )
)]

#[cfg(feature = "engine")]
mod compactor;
#[cfg(feature = "engine")]
mod composed;
#[cfg(feature = "endpoint")]
mod counter;
#[cfg(feature = "validation")]
mod detection;
#[cfg(feature = "endpoint")]
mod endpoint;
mod error;
#[cfg(feature = "extractive")]
mod extractive;
mod format;
mod host;
mod json;
#[cfg(feature = "engine")]
mod memory;
#[cfg(feature = "engine")]
mod metadata;
#[cfg(feature = "engine")]
mod output;
#[cfg(feature = "engine")]
mod overflow;
#[cfg(feature = "engine")]
mod plain_json;
#[cfg(feature = "engine")]
mod plan;
#[cfg(feature = "engine")]
mod policy;
mod policy_types;
#[cfg(feature = "engine")]
mod presets;
#[cfg(feature = "engine")]
mod recent;
#[cfg(feature = "engine")]
mod snapshot;
#[cfg(feature = "engine")]
mod status;
#[cfg(feature = "engine")]
mod tokenizer;
#[cfg(feature = "engine")]
mod usage;
#[cfg(feature = "validation")]
mod validation;

#[cfg(feature = "engine")]
pub use compactor::Compactor;
#[cfg(feature = "endpoint")]
pub use counter::{CounterOptions, count_by_provider};
#[cfg(feature = "validation")]
pub use detection::detect_format;
#[cfg(feature = "endpoint")]
pub use endpoint::{EndpointOptions, EndpointTimeouts, compact_by_provider, complete};
pub use epitome_buffer::resize_buffer;
pub use error::{ErrorCode, PackageErrorCode};
#[cfg(feature = "extractive")]
pub use extractive::{Extractive, request_for_model};
pub use host::{Host, connect};
#[cfg(feature = "engine")]
pub use metadata::MessageMetadata;
#[cfg(feature = "engine")]
pub use output::Output;
#[cfg(feature = "engine")]
pub use overflow::context_overflow;
#[cfg(feature = "engine")]
pub use plan::{PlanFigures, PlanView};
#[cfg(feature = "engine")]
pub use policy::{countings_of, resolve_policy};
#[cfg(feature = "engine")]
pub use presets::{Preset, presets};
#[cfg(feature = "engine")]
pub use recent::recent_within;
#[cfg(feature = "engine")]
pub use snapshot::ParsedSnapshot;
#[cfg(feature = "engine")]
pub use status::Status;
#[cfg(feature = "engine")]
pub use tokenizer::parse_counting;
#[cfg(feature = "engine")]
pub use usage::read_usage;
#[cfg(feature = "validation")]
pub use validation::{ReadMessages, adapt, convert_each};

/// Logs a panic with its location to the console.
#[cfg(feature = "panic-hook")]
#[wasm_bindgen::prelude::wasm_bindgen(start)]
fn start() {
    console_error_panic_hook::set_once();
}
