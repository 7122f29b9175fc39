//! The engine with an app that does anything at any time: commands in every state, answers that are late, wrong or
//! missing, edits during a compaction, restarts in the middle.

use std::mem;

use epitome::history::{Checkpoint, View};
use epitome::message::{Message, RequestId, Usage};
use epitome::test_notation::notate;
use epitome::{
    Compactor, Contract, Failure, FailureKind, Output, Reason, Scope, Snapshot, Timestamp,
    Violation,
};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::choices::Choices;
use crate::random::app::{contract, tokenizer, tokenizer_of};
use crate::random::history::{Script, script};
use crate::random::invariants::{
    CheckedView, count_is_the_sum, every_missing_message_has_a_reason,
};
use crate::random::policy::{PHASES, PolicyDraft, REASONS, policy};

/// Bytes that are the seed of policy and history. The others choose what the app does.
const SETTING: usize = 16;

/// A conversation and what its app remembers.
struct Stage {
    compactor: Compactor,
    contract: Contract,
    /// Requests that are not answered yet, or that are answered a second time.
    asked: Vec<RequestId>,
    now: Timestamp,
}

/// The first bytes are the seed of policy and history; the others choose what the app does.
pub(crate) fn check(bytes: &[u8]) {
    let (setting, steps) = bytes.split_at(bytes.len().min(SETTING));
    let mut runner = runner(setting);
    let Some((first, more)) = drawn(&mut runner, &(script(0..10, 1..3), script(1..8, 1..2))) else {
        return;
    };
    let Some((draft, other, contract)) = drawn(&mut runner, &(policy(), policy(), contract()))
    else {
        return;
    };
    let messages = first.messages(0, 60);
    let Some(policy) = fit(&draft, contract, &messages) else { return };
    let tokenizer = tokenizer_of(&policy.counting);
    let Ok(compactor) = Compactor::new(policy, contract, tokenizer) else { return };
    let mut stage = Stage { compactor, contract, asked: Vec::new(), now: Timestamp(0) };
    for message in messages {
        assert_eq!(stage.compactor.append(message), Ok(()));
    }
    stage.check();
    let mut choices = Choices::new(steps);
    for _ in 0..40 {
        if choices.is_empty() {
            break;
        }
        stage.step(&mut choices, &more, &other);
        stage.check();
    }
    stage.finish();
}

/// Chooses pseudo-randomly. Bytes cannot be the choices themselves: with zeros after the last one, a strategy never finds
/// a number in some ranges.
fn runner(seed: &[u8]) -> TestRunner {
    let mut whole = [0; SETTING];
    whole.iter_mut().zip(seed).for_each(|(slot, byte)| *slot = *byte);
    let rng = TestRng::from_seed(RngAlgorithm::XorShift, &whole);
    TestRunner::new_with_rng(Config { failure_persistence: None, ..Config::default() }, rng)
}

fn drawn<S: Strategy>(runner: &mut TestRunner, strategy: &S) -> Option<S::Value> {
    Some(strategy.new_tree(runner).ok()?.current())
}

fn fit(draft: &PolicyDraft, contract: Contract, messages: &[Message]) -> Option<epitome::Policy> {
    let policy = epitome::Policy::recommended(9);
    let mut measured = Compactor::new(policy, contract, tokenizer()).ok()?;
    for message in messages {
        measured.append(message.clone()).ok()?;
    }
    draft.fit(measured.pressure().tokens)
}

/// Mostly nothing is chosen.
fn scope(messages: usize, choices: &mut Choices<'_>) -> Scope {
    let up_to = choices.once_in(4).then(|| choices.below(messages + 1));
    let exempt = match choices.once_in(4) {
        true => vec![choices.below(messages + 1), choices.below(messages + 1)],
        false => Vec::new(),
    };
    Scope { up_to, exempt }
}

