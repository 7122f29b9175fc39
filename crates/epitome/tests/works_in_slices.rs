//! The long parts of a compaction are done in slices: between two of them, the app can draw its page, go on with the
//! conversation, or cancel.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should stop")]

use epitome::message::{Message, Role};
use epitome::policy::PrepareAt;
use epitome::test_notation::transcript;
use epitome::tokens::CharactersPer;
use epitome::{Compactor, Contract, Event, Outcome, Output, Policy, PreparedUse, Reason, Report};

/// A conversation whose first ten messages are long. The first one names a file.
fn conversation() -> Vec<Message> {
    let long = |turn: u32| {
        format!("On day {turn} we look at src/day{turn}.rs. {}", "So it is. ".repeat(80))
    };
    let mut messages: Vec<Message> = (0..10)
        .map(|turn| {
            let role = if turn % 2 == 0 { Role::User } else { Role::Assistant };
            Message::new(format!("m{turn}"), role, long(turn))
        })
        .collect();
    messages.push(Message::new("m10", Role::User, "And the garden?"));
    messages.push(Message::new("m11", Role::Assistant, "It is green in src/garden.rs."));
    messages
}

/// Two messages stay.
fn policy() -> Policy {
    let mut policy = Policy::recommended(10_000);
    policy.keep = epitome::policy::Keep::Messages(2);
    policy.keep_requests_tokens = 0;
    policy
}

fn compactor(policy: Policy) -> Compactor {
    let tokenizer = Box::new(CharactersPer(3));
    let mut compactor = Compactor::new(policy, Contract::default(), tokenizer).unwrap();
    for message in conversation() {
        compactor.append(message).unwrap();
    }
    compactor
}

fn begun(slice: usize) -> Compactor {
    let mut compactor = compactor(policy());
    compactor.set_slice(slice);
    compactor.compact(Reason::Manual, None).unwrap();
    compactor
}

const SUMMARY: &str = "They looked at src/day1.rs and src/other.rs for ten days.";

/// What was done, and how many slices it took besides.
fn finished(compactor: &mut Compactor) -> (Vec<Output>, usize) {
    let (mut outputs, mut slices) = (Vec::new(), 0);
    loop {
        let output = compactor.poll_output();
        match &output {
            Output::Before(_) => compactor.proceed().unwrap(),
            Output::Summarize(request) => compactor.handle_summary(request.id, SUMMARY),
            Output::Persist(_) => compactor.handle_persisted().unwrap(),
            Output::Continue => {
                slices += 1;
                continue;
            }
            Output::Wait(_) => return (outputs, slices),
            Output::Save(_) | Output::Changed | Output::Event(_) => {}
        }
        outputs.push(output);
    }
}

/// Polls until the compaction is in the middle of a long work: before its summarizer is asked, or after it has answered.
fn until_slice(compactor: &mut Compactor, is_answered: bool) {
    let mut has_answered = false;
    loop {
        match compactor.poll_output() {
            Output::Before(_) => compactor.proceed().unwrap(),
            Output::Summarize(request) => {
                has_answered = request.chunk_index + 1 == request.chunk_count;
                compactor.handle_summary(request.id, SUMMARY);
            }
            Output::Continue if has_answered == is_answered => return,
            Output::Persist(_) | Output::Wait(_) => panic!("there was no such slice"),
            Output::Save(_) | Output::Changed | Output::Event(_) | Output::Continue => {}
        }
    }
}

fn report(compactor: &Compactor) -> &Report {
    compactor.report().unwrap()
}

#[test]
fn j24_the_result_does_not_depend_on_the_length_of_a_slice() {
    let (at_once, none) = finished(&mut begun(usize::MAX));
    assert_eq!(none, 0);
    for slice in [1, 7, 100, 1_000] {
        let mut compactor = begun(slice);
        let (outputs, slices) = finished(&mut compactor);
        assert_eq!(outputs, at_once, "slices of {slice} bytes");
        assert!(slices >= 9, "{slices} slices of {slice} bytes");
        assert_eq!(report(&compactor).receipt.unsupported, ["src/other.rs"]);
    }
}

#[test]
fn j24_a_compaction_can_be_cancelled_between_two_slices() {
    for is_answered in [false, true] {
        let mut compactor = begun(100);
        until_slice(&mut compactor, is_answered);
        let view = compactor.view();
        compactor.cancel();
        finished(&mut compactor);
        assert_eq!(report(&compactor).outcome, Outcome::Cancelled);
        assert_eq!(compactor.view(), view);
        compactor.compact(Reason::Manual, None).unwrap();
        finished(&mut compactor);
        assert!(matches!(report(&compactor).outcome, Outcome::Applied { .. }));
    }
}

