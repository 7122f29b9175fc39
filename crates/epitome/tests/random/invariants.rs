//! What must hold of every view, told with as little of the engine's own code as there can be.

use std::collections::{BTreeMap, BTreeSet};

use epitome::history::{Change, Defect, Edit, PartChange, Rewrite, View};
use epitome::message::{Message, MessageId, Part, Role};
use epitome::policy::SummaryPlacement;
use epitome::tokens::MeterTokens;
use epitome::{Compactor, Reason};

/// Messages that call and answer each other: a result belongs to the nearest call of its id before it
/// that no other result has answered; one without an id, to the first open call of the latest message
/// that calls; one that comes before every call of its id, to the nearest call after it.
pub(crate) fn pairs(messages: &[Message]) -> Vec<(usize, usize)> {
    let calls: Vec<(usize, &str)> = messages
        .iter()
        .enumerate()
        .flat_map(|(at, message)| message.calls().map(move |call| (at, call.as_str())))
        .collect();
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, (_, name)) in calls.iter().enumerate() {
        by_name.entry(name).or_default().push(index);
    }
    let mut answers: Vec<Option<usize>> = vec![None; calls.len()];
    let mut heard: BTreeSet<&str> = BTreeSet::new();
    let mut early = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let made = calls.partition_point(|(caller, _)| *caller < at);
        for result in message.results().map(|result| result.as_str()) {
            let own = by_name.get(result).into_iter().flatten().copied();
            let open = own.filter(|call| *call < made && answers[*call].is_none());
            let nearest = open.clone().map(|call| calls[call].0).max();
            let named = open.clone().find(|call| Some(calls[*call].0) == nearest);
            let latest = calls[..made].last().map(|(caller, _)| *caller);
            let call = named.or_else(|| {
                (0..made)
                    .rev()
                    .take_while(|call| Some(calls[*call].0) == latest)
                    .filter(|call| result.is_empty() && answers[*call].is_none())
                    .last()
            });
            match call {
                Some(call) => {
                    answers[call] = Some(at);
                    heard.insert(result);
                }
                None if !heard.contains(result) => early.push((result, at)),
                None => {}
            }
        }
    }
    for (result, at) in early {
        let own = by_name.get(result).into_iter().flatten();
        let mut later = own.filter(|call| calls[**call].0 > at && answers[**call].is_none());
        if let Some(call) = later.next() {
            answers[*call] = Some(at);
        }
    }
    let pair = |(call, answer): (usize, Option<usize>)| Some((calls[call].0, answer?));
    answers.into_iter().enumerate().filter_map(pair).collect()
}

/// A view with the messages it came from.
pub(crate) struct Seen<'a> {
    messages: &'a [Message],
    view: &'a View,
    places: BTreeMap<&'a str, usize>,
    /// Positions of the messages that are there.
    there: BTreeSet<usize>,
    /// Messages that a repair has left out.
    left_out: BTreeSet<&'a str>,
    /// Messages that a repair has moved behind their calls.
    moved: BTreeSet<&'a str>,
}

