//! The atom that is never split: a message, or a run of messages that calls and results tie together.

use std::ops::Range;

use super::pairing::Pairing;

/// A run of messages that goes or stays whole, by index.
pub type Exchange = Range<usize>;

/// Cuts `count` messages into exchanges, oldest first; together they cover every message once.
///
/// Parallel calls stay with all of their results, and whatever stands between a call and a late result
/// stays with them. Linear.
pub fn exchanges(count: usize, pairing: &Pairing) -> Vec<Exchange> {
    // `reach[i]` is the last message that something starting at `i` is tied to.
    let mut reach: Vec<usize> = (0..count).collect();
    for (first, last) in pairing.links() {
        if let Some(end) = reach.get_mut(first) {
            *end = (*end).max(last);
        }
    }
    let mut exchanges = Vec::new();
    let mut start = 0;
    let mut end = 0;
    for (index, last) in reach.iter().enumerate() {
        if index > end {
            exchanges.push(start..end + 1);
            start = index;
        }
        end = end.max(*last).max(index);
    }
    if count > 0 {
        exchanges.push(start..end + 1);
    }
    exchanges
}

/// The exchange of the message at `index`, of exchanges in order. Costs O(log n).
pub(crate) fn exchange_of(exchanges: &[Exchange], index: usize) -> Option<&Exchange> {
    let place = exchanges.partition_point(|exchange| exchange.end <= index);
    exchanges.get(place).filter(|exchange| exchange.start <= index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_notation::transcript;

    fn check(text: &str, expected: &[Exchange]) {
        let messages = transcript(text);
        let pairing = Pairing::of(&messages);
        assert_eq!(exchanges(messages.len(), &pairing), expected, "{text}");
    }

    #[test]
    fn a4_parallel_calls_stay_with_all_of_their_results() {
        check("u: hi\na: !one !two\nt: =two\nt: =one\na: done", &[0..1, 1..4, 4..5]);
    }

    #[test]
    fn a4_a_late_result_ties_everything_between() {
        check("a: !one\nu: wait\na: ok\nt: =one\nu: thanks", &[0..4, 4..5]);
    }

    #[test]
    fn a_result_before_its_call_is_tied_to_it() {
        check("u: hi\nt: =one\na: !one\nu: bye", &[0..1, 1..3, 3..4]);
    }

    #[test]
    fn a_result_before_its_call_is_tied_to_the_nearest_of_that_id() {
        check("t: =c\na: !c\nu: hm\na: !c !c\nu: bye", &[0..2, 2..3, 3..4, 4..5]);
    }

    #[test]
    fn a_reused_id_pairs_with_the_nearest_open_call() {
        check("a: !c\nt: =c\nu: again\na: !c\nt: =c", &[0..2, 2..3, 3..5]);
    }

    #[test]
    fn two_calls_of_one_id_take_two_results() {
        check("a: !c !c\nt: =c\nt: =c\nu: x", &[0..3, 3..4]);
    }

    #[test]
    fn a_result_without_an_id_answers_the_first_open_call() {
        check("a: !one !two\nt: =\nt: =two\nu: x", &[0..3, 3..4]);
    }

    #[test]
    fn leave_to_run_a_tool_stays_with_what_asked_for_it() {
        check("u: hi\na: !one may:x<one>\nu: well\nt: yes:x\na: ok", &[0..1, 1..4, 4..5]);
    }

    #[test]
    fn a_message_of_tools_without_a_result_stays_with_the_one_before_it() {
        check("u: hi\na: !one\nt: hologram\nu: so", &[0..1, 1..3, 3..4]);
    }

    #[test]
    fn thoughts_alone_stay_with_what_the_model_says_next() {
        check("u: hi\na: ?hm#seal\na: !one\nt: =one\nu: so", &[0..1, 1..4, 4..5]);
        check("u: hi\na: ?hm#seal\nu: so", &[0..1, 1..2, 2..3]);
    }

    #[test]
    fn an_answer_that_goes_on_with_what_only_its_provider_knows_stays_in_one() {
        use crate::message::{Message, Part, Role};

        let own = || Part::Other { kind: "server_tool".into(), characters: 9 };
        let said = |parts: Vec<Part>| Message::with_parts("m", Role::Assistant, parts);
        let asks = said(vec![Part::text("let me see"), own()]);
        let check = |next: Message, expected: usize| {
            let messages = [asks.clone(), next];
            assert_eq!(exchanges(2, &Pairing::of(&messages)).len(), expected, "{messages:?}");
        };
        check(said(vec![own(), Part::text("so")]), 1);
        check(said(vec![Part::text("so"), own()]), 2);
        check(Message::with_parts("u", Role::User, vec![own()]), 2);
    }

    #[test]
    fn nothing_has_no_exchanges() {
        check("", &[]);
    }
}