#[test]
fn j24_the_conversation_goes_on_between_two_slices() {
    for is_answered in [false, true] {
        let mut compactor = begun(100);
        until_slice(&mut compactor, is_answered);
        assert!(compactor.compact(Reason::Manual, None).is_err(), "one is running");
        compactor.append(Message::new("m12", Role::User, "And in src/new.rs?")).unwrap();
        finished(&mut compactor);
        assert!(matches!(report(&compactor).outcome, Outcome::Applied { .. }));
        assert_eq!(compactor.view().edits.len(), 4, "the summary, and three messages that stay");
    }
}

#[test]
fn j24_an_edit_of_what_is_summarized_ends_the_compaction_between_two_slices() {
    for is_answered in [false, true] {
        let mut compactor = begun(100);
        until_slice(&mut compactor, is_answered);
        compactor.edit(Message::new("m3", Role::Assistant, "Never mind.")).unwrap();
        finished(&mut compactor);
        assert_eq!(report(&compactor).outcome, Outcome::Cancelled);
    }
}

#[test]
fn j24_what_stays_is_read_as_it_is_at_the_end() {
    let is_kept = |compactor: &Compactor, name: &str| {
        report(compactor).receipt.kept.iter().any(|fact| fact.text == name)
    };
    let mut compactor = begun(100);
    until_slice(&mut compactor, true);
    compactor.edit(Message::new("m11", Role::Assistant, "As in src/day7.rs.")).unwrap();
    finished(&mut compactor);
    assert!(is_kept(&compactor, "src/day7.rs"));
    assert!(!is_kept(&compactor, "src/day8.rs"));
}

#[test]
fn j24_a_summary_in_advance_is_begun_in_slices() {
    let mut policy = policy();
    policy.prepare_at = Some(PrepareAt::Fraction(0.1));
    let mut compactor = compactor(policy);
    compactor.set_slice(100);
    assert_eq!(compactor.check(epitome::Phase::RequestStart), None);
    let mut slices = 0;
    loop {
        match compactor.poll_output() {
            Output::Continue => slices += 1,
            Output::Event(Event::Preparing { .. }) => break,
            Output::Wait(_) => panic!("nothing is prepared"),
            _ => {}
        }
    }
    assert!(slices > 3, "{slices}");
}

#[test]
fn j24_k9_a_summary_in_advance_is_swapped_in_by_slices_with_the_same_result() {
    // What is done after a compaction has started, when its texts are read.
    let compacted = |slice: usize, prepare_at: Option<PrepareAt>| {
        let mut compactor = compactor(Policy { prepare_at, ..policy() });
        assert_eq!(compactor.check(epitome::Phase::RequestStart), None);
        finished(&mut compactor);
        compactor.set_slice(slice);
        compactor.compact(Reason::Manual, None).unwrap();
        loop {
            match compactor.poll_output() {
                Output::Before(_) => compactor.proceed().unwrap(),
                Output::Event(Event::Start { .. }) => break,
                Output::Wait(_) => panic!("nothing is compacted"),
                _ => {}
            }
        }
        let (_, slices) = finished(&mut compactor);
        (report(&compactor).clone(), slices)
    };
    let in_advance = Some(PrepareAt::Fraction(0.1));
    let (at_once, none) = compacted(usize::MAX, in_advance);
    assert_eq!(none, 0);
    assert_eq!(at_once.prepared.and_then(|it| it.used), Some(PreparedUse::AsWritten));
    let (in_slices, slices) = compacted(1, in_advance);
    assert_eq!(in_slices, at_once);
    let (_, awaited) = compacted(1, None);
    assert!(slices >= awaited, "{slices}, and {awaited} behind an answer that is waited for");
}

#[test]
fn the_result_for_very_many_names_is_worked_out_in_three_steps() {
    for (names, between) in [(900, 0), (1_001, 2)] {
        let mut compactor = compactor(policy());
        let names: String = (0..names).map(|number| format!("src/bed{number}.rs ")).collect();
        for message in [
            Message::new("names", Role::User, names),
            Message::new("last", Role::User, "And now?"),
            Message::new("end", Role::Assistant, "It is green."),
        ] {
            compactor.append(message).unwrap();
        }
        compactor.compact(Reason::Manual, None).unwrap();
        let (outputs, slices) = finished(&mut compactor);
        assert!(outputs.iter().any(|output| matches!(output, Output::Persist(_))));
        assert_eq!(slices, between);
    }
}

