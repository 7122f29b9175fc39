//! A model that is given the state of the messages: its summary stands behind it, and its changes come after the state's.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should stop"
)]

use crate::harness;

use epitome::message::{Message, Role};
use epitome::policy::{Keep, SummarySettings, Unsupported};
use epitome::tokens::{CharactersPer, Tokenizer as _};
use epitome::{Compactor, Outcome, Output, Policy, Reason};
use epitome_extractive::for_model;
use harness::compactor_with;

const TALK: &str = "u: Please plan the garden of house KX7QP2. Never use concrete in it.\n\
                    a: We decided to plant oaks along the northern wall.\n";

fn compactor(summary: SummarySettings) -> Compactor {
    let words = "about the garden ".repeat(60);
    let turns =
        (0..8).map(|turn| format!("u: question {turn} {words}\na: answer {turn} {words}\n"));
    let talk = format!("{TALK}{}", turns.collect::<String>());
    let policy =
        Policy { summary, keep: Keep::Messages(2), min_saving: 0.0, ..Policy::fill_percent(8_000) };
    compactor_with(policy, &talk)
}

/// Compacts with a model that answers so, each request in turn and all later ones as the last, and returns what it was given.
fn compact(compactor: &mut Compactor, answers: &[&str]) -> Vec<String> {
    compactor.compact(Reason::Manual, None).unwrap();
    let mut inputs = Vec::new();
    for _ in 0..1_000 {
        match compactor.poll_output() {
            Output::Before(_) => compactor.proceed().unwrap(),
            Output::Summarize(request) => {
                let (envelope, target) = (request.envelope(), request.target_tokens);
                let state = (request.given_state, request.asks_for_state);
                let given = for_model(&request.system, &envelope, target, state, &CharactersPer(3))
                    .unwrap();
                compactor.handle_summary_state(request.id, &given.state);
                let answer = answers.get(inputs.len()).or(answers.last());
                compactor.handle_summary(request.id, answer.unwrap());
                inputs.push(given.input);
            }
            Output::Persist(_) => compactor.handle_persisted().unwrap(),
            Output::Wait(_) => return inputs,
            _ => {}
        }
    }
    panic!("the compactor never waits");
}

fn summary(compactor: &Compactor) -> String {
    compactor.report().unwrap().summary.clone().unwrap()
}

#[test]
fn d10_a_summary_begins_with_the_state_that_the_model_was_given() {
    let mut compactor = compactor(SummarySettings::default());
    let given = compact(&mut compactor, &["They like oaks because of the owls."]);
    let first = summary(&compactor);
    assert!(first.starts_with("Requests:\n- [1] Please plan the garden"), "{first}");
    assert!(first.contains("\nNotes:\nThey like oaks because of the owls."), "{first}");
    let (state, _) = first.split_once("\nNotes:").unwrap();
    assert!(given.concat().contains(state));
    for number in 0..8 {
        let role = if number % 2 == 0 { Role::User } else { Role::Assistant };
        let text = format!("and more of number {number} {}", "about the garden ".repeat(12));
        compactor.append(Message::new(format!("n{number}"), role, text)).unwrap();
    }
    let given = compact(&mut compactor, &["They also like owls."]);
    let previous = "<previous_summary>\nThey like oaks because of the owls.\n";
    assert!(given.concat().contains(previous), "{given:?}");
    let second = summary(&compactor);
    assert!(second.contains("- [1] Never use concrete in it.\n"), "{second}");
    assert!(second.contains("\nNotes:\nThey also like owls."), "{second}");
}

#[test]
fn an_answer_that_is_no_summary_is_none_behind_a_state_either() {
    let mut compactor = compactor(SummarySettings::default());
    let asked = compact(&mut compactor, &["", "I'm sorry, I cannot do that.", "They like oaks."]);
    assert!(asked[0].contains("Read from the messages by a program:"));
    assert!(!asked[1].contains("Read from the messages by a program:"), "it may have confused it");
    let Outcome::Applied { .. } = compactor.report().unwrap().outcome else {
        panic!("{:?}", compactor.report().unwrap().outcome)
    };
    assert!(summary(&compactor).contains("\nNotes:\nThey like oaks."));
}

