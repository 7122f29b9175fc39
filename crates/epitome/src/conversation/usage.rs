//! What the provider reports of a conversation: its latest count, and what its counts have taught.

use serde::{Deserialize, Serialize};

use super::{Conversation, Reported};
use crate::calibration::{Calibrations, ContextTokens, Sample, Scale, ScaleInputs};
use crate::message::{Role, Usage};
use crate::policy::{Load, Policy};
use crate::tokens::{MeterTokens, Statistics, Weights};

/// A count that the provider reported, and how many messages it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Reading {
    /// Prompt and answer together, in the provider's tokens.
    tokens: u32,
    prompt_tokens: Option<u32>,
    /// How many messages `tokens` covers.
    messages: usize,
    /// How many of them the prompt had.
    #[serde(default)]
    asked: Option<usize>,
    /// What the prompt had in addition to the view.
    #[serde(default)]
    context: ContextTokens,
}

impl Reading {
    /// What it says of the first messages, the others having left the conversation: all of it, or its prompt alone, as after
    /// an answer that is to be generated again.
    pub(super) fn up_to(self, messages: usize) -> Option<Self> {
        if self.messages <= messages {
            return Some(self);
        }
        let asked = self.asked.filter(|asked| *asked <= messages)?;
        Some(Self { tokens: self.prompt_tokens?, messages: asked, ..self })
    }
}

/// What the provider's counts have left behind: the part of a snapshot that is about them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct UsageState {
    reading: Option<Reading>,
    statistics: Statistics,
    calibrations: Calibrations,
    weights: Weights,
}

impl UsageState {
    /// What is left of it once the view is another one.
    pub(crate) fn begin_epoch(&mut self) {
        self.reading = None;
        self.calibrations.begin_epoch();
    }
}

impl Conversation {
    /// Records what the provider counted for a request, and learns from it, if that was a request with the present view
    /// and the count can be true.
    ///
    /// The answer is the last message of the assistant, with those right before it that the last reading does not cover.
    /// What comes after it, such as the results of its calls, was in neither prompt nor answer, and its tokens are added by
    /// the meter's count. If the answer is not there yet, only the prompt is recorded.
    ///
    /// Linear in the answer and what comes after it; if a script gets another weight by it, or if the count is far too
    /// small, linear in the number of messages and in the rewritten texts.
    pub fn record_usage(&mut self, usage: Usage, policy: &Policy) -> Reported {
        self.statistics.record(&usage);
        if usage.epoch.is_some_and(|epoch| epoch != self.epoch) {
            return Reported::OtherView;
        }
        let known = self.reading.map_or(0, |reading| reading.messages);
        let is_answer = |at: &usize| {
            self.log.message(*at).is_some_and(|message| message.role == Role::Assistant)
        };
        let messages = self.log.len();
        let (asked, answered) = match (known..messages).rfind(is_answer) {
            Some(last) => {
                let run = (known..=last).rev().take_while(is_answer);
                (run.last().unwrap_or(last), last + 1)
            }
            // The same request once more, such as its final count after a preliminary one.
            None if known == messages => {
                (self.reading.and_then(|reading| reading.asked).unwrap_or(messages), messages)
            }
            None => (messages, messages),
        };
        let tokens = match answered > asked {
            true => usage.context_tokens(),
            false => usage.prompt_tokens,
        };
        self.record(usage.prompt_tokens, asked, tokens, answered, policy)
    }

    /// Records what the provider counts for the present view, and learns from it. Costs as much as
    /// [`Self::record_usage`].
    pub fn record_count(&mut self, tokens: u32, policy: &Policy) -> Reported {
        let messages = self.log.len();
        self.record(tokens, messages, tokens, messages, policy)
    }

    /// Records the provider's count of the prompt that ended with the first `asked` messages, and of the first `messages`.
    fn record(
        &mut self,
        prompt: u32,
        asked: usize,
        tokens: u32,
        messages: usize,
        policy: &Policy,
    ) -> Reported {
        if !self.can_be(prompt, asked) {
            return Reported::Ignored;
        }
        self.learn(prompt, asked, policy);
        let (prompt_tokens, asked) = (Some(prompt), Some(asked));
        let context = self.context.tokens(self.meter.weights());
        self.reading = Some(Reading { tokens, prompt_tokens, messages, asked, context });
        Reported::Used
    }

    /// Learns from the provider's count of the view up to the first `messages` messages.
    fn learn(&mut self, reported: u32, messages: usize, policy: &Policy) {
        // Without weights: these follow from what is learned here. From weighted counts, every correction would
        // be learned once more.
        let counted = self.context.applied_to(&self.by_script_up_to(messages));
        let sample = Sample { counted, reported };
        self.calibrations.learn(sample, self.scale_inputs(policy));
        self.apply_learned_weights();
    }

    /// Names the model whose provider counts from now on. Counts of another model say nothing about it.
    pub(crate) fn name_model(&mut self, model: Option<&str>) {
        if self.calibrations.select_model(model) {
            self.reading = None;
            self.apply_learned_weights();
        }
    }

    fn apply_learned_weights(&mut self) {
        let error_band = self.meter.error_band();
        self.apply_weights(self.calibrations.weights(error_band, self.meter.weights()));
    }

    /// Counts everything with these script weights from now on.
    fn apply_weights(&mut self, weights: Weights) {
        if weights == self.meter.weights() {
            return;
        }
        self.meter.apply_weights(weights);
        // Only texts in scripts other than Latin change, so that the others need not be counted again.
        let mut known = std::mem::take(&mut self.base.rewritten);
        known.retain(|_, tokens| !tokens.by_script.has_non_latin());
        self.base = self.base(&self.projection, &known);
        if self.pinned_tokens > MeterTokens::ZERO {
            self.recount_protected();
        }
    }

