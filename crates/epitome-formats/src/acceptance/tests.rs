//! Tests that faults in composed messages are found: each breaks correct messages in one way.

mod results;

use super::*;
use crate::compose::{Fragment, Recipe};
use crate::parsed::ParsedMessages;
use epitome::history::Record;
use epitome::message::{Media, Message, MessageId};
use epitome::policy::Keep;
use epitome::test_notation::transcript;
use epitome::tokens::CharactersPer;
use epitome::{Compactor, Outcome, Output, Policy, Reason};
use serde_json::{Value, json};

/// Repaired messages, and how they are composed.
struct Case {
    contract: Contract,
    log: Log,
    view: View,
    composed: Vec<Outgoing>,
}

impl Case {
    fn of(format: Format, messages: &Value) -> Self {
        let log = ParsedMessages::of(format, messages.as_array().unwrap()).into_log();
        let contract = format.contract();
        let view = View::repaired(&log, &contract);
        let composed = format.compose(&log, &view);
        let case = Self { contract, log, view, composed };
        assert_eq!(case.found(), Ok(()), "{messages}");
        case
    }

    fn found(&self) -> Result<(), Violation> {
        accepts(&self.contract, &self.log, &self.view, &self.composed)
    }

    /// What is found if these outgoing messages replace those in the range.
    fn with(mut self, range: std::ops::Range<usize>, others: Vec<Outgoing>) -> Violation {
        self.composed.splice(range, others);
        self.found().unwrap_err()
    }

    /// What is found after a change to the outgoing messages.
    fn after(mut self, change: impl FnOnce(&mut Vec<Outgoing>)) -> Violation {
        change(&mut self.composed);
        self.found().unwrap_err()
    }
}

fn keep(id: &str) -> Outgoing {
    Outgoing::Keep(MessageId::from(id))
}

fn compose(fragments: Vec<Fragment>) -> Outgoing {
    Outgoing::Composed(Recipe { fragments, sample: None })
}

fn fragments(outgoing: &Outgoing) -> Vec<Fragment> {
    match outgoing {
        Outgoing::Composed(recipe) => recipe.fragments.clone(),
        Outgoing::Keep(_) => panic!("{outgoing:?} is not composed"),
    }
}

fn step(message: &str, steps: Vec<usize>, count: usize) -> Fragment {
    Fragment::Original { message: message.into(), count, steps, changes: Vec::new() }
}

fn says(role: &str, text: &str) -> Value {
    json!({ "role": role, "content": [{ "type": "text", "text": text }] })
}

fn asks(ids: &[&str]) -> Value {
    let call = |id: &&str| json!({ "type": "tool_use", "id": id, "name": "f", "input": {} });
    json!({ "role": "assistant", "content": ids.iter().map(call).collect::<Vec<_>>() })
}

fn answers(id: &str) -> Value {
    let result = json!({ "type": "tool_result", "tool_use_id": id, "content": "42" });
    json!({ "role": "user", "content": [result] })
}

/// What these messages, each sent as it is, break first.
fn refused(contract: &Contract, messages: Vec<Message>) -> Option<Violation> {
    let ids: Vec<MessageId> = messages.iter().map(|message| message.id.clone()).collect();
    let mut log = Log::default();
    for message in messages {
        log.append(Record::Message { message: message.into() }).unwrap();
    }
    let edits = ids.iter().cloned().map(Edit::Keep).collect();
    let view = View { edits, findings: Vec::new(), as_appended: false, is_part: false };
    let composed: Vec<Outgoing> = ids.into_iter().map(Outgoing::Keep).collect();
    accepts(contract, &log, &view, &composed).err()
}

fn refused_of(contract: &Contract, text: &str) -> Option<Violation> {
    refused(contract, transcript(text))
}

