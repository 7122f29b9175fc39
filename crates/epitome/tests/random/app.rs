//! An app in tests, whose summarizer answers well, badly, late or not at all.

use epitome::message::{Message, RequestId};
use epitome::policy::{Counting, SummaryInput};
use epitome::tokens::CharactersPer;
use epitome::{
    Compactor, Contract, Failure, FailureKind, First, Outcome, Output, Policy, Reason,
    ReasoningPolicy, Report, ResultPlace, Scope, SummaryRequest, SummaryRole, SystemPlace,
    Timestamp,
};
use epitome_extractive::extract;
use proptest::prelude::*;

/// How the app handles a summarizer request and the record of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    Short,
    AsLongAsRequested,
    FarTooLong,
    Extract,
    Nothing,
    /// Fails this many times before every answer.
    Busy(u32),
    Refuses,
    Declines,
    CannotStore,
    Cancels,
}

pub(crate) fn manner() -> impl Strategy<Value = Manner> {
    prop_oneof![
        5 => Just(Manner::Short),
        5 => Just(Manner::AsLongAsRequested),
        2 => Just(Manner::FarTooLong),
        2 => Just(Manner::Extract),
        1 => Just(Manner::Nothing),
        2 => (1_u32..4).prop_map(Manner::Busy),
        1 => Just(Manner::Refuses),
        1 => Just(Manner::Declines),
        1 => Just(Manner::CannotStore),
        1 => Just(Manner::Cancels),
    ]
}

/// Contracts of several kinds of providers.
pub(crate) fn contract() -> impl Strategy<Value = Contract> {
    prop_oneof![
        4 => Just(Contract::default()),
        1 => Just(Contract { system: SystemPlace::First, ..Contract::default() }),
        1 => Just(Contract { first: First::User, results: ResultPlace::NextUser, ..Contract::default() }),
        1 => Just(Contract { results: ResultPlace::AnywhereAfter, ..Contract::default() }),
        1 => Just(Contract {
            system: SystemPlace::Separate,
            summary: SummaryRole::User,
            reasoning: ReasoningPolicy::WholeTurn,
            ..Contract::default()
        }),
    ]
}

/// Bytes of a slice, so that there are many.
pub(crate) const SLICE: usize = 50;

pub(crate) fn tokenizer() -> Box<CharactersPer> {
    Box::new(CharactersPer(3))
}

/// The tokenizer for a policy's `counting`, as far as this app has one.
pub(crate) fn tokenizer_of(counting: &Counting) -> Box<CharactersPer> {
    match counting {
        Counting::CharactersPerToken(characters) => Box::new(CharactersPer(*characters)),
        _ => tokenizer(),
    }
}

pub(crate) fn compactor(policy: Policy, contract: Contract, messages: &[Message]) -> Compactor {
    let mut compactor = Compactor::new(policy, contract, tokenizer()).unwrap();
    compactor.set_slice(SLICE);
    for message in messages {
        compactor.append(message.clone()).unwrap();
    }
    compactor
}

/// Handles all outputs of the compactor until it waits, and returns them.
pub(crate) fn drive(compactor: &mut Compactor, manner: Manner) -> Vec<Output> {
    let mut outputs = Vec::new();
    let mut now = Timestamp(0);
    let mut failed = 0;
    // Many for slices: 2,000 messages are read again for each shorter form of a result that is too large.
    for _ in 0..1_000_000 {
        let output = compactor.poll_output();
        match &output {
            Output::Before(_) if manner == Manner::Declines => compactor.skip().unwrap(),
            Output::Before(_) => compactor.proceed().unwrap(),
            Output::Summarize(request) if !continues_the_view(compactor, request) => {
                panic!("the conversation for the summarizer is not the one that was sent");
            }
            Output::Summarize(request) => match manner {
                Manner::Refuses => fail(compactor, request.id, FailureKind::Permanent, now),
                Manner::Cancels => compactor.cancel(),
                Manner::Busy(times) if failed < times => {
                    failed += 1;
                    let busy = FailureKind::Transient { retry_after_ms: None };
                    fail(compactor, request.id, busy, now);
                }
                _ => {
                    failed = 0;
                    compactor.handle_summary(request.id, &answer(request, manner));
                }
            },
            Output::Persist(_) if manner == Manner::CannotStore => {
                compactor.handle_unpersisted("the disk is full".into()).unwrap();
            }
            Output::Persist(_) => compactor.handle_persisted().unwrap(),
            Output::Wait(Some(until)) => {
                now = *until;
                compactor.handle_timeout(now);
            }
            Output::Wait(None) => return outputs,
            // How many slices there are is no part of what is done.
            Output::Continue => continue,
            Output::Save(_) | Output::Changed | Output::Event(_) => {}
        }
        outputs.push(without_id(output));
        assert!(outputs.len() < 20_000, "the compactor never waits");
    }
    panic!("the compactor never waits, or reads without an end");
}

/// True unless a request has the whole conversation, and this does not begin with the view that was sent.
fn continues_the_view(compactor: &Compactor, request: &SummaryRequest) -> bool {
    let sent = compactor.view();
    match &request.messages {
        Some(view) if request.form == SummaryInput::Conversation => {
            view.edits.starts_with(&sent.edits)
        }
        _ => true,
    }
}

/// Outputs without the ids of requests, which start again at 1 after a restore.
fn without_id(output: Output) -> Output {
    match output {
        Output::Summarize(request) => {
            Output::Summarize(SummaryRequest { id: RequestId(0), ..request })
        }
        output => output,
    }
}

fn fail(compactor: &mut Compactor, request: RequestId, kind: FailureKind, now: Timestamp) {
    compactor.handle_failure(request, Failure { kind, message: "it failed".into() }, now);
}

fn answer(request: &SummaryRequest, manner: Manner) -> String {
    let target = request.target_tokens as usize;
    match manner {
        Manner::Nothing => " ".into(),
        Manner::AsLongAsRequested => "so it goes on ".repeat(target / 5 + 1),
        Manner::FarTooLong => "and on and on it goes ".repeat(target.min(3_000) + 40),
        Manner::Extract => {
            let extract = extract(&request.envelope(), request.target_tokens, &*tokenizer()).text;
            if extract.trim().is_empty() { "They talked.".into() } else { extract }
        }
        _ if request.system.contains("lists of <current_state>") => format!(
            "They talked about the garden.\n{{\"tasks\": [\"task {}\"], \"risks\": [\"frost\"]}}",
            request.input.len() % 7
        ),
        _ => "They talked about the garden.".into(),
    }
}

/// Compacts for this reason, or manually if the compactor refuses that.
pub(crate) fn compact(compactor: &mut Compactor, reason: Reason, manner: Manner) -> Report {
    compact_within(compactor, reason, &Scope::default(), manner)
}

/// The same within a scope.
pub(crate) fn compact_within(
    compactor: &mut Compactor,
    reason: Reason,
    scope: &Scope,
    manner: Manner,
) -> Report {
    if compactor.compact_within(reason, None, scope.clone()).is_err() {
        compactor.compact_within(Reason::Manual, None, scope.clone()).unwrap();
    }
    drive(compactor, manner);
    compactor.report().unwrap().clone()
}

pub(crate) fn applied(report: &Report) -> bool {
    matches!(report.outcome, Outcome::Applied { .. })
}
