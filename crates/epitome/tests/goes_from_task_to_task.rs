//! A team works on one task after the other, and each starts from a summary of the one before.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot continue should fail with a message"
)]

use crate::harness;

use epitome::message::{Audience, Message, Part, Role};
use epitome::policy::{Keep, Phase, TaskSettings, Trigger};
use epitome::tokens::CharactersPer;
use epitome::{Compactor, Contract, Failure, FailureKind, Outcome, Policy, Reason, Snapshot};
use harness::{Run, drive, next_request, shown, viewed};

const MEMBERS: [&str; 3] = ["ann", "ben", "cleo"];

fn policy() -> Policy {
    Policy { keep: Keep::Messages(4), ..Policy::recommended(4_000) }
}

fn shared_policy() -> Policy {
    let tasks = TaskSettings { shared_by: Some("ann".into()), ..TaskSettings::default() };
    Policy { tasks, ..policy() }
}

fn team(policy: Policy) -> Compactor {
    Compactor::new(policy, Contract::default(), Box::new(CharactersPer(3))).unwrap()
}

/// A request of the user, a note of ann to ben, and an answer of cleo to all, which names the task.
fn work_on(team: &mut Compactor, task: &str) {
    for turn in 0..4 {
        let id = |kind: &str| format!("{task}-{kind}{turn}");
        let asked = format!("please do step {turn} of the {task} with all that belongs to it");
        team.append(Message::new(id("u"), Role::User, asked)).unwrap();
        let note = format!("the budget of the {task} is {turn}77 euros, says the private note");
        let note = Message::new(id("n"), Role::Assistant, note);
        let audience = Audience::Agents(vec!["ben".into()]);
        team.append(Message { author: Some("ann".into()), audience, ..note }).unwrap();
        let answer = format!("step {turn} of the {task} is complete, and checked by the team");
        let answer = Message::new(id("a"), Role::Assistant, answer);
        team.append(Message { author: Some("cleo".into()), ..answer }).unwrap();
    }
}

/// Goes on to the next task if that is due; `answer` is the summary.
fn start_next(compactor: &mut Compactor, answer: &str) -> Option<Run> {
    let reason = compactor.check(Phase::TurnEnd)?;
    assert_eq!(reason, Reason::TaskTransition);
    compactor.compact(reason, None).unwrap();
    Some(drive(compactor, |_| answer.to_owned()))
}

fn is_applied(compactor: &Compactor) -> bool {
    matches!(compactor.report().unwrap().outcome, Outcome::Applied { .. })
}

#[test]
fn f3_the_next_task_starts_from_a_summary_and_its_own_messages() {
    let mut team = team(policy());
    work_on(&mut team, "kitchen");
    assert_eq!(team.check(Phase::TurnEnd), None);
    team.complete_task("kitchen".into()).unwrap();
    team.append(Message::new("next", Role::User, "now the bath")).unwrap();
    let mut ben = team.agent("ben").unwrap();
    let run = start_next(&mut ben, "ann, ben and cleo have planned the kitchen.").unwrap();
    assert!(is_applied(&ben));
    assert!(run.requests[0].system.contains("A task is complete"));
    assert_eq!(shown(&ben), "u: SUMMARY\nu: now the bath\n");
    assert_eq!(ben.check(Phase::TurnEnd), None, "once for each task");
    ben.undo().unwrap();
    drive(&mut ben, |_| String::new());
    assert!(shown(&ben).contains("step 3 of the kitchen"));
    assert_eq!(ben.check(Phase::TurnEnd), None, "an undo is not undone");
}

#[test]
fn f3_the_completed_tasks_of_a_branch_have_their_names_and_ends() {
    let mut team = team(policy());
    team.complete_task("nothing".into()).unwrap();
    for task in ["kitchen", "bath"] {
        work_on(&mut team, task);
        team.complete_task(task.into()).unwrap();
    }
    let completed = |team: &Compactor| -> Vec<(String, usize)> {
        team.log().completed_tasks().map(|(name, end)| (name.to_owned(), end)).collect()
    };
    assert_eq!(completed(&team), [("kitchen".to_owned(), 8), ("bath".to_owned(), 16)]);
    // The notes are for ann and ben only.
    assert_eq!(completed(&team.agent("ben").unwrap())[0], ("kitchen".to_owned(), 12));
}