impl<'a> Seen<'a> {
    pub(crate) fn new(messages: &'a [Message], view: &'a View) -> Self {
        let places: BTreeMap<&str, usize> =
            messages.iter().enumerate().map(|(at, message)| (message.id.as_str(), at)).collect();
        let there = view.edits.iter().filter_map(Edit::id).map(|id| places[id.as_str()]).collect();
        let found = |defects: &'static [Defect]| {
            let findings = view.findings.iter();
            let found = findings.filter(move |finding| defects.contains(&finding.defect));
            found.map(|finding| finding.id.as_str()).collect()
        };
        let left_out = found(&[
            Defect::OrphanResult,
            Defect::RepeatedResult,
            Defect::LateResult,
            Defect::Blank,
        ]);
        let moved = found(&[Defect::MisplacedResult]);
        Self { messages, view, places, there, left_out, moved }
    }

    /// The first promise that is broken.
    pub(crate) fn check(
        &self,
        summary_placement: SummaryPlacement,
        reason: Reason,
    ) -> Result<(), String> {
        self.every_message_is_there_once()?;
        self.protected_messages_are_untouched()?;
        self.no_exchange_is_split()?;
        self.only_named_parts_are_changed()?;
        self.order_is_kept(summary_placement)?;
        if summary_placement == SummaryPlacement::OneMessage && !reason.is_reactive() {
            self.one_message_is_left()?;
        }
        Ok(())
    }

    /// The invariants that hold whatever happens behind a compaction.
    pub(crate) fn check_unchanged(&self) -> Result<(), String> {
        self.every_message_is_there_once()?;
        self.protected_messages_are_untouched()?;
        self.only_named_parts_are_changed()
    }

    fn every_message_is_there_once(&self) -> Result<(), String> {
        let ids = self.view.edits.iter().filter_map(Edit::id).count();
        ensure(ids == self.there.len(), || "a message is there twice".into())
    }

    /// Pinned messages and system prompts are there, as they came.
    fn protected_messages_are_untouched(&self) -> Result<(), String> {
        let kept: BTreeSet<&str> = self.view.edits.iter().filter_map(kept).collect();
        for message in self.messages.iter().filter(|message| is_protected(message)) {
            let id = message.id.as_str();
            let there = kept.contains(id) || self.left_out.contains(id);
            ensure(there, || format!("{id} is gone or changed, and must not be"))?;
        }
        Ok(())
    }

    /// A call and its result are both there, or both gone. Only where there are results without an id may
    /// one of those take a call, and the result that it had is told as left out.
    fn no_exchange_is_split(&self) -> Result<(), String> {
        let mut results = self.messages.iter().flat_map(Message::results);
        let nameless = results.any(|result| result.as_str().is_empty());
        for (call, result) in pairs(self.messages) {
            let together = self.there.contains(&call) == self.there.contains(&result);
            let told = nameless && self.left_out.contains(self.messages[result].id.as_str());
            ensure(together || told, || format!("call m{call} and result m{result} are split"))?;
        }
        Ok(())
    }

    fn only_named_parts_are_changed(&self) -> Result<(), String> {
        for edit in &self.view.edits {
            let Edit::Replace { id, changes } = edit else { continue };
            let message = &self.messages[self.places[id.as_str()]];
            for change in changes {
                let fits = message.parts.get(change.part).is_some_and(|part| fits(part, change));
                ensure(fits, || format!("{id}: {change:?} is no change of its part"))?;
            }
        }
        Ok(())
    }

    /// Messages stand in the order in which they came. Where the summary does not stand in the place of
    /// what it stands for, system prompts and what people asked may stand before it.
    fn order_is_kept(&self, summary_placement: SummaryPlacement) -> Result<(), String> {
        let summary = self.view.edits.iter().position(is_summary);
        let (front, back) = self.view.edits.split_at(summary.unwrap_or(0));
        if summary_placement == SummaryPlacement::InPlace {
            return self.in_order(&self.view.edits);
        }
        for id in front.iter().filter_map(Edit::id) {
            let message = &self.messages[self.places[id.as_str()]];
            let asked = message.role == Role::User && message.synthetic.is_none();
            ensure(asked || message.role == Role::System, || {
                format!("{id} stands before the summary")
            })?;
        }
        self.in_order(front)?;
        self.in_order(back)
    }

    fn in_order(&self, edits: &[Edit]) -> Result<(), String> {
        let ids = edits.iter().filter_map(Edit::id).filter(|id| !self.moved.contains(id.as_str()));
        let places: Vec<usize> = ids.map(|id| self.places[id.as_str()]).collect();
        ensure(places.is_sorted(), || format!("out of order: {places:?}"))
    }

    /// True for the last message that is no result, where it calls, and for the results behind it.
    fn waits(&self, at: usize) -> bool {
        let says = |message: &Message| message.results().next().is_none();
        let last = self.messages.iter().rposition(says);
        last.is_some_and(|last| at >= last && self.messages[last].calls().next().is_some())
    }

    /// Besides the summary there are only system prompts, pinned messages, a last request that no text
    /// can tell, a call that waits for its result, and what belongs to them.
    fn one_message_is_left(&self) -> Result<(), String> {
        if !self.view.edits.iter().any(is_summary) {
            return Ok(());
        }
        let tied = self.tied();
        let rest = self.there.iter().copied().filter(|at| !tied.contains(at));
        let left: Vec<usize> = rest.filter(|at| !self.stays_by_itself(*at)).collect();
        let attached = |at: &usize| {
            let message = &self.messages[*at];
            let told = message.parts.iter().all(|part| matches!(part, Part::Text { .. }));
            message.role == Role::User && !told
        };
        let request = left.len() == 1 && left.iter().all(attached);
        ensure(left.is_empty() || request, || {
            format!("{left:?} are still there beside the one message")
        })
    }

    /// True for what is protected, and for a call that waits at the end.
    fn stays_by_itself(&self, position: usize) -> bool {
        let message = &self.messages[position];
        let mut behind = self.messages[position + 1..].iter();
        is_protected(message)
            || (message.calls().next().is_some()
                && behind.all(|message| message.results().next().is_some())
                && !self.answers(position))
    }

    /// True where every call of a message has its result.
    fn answers(&self, position: usize) -> bool {
        let answered = pairs(self.messages).into_iter().filter(|(call, _)| *call == position);
        answered.count() == self.messages[position].calls().count()
    }

    /// Messages between a call and its result that are protected, or have something protected between.
    fn tied(&self) -> BTreeSet<usize> {
        let spans = pairs(self.messages).into_iter();
        let mut spans: Vec<(usize, usize)> =
            spans.map(|(call, result)| (call.min(result), call.max(result))).collect();
        spans.sort_unstable();
        let mut merged: Vec<(usize, usize)> = Vec::new();
        for (first, last) in spans {
            match merged.last_mut() {
                Some(span) if first <= span.1 => span.1 = span.1.max(last),
                _ => merged.push((first, last)),
            }
        }
        let protected =
            |(first, last): &(usize, usize)| (*first..=*last).any(|at| self.stays_by_itself(at));
        merged.into_iter().filter(protected).flat_map(|(first, last)| first..=last).collect()
    }
}

