//! An agent of a team is asked through another provider than the team: its view follows the rules of that one.

#![allow(clippy::unwrap_used, reason = "a test that cannot continue should fail")]

use crate::harness;

use epitome::history::{Log, View};
use epitome::message::{Message, Role};
use epitome::policy::Keep;
use epitome::tokens::CharactersPer;
use epitome::{
    CommandError, Compactor, Contract, First, Outcome, Policy, Provider, Reason, Snapshot,
    Violation,
};
use harness::{drive, shown};

/// A provider that wants the user first.
fn strict() -> Contract {
    Contract { first: First::User, ..Contract::default() }
}

/// A provider that refuses every view with a summary.
struct Refusing;

impl Provider for Refusing {
    fn contract(&self) -> Contract {
        Contract::default()
    }

    fn accepts(&self, _log: &Log, _view: &View) -> Result<(), Violation> {
        Err(Violation::NothingSaid)
    }
}

fn team() -> Compactor {
    let policy = Policy { keep: Keep::Messages(2), target: 0.7, ..Policy::recommended(400) };
    let mut team = Compactor::new(policy, Contract::default(), Box::new(CharactersPer(3))).unwrap();
    for turn in 0..10 {
        let text = format!("the planner answers question {turn} to all of the team");
        team.append(Message::new(format!("a{turn}"), Role::Assistant, &text)).unwrap();
        let text = format!("question {turn} for the team");
        team.append(Message::new(format!("u{turn}"), Role::User, &text)).unwrap();
    }
    team
}

fn compact(team: &mut Compactor, name: &str) -> Outcome {
    let mut agent = team.agent(name).unwrap();
    agent.compact(Reason::Manual, None).unwrap();
    drive(&mut agent, |_| "They worked.".into());
    agent.report().unwrap().outcome.clone()
}

fn view(team: &mut Compactor, name: &str) -> View {
    team.agent(name).unwrap().view()
}

#[test]
fn f1_the_view_of_an_agent_is_repaired_and_verified_by_its_own_provider() {
    let mut team = team();
    let before = shown(&team);
    team.set_agent_provider("critic", "strict", strict()).unwrap();
    team.set_agent_provider("writer", "refusing", Refusing).unwrap();
    let (critic, planner) = (view(&mut team, "critic"), view(&mut team, "planner"));
    assert_eq!(critic.edits.len(), planner.edits.len() + 1, "a user message is put first");
    assert!(matches!(compact(&mut team, "critic"), Outcome::Applied { .. }));
    assert!(matches!(compact(&mut team, "planner"), Outcome::Applied { .. }));
    assert!(!matches!(compact(&mut team, "writer"), Outcome::Applied { .. }));
    let agent = team.agent("critic").unwrap();
    assert_eq!(strict().check(agent.log(), &agent.view()), Ok(()));
    drop(agent);
    assert_eq!(shown(&team), before, "the team has the view that it had");
}

#[test]
fn f1_an_agent_gets_another_provider_with_the_compactions_that_it_has() {
    let mut team = team();
    compact(&mut team, "critic");
    let before = view(&mut team, "critic");
    team.set_agent_provider("critic", "strict", strict()).unwrap();
    assert_eq!(view(&mut team, "critic").edits, before.edits, "the summary is the user's already");
    team.agent("critic").unwrap().undo().unwrap();
    drive(&mut team.agent("critic").unwrap(), |_| unreachable!());
    assert_eq!(view(&mut team, "critic").edits.len(), 21, "all, behind a user message");
}

#[test]
fn f1_the_name_of_a_provider_is_stored_and_has_to_be_set_again() {
    let mut team = team();
    team.set_agent_provider("critic", "strict", strict()).unwrap();
    compact(&mut team, "critic");
    let records = team.log().records().len();
    team.set_agent_provider("critic", "strict", strict()).unwrap();
    assert_eq!(team.log().records().len(), records, "it has this provider already");
    let before = view(&mut team, "critic");
    let lines = team.snapshot().to_json_lines().unwrap();
    let snapshot = Snapshot::from_json_lines(&lines).unwrap();
    let mut restored =
        Compactor::restore(snapshot, Contract::default(), Box::new(CharactersPer(3))).unwrap();
    assert_eq!(restored.agent_providers().collect::<Vec<_>>(), [("critic", "strict")]);
    let of = |agent| restored.agent_provider(agent);
    assert_eq!((of("critic"), of("writer")), (Some("strict"), None));
    let (agent, provider) = ("critic".to_owned(), "strict".to_owned());
    assert_eq!(restored.agent("critic").err(), Some(CommandError::NoProvider { agent, provider }));
    restored.set_agent_provider("critic", "strict", strict()).unwrap();
    assert_eq!(view(&mut restored, "critic"), before);
    assert_eq!(restored.snapshot().to_json_lines().unwrap(), lines);
}

#[test]
fn f1_a_provider_is_not_exchanged_during_a_compaction() {
    let mut team = team();
    let mut agent = team.agent("critic").unwrap();
    agent.compact(Reason::Manual, None).unwrap();
    drop(agent);
    let refused = team.set_agent_provider("critic", "strict", strict());
    assert_eq!(refused, Err(CommandError::Busy));
    team.agent("critic").unwrap().cancel();
    team.set_agent_provider("critic", "strict", strict()).unwrap();
    let of_agent = team.agent("critic").unwrap().set_agent_provider("writer", "strict", strict());
    assert_eq!(of_agent, Err(CommandError::OfTeam));
}
