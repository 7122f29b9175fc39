//! A team of five agents with 2,000 messages, for all of them and for some.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot continue should fail with a message"
)]

use crate::harness;

use std::collections::BTreeSet;

use epitome::message::{Audience, Message, Role};
use epitome::policy::{Keep, Phase, TaskSettings, Trigger};
use epitome::tokens::CharactersPer;
use epitome::{
    Compactor, Contract, MemoryEntry, Outcome, Policy, Reason, StateEntry, StructuredState,
};
use harness::{drive, shown};

const TEAM: [&str; 5] = ["ann", "ben", "cleo", "dan", "eve"];
const MESSAGES: usize = 2_000;

fn policy() -> Policy {
    let mut policy = Policy {
        keep: Keep::Messages(6),
        triggers: vec![Trigger::Tokens(20_000)],
        ..Policy::preset("team", 30_000).unwrap()
    };
    policy.reducers.clear();
    policy
}

/// The authors and readers of a message: of each ten, seven are for all.
fn audience(number: usize) -> (usize, Option<[usize; 2]>) {
    let author = number % 5;
    (author, (number % 10 > 6).then_some([(author + 1) % 5, (author + 3) % 5]))
}

fn reads(agent: usize, number: usize) -> bool {
    let (author, readers) = audience(number);
    readers.is_none_or(|readers| author == agent || readers.contains(&agent))
}

/// A message of the team with a word of its own.
fn message(number: usize) -> Message {
    let (author, readers) = audience(number);
    let text = format!("Part word{number}x of the bridge needs {number} bolts in the north tower.");
    let audience = match readers {
        Some(readers) => Audience::Agents(readers.map(|at| TEAM[at].to_owned()).to_vec()),
        None => Audience::Everyone,
    };
    let author = Some(TEAM[author].to_owned());
    Message { author, audience, ..Message::new(format!("m{number}"), Role::Assistant, text) }
}

fn empty(policy: Policy) -> Compactor {
    Compactor::new(policy, Contract::default(), Box::new(CharactersPer(3))).unwrap()
}

fn team() -> Compactor {
    let mut team = empty(policy());
    (0..MESSAGES).for_each(|number| team.append(message(number)).unwrap());
    team
}

/// Everything that a compactor returns.
fn everything(compactor: &Compactor) -> String {
    let searchable: Vec<_> =
        (0..compactor.log().len()).map(|at| compactor.searchable(at)).collect();
    let (state, memory) = (compactor.structured_state(), compactor.memory());
    let (view, plan) = (compactor.view(), compactor.plan(Reason::Manual));
    let (report, lines) = (compactor.report(), compactor.snapshot().to_json_lines().unwrap());
    format!("{view:?} {plan:?} {report:?} {state:?} {memory:?} {searchable:?} {lines}")
}

/// The numbers of the messages whose words are in a text.
fn words(text: &str) -> BTreeSet<usize> {
    text.split("word").skip(1).filter_map(|rest| rest.split_once('x')?.0.parse().ok()).collect()
}

/// A summary with every tenth message as a line, half of them without their author.
fn summarize(request: &epitome::SummaryRequest) -> String {
    let entries = request.envelope().entries;
    let lines = entries.iter().step_by(10).enumerate().map(|(index, entry)| {
        let author = entry.speaker.split_once(' ').map_or("", |(_, author)| author);
        match index % 2 {
            0 => format!("- {}", entry.text),
            _ => format!("- {author}: {}", entry.text),
        }
    });
    format!("## Conclusions\n{}", lines.collect::<Vec<_>>().join("\n"))
}

fn compact(compactor: &mut Compactor) -> String {
    compactor.compact(Reason::Manual, None).unwrap();
    let run = drive(compactor, summarize);
    let report = compactor.report().unwrap();
    assert!(matches!(report.outcome, Outcome::Applied { .. }), "{report:?}");
    format!("{:?} {:?}", run.requests, run.events)
}

