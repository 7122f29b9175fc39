//! Planning and committing take as long as the history is long, and not its square.
//!
//! By instructions, counted with `valgrind --tool=callgrind`, ten times as many messages take 10.0 to 10.3
//! times as many. The test compares times, so that it runs anywhere.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on should stop, and say what it saw"
)]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the engine may not look at a clock; whoever measures it must"
)]

mod harness;

use std::fs;
use std::time::{Duration, Instant};

use epitome::message::{Message, Part, Role};
use epitome::policy::{ClearToolInputs, Reducer, ReducerRule};
use epitome::tokens::CharactersPer;
use epitome::{Compactor, Contract, Outcome, Policy, Reason};
use harness::drive;

const FEW: usize = 10_000;
const MANY: usize = 100_000;

/// At most so many times as long for ten times as many messages: 12 by what the processor has to do, and a
/// third more for what a long history costs it by not fitting its caches.
const AT_MOST: f64 = 16.0;

/// The least of so many runs counts: whatever else the machine does only adds to one.
const RUNS: usize = 2;

/// Plans are made so often in a run: one alone takes less time than systems tell apart.
const PLANS: usize = 50;

/// A talk with two calls in every other answer: some with long arguments, some with long results.
fn history(count: usize) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::with_capacity(count + 3);
    while messages.len() < count {
        let turn = messages.len();
        let said = |text: &str| format!("{text} number {turn} about src/garden-{turn}.rs");
        let name = |offset: usize| format!("m{}", turn + offset);
        match turn % 4 {
            0 => messages.push(Message::new(name(0), Role::User, said("question"))),
            1 => messages.push(Message::new(name(0), Role::Assistant, said("answer"))),
            _ => {
                let calls = [format!("look{turn}"), format!("read{turn}")];
                let content = "rose ".repeat(if turn % 40 == 2 { 400 } else { 4 });
                let arguments = format!(r#"{{"path":"g{turn}.rs","content":"{content}"}}"#);
                let thought =
                    Part::Reasoning { text: "well".into(), signature: Some("seal".into()) };
                let parts = calls.iter().map(|call| Part::ToolCall {
                    call: call.as_str().into(),
                    name: "look".into(),
                    arguments: arguments.clone(),
                });
                let parts = std::iter::once(thought).chain(parts).collect();
                messages.push(Message::with_parts(name(0), Role::Assistant, parts));
                for (offset, call) in (1..).zip(&calls) {
                    let petals = if turn % 40 == 3 { 2_000 } else { 5 };
                    let text = format!("{turn} {}", "petal ".repeat(petals));
                    let result = Part::ToolResult { call: call.as_str().into(), name: None, text };
                    messages.push(Message::with_parts(name(offset), Role::Tool, vec![result]));
                }
            }
        }
    }
    messages.truncate(count);
    messages
}

fn load(count: usize, policy: impl Fn(u32) -> Policy) -> Compactor {
    let tokenizer = Box::new(CharactersPer(4));
    let mut compactor =
        Compactor::new(Policy::recommended(u32::MAX), Contract::default(), tokenizer).unwrap();
    for message in history(count) {
        compactor.append(message).unwrap();
    }
    let window = compactor.pressure().tokens / 10 * 6;
    compactor.set_policy(policy(window)).unwrap();
    compactor
}

/// What this thread has worked so far, where the system tells; what has passed, elsewhere.
fn worked(start: Instant) -> Duration {
    let schedule = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let worked = schedule.and_then(|text| text.split(' ').next()?.parse().ok());
    worked.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    let before = worked(start);
    work();
    worked(start) - before
}

/// Ten short conversations against a long one: both fill the machine's memory alike.
fn compare(what: &str, few: &mut [Compactor], many: &mut Compactor, work: fn(&mut Compactor)) {
    let (mut short, mut long) = (Duration::MAX, Duration::MAX);
    for _ in 0..RUNS {
        short = short.min(time(|| few.iter_mut().for_each(work)));
        long = long.min(time(|| work(many)));
    }
    let short = short / u32::try_from(few.len()).unwrap();
    let ratio = long.as_secs_f64() / short.as_secs_f64();
    println!("{what}: {short:.1?} for {FEW}, {long:.1?} for {MANY}, {ratio:.1} times as long");
    assert!(ratio <= AT_MOST, "{what}: {ratio:.1} times as long for ten times as many messages");
}

fn plan(compactor: &mut Compactor) {
    for _ in 0..PLANS {
        assert!(compactor.plan(Reason::Manual).tokens_after > 0);
    }
}

fn commit(compactor: &mut Compactor) {
    compactor.compact(Reason::Manual, None).unwrap();
    drive(compactor, |_| "They talked about the garden.".into());
    let outcome = &compactor.report().unwrap().outcome;
    assert!(matches!(outcome, Outcome::Applied { .. }), "{outcome:?}");
    compactor.undo().unwrap();
    drive(compactor, |_| String::new());
}

fn check(name: &str, policy: impl Fn(u32) -> Policy) {
    let mut few: Vec<Compactor> = (0..MANY / FEW).map(|_| load(FEW, &policy)).collect();
    let mut many = load(MANY, &policy);
    compare(&format!("planning by {name}"), &mut few, &mut many, plan);
    compare(&format!("committing by {name}"), &mut few, &mut many, commit);
}

#[test]
fn ten_times_as_many_messages_take_about_ten_times_as_long() {
    check("recommended", Policy::recommended);
    check("fill with prune", |window| {
        let prune =
            ReducerRule::in_compactions(Reducer::ClearToolInputs(ClearToolInputs::default()));
        let mut policy = Policy::fill_percent(window);
        policy.reducers.push(prune);
        policy
    });
    check("team", |window| Policy::preset("team", window).unwrap());
}
