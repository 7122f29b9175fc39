//! What a compaction would do with every message.

use epitome::{Action, Columns, LockedParts, Reason};
use js_sys::Array;
use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::prelude::JsValue;

/// What a compaction would do, without the actions of the messages.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct PlanFigures {
    /// Why it would be made.
    pub reason: Reason,
    /// True if a summary is written; otherwise only reducers work.
    pub summarizes: bool,
    /// How many messages the summary would cover.
    pub summarized: u32,
    /// How many messages would be changed or left out without being summarized.
    pub reduced: u32,
    /// Tokens of the view now, including tool schemas.
    pub tokens_before: u32,
    /// Tokens of the view afterwards, with a summary of `summaryTokens`.
    pub tokens_after: u32,
    /// How many tokens the summary may take.
    pub summary_tokens: u32,
    /// How many of those are for facts that the summary lost.
    pub ledger_tokens: u32,
    /// Signed reasoning that a model such as Claude Fable does not accept behind the change, if there is some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locked_reasoning: Option<LockedParts>,
    /// How many requests the summarizer would get.
    pub requests: u32,
    /// Why there is nothing to do, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<String>,
    /// Why the threshold cannot be met, if so: what cannot be removed, item by item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<String>,
}

/// A plan, whose rows stay in the module's memory. They are valid until the next call of the compactor.
#[derive(Clone, Debug, Serialize, Tsify)]
pub struct PlanView {
    /// Everything but the rows.
    pub figures: PlanFigures,
    /// The number of rows.
    pub count: usize,
    /// The address of three columns of `count` numbers: see [`Columns::numbers`].
    pub columns: usize,
    /// The address of the indices of the rows that differ from those of the previous plan.
    pub changed: usize,
    /// How many those are.
    pub changes: usize,
}

/// The names of actions, by the numbers that [`Columns`] have.
pub(crate) fn actions() -> Array {
    Action::ALL.iter().map(|action| JsValue::from_str(action.as_str())).collect()
}

/// The consecutive plans of one compactor. JavaScript reads their rows from the module's memory, so that those of a hundred
/// thousand messages are not copied.
#[derive(Default)]
pub(crate) struct Plans {
    columns: Columns,
}

impl Plans {
    /// Replaces the rows by those of the next plan.
    pub(crate) fn next(&mut self, plan: &epitome::Plan, engine: &epitome::Compactor) -> PlanView {
        self.columns.update(plan, engine.conversation(), &engine.scale());
        let changed = self.columns.changed();
        PlanView {
            figures: PlanFigures::of(plan),
            count: plan.actions.len(),
            columns: self.columns.numbers().as_ptr() as usize,
            changed: changed.as_ptr() as usize,
            changes: changed.len(),
        }
    }
}

impl PlanFigures {
    fn of(plan: &epitome::Plan) -> Self {
        Self {
            reason: plan.reason,
            summarizes: plan.summarizes,
            summarized: plan.summarized(),
            reduced: plan.reduced(),
            tokens_before: plan.tokens_before,
            tokens_after: plan.tokens_after,
            summary_tokens: plan.summary_tokens,
            ledger_tokens: plan.ledger_tokens,
            locked_reasoning: plan.locked_reasoning,
            requests: plan.requests,
            idle: plan.idle.clone(),
            floor: plan.floor.clone(),
        }
    }
}
