//! Appending, planning and compacting do work in proportion to the number of messages, not to its square.
//!
//! The test counts work instead of time, so that it gives the same answer on every machine: the characters that
//! the tokenizer is asked to count, its calls, and the allocations of this thread with their bytes. Work that
//! neither counts text nor allocates, such as a search through all messages, is not seen here; `cargo xtask bench`
//! measures the time of both.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot go on should stop, and say what it saw"
)]
#![expect(unsafe_code, reason = "only an allocator of our own can count allocations")]

mod harness;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use epitome::message::{Audience, Message, Part, Role};
use epitome::policy::{ClearToolInputs, Reducer, ReducerRule};
use epitome::tokens::{CharactersPer, Tokenizer};
use epitome::{Compactor, Contract, Outcome, Output, Policy, Reason};
use harness::drive;

/// Powers of two: a buffer that doubles when it is full then grows by the same factor as the conversation.
const FEW: usize = 1 << 10;
const MANY: usize = FEW * TIMES;
const TIMES: usize = 8;

/// The most that [`TIMES`] as many messages may cost: an eighth more than in proportion.
const AT_MOST: u64 = TIMES as u64 + 1;

/// What one call allocates whatever the number of messages, so that small counts do not fail by chance.
const CONSTANT: u64 = 64;

/// How much work this thread has done so far.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    characters: u64,
    counts: u64,
    allocations: u64,
    bytes: u64,
}

impl Work {
    const NONE: Self = Self { characters: 0, counts: 0, allocations: 0, bytes: 0 };

    fn since(self, before: Self) -> [(&'static str, u64); 4] {
        [
            ("characters counted", self.characters - before.characters),
            ("texts counted", self.counts - before.counts),
            ("allocations", self.allocations - before.allocations),
            ("bytes allocated", self.bytes - before.bytes),
        ]
    }
}

thread_local! {
    static WORK: Cell<Work> = const { Cell::new(Work::NONE) };
}

/// Adds to the work of this thread.
fn record(add: impl FnOnce(&mut Work)) {
    // A thread that ends still frees memory after its thread-locals are gone.
    let _ = WORK.try_with(|work| {
        let mut sum = work.get();
        add(&mut sum);
        work.set(sum);
    });
}

/// The system's allocator, which also counts.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call is passed on to the system's allocator unchanged. `record` does not allocate, since its
// thread-local has a constant initial value and no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        record(|work| {
            work.allocations += 1;
            work.bytes += layout.size() as u64;
        });
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, and `pointer` came from the same allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // All of the new size: the old content may have to be copied.
        record(|work| {
            work.allocations += 1;
            work.bytes += size as u64;
        });
        // SAFETY: the caller keeps the contract of `realloc`, and `pointer` came from the same allocator.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Counts four characters as a token, and records how much text it was given.
struct CountedTokenizer;

impl Tokenizer for CountedTokenizer {
    fn count(&self, text: &str) -> u32 {
        record(|work| {
            work.counts += 1;
            work.characters += text.len() as u64;
        });
        CharactersPer(4).count(text)
    }

    fn error_band(&self) -> f64 {
        CharactersPer(4).error_band()
    }
}

/// A conversation with two tool calls in every other answer: some with long arguments, some with long results.
fn conversation(count: usize) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::with_capacity(count + 3);
    while messages.len() < count {
        let turn = messages.len();
        let sentence = |text: &str| format!("{text} number {turn} about src/garden-{turn}.rs");
        let id = |offset: usize| format!("m{}", turn + offset);
        match turn % 4 {
            0 => messages.push(Message::new(id(0), Role::User, sentence("question"))),
            1 => messages.push(Message::new(id(0), Role::Assistant, sentence("answer"))),
            _ => {
                let calls = [format!("look{turn}"), format!("read{turn}")];
                let content = "rose ".repeat(if turn % 40 == 2 { 400 } else { 4 });
                let arguments = format!(r#"{{"path":"g{turn}.rs","content":"{content}"}}"#);
                let reasoning =
                    Part::Reasoning { text: "well".into(), signature: Some("signature".into()) };
                let parts = calls.iter().map(|call| Part::ToolCall {
                    call: call.as_str().into(),
                    name: "look".into(),
                    arguments: arguments.clone(),
                });
                let parts = std::iter::once(reasoning).chain(parts).collect();
                messages.push(Message::with_parts(id(0), Role::Assistant, parts));
                for (offset, call) in (1..).zip(&calls) {
                    let words = if turn % 40 == 3 { 2_000 } else { 5 };
                    let text = format!("{turn} {}", "petal ".repeat(words));
                    let result = Part::ToolResult { call: call.as_str().into(), name: None, text };
                    messages.push(Message::with_parts(id(offset), Role::Tool, vec![result]));
                }
            }
        }
    }
    messages.truncate(count);
    messages
}

fn empty() -> Compactor {
    let policy = Policy::recommended(u32::MAX);
    Compactor::new(policy, Contract::default(), Box::new(CountedTokenizer)).unwrap()
}

