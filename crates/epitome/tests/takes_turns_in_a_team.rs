//! Turns of the five agents of a team with 2,000 messages: each over what it sees, while nobody else's view changes.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot continue should fail with a message"
)]

use crate::harness;
use crate::works_in_a_team;

use std::collections::BTreeSet;

use epitome::message::{Audience, Message, Part, Role};
use epitome::policy::Phase;
use epitome::turn::{Reply, Turn, TurnEnd, TurnOptions, TurnTask, Verdict};
use epitome::{Compactor, Reason};
use harness::{applied, drive, viewed};
use serde_json::json;
use works_in_a_team::{MESSAGES, TEAM, reads, summarize, team, words};

/// Rewrites the messages of a request.
type Transform = fn(Vec<Message>) -> Vec<Message>;

/// What the host of a turn gives to it. The model calls a tool in the first step and answers in the second one, for the agent and
/// its neighbour only.
struct Host {
    /// What the middleware of this index answers to a task in this step.
    verdict: fn(u32, &TurnTask) -> Verdict,
    transforms: Vec<Transform>,
    /// What each provider says.
    providers: Vec<&'static str>,
}

const PLAIN: Host =
    Host { verdict: |_, _| Verdict::Continue, transforms: Vec::new(), providers: Vec::new() };

/// What a turn did.
#[derive(Default)]
struct Ran {
    tasks: Vec<TurnTask>,
    /// The messages of each request.
    sent: Vec<Vec<Message>>,
    /// The step and the session of each request.
    places: Vec<(u32, u32)>,
}

impl Host {
    /// Runs a turn of an agent. The agent is taken from the team again for each task, since its messages come through the team.
    fn run(&self, team: &mut Compactor, at: usize) -> Ran {
        let name = TEAM[at];
        let (transforms, providers) = (self.transforms.len(), self.providers.len());
        let options =
            TurnOptions { middleware: 2, transforms, providers, ..TurnOptions::default() };
        let mut turn = Turn::new(options, &team.agent(name).unwrap());
        let (mut ran, mut messages, mut provided) = (Ran::default(), Vec::new(), Vec::new());
        loop {
            let mut agent = team.agent(name).unwrap();
            let task = turn.poll(&mut agent);
            ran.tasks.push(task.clone());
            match task {
                TurnTask::Before(_) | TurnTask::After(_) => {
                    turn.handle_verdict((self.verdict)(turn.step(), &task)).unwrap();
                }
                TurnTask::Transform(index) => {
                    if index == 0 {
                        messages = viewed(&agent);
                    }
                    messages = (self.transforms[index])(messages);
                    turn.handle_done().unwrap();
                }
                TurnTask::Provide(index) => {
                    provided.truncate(index);
                    let text = format!("{} {}.", self.providers[index], turn.step());
                    provided.push(Message::new("", Role::User, text));
                    turn.handle_done().unwrap();
                }
                TurnTask::Count => {
                    let view = viewed(&agent);
                    if transforms == 0 {
                        messages = view.clone();
                    }
                    let added = messages.iter().filter(|message| !view.contains(message));
                    let left_out = view.iter().filter(|message| !messages.contains(message));
                    agent.set_request_context(provided.iter().chain(added), left_out);
                    turn.handle_done().unwrap();
                }
                TurnTask::Compact { reason, .. } => {
                    agent.compact(reason, None).unwrap();
                    drive(&mut agent, summarize);
                    let is_applied = applied(agent.report().unwrap());
                    turn.handle_compaction(is_applied).unwrap();
                }
                TurnTask::Reset(_) => turn.handle_done().unwrap(),
                TurnTask::Send => {
                    ran.places.push((turn.step(), agent.session()));
                    drop(agent);
                    ran.sent.push([provided.clone(), messages.clone()].concat());
                    turn.handle_reply(answer(team, at, turn.step())).unwrap();
                }
                TurnTask::End(_) => return ran,
            }
        }
    }
}

/// Appends what the model and its tools say in a step: private, so that it changes nothing for the other three.
fn answer(team: &mut Compactor, at: usize, step: u32) -> Reply {
    let of_agent = |id: &str, role, part| Message {
        author: Some(TEAM[at].to_owned()),
        audience: Audience::Agents(vec![TEAM[(at + 1) % 5].to_owned()]),
        ..Message::with_parts(
            format!("{id}-{}-{at}-{step}", team.log().records().len()),
            role,
            vec![part],
        )
    };
    let call = || format!("call-{at}").into();
    let (name, arguments) = ("count".to_owned(), "{}".to_owned());
    let said = match step {
        1 => {
            let called = Part::ToolCall { call: call(), name, arguments };
            let result = Part::ToolResult { call: call(), name: None, text: "7 bolts".to_owned() };
            vec![of_agent("call", Role::Assistant, called), of_agent("result", Role::Tool, result)]
        }
        _ => {
            let text = format!("{} has counted the bolts.", TEAM[at]);
            vec![of_agent("answer", Role::Assistant, Part::Text { text })]
        }
    };
    said.into_iter().for_each(|message| team.append(message).unwrap());
    if step == 1 { Reply::Calls } else { Reply::Final }
}

