//! A team of five agents with 2,000 messages, for all of them and for some.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot continue should fail with a message"
)]

use crate::harness;

use std::collections::BTreeSet;
use std::slice;

use epitome::message::{Audience, Message, Role};
use epitome::policy::{Keep, MemorySettings, Phase, SummarySettings, TaskSettings, Trigger};
use epitome::tokens::CharactersPer;
use epitome::{
    Compactor, Contract, MemoryEntry, Outcome, Policy, Reason, Snapshot, StateEntry,
    StructuredState, SummaryRequest,
};
use harness::{drive, shown};
use serde_json::{Value, json};

pub(crate) const TEAM: [&str; 5] = ["ann", "ben", "cleo", "dan", "eve"];
pub(crate) const MESSAGES: usize = 2_000;

pub(crate) fn policy() -> Policy {
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

pub(crate) fn reads(agent: usize, number: usize) -> bool {
    let (author, readers) = audience(number);
    readers.is_none_or(|readers| author == agent || readers.contains(&agent))
}

/// A message of the team with a word of its own.
pub(crate) fn message(number: usize) -> Message {
    let (author, readers) = audience(number);
    let text = format!("Part word{number}x of the bridge needs {number} bolts in the north tower.");
    let audience = match readers {
        Some(readers) => Audience::Agents(readers.map(|at| TEAM[at].to_owned()).to_vec()),
        None => Audience::Everyone,
    };
    let author = Some(TEAM[author].to_owned());
    Message { author, audience, ..Message::new(format!("m{number}"), Role::Assistant, text) }
}

pub(crate) fn empty(policy: Policy) -> Compactor {
    Compactor::new(policy, Contract::default(), Box::new(CharactersPer(3))).unwrap()
}

pub(crate) fn team() -> Compactor {
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
pub(crate) fn words(text: &str) -> BTreeSet<usize> {
    text.split("word").skip(1).filter_map(|rest| rest.split_once('x')?.0.parse().ok()).collect()
}

/// A summary with every tenth message as a line, half of them without their author.
pub(crate) fn summarize(request: &SummaryRequest) -> String {
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

/// Calls a function with each agent and its number, and at last with the team itself.
fn each(team: &mut Compactor, mut call: impl FnMut(Option<usize>, &mut Compactor)) {
    for (at, name) in TEAM.into_iter().enumerate() {
        call(Some(at), &mut team.agent(name).unwrap());
    }
    call(None, team);
}

/// The numbers of the messages that an agent reads, or the team itself.
fn own(agent: Option<usize>) -> BTreeSet<usize> {
    let is_own = |number: &usize| match agent {
        Some(agent) => reads(agent, *number),
        None => audience(*number).1.is_none(),
    };
    (0..MESSAGES).filter(is_own).collect()
}

fn lists(state: &StructuredState) -> [&[StateEntry]; 7] {
    let StructuredState {
        decisions,
        constraints,
        tasks,
        questions,
        risks,
        artifacts,
        contributions,
    } = state;
    [decisions, constraints, tasks, questions, risks, artifacts, contributions]
}

/// A summary with twelve entries for each list, from the latest messages that the summarizer was given, the latest first; and
/// with these tasks as settled.
fn with_state(request: &SummaryRequest, settled: &[StateEntry]) -> String {
    let latest = || request.envelope().entries.into_iter().rev().take(12);
    let list = |what: &str| -> Value {
        let entry = |entry: epitome::message::Entry| json!({ "text": format!("{what}: {}", entry.text), "sources": [entry.number] });
        latest().map(entry).collect()
    };
    let settled: Vec<&str> = settled.iter().map(|task| task.text.as_str()).collect();
    let state = json!({
        "decisions": list("decision"), "constraints": list("limit"), "tasks": list("to do"),
        "questions": list("question"), "risks": list("risk"), "artifacts": list("file"),
        "contributions": list("work"), "settled": settled,
    });
    format!("{}\n```json\n{state}\n```", summarize(request))
}

#[test]
fn e1_each_agent_and_the_team_have_a_state_within_its_limits_of_what_they_read() {
    let summary = SummarySettings { structured_state: true, ..policy().summary };
    let mut team = empty(Policy { summary, ..policy() });
    (0..MESSAGES).for_each(|number| team.append(message(number)).unwrap());
    let mut states = Vec::new();
    each(&mut team, |agent, compactor| {
        compactor.compact(Reason::Manual, None).unwrap();
        let run = drive(compactor, |request| with_state(request, &[]));
        let state = compactor.structured_state().clone();
        let lengths = lists(&state).map(<[StateEntry]>::len);
        assert_eq!(lengths, [8, 6, 10, 5, 5, 10, 6], "{agent:?}");
        let text = format!("{:?} {:?} {state:?}", run.requests, run.events);
        assert!(words(&text).is_subset(&own(agent)), "{agent:?} has what is not for it");
        for entry in lists(&state).concat() {
            let sources: Vec<&str> = entry.sources.iter().map(|id| id.as_str()).collect();
            let word = words(&entry.text).first().copied().unwrap();
            assert_eq!(sources, [format!("m{word}")], "{agent:?}: {entry:?}");
        }
        let summary = compactor.report().unwrap().summary.clone().unwrap();
        assert!(summary.contains(&state.to_text()), "it stands behind the summary: {summary}");
        states.push(state);
    });
    let private = |state: &StructuredState| !words(&state.to_text()).is_subset(&own(None));
    assert_eq!(
        states.iter().map(private).collect::<Vec<_>>(),
        [true, true, true, true, true, false]
    );

    // The next summarizer gets the state of its own view, changes it, and nobody else's is another one by that.
    for number in MESSAGES..MESSAGES + 40 {
        team.append(message(number)).unwrap();
    }
    let ben = states[1].clone();
    let mut agent = team.agent("ben").unwrap();
    agent.compact(Reason::Manual, None).unwrap();
    let run = drive(&mut agent, |request| with_state(request, &ben.tasks[..3]));
    let (_, given) = run.requests[0].input.split_once("<current_state>").unwrap();
    assert!(given.contains(&ben.to_text()), "{given}");
    let state = agent.structured_state().clone();
    drop(agent);
    assert_eq!(lists(&state).map(<[StateEntry]>::len), [8, 6, 10, 5, 5, 10, 6]);
    assert!(words(&state.decisions[0].text).iter().all(|number| *number >= MESSAGES));
    assert!(state.tasks.iter().all(|task| !task.done), "those that are done leave first");
    let mut after = Vec::new();
    each(&mut team, |_, compactor| after.push(compactor.structured_state().clone()));
    states[1] = state;
    assert_eq!(after, states);
    let lines = team.snapshot().to_json_lines().unwrap();
    let snapshot = Snapshot::from_json_lines(&lines).unwrap();
    let tokenizer = Box::new(CharactersPer(3));
    let mut restored = Compactor::restore(snapshot, Contract::default(), tokenizer).unwrap();
    let mut stored = Vec::new();
    each(&mut restored, |_, compactor| stored.push(compactor.structured_state().clone()));
    assert_eq!(stored, states);
}

/// Blends by repeating the words that it was given.
fn blended(request: &SummaryRequest) -> String {
    let words: Vec<String> =
        words(&request.input).iter().map(|number| format!("word{number}x")).collect();
    format!("Known: {}.", words.join(" "))
}

#[test]
fn e2_the_memories_of_five_agents_and_the_team_are_blended_each_by_itself() {
    let memory = MemorySettings { in_summary: true, ..MemorySettings::default() };
    let mut team = empty(Policy { memory, ..policy() });
    (0..MESSAGES).for_each(|number| team.append(message(number)).unwrap());
    each(&mut team, |agent, compactor| {
        let standing = MemoryEntry { text: "Always answer briefly.".into(), standing: true };
        compactor.remember(standing.clone()).unwrap();
        let texts: Vec<String> = (0..25).map(|at| compactor.searchable(at).unwrap().text).collect();
        let entries = texts.iter().map(|text| MemoryEntry { text: text.clone(), standing: false });
        let entries: Vec<MemoryEntry> = entries.collect();
        assert_eq!(agent.is_none(), words(&texts.concat()).is_subset(&own(None)));
        for (from, to) in [(0, 15), (15, 25)] {
            for entry in &entries[from..to] {
                assert!(drive(compactor, |_| String::new()).requests.is_empty(), "not before");
                compactor.remember(entry.clone()).unwrap();
            }
            let run = drive(compactor, blended);
            let [request] = run.requests.try_into().unwrap();
            let given = words(&texts[..to - 5].concat());
            assert_eq!(words(&request.input), given, "the ten oldest and the summary before");
            let memory = compactor.memory();
            assert_eq!(memory.summary, blended(&request));
            let left = [slice::from_ref(&standing), &entries[to - 5..to]].concat();
            assert_eq!(memory.entries, left);
        }
    });
    let before = format!("{:?}", team.memory());
    let mut memories = Vec::new();
    each(&mut team, |agent, compactor| {
        let memory = compactor.memory().clone();
        assert!(words(&format!("{memory:?}")).is_subset(&own(agent)), "{agent:?}: {memory:?}");
        compact(compactor);
        let summary = compactor.report().unwrap().summary.clone().unwrap();
        assert!(summary.contains(&memory.to_text()), "both parts follow the summary: {summary}");
        memories.push(memory);
    });
    assert_eq!(format!("{:?}", team.memory()), before);
    let lines = team.snapshot().to_json_lines().unwrap();
    let snapshot = Snapshot::from_json_lines(&lines).unwrap();
    let tokenizer = Box::new(CharactersPer(3));
    let mut restored = Compactor::restore(snapshot, Contract::default(), tokenizer).unwrap();
    each(&mut restored, |agent, compactor| {
        assert_eq!(*compactor.memory(), memories[agent.unwrap_or(5)]);
    });
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
