//! The structured state: a summarizer's changes to it, the app's, and what an undo takes back.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::harness;

use epitome::history::Edit;
use epitome::message::{Message, MessageId, Role};
use epitome::policy::{Keep, PrepareAt, Summarizer, SummaryInput, SummarySettings};
use epitome::tokens::CharactersPer;
use epitome::{
    CommandError, Compactor, Contract, Event, Outcome, Phase, Policy, Reason, Snapshot, StateEntry,
    StructuredState,
};
use epitome_extractive::extract_with_state;
use harness::{applied, compactor_with, drive, long_talk};

fn policy(settings: SummarySettings) -> Policy {
    let summary = SummarySettings { structured_state: true, ..settings };
    Policy { summary, keep: Keep::Messages(2), min_saving: 0.0, ..Policy::fill_percent(2_000) }
}

fn texts(entries: &[StateEntry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.text.as_str()).collect()
}

fn decided(text: &str) -> StructuredState {
    let entry = StateEntry { text: text.into(), ..StateEntry::default() };
    StructuredState { decisions: vec![entry], ..StructuredState::default() }
}

/// Compacts with this answer.
fn compact(compactor: &mut Compactor, answer: &str) -> harness::Run {
    compactor.compact(Reason::Manual, None).unwrap();
    let run = drive(compactor, |_| answer.to_owned());
    let report = compactor.report().unwrap();
    assert!(applied(report), "{:?}", report.outcome);
    run
}

fn say(compactor: &mut Compactor, from: usize) {
    for number in from..from + 8 {
        let role = if number % 2 == 0 { Role::User } else { Role::Assistant };
        let text = format!("message {number} {}", "about the garden ".repeat(12));
        compactor.append(Message::new(format!("n{number}"), role, text)).unwrap();
    }
}

const FIRST: &str = "They talked.\n```json\n{\"decisions\": [{\"text\": \"Plant oaks.\", \"sources\": [2]}], \
                     \"tasks\": [\"answer number 3\"], \"questions\": [\"Which soil?\"]}\n```";

#[test]
fn e1_a_summarizers_changes_are_the_state_and_stand_behind_the_summary() {
    let mut compactor = compactor_with(policy(SummarySettings::default()), &long_talk());
    let run = compact(&mut compactor, FIRST);
    assert!(run.requests.iter().all(|request| request.system.contains("lists of <current_state>")));
    let state = compactor.structured_state();
    assert_eq!(texts(&state.decisions), ["Plant oaks."]);
    assert_eq!(texts(&state.questions), ["Which soil?"]);
    let numbered = |number: usize| compactor.log().message(number - 1).map(|it| it.id.clone());
    let source = |entries: &[StateEntry]| entries.first()?.sources.first().cloned();
    assert_eq!(source(&state.decisions), numbered(2), "as the summarizer says");
    let task = compactor.log().position(&source(&state.tasks).unwrap()).unwrap();
    assert_eq!(compactor.log().message(task).unwrap().text(), "answer number 3 about the garden");
    let summary = compactor.report().unwrap().summary.clone().unwrap();
    assert!(summary.starts_with("They talked."), "{summary}");
    assert!(
        summary.contains("Decisions:\n- Plant oaks.\nTasks:\n- [ ] answer number 3"),
        "{summary}"
    );
    assert!(!summary.contains("```"), "{summary}");
}

#[test]
fn e1_the_next_summarizer_gets_the_state_and_updates_it() {
    let mut compactor = compactor_with(policy(SummarySettings::default()), &long_talk());
    compact(&mut compactor, FIRST);
    say(&mut compactor, 0);
    let answer = "They went on.\n{\"decisions\": [{\"text\": \"Plant elms.\", \"replaces\": \"plant oaks\"}], \
                  \"settled\": [\"Which soil?\", \"answer number 3\"]}";
    let run = compact(&mut compactor, answer);
    let input = &run.requests.last().unwrap().input;
    let (_, state) = input.split_once("<current_state>").unwrap();
    assert!(state.contains("Decisions:\n- Plant oaks.\nTasks:\n- [ ] answer number 3"), "{state}");
    let (previous, _) = input.split_once("</previous_summary>").unwrap();
    assert!(!previous.contains("Plant oaks"), "the state is no part of the summary: {previous}");
    let state = compactor.structured_state();
    assert_eq!(
        state.decisions.first().and_then(|entry| entry.earlier.as_deref()),
        Some("Plant oaks.")
    );
    assert!(state.questions.is_empty() && state.tasks.iter().all(|task| task.done));
}

