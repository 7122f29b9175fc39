//! The report of a compaction: how it ended, and what it changed.

use serde::{Deserialize, Serialize};

use super::fallback::SummarizerStep;
use super::prepare::{PreparedUse, Waste};

use crate::facts::Receipt;
use crate::history::Finding;
use crate::message::{CheckpointId, MessageId};
use crate::policy::{Reason, SummaryInput};

/// How a compaction ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify), tsify(rename = "ReportOutcome"))]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub enum Outcome {
    /// It was committed, and the view has changed.
    Applied {
        /// Its checkpoint, which undo removes.
        checkpoint: CheckpointId,
    },
    /// There was nothing to do; the conversation is as it was.
    Skipped {
        /// Why, as a sentence for the user.
        message: String,
    },
    /// It failed; the conversation is as it was.
    Failed {
        /// Why and what to do, as a sentence for the user.
        message: String,
    },
    /// It was cancelled; the conversation is as it was.
    Cancelled,
}

/// How the summarizer was asked in one compaction, and what that took.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct SummarizerReport {
    /// What its last request had.
    pub input: SummaryInput,
    /// Why it got a transcript although the policy asks for messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// What was tried because it failed or wrote no summary, in order; empty if the first answer was good.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub steps: Vec<SummarizerStep>,
    /// The prompt that its server seems to have cut the most; `None` if none was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<PromptCut>,
    /// Tokens of all its requests, as far as they were reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<SummarizerTokens>,
    /// What these tokens cost, if `summary.cost` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// How much more they would have cost without the provider's cache, if `summary.cost` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved: Option<f64>,
}

/// Tokens of summarizer requests as the provider reported them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct SummarizerTokens {
    /// Tokens of the prompts, cached or not.
    pub prompt: u32,
    /// How many of them were read from the provider's cache.
    pub cached: u32,
    /// Tokens of the answers, including reasoning.
    pub completion: u32,
}

/// A prompt of which a server has counted far fewer tokens than were sent: some servers, such as Ollama, drop the beginning of
/// what does not fit, and answer as if nothing had happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct PromptCut {
    /// Tokens of the prompt as the server reported them.
    pub reported: u32,
    /// Tokens of what was sent, as the engine counts them.
    pub estimated: u32,
}

impl PromptCut {
    /// The largest part of the estimate at which a prompt counts as cut. The estimate may be 20 % too high, and of another
    /// model's tokenizer somewhat more; a server that cuts frees about half of its window, so that at most half is left.
    const MOST: f64 = 0.6;
    /// How many tokens have to be missing at least. In a short prompt, an estimate may be wrong by more than its error band.
    const LEAST_MISSING: u32 = 500;

    /// The cut that these counts show; `None` if they show none. Nothing was counted if 0 is reported, as for many streams.
    pub(super) fn of(reported: u32, estimated: u32) -> Option<Self> {
        let missing = estimated.saturating_sub(reported);
        let is_cut = f64::from(reported) < f64::from(estimated) * Self::MOST;
        (is_cut && reported > 0 && missing > Self::LEAST_MISSING)
            .then_some(Self { reported, estimated })
    }

    /// What happened and what to do, as a sentence for the user.
    pub(super) fn message(self) -> String {
        let Self { reported, estimated } = self;
        format!(
            "the server counted {reported} tokens of a prompt of about {estimated}: it seems to have cut the prompt without saying \
             so, so that the summary lacks what was cut; raise the server's context length (num_ctx of Ollama), or lower \
             summary.chunkCharacters"
        )
    }

    fn missing(self) -> u32 {
        self.estimated.saturating_sub(self.reported)
    }

    /// The one of which more is missing.
    pub(super) fn larger(self, other: Option<Self>) -> Self {
        other.filter(|other| other.missing() > self.missing()).unwrap_or(self)
    }
}

/// How a compaction used a summary that was written in advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct PreparedReport {
    /// How it was used; `None` if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<PreparedUse>,
    /// What was spent since the last report for summaries that were thrown away.
    pub wasted: Waste,
}

/// What one compaction did.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify), tsify(rename = "ReportFields"))]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Why it was due.
    pub reason: Reason,
    /// How it ended.
    // Never deserialized: the attribute keeps it out of the TypeScript interface, which cannot extend a union.
    #[serde(flatten, skip_deserializing)]
    pub outcome: Outcome,
    /// Tokens of the next prompt before the compaction: in the provider's tokens, as the engine counts them.
    pub tokens_before: u32,
    /// Tokens of the next prompt after it; the same as before unless it was applied.
    pub tokens_after: u32,
    /// How many messages the view had before.
    pub messages_before: u32,
    /// How many messages the view has after it.
    pub messages_after: u32,
    /// How many messages reducers have rewritten or removed.
    pub reduced: u32,
    /// The summary that the view has now; `None` if the compaction made none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Length of `summary` in characters; 0 without one.
    pub summary_characters: u32,
    /// Which facts of the summarized messages are kept, appended or lost; empty unless it was applied.
    pub receipt: Receipt,
    /// How many requests the summarizer got.
    pub requests: u32,
    /// How the summarizer was asked; `None` if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summarizer: Option<SummarizerReport>,
    /// How long the user has waited for it, in milliseconds: from its start, which follows the hook before it, to its end.
    /// `None` if the host has not said what time it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waited_ms: Option<u32>,
    /// What became of summaries that were written in advance; `None` if none was since the last report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prepared: Option<PreparedReport>,
    /// `tokens_after` in percent of the window.
    pub budget_used_pct: f64,
    /// The number of the session after it, from 1: every committed summary begins another.
    pub session: u32,
    /// The last request if it was too long for the target, and only its beginning and its end are in the view; the history has
    /// it whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpted: Option<MessageId>,
    /// What was repaired in the view, so that the provider accepts it.
    pub findings: Vec<Finding>,
    /// Why the view is still not below the threshold, item by item; `None` if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i39_a_prompt_counts_as_cut_only_if_no_estimate_can_be_so_wrong() {
        for (reported, estimated, is_cut) in [
            (2_048, 4_900, true),
            (1_026, 2_200, true),
            // Within the error band of the estimate, and that of another tokenizer.
            (4_000, 4_900, false),
            (2_940, 4_900, false),
            // Too short to say.
            (300, 790, false),
            (300, 801, true),
            // Not counted at all.
            (0, 4_900, false),
            (9_000, 4_900, false),
        ] {
            assert_eq!(
                PromptCut::of(reported, estimated).is_some(),
                is_cut,
                "{reported} of {estimated}"
            );
        }
    }
}
