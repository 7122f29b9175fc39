//! Which result answers which call, in histories where ids repeat, go missing or come in the wrong order.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use crate::message::{CallId, Message, Part, Role};

/// Where a part stands: the message's index in the slice, and the index among its calls or results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PartPosition {
    /// Index of the message.
    pub message: usize,
    /// Index among the calls, or among the results, of that message.
    pub part: usize,
}

/// The calls and results of a stretch of messages, paired.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairing {
    /// Calls with their results, in the order of the calls.
    answers: Vec<(PartPosition, PartPosition)>,
    /// Results with their calls, in the order of the results.
    questions: Vec<(PartPosition, PartPosition)>,
    /// In order.
    repeated: Vec<PartPosition>,
    /// Messages that belong together besides, the earlier first.
    ties: Vec<(usize, usize)>,
    /// Calls that wait for leave to run, in order.
    waiting: Vec<PartPosition>,
    /// Messages that give leave nobody asked for, in order.
    unasked: Vec<usize>,
}

impl Pairing {
    /// Pairs every result with the nearest earlier call of its id that is still open; a result without
    /// an id with the first open call of the latest turn; a result with no earlier call with the nearest
    /// later one.
    ///
    /// An answer is tied to what asked for leave to run a tool, a message of tools without any result to the
    /// one before it, a message of nothing but thoughts to what the model says next, and an answer that goes
    /// on with what only its provider knows to where that began.
    ///
    /// Costs O(n log n) in calls and results.
    pub fn of<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Self {
        let mut pairing = Self::default();
        let mut pairer: Pairer<&str> = Pairer::default();
        let mut answered: Vec<(&str, PartPosition)> = Vec::new();
        for (index, message) in messages.into_iter().enumerate() {
            for link in pairer.push(index, message) {
                match link {
                    Link::Answer { call, result } => {
                        let name = message.results().nth(result.part).map_or("", CallId::as_str);
                        answered.push((name, result));
                        pairing.join(call, result);
                    }
                    Link::Tied { earlier } => pairing.ties.push((earlier, index)),
                }
            }
        }
        let Pairer { mut open, unmatched, waiting, unasked, .. } = pairer;
        pairing.waiting = waiting;
        pairing.unasked = unasked;
        if !unmatched.is_empty() {
            pairing.match_late(&answered, unmatched, &mut open);
        }
        pairing.answers.sort();
        pairing.questions.sort();
        pairing
    }

    /// Results that no call before them was open for: repeated ones, and those that came too early.
    fn match_late(
        &mut self,
        answered: &[(&str, PartPosition)],
        unmatched: Vec<(&str, PartPosition)>,
        open: &mut BTreeMap<&str, Vec<PartPosition>>,
    ) {
        let mut first: BTreeMap<&str, PartPosition> = BTreeMap::new();
        for (call, result) in answered {
            first.entry(call).or_insert(*result);
        }
        let is_repeated = |(call, result): &(&str, PartPosition)| {
            first.get(call).is_some_and(|first| first < result)
        };
        let (repeated, early): (Vec<_>, Vec<_>) = unmatched.into_iter().partition(is_repeated);
        self.repeated = repeated.into_iter().map(|(_, result)| result).collect();
        for (call, result) in early {
            let later = open.get_mut(call).and_then(|places| {
                let upto = |message| places.partition_point(|place| place.message <= message);
                let nearest = places.get(upto(result.message))?.message;
                let index = upto(nearest).checked_sub(1)?;
                Some(places.remove(index))
            });
            if let Some(question) = later {
                self.join(question, result);
            }
        }
    }

    fn join(&mut self, call: PartPosition, result: PartPosition) {
        self.answers.push((call, result));
        self.questions.push((result, call));
    }

    /// The result of a call.
    pub fn result_of(&self, call: PartPosition) -> Option<PartPosition> {
        find(&self.answers, call)
    }

    /// The call of a result.
    pub fn call_of(&self, result: PartPosition) -> Option<PartPosition> {
        find(&self.questions, result)
    }

