//! Repairs a history so that a provider accepts it, and lists the defects.

use epitome_columns::sort_by;
use serde::Serialize;

use super::late_result::LateResults;
use super::pairing::{Pairing, PartPosition};
use crate::contract::{BlankText, Contract, ReasoningPolicy, ResultPlace};
use crate::message::{CallId, Message, MessageId, Part, Role};

/// Text of the placeholder for a missing result.
pub const PLACEHOLDER_RESULT: &str = "[no result was recorded for this call]";

/// Text of the assistant message that is added after a history which ends with a tool result.
pub const ACKNOWLEDGEMENT: &str = "Noted.";

/// One message of a repaired history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repaired {
    /// The message at this index, unchanged, but perhaps moved.
    Kept(usize),
    /// A message that was added.
    Added {
        /// Its role.
        role: Role,
        /// Its part.
        part: Part,
    },
}

/// A defect of a message for which a provider may reject the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct Finding {
    /// The message.
    pub id: MessageId,
    /// The defect, with what the engine does about it.
    pub defect: Defect,
}

/// A defect of a message, and what the engine does about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Defect {
    /// A tool call without a result: a placeholder result is added.
    MissingResult,
    /// A result without a call: it is removed from the view.
    OrphanResult,
    /// A second result for a call: it is removed from the view.
    RepeatedResult,
    /// A result that does not follow its call: it is moved after it.
    MisplacedResult,
    /// A result whose call was summarized or removed before the result came: it is sent as text.
    LateResult,
    /// The first message is not a user message, but must be one: a short user message is inserted before it.
    NotUserFirst,
    /// Only system messages are left, since the app has made one of the last other message: a short user message is sent
    /// behind them.
    NothingSaid,
    /// A message with only reasoning, which the provider does not accept alone: it is removed from the view.
    ReasoningAlone,
    /// An empty message: it is removed from the view.
    Blank,
    /// An empty text next to other parts, which the provider refuses: it is left out of the message.
    BlankText,
    /// Reasoning without a signature next to other parts, which the provider refuses: it is left out of the message.
    UnsignedReasoning,
    /// A message that the provider wants as one with the one before it, such as a second message with results of the
    /// same calls: both are sent as one. Only a message format sees this.
    Merged,
    /// Another form than that of its format, such as an unknown role: it is sent in that form. Only a message format
    /// sees this.
    Malformed,
    /// Arguments that are not JSON, as after an aborted stream: they are kept.
    BrokenArguments,
    /// Two calls of one message have the same id: they are kept, and paired with results in order.
    SharedCallId,
    /// A call or a result without an id: it is kept, and paired in order.
    MissingCallId,
}

impl Defect {
    /// The defect and what is done about it, as a text after `message 3: `.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::MissingResult => "a tool call has no result; a placeholder result is sent",
            Self::OrphanResult => "a tool result has no call; it is not sent",
            Self::RepeatedResult => "a tool call has a second result; only the first is sent",
            Self::MisplacedResult => "a tool result does not follow its call; it is sent after it",
            Self::LateResult => {
                "a tool result came after its call was summarized; it is sent as a text"
            }
            Self::NotUserFirst => {
                "the first message must be a user's; a short one is sent before it"
            }
            Self::NothingSaid => {
                "only system messages are left; a short message of the user is sent behind them"
            }
            Self::ReasoningAlone => "the message holds only reasoning; it is not sent",
            Self::Blank => "the message is empty; it is not sent",
            Self::Merged => "the provider wants one message of this and the one before it",
            Self::Malformed => "the message is not of its format's form; it is sent in that form",
            Self::BlankText => "the message has an empty text in it; it is sent without",
            Self::UnsignedReasoning => {
                "the message has reasoning without a signature; it is sent without"
            }
            Self::BrokenArguments => {
                "the arguments of a tool call are not JSON; they are kept as they are"
            }
            Self::SharedCallId => "two calls share an id; they are paired with results in order",
            Self::MissingCallId => "a tool call or result has no id; it is paired by order",
        }
    }
}

