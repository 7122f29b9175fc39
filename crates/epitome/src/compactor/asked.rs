//! What a compaction has asked its summarizer so far.

use serde::{Deserialize, Serialize};

use super::fallback::SummarizerStep;
use super::prepare::PreparedUse;
use super::report::{PromptCut, SummarizerReport, SummarizerTokens};
use crate::message::Usage;
use crate::policy::{SummaryInput, TokenCost};

/// Tokens that a [`TokenCost`] is for.
const COSTED_TOKENS: f64 = 1_000_000.0;

/// The requests of one compaction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asked {
    /// How many were sent.
    pub(super) requests: u32,
    /// What the summarizer gets.
    pub(super) input: SummaryInput,
    /// Why that is a transcript although the policy asks for messages.
    pub(super) fallback: Option<String>,
    /// What was tried because the summarizer failed, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) steps: Vec<SummarizerStep>,
    tokens: Option<SummarizerTokens>,
    /// How a summary that was written in advance is used.
    #[serde(skip)]
    pub(super) prepared: Option<PreparedUse>,
    /// Tokens of requests and answers that were sent in advance, by the engine's own count.
    #[serde(default)]
    estimated: u32,
    /// How many of them the latest request has.
    #[serde(default)]
    latest: u32,
    /// Tokens of the latest transcript that was sent, at the least; `None` if messages were sent, of which a provider may count
    /// some in another way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) transcript: Option<u32>,
    /// The prompt that its server seems to have cut the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cut: Option<PromptCut>,
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

    /// The cut that a report about the latest request shows.
    pub(super) fn cut_by(&mut self, usage: &Usage) -> Option<PromptCut> {
        let cut = PromptCut::of(usage.prompt_tokens, self.transcript?)?;
        self.cut = Some(cut.larger(self.cut));
        Some(cut)
    }

    /// Counts a request that is sent in advance.
    pub(super) fn send(&mut self, tokens: u32) {
        self.latest = tokens;
        self.estimated = self.estimated.saturating_add(tokens);
    }

    /// Counts an answer to it.
    pub(super) fn answer(&mut self, tokens: u32) {
        self.estimated = self.estimated.saturating_add(tokens);
    }

    /// The latest request was not sent after all.
    pub(super) fn take_back(&mut self) {
        self.requests = self.requests.saturating_sub(1);
        self.estimated = self.estimated.saturating_sub(self.latest);
    }

    /// Tokens that were spent: as reported, or else as estimated.
    pub(super) fn spent_tokens(&self) -> u32 {
        let reported = self.tokens.map(|tokens| tokens.prompt.saturating_add(tokens.completion));
        reported.unwrap_or(self.estimated)
    }

    /// Adds what was asked in advance.
    pub(super) fn include(&mut self, earlier: Self) {
        self.requests = self.requests.saturating_add(earlier.requests);
        self.fallback = self.fallback.take().or(earlier.fallback);
        self.steps.splice(0..0, earlier.steps);
        self.cut = earlier.cut.map(|cut| cut.larger(self.cut)).or(self.cut);
        if let Some(SummarizerTokens { prompt, cached, completion }) = earlier.tokens {
            let tokens = self.tokens.get_or_insert_default();
            tokens.prompt = tokens.prompt.saturating_add(prompt);
            tokens.cached = tokens.cached.saturating_add(cached);
            tokens.completion = tokens.completion.saturating_add(completion);
        }
    }

    /// The part of a report about them; `None` if there was no request.
    pub(super) fn report(&self, cost: Option<TokenCost>) -> Option<SummarizerReport> {
        let known = self.tokens.zip(cost);
        (self.requests > 0).then(|| SummarizerReport {
            input: self.input,
            fallback: self.fallback.clone(),
            steps: self.steps.clone(),
            cut: self.cut,
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