/// What each agent has, without those to whom a turn of this agent speaks; and what the team itself has.
fn others(team: &mut Compactor, at: usize) -> Vec<String> {
    let seen = |compactor: &Compactor| {
        let (view, pressure) = (compactor.view(), compactor.pressure());
        format!("{view:?} {pressure:?} {} {:?}", compactor.session(), compactor.report())
    };
    let mut all = vec![seen(team)];
    for other in (2..5).map(|more| TEAM[(at + more) % 5]) {
        all.push(seen(&team.agent(other).unwrap()));
    }
    all
}

/// The words of the messages of a request.
fn words_of(messages: &[Message]) -> BTreeSet<usize> {
    words(&messages.iter().map(Message::text).collect::<Vec<_>>().join(" "))
}

/// The tokens of messages.
fn measure(compactor: &Compactor, messages: &[Message]) -> u32 {
    let meter = compactor.conversation().meter();
    messages.iter().map(|message| meter.measure(message).tokens.get()).sum()
}

fn own(at: usize) -> BTreeSet<usize> {
    (0..MESSAGES).filter(|number| reads(at, *number)).collect()
}

#[test]
fn g1_the_middleware_of_each_agent_compacts_and_stops_its_own_turns() {
    let mut team = team();
    for (at, name) in TEAM.into_iter().enumerate() {
        let before = others(&mut team, at);
        let verdict = |step, task: &TurnTask| match (step, task) {
            (1, TurnTask::After(0)) => Verdict::Compact { metadata: json!({ "by": "the first" }) },
            (2, TurnTask::Before(1)) => Verdict::Stop,
            _ => Verdict::Continue,
        };
        let ran = Host { verdict, ..PLAIN }.run(&mut team, at);
        let compact = |reason, metadata| TurnTask::Compact { reason, metadata };
        let by = Some(json!({ "by": "the first" }));
        let expected = [
            TurnTask::Before(0),
            TurnTask::Before(1),
            TurnTask::Count,
            // Its 1,600 messages are above the threshold of the policy.
            compact(Reason::Threshold, None),
            TurnTask::Reset(Reason::Threshold),
            TurnTask::Count,
            TurnTask::Send,
            TurnTask::After(0),
            compact(Reason::SessionCompaction, by),
            TurnTask::Reset(Reason::SessionCompaction),
            TurnTask::After(1),
            TurnTask::Before(0),
            TurnTask::Before(1),
            TurnTask::End(TurnEnd::Stopped),
        ];
        assert_eq!(ran.tasks, expected, "{name}");
        assert!(words_of(&ran.sent[0]).is_subset(&own(at)), "{name} sends what is not for it");
        assert_eq!(others(&mut team, at), before, "a turn of {name} changes nothing for others");
        let call = team.agent(name).unwrap().log().messages().rev().nth(1).cloned().unwrap();
        assert_eq!((call.author.as_deref(), call.is_for(TEAM[(at + 2) % 5])), (Some(name), false));
    }
}

#[test]
fn g2_the_providers_of_each_agent_come_in_order_are_counted_for_it_and_never_stored() {
    let mut team = team();
    for (at, name) in TEAM.into_iter().enumerate() {
        let before = others(&mut team, at);
        let providers = vec!["The user in step", "The date of step"];
        let ran = Host { providers, ..PLAIN }.run(&mut team, at);
        for (step, sent) in (1..).zip(&ran.sent) {
            let texts: Vec<String> = sent.iter().take(2).map(Message::text).collect();
            let expected =
                [format!("The user in step {step}."), format!("The date of step {step}.")];
            assert_eq!(texts, expected, "{name}: in front of each request, made for that request");
            assert!(words_of(sent).is_subset(&own(at)), "{name}");
        }
        assert_eq!(ran.sent.len(), 2);
        let mut agent = team.agent(name).unwrap();
        let (with, cost) = (agent.pressure(), measure(&agent, &ran.sent[1][..2]));
        assert_eq!(with.breakdown.context, cost, "{name}");
        agent.set_request_context([], []);
        assert_eq!(agent.pressure().tokens + cost, with.tokens, "{name}");
        drop(agent);
        assert_eq!(others(&mut team, at), before, "what {name} is given counts for nobody else");
        let lines = team.snapshot().to_json_lines().unwrap();
        assert!(!lines.contains("The user in step") && !lines.contains("The date of step"));
    }
}