/// A repaired history and its defects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// The messages in the order in which to send them.
    pub messages: Vec<Repaired>,
    /// The defects: those of single messages in their order, then messages with only reasoning from the end.
    pub findings: Vec<Finding>,
}

/// How a repaired history may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Anywhere, also on a tool result: the model continues from it.
    Open,
    /// Not on a tool result: a short assistant message is added after it. Summarizers need this, since some providers
    /// reject a history that ends with tool results.
    Acknowledged,
}

/// Moves results after their calls, adds placeholders for missing results, and removes what no provider accepts:
/// results without a call, repeated results, and empty messages.
///
/// Messages are moved, removed or added, but not changed. A history of fewer than 2 messages is returned unchanged.
/// Costs O(n log n).
pub fn repair(messages: &[&Message], ending: Ending, contract: &Contract) -> Repair {
    if messages.len() < 2 {
        let kept = (0..messages.len()).map(Repaired::Kept).collect();
        return Repair { messages: kept, findings: Vec::new() };
    }
    repair_part(messages, ending, contract, None, &Pairing::of(messages.iter().copied()))
}

/// The same for a part of a longer history, however short. Results whose calls have left the view become texts by
/// `late`. `pairing` is that of the messages.
pub(super) fn repair_part(
    messages: &[&Message],
    ending: Ending,
    contract: &Contract,
    late: Option<&LateResults<'_>>,
    pairing: &Pairing,
) -> Repair {
    let place = contract.results;
    let runs = runs_of_results(messages);
    let moved = moved(messages, pairing, place, &runs);
    let mut repair = Repair { messages: Vec::with_capacity(messages.len()), findings: Vec::new() };
    // Moved and added results wait here until the results that already follow the call are passed: they come last.
    let mut pending: Vec<Repaired> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let mut report = |defect| repair.findings.push(Finding { id: message.id.clone(), defect });
        own_defects(message, contract).for_each(&mut report);
        if message.role != Role::Tool {
            repair.messages.append(&mut pending);
        }
        let standing = standing(index, message, &runs, pairing, place);
        if let Some(defect) = standing.and_then(Standing::defect) {
            // Only an orphan can be late: the call of a repeated or a misplaced result is in the view.
            let orphaned = defect == Defect::OrphanResult;
            match late.filter(|_| orphaned).and_then(|late| late.text(message)) {
                Some(text) => {
                    report(Defect::LateResult);
                    pending.push(Repaired::Added { role: Role::User, part: Part::text(text) });
                }
                None => report(defect),
            }
            continue;
        }
        if contract.refuses_as_blank(message.role, &message.parts) {
            report(Defect::Blank);
            continue;
        }
        repair.messages.push(Repaired::Kept(index));
        let first = moved.partition_point(|(owner, _)| *owner < index);
        let own = moved.iter().skip(first).take_while(|(owner, _)| *owner == index);
        pending.extend(own.map(|(_, answer)| Repaired::Kept(*answer)));
        let calls = message.parts.iter().filter_map(|part| match part {
            Part::ToolCall { call, name, .. } => Some((call, name)),
            _ => None,
        });
        for (part, (call, name)) in calls.enumerate() {
            let place = PartPosition { message: index, part };
            if pairing.result_of(place).is_none() && !pairing.awaits_approval(place) {
                report(Defect::MissingResult);
                pending.push(placeholder(call, name));
            }
        }
    }
    repair.messages.append(&mut pending);
    remove_lone_reasoning(&mut repair, messages, contract.reasoning);
    if ending == Ending::Acknowledged
        && repair.messages.last().and_then(|last| last.role(messages)) == Some(Role::Tool)
    {
        let part = Part::text(ACKNOWLEDGEMENT);
        repair.messages.push(Repaired::Added { role: Role::Assistant, part });
    }
    repair
}

/// The placeholder result of a call.
fn placeholder(call: &CallId, name: &str) -> Repaired {
    let (name, text) = (Some(name.to_owned()), PLACEHOLDER_RESULT.into());
    let part = Part::ToolResult { call: call.clone(), name, text };
    Repaired::Added { role: Role::Tool, part }
}

