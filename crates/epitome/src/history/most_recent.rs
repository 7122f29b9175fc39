//! The most recent messages of a stored history that fit a token budget, for an app that loads only those.

use epitome_columns::sort;

use super::exchange::exchanges;
use super::pairing::Pairing;
use crate::message::{Message, Role};
use crate::tokens::{Meter, Tokenizer};

/// The indices of the most recent messages that fit `budget_tokens`, in order. System messages are always included,
/// even if they alone exceed the budget. Tool calls are included with their results or not at all, and the first
/// exchange from the end that does not fit ends the selection. Costs O(n log n).
pub fn most_recent(
    messages: &[Message],
    budget_tokens: u32,
    tokenizer: &dyn Tokenizer,
) -> Vec<usize> {
    let cost =
        |at: &usize| messages.get(*at).map_or(0, |message| Meter::cost_of(message, tokenizer));
    let is_system =
        |at: &usize| messages.get(*at).is_some_and(|message| message.role == Role::System);
    let system: Vec<usize> = (0..messages.len()).filter(is_system).collect();
    let mut room =
        budget_tokens.saturating_sub(system.iter().map(cost).fold(0, u32::saturating_add));
    let mut taken = system;
    for exchange in exchanges(messages.len(), &Pairing::of(messages)).into_iter().rev() {
        let own: Vec<usize> = exchange.filter(|at| !is_system(at)).collect();
        let tokens = own.iter().map(cost).fold(0, u32::saturating_add);
        if tokens > room {
            break;
        }
        room -= tokens;
        taken.extend(own);
    }
    sort(&mut taken);
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_notation::{notate, transcript};
    use crate::tokens::CharactersPer;

    fn check(budget: u32, expected: &str) {
        let messages =
            transcript("s: be kind\nu: one\na: !a !b\nt: =a\nt: =b\na: two\nu: three\na: four");
        let taken = most_recent(&messages, budget, &CharactersPer(1));
        let taken: Vec<&Message> = taken.into_iter().map(|at| &messages[at]).collect();
        assert_eq!(notate(taken), notate(&transcript(expected)), "{budget}");
    }

    #[test]
    fn b13_the_most_recent_messages_that_fit_are_selected() {
        check(18, "s: be kind");
        check(19, "s: be kind\na: four");
        check(34, "s: be kind\nu: three\na: four");
        check(1_000, "s: be kind\nu: one\na: !a !b\nt: =a\nt: =b\na: two\nu: three\na: four");
    }

    #[test]
    fn b13_calls_are_selected_with_their_results_or_not_at_all() {
        check(106, "s: be kind\na: two\nu: three\na: four");
        check(107, "s: be kind\na: !a !b\nt: =a\nt: =b\na: two\nu: three\na: four");
    }
}