#[test]
fn g3_the_transforms_of_each_agent_rewrite_its_requests_from_left_to_right() {
    fn reworded(messages: Vec<Message>, from: &str, to: &str) -> Vec<Message> {
        let reword = |message: Message| match message.text().contains(from) {
            true => Message {
                parts: vec![Part::Text { text: message.text().replace(from, to) }],
                ..message
            },
            false => message,
        };
        messages.into_iter().map(reword).collect()
    }
    let transforms: [Transform; 3] = [
        |messages| messages.into_iter().filter(|message| message.audience.is_everyone()).collect(),
        |messages| reworded(messages, "bolts", "screws"),
        |messages| reworded(messages, "screws", "wooden nails"),
    ];
    let mut team = team();
    for (at, name) in TEAM.into_iter().enumerate() {
        // The latest six messages are left, and some of them are private.
        let mut agent = team.agent(name).unwrap();
        let reason = agent.check(Phase::TurnEnd).unwrap();
        agent.compact(reason, None).unwrap();
        drive(&mut agent, |_| "They counted.".to_owned());
        let (view, tokens) = (agent.view(), agent.pressure().tokens);
        assert!(viewed(&agent).iter().any(|message| !message.audience.is_everyone()));
        drop(agent);
        let before = others(&mut team, at);
        let host = Host { transforms: transforms.to_vec(), providers: vec!["Step"], ..PLAIN };
        let ran = host.run(&mut team, at);
        let first = &ran.sent[0];
        let text: String = first.iter().map(Message::text).collect();
        assert!(text.contains("wooden nails") && !text.contains("screws"), "{name}: {text}");
        assert!(!text.contains("bolts"), "{name}: {text}");
        assert!(first.iter().all(|message| message.audience.is_everyone()));
        let order = |task: &TurnTask| matches!(task, TurnTask::Transform(_) | TurnTask::Provide(_));
        let tasks: Vec<TurnTask> = ran.tasks.into_iter().filter(order).take(4).collect();
        let expected = [0, 1, 2].map(TurnTask::Transform);
        assert_eq!(tasks, [&expected[..], &[TurnTask::Provide(0)]].concat());

        // The view has its private messages and its words; what is counted is what is sent.
        let mut agent = team.agent(name).unwrap();
        let (sent, now) = (measure(&agent, &ran.sent[1]), measure(&agent, &viewed(&agent)));
        // The last answer came after the request was counted.
        let with = agent.pressure().tokens;
        agent.set_request_context([], []);
        let answer = measure(&agent, &viewed(&agent)[viewed(&agent).len() - 1..]);
        assert_eq!(with + now, agent.pressure().tokens + sent + answer, "{name}");
        assert!(agent.pressure().tokens > tokens, "the answers are there");
        let earlier: Vec<_> = agent.view().edits.into_iter().take(view.edits.len()).collect();
        assert_eq!(earlier, view.edits, "{name}: the view stays as it was");
        drop(agent);
        assert_eq!(others(&mut team, at), before, "{name}");
    }
}

#[test]
fn g6_after_a_compaction_the_middleware_of_its_agent_is_reset_and_steps_and_sessions_go_on() {
    let mut team = team();
    for (at, name) in TEAM.into_iter().enumerate() {
        let verdict = |step, task: &TurnTask| match (step, task) {
            (1, TurnTask::After(1)) => Verdict::Compact { metadata: json!(null) },
            _ => Verdict::Continue,
        };
        let sessions = |team: &mut Compactor| TEAM.map(|name| team.agent(name).unwrap().session());
        let before = sessions(&mut team);
        let ran = Host { verdict, ..PLAIN }.run(&mut team, at);
        let resets: Vec<&[TurnTask]> =
            ran.tasks.windows(2).filter(|tasks| matches!(tasks, [_, TurnTask::Reset(_)])).collect();
        let after =
            |reason| [TurnTask::Compact { reason, metadata: None }, TurnTask::Reset(reason)];
        let expected = [after(Reason::Threshold), after(Reason::SessionCompaction)];
        assert_eq!(resets, expected, "{name}: right behind each of its compactions");
        assert_eq!(ran.places, [(1, 2), (2, 3)], "{name}: steps go on, each in a new session");
        let mut after = before;
        after[at] = 3;
        assert_eq!(sessions(&mut team), after, "the sessions of others stay");
        assert_eq!(team.session(), 1);
    }
}
