//! What a compaction has asked its summarizer so far.

use super::report::{SummarizerReport, SummarizerTokens};
use crate::message::Usage;
use crate::policy::{SummaryInput, TokenCost};

/// Tokens that a [`TokenCost`] is for.
const COSTED_TOKENS: f64 = 1_000_000.0;

/// The requests of one compaction.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    /// How many were sent.
    pub(super) requests: u32,
    /// What the summarizer gets.
    pub(super) input: SummaryInput,
    /// Why that is a transcript although the policy asks for messages.
    pub(super) fallback: Option<String>,
    tokens: Option<SummarizerTokens>,
}

impl Asked {
    pub(super) fn of(input: SummaryInput) -> Self {
        Self { input, ..Self::default() }
    }

    /// Adds what the provider reported for one of the requests.
    pub(super) fn add(&mut self, usage: &Usage) {
        let tokens = self.tokens.get_or_insert_default();
        tokens.prompt = tokens.prompt.saturating_add(usage.prompt_tokens);
        tokens.cached = tokens.cached.saturating_add(usage.cached_tokens.unwrap_or_default());
        tokens.completion = tokens.completion.saturating_add(usage.completion_tokens);
    }

    /// The part of a report about them; `None` if there was no request.
    pub(super) fn report(&self, cost: Option<TokenCost>) -> Option<SummarizerReport> {
        let known = self.tokens.zip(cost);
        (self.requests > 0).then(|| SummarizerReport {
            input: self.input,
            fallback: self.fallback.clone(),
            tokens: self.tokens,
            cost: known.map(|(tokens, cost)| cost_of(tokens, cost)),
            saved: known.map(|(tokens, cost)| {
                cost_of(SummarizerTokens { cached: 0, ..tokens }, cost) - cost_of(tokens, cost)
            }),
        })
    }
}

fn cost_of(tokens: SummarizerTokens, cost: TokenCost) -> f64 {
    let SummarizerTokens { prompt, cached, completion } = tokens;
    let total = f64::from(prompt.saturating_sub(cached)) * cost.input
        + f64::from(cached) * cost.cached_input
        + f64::from(completion) * cost.output;
    total / COSTED_TOKENS
}
