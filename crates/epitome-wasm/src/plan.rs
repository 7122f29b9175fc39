//! What a compaction would do to every message.

use epitome::{Action, Columns};
use js_sys::Array;
use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::prelude::JsValue;

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

/// The names of actions, by the numbers that [`Columns`] have.
pub(crate) fn actions() -> Array {
    Action::ALL.iter().map(|action| JsValue::from_str(action.as_str())).collect()
}

/// The plans of one compactor, as numbers: JavaScript looks at them where they are, so that a hundred thousand messages
/// cross without being copied.
#[derive(Default)]
pub(crate) struct Plans {
    figures: [u32; 8],
    columns: Columns,
}

impl Plans {
    /// Takes the next plan. Tells where its figures are, and where its columns; of how many messages those are; where
    /// the positions are of messages that are new or of which something else is said than before, and how many; why the
    /// plan is idle, and what its floor is.
    pub(crate) fn take(&mut self, plan: &epitome::Plan, engine: &epitome::Compactor) -> Array {
        let figures = PlanFigures::of(plan);
        self.figures = figures.numbers();
        self.columns.update(plan, engine.conversation(), &engine.scale());
        let changed = self.columns.changed();
        let told = |text: Option<String>| text.map_or(JsValue::UNDEFINED, JsValue::from);
        let place = |numbers: &[u32]| JsValue::from(numbers.as_ptr() as usize);
        let numbers = [
            place(&self.figures),
            place(self.columns.numbers()),
            plan.actions.len().into(),
            place(changed),
            changed.len().into(),
        ];
        numbers.into_iter().chain([told(figures.idle), told(figures.floor)]).collect()
    }
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

    /// All that are numbers, in the order in which `npm/src/plan.ts` reads them.
    fn numbers(&self) -> [u32; 8] {
        [
            u32::from(self.summarizes),
            self.summarized,
            self.reduced,
            self.tokens_before,
            self.tokens_after,
            self.summary_tokens,
            self.ledger_tokens,
            self.requests,
        ]
    }
}
