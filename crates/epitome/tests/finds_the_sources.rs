//! From each line of a summary back to the messages that it is from.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::harness;

use epitome::policy::{Keep, SummarySettings};
use epitome::{Compactor, Policy, Reason};
use epitome_extractive::extract;
use harness::{applied, compactor_with, drive, long_talk};

const TALK: &str = "u: Please cancel order KX-4711 for Mara Lind.\n\
                    a: Order KX-47 is another one, and 1420 is its price.\n\
                    a: The order costs 42 euros.\n";

fn compacted(talk: &str, answer: &dyn Fn(&epitome::SummaryRequest) -> String) -> Compactor {
    compacted_by(policy(), talk, answer)
}

fn policy() -> Policy {
    let keep = Keep::Messages(2);
    let summary = SummarySettings::default();
    Policy { summary, keep, min_saving: 0.0, ..Policy::fill_percent(8_000) }
}

fn compacted_by(
    policy: Policy,
    talk: &str,
    answer: &dyn Fn(&epitome::SummaryRequest) -> String,
) -> Compactor {
    let mut compactor = compactor_with(policy, talk);
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, answer);
    assert!(applied(compactor.report().unwrap()), "{:?}", compactor.report());
    compactor
}

/// The positions of the sources of a line.
fn sources(compactor: &Compactor, line: &str) -> Vec<usize> {
    let positions = compactor.sources(line).into_iter();
    positions.map(|id| compactor.log().position(&id).unwrap()).collect()
}

#[test]
fn d10_a_line_of_a_summary_leads_to_its_messages() {
    let talk = format!("{TALK}{}", long_talk());
    let compactor = compacted(&talk, &|_| "They talked about an order.".into());
    for (line, expected) in [
        ("- [1, 3] order: KX-4711", &[0, 2][..]),
        // Only what the summary is about.
        ("- [1, 4000] order: KX-4711", &[0]),
        ("user: Please cancel order KX-4711 for Mara Lind.", &[0]),
        ("- assistant: The order costs 42 euros.", &[2]),
        // Sentences that do not follow each other, and one that is cut off.
        ("assistant: Order KX-47 is another one · and 1420 is its pri…", &[1]),
        ("* Mara Lind wants order KX-4711 cancelled.", &[0]),
        // With the label of a speaker, other blanks, and without a filler.
        ("ML: The order costs 42 euros.", &[2]),
        ("user: Please cancel  order, uh, KX-4711 for Mara Lind.", &[0]),
        // Things that are no facts.
        ("- about: garden, costs (paid), ord", &[2, 23]),
        // A part of a longer number or code is not the same.
        ("It costs 42 euros, said Mara Lind.", &[0, 2]),
        ("- order: KX-47", &[1]),
        ("- total: 4199.50 for Piotr Zielinski", &[]),
        ("answer number 7 about the garden", &[]),
        ("", &[]),
        ("- ", &[]),
    ] {
        assert_eq!(sources(&compactor, line), expected, "{line}");
    }
}

#[test]
fn d10_a_line_that_quotes_a_request_which_stays_leads_to_it() {
    let talk = format!("{TALK}{}", long_talk());
    let policy = Policy { keep_requests_tokens: 1_000, ..policy() };
    let compactor = compacted_by(policy, &talk, &|_| "They talked about an order.".into());
    let first = compactor.log().message(0).unwrap().id.clone();
    assert!(!compactor.is_compacted(&first));
    assert_eq!(sources(&compactor, "user: Please cancel order KX-4711 for Mara Lind."), [0]);
}

#[test]
fn d10_every_line_without_a_model_has_sources() {
    let words = "about the garden ".repeat(20);
    let talk: String = (0..12)
        .map(|turn| {
            format!(
                "u: Please order {turn} tiles of kind AB-{turn}7QX {words}\na: Order KX-{turn}81 is on its way {words}\n"
            )
        })
        .collect();
    let compactor = compacted(&talk, &|request| {
        let tokenizer = epitome::tokens::CharactersPer(3);
        extract(&request.envelope(), request.target_tokens, &tokenizer).text
    });
    let summary = compactor.report().unwrap().summary.clone().unwrap();
    let is_heading = |line: &&str| line.ends_with(':') || line.trim().is_empty();
    let lines: Vec<&str> = summary.lines().filter(|line| !is_heading(line)).collect();
    assert!(lines.len() > 10, "{summary}");
    for line in lines {
        assert!(!compactor.sources(line).is_empty(), "{line}\nin {summary}");
    }
}

#[test]
fn d10_after_an_undo_no_line_has_sources() {
    let talk = format!("{TALK}{}", long_talk());
    let mut compactor = compacted(&talk, &|_| "They talked about an order.".into());
    assert_eq!(sources(&compactor, "- [1] KX-4711"), [0]);
    compactor.undo().unwrap();
    drive(&mut compactor, |_| String::new());
    assert_eq!(sources(&compactor, "- [1] KX-4711"), [] as [usize; 0]);
}
