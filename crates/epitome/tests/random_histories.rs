//! Invariants of compactions, checked with random histories and random policies.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot continue should fail with a message"
)]

use crate::random;

use epitome::history::{Edit, View};
use epitome::message::{Message, MessageId, Usage};
use epitome::policy::SummaryInput;
use epitome::tokens::MeterTokens;
use epitome::{Action, Compactor, Contract, Policy, Reason, Scope};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestCaseResult;
use random::app::{Manner, applied, compact_within, compactor, contract, drive, manner};
use random::history::{Script, script};
use random::invariants::{CheckedView, count_is_the_sum, every_missing_message_has_a_reason};
use random::plan_follower::Follower;
use random::policy::{PolicyDraft, REASONS, policy};
use random::times;

/// One compaction of one history.
#[derive(Clone, Debug)]
struct Case {
    script: Script,
    policy: PolicyDraft,
    contract: Contract,
    reason: Reason,
    manner: Manner,
    todo: bool,
    /// Tokens that the provider reports, in percent of the engine's count.
    counted_percent: Option<u32>,
    /// What is chosen for the compaction, in percent of the messages: its end, and what it leaves as it is.
    scope: (Option<usize>, Vec<usize>),
}

fn case(script: impl Strategy<Value = Script>) -> impl Strategy<Value = Case> {
    let reason = select(REASONS.as_slice());
    let counted =
        prop_oneof![6 => Just(None), 1 => Just(Some(100)), 1 => (20_u32..150).prop_map(Some)];
    (script, policy(), contract(), reason, manner(), any::<bool>(), counted, scope()).prop_map(
        |(script, policy, contract, reason, manner, todo, counted_percent, scope)| Case {
            script,
            policy,
            contract,
            reason,
            manner,
            todo,
            counted_percent,
            scope,
        },
    )
}

/// Mostly nothing is chosen.
fn scope() -> impl Strategy<Value = (Option<usize>, Vec<usize>)> {
    let up_to = prop_oneof![4 => Just(None), 1 => (0..=100_usize).prop_map(Some)];
    let exempt = prop_oneof![4 => Just(Vec::new()), 1 => prop::collection::vec(0..100_usize, 1..4)];
    (up_to, exempt)
}

/// Histories of up to a few dozen messages.
fn short() -> impl Strategy<Value = Script> {
    script(0..16, 1..3)
}

/// Histories of some hundreds of messages.
fn long() -> impl Strategy<Value = Script> {
    script(10..40, 3..12)
}

/// Histories of 2,000 messages.
fn longest() -> impl Strategy<Value = Script> {
    script(10..40, 200..300)
}

/// The view of a conversation and its tokens.
fn seen(compactor: &Compactor) -> (View, MeterTokens) {
    (compactor.view(), compactor.conversation().counted_tokens())
}

/// What a view has of a message.
fn edit_of<'a>(view: &'a View, id: &MessageId) -> Option<&'a Edit> {
    view.edits.iter().find(|edit| edit.id() == Some(id))
}

/// The result of a check, with the report and the view in the message of a failure.
fn with_report(checked: Result<(), String>, compactor: &Compactor) -> TestCaseResult {
    checked.map_err(|problem| {
        let (report, view) = (compactor.report(), compactor.view());
        TestCaseError::fail(format!("{problem}\nreport: {report:?}\nview: {view:?}"))
    })
}

/// A compactor with the messages of a case; `None` if its policy cannot work with them.
fn loaded(case: &Case, messages: &[Message]) -> Option<Compactor> {
    let tokens = compactor(Policy::recommended(9), case.contract, messages).pressure().tokens;
    let policy = case.policy.fit(tokens)?;
    let mut compactor = compactor(policy, case.contract, messages);
    if case.todo {
        compactor.set_todo("- [ ] plant the roses".into()).unwrap();
    }
    if let Some(percent) = case.counted_percent {
        let whole = u64::from(compactor.pressure().tokens);
        let prompt_tokens = u32::try_from(whole * u64::from(percent) / 100).unwrap();
        let usage = Usage { prompt_tokens, ..Usage::default() };
        compactor.handle_usage(usage);
    }
    Some(compactor)
}

