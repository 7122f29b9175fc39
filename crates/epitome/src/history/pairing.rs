//! Which result answers which tool call, in histories whose ids repeat, are missing or come in the wrong order.

use std::borrow::Borrow;
use std::cmp::Reverse;
use std::collections::VecDeque;

use epitome_columns::{SortedMap, sort, sort_by};

use crate::message::{CallId, Message, Part, Role};

/// The position of a call or a result: the message's index, and the index among the message's calls or results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PartPosition {
    /// Index of the message.
    pub message: usize,
    /// Index among the calls, or among the results, of that message.
    pub part: usize,
}

/// The calls and results of a range of messages in pairs, and which other messages belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairing {
    /// Calls with their results, in the order of the calls.
    results_by_call: Vec<(PartPosition, PartPosition)>,
    /// Results with their calls, in the order of the results.
    calls_by_result: Vec<(PartPosition, PartPosition)>,
    /// Further results of calls that have one already, in order.
    repeated: Vec<PartPosition>,
    /// Other pairs of messages that belong together, the earlier first.
    tied: Vec<(usize, usize)>,
    /// Calls that wait for the user's approval, in order.
    awaiting_approval: Vec<PartPosition>,
    /// Messages with an approval response to no request, in order.
    unsolicited: Vec<usize>,
}

impl Pairing {
    /// Pairs every result with the nearest earlier call of its id that has no result yet; a result without an id with
    /// the first such call of the latest turn, those that wait for approval last; and a result without an earlier call with
    /// the nearest later one.
    ///
    /// These messages are tied to an earlier one: an approval response to its request, a tool message without a result
    /// to the message before it, the model's next message to one with only reasoning, and an answer that begins with
    /// a part that only its provider understands to one that has such a part just before.
    ///
    /// Costs O(n log n) in calls and results.
    pub fn of<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Self {
        let mut pairing = Self::default();
        let mut pairer: Pairer<&str> = Pairer::default();
        let mut paired: Vec<(&str, PartPosition)> = Vec::new();
        for (index, message) in messages.into_iter().enumerate() {
            let mut names = message.results().map(CallId::as_str).enumerate();
            for link in pairer.push(index, message) {
                match link {
                    Link::Answer { call, result } => {
                        // Links come in the order of the results.
                        let name = names.find(|(part, _)| *part == result.part);
                        paired.push((name.map_or("", |(_, name)| name), result));
                        pairing.pair(call, result);
                    }
                    Link::Tied { earlier } => pairing.tied.push((earlier, index)),
                }
            }
        }
        let Pairer { mut open, unmatched, awaiting_approval, unsolicited, .. } = pairer;
        pairing.awaiting_approval = awaiting_approval;
        pairing.unsolicited = unsolicited;
        if !unmatched.is_empty() {
            pairing.pair_with_later_calls(&paired, unmatched, &mut open);
        }
        sort(&mut pairing.results_by_call);
        sort(&mut pairing.calls_by_result);
        pairing
    }

    /// Decides about the results that found no open call before them. One whose id was answered before repeats that
    /// result; any other came too early and is paired with the nearest later call. This needs all messages: the
    /// later call may come at the very end.
    fn pair_with_later_calls(
        &mut self,
        paired: &[(&str, PartPosition)],
        unmatched: Vec<(&str, PartPosition)>,
        open: &mut SortedMap<&str, Vec<PartPosition>>,
    ) {
        let mut first: SortedMap<&str, PartPosition> = SortedMap::new();
        for (call, result) in paired {
            first.entry(call).or_insert(*result);
        }
        let is_repeated = |(call, result): &(&str, PartPosition)| {
            first.get(call).is_some_and(|first| first < result)
        };
        let (repeated, early): (Vec<_>, Vec<_>) = unmatched.into_iter().partition(is_repeated);
        self.repeated = repeated.into_iter().map(|(_, result)| result).collect();
        for (call, result) in early {
            let later = open.get_mut(call).and_then(|calls| {
                let up_to = |message| calls.partition_point(|call| call.message <= message);
                let nearest = calls.get(up_to(result.message))?.message;
                // Calls of one message are stored last first, so the first one is at the end of its message.
                let index = up_to(nearest).checked_sub(1)?;
                Some(calls.remove(index))
            });
            if let Some(call) = later {
                self.pair(call, result);
            }
        }
    }

