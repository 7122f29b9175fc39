//! Random conversations that are stored, restored and continued behave like those that were not stored.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot continue should fail with a message"
)]

use crate::random;

use epitome::history::Record;
use epitome::message::{Message, MessageId, Usage};
use epitome::policy::Phase;
use epitome::{
    Compactor, Contract, MemoryEntry, Output, Policy, Reason, Report, Snapshot, StateEntry, Stored,
    StructuredState,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestCaseResult;
use random::app::{Manner, SLICE, compactor, contract, drive, manner, tokenizer, tokenizer_of};
use random::history::{Script, script};
use random::invariants::{CheckedView, count_is_the_sum, every_missing_message_has_a_reason};
use random::policy::{PHASES, PolicyDraft, REASONS, policy};
use random::times;

/// One event of a conversation.
#[derive(Clone, Debug)]
enum Step {
    Say(Script),
    Compact(Reason, Manner),
    /// A compaction that is due at this phase runs.
    Check(Phase, Manner),
    Undo,
    /// A provider reports tokens, in percent of the engine's count.
    Usage(u32),
    Recount(u32),
    Todo(bool),
    /// The app remembers something.
    Remember(bool),
    /// The app sets the structured state, with this many decisions.
    State(usize),
    Edit(Index, Script),
    Insert(Index, Script),
    Remove(Index),
    /// The conversation ends earlier: an answer is generated again, or a question is sent again.
    Cut(Index),
    /// The app shows the branch with a message.
    Switch(Index),
    SetPolicy(Box<PolicyDraft>),
    /// The app is closed during a compaction.
    Crash(Reason),
}

fn step() -> impl Strategy<Value = Step> {
    let reason = || select(REASONS.as_slice());
    prop_oneof![
        4 => script(0..6, 1..2).prop_map(Step::Say),
        4 => (reason(), manner()).prop_map(|(reason, manner)| Step::Compact(reason, manner)),
        4 => (select(PHASES.as_slice()), manner()).prop_map(|(at, manner)| Step::Check(at, manner)),
        2 => Just(Step::Undo),
        2 => (20_u32..150).prop_map(Step::Usage),
        1 => (20_u32..150).prop_map(Step::Recount),
        1 => any::<bool>().prop_map(Step::Todo),
        1 => (0_usize..12).prop_map(Step::State),
        2 => any::<bool>().prop_map(Step::Remember),
        1 => (any::<Index>(), script(1..2, 1..2)).prop_map(|(at, script)| Step::Edit(at, script)),
        1 => (any::<Index>(), script(1..2, 1..2)).prop_map(|(at, script)| Step::Insert(at, script)),
        1 => any::<Index>().prop_map(Step::Remove),
        2 => any::<Index>().prop_map(Step::Cut),
        2 => any::<Index>().prop_map(Step::Switch),
        1 => policy().prop_map(|draft| Step::SetPolicy(Box::new(draft))),
        1 => reason().prop_map(Step::Crash),
    ]
}

#[derive(Clone, Debug)]
struct Case {
    script: Script,
    policy: PolicyDraft,
    contract: Contract,
    before: Vec<Step>,
    after: Vec<Step>,
}

fn case(script: impl Strategy<Value = Script>) -> impl Strategy<Value = Case> {
    let steps = || prop::collection::vec(step(), 1..6);
    (script, policy(), contract(), steps(), steps()).prop_map(
        |(script, policy, contract, before, after)| Case {
            script,
            policy,
            contract,
            before,
            after,
        },
    )
}

/// A conversation and what the app needs to restore it.
struct Stage {
    compactor: Compactor,
    contract: Contract,
    /// What a store has: all commits, one after the other.
    stored: String,
    /// Whether what is restored has slices as short as here. Otherwise it has the usual ones, and does the same.
    has_same_slices: bool,
}

/// What the app can observe of a step.
#[derive(Debug, PartialEq)]
struct Trace {
    outputs: Vec<Output>,
    report: Option<Report>,
    refused: Option<String>,
}

impl Stage {
    fn new(mut compactor: Compactor, contract: Contract, has_same_slices: bool) -> Self {
        compactor.collect_unsaved(Stored::Nothing);
        Self { compactor, contract, stored: String::new(), has_same_slices }
    }

    /// Stores what is new.
    fn commit(&mut self) {
        self.stored += &self.compactor.unsaved().unwrap();
        self.compactor.handle_saved();
        assert!(!self.compactor.has_unsaved());
    }

    /// The same conversation, restored from its snapshot.
    fn restored(&self) -> Self {
        self.restored_from(&self.compactor.snapshot().to_json_lines().unwrap())
    }

    /// The same conversation, restored from what its store has.
    fn loaded(&self) -> Self {
        self.restored_from(&(self.stored.clone() + &self.compactor.state_line().unwrap()))
    }

    fn restored_from(&self, text: &str) -> Self {
        let snapshot = Snapshot::from_json_lines(text).unwrap();
        let mut compactor = Compactor::restore(snapshot, self.contract, tokenizer()).unwrap();
        compactor.collect_unsaved(Stored::Everything);
        if self.has_same_slices {
            compactor.set_slice(SLICE);
        }
        let Self { contract, has_same_slices, .. } = *self;
        Self { compactor, contract, stored: self.stored.clone(), has_same_slices }
    }

    fn step(&mut self, step: &Step) -> Trace {
        let mut trace = Trace { outputs: Vec::new(), report: None, refused: None };
        let compactor = &mut self.compactor;
        let share = |percent: u32, compactor: &Compactor| {
            let tokens = u64::from(compactor.conversation().counted_tokens().get());
            u32::try_from(tokens * u64::from(percent) / 100).unwrap()
        };
        match step {
            Step::Say(script) => {
                for message in script.messages(unused(compactor), 60) {
                    compactor.append(message).unwrap();
                }
            }
            Step::Compact(reason, manner) => compact(compactor, *reason, *manner, &mut trace),
            Step::Check(phase, manner) => {
                if let Some(reason) = compactor.check(*phase) {
                    compact(compactor, reason, *manner, &mut trace);
                }
            }
            Step::Undo => trace.refused = compactor.undo().err().map(|error| error.to_string()),
            Step::Usage(percent) => {
                let prompt_tokens = share(*percent, compactor);
                let usage = Usage {
                    prompt_tokens,
                    completion_tokens: 5,
                    duration_ms: Some(9),
                    ..Usage::default()
                };
                compactor.handle_usage(usage);
            }
            Step::Recount(percent) => compactor.handle_count(share(*percent, compactor)),
            Step::Todo(open) => {
                let todo = if *open { "- [ ] plant the roses" } else { "" };
                compactor.set_todo(todo.into()).unwrap();
            }
            Step::Remember(standing) => {
                let text = format!("note {}", compactor.memory().entries.len());
                compactor.remember(MemoryEntry { text, standing: *standing }).unwrap();
            }
            Step::State(decisions) => {
                let text = |number: usize| format!("plant bed {number}");
                let entry = |number| StateEntry { text: text(number), ..StateEntry::default() };
                let decisions = (0..*decisions).map(entry).collect();
                let state = StructuredState { decisions, ..StructuredState::default() };
                compactor.set_structured_state(state).unwrap();
            }
            Step::Edit(index, script) => {
                let said: Vec<Message> = compactor.log().messages().cloned().collect();
                if let (false, Some(new)) = (said.is_empty(), script.messages(0, 1).pop()) {
                    let id = index.get(&said).id.clone();
                    compactor.edit(Message { id, ..new }).unwrap();
                }
            }
            Step::Insert(index, script) => {
                let said: Vec<MessageId> = ids(compactor.log().messages());
                let message = script.messages(unused(compactor), 1).pop();
                if let (false, Some(message)) = (said.is_empty(), message) {
                    compactor.insert(message, index.get(&said).clone()).unwrap();
                }
            }
            Step::Remove(index) => {
                let said = ids(compactor.log().messages());
                if !said.is_empty() {
                    compactor.remove(index.get(&said).clone()).unwrap();
                }
            }
            Step::Cut(index) => {
                let said = ids(compactor.log().messages());
                let head = said.get(..index.index(said.len() + 1)).and_then(<[_]>::last);
                compactor.move_head(head.cloned()).unwrap();
            }
            Step::Switch(index) => {
                let appended = compactor.log().records().iter().filter_map(Record::message);
                let known = ids(appended.filter(|message| compactor.log().contains(&message.id)));
                if !known.is_empty() {
                    compactor.switch_to(index.get(&known)).unwrap();
                }
            }
            Step::SetPolicy(draft) => {
                if let Some(policy) = draft.fit(share(100, compactor)) {
                    let tokenizer = tokenizer_of(&policy.counting);
                    compactor.set_policy(policy).unwrap();
                    compactor.count_by(tokenizer);
                }
            }
            Step::Crash(reason) => {
                trace.refused =
                    compactor.compact(*reason, None).err().map(|error| error.to_string());
                while let Output::Event(_) | Output::Before(_) | Output::Continue =
                    compactor.poll_output()
                {
                    // A compaction that waits for its hook begins. The crash comes when the app is asked for something, which is
                    // the same with slices of any length.
                    let _ = compactor.proceed();
                }
                *self = self.restored();
            }
        }
        let outputs = drive(&mut self.compactor, Manner::Short);
        trace.outputs.extend(outputs);
        self.commit();
        trace
    }

    /// Everything that the app can observe of it.
    fn shown(&self) -> impl PartialEq + std::fmt::Debug + use<> {
        let compactor = &self.compactor;
        let due = PHASES.map(|phase| compactor.due(phase));
        let plans: Vec<_> = REASONS.iter().map(|reason| compactor.plan(*reason)).collect();
        (
            (compactor.view(), compactor.pressure(), due, plans),
            (*compactor.conversation().statistics(), compactor.session()),
        )
    }

    /// Checks the invariants that hold after every step.
    fn check(&self) -> TestCaseResult {
        let compactor = &self.compactor;
        let messages: Vec<Message> = compactor.log().messages().cloned().collect();
        let view = compactor.view();
        let invariants = [
            CheckedView::new(&messages, &view).check_unchanged(),
            every_missing_message_has_a_reason(compactor, &messages),
            count_is_the_sum(compactor),
        ];
        let broken = invariants.into_iter().find_map(Result::err);
        broken
            .map_or(Ok(()), |broken| Err(TestCaseError::fail(format!("{broken}\nview: {view:?}"))))
    }
}

fn ids<'a>(messages: impl Iterator<Item = &'a Message>) -> Vec<MessageId> {
    messages.map(|message| message.id.clone()).collect()
}