#[test]
fn a_call_without_a_result_before_what_is_said_next_is_found() {
    let contract = Contract::default();
    let open = Some(Violation::UnansweredCall { call: "f".into(), index: 1 });
    assert_eq!(refused_of(&contract, "u: hi\na: !f\nt: =f\nu: so?"), None);
    assert_eq!(refused_of(&contract, "u: hi\na: !f\nu: so?\nt: =f"), open);
    assert_eq!(refused_of(&contract, "u: hi\na: !f"), open);
    let anywhere = Contract { results: ResultPlace::AnywhereAfter, ..contract };
    assert_eq!(refused_of(&anywhere, "u: hi\na: !f\nu: so?\nt: =f"), None);
    // A call that waits for approval needs its result only once the user goes on.
    assert_eq!(refused_of(&contract, "u: hi\na: !f may:x<f>"), None);
    assert_eq!(refused_of(&contract, "u: hi\na: !f may:x<f>\nt: yes:x\nt: =f"), None);
    assert_eq!(refused_of(&contract, "u: hi\na: !f may:x<f>\nu: well?"), open);
}

#[test]
fn empty_messages_and_refused_parts_are_found_where_the_provider_refuses_them() {
    let free = Contract::default();
    let strict =
        Contract { blank_text: BlankText::Refused, reasoning: ReasoningPolicy::Signed, ..free };
    assert_eq!(refused_of(&free, "u: hi\na: ?"), Some(Violation::Blank { index: 1 }));
    assert_eq!(refused_of(&free, "u: hi\na: ?hm well"), None);
    let unsigned = Some(Violation::UnsignedReasoning { index: 1 });
    assert_eq!(refused_of(&strict, "u: hi\na: ?hm well"), unsigned);
    assert_eq!(refused_of(&strict, "u: hi\na: ?hm#signed well"), None);
    for (role, expected) in [("a", Some(Violation::BlankText { index: 1 })), ("s", None)] {
        let mut messages = transcript(&format!("u: hi\n{role}: well"));
        messages[1].parts.push(Part::Text { text: " ".into() });
        assert_eq!(refused(&strict, messages.clone()), expected, "{role}");
        assert_eq!(refused(&free, messages), None, "{role}");
    }
}

#[test]
fn a_message_of_blank_texts_is_found_unless_they_are_accepted() {
    let mut messages = transcript("u: hi\na: ?");
    messages[1].parts = vec![Part::Text { text: " ".into() }, Part::Text { text: String::new() }];
    let contract = Contract::default();
    assert_eq!(refused(&contract, messages.clone()), Some(Violation::Blank { index: 1 }));
    let contract = Contract { blank_text: BlankText::AllowedAlone, ..contract };
    assert_eq!(refused(&contract, messages), None);
}

#[test]
fn reasoning_without_an_answer_is_found_where_it_is_tied_to_one() {
    let free = Contract::default();
    let alone = Some(Violation::ReasoningAlone { index: 1 });
    for reasoning in [ReasoningPolicy::Signed, ReasoningPolicy::WholeTurn] {
        let tied = Contract { reasoning, ..free };
        for (text, found) in [
            ("u: hi\na: ?hm#signed", &alone),
            ("u: hi\na: ?hm#signed\nu: so", &alone),
            ("u: hi\na: ?hm#signed\na: so", &None),
        ] {
            assert_eq!(refused_of(&tied, text), *found, "{text}");
            assert_eq!(refused_of(&free, text), None, "{text}");
        }
    }
}

#[test]
fn a_first_message_of_the_assistant_is_accepted_if_it_begins_with_a_compaction() {
    let strict = Contract { first: First::User, ..Contract::default() };
    for (kind, found) in
        [("compaction", None), ("server_tool_use", Some(Violation::NotUserFirst { index: 0 }))]
    {
        let mut messages = transcript("a: so\nu: hi");
        messages[0].parts.insert(0, Part::Other { kind: kind.into(), characters: 9 });
        assert_eq!(refused(&strict, messages), found, "{kind}");
    }
}