#[test]
fn e1_broken_changes_cost_the_changes_and_not_the_summary() {
    for broken in ["```json\n{\"tasks\": [}\n```", "{\"decisions\": 7}", "```json\n{\"risks\"\n```"]
    {
        let mut compactor = compactor_with(policy(SummarySettings::default()), &long_talk());
        compact(&mut compactor, &format!("They talked.\n{broken}"));
        let summary = compactor.report().unwrap().summary.clone().unwrap();
        assert!(summary.starts_with("They talked.") && !summary.contains(broken), "{summary}");
        assert!(compactor.structured_state().is_empty());
    }
}

#[test]
fn e1_an_undo_takes_back_changes_of_the_summarizer_and_of_the_app() {
    let mut compactor = compactor_with(policy(SummarySettings::default()), &long_talk());
    compactor.set_structured_state(decided("Dig first.")).unwrap();
    compact(&mut compactor, FIRST);
    assert_eq!(texts(&compactor.structured_state().decisions), ["Plant oaks.", "Dig first."]);
    compactor.set_structured_state(decided("Sell it all.")).unwrap();
    compactor.set_structured_state(decided("Sell half.")).unwrap();
    assert_eq!(texts(&compactor.structured_state().decisions), ["Sell half."]);
    let expected: [&[&str]; 4] =
        [&["Sell it all."], &["Plant oaks.", "Dig first."], &["Dig first."], &[]];
    for expected in expected {
        undo(&mut compactor);
        assert_eq!(texts(&compactor.structured_state().decisions), expected);
        let restored = restored(&compactor);
        assert_eq!(restored.structured_state(), compactor.structured_state());
    }
    assert_eq!(compactor.undo(), Err(CommandError::NothingToUndo));
}

#[test]
fn e1_what_was_done_last_is_undone_first_also_after_a_restore() {
    let mut compactor = compactor_with(policy(SummarySettings::default()), &long_talk());
    compact(&mut compactor, FIRST);
    compactor.set_structured_state(decided("Sell it all.")).unwrap();
    compactor.append(Message::new("more", Role::User, "And the hedge?")).unwrap();
    let mut again = restored(&compactor);
    undo(&mut again);
    assert_eq!(again.log().len(), compactor.log().len(), "messages stay");
    assert!(again.log().checkpoint().is_some(), "the summary is older than the state");
    assert_eq!(texts(&again.structured_state().decisions), ["Plant oaks."]);
    undo(&mut again);
    assert!(again.log().checkpoint().is_none() && again.structured_state().is_empty());
}

#[test]
fn e1_a_state_that_is_set_again_and_again_takes_no_more_space() {
    let mut compactor = compactor_with(policy(SummarySettings::default()), &long_talk());
    for key in 0..1_000 {
        compactor.set_structured_state(decided(&format!("Dig {key}."))).unwrap();
    }
    let records = compactor.log().records().len();
    assert!(records <= compactor.log().len() + 32, "{records}");
    let mut undone = Vec::new();
    while compactor.undo().is_ok() {
        undone.extend(texts(&compactor.structured_state().decisions).into_iter().map(String::from));
    }
    let latest: Vec<String> = (968..999).rev().map(|key| format!("Dig {key}.")).collect();
    assert_eq!(undone, latest);
}

/// Undoes what was done last.
fn undo(compactor: &mut Compactor) {
    compactor.undo().unwrap();
    drive(compactor, |_| String::new());
}

/// The compactor as it is stored and restored.
fn restored(compactor: &Compactor) -> Compactor {
    let stored = compactor.snapshot().to_json_lines().unwrap();
    let snapshot = Snapshot::from_json_lines(&stored).unwrap();
    Compactor::restore(snapshot, Contract::default(), Box::new(CharactersPer(3))).unwrap()
}