    /// The conversion between the meter's tokens and the provider's, by what was learned so far. Costs O(1).
    pub fn scale(&self, policy: &Policy) -> Scale {
        let context = self.context.tokens(self.meter.weights());
        self.calibrations.scale(self.scale_inputs(policy)).with_context(context)
    }

    /// The conversion for the summarizer's window. The model of the conversation counts as it was learned to;
    /// of another model nothing was learned, so that the meter's counts are taken as they are.
    pub(crate) fn summarizer_scale(&self, policy: &Policy) -> Scale {
        match policy.summary.is_own_model() {
            true => self.scale(policy),
            false => Scale::IDENTITY,
        }
    }

    fn scale_inputs(&self, policy: &Policy) -> ScaleInputs {
        let request = if self.meter.is_empty() { 0 } else { self.meter.overhead().request };
        ScaleInputs {
            overhead: policy.tool_schema_tokens,
            request,
            error_band: self.meter.error_band(),
            window: policy.window,
            weights: self.meter.weights(),
        }
    }

    /// What the provider's counts have left behind, for a snapshot.
    pub(crate) fn usage_state(&self) -> UsageState {
        let Self { reading, statistics, calibrations, .. } = self;
        UsageState {
            reading: *reading,
            statistics: *statistics,
            calibrations: calibrations.clone(),
            weights: self.meter.weights(),
        }
    }

    /// Goes on from what [`Self::usage_state`] returned.
    pub(crate) fn resume_usage(&mut self, state: UsageState) {
        let UsageState { reading, statistics, calibrations, weights } = state;
        self.reading = reading;
        self.statistics = statistics;
        self.calibrations = calibrations;
        // The stored weights, and not those that follow from the calibrations: small differences are not
        // applied at once, and a restored conversation has to count as it did before.
        self.apply_weights(weights);
    }

    /// Tokens in the window, in the provider's tokens: its latest count and the messages since, or the
    /// meter's own count with the overhead of a request. True if the provider has counted all of it. Costs
    /// O(1).
    pub fn tokens(&self, policy: &Policy) -> (u32, bool) {
        let scale = self.scale(policy);
        match self.reading {
            Some(reading) => {
                let since = self.meter.span(reading.messages..self.log.len()).sum();
                let present = self.context.tokens(self.meter.weights());
                // What the next request has besides the view differs from what was counted.
                let more = since + present.added + reading.context.left_out;
                let fewer = reading.context.added + present.left_out;
                let tokens = reading.tokens.saturating_add(scale.to_provider(more - fewer));
                let tokens = tokens.saturating_sub(scale.to_provider(fewer - more));
                (tokens, since == MeterTokens::ZERO && reading.context == present)
            }
            None => (scale.prompt_tokens(self.counted_tokens()), false),
        }
    }

    /// Half-width of the relative error of [`Self::tokens`]. Costs O(1).
    ///
    /// Reasoning that only the provider can read makes it wider: OpenAI leaves its tokens out of every count, although the
    /// model reads them.
    pub fn error_band(&self, policy: &Policy) -> f64 {
        let (tokens, _) = self.tokens(policy);
        let uncertain = self.uncertain_tokens(policy, tokens) + f64::from(self.hidden_tokens());
        uncertain / f64::from(tokens.max(1))
    }

    /// Tokens that reasoning in the view may have which only the provider can read. Costs O(1).
    pub(crate) fn hidden_tokens(&self) -> u32 {
        let tail = self.tail(&self.projection, &self.base);
        self.base.kept.hidden.saturating_add(tail.hidden)
    }

    /// How many of these tokens, which [`Self::tokens`] returned, the count may be off by.
    fn uncertain_tokens(&self, policy: &Policy, tokens: u32) -> f64 {
        // Only the messages since the reading are uncertain.
        let (counted, from) = self.reading.map_or((0, 0), |it| (it.tokens, it.messages));
        let by_script = match self.reading {
            Some(_) => self.meter.by_script(from..self.log.len()),
            None => self.by_script_up_to(self.log.len()),
        };
        let band = self.calibrations.error_band(&by_script, self.scale_inputs(policy));
        let estimated = f64::from(tokens.saturating_sub(counted));
        if self.meter.error_band() == 0.0 {
            return band * estimated;
        }
        // The band is about whole conversations, in which the errors of texts mostly cancel out. What is left of these in
        // a few texts grows with the square root of their tokens: over 6,000 recorded texts of 16 to 8,000 tokens, 99 of
        // 100 estimates were this near.
        (band * band * estimated * estimated + estimated).sqrt()
    }

    /// What triggers look at, in the provider's tokens. Costs O(1).
    pub fn load(&self, policy: &Policy) -> Load {
        let (tokens, _) = self.tokens(policy);
        Load {
            tokens,
            messages: self.counted_messages(&self.projection, &self.base),
            prompt_tokens: self.reading.and_then(|reading| reading.prompt_tokens),
        }
    }

    /// What triggers would look at if reducers had saved `saved` tokens and left out `messages` messages.
    ///
    /// The provider's count of the latest prompt no longer holds once something was saved.
    pub(crate) fn load_without(
        &self,
        policy: &Policy,
        scale: &Scale,
        saved: MeterTokens,
        messages: u32,
    ) -> Load {
        let load = self.load(policy);
        let tokens = match self.reading {
            Some(_) => load.tokens.saturating_sub(scale.to_provider(saved)),
            None => scale.prompt_tokens(self.counted_tokens() - saved),
        };
        Load {
            tokens,
            messages: load.messages.saturating_sub(messages),
            prompt_tokens: load.prompt_tokens.filter(|_| saved == MeterTokens::ZERO),
        }
    }
}