    fn pair(&mut self, call: PartPosition, result: PartPosition) {
        self.results_by_call.push((call, result));
        self.calls_by_result.push((result, call));
    }

    /// The result of a call; `None` if it has none. Costs O(log n).
    pub fn result_of(&self, call: PartPosition) -> Option<PartPosition> {
        find(&self.results_by_call, call)
    }

    /// The call of a result; `None` if it has none. Costs O(log n).
    pub fn call_of(&self, result: PartPosition) -> Option<PartPosition> {
        find(&self.calls_by_result, result)
    }

    /// True if the call of this result has an earlier result.
    pub fn is_repeated(&self, result: PartPosition) -> bool {
        self.repeated.binary_search(&result).is_ok()
    }

    /// True if a call waits for the user's approval and no user message has come since: such a call needs no result
    /// yet.
    pub fn awaits_approval(&self, call: PartPosition) -> bool {
        self.awaiting_approval.binary_search(&call).is_ok()
    }

    /// True if a message has an approval response to no request.
    pub fn is_unsolicited_approval(&self, message: usize) -> bool {
        self.unsolicited.binary_search(&message).is_ok()
    }

    /// Pairs of messages that must not be separated, the earlier first: calls with their results, and tied messages.
    pub(crate) fn links(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let pairs =
            self.results_by_call.iter().map(|(call, result)| (call.message, result.message));
        let ordered = pairs.map(|(one, other)| (one.min(other), one.max(other)));
        ordered.chain(self.tied.iter().copied())
    }
}

/// A link between two messages that belong together, found when the later of them comes.
pub(crate) enum Link {
    /// A call and its result.
    Answer { call: PartPosition, result: PartPosition },
    /// The message is tied to an earlier one.
    Tied { earlier: usize },
}

/// Pairs calls with results while messages arrive. `K` is the type of call ids, borrowed or owned.
///
/// Results without an open earlier call are collected in `unmatched`: they can be paired only after the last message,
/// see [`Pairing::of`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairer<K> {
    /// Calls without a result by id, oldest first, but within one message last first. An id without such calls is
    /// removed, so that the map stays small in a long conversation.
    open: SortedMap<K, Vec<PartPosition>>,
    /// Calls of the latest turn, last first, without those that an answer without an id has taken. Some may have a result.
    turn: Vec<(K, PartPosition)>,
    /// Calls of the latest turn that waited for approval when an answer without an id came, first ones first.
    turn_awaiting: VecDeque<(K, PartPosition)>,
    /// The messages of approval requests without a response, by the approval's id.
    approval_requests: SortedMap<K, usize>,
    /// Those with a response, while their calls wait: an app may append a response again, as after a reload.
    approval_responses: SortedMap<K, usize>,
    /// The last message if it has only reasoning.
    only_reasoning: Option<usize>,
    /// The last message if it has a part that only its provider understands.
    opaque: Option<usize>,
    unmatched: Vec<(K, PartPosition)>,
    awaiting_approval: Vec<PartPosition>,
    unsolicited: Vec<usize>,
}

