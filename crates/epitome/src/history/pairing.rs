//! Which result answers which call, in histories where ids repeat, go missing or come in the wrong order.

use std::collections::BTreeMap;

use crate::message::{CallId, Message, Part, Role};

/// Where a part stands: the message's index in the slice, and the index among its calls or results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Index of the message.
    pub message: usize,
    /// Index among the calls, or among the results, of that message.
    pub part: usize,
}

/// The calls and results of a stretch of messages, paired.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairing {
    /// Calls with their results, in the order of the calls.
    answers: Vec<(Place, Place)>,
    /// Results with their calls, in the order of the results.
    questions: Vec<(Place, Place)>,
    /// In order.
    repeated: Vec<Place>,
    /// Messages that belong together besides, the earlier first.
    ties: Vec<(usize, usize)>,
    /// Calls that wait for leave to run, in order.
    waiting: Vec<Place>,
    /// Messages that give leave nobody asked for, in order.
    unasked: Vec<usize>,
}

impl Pairing {
    /// Pairs every result with the nearest earlier call of its id that is still open; a result without
    /// an id with the first open call of the latest turn; a result with no earlier call with the nearest
    /// later one.
    ///
    /// An answer is tied to what asked for leave to run a tool, a message of tools without any result to the
    /// one before it, and a message of nothing but thoughts to what the model says next.
    ///
    /// Costs O(n log n) in calls and results.
    pub fn of<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Self {
        let mut pairing = Self::default();
        let mut asked: BTreeMap<&str, usize> = BTreeMap::new();
        let mut thoughts: Option<usize> = None;
        let mut open: BTreeMap<&CallId, Vec<Place>> = BTreeMap::new();
        let mut answered: Vec<(&CallId, Place)> = Vec::new();
        let mut unmatched: Vec<(&CallId, Place)> = Vec::new();
        let mut turn: Vec<(&CallId, Place)> = Vec::new();
        for (index, message) in messages.into_iter().enumerate() {
            let calls: Vec<&CallId> = message.calls().collect();
            if !calls.is_empty() {
                turn.clear();
            }
            if message.role == Role::User {
                pairing.waiting.clear();
            }
            pairing.tie(index, message, &mut asked, &mut thoughts);
            // Later calls of one turn are pushed first, so that results of equal ids come in call order.
            for (part, call) in calls.into_iter().enumerate().rev() {
                let place = Place { message: index, part };
                open.entry(call).or_default().push(place);
                turn.push((call, place));
            }
            for (part, call) in message.results().enumerate() {
                let result = Place { message: index, part };
                let named = take(&mut open, call);
                let question = named.or_else(|| {
                    if !call.as_str().is_empty() {
                        return None;
                    }
                    let (call, place) = turn.last()?;
                    open.get_mut(*call)?.retain(|other| other != place);
                    Some(*place)
                });
                match question {
                    Some(question) => {
                        turn.retain(|(_, place)| *place != question);
                        answered.push((call, result));
                        pairing.join(question, result);
                    }
                    None => unmatched.push((call, result)),
                }
            }
        }
        if !unmatched.is_empty() {
            pairing.match_late(&answered, unmatched, &mut open);
        }
        pairing.answers.sort();
        pairing.questions.sort();
        pairing
    }

    /// Notes what a message belongs to besides its calls and results.
    fn tie<'a>(
        &mut self,
        index: usize,
        message: &'a Message,
        asked: &mut BTreeMap<&'a str, usize>,
        thoughts: &mut Option<usize>,
    ) {
        if let Some(earlier) = thoughts.take().filter(|_| message.role == Role::Assistant) {
            self.ties.push((earlier, index));
        }
        let mut parts = message.parts.iter();
        let thinks = parts.all(|part| matches!(part, Part::Reasoning { .. }));
        if thinks && message.role == Role::Assistant && !message.parts.is_empty() {
            *thoughts = Some(index);
        }
        if message.role == Role::Tool && message.results().next().is_none() && index > 0 {
            self.ties.push((index - 1, index));
        }
        for part in &message.parts {
            let Part::Approval { approval, call, .. } = part else { continue };
            match call {
                Some(call) => {
                    asked.insert(approval, index);
                    let calls = message.calls().enumerate();
                    let own = calls.filter(|(_, other)| *other == call);
                    self.waiting.extend(own.map(|(part, _)| Place { message: index, part }));
                }
                None => match asked.remove(approval.as_str()) {
                    Some(at) => self.ties.push((at, index)),
                    None => self.unasked.push(index),
                },
            }
        }
    }

    /// Results that no call before them was open for: repeated ones, and those that came too early.
    fn match_late(
        &mut self,
        answered: &[(&CallId, Place)],
        unmatched: Vec<(&CallId, Place)>,
        open: &mut BTreeMap<&CallId, Vec<Place>>,
    ) {
        let mut first: BTreeMap<&CallId, Place> = BTreeMap::new();
        for (call, result) in answered {
            first.entry(call).or_insert(*result);
        }
        let is_repeated =
            |(call, result): &(&CallId, Place)| first.get(call).is_some_and(|first| first < result);
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

    fn join(&mut self, call: Place, result: Place) {
        self.answers.push((call, result));
        self.questions.push((result, call));
    }

    /// The result of a call.
    pub fn answer(&self, call: Place) -> Option<Place> {
        find(&self.answers, call)
    }

    /// The call of a result.
    pub fn question(&self, result: Place) -> Option<Place> {
        find(&self.questions, result)
    }

    /// True where a result answers a call that another result has answered before.
    pub fn is_repeated(&self, result: Place) -> bool {
        self.repeated.binary_search(&result).is_ok()
    }

    /// True for a call that need not have a result yet: it waits for leave to run, and no user has gone on
    /// since.
    pub fn is_waiting(&self, call: Place) -> bool {
        self.waiting.binary_search(&call).is_ok()
    }

    /// True for a message that gives or refuses leave which nobody asked for.
    pub fn is_unasked(&self, message: usize) -> bool {
        self.unasked.binary_search(&message).is_ok()
    }

    /// Messages that belong together, the earlier first: calls with their results, and what else is tied.
    pub fn bonds(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let pairs = self.answers.iter().map(|(call, result)| (call.message, result.message));
        let ordered = pairs.map(|(one, other)| (one.min(other), one.max(other)));
        ordered.chain(self.ties.iter().copied())
    }
}

/// The nearest open call of this name. Names with no open call are forgotten: what is kept in mind stays
/// as small as what is open.
fn take(open: &mut BTreeMap<&CallId, Vec<Place>>, call: &CallId) -> Option<Place> {
    let places = open.get_mut(call)?;
    let place = places.pop();
    if places.is_empty() {
        open.remove(call);
    }
    place
}

fn find(pairs: &[(Place, Place)], place: Place) -> Option<Place> {
    let index = pairs.binary_search_by_key(&place, |(first, _)| *first).ok()?;
    pairs.get(index).map(|(_, second)| *second)
}