#[test]
fn e1_a_branch_has_the_state_of_its_own_summary() {
    let mut compactor = compactor_with(policy(SummarySettings::default()), &long_talk());
    let early: MessageId = compactor.log().message(3).unwrap().id.clone();
    compact(&mut compactor, FIRST);
    let last = compactor.log().messages().next_back().unwrap().id.clone();
    compactor.move_head(Some(early)).unwrap();
    assert!(compactor.structured_state().is_empty(), "nothing is summarized here");
    compactor.set_structured_state(decided("Begin again.")).unwrap();
    compactor.move_head(Some(last)).unwrap();
    assert_eq!(texts(&compactor.structured_state().decisions), ["Plant oaks."]);
}

#[test]
fn e1_every_chunk_of_a_transcript_adds_its_changes() {
    let settings = SummarySettings { chunks: 3, ..SummarySettings::default() };
    let mut compactor = compactor_with(policy(settings), &long_talk());
    compactor.compact(Reason::Manual, None).unwrap();
    let mut chunk = 0;
    drive(&mut compactor, |_| {
        chunk += 1;
        format!("Notes {chunk}.\n{{\"risks\": [\"risk {chunk}\"]}}")
    });
    assert_eq!(chunk, 3);
    assert_eq!(texts(&compactor.structured_state().risks), ["risk 3", "risk 2", "risk 1"]);
    let summary = compactor.report().unwrap().summary.clone().unwrap();
    assert!(summary.starts_with("Notes 3."), "{summary}");
}

#[test]
fn e1_without_the_setting_nothing_is_asked_read_or_shown() {
    let mut compactor = compactor_with(policy(SummarySettings::default()), &long_talk());
    let mut off = policy(SummarySettings::default());
    off.summary.structured_state = false;
    compactor.set_policy(off).unwrap();
    let run = compact(&mut compactor, FIRST);
    assert!(!run.requests.iter().any(|request| request.system.contains("settled")));
    assert!(compactor.structured_state().is_empty());
    assert!(compactor.report().unwrap().summary.clone().unwrap().contains("```json"));
}

#[test]
fn e1_a_prepared_summary_brings_its_changes() {
    let mut policy = policy(SummarySettings::default());
    policy.prepare_at = Some(PrepareAt::Fraction(0.1));
    let mut compactor = compactor_with(policy, &long_talk());
    say(&mut compactor, 0);
    compactor.check(Phase::TurnStart);
    let mut asked = 0;
    let mut answer = |_: &epitome::SummaryRequest| {
        asked += 1;
        FIRST.to_owned()
    };
    drive(&mut compactor, &mut answer);
    assert!(compactor.structured_state().is_empty(), "not before it is used");
    compactor.set_structured_state(decided("Dig first.")).unwrap();
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, &mut answer);
    assert!(matches!(compactor.report().unwrap().outcome, Outcome::Applied { .. }));
    assert_eq!(asked, 1, "the summary was there");
    assert_eq!(texts(&compactor.structured_state().decisions), ["Plant oaks.", "Dig first."]);
}

#[test]
fn e1_a_summarizer_that_gets_messages_is_given_the_state_too() {
    let settings = SummarySettings { input: SummaryInput::Messages, ..SummarySettings::default() };
    let mut compactor = compactor_with(policy(settings), &long_talk());
    compactor.set_structured_state(decided("Dig first.")).unwrap();
    let run = compact(&mut compactor, FIRST);
    let request = run.requests.first().unwrap();
    assert!(matches!(request.summarizer, Summarizer::Agent { .. }));
    let Some(Edit::Insert { parts, .. }) = request.messages.as_ref().unwrap().edits.last() else {
        unreachable!("the last message asks for the summary")
    };
    let prompt = Message::with_parts("prompt", Role::User, parts.clone()).text();
    assert!(prompt.contains("Decisions:\n- Dig first.") && prompt.contains("settled"), "{prompt}");
    assert_eq!(texts(&compactor.structured_state().decisions), ["Plant oaks.", "Dig first."]);
}