/// Every message of the log that a compaction took from the view is accounted for: a summary stands for
/// it, it was left out by name, or a repair tells of it.
pub(crate) fn nothing_vanishes(compactor: &Compactor, messages: &[Message]) -> Result<(), String> {
    let view = compactor.view();
    let seen = Seen::new(messages, &view);
    let covered =
        compactor.log().active_checkpoints().filter_map(|checkpoint| checkpoint.cover.as_ref());
    let covered = covered.filter_map(|cover| compactor.log().position(&cover.through)).max();
    let dropped: BTreeSet<&str> = compactor
        .log()
        .active_checkpoints()
        .flat_map(|checkpoint| &checkpoint.dropped)
        .map(|id| id.as_str())
        .collect();
    for (at, message) in messages.iter().enumerate() {
        let told = covered.is_some_and(|through| at <= through)
            || dropped.contains(message.id.as_str())
            || seen.left_out.contains(message.id.as_str());
        ensure(told || seen.there.contains(&at), || format!("{} has vanished", message.id))?;
    }
    Ok(())
}

/// The count is what the messages of the view cost, one by one; where nothing had to be repaired, for
/// what repairs add and leave out is not counted.
pub(crate) fn costs(compactor: &Compactor) -> Result<(), String> {
    let view = compactor.view();
    if !view.findings.is_empty() {
        return Ok(());
    }
    let conversation = compactor.conversation();
    let meter = conversation.meter();
    let message =
        |id: &MessageId| compactor.log().message(compactor.log().position(id).unwrap()).unwrap();
    let cost = |edit: &Edit| match edit {
        Edit::Keep(id) => meter.measure(message(id)).tokens,
        Edit::Replace { id, changes } => {
            let rewrite = Rewrite { id: id.clone(), changes: changes.clone() };
            meter.measure(&rewrite.apply(message(id))).tokens
        }
        Edit::Insert { role, parts } => {
            let inserted = Message::with_parts("", *role, parts.clone());
            meter.measure(&inserted).tokens
        }
    };
    let tokens: MeterTokens = view.edits.iter().map(cost).sum();
    let counted = conversation.counted_tokens();
    ensure(tokens == counted, || format!("counted {counted:?}, and the view costs {tokens:?}"))?;
    let scale = conversation.scale(compactor.policy());
    let fills = conversation.breakdown(&scale);
    let parts = [fills.system, fills.summary, fills.user, fills.assistant, fills.results];
    // Each part is rounded by itself.
    let off = parts.iter().sum::<u32>().abs_diff(scale.to_provider(counted));
    ensure(off <= 3, || format!("{counted:?} is made up of {fills:?}"))
}

fn is_protected(message: &Message) -> bool {
    message.pinned || message.role == Role::System
}

fn is_summary(edit: &Edit) -> bool {
    let Edit::Insert { parts, .. } = edit else { return false };
    matches!(parts.first(), Some(Part::Text { text }) if text.starts_with("<conversation-summary"))
}

fn kept(edit: &Edit) -> Option<&str> {
    match edit {
        Edit::Keep(id) => Some(id.as_str()),
        Edit::Replace { .. } | Edit::Insert { .. } => None,
    }
}

/// Results and arguments may be shortened, and sealed thoughts left out; nothing else may be touched.
fn fits(part: &Part, change: &PartChange) -> bool {
    match (part, &change.change) {
        (Part::ToolResult { .. }, Change::Text { .. } | Change::Offload { .. }) => true,
        (Part::ToolCall { arguments, .. }, Change::Arguments { arguments: now }) => {
            names(arguments).is_some_and(|names_before| Some(names_before) == names(now))
        }
        (Part::Reasoning { signature, .. }, Change::Remove) => signature.is_some(),
        _ => false,
    }
}

/// The names of the arguments, in order; `None` where they are no JSON object.
fn names(arguments: &str) -> Option<Vec<String>> {
    let value: serde_json::Value = serde_json::from_str(arguments).ok()?;
    Some(value.as_object()?.keys().cloned().collect())
}

fn ensure(holds: bool, problem: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(problem()) }
}