    /// True where a result answers a call that another result has answered before.
    pub fn is_repeated(&self, result: PartPosition) -> bool {
        self.repeated.binary_search(&result).is_ok()
    }

    /// True for a call that need not have a result yet: it waits for leave to run, and no user has gone on
    /// since.
    pub fn awaits_approval(&self, call: PartPosition) -> bool {
        self.waiting.binary_search(&call).is_ok()
    }

    /// True for a message that gives or refuses leave which nobody asked for.
    pub fn is_unsolicited_approval(&self, message: usize) -> bool {
        self.unasked.binary_search(&message).is_ok()
    }

    /// Messages that belong together, the earlier first: calls with their results, and what else is tied.
    pub fn links(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let pairs = self.answers.iter().map(|(call, result)| (call.message, result.message));
        let ordered = pairs.map(|(one, other)| (one.min(other), one.max(other)));
        ordered.chain(self.ties.iter().copied())
    }
}

/// Two messages that belong together, as the later of them comes.
pub(crate) enum Link {
    /// A call and its result.
    Answer { call: PartPosition, result: PartPosition },
    /// The message and an earlier one.
    Tied { earlier: usize },
}

/// Pairs calls with results as messages come. `K` are names of calls, borrowed or owned.
///
/// Results that no earlier call is open for are put aside in `unmatched`: what becomes of them is known
/// only once every message has come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairer<K> {
    /// Calls without a result, by name, oldest first. Names with none are forgotten, so that it stays as
    /// small as what is open.
    open: BTreeMap<K, Vec<PartPosition>>,
    /// Calls of the latest turn without a result, the last one first.
    turn: Vec<(K, PartPosition)>,
    /// What asked for leave to run a tool and has no answer.
    asked: BTreeMap<K, usize>,
    /// The last message, where it is nothing but thoughts.
    thoughts: Option<usize>,
    /// The last message, where something in it only its provider knows.
    opaque: Option<usize>,
    unmatched: Vec<(K, PartPosition)>,
    waiting: Vec<PartPosition>,
    unasked: Vec<usize>,
}

