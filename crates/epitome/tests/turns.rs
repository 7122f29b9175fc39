//! The order of the tasks in a turn. The npm package runs the same scenarios.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should stop")]

use std::collections::VecDeque;

use epitome::message::{Message, Part, Role, Usage};
use epitome::tokens::CharactersPer;
use epitome::turn::{ContextPart, Reply, Turn, TurnOptions, TurnTask, Verdict};
use epitome::{Compactor, Contract, Outcome, Output, Policy};
use serde::Deserialize;
use serde_json::{Value, json};

const SCENARIOS: &str = include_str!("../../../tests/fixtures/turns.json");

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Scenario {
    name: String,
    /// What each middleware answers, one answer for each time that it is asked; `continue` after the last.
    #[serde(default)]
    middleware: Vec<Answers>,
    #[serde(default)]
    transforms: usize,
    #[serde(default)]
    providers: usize,
    /// True for a conversation above its threshold.
    #[serde(default)]
    filled: bool,
    /// True for a policy without triggers.
    #[serde(default)]
    manual: bool,
    max_steps: Option<u32>,
    max_retries: Option<u32>,
    replies: VecDeque<String>,
    tasks: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Answers {
    before: VecDeque<String>,
    after: VecDeque<String>,
}

impl Scenario {
    fn compactor(&self) -> Compactor {
        let mut policy = Policy::recommended(1_000);
        policy.reducers.clear();
        if self.manual {
            policy.triggers.clear();
        }
        let tokenizer = Box::new(CharactersPer(4));
        let mut compactor = Compactor::new(policy, Contract::default(), tokenizer).unwrap();
        for number in 0..if self.filled { 20 } else { 0 } {
            let role = if number % 2 == 0 { Role::User } else { Role::Assistant };
            let text = format!("Message {number}. ").repeat(13);
            compactor.append(Message::new(format!("m{number}"), role, text)).unwrap();
        }
        compactor.append(Message::new("last", Role::User, "What now?")).unwrap();
        compactor
    }

    fn verdict(&mut self, place: &str, index: usize) -> Verdict {
        let answers = self.middleware.get_mut(index).unwrap();
        let answers = if place == "before" { &mut answers.before } else { &mut answers.after };
        match answers.pop_front().as_deref() {
            None | Some("continue") => Verdict::Continue,
            Some("compact") => {
                Verdict::Compact { metadata: json!({ "by": format!("{place} {index}") }) }
            }
            Some("stop") => Verdict::Stop,
            Some(other) => panic!("{other}"),
        }
    }

    /// The tasks of the turn, as the scenarios write them.
    fn run(&mut self) -> Vec<String> {
        let mut compactor = self.compactor();
        let defaults = TurnOptions::default();
        let options = TurnOptions {
            middleware: self.middleware.len(),
            transforms: self.transforms,
            providers: self.providers,
            max_steps: self.max_steps.unwrap_or(defaults.max_steps),
            max_retries: self.max_retries.unwrap_or(defaults.max_retries),
        };
        let mut turn = Turn::new(options, &compactor);
        let (mut tasks, mut sent) = (Vec::new(), 0);
        loop {
            let task = turn.poll(&mut compactor);
            assert_eq!(turn.poll(&mut compactor), task, "polled twice");
            tasks.push(written(&task));
            match task {
                TurnTask::Before(index) => {
                    turn.handle_verdict(self.verdict("before", index)).unwrap();
                }
                TurnTask::After(index) => {
                    turn.handle_verdict(self.verdict("after", index)).unwrap();
                }
                TurnTask::Transform(_) | TurnTask::Provide(_) => turn.handle_done().unwrap(),
                TurnTask::Count => {
                    let identity = Message::new("", Role::User, "The user is Ada.");
                    let provided = std::iter::repeat_n(&identity, self.providers);
                    compactor.set_request_context(provided, []);
                    turn.handle_done().unwrap();
                }
                TurnTask::Compact { reason, .. } => {
                    compactor.compact(reason, None).unwrap();
                    drive(&mut compactor);
                    let outcome = &compactor.report().unwrap().outcome;
                    turn.handle_compaction(matches!(outcome, Outcome::Applied { .. })).unwrap();
                }
                TurnTask::Reset(_) => turn.handle_done().unwrap(),
                TurnTask::Send => {
                    sent += 1;
                    match self.replies.pop_front().unwrap().as_str() {
                        "overflow" => turn.handle_overflow().unwrap(),
                        "calls" => {
                            append_calls(&mut compactor, sent);
                            turn.handle_reply(Reply::Calls).unwrap();
                        }
                        "final" => {
                            let id = format!("answer{sent}");
                            let answer = Message::new(id, Role::Assistant, "Done.");
                            compactor.append(answer).unwrap();
                            turn.handle_reply(Reply::Final).unwrap();
                        }
                        other => panic!("{other}"),
                    }
                }
                TurnTask::End(_) => return tasks,
            }
        }
    }
}

fn append_calls(compactor: &mut Compactor, sent: u32) {
    let call = Part::ToolCall {
        call: format!("c{sent}").into(),
        name: "look".to_owned(),
        arguments: "{}".to_owned(),
    };
    let calls = Message::with_parts(format!("calls{sent}"), Role::Assistant, vec![call]);
    compactor.append(calls).unwrap();
    let (call, text) = (format!("c{sent}").into(), "found".to_owned());
    let result = Part::ToolResult { call, name: None, text };
    let result = Message::with_parts(format!("result{sent}"), Role::Tool, vec![result]);
    compactor.append(result).unwrap();
}

fn written(task: &TurnTask) -> String {
    let kebab = |value: &dyn std::fmt::Debug| {
        let mut text = String::new();
        for letter in format!("{value:?}").chars() {
            if letter.is_uppercase() && !text.is_empty() {
                text.push('-');
            }
            text.extend(letter.to_lowercase());
        }
        text
    };
    match task {
        TurnTask::Before(index) => format!("before {index}"),
        TurnTask::Transform(index) => format!("transform {index}"),
        TurnTask::Provide(index) => format!("provide {index}"),
        TurnTask::Count => "count".to_owned(),
        TurnTask::Compact { reason, metadata: None } => format!("compact {}", kebab(reason)),
        TurnTask::Compact { reason, metadata: Some(metadata) } => {
            format!("compact {} {metadata}", kebab(reason))
        }
        TurnTask::Reset(reason) => format!("reset {}", kebab(reason)),
        TurnTask::Send => "send".to_owned(),
        TurnTask::After(index) => format!("after {index}"),
        TurnTask::End(end) => format!("end {}", kebab(end)),
    }
}

fn drive(compactor: &mut Compactor) {
    loop {
        match compactor.poll_output() {
            Output::Before(_) => compactor.proceed().unwrap(),
            Output::Summarize(request) => compactor.handle_summary(request.id, "They have talked."),
            Output::Persist(_) => compactor.handle_persisted().unwrap(),
            Output::Save(_) | Output::Changed | Output::Event(_) | Output::Continue => {}
            Output::Wait(_) => return,
        }
    }
}

fn check(row: &str) {
    let scenarios: Vec<Scenario> = serde_json::from_str(SCENARIOS).unwrap();
    let mut checked = 0;
    for mut scenario in scenarios.into_iter().filter(|one| one.name.contains(row)) {
        assert_eq!(scenario.run(), scenario.tasks, "{}", scenario.name);
        checked += 1;
    }
    assert!(checked > 0);
}

#[test]
fn g1_middleware_continues_compacts_or_stops_before_and_after_each_step() {
    check("g1");
}

#[test]
fn g2_providers_come_in_order_for_every_request() {
    check("g2");
}

#[test]
fn g3_transforms_come_from_left_to_right_before_the_providers() {
    check("g3");
}

#[test]
fn g6_after_a_compaction_the_middleware_is_reset_with_its_reason() {
    check("g6");
}

#[test]
fn b9_a_prompt_that_is_too_long_is_compacted_and_sent_again() {
    check("b9");
}

#[test]
fn a_turn_has_a_limit_of_steps() {
    check("most steps");
}

#[test]
fn g6_the_numbers_of_steps_and_sessions_go_on_after_a_compaction() {
    let mut scenarios: Vec<Scenario> = serde_json::from_str(SCENARIOS).unwrap();
    let scenario =
        scenarios.iter_mut().find(|one| one.name.contains("g1: a middleware compacts a")).unwrap();
    let mut compactor = scenario.compactor();
    let options = TurnOptions { middleware: 1, ..TurnOptions::default() };
    let mut turn = Turn::new(options, &compactor);
    let mut seen = Vec::new();
    while !matches!(turn.poll(&mut compactor), TurnTask::End(_)) {
        match turn.poll(&mut compactor) {
            TurnTask::After(_) => {
                seen.push((turn.step(), compactor.session()));
                turn.handle_verdict(scenario.verdict("after", 0)).unwrap();
            }
            TurnTask::Before(_) => turn.handle_verdict(Verdict::Continue).unwrap(),
            TurnTask::Compact { reason, .. } => {
                compactor.compact(reason, None).unwrap();
                drive(&mut compactor);
                turn.handle_compaction(true).unwrap();
            }
            TurnTask::Send if turn.step() == 1 => {
                append_calls(&mut compactor, 1);
                turn.handle_reply(Reply::Calls).unwrap();
            }
            TurnTask::Send => turn.handle_reply(Reply::Final).unwrap(),
            _ => turn.handle_done().unwrap(),
        }
    }
    assert_eq!(seen, [(1, 1), (2, 2)]);
}

#[test]
fn a_result_that_belongs_to_another_task_is_refused() {
    let scenario = Scenario { middleware: vec![Answers::default()], ..empty() };
    let mut compactor = scenario.compactor();
    let options = TurnOptions { middleware: 1, ..TurnOptions::default() };
    let mut turn = Turn::new(options, &compactor);
    assert!(matches!(turn.poll(&mut compactor), TurnTask::Before(0)));
    assert!(turn.handle_done().is_err());
    assert!(turn.handle_compaction(true).is_err());
    assert!(turn.handle_reply(Reply::Final).is_err());
    assert!(turn.handle_overflow().is_err());
    turn.handle_verdict(Verdict::Continue).unwrap();
    assert!(turn.handle_verdict(Verdict::Continue).is_err());
}

fn empty() -> Scenario {
    let value: Value = json!({ "name": "", "replies": [], "tasks": [] });
    serde_json::from_value(value).unwrap()
}

/// What providers add counts before and after the provider's own count, and in a plan.
#[test]
fn g2_what_providers_add_is_counted_in_status_and_plan_and_never_stored() {
    let mut compactor = Scenario { filled: true, ..empty() }.compactor();
    let records = compactor.log().records().len();
    let tokens = |compactor: &Compactor| compactor.pressure().tokens;
    let (before, planned) = (tokens(&compactor), compactor.plan(Default::default()));
    let snapshot = Message::new("", Role::User, "x".repeat(400));
    let cost = compactor.conversation().meter().measure(&snapshot).tokens.get();
    compactor.set_request_context([&snapshot], []);
    assert_eq!(tokens(&compactor), before + cost);
    assert_eq!(compactor.pressure().breakdown.context, cost);
    let plan = compactor.plan(Default::default());
    assert_eq!(plan.tokens_before, planned.tokens_before + cost);
    assert!(plan.tokens_after <= compactor.pressure().target);
    assert!(plan.tail_start > planned.tail_start, "the tail gives way");

    // The provider's count has them already; a request with others differs from it by the difference.
    compactor.append(Message::new("answer", Role::Assistant, "Done.")).unwrap();
    let answer = 40;
    let usage =
        Usage { prompt_tokens: before + cost, completion_tokens: answer, ..Usage::default() };
    compactor.handle_usage(usage);
    assert_eq!(tokens(&compactor), before + cost + answer);
    compactor.set_request_context([&snapshot, &snapshot], []);
    assert_eq!(tokens(&compactor), before + 2 * cost + answer);
    compactor.set_request_context([], []);
    assert_eq!(tokens(&compactor), before + answer);
    assert_eq!(compactor.log().records().len(), records + 1);
    let left_out: Vec<Message> = compactor.log().messages().take(1).cloned().collect();
    compactor.set_request_context([], &left_out);
    assert!(tokens(&compactor) < before + answer);
}

#[test]
fn g2_the_usual_context_begins_with_who_and_when_and_ends_with_the_workspace() {
    let names = ContextPart::ALL.map(ContextPart::as_str);
    assert_eq!(names, ["identity", "date", "memory", "knowledge", "skills", "workspace"]);
    assert_eq!(ContextPart::Date.message(" \n"), None);
    let message = ContextPart::Date.message("It is Friday.").unwrap();
    assert_eq!((message.role, message.text().as_str()), (Role::User, "It is Friday."));
}
