//! Where the prefix ends and the tail begins, always between two exchanges.

use super::reduce::Reduction;
use crate::calibration::Scale;
use crate::history::Exchange;
use crate::message::Role;
use crate::policy::{Keep, share};
use crate::tokens::MeterTokens;

/// How much of the end of a conversation a policy wants to keep, in the meter's tokens.
#[derive(Clone, Copy, Debug)]
pub(super) enum TailLimit {
    /// At least this many messages.
    Messages(u32),
    /// At least this many rounds.
    Rounds(u32),
    /// At most this many tokens.
    Tokens(MeterTokens),
}

/// What an exchange adds to a tail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ExchangeSize {
    pub(super) messages: u32,
    /// Assistant messages with their tool results.
    pub(super) rounds: u32,
    pub(super) tokens: MeterTokens,
}

impl TailLimit {
    /// The limit that a policy's setting means in a window of this many tokens of the provider.
    pub(super) fn of(keep: Keep, window: u32, scale: &Scale) -> Self {
        match keep {
            Keep::Messages(messages) => Self::Messages(messages),
            Keep::Rounds(rounds) => Self::Rounds(rounds),
            Keep::Tokens(tokens) => Self::Tokens(scale.to_meter(tokens)),
            Keep::Fraction(fraction) => Self::Tokens(scale.to_meter(share(window, fraction))),
        }
    }

    /// True if a tail of size `tail` should grow to size `grown`.
    fn wants(self, tail: ExchangeSize, grown: ExchangeSize) -> bool {
        match self {
            Self::Messages(messages) => tail.messages < messages,
            Self::Rounds(rounds) => tail.rounds < rounds,
            Self::Tokens(tokens) => grown.tokens <= tokens,
        }
    }
}

impl ExchangeSize {
    /// What an exchange adds to a tail. Protected messages stay in any case, so that they use none of the tail's tokens.
    /// `plain` has the tokens of the messages of an exchange that is in the view as it was appended.
    pub(super) fn of(reduction: &Reduction, exchange: &Exchange, plain: Option<&[u32]>) -> Self {
        let first = reduction.conversation.index().note(exchange.start).map(|note| note.role);
        let rounds = u32::from(first == Some(Role::Assistant));
        let (messages, tokens) = match plain {
            Some(plain) => (plain.len(), plain.iter().copied().map(MeterTokens::new).sum()),
            None => {
                let seen = exchange.clone().filter_map(|at| reduction.seen_tokens(at));
                seen.fold((0, MeterTokens::ZERO), |(messages, all), tokens| {
                    (messages + 1, all + tokens)
                })
            }
        };
        let messages = u32::try_from(messages).unwrap_or(u32::MAX);
        // An exchange is protected as a whole.
        let is_protected = reduction.is_protected(exchange.start);
        let tokens = if is_protected { MeterTokens::ZERO } else { tokens };
        Self { messages, rounds, tokens }
    }

    /// The sum of two sizes.
    fn plus(self, other: Self) -> Self {
        Self {
            messages: self.messages.saturating_add(other.messages),
            rounds: self.rounds.saturating_add(other.rounds),
            tokens: self.tokens + other.tokens,
        }
    }
}

/// The position of the first message of the tail: the newest exchanges that `limit` asks for and `budget`
/// has room for. Equal to `end` if not even the newest exchange fits.
///
/// `size` is what an exchange adds to the tail. Exchanges before `start` are not considered. Linear in the
/// tail.
pub(super) fn cut(
    exchanges: &[Exchange],
    size: impl Fn(&Exchange) -> ExchangeSize,
    start: usize,
    end: usize,
    limit: TailLimit,
    budget: MeterTokens,
) -> usize {
    let mut tail = ExchangeSize::default();
    let mut first = end;
    for exchange in exchanges.iter().rev().take_while(|exchange| exchange.start >= start) {
        let grown = tail.plus(size(exchange));
        // The first exchange that does not fit ends the tail. A smaller one before it may fit, but the tail
        // must not have gaps.
        if !limit.wants(tail, grown) || grown.tokens > budget {
            break;
        }
        tail = grown;
        first = exchange.start;
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Contract;
    use crate::conversation::Conversation;
    use crate::history::{exchanges, pairing::Pairing};
    use crate::policy::Policy;
    use crate::test_notation::transcript;
    use crate::tokens::CharactersPer;

    const TEXT: &str =
        "s: s\nu: one\na: !a !b\nt: =a\nt: =b\na: two\nu: three\na: !c\nt: =c\na: four";

    /// Every message has ten tokens, in a window of 100.
    fn check(keep: Keep, budget: u32, expected: usize) {
        let messages = transcript(TEXT);
        let exchanges = exchanges(messages.len(), &Pairing::of(&messages));
        let size = |exchange: &Exchange| {
            let messages = u32::try_from(exchange.len()).unwrap();
            let rounds = u32::from(TEXT.lines().nth(exchange.start).unwrap().starts_with('a'));
            ExchangeSize { messages, rounds, tokens: MeterTokens::new(messages * 10) }
        };
        let scale = Conversation::new(Contract::default(), Box::new(CharactersPer(4)))
            .scale(&Policy::recommended(100));
        let limit = TailLimit::of(keep, 100, &scale);
        let budget = MeterTokens::new(budget);
        let first = cut(&exchanges, size, 1, messages.len(), limit, budget);
        assert_eq!(first, expected, "{keep:?} in {budget:?}");
    }

    #[test]
    fn d1_a_tail_of_messages_is_moved_outward_to_keep_pairs_whole() {
        check(Keep::Messages(1), 1_000, 9);
        check(Keep::Messages(2), 1_000, 7);
        check(Keep::Messages(6), 1_000, 2);
        check(Keep::Messages(99), 1_000, 1);
        check(Keep::Messages(0), 1_000, 10);
    }

    #[test]
    fn d1_a_tail_of_rounds_counts_assistant_messages_with_their_results() {
        check(Keep::Rounds(2), 1_000, 7);
        check(Keep::Rounds(3), 1_000, 5);
    }

    #[test]
    fn d1_a_tail_of_tokens_never_exceeds_them() {
        check(Keep::Tokens(39), 1_000, 7);
        check(Keep::Fraction(0.4), 1_000, 6);
        check(Keep::Tokens(9), 1_000, 10);
    }

    #[test]
    fn d1_a_tail_that_has_no_room_shrinks() {
        check(Keep::Messages(6), 35, 7);
        check(Keep::Messages(6), 0, 10);
    }
}