#[test]
fn the_steps_of_one_message_may_have_several_roles() {
    let mut messages = transcript("u: hi\na: !f\nt: =f");
    messages[2].id = "m1#1".into();
    let mut log = Log::default();
    let mut edits = Vec::new();
    for message in messages {
        edits.push(Edit::Keep(message.id.clone()));
        log.append(Record::Message { message: message.into() }).unwrap();
    }
    let view = View { edits, ..View::default() };
    let contract = Contract::default();
    assert_eq!(accepts(&contract, &log, &view, &[keep("m0"), keep("m1")]), Ok(()));
    let apart =
        [keep("m0"), compose(vec![step("m1", vec![0], 2)]), compose(vec![step("m1", vec![1], 2)])];
    assert_eq!(accepts(&contract, &log, &view, &apart), Ok(()));
    let joined = compose(vec![step("m0", vec![0], 1), step("m1", vec![0, 1], 2)]);
    let mixed = Err(Violation::MixedRoles { index: 0 });
    assert_eq!(accepts(&contract, &log, &view, &[joined]), mixed);
}

#[test]
fn a_view_that_breaks_the_contract_is_refused_before_anything_is_composed() {
    let mut log = Log::default();
    let mut edits = Vec::new();
    for message in transcript("u: hi\nt: =f") {
        edits.push(Edit::Keep(message.id.clone()));
        log.append(Record::Message { message: message.into() }).unwrap();
    }
    let view = View { edits, ..View::default() };
    let orphan = Violation::OrphanedResult { call: "f".into(), index: 1 };
    assert_eq!(Provider::accepts(&Format::OpenAiChat, &log, &view), Err(orphan));
    let said = View { edits: vec![Edit::Keep("m0".into())], ..View::default() };
    assert_eq!(Provider::accepts(&Format::OpenAiChat, &log, &said), Ok(()));
}

#[test]
fn a_first_message_and_a_system_prompt_at_the_wrong_place_are_found() {
    let free = Contract::default();
    let strict = Contract { first: First::User, system: SystemPlace::First, ..free };
    for (text, found) in [
        ("s: be kind\nu: hi\na: ho", None),
        ("a: hello", Some(Violation::NotUserFirst { index: 0 })),
        ("s: be kind\na: hello", Some(Violation::NotUserFirst { index: 1 })),
        ("u: hi\ns: be kind", Some(Violation::SystemInside { index: 1 })),
    ] {
        assert_eq!(refused_of(&strict, text), found, "{text}");
        assert_eq!(refused_of(&free, text), None, "{text}");
    }
    assert_eq!(refused_of(&free, "s: be kind"), Some(Violation::NothingSaid));
}

#[test]
fn neighbours_that_were_not_merged_are_found() {
    let part = |text: &str| json!([{ "text": text }]);
    let talk = json!([
        { "role": "user", "parts": part("one") },
        { "role": "user", "parts": part("two") },
        { "role": "model", "parts": part("three") },
    ]);
    let case = Case::of(Format::Gemini, &talk);
    assert_eq!(case.composed.len(), 2);
    let found = case.with(0..1, vec![keep("0"), keep("1")]);
    assert_eq!(found, Violation::SameRoleTwice { index: 1 });
}

#[test]
fn a_message_with_content_of_several_roles_is_found() {
    let talk = json!([says("user", "hi"), says("assistant", "ho"), says("user", "so")]);
    let case = Case::of(Format::Anthropic, &talk);
    let joined = compose(vec![step("0", vec![0], 1), step("1", vec![0], 1)]);
    assert_eq!(case.with(0..2, vec![joined]), Violation::MixedRoles { index: 0 });
}

