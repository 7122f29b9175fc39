//! A history that a provider accepts, made from one that it would refuse; what was done is listed.

use serde::Serialize;

use super::late_result::LateResults;
use super::pairing::{Pairing, PartPosition};
use crate::contract::{Contract, ReasoningPolicy, ResultPlace};
use crate::message::{CallId, Message, MessageId, Part, Role};

/// Text of the result that stands in for one that never came.
pub const PLACEHOLDER_RESULT: &str = "[no result was recorded for this call]";

/// Text of the assistant message that closes a history which ends on a tool.
pub const ACKNOWLEDGEMENT: &str = "Noted.";

/// One message of a repaired history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repaired {
    /// The message at this index as it was, perhaps in another place.
    Kept(usize),
    /// A message that was added.
    Added {
        /// Who speaks.
        role: Role,
        /// What is said.
        part: Part,
    },
}

/// Something about a history that a provider may refuse, and what the engine does about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct Finding {
    /// The message it is about.
    pub id: MessageId,
    /// What is wrong.
    pub defect: Defect,
}

/// What can be wrong with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Defect {
    /// A call without a result: a placeholder stands in for it.
    MissingResult,
    /// A result without a call: it is left out of what the model sees.
    OrphanResult,
    /// A second result for a call: it is left out of what the model sees.
    RepeatedResult,
    /// A result that does not follow its call: it is moved there.
    MisplacedResult,
    /// A result whose call was summarized or left out before it came: it is told as a text.
    LateResult,
    /// The first to speak, and no user where a user must: a short user message is put in front.
    NotUserFirst,
    /// A message of nothing but thoughts that no provider takes by itself: it is left out of what the model
    /// sees.
    ReasoningAlone,
    /// A message with nothing in it: it is left out of what the model sees.
    Blank,
    /// Arguments that are no JSON, as after an aborted stream: reported and kept.
    BrokenArguments,
    /// Two calls of one message share an id: paired in order, reported and kept.
    SharedCallId,
    /// A call or a result without an id: paired in order, reported and kept.
    MissingCallId,
}

impl Defect {
    /// What is wrong and what is done, as a sentence's end: `message 3: …`.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::MissingResult => "a tool call has no result; a placeholder result is sent",
            Self::OrphanResult => "a tool result has no call; it is not sent",
            Self::RepeatedResult => "a tool call has a second result; only the first is sent",
            Self::MisplacedResult => "a tool result does not follow its call; it is sent behind it",
            Self::LateResult => {
                "a tool result came after its call was summarized; it is sent as a text"
            }
            Self::NotUserFirst => "a user has to speak first; a short note is sent in front",
            Self::ReasoningAlone => "the message holds nothing but thoughts; it is not sent",
            Self::Blank => "the message is empty; it is not sent",
            Self::BrokenArguments => {
                "the arguments of a tool call are no JSON; they are kept as they are"
            }
            Self::SharedCallId => "two calls share an id; they are paired with results in order",
            Self::MissingCallId => "a tool call or result has no id; it is paired by order",
        }
    }
}

/// A repaired history and what was found in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// The messages, in the order to send them.
    pub messages: Vec<Repaired>,
    /// What was wrong, in the order of the messages.
    pub findings: Vec<Finding>,
}

/// How a repaired history may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// On a tool's result: the model is to go on from it.
    Open,
    /// On anything but a tool's result: a short assistant message is added behind one.
    Acknowledged,
}

/// Puts results behind their calls, gives every call a result, and leaves out what no provider takes:
/// orphaned and repeated results, and messages with nothing in them.
///
/// A history shorter than 2 messages is returned as it is. Messages are moved, left out or added, never
/// changed. Costs O(n log n).
pub fn repair(messages: &[&Message], ending: Ending, contract: &Contract) -> Repair {
    if messages.len() < 2 {
        let kept = (0..messages.len()).map(Repaired::Kept).collect();
        return Repair { messages: kept, findings: Vec::new() };
    }
    repair_part(messages, ending, contract, None)
}