fn append(compactor: &mut Compactor, messages: Vec<Message>) {
    for message in messages {
        compactor.append(message).unwrap();
    }
}

fn plan(compactor: &mut Compactor) {
    assert!(compactor.plan(Reason::Manual).tokens_after > 0);
}

fn compact(compactor: &mut Compactor) {
    compactor.compact(Reason::Manual, None).unwrap();
    drive(compactor, |_| "They talked about the garden.".into());
    let outcome = &compactor.report().unwrap().outcome;
    assert!(matches!(outcome, Outcome::Applied { .. }), "{outcome:?}");
}

fn undo(compactor: &mut Compactor) {
    compactor.undo().unwrap();
    drive(compactor, |_| String::new());
}

fn work_of(work: impl FnOnce()) -> [(&'static str, u64); 4] {
    let before = WORK.get();
    work();
    WORK.get().since(before)
}

/// Something to do with a compactor, and its name in messages.
type Operation = (&'static str, fn(&mut Compactor));

/// Works on a conversation of this length, and gives the work of each operation.
fn work_on(
    count: usize,
    policy: impl Fn(u32) -> Policy,
) -> Vec<(&'static str, [(&'static str, u64); 4])> {
    let messages = conversation(count);
    let mut compactor = empty();
    let appending = work_of(|| append(&mut compactor, messages));
    let window = compactor.pressure().tokens / 10 * 6;
    compactor.set_policy(policy(window)).unwrap();
    let operations: [Operation; 4] = [
        ("the first plan", plan),
        // The first one leaves an index of the messages behind.
        ("the next plan", plan),
        ("compacting", compact),
        ("undoing", undo),
    ];
    let others = operations.map(|(name, operation)| (name, work_of(|| operation(&mut compactor))));
    std::iter::once(("appending", appending)).chain(others).collect()
}

fn check(name: &str, policy: impl Fn(u32) -> Policy) {
    let few = work_on(FEW, &policy);
    let many = work_on(MANY, &policy);
    for ((operation, few), (_, many)) in few.into_iter().zip(many) {
        for ((unit, few), (_, many)) in few.into_iter().zip(many) {
            println!("{name}, {operation}: {few} {unit} for {FEW} messages, {many} for {MANY}");
            assert!(
                many <= AT_MOST * few.max(CONSTANT),
                "{name}, {operation}: {few} {unit} for {FEW} messages, but {many} for {MANY}, \
                 which is more than {AT_MOST} times as many",
            );
        }
    }
}

#[test]
fn recommended_does_work_in_proportion_to_the_number_of_messages() {
    check("recommended", Policy::recommended);
}

#[test]
fn fill_with_cleared_tool_inputs_does_work_in_proportion_to_the_number_of_messages() {
    check("fill, clearing tool inputs", |window| {
        let clear =
            ReducerRule::in_compactions(Reducer::ClearToolInputs(ClearToolInputs::default()));
        let mut policy = Policy::fill_percent(window);
        policy.reducers.push(clear);
        policy
    });
}

#[test]
fn team_does_work_in_proportion_to_the_number_of_messages() {
    check("team", |window| Policy::preset("team", window).unwrap());
}