#[test]
fn a_refused_part_that_was_not_removed_is_found() {
    let blank = json!({ "type": "text", "text": " " });
    let text = json!({ "type": "text", "text": "so" });
    let reasoning = json!({ "type": "thinking", "thinking": "hm", "signature": "" });
    let check = |odd: Value, violation: Violation| {
        let message = json!({ "role": "assistant", "content": [odd, text] });
        let case = Case::of(Format::Anthropic, &json!([says("user", "hi"), message]));
        assert_eq!(case.with(1..2, vec![keep("1")]), violation);
    };
    check(blank, Violation::BlankText { index: 1 });
    check(reasoning, Violation::UnsignedReasoning { index: 1 });
}

#[test]
fn misplaced_results_are_found() {
    let talk = json!([says("user", "hi"), asks(&["a", "b"]), answers("a"), answers("b")]);
    let case = Case::of(Format::Anthropic, &talk);
    assert_eq!(case.composed.len(), 3);
    let found = case.with(2..3, vec![keep("2"), keep("3")]);
    assert_eq!(found, Violation::MisplacedResult { call: "b".into(), index: 3 });

    let call =
        json!({ "type": "tool-f", "toolCallId": "a", "state": "input-available", "input": {} });
    let ui = |role: &str, part: Value| json!({ "id": role, "role": role, "parts": [part] });
    let text = json!({ "type": "text", "text": "hi" });
    let talk = json!([ui("user", text.clone()), ui("assistant", call), ui("user", text)]);
    let case = Case::of(Format::AiSdkUi, &talk);
    let [asks, placeholder] = <[Fragment; 2]>::try_from(fragments(&case.composed[1])).unwrap();
    let found = case.with(1..2, vec![compose(vec![asks]), compose(vec![placeholder])]);
    assert_eq!(found, Violation::MisplacedResult { call: "a".into(), index: 2 });
}

#[test]
fn a_result_after_a_text_is_found_if_results_come_first() {
    let mixed = json!({ "role": "user", "content": [
        { "type": "text", "text": "here" },
        { "type": "tool_result", "tool_use_id": "a", "content": "42" },
    ] });
    let mut case = Case::of(Format::Anthropic, &json!([says("user", "hi"), asks(&["a"]), mixed]));
    assert_eq!(case.composed[2], compose(vec![step("2", vec![1, 0], 2)]));
    case.view.edits.swap(2, 3);
    let found = case.with(2..3, vec![keep("2")]);
    assert_eq!(found, Violation::UnansweredCall { call: "a".into(), index: 1 });
}

#[test]
fn missing_repeated_and_moved_messages_are_found() {
    let talk = json!([says("user", "hi"), says("assistant", "ho"), says("user", "so")]);
    let case = || Case::of(Format::Anthropic, &talk);
    let moved = |index| Violation::DiffersFromView { index };
    assert_eq!(case().with(1..2, Vec::new()), moved(1));
    assert_eq!(case().with(2..3, Vec::new()), moved(2), "the last one is missing");
    assert_eq!(case().with(1..2, vec![keep("1"), keep("1")]), moved(2));
    assert_eq!(case().with(0..2, vec![keep("1"), keep("0")]), moved(0));
    assert_eq!(case().with(1..2, vec![keep("unknown")]), moved(1));
    assert_eq!(case().with(3..3, vec![compose(Vec::new())]), moved(3));
}

#[test]
fn a_text_that_a_change_empties_is_found() {
    let talk = json!([says("user", "hi"), says("assistant", "ho"), says("user", "so")]);
    let mut case = Case::of(Format::Anthropic, &talk);
    let change = PartChange { part: 0, change: Change::Text { text: " ".into() } };
    case.view.edits[1] = Edit::Replace { id: "1".into(), changes: vec![change] };
    case.composed = Format::Anthropic.compose(&case.log, &case.view);
    assert_eq!(case.found(), Err(Violation::BlankText { index: 1 }));
}