/// Checks the invariants of a case with at most this many messages.
fn check(case: &Case, most: usize) -> TestCaseResult {
    let messages = case.script.messages(0, most);
    let Some(mut compactor) = loaded(case, &messages) else {
        return Err(TestCaseError::reject("a policy that cannot work"));
    };
    let before = seen(&compactor);
    let pressure = compactor.pressure();
    prop_assert!(every_missing_message_has_a_reason(&compactor, &messages).is_ok());

    // Making a plan changes nothing, and its tokens add up.
    let stored = compactor.snapshot();
    let part = |percent: usize| messages.len() * percent / 100;
    let exempt = case.scope.1.iter().map(|at| part(*at)).collect();
    let scope = Scope { up_to: case.scope.0.map(part), exempt };
    let plan = compactor.plan_within(case.reason, &scope);
    prop_assert_eq!(&compactor.plan_within(case.reason, &scope), &plan);
    // Reasoning that is bound to what stood before it does not stay behind a summary.
    let is_rewritten = plan.locked_reasoning.is_some();
    if let Some(up_to) = scope.up_to.filter(|_| plan.summarizes) {
        prop_assert!(plan.tail_start <= up_to);
        let mut behind = plan.actions.iter().skip(up_to);
        prop_assert!(is_rewritten || behind.all(|action| *action == Action::Keep));
    }
    for at in &scope.exempt {
        let is_there = compactor.conversation().projection().covered <= *at;
        prop_assert!(!is_there || is_rewritten || plan.action(*at) == Action::Keep);
    }
    prop_assert!(compactor.snapshot() == stored);
    prop_assert_eq!(seen(&compactor), before.clone());
    prop_assert_eq!(plan.actions.len(), messages.len());
    let scale = compactor.conversation().scale(compactor.policy());
    let each = (0..messages.len()).map(|at| plan.message_tokens(compactor.conversation(), at));
    let mut follower = Follower::default();
    with_report(follower.follow(&plan, &compactor), &compactor)?;
    with_report(follower.follow(&plan, &compactor), &compactor)?;
    let none = (MeterTokens::ZERO, MeterTokens::ZERO);
    let sums = each.fold(none, |sum, one| (sum.0 + one.0, sum.1 + one.1));
    prop_assert_eq!(scale.prompt_tokens(sums.0), plan.tokens_before);
    if !plan.summarizes {
        prop_assert_eq!(scale.prompt_tokens(sums.1), plan.tokens_after);
    } else if plan.idle.is_none() {
        // Messages are sent in one request, if they fit.
        let input = compactor.policy().summary.input;
        let in_one = input != SummaryInput::Transcript && plan.requests == 1;
        if let Ok(chunks) = plan.chunks(compactor.conversation(), compactor.policy()) {
            let entries: Vec<u32> = chunks.iter().flatten().map(|entry| entry.number).collect();
            // The plan knows the length of an entry that is longer than a chunk, but not where it will be split.
            let split = entries.windows(2).any(|two| two[0] == two[1]);
            prop_assert!(
                split || in_one || plan.requests as usize == chunks.len(),
                "{} {}",
                plan.requests,
                chunks.len()
            );
        } else {
            prop_assert!(in_one);
        }
    }

    let report = compact_within(&mut compactor, case.reason, &scope, case.manner);
    prop_assert_eq!(report.tokens_before, plan.tokens_before);
    if !applied(&report) {
        prop_assert_eq!((seen(&compactor), compactor.pressure()), (before, pressure));
        return Ok(());
    }
    if !plan.summarizes {
        prop_assert_eq!(report.tokens_after, plan.tokens_after);
    }

    // The result is smaller, valid, and as reported.
    let after = seen(&compactor);
    prop_assert!(report.tokens_after < report.tokens_before);
    prop_assert_eq!(report.tokens_after, compactor.pressure().tokens);
    prop_assert_eq!(case.contract.check(compactor.log(), &after.0), Ok(()));
    // What is broken is repaired by what stands around it.
    let is_whole = before.0.findings.is_empty() && after.0.findings.is_empty();
    for id in scope.exempt.iter().filter_map(|at| messages.get(*at)).map(|message| &message.id) {
        let stays = edit_of(&after.0, id) == edit_of(&before.0, id);
        prop_assert!(is_rewritten || !is_whole || stays);
    }
    let summary_placement = compactor.policy().summary_placement;
    let leaves_one = !case.reason.is_reactive() && scope.is_default();
    with_report(
        CheckedView::new(&messages, &after.0).check(summary_placement, leaves_one),
        &compactor,
    )?;
    with_report(every_missing_message_has_a_reason(&compactor, &messages), &compactor)?;
    with_report(count_is_the_sum(&compactor), &compactor)?;
    with_report(follower.follow(&compactor.plan(Reason::Manual), &compactor), &compactor)?;

    // A second compaction changes nothing. Not compared are reactive compactions, which may summarize only the oldest
    // rounds or run at any count, and cases in which the provider counts otherwise than the engine: the first compaction
    // makes its count invalid, so that conditions on tokens see another number in the second one.
    let same_count = plan.tokens_before == pressure.tokens;
    if same_count && !case.reason.is_reactive() {
        let again = compact_within(&mut compactor, case.reason, &scope, case.manner);
        prop_assert!(!applied(&again), "{:?}\nfirst: {:?}\nthen: {:?}", case.reason, report, again);
        prop_assert_eq!(seen(&compactor), after);
    }

    // Undo restores the view exactly.
    compactor.undo().unwrap();
    drive(&mut compactor, Manner::Short);
    prop_assert_eq!(seen(&compactor), before);
    with_report(follower.follow(&compactor.plan(case.reason), &compactor), &compactor)?;
    if case.counted_percent.is_none() {
        prop_assert_eq!(compactor.pressure(), pressure);
    }
    Ok(())
}

proptest! {
    #![proptest_config(times(7_200))]

    #[test]
    fn the_invariants_hold(case in case(short())) {
        check(&case, 100)?;
    }
}

proptest! {
    #![proptest_config(times(600))]

    #[test]
    fn the_invariants_hold_for_hundreds_of_messages(case in case(long())) {
        check(&case, 900)?;
    }
}

proptest! {
    #![proptest_config(times(30))]

    #[test]
    fn the_invariants_hold_for_2_000_messages(case in case(longest())) {
        check(&case, 2_000)?;
    }
}

#[test]
fn random_policies_have_every_kind_of_reducer_and_trigger() {
    let (reducers, triggers) = random::policy::generated_kinds();
    assert_eq!(reducers.into_iter().collect::<Vec<_>>(), (0..7).collect::<Vec<_>>());
    assert_eq!(triggers.into_iter().collect::<Vec<_>>(), (0..11).collect::<Vec<_>>());
}
