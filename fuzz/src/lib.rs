//! What must hold for any input, as functions of bytes. The fuzzer chooses the bytes by what they reach in the code.
//!
//! Each target panics if something does not hold. `tests/stored_inputs.rs` runs each on its stored inputs, so that what
//! was found once is found again without a fuzzer.

mod choices;
mod engine;
mod estimate;
mod formats;
mod json;
mod policy;
mod random;
mod snapshot;
mod sse;
mod texts;
mod tokenizer_json;
mod untouched;
mod vocabulary;

/// Does something with bytes, and panics if something does not hold.
pub type Target = fn(&[u8]);

/// Every target with its name, which is also its folder in `inputs/`.
pub const TARGETS: [(&str, Target); 10] = [
    ("engine", engine::check),
    ("estimate", estimate::check),
    ("formats", formats::check),
    ("policy", policy::check),
    ("snapshot", snapshot::check),
    ("sse", sse::check),
    ("texts", texts::check),
    ("tokenizer-json", tokenizer_json::check),
    ("untouched", untouched::check),
    ("vocabulary", vocabulary::check),
];

/// The target of this name.
pub fn target(name: &str) -> Option<Target> {
    TARGETS.iter().find(|(known, _)| *known == name).map(|(_, target)| *target)
}