#[test]
fn lost_and_unplanned_changes_are_found() {
    let change = |text: &str| PartChange { part: 0, change: Change::Text { text: text.into() } };
    let talk = json!([says("user", "hi"), says("assistant", "ho"), says("user", "so")]);
    let changed = |changes| {
        compose(vec![Fragment::Original { message: "1".into(), count: 1, steps: vec![0], changes }])
    };
    let mut case = Case::of(Format::Anthropic, &talk);
    case.view.edits[1] = Edit::Replace { id: "1".into(), changes: vec![change("short")] };
    assert_eq!(case.with(1..2, vec![keep("1")]), Violation::DiffersFromView { index: 1 });
    let case = Case::of(Format::Anthropic, &talk);
    let other = changed(vec![(0, vec![change("other")])]);
    assert_eq!(case.with(1..2, vec![other]), Violation::DiffersFromView { index: 1 });
    let case = Case::of(Format::Anthropic, &talk);
    let gone = changed(vec![(0, vec![PartChange { part: 0, change: Change::Remove }])]);
    assert_eq!(case.with(1..2, vec![gone]), Violation::DiffersFromView { index: 1 });
    let reasoning = json!({ "type": "thinking", "thinking": "hm", "signature": "signed" });
    let thinks =
        json!({ "role": "assistant", "content": [reasoning, { "type": "text", "text": "ho" }] });
    let case = Case::of(Format::Anthropic, &json!([says("user", "hi"), thinks]));
    let gone = changed(vec![(0, vec![PartChange { part: 0, change: Change::Remove }])]);
    assert_eq!(
        case.with(1..2, vec![gone]),
        Violation::DiffersFromView { index: 1 },
        "it was signed"
    );
}

#[test]
fn a_placeholder_that_was_left_out_is_found() {
    let talk = json!([says("user", "hi"), asks(&["a"]), says("user", "so")]);
    let case = Case::of(
        Format::Bedrock,
        &json!([
            { "role": "user", "content": [{ "text": "hi" }] },
            { "role": "assistant", "content": [{ "toolUse": { "toolUseId": "a", "name": "f", "input": {} } }] },
            { "role": "user", "content": [{ "text": "so" }] },
        ]),
    );
    let found = case.after(|composed| {
        let rest = fragments(&composed[2]).split_off(1);
        composed[2] = compose(rest);
    });
    assert_eq!(found, Violation::DiffersFromView { index: 2 });
    // The view itself may lack it.
    let mut case = Case::of(Format::Anthropic, &talk);
    case.view.edits.remove(2);
    let found = case.with(2..3, vec![]);
    assert_eq!(found, Violation::UnansweredCall { call: "a".into(), index: 1 });
}

#[test]
fn a_summary_in_a_role_that_the_provider_refuses_is_found() {
    let talk = json!([says("user", "hi"), says("assistant", "ho"), says("user", "so")]);
    let parts = vec![Part::text("They talked.")];
    let check = |format: Format| {
        let mut case = Case::of(format, &talk);
        let summary = Edit::Insert { role: Role::System, parts: parts.clone() };
        case.view.edits.insert(0, summary);
        case.composed = format.compose(&case.log, &case.view);
        case.found()
    };
    assert_eq!(check(Format::Anthropic), Err(Violation::SystemInside { index: 0 }));
    assert_eq!(check(Format::AiSdkModel), Err(Violation::SystemInside { index: 0 }));
    assert_eq!(check(Format::OpenAiChat), Ok(()));
}

#[test]
fn reasoning_alone_is_found() {
    let reasoning = json!({ "type": "thinking", "thinking": "hm", "signature": "sig" });
    let thinks = json!({ "role": "assistant", "content": [reasoning] });
    let talk = json!([says("user", "hi"), says("assistant", "ho"), says("user", "so")]);
    let mut messages = talk.as_array().unwrap().clone();
    messages[1] = thinks;
    let mut case = Case::of(Format::Anthropic, &json!(messages));
    assert_eq!(case.composed.len(), 2, "it was left out");
    case.view.edits.insert(1, Edit::Keep("1".into()));
    let found = case.with(1..1, vec![keep("1")]);
    assert_eq!(found, Violation::ReasoningAlone { index: 1 });
}

