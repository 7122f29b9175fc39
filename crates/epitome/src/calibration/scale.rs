//! Conversion between the meter's tokens and the provider's.

use serde::{Deserialize, Serialize};

use crate::tokens::{MeterTokens, ONE};

/// A linear function from the meter's tokens to the provider's, and its inverse.
///
/// The provider's count of a prompt is `factor` × the meter's count of its messages + the overhead of a request:
/// tool schemas and the like, and the tokens that the format of a request takes. Its messages are those of the
/// conversation, and those that the host adds to this request only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// Tokens of the provider for one of the meter, in millionths.
    pub(super) factor: u32,
    /// Tokens of the provider that every request has in addition to its messages, as stated by the app or as
    /// learned.
    pub(super) overhead: u32,
    /// Tokens of the provider that the format of a request takes, by the tokenizer's overhead.
    pub(super) request: u32,
    /// What the request has besides the conversation.
    pub(super) context: ContextTokens,
}

/// Tokens of the meter that a host adds to a conversation for one request, and those of it that it leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContextTokens {
    pub(crate) added: MeterTokens,
    pub(crate) left_out: MeterTokens,
}

impl ContextTokens {
    /// None of either.
    pub(crate) const NONE: Self = Self { added: MeterTokens::ZERO, left_out: MeterTokens::ZERO };
}

impl Scale {
    /// The scale of a provider that counts as the meter does.
    pub(crate) const IDENTITY: Self =
        Self { factor: ONE, overhead: 0, request: 0, context: ContextTokens::NONE };

    /// Tokens of the provider for one of the meter.
    pub fn factor(&self) -> f64 {
        f64::from(self.factor) / f64::from(ONE)
    }

    /// Tokens of the provider that every request has in addition to its messages: tool schemas, a system prompt
    /// outside the messages.
    pub fn overhead(&self) -> u32 {
        self.overhead
    }

    /// The same with what the next request has besides the conversation.
    pub(crate) fn with_context(self, context: ContextTokens) -> Self {
        Self { context, ..self }
    }

    /// The provider's count of what the next request has besides the conversation.
    pub fn context(&self) -> u32 {
        self.to_provider(self.context.added - self.context.left_out)
    }

    /// True if a token of the meter is a token of the provider: messages need no conversion.
    pub(crate) fn is_identity(&self) -> bool {
        self.factor == ONE
    }

    /// The provider's count of messages, rounded to the nearest, without the overhead of a request.
    pub fn to_provider(&self, counted: MeterTokens) -> u32 {
        let provider = u64::from(counted.get()) * u64::from(self.factor) + u64::from(ONE / 2);
        u32::try_from(provider / u64::from(ONE)).unwrap_or(u32::MAX)
    }

    /// The provider's count of a prompt with these messages: their tokens and the overhead of a request.
    pub fn prompt_tokens(&self, counted: MeterTokens) -> u32 {
        let sent = counted + self.context.added - self.context.left_out;
        self.to_provider(sent).saturating_add(self.overhead).saturating_add(self.request)
    }

    /// The most tokens of the meter that are at most this many of the provider, for limits: messages that fit
    /// the result fit the limit.
    pub fn to_meter(&self, provider: u32) -> MeterTokens {
        let counted = u64::from(provider) * u64::from(ONE) / u64::from(self.factor.max(1));
        MeterTokens::new(u32::try_from(counted).unwrap_or(u32::MAX))
    }

    /// How many tokens of messages fit a prompt of at most this many tokens of the provider.
    pub fn message_budget(&self, prompt_tokens: u32) -> MeterTokens {
        let sent =
            self.to_meter(prompt_tokens.saturating_sub(self.overhead).saturating_sub(self.request));
        sent + self.context.left_out - self.context.added
    }
}

/// Rounds a number to the nearest integer from 0 to `u32::MAX`.
pub(super) fn rounded(number: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float that is too large, or not a number, becomes the nearest number in range"
    )]
    let rounded = number.round() as u32;
    rounded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_in_meter_tokens_never_exceeds_the_limit_in_provider_tokens() {
        for factor in [500_000, 799_999, ONE, 1_270_001, 2_000_000] {
            let scale = Scale { factor, overhead: 700, request: 3, context: ContextTokens::NONE };
            for limit in [703, 704, 999, 1_702, 140_000, u32::MAX / 4] {
                let most = scale.message_budget(limit);
                assert!(scale.prompt_tokens(most) <= limit, "{factor} {limit}");
                let more = most + MeterTokens::new(2);
                assert!(scale.prompt_tokens(more) >= limit, "{factor} {limit}");
            }
            assert_eq!(scale.message_budget(10), MeterTokens::ZERO);
        }
    }

    #[test]
    fn sums_beyond_the_range_saturate() {
        let scale =
            Scale { factor: 2_000_000, overhead: 9, request: 3, context: ContextTokens::NONE };
        assert_eq!(scale.prompt_tokens(MeterTokens::new(u32::MAX)), u32::MAX);
    }
}
