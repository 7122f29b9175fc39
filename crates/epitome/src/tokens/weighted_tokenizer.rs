//! A tokenizer whose tokens are weighted by script, and counted in the meter's unit.

use super::MeterTokens;
use super::meter::SharedTokenizer;
use super::script_tokens::{PartCost, Weights};
use super::tokenizer::CountState;

/// Counts with another tokenizer, and applies the weight of each script to its counts.
#[derive(Clone)]
pub(crate) struct WeightedTokenizer {
    tokenizer: SharedTokenizer,
    /// False if the tokenizer is exact: then there is no error for weights to correct.
    distinguishes_scripts: bool,
    /// The weight of a token of each script.
    pub(super) weights: Weights,
}

impl WeightedTokenizer {
    /// Texts of more bytes than this are counted in parts of about as many, if they can be divided: at most 30 ms.
    pub(super) const PART: usize = 1 << 19;

    /// Texts of more bytes than this are counted in steps, if the tokenizer has steps.
    const STEPS: usize = 1 << 17;

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
            return MeterTokens::new(self.tokens(text));
        }
        self.weights.part(&self.text(text))
    }

    /// Half-width of the relative error of the tokenizer's counts; 0 if they are exact.
    pub(crate) fn error_band(&self) -> f64 {
        self.tokenizer.error_band()
    }

    /// Tokens of a text by script, before weights are applied. Linear in the text.
    pub(super) fn text(&self, text: &str) -> PartCost {
        self.by_script(text, self.tokens(text))
    }

    /// The tokens of a text, as the sum of those of its parts.
    fn tokens(&self, text: &str) -> u32 {
        let (mut tokens, mut rest) = (0_u32, text);
        while !rest.is_empty() {
            let (part, after) = self.first_part(rest);
            tokens = tokens.saturating_add(self.tokenizer.count(part));
            rest = after;
        }
        tokens
    }

    /// The first part of a text, which is counted on its own, and what is behind it.
    pub(super) fn first_part<'a>(&self, text: &'a str) -> (&'a str, &'a str) {
        let end = match text.len() > Self::PART {
            true => self.tokenizer.divide(text, Self::PART),
            false => text.len(),
        };
        // A part has at least its bytes, so that this ends whatever a tokenizer of an app returns.
        text.split_at_checked(end.max(Self::PART)).unwrap_or((text, ""))
    }

    /// Does a step of the count of a part. Its tokens, once they are known.
    pub(super) fn count_on(&self, part: &str, state: &mut CountState) -> Option<u32> {
        if part.len() <= Self::STEPS {
            return Some(if part.is_empty() { 0 } else { self.tokenizer.count(part) });
        }
        self.tokenizer.count_on(part, state)
    }

    /// The tokens of a text by script, before weights are applied. Linear in the text.
    pub(super) fn by_script(&self, text: &str, tokens: u32) -> PartCost {
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