#[test]
fn messages_as_they_were_appended_are_not_checked() {
    let log =
        ParsedMessages::of(Format::Anthropic, &[answers("a"), says("assistant", "")]).into_log();
    let view = View::as_appended(&log);
    let composed = Format::Anthropic.compose(&log, &view);
    assert_eq!(composed, [keep("0"), keep("1")]);
    assert_eq!(accepts(&Format::Anthropic.contract(), &log, &view, &composed), Ok(()));
}

#[test]
fn ids_that_look_like_step_ids_are_not_taken_for_them() {
    let mut log = Log::default();
    for (number, id) in ["m", "m#", "m#01", "m#x"].into_iter().enumerate() {
        let role = if number % 2 == 0 { Role::User } else { Role::Assistant };
        let message = epitome::message::Message::new(id, role, "so");
        log.append(epitome::history::Record::Message { message: message.into() }).unwrap();
    }
    let view = View::repaired(&log, &Format::Anthropic.contract());
    assert_eq!(Format::Anthropic.accepts(&log, &view), Ok(()));
}

/// A provider with a fault in composing: neighbours are never merged.
struct NeverMerges;

impl Provider for NeverMerges {
    fn contract(&self) -> Contract {
        Format::Gemini.contract()
    }

    fn accepts(&self, log: &Log, view: &View) -> Result<(), Violation> {
        let composed =
            Format::Gemini.compose(log, view).into_iter().flat_map(|outgoing| match &outgoing {
                Outgoing::Keep(_) => vec![outgoing],
                Outgoing::Composed(recipe) => recipe
                    .fragments
                    .iter()
                    .map(|fragment| compose(vec![fragment.clone()]))
                    .collect(),
            });
        accepts(&self.contract(), log, view, &composed.collect::<Vec<_>>())
    }
}

/// How a compaction with this provider ends, whether it was stored, and whether the view has changed.
fn compacted(provider: impl Provider + Send + Sync + 'static) -> (Outcome, bool, bool) {
    let tokenizer = Box::new(CharactersPer(3));
    // The tail begins with a user message, which Gemini requires to be merged with the summary.
    let policy = Policy { keep: Keep::Messages(2), ..Policy::recommended(400) };
    let mut compactor = Compactor::new(policy, provider, tokenizer).unwrap();
    for turn in 0..20 {
        let role = if turn % 2 == 0 { "user" } else { "model" };
        let text = format!("turn {turn}: the roses by the wall and the ones by the gate");
        let message = json!({ "role": role, "parts": [{ "text": text }] });
        let id = MessageId::from(format!("m{turn}"));
        for step in Format::Gemini.read(&id, &message).unwrap().messages {
            compactor.append(step).unwrap();
        }
    }
    compactor.compact(Reason::Manual, None).unwrap();
    let mut stored = false;
    loop {
        match compactor.poll_output() {
            Output::Before(_) => compactor.proceed().unwrap(),
            Output::Summarize(request) => compactor.handle_summary(request.id, "Roses."),
            Output::Persist(_) => {
                stored = true;
                compactor.handle_persisted().unwrap();
            }
            Output::Save(_) | Output::Changed | Output::Event(_) | Output::Continue => {}
            Output::Wait(_) => break,
        }
    }
    let changed = compactor.view().edits.len() < compactor.log().len();
    (compactor.report().unwrap().outcome.clone(), stored, changed)
}

#[test]
fn a_compaction_that_would_be_composed_wrongly_changes_nothing() {
    let (outcome, stored, changed) = compacted(Format::Gemini);
    assert!(matches!(outcome, Outcome::Applied { .. }) && stored && changed, "{outcome:?}");
    let (outcome, stored, changed) = compacted(NeverMerges);
    let Outcome::Failed { message } = &outcome else { panic!("{outcome:?}") };
    assert!(message.contains("of the same role as the one before it"), "{message}");
    assert!(!stored && !changed);
}