impl Stage {
    fn step(&mut self, choices: &mut Choices<'_>, more: &Script, other: &PolicyDraft) {
        let compactor = &mut self.compactor;
        match choices.below(20) {
            0 | 1 => {
                let from = compactor.log().len();
                let count = choices.below(4) + 1;
                for message in more.messages(from, count) {
                    assert_eq!(compactor.append(message), Ok(()), "appending is always legal");
                }
            }
            2 => {
                let (reason, words) = (choices.one_of(&REASONS), choices.text(9));
                let scope = scope(compactor.log().len(), choices);
                let _ = compactor.compact_within(reason, Some(words), scope);
            }
            3 | 4 => {
                if let Some(reason) = compactor.check(choices.one_of(&PHASES)) {
                    let _ = compactor.compact(reason, None);
                }
            }
            5 => drop(compactor.undo()),
            6 => self.edit(choices, more),
            7 => compactor.cancel(),
            8 => {
                let usage = Usage { prompt_tokens: share(compactor, choices), ..Usage::default() };
                compactor.handle_usage(usage);
            }
            9 => {
                let tokens = share(compactor, choices);
                compactor.handle_count(tokens);
            }
            10 => drop(compactor.set_todo(choices.text(20))),
            11 => {
                let tokens = compactor.conversation().counted_tokens().get();
                if let Some(policy) = other.fit(tokens) {
                    let tokenizer = tokenizer_of(&policy.counting);
                    if compactor.set_policy(policy).is_ok() {
                        compactor.count_by(tokenizer);
                    }
                }
            }
            12 => self.restart(),
            13 => self.answer_wrongly(choices),
            14 => drop(compactor.handle_persisted()),
            15 => drop(compactor.skip()),
            16 => drop(compactor.proceed()),
            _ => self.serve(choices),
        }
    }

    /// Handles some outputs, as an app would.
    fn serve(&mut self, choices: &mut Choices<'_>) {
        for _ in 0..choices.below(12) + 1 {
            if !self.serve_one(choices) {
                return;
            }
        }
    }

    /// Handles the next output; false if there is none.
    fn serve_one(&mut self, choices: &mut Choices<'_>) -> bool {
        let compactor = &mut self.compactor;
        match compactor.poll_output() {
            Output::Before(_) => match choices.below(8) {
                7 => drop(compactor.skip()),
                6 => compactor.cancel(),
                _ => drop(compactor.proceed()),
            },
            Output::Summarize(request) => {
                self.asked.push(request.id);
                match choices.below(8) {
                    // The answer comes later, or never.
                    7 => {}
                    6 => self.fail(request.id, choices),
                    5 => compactor.handle_summary(request.id, ""),
                    4 => compactor.handle_summary(request.id, &"on and on ".repeat(400)),
                    _ => compactor.handle_summary(request.id, "They talked about the garden."),
                }
            }
            Output::Persist(_) => match choices.below(8) {
                7 => drop(compactor.handle_unpersisted("the disk is full".into())),
                // It is stored later, or the app is closed before.
                6 => {}
                _ => drop(compactor.handle_persisted()),
            },
            Output::Wait(Some(until)) => {
                self.now = until;
                compactor.handle_timeout(until);
            }
            Output::Wait(None) => return false,
            Output::Save(_) | Output::Changed | Output::Event(_) | Output::Continue => {}
        }
        true
    }

    fn fail(&mut self, request: RequestId, choices: &mut Choices<'_>) {
        let retry_after_ms = choices.once_in(3).then(|| u32::from(choices.byte()).into());
        let kind =
            choices.one_of(&[FailureKind::Permanent, FailureKind::Transient { retry_after_ms }]);
        self.compactor.handle_failure(request, Failure { kind, message: "no".into() }, self.now);
    }

    /// An answer to a request that is closed, or that never was.
    fn answer_wrongly(&mut self, choices: &mut Choices<'_>) {
        let request = match self.asked.len() {
            0 => RequestId(77),
            some => self.asked[choices.below(some)],
        };
        match choices.below(3) {
            0 => self.compactor.handle_summary(request, "An answer that is late."),
            1 => self.fail(request, choices),
            _ => self.compactor.handle_summary(RequestId(u32::MAX), "An answer to nothing."),
        }
    }

    fn edit(&mut self, choices: &mut Choices<'_>, more: &Script) {
        let ids: Vec<_> =
            self.compactor.log().messages().map(|message| message.id.clone()).collect();
        let Some(new) = more.messages(0, 1).pop().filter(|_| !ids.is_empty()) else { return };
        let id = ids[choices.below(ids.len())].clone();
        let _ = self.compactor.edit(Message { id, ..new });
    }