#[test]
fn e1_a_host_hears_of_every_change_of_the_state() {
    let mut compactor = compactor_with(policy(SummarySettings::default()), &long_talk());
    let told = |compactor: &mut Compactor| {
        let events = drive(compactor, |_| FIRST.to_owned()).events.into_iter();
        let states = events.filter_map(|event| match event {
            Event::StateChanged { state } => Some(*state),
            _ => None,
        });
        states.collect::<Vec<_>>()
    };
    assert_eq!(told(&mut compactor), []);
    compactor.set_structured_state(decided("Dig first.")).unwrap();
    assert_eq!(told(&mut compactor), [decided("Dig first.")]);
    compactor.set_structured_state(decided("Dig first.")).unwrap();
    assert_eq!(told(&mut compactor), [], "it is the same");
    compactor.compact(Reason::Manual, None).unwrap();
    let summarized = told(&mut compactor);
    assert_eq!(summarized, [compactor.structured_state().clone()]);
    assert_eq!(texts(&summarized.first().unwrap().decisions), ["Plant oaks.", "Dig first."]);
    let lines = compactor.snapshot().to_json_lines().unwrap();
    let snapshot = Snapshot::from_json_lines(&lines).unwrap();
    let tokenizer = Box::new(CharactersPer(3));
    let mut restored = Compactor::restore(snapshot, Contract::default(), tokenizer).unwrap();
    assert_eq!(told(&mut restored), [], "a restored conversation has it from the beginning");
    compactor.undo().unwrap();
    assert_eq!(told(&mut compactor), [decided("Dig first.")]);
}

#[test]
fn e1_a_summarizer_without_a_model_brings_changes_too() {
    let talk = format!(
        "u: Please plan the garden. Never use concrete in it.\n\
         a: We decided to plant oaks along the northern wall.\n{}",
        long_talk()
    );
    let policy = Policy { window: 8_000, ..policy(SummarySettings::default()) };
    let mut compactor = compactor_with(policy, &talk);
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |request| {
        assert!(request.asks_for_state);
        let tokenizer = CharactersPer(3);
        extract_with_state(&request.envelope(), request.target_tokens, &tokenizer).text
    });
    let report = compactor.report().unwrap();
    assert!(applied(report), "{:?}", report.outcome);
    let state = compactor.structured_state();
    assert_eq!(texts(&state.decisions), ["We decided to plant oaks along the northern wall."]);
    assert_eq!(texts(&state.constraints), ["Never use concrete in it."]);
    let first = compactor.log().message(0).unwrap().id.clone();
    assert_eq!(state.constraints.first().unwrap().sources, [first]);
    assert!(state.tasks.iter().all(|task| task.sources.len() == 1), "{:?}", state.tasks);
    assert!(!state.tasks.is_empty());
}

#[test]
fn e1_a_state_that_no_summary_shows_can_be_put_before_a_request() {
    let mut compactor = compactor_with(policy(SummarySettings::default()), &long_talk());
    assert_eq!(compactor.state_text(), "");
    compactor.set_structured_state(decided("Plant elms.")).unwrap();
    assert_eq!(compactor.state_text(), "Decisions:\n- Plant elms.");
    compact(&mut compactor, FIRST);
    assert_eq!(compactor.state_text(), "", "the summary has it");
    compactor.set_structured_state(decided("Plant limes.")).unwrap();
    assert_eq!(compactor.state_text(), "Decisions:\n- Plant limes.");
    let again = restored(&compactor);
    assert_eq!(again.state_text(), compactor.state_text());
    undo(&mut compactor);
    assert_eq!(compactor.state_text(), "");
    undo(&mut compactor);
    assert_eq!(compactor.state_text(), "Decisions:\n- Plant elms.", "no summary has it any more");
}

#[test]
fn e1_a_state_without_entries_adds_nothing_to_the_open_tasks() {
    let mut compactor = compactor_with(policy(SummarySettings::default()), &long_talk());
    compactor.set_todo("- [ ] plant the roses".into()).unwrap();
    let run = compact(&mut compactor, "They talked.");
    let tracked = "<current_state>\n- [ ] plant the roses\n</current_state>";
    assert!(run.requests[0].input.contains(tracked), "{}", run.requests[0].input);
}

#[test]
fn open_tasks_of_blanks_alone_are_none() {
    let mut compactor = compactor_with(policy(SummarySettings::default()), &long_talk());
    compactor.set_todo("- [ ] plant the roses".into()).unwrap();
    assert_eq!(compactor.log().todo(), Some("- [ ] plant the roses"));
    compactor.set_todo(" \n".into()).unwrap();
    assert_eq!(compactor.log().todo(), None);
}
