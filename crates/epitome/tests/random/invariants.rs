//! The invariants of every view, written with as little of the engine's own code as possible.

use std::collections::{BTreeMap, BTreeSet};

use epitome::Compactor;
use epitome::history::{Change, Defect, Edit, PartChange, Record, Rewrite, View};
use epitome::message::{Message, MessageId, Part, Role};
use epitome::policy::SummaryPlacement;
use epitome::tokens::MeterTokens;

/// Pairs of messages with a call and its result. A result belongs to the nearest earlier call of its id without a
/// result; one without an id to the first such call of the latest message with calls; and one that comes before every
/// call of its id to the nearest later call.
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

/// A view and the messages of its log.
pub(crate) struct CheckedView<'a> {
    messages: &'a [Message],
    view: &'a View,
    places: BTreeMap<&'a str, usize>,
    /// Positions of the messages that are in the view.
    present: BTreeSet<usize>,
    /// Messages that a repair has removed.
    removed: BTreeSet<&'a str>,
    /// Messages that a repair has moved after their calls.
    moved: BTreeSet<&'a str>,
}

impl<'a> CheckedView<'a> {
    pub(crate) fn new(messages: &'a [Message], view: &'a View) -> Self {
        let places: BTreeMap<&str, usize> =
            messages.iter().enumerate().map(|(at, message)| (message.id.as_str(), at)).collect();
        let present =
            view.edits.iter().filter_map(Edit::id).map(|id| places[id.as_str()]).collect();
        let found = |defects: &'static [Defect]| {
            let findings = view.findings.iter();
            let found = findings.filter(move |finding| defects.contains(&finding.defect));
            found.map(|finding| finding.id.as_str()).collect()
        };
        let removed = found(&[
            Defect::OrphanResult,
            Defect::RepeatedResult,
            Defect::LateResult,
            Defect::Blank,
        ]);
        let moved = found(&[Defect::MisplacedResult]);
        Self { messages, view, places, present, removed, moved }
    }

    /// Checks all invariants, and returns the first that is broken. `leaves_one` is false for a compaction that may leave more
    /// messages than the placement of its summary says.
    pub(crate) fn check(
        &self,
        summary_placement: SummaryPlacement,
        leaves_one: bool,
    ) -> Result<(), String> {
        self.every_message_occurs_once()?;
        self.protected_messages_are_untouched()?;
        self.no_exchange_is_split()?;
        self.only_named_parts_are_changed()?;
        self.order_is_kept(summary_placement)?;
        if summary_placement == SummaryPlacement::OneMessage && leaves_one {
            self.one_message_is_left()?;
        }
        Ok(())
    }

    /// Checks the invariants that also hold after later messages and edits.
    pub(crate) fn check_unchanged(&self) -> Result<(), String> {
        self.every_message_occurs_once()?;
        self.protected_messages_are_untouched()?;
        self.only_named_parts_are_changed()
    }

    fn every_message_occurs_once(&self) -> Result<(), String> {
        let ids = self.view.edits.iter().filter_map(Edit::id).count();
        ensure(ids == self.present.len(), || "a message occurs twice".into())
    }

    /// Pinned messages and system messages are in the view, unchanged.
    fn protected_messages_are_untouched(&self) -> Result<(), String> {
        let kept: BTreeSet<&str> = self.view.edits.iter().filter_map(kept).collect();
        for message in self.messages.iter().filter(|message| is_protected(message)) {
            let id = message.id.as_str();
            let holds = kept.contains(id) || self.removed.contains(id);
            ensure(holds, || format!("{id} is gone or changed, and must not be"))?;
        }
        Ok(())
    }

    /// A call and its result are both in the view, or neither is. The exception: a result without an id may be paired
    /// with the call of another result, which is then listed as removed.
    fn no_exchange_is_split(&self) -> Result<(), String> {
        let mut results = self.messages.iter().flat_map(Message::results);
        let has_missing_ids = results.any(|result| result.as_str().is_empty());
        for (call, result) in pairs(self.messages) {
            let together = self.present.contains(&call) == self.present.contains(&result);
            let is_removed =
                has_missing_ids && self.removed.contains(self.messages[result].id.as_str());
            ensure(together || is_removed, || {
                format!("call m{call} and result m{result} are split")
            })?;
        }
        Ok(())
    }

    fn only_named_parts_are_changed(&self) -> Result<(), String> {
        for edit in &self.view.edits {
            let Edit::Replace { id, changes } = edit else { continue };
            let message = &self.messages[self.places[id.as_str()]];
            for change in changes {
                let part = message.parts.get(change.part);
                let fits = part.is_some_and(|part| fits(message.role, part, change));
                ensure(fits, || format!("{id}: {change:?} is no change of its part"))?;
            }
        }
        Ok(())
    }

    /// Messages are in the order of the log. Unless the summary is in the place of the messages that it stands for, only
    /// system messages and user messages may be before it.
    fn order_is_kept(&self, summary_placement: SummaryPlacement) -> Result<(), String> {
        let summary = self.view.edits.iter().position(is_summary);
        let (front, back) = self.view.edits.split_at(summary.unwrap_or(0));
        if summary_placement == SummaryPlacement::InPlace {
            return self.in_order(&self.view.edits);
        }
        for id in front.iter().filter_map(Edit::id) {
            let message = &self.messages[self.places[id.as_str()]];
            let is_request = message.role == Role::User && message.synthetic.is_none();
            ensure(is_request || message.role == Role::System, || {
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

    /// True for the last message without results if it has calls, and for the results after it.
    fn waits(&self, at: usize) -> bool {
        let has_no_results = |message: &Message| message.results().next().is_none();
        let last = self.messages.iter().rposition(has_no_results);
        last.is_some_and(|last| at >= last && self.messages[last].calls().next().is_some())
    }

    /// Except for the summary there are only system messages, pinned messages, a last request with other parts than
    /// text, a call without a result yet, and messages that belong to those.
    fn one_message_is_left(&self) -> Result<(), String> {
        if !self.view.edits.iter().any(is_summary) {
            return Ok(());
        }
        let tied = self.tied();
        let rest = self.present.iter().copied().filter(|at| !tied.contains(at));
        let left: Vec<usize> = rest.filter(|at| !self.stays_by_itself(*at)).collect();
        let attached = |at: &usize| {
            let message = &self.messages[*at];
            let is_text = message.parts.iter().all(|part| matches!(part, Part::Text { .. }));
            message.role == Role::User && !is_text
        };
        let request = left.len() == 1 && left.iter().all(attached);
        ensure(left.is_empty() || request, || {
            format!("{left:?} are in the view in addition to the one message")
        })
    }

    /// True for protected messages, and for a call at the end without all of its results.
    fn stays_by_itself(&self, position: usize) -> bool {
        let message = &self.messages[position];
        let mut later = self.messages[position + 1..].iter();
        is_protected(message)
            || (message.calls().next().is_some()
                && later.all(|message| message.results().next().is_some())
                && !self.has_all_results(position))
    }

    /// True if every call of a message has its result.
    fn has_all_results(&self, position: usize) -> bool {
        let answered = pairs(self.messages).into_iter().filter(|(call, _)| *call == position);
        answered.count() == self.messages[position].calls().count()
    }

    /// Messages of calls and results with a protected message among them or between them.
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

/// Every message of the log that is not in the view has a reason: a summary stands for it, a checkpoint drops it, or a
/// repair lists it.
pub(crate) fn every_missing_message_has_a_reason(
    compactor: &Compactor,
    messages: &[Message],
) -> Result<(), String> {
    let view = compactor.view();
    let checked = CheckedView::new(messages, &view);
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
        let has_reason = covered.is_some_and(|through| at <= through)
            || dropped.contains(message.id.as_str())
            || checked.removed.contains(message.id.as_str());
        ensure(has_reason || checked.present.contains(&at), || {
            format!("{} is missing without a reason", message.id)
        })?;
    }
    Ok(())
}

/// The count is the sum over the messages of the view. Checked only for a view without repairs, since what these add
/// and remove is not counted.
pub(crate) fn count_is_the_sum(compactor: &Compactor) -> Result<(), String> {
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
    let course = conversation.course();
    let last = course.tokens.last().copied().unwrap_or_default();
    let last = course.compactions.last().map_or(last, |point| match point.messages {
        all if all == course.tokens.len() => point.after,
        _ => last,
    });
    // An edit may have changed what stands before signed reasoning, which is not sent any more then.
    let is_signed = |record: &Record| matches!(record, Record::Reasoning { .. });
    let is_locked = compactor.log().records().iter().any(is_signed);
    ensure(is_locked || course.tokens.len() == compactor.log().len() && last == tokens, || {
        format!("the course ends at {last:?}, and the view costs {tokens:?}")
    })?;
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
    matches!(parts.first(), Some(Part::Text { text }) if text.lines().take(2).any(|line| line.starts_with("<conversation-summary")))
}

fn kept(edit: &Edit) -> Option<&str> {
    match edit {
        Edit::Keep(id) => Some(id.as_str()),
        Edit::Replace { .. } | Edit::Insert { .. } => None,
    }
}

/// True for an allowed change: results and arguments may be shortened, signed reasoning removed, and a request cut in its middle.
fn fits(role: Role, part: &Part, change: &PartChange) -> bool {
    match (part, &change.change) {
        (Part::Text { text }, Change::Text { text: now }) => {
            role == Role::User && is_excerpt(text, now)
        }
        (Part::ToolResult { .. }, Change::Text { .. } | Change::Offload { .. }) => true,
        (Part::ToolCall { arguments, .. }, Change::Arguments { arguments: now }) => {
            names(arguments) == names(now)
        }
        (Part::Reasoning { signature, .. }, Change::Remove) => signature.is_some(),
        _ => false,
    }
}

/// True for the beginning of a text, one line about the gap, and the end of it.
fn is_excerpt(text: &str, excerpt: &str) -> bool {
    let lines: Vec<&str> = excerpt.lines().collect();
    (0..lines.len()).any(|note| {
        let (head, tail) = (lines[..note].join("\n"), lines[note + 1..].join("\n"));
        text.starts_with(&head) && text.trim_end().ends_with(tail.trim_end())
    })
}

/// The names of the arguments, in order; `None` if they are JSON, but not an object.
fn names(arguments: &str) -> Option<Vec<String>> {
    let value: serde_json::Value = serde_json::from_str(arguments).unwrap();
    Some(value.as_object()?.keys().cloned().collect())
}

fn ensure(holds: bool, problem: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(problem()) }
}