#[test]
fn names_that_the_transcript_cuts_off_are_found_in_slices_of_any_length() {
    let row = "a row of roses, ".repeat(20);
    let results = [
        format!("{row}order KX-47"),
        format!("13 is {row}"),
        format!("They are red. It is order KX-4711, {row}{row}"),
    ];
    let [one, two, three] = results;
    let text = format!("a: !one !two !three\nt: =one<{one}> =two<{two}> =three<{three}>");
    for slice in [1, 7, 100, usize::MAX] {
        let mut policy = policy();
        policy.summary.tool_result_max_characters = Some(20);
        let mut compactor = Compactor::new(policy, Contract::default(), Box::new(CharactersPer(3)));
        let compactor = compactor.as_mut().unwrap();
        compactor.set_slice(slice);
        for (position, message) in transcript(&text).into_iter().chain(conversation()).enumerate() {
            let id = format!("n{position}").into();
            compactor.append(Message { id, ..message }).unwrap();
        }
        compactor.compact(Reason::Manual, None).unwrap();
        loop {
            match compactor.poll_output() {
                Output::Before(_) => compactor.proceed().unwrap(),
                Output::Summarize(request) => {
                    assert!(!request.input.contains("KX"), "it is cut off: {}", request.input);
                    compactor.handle_summary(request.id, "Orders KX-4711, KX-4712 and KX-4713.");
                }
                Output::Persist(_) => compactor.handle_persisted().unwrap(),
                Output::Wait(_) => break,
                _ => {}
            }
        }
        let unsupported = &report(compactor).receipt.unsupported;
        assert_eq!(unsupported, &["KX-4712", "KX-4713"], "slices of {slice} bytes");
    }
}

#[test]
fn j24_facts_and_what_stays_are_read_in_slices_of_their_length() {
    let mut policy = policy();
    (policy.window, policy.keep) = (100_000, epitome::policy::Keep::Messages(40));
    let mut compactor =
        Compactor::new(policy, Contract::default(), Box::new(CharactersPer(3))).unwrap();
    for number in 0..80 {
        let text = format!("remark {number} {}", "of the garden ".repeat(70));
        compactor.append(Message::new(format!("r{number}"), Role::Assistant, text)).unwrap();
    }
    // It takes four times as long to find the facts in a text as to read it.
    compactor.set_slice(20_000);
    compactor.compact(Reason::Manual, None).unwrap();
    let (outputs, slices) = finished(&mut compactor);
    assert!(outputs.iter().any(|output| matches!(output, Output::Persist(_))));
    assert!(
        (11..=13).contains(&slices),
        "of the texts, of their facts, and of what stays: {slices}"
    );
}

#[test]
fn j24_what_stays_is_read_again_after_an_edit_between_any_two_slices() {
    edits_between_any_two_slices(400, 0);
}

#[test]
fn j24_so_it_is_while_many_facts_are_looked_up() {
    edits_between_any_two_slices(8_000, 1_200);
}

/// Edits a message that stays after any number of slices of so many bytes, in a conversation with so many facts more.
fn edits_between_any_two_slices(slice: usize, facts: usize) {
    let mut edited = 0;
    for slices in 0.. {
        let mut policy = policy();
        policy.keep = epitome::policy::Keep::Messages(6);
        let mut compactor = compactor(policy);
        let many: String = (0..facts).map(|fact| format!("src/f{fact}.rs ")).collect();
        compactor.edit(Message::new("m0", Role::User, format!("See {many}"))).unwrap();
        compactor.set_slice(slice);
        compactor.compact(Reason::Manual, None).unwrap();
        until_slice(&mut compactor, true);
        let mut goes_on = true;
        for _ in 0..slices {
            goes_on = goes_on && is_next_a_slice(&mut compactor);
        }
        if !goes_on {
            break;
        }
        let is_edited = compactor.edit(Message::new("m11", Role::Assistant, "As in src/day3.rs."));
        finished(&mut compactor);
        let kept = &report(&compactor).receipt.kept;
        let has = kept.iter().any(|fact| fact.text == "src/day3.rs");
        assert_eq!(is_edited.is_ok(), has, "after {slices} slices");
        edited += 1;
    }
    assert!(edited > 5, "{edited}");
}

/// False once the work is done, and the record is to be stored.
fn is_next_a_slice(compactor: &mut Compactor) -> bool {
    loop {
        match compactor.poll_output() {
            Output::Continue => return true,
            Output::Persist(_) | Output::Wait(_) => return false,
            _ => {}
        }
    }
}