    /// The app is closed, and opens the conversation again.
    fn restart(&mut self) {
        let before = self.compactor.view();
        let text = self.compactor.snapshot().to_json_lines().unwrap_or_default();
        let snapshot = match Snapshot::from_json_lines(&text) {
            Ok(snapshot) => snapshot,
            Err(error) => panic!("{error}: {text}"),
        };
        let tokenizer = tokenizer_of(&self.compactor.policy().counting);
        match Compactor::restore(snapshot, self.contract, tokenizer) {
            Ok(restored) => self.compactor = restored,
            Err(error) => panic!("{error}: {text}"),
        }
        assert_eq!(self.compactor.view(), before, "restored");
    }

    /// What holds after every step.
    fn check(&self) {
        let messages: Vec<Message> = self.compactor.log().messages().cloned().collect();
        let view = self.compactor.view();
        let checks = [
            CheckedView::new(&messages, &view).check_unchanged(),
            every_missing_message_has_a_reason(&self.compactor, &messages),
            count_is_the_sum(&self.compactor),
            self.legal(&view),
        ];
        if let Some(broken) = checks.into_iter().find_map(Result::err) {
            panic!("{broken}\n{:?}\n{}view: {view:?}", self.contract, notate(&messages));
        }
    }

    /// A provider accepts the view. Where it does not, it refuses all messages of the log for the same reason, and that is
    /// one of two which repairing leaves. System messages stay where the app has put them. A message with several results
    /// is moved or removed as a whole, also if their calls are in different messages; no format makes such messages,
    /// because each result is read as a step of its own.
    fn legal(&self, view: &View) -> Result<(), String> {
        let log = self.compactor.log();
        let Err(violation) = self.contract.check(log, view) else { return Ok(()) };
        let all = View::repaired(log, &self.contract);
        let before = self.contract.check(log, &all).err();
        let same = before.as_ref().map(mem::discriminant) == Some(mem::discriminant(&violation));
        let by_app = match &violation {
            Violation::NothingSaid | Violation::SystemNotFirst | Violation::SystemInside { .. } => {
                true
            }
            Violation::OrphanedResult { call, .. } | Violation::UnansweredCall { call, .. } => {
                let several = log.messages().filter(|message| message.results().count() > 1);
                several.flat_map(Message::results).any(|result| result == call)
            }
            _ => false,
        };
        if by_app && same {
            return Ok(());
        }
        Err(format!("{violation:?}, and {before:?} of all messages"))
    }

    /// Everything that is open comes to its end. Then one more compaction is undone exactly.
    fn finish(&mut self) {
        self.settle();
        let checkpoint = |compactor: &Compactor| compactor.log().checkpoint().map(id);
        let (before, last) = (self.compactor.view(), checkpoint(&self.compactor));
        if self.compactor.compact(Reason::Manual, None).is_err() {
            panic!("a manual compaction is refused when nothing runs");
        }
        self.settle();
        if checkpoint(&self.compactor) != last {
            self.check();
            assert_eq!(self.compactor.undo(), Ok(()));
            self.settle();
        }
        assert_eq!(self.compactor.view(), before, "undone");
    }

    fn settle(&mut self) {
        let mut none = Choices::new(&[]);
        for _ in 0..20_000 {
            if self.serve_one(&mut none) {
                continue;
            }
            if !self.compactor.is_busy() {
                return;
            }
            // It waits for an answer that the app has not given, to any of its requests.
            if self.compactor.handle_persisted().is_err() {
                for id in self.asked.clone() {
                    self.compactor.handle_summary(id, "They talked.");
                }
            }
        }
        panic!("the compactor never comes to rest");
    }
}

fn id(checkpoint: &Checkpoint) -> impl PartialEq + use<> {
    checkpoint.id
}

/// Tokens as a provider could report them: up to two and a half times the count.
fn share(compactor: &Compactor, choices: &mut Choices<'_>) -> u32 {
    let counted = u64::from(compactor.conversation().counted_tokens().get());
    u32::try_from(counted * u64::from(choices.byte()) / 100).unwrap_or(u32::MAX)
}