#[test]
fn f1_five_agents_read_and_compact_what_is_for_them_and_nothing_else() {
    let mut team = team();
    for (at, name) in TEAM.into_iter().enumerate() {
        let own: BTreeSet<usize> = (0..MESSAGES).filter(|number| reads(at, *number)).collect();
        let views = |team: &mut Compactor| -> Vec<String> {
            let view =
                |team: &mut Compactor, name| format!("{:?}", team.agent(name).unwrap().view());
            TEAM.map(|name| view(team, name)).to_vec()
        };
        let before = views(&mut team);
        let mut agent = team.agent(name).unwrap();
        assert_eq!(words(&shown(&agent)), own, "{name} reads all that is for it");
        let told = compact(&mut agent);
        let text = agent.searchable(0).unwrap().text;
        agent.remember(MemoryEntry { text, standing: true }).unwrap();
        let entry = StateEntry { text: agent.searchable(1).unwrap().text, ..StateEntry::default() };
        let state = StructuredState { decisions: vec![entry], ..StructuredState::default() };
        agent.set_structured_state(state).unwrap();
        let all = everything(&agent);
        drop(agent);
        for text in [told, all] {
            let others: Vec<usize> = words(&text).difference(&own).copied().collect();
            assert!(others.is_empty(), "{name} has {others:?}");
        }
        for ((other, before), after) in TEAM.iter().zip(before).zip(views(&mut team)) {
            assert!(*other == name || before == after, "the view of {other} by {name}");
        }
    }
    let shared: BTreeSet<usize> = (0..MESSAGES).filter(|at| audience(*at).1.is_none()).collect();
    assert_eq!(words(&shown(&team)), shared);
    let seen: BTreeSet<usize> =
        TEAM.into_iter().flat_map(|name| words(&everything(&team.agent(name).unwrap()))).collect();
    assert_eq!(seen.len(), MESSAGES, "together they have the log");
}

#[test]
fn f2_every_agent_compacts_by_its_own_threshold_while_the_team_writes() {
    let mut team = empty(policy());
    let mut summaries = [0; 5];
    for number in 0..MESSAGES {
        team.append(message(number)).unwrap();
        for (at, name) in TEAM.into_iter().enumerate() {
            let mut agent = team.agent(name).unwrap();
            if number == 0 && at == 0 {
                let small = Policy { triggers: vec![Trigger::Tokens(6_000)], ..policy() };
                agent.set_policy(small).unwrap();
            }
            if let Some(reason) = agent.check(Phase::TurnEnd) {
                agent.compact(reason, None).unwrap();
                drive(&mut agent, summarize);
                summaries[at] += 1;
            }
            assert!(agent.pressure().tokens < 21_000);
        }
    }
    assert!(summaries.iter().all(|count| *count > 0), "{summaries:?}");
    assert!(summaries[0] > 2 * summaries[1], "{summaries:?}");
    assert_eq!(team.report(), None, "the team itself was not compacted");
}

#[test]
fn f3_f5_five_agents_start_the_next_task_with_five_calls_or_with_one() {
    for (shared_by, expected) in [(None, 5), (Some("ann".to_owned()), 1)] {
        let tasks = TaskSettings { shared_by, ..TaskSettings::default() };
        let mut team = empty(Policy { tasks, ..policy() });
        (0..MESSAGES).for_each(|number| team.append(message(number)).unwrap());
        team.complete_task("bridge".into()).unwrap();
        let mut calls = 0;
        if expected == 1 {
            team.compact(team.due(Phase::TurnEnd).unwrap(), None).unwrap();
            calls += drive(&mut team, summarize).requests.len();
        }
        for name in TEAM {
            let mut agent = team.agent(name).unwrap();
            let reason = agent.check(Phase::TurnEnd).unwrap();
            assert_eq!(reason, Reason::TaskTransition);
            agent.compact(reason, None).unwrap();
            calls += drive(&mut agent, summarize).requests.len();
            assert_eq!(shown(&agent), "u: SUMMARY\n", "{name}");
        }
        assert_eq!(calls, expected);
    }
}

/// The views of all agents as text.
fn views(team: &mut Compactor) -> Vec<String> {
    TEAM.map(|name| format!("{:?}", team.agent(name).unwrap().view().edits)).to_vec()
}

/// How many bytes two texts have in common at their beginning.
fn common(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count()
}

