//! Where the prefix ends and the tail begins, on a border between exchanges.

use crate::history::Exchange;
use crate::policy::{Keep, Size};

/// The first message of the tail: the newest exchanges that `keep` wants and `budget_tokens` has room
/// for. Equal to `end` where not even the newest exchange fits.
///
/// `size` is what an exchange adds to the tail. Exchanges before `start` are not considered.
/// Linear in the tail.
pub(super) fn cut(
    exchanges: &[Exchange],
    size: impl Fn(&Exchange) -> Size,
    start: usize,
    end: usize,
    keep: Keep,
    window: u32,
    budget_tokens: u32,
) -> usize {
    let mut tail = Size::default();
    let mut first = end;
    for exchange in exchanges.iter().rev().take_while(|exchange| exchange.start >= start) {
        let size = size(exchange);
        let grown = tail.plus(size);
        if !keep.wants(tail, size, window) || grown.tokens > budget_tokens {
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
    use crate::history::{exchanges, pairing::Pairing};
    use crate::test_notation::transcript;

    const TEXT: &str =
        "s: s\nu: one\na: !a !b\nt: =a\nt: =b\na: two\nu: three\na: !c\nt: =c\na: four";

    /// Ten tokens a message.
    fn check(keep: Keep, budget: u32, expected: usize) {
        let messages = transcript(TEXT);
        let exchanges = exchanges(messages.len(), &Pairing::of(&messages));
        let size = |exchange: &Exchange| {
            let messages = u32::try_from(exchange.len()).unwrap();
            let rounds = u32::from(TEXT.lines().nth(exchange.start).unwrap().starts_with('a'));
            Size { messages, rounds, tokens: messages * 10 }
        };
        let first = cut(&exchanges, size, 1, messages.len(), keep, 100, budget);
        assert_eq!(first, expected, "{keep:?} in {budget}");
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