/// For each message, the start of the messages of tools directly before it.
fn runs_of_results(messages: &[&Message]) -> Vec<usize> {
    let mut start = 0;
    let runs = messages.iter().enumerate().map(|(index, message)| {
        let next = if message.role == Role::Tool { start } else { index + 1 };
        std::mem::replace(&mut start, next)
    });
    runs.collect()
}

/// Removes messages with only reasoning that cannot stay. It goes from the end to the start: whether one can stay
/// depends on the message after it, which may itself be removed.
fn remove_lone_reasoning(repair: &mut Repair, messages: &[&Message], reasoning: ReasoningPolicy) {
    let mut next = None;
    let mut kept = Vec::with_capacity(repair.messages.len());
    for repaired in repair.messages.drain(..).rev() {
        if let Repaired::Kept(index) = repaired
            && let Some(message) = messages.get(index)
            && is_lone_reasoning(message, next, reasoning)
        {
            let (id, defect) = (message.id.clone(), Defect::ReasoningAlone);
            repair.findings.push(Finding { id, defect });
            continue;
        }
        next = repaired.role(messages);
        kept.push(repaired);
    }
    kept.reverse();
    repair.messages = kept;
}

impl Repaired {
    fn role(&self, messages: &[&Message]) -> Option<Role> {
        match self {
            Self::Kept(index) => messages.get(*index).map(|message| message.role),
            Self::Added { role, .. } => Some(*role),
        }
    }
}

/// The messages that have to be moved, each after the message whose call it answers: pairs of that message and the
/// moved one, sorted.
fn moved(
    messages: &[&Message],
    pairing: &Pairing,
    place: ResultPlace,
    runs: &[usize],
) -> Vec<(usize, usize)> {
    let mut moved: Vec<(usize, usize)> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let standing = standing(index, message, runs, pairing, place);
        if matches!(standing, Some(Standing::Misplaced)) {
            moved.extend(owner(index, message, pairing).map(|owner| (owner, index)));
        }
    }
    sort_by(&mut moved, Ord::cmp);
    moved
}

/// The message whose call this message answers; of several, that of the first result.
fn owner(index: usize, message: &Message, pairing: &Pairing) -> Option<usize> {
    let results = message.results().enumerate();
    results
        .filter_map(|(part, _)| pairing.call_of(PartPosition { message: index, part }))
        .map(|call| call.message)
        .next()
}

/// The position of a message with results in relation to its calls; `None` for any other message. `runs` are those of
/// [`runs_of_results`].
fn standing(
    index: usize,
    message: &Message,
    runs: &[usize],
    pairing: &Pairing,
    place: ResultPlace,
) -> Option<Standing> {
    let is_unsolicited =
        pairing.is_unsolicited_approval(index) && message.results().next().is_none();
    if is_unsolicited && message.role == Role::Tool {
        return Some(Standing::Orphaned);
    }
    message.results().next()?;
    let Some(owner) = owner(index, message, pairing) else {
        let repeated = pairing.is_repeated(PartPosition { message: index, part: 0 });
        return Some(if repeated { Standing::Repeated } else { Standing::Orphaned });
    };
    let only_results_between = runs.get(index).is_some_and(|start| *start <= owner + 1);
    let anywhere = place == ResultPlace::AnywhereAfter;
    // A message that the app has edited may have its calls and their results together.
    let follows = owner == index || owner < index && (anywhere || only_results_between);
    Some(if follows { Standing::Following } else { Standing::Misplaced })
}

#[derive(Clone, Copy)]
enum Standing {
    Following,
    Misplaced,
    Repeated,
    Orphaned,
}

impl Standing {
    fn defect(self) -> Option<Defect> {
        match self {
            Self::Following => None,
            Self::Misplaced => Some(Defect::MisplacedResult),
            Self::Repeated => Some(Defect::RepeatedResult),
            Self::Orphaned => Some(Defect::OrphanResult),
        }
    }
}