#[test]
fn f3_the_views_of_all_agents_begin_with_the_same_bytes() {
    let tasks = TaskSettings { shared_by: Some("ann".to_owned()), ..TaskSettings::default() };
    let mut team = empty(Policy { tasks, ..policy() });
    // What is for all is the same for all, up to the first message that is not.
    (0..7).for_each(|number| team.append(message(number)).unwrap());
    let all = views(&mut team);
    assert!(all.iter().all(|view| *view == all[0]), "{all:?}");
    (7..MESSAGES).for_each(|number| team.append(message(number)).unwrap());
    for view in views(&mut team) {
        assert!(common(&view, &all[0]) >= all[0].len() - 1, "nothing stands in front: {view}");
    }
    // After a summary that all share, they begin with it; facts of private messages come behind it.
    team.complete_task("bridge".into()).unwrap();
    let text = "ann and ben have planned the bridge, and cleo has counted its bolts.";
    team.compact(team.due(Phase::TurnEnd).unwrap(), None).unwrap();
    drive(&mut team, |_| text.to_owned());
    for name in TEAM {
        let mut agent = team.agent(name).unwrap();
        let reason = agent.check(Phase::TurnEnd).unwrap();
        agent.compact(reason, None).unwrap();
        drive(&mut agent, |_| panic!("{name} asks for a summary"));
    }
    let all = views(&mut team);
    let shared = team.view().edits;
    let Some(epitome::history::Edit::Insert { parts, .. }) = shared.first() else { panic!() };
    let summary = format!("{parts:?}");
    let (summary, _) = summary.split_once("\\n</conversation-summary>").unwrap();
    for view in &all {
        assert!(view.contains(summary), "the shared summary is there byte for byte");
        assert!(common(view, &all[0]) >= summary.len(), "{}", common(view, &all[0]));
    }
}

#[test]
fn f4_every_line_of_every_summary_says_who() {
    let mut team = team();
    for name in TEAM {
        for _ in 0..2 {
            let mut agent = team.agent(name).unwrap();
            compact(&mut agent);
            let report = agent.report().unwrap();
            let summary = report.summary.as_ref().unwrap();
            let says_who = |line: &&str| TEAM.iter().any(|name| line.contains(name));
            let lines: Vec<&str> = summary.lines().filter(|line| line.starts_with("- ")).collect();
            assert!(lines.len() > 2, "{summary}");
            let nobody: Vec<&&str> = lines.iter().filter(|line| !says_who(line)).collect();
            assert!(nobody.is_empty(), "{nobody:?}");
            assert!(report.receipt.unattributed.is_empty(), "{:?}", report.receipt.unattributed);
            drop(agent);
            (0..60).for_each(|more| {
                let number = team.log().records().len() + 10_000 + more;
                team.append(Message { audience: Audience::Everyone, ..message(number) }).unwrap();
            });
        }
    }
    // What nobody has said is on the receipt, and gets no author.
    let mut agent = team.agent("ann").unwrap();
    agent.compact(Reason::Manual, None).unwrap();
    drive(&mut agent, |_| "ann asked for bolts.\nEverything was painted yellow yesterday.".into());
    let report = agent.report().unwrap();
    assert_eq!(report.receipt.unattributed, ["Everything was painted yellow yesterday."]);
    assert!(!report.summary.as_ref().unwrap().contains("yesterday. ("));
}

#[test]
fn f4_role_and_constraint_messages_stay_for_their_agent_and_are_on_its_receipt() {
    let mut team = empty(policy());
    let for_ben = Audience::Agents(vec!["ben".into()]);
    let role = Message::new("role", Role::System, "You are the critic of the team.");
    team.append(Message { audience: for_ben.clone(), ..role }).unwrap();
    let limit = Message::new("limit", Role::User, "Never name the budget of the bridge.");
    team.append(Message { audience: for_ben, pinned: true, ..limit }).unwrap();
    (0..MESSAGES).for_each(|number| team.append(message(number)).unwrap());
    for name in TEAM {
        let mut agent = team.agent(name).unwrap();
        compact(&mut agent);
        let pinned: Vec<&str> =
            agent.report().unwrap().receipt.pinned.iter().map(|id| id.as_str()).collect();
        let expected: &[&str] = if name == "ben" { &["role", "limit"] } else { &[] };
        assert_eq!(pinned, expected, "{name}");
        let view = shown(&agent);
        for text in ["the critic of the team", "Never name the budget"] {
            assert_eq!(view.contains(text), name == "ben", "{name}: {view}");
        }
    }
}