impl<K: Ord + Borrow<str>> Pairer<K> {
    /// Adds the next message and returns its links to earlier ones. Costs O(log n) for each call and result in it.
    pub(crate) fn push<'a>(&mut self, index: usize, message: &'a Message) -> Vec<Link>
    where
        K: From<&'a str>,
    {
        let mut links = Vec::new();
        let calls: Vec<&str> = message.calls().map(CallId::as_str).collect();
        if !calls.is_empty() {
            // A result without an id answers the latest turn. A call of an earlier turn that was never answered
            // must not take it.
            self.turn.clear();
            self.turn_awaiting.clear();
        }
        if message.role == Role::User {
            // The user has moved on without an approval, so these calls now need a result like any other.
            self.awaiting_approval.clear();
            self.approval_responses.clear();
        }
        self.tie(index, message, &mut links);
        self.tie_opaque(index, message, &mut links);
        // Pushed last first and popped from the end, calls of one message with the same id are answered in order.
        for (part, call) in calls.into_iter().enumerate().rev() {
            let place = PartPosition { message: index, part };
            self.open.entry(call.into()).or_default().push(place);
            self.turn.push((call.into(), place));
        }
        for (part, name) in message.results().map(CallId::as_str).enumerate() {
            let result = PartPosition { message: index, part };
            match self.next_call(name) {
                Some(call) => links.push(Link::Answer { call, result }),
                None => self.unmatched.push((name.into(), result)),
            }
        }
        links
    }

    /// Removes the call that a result of this id answers: the nearest one without a result, or for a result without an
    /// id the first such call of the latest turn, those that wait for approval last.
    fn next_call(&mut self, name: &str) -> Option<PartPosition> {
        if let Some(place) = self.open.get_mut(name).and_then(Vec::pop) {
            self.forget(name);
            return Some(place);
        }
        // A result with an id never answers a call with another one: a wrong pair would tell the model
        // something false, and a placeholder does not.
        if !name.is_empty() {
            return None;
        }
        while let Some((call, place)) = self.turn.pop() {
            if self.awaiting_approval.binary_search(&place).is_ok() {
                self.turn_awaiting.push_back((call, place));
            } else if self.close(call.borrow(), place) {
                return Some(place);
            }
        }
        while let Some((call, place)) = self.turn_awaiting.pop_front() {
            if self.close(call.borrow(), place) {
                return Some(place);
            }
        }
        None
    }

    /// Removes an open call. False if it has a result already.
    fn close(&mut self, call: &str, place: PartPosition) -> bool {
        let Some(open) = self.open.get_mut(call) else { return false };
        let order = |place: &PartPosition| (place.message, Reverse(place.part));
        let found = open.binary_search_by_key(&order(&place), order);
        if let Ok(index) = found {
            open.remove(index);
            self.forget(call);
        }
        found.is_ok()
    }

    fn forget(&mut self, name: &str) {
        if self.open.get(name).is_some_and(Vec::is_empty) {
            self.open.remove(name);
        }
    }

    /// Ties a message to the earlier ones that it belongs to for other reasons than calls and results.
    fn tie<'a>(&mut self, index: usize, message: &'a Message, links: &mut Vec<Link>)
    where
        K: From<&'a str>,
    {
        if let Some(earlier) =
            // Taken in any case: only the very next message can be what the reasoning led to.
            self.only_reasoning.take().filter(|_| message.role == Role::Assistant)
        {
            links.push(Link::Tied { earlier });
        }
        let mut parts = message.parts.iter();
        let is_reasoning = parts.all(|part| matches!(part, Part::Reasoning { .. }));
        if is_reasoning && message.role == Role::Assistant && !message.parts.is_empty() {
            self.only_reasoning = Some(index);
        }
        if message.role == Role::Tool && message.results().next().is_none() && index > 0 {
            links.push(Link::Tied { earlier: index - 1 });
        }
        let before = self.awaiting_approval.len();
        for part in &message.parts {
            let Part::Approval { approval, call, .. } = part else { continue };
            match call {
                Some(call) => {
                    self.approval_requests.insert(approval.as_str().into(), index);
                    let calls = message.calls().enumerate();
                    let own = calls.filter(|(_, other)| *other == call);
                    self.awaiting_approval
                        .extend(own.map(|(part, _)| PartPosition { message: index, part }));
                }
                None => match self.request_of(approval) {
                    Some(earlier) => links.push(Link::Tied { earlier }),
                    None => self.unsolicited.push(index),
                },
            }
        }
        // The requests may come in another order than their calls.
        let mut own = self.awaiting_approval.split_off(before);
        sort_by(&mut own, Ord::cmp);
        self.awaiting_approval.append(&mut own);
    }

    /// The message with the request that an approval response answers, also if that has a response already and its call still
    /// waits.
    fn request_of(&mut self, approval: &str) -> Option<usize> {
        let Some((approval, message)) = self.approval_requests.remove_entry(approval) else {
            return self.approval_responses.get(approval).copied();
        };
        // Forgotten otherwise: a later response must not reach over messages behind which nothing waits.
        let waiting = &self.awaiting_approval;
        let first = waiting.partition_point(|call| call.message < message);
        if waiting.get(first).is_some_and(|call| call.message == message) {
            self.approval_responses.insert(approval, message);
        }
        Some(message)
    }

    /// Ties an answer to the message before it if both have parts that only their provider understands: the first may
    /// end with a call of a provider's own tool, and the second begin with its result.
    fn tie_opaque(&mut self, index: usize, message: &Message, links: &mut Vec<Link>) {
        let before = self.opaque.take().filter(|_| begins_opaque(message));
        links.extend(before.map(|earlier| Link::Tied { earlier }));
        self.opaque = Some(index).filter(|_| is_opaque(message));
    }

    /// True while every result has found its call. Then no later message changes the links of earlier ones.
    pub(crate) fn is_settled(&self) -> bool {
        self.unmatched.is_empty()
    }

    /// True if nothing so far waits for a later message: then later messages are paired as if they were the first.
    pub(crate) fn is_idle(&self) -> bool {
        // Without open calls, those of the turn have nothing that a result could take.
        let Self { open, approval_requests, only_reasoning, opaque, .. } = self;
        let Self { unmatched, awaiting_approval, unsolicited, .. } = self;
        open.is_empty()
            && approval_requests.is_empty()
            && only_reasoning.is_none()
            && opaque.is_none()
            && unmatched.is_empty()
            && awaiting_approval.is_empty()
            && unsolicited.is_empty()
    }

    /// True if a call of the message at this index has no result yet.
    pub(crate) fn is_open(&self, index: usize, message: &Message) -> bool {
        let places = message.calls().filter_map(|call| self.open.get(call.as_str()));
        places.flatten().any(|place| place.message == index)
    }

    /// True if a message has an approval response to no request.
    pub(crate) fn has_unsolicited_approvals(&self) -> bool {
        !self.unsolicited.is_empty()
    }

    /// Indices of the messages with calls that have no result yet, once for each such call, in no order.
    pub(crate) fn open(&self) -> impl Iterator<Item = usize> + '_ {
        self.open.values().flatten().map(|place| place.message)
    }
}