/// Checks the work for a few and for [`TIMES`] as many.
fn check_work(name: &str, work: impl Fn(usize) -> [(&'static str, u64); 4]) {
    for ((unit, few), (_, many)) in work(FEW).into_iter().zip(work(MANY)) {
        println!("{name}: {few} {unit} for {FEW}, {many} for {MANY}");
        assert!(
            many <= AT_MOST * few.max(CONSTANT),
            "{name}: {few} {unit} for {FEW}, but {many} for {MANY}",
        );
    }
}

#[test]
fn j13_a_long_last_answer_is_not_read_again_for_each_chunk() {
    check_work("a long last answer", |count| {
        let text = "a question about roses ".repeat(10);
        let ask = |turn: usize| Message::new(format!("m{turn}"), Role::User, text.as_str());
        let mut messages: Vec<Message> = (0..count).map(ask).collect();
        messages.push(Message::new("long", Role::Assistant, "petal ".repeat(count * 20)));
        let mut policy = Policy::recommended(u32::MAX);
        policy.summary.chunk_characters = Some(2_000);
        policy.keep = epitome::policy::Keep::Messages(1);
        let mut compactor =
            Compactor::new(policy, Contract::default(), Box::new(CountedTokenizer)).unwrap();
        append(&mut compactor, messages);
        work_of(|| compact(&mut compactor))
    });
}

#[test]
fn j13_many_calls_in_one_message_cost_no_more_than_in_many() {
    check_work("parallel calls", |count| {
        let id = |turn: usize| format!("call{turn}");
        let calls = (0..count).map(|turn| Part::ToolCall {
            call: id(turn).into(),
            name: "look".into(),
            arguments: "{}".into(),
        });
        let calls = Message::with_parts("calls", Role::Assistant, calls.collect());
        let results = (0..count).map(|turn| {
            let result = Part::ToolResult { call: id(turn).into(), name: None, text: "it".into() };
            Message::with_parts(format!("r{turn}"), Role::Tool, vec![result])
        });
        let mut compactor = empty();
        let asked = Message::new("asked", Role::User, "look at everything");
        let messages: Vec<Message> = [asked, calls].into_iter().chain(results).collect();
        work_of(|| {
            append(&mut compactor, messages);
            assert!(compactor.view().findings.is_empty());
        })
    });
}

/// The most bytes that one call allocates while a conversation of so many messages of 10,000 characters is compacted.
fn largest_call(count: usize) -> u64 {
    let text = "petal ".repeat(10_000 / 6);
    let message = |turn: usize| {
        let role = if turn.is_multiple_of(2) { Role::User } else { Role::Assistant };
        Message::new(format!("m{turn}"), role, text.as_str())
    };
    let mut compactor = empty();
    let mut policy = compactor.policy().clone();
    policy.keep = epitome::policy::Keep::Messages(1);
    compactor.set_policy(policy).unwrap();
    append(&mut compactor, (0..count).map(message).collect());
    let mut largest = 0;
    let mut measure = |work: &mut dyn FnMut()| {
        let [.., (_, bytes)] = work_of(work);
        largest = largest.max(bytes);
    };
    measure(&mut || compactor.compact(Reason::Manual, None).unwrap());
    loop {
        let mut output = Output::Continue;
        measure(&mut || output = compactor.poll_output());
        measure(&mut || match &output {
            Output::Before(_) => compactor.proceed().unwrap(),
            Output::Summarize(request) => compactor.handle_summary(request.id, "They gardened."),
            Output::Persist(_) => compactor.handle_persisted().unwrap(),
            _ => {}
        });
        if let Output::Wait(_) = output {
            break;
        }
    }
    let outcome = &compactor.report().unwrap().outcome;
    assert!(matches!(outcome, Outcome::Applied { .. }), "{outcome:?}");
    largest
}

#[test]
fn j24_no_call_of_a_compaction_does_more_for_a_longer_conversation() {
    let (few, many) = (largest_call(128), largest_call(128 * TIMES));
    println!("the largest call: {few} bytes for 128 messages, {many} for {}", 128 * TIMES);
    // A few bytes for each message, of 10,000 that it has.
    assert!(many <= few + 128 * TIMES as u64 * 1_000, "{few} bytes, but {many}");
    assert!(many < 128 * TIMES as u64 * 10_000 / 2, "{many} bytes: half of the conversation");
}

#[test]
fn j10_an_edit_of_the_last_message_costs_that_message() {
    check_work("streaming an answer by edits", |count| {
        let mut compactor = empty();
        append(&mut compactor, conversation(count));
        compactor.append(Message::new("answer", Role::Assistant, "")).unwrap();
        work_of(|| {
            for turn in 0..count {
                let text = format!("answer number {turn}");
                compactor.edit(Message::new("answer", Role::Assistant, text)).unwrap();
                assert_eq!(compactor.poll_output(), Output::Changed);
            }
        })
    });
}

#[test]
fn f1_appending_costs_the_same_with_a_thousand_agents_and_no_text_is_counted_again() {
    let private = |mut message: Message| {
        message.audience = Audience::Agents(vec!["agent7".into()]);
        message.id = format!("to-agent7-{}", message.id).as_str().into();
        message
    };
    let work = |agents: usize| {
        let mut team = empty();
        append(&mut team, conversation(FEW));
        for agent in 0..agents {
            let name = format!("agent{agent}");
            let reading = work_of(|| assert_eq!(team.agent(&name).unwrap().log().len(), FEW));
            assert_eq!(reading[0].1 + reading[1].1, 0, "texts were counted again: {reading:?}");
        }
        let more: Vec<Message> = conversation(2 * FEW).split_off(FEW);
        let aside: Vec<Message> = more.iter().cloned().map(private).collect();
        work_of(|| {
            append(&mut team, more);
            append(&mut team, aside);
        })
    };
    assert_eq!(work(0), work(1_000));
}

#[test]
fn f1_a_private_message_is_counted_once_for_all_agents_that_have_it() {
    let mut team = empty();
    let names: Vec<String> = (0..20).map(|agent| format!("agent{agent}")).collect();
    for message in conversation(FEW) {
        let audience = Audience::Agents(names.clone());
        team.append(Message { audience, ..message }).unwrap();
    }
    let reading = |team: &mut Compactor, name: &str| {
        work_of(|| assert_eq!(team.agent(name).unwrap().log().len(), FEW))
    };
    let first = reading(&mut team, "agent0");
    assert_ne!(first[0].1 + first[1].1, 0, "the first one counts: {first:?}");
    for name in &names[1..] {
        let again = reading(&mut team, name);
        assert_eq!(again[0].1 + again[1].1, 0, "{name} has counted again: {again:?}");
    }
}