/// The number of an id that no message has had.
fn unused(compactor: &Compactor) -> usize {
    let messages = compactor.log().records().iter().filter_map(Record::message);
    let numbers = messages.filter_map(|message| message.id.as_str().get(1..)?.parse().ok());
    numbers.max().map_or(0, |last: usize| last + 1)
}

fn compact(compactor: &mut Compactor, reason: Reason, manner: Manner, trace: &mut Trace) {
    match compactor.compact(reason, None) {
        Ok(()) => {
            trace.outputs = drive(compactor, manner);
            trace.report = compactor.report().cloned();
        }
        Err(error) => trace.refused = Some(error.to_string()),
    }
}

fn check(case: &Case) -> TestCaseResult {
    let messages = case.script.messages(0, 400);
    let tokens = compactor(Policy::recommended(9), case.contract, &messages).pressure().tokens;
    let Some(policy) = case.policy.fit(tokens) else {
        return Err(TestCaseError::reject("a policy that cannot work"));
    };
    let compactor = compactor(policy, case.contract, &messages);
    // A summary that is written in advance and a memory that is summarized go on side by side: which of them asks first depends on
    // the length of slices.
    let prepares = |step: &Step| matches!(step, Step::SetPolicy(draft) if draft.prepares());
    let is_ahead = case.policy.prepares() || case.before.iter().chain(&case.after).any(prepares);
    let mut stage = Stage::new(compactor, case.contract, is_ahead);
    stage.commit();
    for step in &case.before {
        stage.step(step);
        stage.check()?;
    }
    let mut other = stage.restored();
    let loaded = stage.loaded();
    for other in [&other, &loaded] {
        prop_assert!(stage.compactor.snapshot() == other.compactor.snapshot());
        prop_assert_eq!(stage.shown(), other.shown());
    }
    for step in &case.after {
        prop_assert_eq!(stage.step(step), other.step(step), "{:?}", step);
        prop_assert_eq!(stage.shown(), other.shown(), "{:?}", step);
        for phase in PHASES {
            prop_assert_eq!(stage.compactor.check(phase), other.compactor.check(phase));
            // A check may begin to write the next summary.
            let [outputs, others] =
                [&mut stage, &mut other].map(|stage| drive(&mut stage.compactor, Manner::Short));
            prop_assert_eq!(outputs, others);
        }
        stage.check()?;
    }
    prop_assert!(stage.compactor.snapshot() == other.compactor.snapshot());
    Ok(())
}

proptest! {
    #![proptest_config(times(2_400))]

    #[test]
    fn a_restored_conversation_continues_like_the_original(case in case(script(1..16, 1..3))) {
        check(&case)?;
    }
}

proptest! {
    #![proptest_config(times(200))]

    #[test]
    fn a_restored_long_conversation_continues_like_the_original(
        case in case(script(10..40, 2..6)),
    ) {
        check(&case)?;
    }
}