#[test]
fn f3_each_agent_has_a_summary_of_its_own_by_default() {
    let mut team = team(policy());
    let mut calls = 0;
    for task in ["kitchen", "bath"] {
        work_on(&mut team, task);
        team.complete_task(task.into()).unwrap();
        for name in MEMBERS {
            let mut agent = team.agent(name).unwrap();
            let run = start_next(&mut agent, &format!("{name} has planned the {task}.")).unwrap();
            calls += run.requests.len();
            let asked = format!("{:?}", run.requests);
            assert_eq!(asked.contains("private note"), name != "cleo", "{name}");
            let summary = agent.report().unwrap().summary.clone().unwrap();
            assert!(summary.starts_with(name), "{summary}");
        }
    }
    assert_eq!(calls, 2 * MEMBERS.len(), "one call an agent for each task");
}

#[test]
fn f3_f5_one_agent_writes_the_summary_that_all_share() {
    let mut team = team(shared_policy());
    let mut calls = 0;
    for task in ["kitchen", "bath"] {
        work_on(&mut team, task);
        let answer = format!("cleo has completed the {task}.");
        team.complete_task(task.into()).unwrap();
        assert_eq!(team.agent("ben").unwrap().check(Phase::TurnEnd), None, "it is not written yet");
        // The writer's settings hold for it.
        let mut writer = policy();
        writer.summary.agent = Some("large model".into());
        team.agent("ann").unwrap().set_policy(writer).unwrap();
        let run = start_next(&mut team, &answer).unwrap();
        calls += run.requests.len();
        let asked = format!("{:?}", run.requests);
        assert!(asked.contains("large model") && !asked.contains("private note"), "{asked}");
        for name in MEMBERS {
            let mut agent = team.agent(name).unwrap();
            let run = start_next(&mut agent, "nobody asks for this").unwrap();
            calls += run.requests.len();
            assert!(is_applied(&agent));
            let summary = agent.report().unwrap().summary.clone().unwrap();
            assert!(summary.starts_with(&answer), "{summary}");
            // It replaces the messages that all agents have seen, in the view of each.
            let count = if task == "kitchen" { 8 } else { 16 };
            let text = viewed(&agent)[0].text();
            assert!(text.contains(&format!("of=\"{count} earlier messages\"")), "{name}: {text}");
            // What only some have seen is kept for them as facts.
            assert_eq!(summary.contains("77 euros"), name != "cleo", "{name}: {summary}");
            assert!(
                shown(&agent).starts_with("u: SUMMARY\n") && shown(&agent).lines().count() == 1
            );
        }
    }
    assert_eq!(calls, 2, "one call for all of them, for each task");
}

#[test]
fn f5_an_earlier_summary_of_an_agents_own_stays_in_front_of_a_shared_one() {
    let mut team = team(shared_policy());
    work_on(&mut team, "kitchen");
    let mut ben = team.agent("ben").unwrap();
    ben.compact(Reason::Manual, None).unwrap();
    drive(&mut ben, |_| "ann doubts the budget of the kitchen.".into());
    drop(ben);
    for task in ["bath", "roof"] {
        work_on(&mut team, task);
        team.complete_task(task.into()).unwrap();
        start_next(&mut team, &format!("cleo has completed the {task}.")).unwrap();
        let mut ben = team.agent("ben").unwrap();
        assert!(start_next(&mut ben, "").unwrap().requests.is_empty());
        let summary = ben.report().unwrap().summary.clone().unwrap();
        let start =
            format!("ann doubts the budget of the kitchen.\n\ncleo has completed the {task}.");
        assert!(summary.starts_with(&start), "{summary}");
    }
}

#[test]
fn f5_after_a_change_of_a_message_agents_write_their_own_instead_of_the_shared_one() {
    let mut team = team(shared_policy());
    work_on(&mut team, "kitchen");
    team.complete_task("kitchen".into()).unwrap();
    start_next(&mut team, "cleo has completed the kitchen.").unwrap();
    let mut ben = team.agent("ben").unwrap();
    start_next(&mut ben, "").unwrap();
    drop(ben);
    team.edit(Message::new("kitchen-u0", Role::User, "leave the kitchen as it is")).unwrap();
    let mut cleo = team.agent("cleo").unwrap();
    let run = start_next(&mut cleo, "The kitchen stays.").unwrap();
    assert!(format!("{:?}", run.requests).contains("leave the kitchen as it is"));
    assert!(cleo.report().unwrap().summary.as_ref().unwrap().starts_with("The kitchen stays."));
}