impl<K: Ord + Borrow<str>> Pairer<K> {
    /// Takes the next message, and tells what it belongs to. Costs what is in it, times O(log n).
    pub(crate) fn push<'a>(&mut self, index: usize, message: &'a Message) -> Vec<Link>
    where
        K: From<&'a str>,
    {
        let mut links = Vec::new();
        let calls: Vec<&str> = message.calls().map(CallId::as_str).collect();
        if !calls.is_empty() {
            self.turn.clear();
        }
        if message.role == Role::User {
            self.waiting.clear();
        }
        self.tie(index, message, &mut links);
        self.tie_opaque(index, message, &mut links);
        // Later calls of one turn are pushed first, so that results of equal ids come in call order.
        for (part, call) in calls.into_iter().enumerate().rev() {
            let place = PartPosition { message: index, part };
            self.open.entry(call.into()).or_default().push(place);
            self.turn.push((call.into(), place));
        }
        for (part, name) in message.results().map(CallId::as_str).enumerate() {
            let result = PartPosition { message: index, part };
            match self.question(name) {
                Some(call) => {
                    self.turn.retain(|(_, place)| *place != call);
                    links.push(Link::Answer { call, result });
                }
                None => self.unmatched.push((name.into(), result)),
            }
        }
        links
    }

    /// The call that a result of this name answers: the nearest one that is open, or for a result without
    /// a name the first of the latest turn.
    fn question(&mut self, name: &str) -> Option<PartPosition> {
        if let Some(place) = self.open.get_mut(name).and_then(Vec::pop) {
            self.forget(name);
            return Some(place);
        }
        if !name.is_empty() {
            return None;
        }
        let (call, place) = self.turn.pop()?;
        self.open.get_mut(call.borrow())?.retain(|other| *other != place);
        self.forget(call.borrow());
        Some(place)
    }

    fn forget(&mut self, name: &str) {
        if self.open.get(name).is_some_and(Vec::is_empty) {
            self.open.remove(name);
        }
    }

    /// Notes what a message belongs to besides its calls and results.
    fn tie<'a>(&mut self, index: usize, message: &'a Message, links: &mut Vec<Link>)
    where
        K: From<&'a str>,
    {
        if let Some(earlier) = self.thoughts.take().filter(|_| message.role == Role::Assistant) {
            links.push(Link::Tied { earlier });
        }
        let mut parts = message.parts.iter();
        let thinks = parts.all(|part| matches!(part, Part::Reasoning { .. }));
        if thinks && message.role == Role::Assistant && !message.parts.is_empty() {
            self.thoughts = Some(index);
        }
        if message.role == Role::Tool && message.results().next().is_none() && index > 0 {
            links.push(Link::Tied { earlier: index - 1 });
        }
        for part in &message.parts {
            let Part::Approval { approval, call, .. } = part else { continue };
            match call {
                Some(call) => {
                    self.asked.insert(approval.as_str().into(), index);
                    let calls = message.calls().enumerate();
                    let own = calls.filter(|(_, other)| *other == call);
                    self.waiting.extend(own.map(|(part, _)| PartPosition { message: index, part }));
                }
                None => match self.asked.remove(approval.as_str()) {
                    Some(earlier) => links.push(Link::Tied { earlier }),
                    None => self.unasked.push(index),
                },
            }
        }
    }

    /// Ties an answer that goes on in another message: a call of a provider's own tool may stand in the one, and
    /// what came of it at the start of the other.
    fn tie_opaque(&mut self, index: usize, message: &Message, links: &mut Vec<Link>) {
        let before = self.opaque.take().filter(|_| goes_on(message));
        links.extend(before.map(|earlier| Link::Tied { earlier }));
        self.opaque = Some(index).filter(|_| is_opaque(message));
    }

    /// True while every result has found its call: then nothing that comes changes how earlier messages
    /// hang together.
    pub(crate) fn is_settled(&self) -> bool {
        self.unmatched.is_empty()
    }

    /// True where some call of the message at this index has no result yet.
    pub(crate) fn is_open(&self, index: usize, message: &Message) -> bool {
        let places = message.calls().filter_map(|call| self.open.get(call.as_str()));
        places.flatten().any(|place| place.message == index)
    }

    /// True where some message gave leave that nobody asked for.
    pub(crate) fn has_unsolicited_approvals(&self) -> bool {
        !self.unasked.is_empty()
    }

    /// Messages with calls that have no result yet, in no order.
    pub(crate) fn open(&self) -> impl Iterator<Item = usize> + '_ {
        self.open.values().flatten().map(|place| place.message)
    }
}

/// True for an answer with something in it that only its provider knows.
fn is_opaque(message: &Message) -> bool {
    let opaque = |part: &Part| matches!(part, Part::Other { .. });
    message.role == Role::Assistant && message.parts.iter().any(opaque)
}

/// True for an answer that begins with such a thing.
fn goes_on(message: &Message) -> bool {
    is_opaque(message) && matches!(message.parts.first(), Some(Part::Other { .. }))
}

/// True where two wordings of a message hang together with others in the same way, and call the same tools.
pub(crate) fn has_same_links(one: &Message, other: &Message) -> bool {
    let approvals = |message: &Message| -> Vec<Part> {
        let approvals = message.parts.iter().filter(|part| matches!(part, Part::Approval { .. }));
        approvals.cloned().collect()
    };
    let thinks =
        |message: &Message| message.parts.iter().all(|part| matches!(part, Part::Reasoning { .. }));
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
        && (thinks(one), one.parts.is_empty()) == (thinks(other), other.parts.is_empty())
        && approvals(one) == approvals(other)
        && (is_opaque(one), goes_on(one)) == (is_opaque(other), goes_on(other))
}

fn find(pairs: &[(PartPosition, PartPosition)], place: PartPosition) -> Option<PartPosition> {
    let index = pairs.binary_search_by_key(&place, |(first, _)| *first).ok()?;
    pairs.get(index).map(|(_, second)| *second)
}
