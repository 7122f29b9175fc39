//! The settings as somebody fills them in: each field reads a policy and writes it back.
//!
//! The policy is what counts; a field is a way to look at a part of it. What no field shows is left alone.

mod amount;
mod counting;
mod entry;
mod keep;
mod place;
mod preset;
mod reducer;
mod result;
mod spec;
mod summary;
mod trigger;

pub(crate) use amount::whole;
pub(crate) use counting::{
    attempts, by_characters, cap, characters_per_token, counter, first_wait, tool_schemas,
};
pub(crate) use entry::{Choice, Entry, Switch, Width};
pub(crate) use keep::{keep_amount, keep_kind};
pub(crate) use place::place;
pub(crate) use preset::PRESETS;
pub(crate) use reducer::ReducerKind;
pub(crate) use result::{keep_requests, min_saving, summary_placement, warning};
pub(crate) use spec::Settings;
pub(crate) use summary::{
    Writer, chunk_characters, chunks, fallback_levels, fallback_levels_on, last_request, ledger,
    max_tokens, named_agent, own_prompt, rollup, shape, summarizer_window, tool_results, tools,
    writer,
};
pub(crate) use trigger::{
    TriggerKind, at_messages, at_share, at_tokens, instead_tokens, output_reserve, phase, reactive,
    reactive_entries, request_boundary, request_entries, safety_margin, target, trigger_kind,
    window,
};
