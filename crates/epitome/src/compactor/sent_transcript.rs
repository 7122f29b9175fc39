//! A transcript that a summarizer got, whose tokens are counted only if its server says how many it has counted.

use super::SummaryRequest;
use crate::calibration::Scale;
use crate::tokens::{Meter, WeightedTokenizer};

/// A transcript as it was sent, and how tokens were counted then. Most summarizers report no usage, and to count a transcript
/// takes longer than to write it.
pub(super) struct SentTranscript {
    tokenizer: WeightedTokenizer,
    scale: Scale,
    system: String,
    input: String,
}

impl SentTranscript {
    /// The transcript of a request. `scale` is that of the summarizer. Copies its texts.
    pub(super) fn new(request: &SummaryRequest, meter: &Meter, scale: Scale) -> Self {
        let (system, input) = (request.system.clone(), request.input.clone());
        Self { tokenizer: meter.weighted_tokenizer(), scale, system, input }
    }

    /// Its tokens by the meter, or by what was learned of the conversation's own model, if these are fewer. Linear in it.
    pub(super) fn least_tokens(&self) -> u32 {
        let counted = self.tokenizer.count(&self.system) + self.tokenizer.count(&self.input);
        self.scale.to_provider(counted).min(Scale::IDENTITY.to_provider(counted))
    }
}