/// True for an answer with a part that only its provider understands.
fn is_opaque(message: &Message) -> bool {
    let opaque = |part: &Part| matches!(part, Part::Other { .. });
    message.role == Role::Assistant && message.parts.iter().any(opaque)
}

/// True for an answer that begins with such a part.
fn begins_opaque(message: &Message) -> bool {
    is_opaque(message) && matches!(message.parts.first(), Some(Part::Other { .. }))
}

/// True if two versions of a message have the same links to other messages and call the same tools.
pub(crate) fn has_same_links(one: &Message, other: &Message) -> bool {
    let approvals = |message: &Message| -> Vec<Part> {
        let approvals = message.parts.iter().filter(|part| matches!(part, Part::Approval { .. }));
        approvals.cloned().collect()
    };
    let is_reasoning =
        |message: &Message| message.parts.iter().all(|part| matches!(part, Part::Reasoning { .. }));
    // With the names of the tools: the entry of a result in a transcript names the tool of its call, so that
    // another name changes more than this message.
    let calls = |message: &'_ Message| -> Vec<(CallId, String)> {
        let calls = message.parts.iter().filter_map(|part| match part {
            Part::ToolCall { call, name, .. } => Some((call.clone(), name.clone())),
            _ => None,
        });
        calls.collect()
    };
    one.role == other.role
        && calls(one) == calls(other)
        && one.results().eq(other.results())
        && (is_reasoning(one), one.parts.is_empty())
            == (is_reasoning(other), other.parts.is_empty())
        && approvals(one) == approvals(other)
        && (is_opaque(one), begins_opaque(one)) == (is_opaque(other), begins_opaque(other))
}