/// True for a message with only reasoning that cannot stay: it is not signed although it must be, or the model's next
/// message, which has to follow it, is missing.
fn is_lone_reasoning(message: &Message, next: Option<Role>, reasoning: ReasoningPolicy) -> bool {
    let unsigned = |part: &Part| matches!(part, Part::Reasoning { signature: None, .. });
    let is_reasoning = |part: &Part| matches!(part, Part::Reasoning { .. }) || part.is_blank();
    let parts = &message.parts;
    message.role == Role::Assistant
        && matches!(reasoning, ReasoningPolicy::Signed | ReasoningPolicy::WholeTurn)
        && parts.iter().all(is_reasoning)
        && !message.is_blank()
        && (next != Some(Role::Assistant)
            || reasoning == ReasoningPolicy::Signed
                && parts.iter().all(|part| unsigned(part) || part.is_blank()))
}

/// The defects of a message that do not depend on other messages. Linear in the message.
pub fn own_defects(message: &Message, contract: &Contract) -> impl Iterator<Item = Defect> {
    let is_blank = |part: &Part| {
        contract.blank_text == BlankText::Refused
            && matches!(part, Part::Text { .. })
            && part.is_blank()
    };
    let is_unsigned = |part: &Part| {
        contract.reasoning == ReasoningPolicy::Signed
            && matches!(part, Part::Reasoning { signature: None, .. })
    };
    let (mut blank, mut unsigned, mut accepted) = (false, false, false);
    for part in &message.parts {
        match (is_blank(part), is_unsigned(part)) {
            (true, _) => blank = true,
            (_, true) => unsigned = true,
            _ => accepted = true,
        }
    }
    let missing = message.calls().chain(message.results()).any(|call| call.as_str().is_empty());
    let mut calls: Vec<&CallId> =
        message.calls().filter(|call| !call.as_str().is_empty()).collect();
    sort_by(&mut calls, Ord::cmp);
    let shared = calls.windows(2).any(|pair| matches!(pair, [one, other] if one == other));
    let broken = message.parts.iter().any(|part| match part {
        Part::ToolCall { arguments, .. } => {
            serde_json::from_str::<serde::de::IgnoredAny>(arguments).is_err()
        }
        _ => false,
    });
    let defects = [
        // Without another part the message is empty, which is a defect of its own.
        (blank && accepted, Defect::BlankText),
        (unsigned && accepted, Defect::UnsignedReasoning),
        (shared, Defect::SharedCallId),
        (missing, Defect::MissingCallId),
        (broken, Defect::BrokenArguments),
    ];
    defects.into_iter().filter(|(found, _)| *found).map(|(_, defect)| defect)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_notation::{notate, transcript};

    fn check(ending: Ending, before: &str, after: &str, defects: &[Defect]) {
        let messages = transcript(before);
        let messages: Vec<&Message> = messages.iter().collect();
        let repair = repair(&messages, ending, &Contract::default());
        let repaired: Vec<Message> = repair
            .messages
            .iter()
            .map(|message| match message {
                Repaired::Kept(index) => messages[*index].clone(),
                Repaired::Added { role, part } => {
                    Message::with_parts("added", *role, vec![part.clone()])
                }
            })
            .collect();
        let found: Vec<Defect> = repair.findings.iter().map(|finding| finding.defect).collect();
        assert_eq!(notate(&repaired), notate(&transcript(after)), "{before}");
        assert_eq!(found, defects, "{before}");
    }

    #[test]
    fn a_history_without_defects_is_not_changed() {
        let valid = "s: be kind\nu: hi\na: !one !two\nt: =two\nt: =one\na: done";
        check(Ending::Open, valid, valid, &[]);
    }

    #[test]
    fn an_approval_response_stays_before_the_result() {
        let valid = "u: hi\na: !one may:x<one>\nt: yes:x\nt: =one\na: done";
        check(Ending::Open, valid, valid, &[]);
        let unsolicited = "u: hi\nt: yes:x\na: done";
        check(Ending::Open, unsolicited, "u: hi\na: done", &[Defect::OrphanResult]);
    }

    #[test]
    fn a_call_with_its_result_in_the_same_message_stays() {
        let valid = "u: hi\na: !one =one and so\nu: thanks";
        check(Ending::Open, valid, valid, &[]);
    }

    #[test]
    fn a2_a_call_without_a_result_gets_a_placeholder() {
        let defect = [Defect::MissingResult];
        let none = |id| format!("t: ={id}<{PLACEHOLDER_RESULT}>");
        let after = format!("u: hi\na: !one\n{}\nu: so?", none("one"));
        check(Ending::Open, "u: hi\na: !one\nu: so?", &after, &defect);
        let after = format!("a: !one !two\nt: =two\n{}", none("one"));
        check(Ending::Open, "a: !one !two\nt: =two", &after, &defect);
    }

    #[test]
    fn a_placeholder_has_the_name_of_the_tool() {
        let messages = transcript("a: !one\nu: so?");
        let repair =
            repair(&messages.iter().collect::<Vec<_>>(), Ending::Open, &Contract::default());
        let Repaired::Added { part: Part::ToolResult { name, .. }, .. } = &repair.messages[1]
        else {
            panic!("{:?}", repair.messages);
        };
        assert_eq!(name.as_deref(), Some("tool"));
    }

    #[test]
    fn a2_a_history_for_a_summarizer_does_not_end_with_a_tool_result() {
        check(Ending::Acknowledged, "a: !one\nt: =one", "a: !one\nt: =one\na: Noted.", &[]);
    }

    #[test]
    fn a2_a_history_of_one_message_is_not_changed() {
        check(Ending::Acknowledged, "a: !one", "a: !one", &[]);
        check(Ending::Acknowledged, "", "", &[]);
    }

    #[test]
    fn a3_orphaned_and_repeated_results_are_removed_and_listed() {
        check(Ending::Open, "s: x\nt: =one\nu: hi", "s: x\nu: hi", &[Defect::OrphanResult]);
        let repeat = "a: !one\nt: =one\nt: =one\nu: hi";
        check(Ending::Open, repeat, "a: !one\nt: =one\nu: hi", &[Defect::RepeatedResult]);
    }

    #[test]
    fn a3_a_result_is_moved_after_its_call() {
        let after = "a: !one !two\nt: =one\nt: =two\nu: wait";
        let defects = [Defect::MisplacedResult];
        check(Ending::Open, "a: !one !two\nt: =one\nu: wait\nt: =two", after, &defects);
        check(Ending::Open, "t: =one\na: !one\nu: x", "a: !one\nt: =one\nu: x", &defects);
        let (late, moved) = ("a: !one\nu: wait\nt: =one\n", "a: !one\nt: =one\nu: wait\n");
        let after = format!("u: hi\n{moved}");
        check(Ending::Open, &format!("u: hi\n{late}"), &after, &defects);
        let twice = |turn: &str| format!("{turn}{}", turn.replace("one", "two"));
        check(Ending::Open, &twice(late), &twice(moved), &[defects, defects].concat());
    }

    #[test]
    fn reasoning_that_the_provider_does_not_accept_alone_is_removed_and_listed() {
        use ReasoningPolicy::{KeepAll, MayDrop, Signed, WholeTurn};
        let kept = |reasoning: ReasoningPolicy, messages: &[Message]| -> (usize, usize) {
            let contract = Contract { reasoning, ..Contract::default() };
            let messages: Vec<&Message> = messages.iter().collect();
            let repaired = repair(&messages, Ending::Open, &contract);
            let alone = |finding: &&Finding| finding.defect == Defect::ReasoningAlone;
            (repaired.messages.len(), repaired.findings.iter().filter(alone).count())
        };
        for (text, removed_by) in [
            ("u: hi\na: ?hm#signed\na: so", vec![]),
            ("u: hi\na: ?hm\na: so", vec![Signed]),
            ("u: hi\na: ?hm ?ho#signed\na: so", vec![]),
            ("u: hi\na: ?hm#signed\nu: so", vec![Signed, WholeTurn]),
            ("u: hi\nu: so\na: ?hm#signed", vec![Signed, WholeTurn]),
            ("u: hi\na: ?hm#signed so\nu: so", vec![]),
        ] {
            // An empty text beside reasoning says nothing.
            for blank in [false, true] {
                let mut messages = transcript(text);
                for message in messages.iter_mut().filter(|_| blank) {
                    message.parts.push(Part::Text { text: " ".into() });
                }
                for reasoning in [MayDrop, Signed, WholeTurn, KeepAll] {
                    let removed = usize::from(removed_by.contains(&reasoning));
                    let expected = (messages.len() - removed, removed);
                    assert_eq!(kept(reasoning, &messages), expected, "{text} for {reasoning:?}");
                }
            }
        }
        let several = transcript("u: hi\na: ?hm#signed\na: ?ho#signed\nu: so");
        assert_eq!(kept(Signed, &several), (2, 2), "neither has an answer behind it");
    }

    #[test]
    fn arguments_that_are_not_json_are_kept_and_listed() {
        let broken = "u: hi\na: !one<{>\nt: =one\nu: so";
        check(Ending::Open, broken, broken, &[Defect::BrokenArguments]);
    }

    #[test]
    fn a3_an_empty_message_is_removed_and_listed() {
        check(Ending::Open, "u: hi\na:\nu: hello?", "u: hi\nu: hello?", &[Defect::Blank]);
    }

    #[test]
    fn a3_shared_and_missing_ids_are_paired_in_order_and_listed() {
        let shared = "a: !c !c\nt: =c\nt: =c\nu: x";
        check(Ending::Open, shared, shared, &[Defect::SharedCallId]);
        let nameless = "a: !one\nt: =\nu: x";
        check(Ending::Open, nameless, nameless, &[Defect::MissingCallId]);
    }

    #[test]
    fn an_orphaned_result_does_not_take_the_call_of_a_later_result() {
        let defects = [Defect::OrphanResult];
        check(Ending::Open, "t: =c\na: !c\nt: =c\nu: x", "a: !c\nt: =c\nu: x", &defects);
    }

    #[test]
    fn every_defect_says_what_is_done_about_it() {
        let defects = [
            Defect::MissingResult,
            Defect::OrphanResult,
            Defect::RepeatedResult,
            Defect::MisplacedResult,
            Defect::LateResult,
            Defect::Blank,
            Defect::BrokenArguments,
            Defect::SharedCallId,
        ];
        let texts: epitome_columns::SortedSet<&str> =
            defects.iter().map(|defect| defect.explanation()).collect();
        assert_eq!(texts.len(), defects.len());
        for text in texts {
            assert!(text.contains("; "), "{text}");
        }
    }

    #[test]
    fn what_a_provider_refuses_beside_other_parts_is_a_defect_only_there() {
        let defects = |contract: &Contract, text: &str| -> Vec<Defect> {
            let message = transcript(text).remove(0);
            own_defects(&message, contract).collect()
        };
        let free = Contract::default();
        let strict = Contract {
            blank_text: BlankText::Refused,
            reasoning: ReasoningPolicy::Signed,
            ..Contract::default()
        };
        for (text, expected) in [
            ("a: ?hm well", vec![Defect::UnsignedReasoning]),
            ("a: ?hm#signed well", vec![]),
            ("a: ?hm", vec![]),
            ("a: well", vec![]),
        ] {
            assert_eq!(defects(&strict, text), expected, "{text}");
            assert_eq!(defects(&free, text), [], "{text}");
        }
        let mut message = transcript("a: well").remove(0);
        message.parts.push(Part::Text { text: " ".into() });
        assert_eq!(own_defects(&message, &strict).collect::<Vec<_>>(), [Defect::BlankText]);
        assert_eq!(own_defects(&message, &free).count(), 0);
    }
}