#[test]
fn f5_settings_hold_per_agent_in_every_stage_and_can_be_changed_for_one() {
    let mut team = team(policy());
    let small = Policy { window: 2_000, ..policy() };
    team.agent("ben").unwrap().set_policy(small.clone()).unwrap();
    for (stage, task) in ["kitchen", "bath", "roof"].into_iter().enumerate() {
        work_on(&mut team, task);
        team.complete_task(task.into()).unwrap();
        for name in MEMBERS {
            start_next(&mut team.agent(name).unwrap(), "Planned.").unwrap();
        }
        let windows = MEMBERS.map(|name| team.agent(name).unwrap().policy().window);
        let cleo = if stage == 0 { 4_000 } else { 3_000 };
        assert_eq!(windows, [4_000, 2_000, cleo]);
        let other = Policy { window: 3_000, ..policy() };
        team.agent("cleo").unwrap().set_policy(other).unwrap();
    }
}

#[test]
fn f5_an_agent_learns_of_its_compaction_only_if_its_policy_says_so() {
    for notice in [None, Some("Your earlier messages were condensed into these notes.")] {
        let mut team = team(policy());
        work_on(&mut team, "kitchen");
        team.complete_task("kitchen".into()).unwrap();
        let mut policy = policy();
        policy.summary.closing = notice.map(str::to_owned);
        let mut ben = team.agent("ben").unwrap();
        ben.set_policy(policy).unwrap();
        start_next(&mut ben, "ben has planned the kitchen.").unwrap();
        let view = format!("{:?}", ben.view());
        assert_eq!(view.contains("were condensed"), notice.is_some(), "{view}");
        assert_eq!(view.matches("Insert").count(), 1, "no message besides the summary: {view}");
    }
}

#[test]
fn f3_the_lead_compacts_another_agent_and_learns_nothing_of_it() {
    let mut team = team(policy());
    work_on(&mut team, "kitchen");
    let before = shown(&team.agent("cleo").unwrap());
    // What the lead's model asks for is carried out in the view of the other agent, by that agent's settings.
    let mut ben = team.agent("ben").unwrap();
    ben.compact(Reason::Manual, Some("cleo asks to keep the measures".into())).unwrap();
    let run = drive(&mut ben, |_| "ann has told ben the budget: 177 euros.".into());
    assert!(run.requests[0].system.contains("cleo asks to keep the measures"));
    assert!(shown(&ben).contains("SUMMARY"));
    drop(ben);
    let cleo = team.agent("cleo").unwrap();
    assert_eq!(shown(&cleo), before);
    assert!(cleo.report().is_none() && !format!("{:?}", cleo.log().records()).contains("budget"));
}

#[test]
fn f3_a_call_that_is_open_when_its_task_ends_stays_with_its_result() {
    let mut team = team(policy());
    work_on(&mut team, "kitchen");
    let call = Part::ToolCall { call: "c".into(), name: "order".into(), arguments: "{}".into() };
    team.append(Message::with_parts("call", Role::Assistant, vec![call])).unwrap();
    team.complete_task("kitchen".into()).unwrap();
    let result = Part::ToolResult { call: "c".into(), name: None, text: "ordered".into() };
    team.append(Message::with_parts("result", Role::Tool, vec![result])).unwrap();
    start_next(&mut team, "cleo has completed the kitchen.").unwrap();
    assert!(is_applied(&team));
    assert_eq!(shown(&team), "u: SUMMARY\na: !c\nt: =c<ordered>\n");
}

#[test]
fn f3_a_transition_is_tried_again_after_a_failure_and_not_after_it_saved_nothing() {
    let mut one = team(policy());
    work_on(&mut one, "kitchen");
    one.complete_task("kitchen".into()).unwrap();
    one.compact(one.due(Phase::TurnEnd).unwrap(), None).unwrap();
    let request = next_request(&mut one);
    let failure = Failure { kind: FailureKind::Permanent, message: "no".into() };
    one.handle_failure(request.id, failure, Default::default());
    drive(&mut one, |_| String::new());
    assert_eq!(one.check(Phase::TurnEnd), None, "paused");
    one.append(Message::new("next", Role::User, "now the bath")).unwrap();
    assert!(start_next(&mut one, "Planned.").is_some());
    // A task of one short message costs less than its summary.
    one.complete_task("nothing".into()).unwrap();
    let mut other = team(policy());
    other.append(Message::new("u", Role::User, "hi")).unwrap();
    other.complete_task("greeting".into()).unwrap();
    let reason = other.check(Phase::TurnEnd).unwrap();
    other.compact(reason, None).unwrap();
    drive(&mut other, |_| String::new());
    assert!(matches!(other.report().unwrap().outcome, Outcome::Skipped { .. }));
    assert_eq!(other.check(Phase::TurnEnd), None);
    assert!(!format!("{:?}", other.compact(Reason::Threshold, None)).contains("Exhausted"));
}

