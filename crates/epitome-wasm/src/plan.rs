//! What a compaction would do to every message.

use epitome::{Conversation, Fate};
use js_sys::{Array, Uint8Array, Uint32Array};
use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::prelude::JsValue;

use crate::error::Thrown;
use crate::reason::Reason;

/// A compaction, thought through but not done, without what becomes of each message.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct PlanFigures {
    /// Why it would be made.
    pub reason: Reason,
    /// True where a summary is to be written; otherwise reducers alone work.
    pub summarizes: bool,
    /// How many messages the summary would stand for.
    pub summarized: u32,
    /// How many messages would be seen otherwise, or left out, without being summarized.
    pub reduced: u32,
    /// Tokens of the view now, tool schemas included.
    pub tokens_before: u32,
    /// Tokens of the view afterwards, with a summary of `summaryTokens`.
    pub tokens_after: u32,
    /// How many tokens the summary may take.
    pub summary_tokens: u32,
    /// How many of those are for the facts that the summary lost.
    pub ledger_tokens: u32,
    /// How often the summarizer would be asked.
    pub requests: u32,
    /// Why there is nothing to do, where that is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<String>,
    /// Why the threshold cannot be met, where that is so: what cannot be removed, item by item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<String>,
}

/// The names of fates, by the numbers that [`columns`] has.
pub(crate) fn fates() -> Array {
    Fate::ALL.iter().map(|fate| JsValue::from_str(fate.as_str())).collect()
}

/// A plan as columns: its figures; and of every message the number of its fate, its tokens in the view now,
/// and those afterwards. A hundred thousand messages cross as three copies of memory.
pub(crate) fn columns(plan: &epitome::Plan, conversation: &Conversation) -> Result<Array, Thrown> {
    let number = |fate: &Fate| Fate::ALL.iter().position(|other| other == fate).unwrap_or(0) as u8;
    let fates: Vec<u8> = plan.fates.iter().map(number).collect();
    let (before, after) = plan.tokens(conversation);
    Ok(Array::of4(
        &PlanFigures::of(plan).into_ts().map_err(Thrown::from)?.js_value(),
        &Uint8Array::from(fates.as_slice()),
        &Uint32Array::from(before.as_slice()),
        &Uint32Array::from(after.as_slice()),
    ))
}

impl PlanFigures {
    fn of(plan: &epitome::Plan) -> Self {
        Self {
            reason: plan.reason.into(),
            summarizes: plan.summarizes,
            summarized: plan.summarized(),
            reduced: plan.reduced(),
            tokens_before: plan.tokens_before,
            tokens_after: plan.tokens_after,
            summary_tokens: plan.summary_tokens,
            ledger_tokens: plan.ledger_tokens,
            requests: plan.requests,
            idle: plan.idle.clone(),
            floor: plan.floor.clone(),
        }
    }
}
