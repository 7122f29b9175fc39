//! A tokenizer whose tokens are weighted by script, and counted in the meter's unit.

use super::MeterTokens;
use super::meter::SharedTokenizer;
use super::script_tokens::{PartCost, Weights};

/// Counts with another tokenizer, and applies the weight of each script to its counts.
pub(crate) struct WeightedTokenizer {
    tokenizer: SharedTokenizer,
    /// False if the tokenizer is exact: then there is no error for weights to correct.
    distinguishes_scripts: bool,
    /// The weight of a token of each script.
    pub(super) weights: Weights,
}

impl WeightedTokenizer {
    /// A tokenizer with even weights.
    pub(crate) fn new(tokenizer: SharedTokenizer) -> Self {
        let distinguishes_scripts = tokenizer.error_band() > 0.0;
        Self { tokenizer, distinguishes_scripts, weights: Weights::EVEN }
    }

    /// The tokenizer without weights.
    pub(super) fn inner(&self) -> &SharedTokenizer {
        &self.tokenizer
    }

    /// Weighted tokens of a text. Linear in the text.
    pub(crate) fn count(&self, text: &str) -> MeterTokens {
        if self.weights == Weights::EVEN {
            return MeterTokens::new(self.tokenizer.count(text));
        }
        self.weights.part(&self.text(text))
    }

    /// Half-width of the relative error of the tokenizer's counts; 0 if they are exact.
    pub(crate) fn error_band(&self) -> f64 {
        self.tokenizer.error_band()
    }

    /// Tokens of a text by script, before weights are applied. Linear in the text.
    pub(super) fn text(&self, text: &str) -> PartCost {
        let tokens = self.tokenizer.count(text);
        if self.distinguishes_scripts {
            PartCost::of(text, tokens)
        } else {
            PartCost::plain(tokens)
        }
    }

    /// Tokens of a name. Names count as Latin whatever their script, since they are short and most are Latin.
    pub(super) fn name(&self, name: &str) -> u32 {
        self.tokenizer.count(name)
    }
}