/// The same for messages that are part of a longer history, however few they are. Results that are late in it
/// are told as texts.
pub(super) fn repair_part(
    messages: &[&Message],
    ending: Ending,
    contract: &Contract,
    late: Option<&LateResults<'_>>,
) -> Repair {
    let place = contract.results;
    let pairing = Pairing::of(messages.iter().copied());
    let moved = moved(messages, &pairing, place);
    let mut repair = Repair { messages: Vec::with_capacity(messages.len()), findings: Vec::new() };
    // What goes behind the results that stand where they must.
    let mut behind: Vec<Repaired> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let mut note = |defect| repair.findings.push(Finding { id: message.id.clone(), defect });
        own_defects(message).for_each(&mut note);
        if message.role != Role::Tool {
            repair.messages.append(&mut behind);
        }
        let standing = standing(index, message, messages, &pairing, place);
        if let Some(defect) = standing.and_then(Standing::defect) {
            let orphaned = defect == Defect::OrphanResult;
            match late.filter(|_| orphaned).and_then(|late| late.text(message)) {
                Some(text) => {
                    note(Defect::LateResult);
                    behind.push(Repaired::Added { role: Role::User, part: Part::text(text) });
                }
                None => note(defect),
            }
            continue;
        }
        if message.is_blank() && message.role != Role::System {
            note(Defect::Blank);
            continue;
        }
        repair.messages.push(Repaired::Kept(index));
        let first = moved.partition_point(|(owner, _)| *owner < index);
        let own = moved.iter().skip(first).take_while(|(owner, _)| *owner == index);
        behind.extend(own.map(|(_, answer)| Repaired::Kept(*answer)));
        for (part, call) in message.calls().enumerate() {
            let place = PartPosition { message: index, part };
            if pairing.result_of(place).is_none() && !pairing.awaits_approval(place) {
                note(Defect::MissingResult);
                behind.push(placeholder(message, call));
            }
        }
    }
    repair.messages.append(&mut behind);
    leave_out_lone_thoughts(&mut repair, messages, contract.reasoning);
    if ending == Ending::Acknowledged
        && repair.messages.last().and_then(|last| last.role(messages)) == Some(Role::Tool)
    {
        let part = Part::text(ACKNOWLEDGEMENT);
        repair.messages.push(Repaired::Added { role: Role::Assistant, part });
    }
    repair
}

/// The result that stands in for one that never came.
fn placeholder(message: &Message, call: &CallId) -> Repaired {
    let name = message.parts.iter().find_map(|part| match part {
        Part::ToolCall { call: own, name, .. } if own == call => Some(name.clone()),
        _ => None,
    });
    let text = PLACEHOLDER_RESULT.into();
    let part = Part::ToolResult { call: call.clone(), name, text };
    Repaired::Added { role: Role::Tool, part }
}

