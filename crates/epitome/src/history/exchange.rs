//! Exchanges, which are never split: a message, or a run of messages whose tool calls and results belong together.

use std::ops::Range;

use super::pairing::Pairing;

/// A run of messages that is kept or summarized as a whole, by index.
pub type Exchange = Range<usize>;

/// Divides `count` messages into exchanges, oldest first. Every message is in exactly one.
///
/// Parallel calls are in one exchange with all of their results, and so are the messages between a call and a result
/// that comes later. Linear.
pub fn exchanges(count: usize, pairing: &Pairing) -> Vec<Exchange> {
    // `reach[i]` is the last message that message `i` is linked to.
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
        // Only links of messages before this one matter here: a link is stored at its earlier end.
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

/// The exchange that contains the message at `index`. Costs O(log n).
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
    fn a4_messages_between_a_call_and_its_late_result_stay_with_them() {
        check("a: !one\nu: wait\na: ok\nt: =one\nu: thanks", &[0..4, 4..5]);
    }

    #[test]
    fn a_result_before_its_call_stays_with_it() {
        check("u: hi\nt: =one\na: !one\nu: bye", &[0..1, 1..3, 3..4]);
    }

    #[test]
    fn a_result_before_its_call_stays_with_the_nearest_call_of_that_id() {
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
    fn an_approval_response_stays_with_its_request() {
        check("u: hi\na: !one may:x<one>\nu: well\nt: yes:x\na: ok", &[0..1, 1..4, 4..5]);
    }

    #[test]
    fn a_tool_message_without_a_result_stays_with_the_message_before_it() {
        check("u: hi\na: !one\nt: hologram\nu: so", &[0..1, 1..3, 3..4]);
    }

    #[test]
    fn a_message_with_only_reasoning_stays_with_the_models_next_message() {
        check("u: hi\na: ?hm#seal\na: !one\nt: =one\nu: so", &[0..1, 1..4, 4..5]);
        check("u: hi\na: ?hm#seal\nu: so", &[0..1, 1..2, 2..3]);
    }

    #[test]
    fn an_answer_that_continues_with_a_provider_specific_part_is_not_split() {
        use crate::message::{Message, Part, Role};

        let own = || Part::Other { kind: "server_tool".into(), characters: 9 };
        let answer = |parts: Vec<Part>| Message::with_parts("m", Role::Assistant, parts);
        let first = answer(vec![Part::text("let me see"), own()]);
        let check = |next: Message, expected: usize| {
            let messages = [first.clone(), next];
            assert_eq!(exchanges(2, &Pairing::of(&messages)).len(), expected, "{messages:?}");
        };
        check(answer(vec![own(), Part::text("so")]), 1);
        check(answer(vec![Part::text("so"), own()]), 2);
        check(Message::with_parts("u", Role::User, vec![own()]), 2);
    }

    #[test]
    fn no_messages_have_no_exchanges() {
        check("", &[]);
    }
}
