//! What a compaction has asked its summarizer so far.

use super::report::{SummarizerReport, SummarizerTokens};
use crate::message::Usage;
use crate::policy::{SummaryInput, TokenPrices};

/// Tokens that a price is for.
const PRICED_TOKENS: f64 = 1_000_000.0;

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
    pub(super) fn report(&self, prices: Option<TokenPrices>) -> Option<SummarizerReport> {
        let priced = self.tokens.zip(prices);
        (self.requests > 0).then(|| SummarizerReport {
            input: self.input,
            fallback: self.fallback.clone(),
            tokens: self.tokens,
            cost: priced.map(|(tokens, prices)| cost(tokens, prices)),
            saved: priced.map(|(tokens, prices)| {
                cost(SummarizerTokens { cached: 0, ..tokens }, prices) - cost(tokens, prices)
            }),
        })
    }
}

fn cost(tokens: SummarizerTokens, prices: TokenPrices) -> f64 {
    let SummarizerTokens { prompt, cached, completion } = tokens;
    let price = f64::from(prompt.saturating_sub(cached)) * prices.input
        + f64::from(cached) * prices.cached_input
        + f64::from(completion) * prices.output;
    price / PRICED_TOKENS
}