#[test]
fn d10_what_an_answer_repeats_of_the_state_is_left_out() {
    let mut compactor = compactor(SummarySettings::default());
    let repeated = "Instructions and decisions:\n- [1] Never use concrete in it.";
    compact(&mut compactor, &[&format!("They like oaks.\n{repeated}\nThe owls like them too.")]);
    let summary = summary(&compactor);
    assert!(summary.contains("\nNotes:\nThey like oaks.\nThe owls like them too."), "{summary}");
    assert_eq!(summary.matches(repeated).count(), 1, "{summary}");
}

#[test]
fn d10_what_the_state_says_is_never_taken_for_made_up() {
    let mut compactor = compactor(SummarySettings {
        unsupported: Unsupported::Annotate,
        ..SummarySettings::default()
    });
    compact(&mut compactor, &["Their order QZ9981 is late."]);
    let unsupported = &compactor.report().unwrap().receipt.unsupported;
    assert_eq!(unsupported, &["QZ9981"]);
}

#[test]
fn e1_a_models_changes_amend_those_that_a_program_has_read() {
    let mut compactor =
        compactor(SummarySettings { structured_state: true, ..SummarySettings::default() });
    let answer = "They like owls.\n```\nowl()\n```\n```json\n{\"decisions\": [{\"text\": \"Plant limes along the northern wall.\", \
                  \"replaces\": \"We decided to plant oaks along the northern wall.\"}]}\n```";
    let given = compact(&mut compactor, &[answer]).concat();
    assert!(given.contains("\"decisions\":[{\"text\":\"We decided to plant oaks"), "{given}");
    let state = compactor.structured_state();
    let decisions: Vec<&str> = state.decisions.iter().map(|entry| entry.text.as_str()).collect();
    assert_eq!(decisions, ["Plant limes along the northern wall."]);
    let constraints: Vec<&str> =
        state.constraints.iter().map(|entry| entry.text.as_str()).collect();
    assert_eq!(constraints, ["Never use concrete in it."], "the model had nothing to amend in it");
    let summary = summary(&compactor);
    assert!(summary.contains("They like owls.\n```\nowl()\n```"), "code stays: {summary}");
    assert!(!summary.contains("```json"), "{summary}");
}

#[test]
fn i18_a_model_that_writes_its_notes_twice_has_written_them_once() {
    let mut compactor = compactor(SummarySettings::default());
    let notes = "## Key facts\n- The owls of the garden like oaks.";
    compact(&mut compactor, &[&format!("{notes}\n{notes}\n- They like water, too.")]);
    let summary = summary(&compactor);
    assert!(
        summary.contains(&format!("\nNotes:\n{notes}\n## Key facts\n- They like water, too.")),
        "{summary}"
    );
}

#[test]
fn d10_notes_beside_a_state_keep_within_the_tokens_of_the_summary() {
    let mut compactor =
        compactor(SummarySettings { max_tokens: Some(400), ..SummarySettings::default() });
    let course: String =
        (0..60).map(|at| format!("- Then the user asked for step {at} of it.\n")).collect();
    compact(&mut compactor, &[&format!("## Course\n{course}- The order QZ9981 is late.")]);
    let summary = summary(&compactor);
    let (state, notes) = summary.split_once("Notes:\n").unwrap();
    assert!(state.contains("[1] Never use concrete in it."), "{state}");
    assert!(notes.contains("The order QZ9981 is late."), "what is nowhere else stays: {notes}");
    assert!(notes.contains("step 0 of it") && !notes.contains("step 59 of it"), "{notes}");
    assert!(CharactersPer(3).count(&summary) <= 400, "{}", CharactersPer(3).count(&summary));
}