fn find(pairs: &[(PartPosition, PartPosition)], place: PartPosition) -> Option<PartPosition> {
    let index = pairs.binary_search_by_key(&place, |(first, _)| *first).ok()?;
    pairs.get(index).map(|(_, second)| *second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_notation::transcript;

    /// The message of this line, which is a part that only its provider understands if it is `own`.
    fn messages(text: &str) -> Vec<Message> {
        let mut messages = transcript(text);
        for part in messages.iter_mut().flat_map(|message| &mut message.parts) {
            if *part == Part::text("own") {
                *part = Part::Other { kind: "server_tool".into(), characters: 9 };
            }
        }
        messages
    }

    fn pairer(text: &str) -> Pairer<String> {
        let mut pairer = Pairer::default();
        for (index, message) in messages(text).iter().enumerate() {
            pairer.push(index, message);
        }
        pairer
    }

    #[test]
    fn nothing_waits_once_everything_is_answered() {
        for (text, is_idle) in [
            ("u: hi", true),
            ("a: !f", false),
            ("a: !f\nt: =f", true),
            ("t: =f", false),
            ("a: ?hm", false),
            ("a: ?hm\na: so", true),
            ("a: own", false),
            ("a: own\na: so", true),
            ("a: may:x<f>", false),
            ("a: may:x<f>\nt: yes:x", true),
            ("a: !f may:x<f>\nt: yes:x =f", false),
            ("a: !f may:x<f>\nt: yes:x =f\nu: so", true),
            ("t: yes:x", false),
        ] {
            assert_eq!(pairer(text).is_idle(), is_idle, "{text}");
        }
    }

    #[test]
    fn results_and_approvals_without_a_request_are_noticed() {
        for (text, is_settled, is_unsolicited) in [
            ("a: !f may:x<f>\nt: yes:x\nt: =f", true, false),
            ("a: !f\nt: =g", false, false),
            ("a: !f\nt: yes:x\nt: =f", true, true),
            ("a: !f may:x<f>\nt: yes:x yes:x =f", true, false),
            ("a: !f may:x<f>\nt: yes:x\nt: =f\nt: yes:x", true, false),
            ("a: !f may:x<f>\nt: yes:x\nu: so?\nt: yes:x", true, true),
        ] {
            let pairer = pairer(text);
            assert_eq!(pairer.is_settled(), is_settled, "{text}");
            assert_eq!(pairer.has_unsolicited_approvals(), is_unsolicited, "{text}");
        }
    }

    #[test]
    fn a_result_without_an_id_answers_the_first_call_of_the_turn_that_does_not_wait_for_approval() {
        let calls = "a: !f !g !h may:y<g> may:x<f>";
        let answers = |results: &str| -> Vec<usize> {
            let pairing = Pairing::of(&transcript(&format!("a: !z\n{calls}\n{results}")));
            let calls = (0..3).map(|part| PartPosition { message: 1, part });
            calls.filter_map(|call| Some(pairing.result_of(call)?.message)).collect()
        };
        assert_eq!(answers("t: ="), [2]);
        assert_eq!(answers("t: =\nt: =\nt: =\nt: ="), [3, 4, 2], "the others last, in order");
        assert_eq!(answers("t: =h\nt: =g\nt: ="), [4, 3, 2]);
        let waits = |part| {
            let pairing = Pairing::of(&transcript(calls));
            pairing.awaits_approval(PartPosition { message: 0, part })
        };
        assert_eq!([0, 1, 2].map(waits), [true, true, false]);
    }

    #[test]
    fn calls_without_a_result_are_listed_with_their_messages() {
        let open = |text: &str| -> Vec<usize> {
            let mut open: Vec<usize> = pairer(text).open().collect();
            open.sort_unstable();
            open
        };
        assert_eq!(open("a: !f\nt: =f"), [0; 0]);
        assert_eq!(open("u: hi\na: !f !g\nt: =f\nu: so\na: !f !h"), [1, 4, 4]);
    }

    #[test]
    fn a_tool_message_without_a_result_that_comes_first_has_no_links() {
        assert_eq!(Pairing::of(&transcript("t: hologram\nu: so")).links().count(), 0);
    }

    #[test]
    fn two_versions_of_a_message_have_the_same_links_if_they_call_and_answer_the_same() {
        for (one, other, is_same) in [
            ("a: hi", "a: ho", true),
            ("a: hi", "u: hi", false),
            ("a: !f<1>", "a: !f<2>", true),
            ("a: !f", "a: !g", false),
            ("t: =f<one>", "t: =f<two>", true),
            ("t: =f", "t: =g", false),
            ("a: ?hm", "a: ?ho", true),
            ("a: ?hm", "a: hm", false),
            ("a: ?hm", "a:", false),
            ("a: may:x<f>", "a: may:x<f>", true),
            ("a: may:x<f>", "a: may:y<f>", false),
            ("a: may:x<f>", "a: may:x<g>", false),
            ("a: hm", "a: own", false),
            ("a: own !f", "a: !f own", false),
        ] {
            let (one, other) = (messages(one).remove(0), messages(other).remove(0));
            assert_eq!(has_same_links(&one, &other), is_same, "{one:?}, {other:?}");
            assert_eq!(has_same_links(&other, &one), is_same, "{other:?}, {one:?}");
        }
        let mut named = messages("a: !f").remove(0);
        let plain = named.clone();
        named.parts = vec![Part::ToolCall {
            call: "f".into(),
            name: "another".into(),
            arguments: "{}".into(),
        }];
        assert!(!has_same_links(&plain, &named), "the transcript names the tool at its result");
    }
}
