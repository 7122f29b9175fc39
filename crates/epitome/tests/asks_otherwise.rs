//! What a compaction tries when its summarizer fails or writes no summary.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot continue should fail"
)]

use crate::harness;

use epitome::message::{Message, Role};
use epitome::policy::{Keep, Summarizer, SummaryInput, SummarySettings, Unsupported};
use epitome::{
    Compactor, ContextOverflow, Failure, FailureKind, GivenState, Outcome, Output, Policy, Reason,
    SummarizerStep, SummarizerStepKind, SummaryRequest, Timestamp,
};
use harness::{applied, compactor_with, next_request, shown, words};

const GOOD: &str = "## Key facts\nThey talked about the garden.";
const REPLY: &str = "Sure! I have moved your seeds to the second bed, is there anything else?";

/// What a summarizer answers.
#[derive(Clone, Copy)]
enum Answer {
    /// A text, of a summarizer that may not know the instructions.
    Text(&'static str),
    /// A text of a model that was given them.
    Model(&'static str),
    Fails(FailureKind),
}

use Answer::{Fails, Model, Text};

const FULL: FailureKind =
    FailureKind::TooLong(ContextOverflow { requested_tokens: None, limit_tokens: None });

/// A conversation of some twenty thousand characters.
fn long_chat() -> String {
    let words = "some words about beds, seeds and water ".repeat(10);
    (0..25).map(|n| format!("u: question {n} {words}\na: answer {n} {words}\n")).collect()
}

/// A compaction with these settings.
struct Ended {
    compactor: Compactor,
    requests: Vec<SummaryRequest>,
}

/// Answers each request by its number and itself.
fn compact(settings: SummarySettings, answer: impl Fn(usize, &SummaryRequest) -> Answer) -> Ended {
    let policy = Policy { summary: settings, ..Policy::fill_percent(4_000) };
    let mut compactor = compactor_with(policy, &long_chat());
    compactor.compact(Reason::Manual, None).unwrap();
    let mut requests = Vec::new();
    loop {
        assert!(requests.len() < 200, "the summarizer is asked for ever");
        match compactor.poll_output() {
            Output::Before(_) => compactor.proceed().unwrap(),
            Output::Persist(_) => compactor.handle_persisted().unwrap(),
            Output::Summarize(request) => {
                let id = request.id;
                match answer(requests.len(), &request) {
                    Text(text) => compactor.handle_summary(id, text),
                    Model(text) => {
                        compactor.handle_instructed(id);
                        compactor.handle_summary(id, text);
                    }
                    Fails(kind) => {
                        let failure = Failure { kind, message: "no".into() };
                        compactor.handle_failure(id, failure, Timestamp(0));
                    }
                }
                requests.push(request);
            }
            Output::Continue => {}
            Output::Wait(_) => break,
            Output::Save(_) | Output::Changed | Output::Event(_) => {}
        }
    }
    Ended { compactor, requests }
}

/// The same with these answers, of which the last one is repeated.
fn compact_by(settings: SummarySettings, answers: &[Answer]) -> Ended {
    compact(settings, |index, _| *answers.get(index).or(answers.last()).unwrap())
}

impl Ended {
    /// The steps in their order.
    fn steps(&self) -> Vec<&'static str> {
        let report = self.compactor.report().unwrap();
        let steps = report.summarizer.iter().flat_map(|summarizer| &summarizer.steps);
        let name = |SummarizerStep { step, because, .. }: &SummarizerStep| {
            let name = match step {
                SummarizerStepKind::AskAgain => "again",
                SummarizerStepKind::Transcript => "transcript",
                SummarizerStepKind::SmallerChunks => "smaller",
                SummarizerStepKind::NextSummarizer => "next",
            };
            (because.clone(), name)
        };
        let named: Vec<_> = steps.map(name).collect();
        assert!(named.iter().all(|(because, _)| !because.is_empty()), "{named:?}");
        named.into_iter().map(|(_, name)| name).collect()
    }

    fn summary(&self) -> &str {
        self.compactor.report().unwrap().summary.as_deref().unwrap()
    }

    fn failure(&self) -> &str {
        match &self.compactor.report().unwrap().outcome {
            Outcome::Failed { message } => message,
            other => panic!("{other:?}"),
        }
    }
}

fn chain(names: &[&str]) -> SummarySettings {
    let fallback_summarizers = names.iter().map(|name| (*name).to_owned()).collect();
    SummarySettings { fallback_summarizers, ..SummarySettings::default() }
}

#[test]
fn i18_a_model_that_wrote_no_summary_is_asked_once_more() {
    let repeated = "It is done. ".repeat(30);
    let loops: &'static str = Box::leak(repeated.into_boxed_str());
    for bad in [Model(REPLY), Text(loops), Text(""), Text("<new_messages>")] {
        let ended = compact_by(chain(&[]), &[bad, Model(GOOD)]);
        assert_eq!(ended.steps(), ["again"]);
        assert_eq!(ended.summary().lines().next(), Some("## Key facts"));
        let [first, second] = ended.requests.as_slice() else { panic!("two requests") };
        assert_eq!(first.input, second.input);
        assert!(
            second.system.starts_with(&first.system) && second.system.len() > first.system.len()
        );
    }
}

#[test]
fn i34_a_model_that_never_writes_headings_has_written_no_summary() {
    let ended = compact_by(chain(&[]), &[Model(REPLY)]);
    assert_eq!(ended.steps(), ["again", "smaller"]);
    assert!(ended.failure().contains("headings"), "{}", ended.failure());
    // A function of the app may have a prompt of its own.
    let own = compact_by(chain(&[]), &[Text(REPLY)]);
    assert_eq!(own.steps(), [""; 0]);
    assert!(own.summary().starts_with(REPLY));
    let unchecked = SummarySettings { check_headings: Some(false), ..chain(&[]) };
    assert!(compact_by(unchecked, &[Model(REPLY)]).summary().starts_with(REPLY));
}

#[test]
fn i36_after_a_repair_and_smaller_chunks_the_next_summarizer_is_asked() {
    let ended = compact(chain(&["cheap", "extractive"]), |_, request| match &request.summarizer {
        Summarizer::Agent { name } if name == "summarizer" => Model(REPLY),
        Summarizer::Agent { name } if name == "cheap" => Fails(FailureKind::Permanent),
        Summarizer::Extractive => Text("user: some words"),
        other => panic!("{other:?}"),
    });
    assert_eq!(ended.steps(), ["again", "smaller", "next", "next"]);
    assert!(ended.summary().starts_with("user: some words"));
    let steps = &ended.compactor.report().unwrap().summarizer.as_ref().unwrap().steps;
    let asked: Vec<_> = steps.iter().filter_map(|step| step.summarizer.as_deref()).collect();
    assert_eq!(asked, ["cheap", "extractive"]);
    let reading = |request: &SummaryRequest| request.envelope().entries.len();
    let [first, .., last] = ended.requests.as_slice() else { panic!("several requests") };
    assert_eq!(reading(first), reading(last), "the last one reads what the first one did");
}

#[test]
fn i36_without_another_summarizer_the_compaction_fails_and_changes_nothing() {
    for (kind, expected) in [
        (FailureKind::Permanent, vec![]),
        (FailureKind::Unsuitable, vec![]),
        (FailureKind::Truncated, vec!["smaller"; 3]),
    ] {
        let ended = compact_by(chain(&[]), &[Fails(kind)]);
        assert_eq!((ended.failure(), ended.steps()), ("no", expected));
        let untouched = compactor_with(Policy::fill_percent(4_000), &long_chat());
        assert_eq!(shown(&ended.compactor), shown(&untouched));
    }
}

#[test]
fn i36_chunks_shrink_to_what_the_server_says_and_everything_is_read() {
    // A server with a window of 1,500 tokens of three characters, which counts what it is sent.
    let window = 1_500;
    let tokens = |request: &SummaryRequest| {
        let sent = request.system.chars().count() + request.input.chars().count();
        u32::try_from(sent.div_ceil(3)).unwrap()
    };
    for says_numbers in [true, false] {
        let ended = compact(chain(&[]), |_, request| {
            let requested = tokens(request);
            match requested > window {
                true if says_numbers => Fails(FailureKind::TooLong(ContextOverflow {
                    requested_tokens: Some(requested),
                    limit_tokens: Some(window),
                })),
                true => Fails(FULL),
                false => Model(GOOD),
            }
        });
        assert!(applied(ended.compactor.report().unwrap()), "{:?}", ended.compactor.report());
        let refused = ended.requests.iter().filter(|request| tokens(request) > window).count();
        // With the numbers, one refusal is enough.
        assert_eq!(refused == 1, says_numbers, "{refused}");
        assert!(ended.steps().iter().all(|step| *step == "smaller"));
        let read = ended.requests.iter().filter(|request| tokens(request) <= window);
        let read: String = read.map(|request| request.input.as_str()).collect();
        for turn in [0, 7, 15] {
            assert!(read.contains(&format!("question {turn} some words")), "{turn}");
        }
        if says_numbers {
            let last = ended.requests.last().unwrap();
            assert!(last.max_tokens <= window / 4, "{}", last.max_tokens);
            assert!(tokens(last) + last.max_tokens <= window);
        }
    }
}

#[test]
fn i36_an_answer_without_its_end_is_asked_for_in_smaller_chunks() {
    let ended = compact(chain(&[]), |_, request| match request.input.len() > 6_000 {
        true => Fails(FailureKind::Truncated),
        false => Model(GOOD),
    });
    assert!(applied(ended.compactor.report().unwrap()));
    assert!(ended.steps().iter().all(|step| *step == "smaller"), "{:?}", ended.steps());
    assert!(ended.requests[1].system.contains("cut off"), "{}", ended.requests[1].system);
    let given: Vec<GivenState> = ended.requests.iter().take(2).map(|it| it.given_state).collect();
    assert_eq!(given, [GivenState::Shown, GivenState::Hidden], "it has less to say");
}

#[test]
fn i36_messages_become_a_transcript_before_chunks_shrink() {
    let settings = SummarySettings { input: SummaryInput::Messages, ..chain(&["extractive"]) };
    let ended = compact(settings, |_, request| match request.form {
        SummaryInput::Messages => Fails(FULL),
        _ if request.summarizer == Summarizer::Extractive => Text("user: some words"),
        _ => Fails(FailureKind::Permanent),
    });
    assert_eq!(ended.steps(), ["transcript", "next"]);
    assert!(ended.requests.last().unwrap().messages.is_none());
}

#[test]
fn i36_a_chain_without_a_name_is_refused() {
    let policy = Policy { summary: chain(&["cheap", " "]), ..Policy::recommended(4_000) };
    let error = policy.check().unwrap_err().to_string();
    assert!(error.contains("policy.summary.fallbackSummarizers"), "{error}");
}

#[test]
fn i37_what_no_message_says_is_reported_marked_taken_out_or_sent_back_once() {
    const INVENTED: &str =
        "## Key facts\nThey talked about the garden. Karen Miller paid $1,234 for it.";
    let with = |unsupported| SummarySettings { unsupported, ..chain(&[]) };
    let listed = ["$1,234", "Karen Miller"];
    let unsupported = |ended: &Ended| ended.compactor.report().unwrap().receipt.unsupported.clone();

    let reported = compact_by(with(Unsupported::Report), &[Model(INVENTED)]);
    assert_eq!(unsupported(&reported), listed);
    assert_eq!(reported.compactor.unsupported_in(INVENTED, ""), listed);
    assert_eq!(reported.compactor.unsupported_in(INVENTED, "notes"), [""; 0]);
    assert_eq!(reported.compactor.unsupported_in(GOOD, ""), [""; 0]);
    assert!(reported.summary().starts_with(INVENTED));

    let marked = compact_by(with(Unsupported::Annotate), &[Model(INVENTED)]);
    assert_eq!(unsupported(&marked), listed);
    let expected = "Karen Miller [in no message] paid $1,234 [in no message] for it.";
    assert!(marked.summary().contains(expected), "{}", marked.summary());

    let removed = compact_by(with(Unsupported::Remove), &[Model(INVENTED)]);
    assert_eq!(unsupported(&removed), listed);
    assert!(removed.summary().starts_with(GOOD) && !removed.summary().contains("Karen"));

    let corrected = compact_by(with(Unsupported::AskAgain), &[Model(INVENTED), Model(GOOD)]);
    assert_eq!(unsupported(&corrected), [""; 0]);
    assert!(corrected.summary().starts_with(GOOD));
    let [_, back] = corrected.requests.as_slice() else { panic!("two requests") };
    assert!(back.system.contains("- $1,234\n- Karen Miller"), "{}", back.system);
    assert_eq!(back.envelope().previous_summary, INVENTED);

    let stubborn = compact_by(with(Unsupported::AskAgain), &[Model(INVENTED)]);
    assert_eq!(stubborn.requests.len(), 2);
    assert!(stubborn.summary().contains(expected), "{}", stubborn.summary());
}

#[test]
fn an_answer_in_the_wrong_form_and_a_failure_have_different_remedies() {
    let settings = |input| SummarySettings { input, ..chain(&["extractive"]) };
    for (problem, expected) in [
        (Fails(FailureKind::Permanent), vec!["next"]),
        (Fails(FailureKind::Unsuitable), vec!["transcript", "next"]),
        (Model(REPLY), vec!["again", "transcript", "smaller", "next"]),
    ] {
        let ended = compact(settings(SummaryInput::Messages), |_, request| {
            match request.summarizer == Summarizer::Extractive {
                true => Text("user: some words"),
                false => problem,
            }
        });
        assert_eq!(ended.steps(), expected);
    }
}

#[test]
fn smaller_chunks_are_reported_with_their_length_and_have_a_least_one() {
    let ended = compact_by(chain(&[]), &[Fails(FULL)]);
    let steps = &ended.compactor.report().unwrap().summarizer.as_ref().unwrap().steps;
    let lengths: Vec<u32> = steps.iter().map(|step| step.chunk_characters.unwrap()).collect();
    assert!(lengths.len() > 3 && lengths.iter().all(|length| *length >= 500), "{lengths:?}");
    assert!(lengths.iter().zip(&lengths[1..]).all(|(one, next)| next < one), "{lengths:?}");
}

#[test]
fn what_is_left_is_divided_by_its_length_whatever_number_of_chunks_the_policy_asks_for() {
    let settings = SummarySettings { chunks: 4, ..chain(&["extractive"]) };
    // The next summarizer gets in one request what the first one has not read.
    let ended = compact(settings.clone(), |index, request| match &request.summarizer {
        Summarizer::Extractive => Text("user: some words"),
        _ if index == 0 => Model(GOOD),
        _ => Fails(FailureKind::Permanent),
    });
    let counts: Vec<u32> = ended.requests.iter().map(|request| request.chunk_count).collect();
    assert_eq!(counts, [4, 4, 2]);
    // Of the last one, the halves are asked for, and not four parts.
    let ended = compact(settings.clone(), |index, _| match index {
        3 => Fails(FULL),
        _ => Model(GOOD),
    });
    assert!(ended.requests.len() < 8, "{}", ended.requests.len());
    // Of one chunk in four, the halves are asked for, and the others as they are.
    let ended = compact(settings, |index, _| match index {
        0 => Fails(FULL),
        _ => Model(GOOD),
    });
    assert!(ended.requests[1].chunk_count >= 8, "{}", ended.requests[1].chunk_count);
}

#[test]
fn a_window_is_believed_as_far_as_its_numbers_can_be_true() {
    let length = |requested_tokens, limit_tokens| {
        let kind = FailureKind::TooLong(ContextOverflow { requested_tokens, limit_tokens });
        let ended = compact_by(chain(&[]), &[Fails(kind), Model(GOOD)]);
        let steps = &ended.compactor.report().unwrap().summarizer.as_ref().unwrap().steps;
        (steps[0].chunk_characters.unwrap(), ended)
    };
    let (by_half, ended) = length(None, None);
    let first = &ended.requests[0];
    let tokens = first.system.chars().count().div_ceil(3) + first.input.chars().count().div_ceil(3);
    let tokens = u32::try_from(tokens).unwrap();
    assert_eq!(length(None, Some(0)).0, by_half, "there is no such window");
    let window = 1_500;
    let (by_own_count, ended) = length(None, Some(window));
    assert_eq!(ended.requests[1].target_tokens, window / 6);
    assert!(by_own_count < by_half);
    for requested in [tokens, window, window - 1] {
        assert_eq!(length(Some(requested), Some(window)).0, by_own_count, "{requested}");
    }
    assert!(length(Some(tokens * 9 / 8), Some(window)).0 < by_own_count);
}

#[test]
fn the_summary_so_far_takes_the_room_that_was_meant_for_it() {
    let kind =
        FailureKind::TooLong(ContextOverflow { requested_tokens: None, limit_tokens: Some(2_000) });
    let length = |summary| {
        let settings = SummarySettings { chunks: 2, ..chain(&[]) };
        let ended = compact_by(settings, &[Text(summary), Fails(kind), Text(GOOD)]);
        let steps = &ended.compactor.report().unwrap().summarizer.as_ref().unwrap().steps;
        steps[0].chunk_characters.unwrap()
    };
    let long: &str = Box::leak(words(100).into_boxed_str());
    assert!(length(GOOD).abs_diff(length(long)) < 50, "{} {}", length(GOOD), length(long));
}

#[test]
fn chunks_become_smaller_by_a_servers_limit_eight_times_at_most() {
    let policy = Policy {
        summary: SummarySettings { chunk_characters: None, ..chain(&[]) },
        keep: Keep::Messages(0),
        ..Policy::fill_percent(200_000)
    };
    let mut compactor = compactor_with(policy, "");
    for number in 0..30 {
        let text = "some words ".repeat(1_000);
        compactor.append(Message::new(format!("m{number}"), Role::Assistant, text)).unwrap();
    }
    compactor.compact(Reason::Manual, None).unwrap();
    let kind = FailureKind::TooLong(ContextOverflow {
        requested_tokens: Some(100_000),
        limit_tokens: Some(99_000),
    });
    for _ in 0..9 {
        let request = next_request(&mut compactor);
        let failure = Failure { kind, message: "no".into() };
        compactor.handle_failure(request.id, failure, Timestamp(0));
    }
    while !matches!(compactor.poll_output(), Output::Wait(_)) {}
    let report = compactor.report().unwrap();
    assert_eq!(report.summarizer.as_ref().unwrap().steps.len(), 8);
    assert_eq!(report.outcome, Outcome::Failed { message: "no".into() });
}

#[test]
fn what_a_message_says_in_capitals_is_found_before_a_summary_is_used() {
    let text = "u: Karen Miller paid $1,234\na: noted";
    let compactor = crate::harness::compactor_with(Policy::recommended(4_000), text);
    let summary = "Karen Miller paid $1,234. Bob Stone paid nothing.";
    assert_eq!(compactor.unsupported_in(summary, ""), ["Bob Stone"]);
}

#[test]
fn i37_a_quote_without_the_columns_of_what_it_quotes_is_supported() {
    let mut compactor = compactor_with(Policy::recommended(4_000), "u: hi");
    let said = "it prints:\nnorth   pier  low".to_owned();
    compactor.append(Message::new("said", Role::Assistant, said)).unwrap();
    let summary = "It prints \"north pier low\", not \"south pier  low\".";
    assert_eq!(compactor.unsupported_in(summary, ""), ["south pier  low"]);
}