#[test]
fn f3_tasks_are_stored_and_go_on_after_a_restore() {
    let mut team = team(shared_policy());
    work_on(&mut team, "kitchen");
    team.complete_task("kitchen".into()).unwrap();
    start_next(&mut team, "cleo has completed the kitchen.").unwrap();
    start_next(&mut team.agent("ben").unwrap(), "").unwrap();
    work_on(&mut team, "bath");
    let lines = team.snapshot().to_json_lines().unwrap();
    let snapshot = Snapshot::from_json_lines(&lines).unwrap();
    let mut again =
        Compactor::restore(snapshot, Contract::default(), Box::new(CharactersPer(3))).unwrap();
    assert_eq!(again.agent("ben").unwrap().check(Phase::TurnEnd), None);
    assert!(start_next(&mut again.agent("cleo").unwrap(), "").unwrap().requests.is_empty());
    for name in ["ben", "cleo"] {
        let view = shown(&again.agent(name).unwrap());
        assert!(view.starts_with("u: SUMMARY\nu: please do step 0 of the bath"), "{name}: {view}");
    }
}

/// How often each layer worked in 240 messages of one agent with long results of tools, and a task every 40 messages.
fn layers(truncates: bool, summarizes: bool) -> [usize; 3] {
    let mut policy = Policy::preset("team", 1_500).unwrap();
    policy.tasks.min_tokens = 1_400;
    policy.min_saving = 0.0;
    // The window alone decides, so that the layers differ only by what they save.
    policy.triggers.retain(|trigger| summarizes && !matches!(trigger, Trigger::Messages(_)));
    policy.keep = Keep::Messages(6);
    for rule in &mut policy.reducers {
        if let epitome::policy::Reducer::TruncateToolResults(truncate) = &mut rule.reducer {
            truncate.steps.iter_mut().for_each(|step| step.max_tokens = 20);
        }
    }
    if !truncates {
        policy.reducers.clear();
    }
    let mut team = team(policy);
    let mut counts = [0, 0, 0];
    for round in 0..120 {
        let mut agent = team.agent("ann").unwrap();
        while let Some(reason) = agent.check(Phase::TurnStart) {
            agent.compact(reason, None).unwrap();
            let run = drive(&mut agent, |_| "ann has looked at the files.".into());
            let layer = match reason {
                _ if run.requests.is_empty() => 0,
                Reason::TaskTransition => 2,
                _ => 1,
            };
            counts[layer] += usize::from(is_applied(&agent));
            if !is_applied(&agent) && reason != Reason::Reduce {
                break;
            }
        }
        drop(agent);
        let call = format!("c{round}");
        let called = Part::ToolCall {
            call: call.as_str().into(),
            name: "look".into(),
            arguments: "{}".into(),
        };
        let text = format!("file {round}: {}", "line ".repeat(40));
        let result = Part::ToolResult { call: call.as_str().into(), name: None, text };
        team.append(Message::with_parts(format!("a{round}"), Role::Assistant, vec![called]))
            .unwrap();
        team.append(Message::with_parts(format!("t{round}"), Role::Tool, vec![result])).unwrap();
        if round % 20 == 19 {
            team.complete_task(format!("task {round}")).unwrap();
        }
    }
    let shown = team.agent("ann").unwrap().log().layers();
    let shown = [shown.reduced, shown.summarized, shown.transitions].map(|count| count as usize);
    assert_eq!(shown, counts);
    counts
}

#[test]
fn f2_three_layers_have_thresholds_of_their_own_and_earlier_ones_make_later_ones_rarer() {
    assert_eq!(layers(false, false), [0, 0, 5]);
    let [truncated, summarized, _] = layers(true, true);
    let [none, summarized_alone, _] = layers(false, true);
    assert!(truncated > 0 && none == 0);
    assert!(summarized < summarized_alone, "{summarized} of {summarized_alone} summaries");
    let tasks = |truncates, summarizes| layers(truncates, summarizes)[2];
    let (alone, truncating, summarizing) =
        (tasks(false, false), tasks(true, false), tasks(false, true));
    assert!(truncating < alone, "{truncating} of {alone} tasks");
    assert!(summarizing < alone, "{summarizing} of {alone} tasks");
}