/// Leaves out messages of nothing but thoughts that cannot stay as they are. From the end, since one may
/// have only such a message behind it.
fn leave_out_lone_thoughts(repair: &mut Repair, messages: &[&Message], reasoning: ReasoningPolicy) {
    let mut next = None;
    let mut kept = Vec::with_capacity(repair.messages.len());
    for repaired in repair.messages.drain(..).rev() {
        if let Repaired::Kept(index) = repaired
            && let Some(message) = messages.get(index)
            && thinks_alone(message, next, reasoning)
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

/// Every message that does not stand behind the one whose calls it answers, with that one before it; in the
/// order of both.
fn moved(messages: &[&Message], pairing: &Pairing, place: ResultPlace) -> Vec<(usize, usize)> {
    let mut moved: Vec<(usize, usize)> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let standing = standing(index, message, messages, pairing, place);
        if matches!(standing, Some(Standing::Misplaced)) {
            moved.extend(owner(index, message, pairing).map(|owner| (owner, index)));
        }
    }
    moved.sort_unstable();
    moved
}

/// The message whose call this one answers; of several, the first.
fn owner(index: usize, message: &Message, pairing: &Pairing) -> Option<usize> {
    let results = message.results().enumerate();
    results
        .filter_map(|(part, _)| pairing.call_of(PartPosition { message: index, part }))
        .map(|call| call.message)
        .next()
}

/// How a message with results stands to its calls; `None` for any other message.
fn standing(
    index: usize,
    message: &Message,
    messages: &[&Message],
    pairing: &Pairing,
    place: ResultPlace,
) -> Option<Standing> {
    let unasked = pairing.is_unsolicited_approval(index) && message.results().next().is_none();
    if unasked && message.role == Role::Tool {
        return Some(Standing::Orphaned);
    }
    message.results().next()?;
    let Some(owner) = owner(index, message, pairing) else {
        let repeated = pairing.is_repeated(PartPosition { message: index, part: 0 });
        return Some(if repeated { Standing::Repeated } else { Standing::Orphaned });
    };
    let mut between = messages.iter().take(index).skip(owner + 1);
    let anywhere = place == ResultPlace::AnywhereAfter;
    // What was edited into one message has its results in it.
    let follows = owner == index
        || owner < index && (anywhere || between.all(|other| other.role == Role::Tool));
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

/// True for a message of nothing but thoughts that cannot stay as it is: without a seal where one is asked
/// for, or with nothing more from the model behind it where thoughts must be followed.
fn thinks_alone(message: &Message, next: Option<Role>, reasoning: ReasoningPolicy) -> bool {
    let unsealed = |part: &Part| matches!(part, Part::Reasoning { signature: None, .. });
    let thought = |part: &Part| matches!(part, Part::Reasoning { .. }) || part.is_blank();
    let parts = &message.parts;
    message.role == Role::Assistant
        && matches!(reasoning, ReasoningPolicy::Signed | ReasoningPolicy::WholeTurn)
        && parts.iter().all(thought)
        && (next != Some(Role::Assistant)
            || reasoning == ReasoningPolicy::Signed
                && parts.iter().all(|part| unsealed(part) || part.is_blank()))
}

/// What is wrong with a message on its own.
fn own_defects(message: &Message) -> impl Iterator<Item = Defect> {
    let calls: Vec<&CallId> = message.calls().collect();
    let shared = calls.iter().enumerate().any(|(index, call)| {
        !call.as_str().is_empty() && calls.iter().take(index).any(|other| other == call)
    });
    let missing = calls.into_iter().chain(message.results()).any(|call| call.as_str().is_empty());
    let broken = message.parts.iter().any(|part| match part {
        Part::ToolCall { arguments, .. } => {
            serde_json::from_str::<serde::de::IgnoredAny>(arguments).is_err()
        }
        _ => false,
    });
    let defects = [
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
    fn a_tidy_history_is_left_alone() {
        let tidy = "s: be kind\nu: hi\na: !one !two\nt: =two\nt: =one\na: done";
        check(Ending::Open, tidy, tidy, &[]);
    }

    #[test]
    fn leave_to_run_a_tool_stays_in_front_of_its_result() {
        let tidy = "u: hi\na: !one may:x<one>\nt: yes:x\nt: =one\na: done";
        check(Ending::Open, tidy, tidy, &[]);
        let loose = "u: hi\nt: yes:x\na: done";
        check(Ending::Open, loose, "u: hi\na: done", &[Defect::OrphanResult]);
    }

    #[test]
    fn a_call_with_its_result_in_the_same_message_stays() {
        let tidy = "u: hi\na: !one =one and so\nu: thanks";
        check(Ending::Open, tidy, tidy, &[]);
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
    fn a_placeholder_tells_the_name_of_the_tool() {
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
    fn a2_a_history_that_ends_on_a_tool_is_acknowledged_for_a_summarizer() {
        check(Ending::Acknowledged, "a: !one\nt: =one", "a: !one\nt: =one\na: Noted.", &[]);
    }

    #[test]
    fn a2_a_history_of_one_message_is_left_alone() {
        check(Ending::Acknowledged, "a: !one", "a: !one", &[]);
        check(Ending::Acknowledged, "", "", &[]);
    }

    #[test]
    fn a3_orphans_and_repeats_are_left_out_and_listed() {
        check(Ending::Open, "s: x\nt: =one\nu: hi", "s: x\nu: hi", &[Defect::OrphanResult]);
        let repeat = "a: !one\nt: =one\nt: =one\nu: hi";
        check(Ending::Open, repeat, "a: !one\nt: =one\nu: hi", &[Defect::RepeatedResult]);
    }

    #[test]
    fn a3_a_result_is_moved_behind_its_call() {
        let after = "a: !one !two\nt: =one\nt: =two\nu: wait";
        let defects = [Defect::MisplacedResult];
        check(Ending::Open, "a: !one !two\nt: =one\nu: wait\nt: =two", after, &defects);
        check(Ending::Open, "t: =one\na: !one\nu: x", "a: !one\nt: =one\nu: x", &defects);
    }

    #[test]
    fn a3_an_empty_message_is_left_out_and_listed() {
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
    fn an_orphan_does_not_take_the_call_of_a_later_result() {
        let defects = [Defect::OrphanResult];
        check(Ending::Open, "t: =c\na: !c\nt: =c\nu: x", "a: !c\nt: =c\nu: x", &defects);
    }
}
