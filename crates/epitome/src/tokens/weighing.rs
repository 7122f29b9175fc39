//! A tokenizer whose tokens weigh what their scripts do.

use super::mix::{PartCost, Weights};
use super::{BoxedTokenizer, TokenOverhead, Tokenizer};

/// Counts as another tokenizer does, and weighs what that counted.
pub(super) struct Weighing {
    tokenizer: BoxedTokenizer,
    /// False where the tokenizer is exact: there is nothing to be learned about it.
    tells_scripts_apart: bool,
    /// What a token in each script weighs.
    pub(super) weights: Weights,
}

impl Weighing {
    /// One whose tokens all weigh the same.
    pub(super) fn new(tokenizer: BoxedTokenizer) -> Self {
        let tells_scripts_apart = tokenizer.error_band() > 0.0;
        Self { tokenizer, tells_scripts_apart, weights: Weights::EVEN }
    }

    /// Tokens of a text by script, before they are weighed. Linear in the text.
    pub(super) fn text(&self, text: &str) -> PartCost {
        let tokens = self.tokenizer.count(text);
        if self.tells_scripts_apart { PartCost::of(text, tokens) } else { PartCost::plain(tokens) }
    }

    /// Tokens of a name, which weighs what Latin does, whatever it is written in.
    pub(super) fn name(&self, name: &str) -> u32 {
        self.tokenizer.count(name)
    }
}

impl Tokenizer for Weighing {
    fn count(&self, text: &str) -> u32 {
        if self.weights == Weights::EVEN {
            return self.tokenizer.count(text);
        }
        self.weights.part(&self.text(text))
    }

    fn error_band(&self) -> f64 {
        self.tokenizer.error_band()
    }

    fn overhead(&self) -> TokenOverhead {
        self.tokenizer.overhead()
    }
}