#[test]
fn f3_a_compaction_without_effect_does_not_end_the_wait_for_a_shared_summary() {
    let mut team = team(shared_policy());
    work_on(&mut team, "kitchen");
    team.complete_task("kitchen".into()).unwrap();
    team.compact(Reason::Reduce, None).unwrap();
    drive(&mut team, |_| panic!("a summarizer was asked"));
    assert!(matches!(team.report().unwrap().outcome, Outcome::Skipped { .. }));
    assert_eq!(team.agent("ben").unwrap().check(Phase::TurnEnd), None, "it is not written yet");
}

#[test]
fn a_task_of_just_the_least_tokens_is_summarized() {
    let check = |min_tokens| {
        let tasks = TaskSettings { min_tokens, shared_by: None };
        let mut compactor = team(Policy { tasks, ..policy() });
        compactor.append(Message::new("u", Role::User, "please do the kitchen")).unwrap();
        compactor.append(Message::new("a", Role::Assistant, "the kitchen is done")).unwrap();
        let tokens = compactor.pressure().tokens;
        compactor.complete_task("kitchen".into()).unwrap();
        (tokens, compactor.check(Phase::TurnEnd))
    };
    let (tokens, due) = check(0);
    assert_eq!(due, Some(Reason::TaskTransition));
    assert_eq!(check(tokens), (tokens, Some(Reason::TaskTransition)));
    assert_eq!(check(tokens + 1), (tokens, None));
}

#[test]
fn a_task_that_was_too_small_stays_as_it_is_with_a_smaller_limit_too() {
    let tasks = TaskSettings { min_tokens: 5_000, ..TaskSettings::default() };
    let mut compactor = team(Policy { tasks, ..policy() });
    work_on(&mut compactor, "kitchen");
    compactor.complete_task("kitchen".into()).unwrap();
    assert_eq!(compactor.check(Phase::TurnEnd), None);
    compactor.set_policy(policy()).unwrap();
    assert_eq!(compactor.check(Phase::TurnEnd), None, "it is passed over");
    work_on(&mut compactor, "bath");
    compactor.complete_task("bath".into()).unwrap();
    assert_eq!(
        compactor.check(Phase::TurnEnd),
        Some(Reason::TaskTransition),
        "the next one counts"
    );
}

#[test]
fn the_shared_summary_of_a_task_holds_after_a_change_behind_the_task() {
    let mut team = team(shared_policy());
    work_on(&mut team, "kitchen");
    team.complete_task("kitchen".into()).unwrap();
    team.append(Message::new("behind", Role::User, "and the bath?")).unwrap();
    start_next(&mut team, "cleo has completed the kitchen.").unwrap();
    team.edit(Message::new("behind", Role::User, "and the roof?")).unwrap();
    let mut ben = team.agent("ben").unwrap();
    // Another compaction of the agent has a summary of its own.
    ben.compact(Reason::Manual, None).unwrap();
    next_request(&mut ben);
    ben.cancel();
    drive(&mut ben, |_| String::new());
    assert!(start_next(&mut ben, "").unwrap().requests.is_empty(), "the shared one is there");
    assert!(ben.report().unwrap().summary.as_ref().unwrap().starts_with("cleo has completed"));
}

#[test]
fn a_pinned_message_stays_in_front_of_a_shared_summary_and_is_not_one_of_those_it_stands_for() {
    let mut team = team(shared_policy());
    let limit = Message::new("limit", Role::User, "never name the budget");
    team.append(Message { pinned: true, ..limit }).unwrap();
    work_on(&mut team, "kitchen");
    team.complete_task("kitchen".into()).unwrap();
    start_next(&mut team, "cleo has completed the kitchen.").unwrap();
    let mut ben = team.agent("ben").unwrap();
    start_next(&mut ben, "").unwrap();
    let view: Vec<String> = viewed(&ben).iter().map(Message::text).collect();
    assert!(view.contains(&"never name the budget".to_owned()), "{view:?}");
    assert!(view.iter().any(|text| text.contains("of=\"8 earlier messages\"")), "{view:?}");
}
