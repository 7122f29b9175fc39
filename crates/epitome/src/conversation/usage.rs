//! What the provider says of a conversation: its latest count, and what its counts have taught.

use serde::{Deserialize, Serialize};

use super::Conversation;
use crate::calibration::{Calibrations, Sample, Scale, Terms};
use crate::message::{Role, Usage};
use crate::policy::{Load, Policy};
use crate::tokens::{Statistics, Weights};

/// What a provider counted, and how many messages that covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Reading {
    tokens: u32,
    prompt_tokens: Option<u32>,
    messages: usize,
}

/// What the provider's counts have left.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Resumption {
    reading: Option<Reading>,
    statistics: Statistics,
    calibrations: Calibrations,
    weights: Weights,
}

impl Conversation {
    /// Notes what the provider counted for the request that ended with the last message so far, and learns from it.
    /// True where that was a request with the view as it is now; what was counted of another view tells
    /// nothing about this one. Linear in the answer, and where it makes a script weigh otherwise than before, in the
    /// number of messages and in the texts that are rewritten.
    pub fn read(&mut self, usage: Usage, policy: &Policy) -> bool {
        self.statistics.take(&usage);
        let current = usage.epoch.is_none_or(|epoch| epoch == self.epoch);
        if current {
            // What was there at an earlier reading is not the answer.
            let known = self.reading.map_or(0, |reading| reading.messages);
            let since = self.log.messages().rev().take(self.log.len().saturating_sub(known));
            let answer = since.take_while(|message| message.role == Role::Assistant).count();
            self.learn(usage.prompt_tokens, self.log.len().saturating_sub(answer), policy);
            self.reading = Some(Reading {
                tokens: usage.context_tokens(),
                prompt_tokens: Some(usage.prompt_tokens),
                messages: self.log.len(),
            });
        }
        current
    }

    /// Notes what the provider counted for the view as it is now, and learns from it. Costs what [`Self::read`] does.
    pub fn recount(&mut self, tokens: u32, policy: &Policy) {
        let prompt_tokens = Some(tokens);
        self.learn(tokens, self.log.len(), policy);
        self.reading = Some(Reading { tokens, prompt_tokens, messages: self.log.len() });
    }

    /// Learns from what the provider counted of the view up to a message.
    fn learn(&mut self, told: u32, messages: usize, policy: &Policy) {
        let sample = Sample { counted: self.mix_upto(messages), told };
        let terms = self.terms(policy);
        self.calibrations.learn(sample, terms);
        self.weigh_as_learned();
    }

    /// Names the model whose provider counts from now on. What another one counted tells nothing about it.
    pub(crate) fn name_model(&mut self, model: Option<&str>) {
        if self.calibrations.name(model) {
            self.reading = None;
            self.weigh_as_learned();
        }
    }

    fn weigh_as_learned(&mut self) {
        let error_band = self.tokenizer().error_band();
        self.weigh(self.calibrations.weights(error_band, self.meter.weights()));
    }

    /// Weighs everything anew where scripts weigh otherwise from now on.
    fn weigh(&mut self, weights: Weights) {
        if weights == self.meter.weights() {
            return;
        }
        self.meter.weigh(weights);
        let mut known = std::mem::take(&mut self.base.rewritten);
        known.retain(|_, tokens| !tokens.mix.is_foreign());
        self.base = self.base(&self.projection, &known);
        if self.pinned_tokens > 0 {
            self.recount_protected();
        }
    }

    /// How the meter's tokens become those of the provider, by what was learned of it so far. Costs O(1).
    pub fn scale(&self, policy: &Policy) -> Scale {
        self.calibrations.scale(self.terms(policy))
    }

    fn terms(&self, policy: &Policy) -> Terms {
        let request = if self.meter.is_empty() { 0 } else { self.meter.overhead().request };
        Terms {
            beside: policy.tool_schema_tokens,
            request,
            error_band: self.tokenizer().error_band(),
            window: policy.window,
            weights: self.meter.weights(),
        }
    }

    /// What the provider's counts have left, to go on from later.
    pub(crate) fn resumption(&self) -> Resumption {
        let Self { reading, statistics, calibrations, .. } = self;
        Resumption {
            reading: *reading,
            statistics: *statistics,
            calibrations: calibrations.clone(),
            weights: self.meter.weights(),
        }
    }

    /// Goes on from what [`Self::resumption`] gave.
    pub(crate) fn resume(&mut self, resumption: Resumption) {
        let Resumption { reading, statistics, calibrations, weights } = resumption;
        self.reading = reading;
        self.statistics = statistics;
        self.calibrations = calibrations;
        self.weigh(weights);
    }

    /// Tokens in the window: what the provider last counted and the messages since, or the meter's own
    /// count and what goes along, both on the [`Self::scale`] of the provider. True where the provider counted
    /// all of it. Costs O(1).
    pub fn tokens(&self, policy: &Policy) -> (u32, bool) {
        let scale = self.scale(policy);
        match self.reading {
            Some(reading) => {
                let since = self.meter.span(reading.messages..self.log.len()).sum();
                (reading.tokens.saturating_add(scale.told(since)), since == 0)
            }
            None => (scale.window(self.counted_tokens()), false),
        }
    }

    /// Half-width of the relative error of [`Self::tokens`]. Costs O(1).
    pub fn error_band(&self, policy: &Policy) -> f64 {
        let terms = self.terms(policy);
        let Some(reading) = self.reading else {
            return self.calibrations.error_band(&self.mix_upto(self.log.len()), terms);
        };
        // Only what came since is uncertain.
        let since = self.meter.mix(reading.messages..self.log.len());
        let error_band = self.calibrations.error_band(&since, terms);
        let (tokens, _) = self.tokens(policy);
        error_band * f64::from(tokens.saturating_sub(reading.tokens)) / f64::from(tokens.max(1))
    }

    /// What triggers look at. Costs O(1).
    pub fn load(&self, policy: &Policy) -> Load {
        let (tokens, _) = self.tokens(policy);
        Load {
            prompt_tokens: self.reading.and_then(|reading| reading.prompt_tokens),
            ..self.load_on(&self.projection, &self.base, tokens)
        }
    }

    /// The same in the meter's tokens, for a policy in those; see [`Scale::policy`].
    pub(crate) fn counted_load(&self, policy: &Policy) -> Load {
        let Some(reading) = self.reading else {
            let counted = self.counted_tokens().saturating_add(policy.tool_schema_tokens);
            return self.load_on(&self.projection, &self.base, counted);
        };
        let scale = self.scale(policy);
        let since = self.meter.span(reading.messages..self.log.len()).sum();
        let tokens = scale.counted_up(reading.tokens).saturating_add(since);
        Load {
            prompt_tokens: reading.prompt_tokens.map(|prompt| scale.counted_up(prompt)),
            ..self.load_on(&self.projection, &self.base, tokens)
        }
    }
}
