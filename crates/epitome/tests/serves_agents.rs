//! A team of agents shares one conversation: each sees its own messages, and compacts its own view.

#![allow(clippy::unwrap_used, reason = "a test that cannot continue should fail")]

use crate::harness;

use epitome::history::{LogError, Record};
use epitome::message::{Audience, Message, MessageId, Role};
use epitome::policy::{Keep, OffloadToolResults, Phase, PrepareAt, Reducer, ReducerRule, Trigger};
use epitome::test_notation::transcript;
use epitome::tokens::CharactersPer;
use epitome::{
    CommandError, Compactor, Contract, MemoryEntry, Outcome, Output, Policy, Reason, Snapshot,
    Stored,
};
use harness::{drive, next_request, shown};

fn policy() -> Policy {
    Policy { keep: Keep::Messages(2), target: 0.7, ..Policy::recommended(400) }
}

fn team() -> Compactor {
    Compactor::new(policy(), Contract::default(), Box::new(CharactersPer(3))).unwrap()
}

fn said(id: &str, author: &str, text: &str) -> Message {
    let role = if author == "user" { Role::User } else { Role::Assistant };
    Message { author: Some(author.into()), ..Message::new(id, role, text) }
}

fn whispered(id: &str, author: &str, to: &[&str], text: &str) -> Message {
    let audience = Audience::Agents(to.iter().map(|name| (*name).to_owned()).collect());
    Message { audience, ..said(id, author, text) }
}

/// Ten turns of a team, with a note of the planner to the critic in each.
fn busy_team() -> Compactor {
    let mut team = team();
    for turn in 0..10 {
        team.append(said(&format!("u{turn}"), "user", &format!("question {turn} for the team")))
            .unwrap();
        let note = format!("secret {turn}: the planner doubts the budget");
        team.append(whispered(&format!("n{turn}"), "planner", &["critic"], &note)).unwrap();
        team.append(said(&format!("a{turn}"), "planner", &format!("answer {turn} to the team")))
            .unwrap();
    }
    team
}

/// Compacts the view of an agent, and returns what its summarizer was asked.
fn compact(team: &mut Compactor, name: &str, summary: &str) -> String {
    let mut agent = team.agent(name).unwrap();
    agent.compact(Reason::Manual, None).unwrap();
    let run = drive(&mut agent, |_| summary.into());
    let report = agent.report().unwrap();
    assert!(matches!(report.outcome, Outcome::Applied { .. }), "{report:?}");
    format!("{:?}", run.requests)
}

#[test]
fn f1_the_team_and_other_agents_do_not_see_a_private_message() {
    let mut team = busy_team();
    assert!(!shown(&team).contains("secret"));
    assert_eq!(team.log().len(), 20);
    for (name, secrets) in [("critic", 10), ("planner", 10), ("writer", 0)] {
        let agent = team.agent(name).unwrap();
        assert_eq!(shown(&agent).matches("secret").count(), secrets, "{name}");
        assert_eq!(agent.log().len(), 20 + secrets, "{name}");
        let tokens = agent.pressure().tokens;
        drop(agent);
        assert_eq!(tokens > team.pressure().tokens, secrets > 0, "{name}");
    }
}

#[test]
fn f1_a_compaction_of_one_agent_changes_no_other_view() {
    let mut team = busy_team();
    let views = |team: &mut Compactor| {
        let own = shown(team);
        let others = ["planner", "writer"].map(|name| shown(&team.agent(name).unwrap()));
        (own, others)
    };
    let before = views(&mut team);
    let asked = compact(&mut team, "critic", "The planner doubts the budget.");
    assert!(asked.contains("secret 0"), "{asked}");
    assert_eq!(views(&mut team), before);
    let asked = compact(&mut team, "writer", "Questions and answers.");
    assert!(!asked.contains("secret"), "{asked}");
    assert!(shown(&team.agent("critic").unwrap()).contains("SUMMARY"));
    team.agent("critic").unwrap().undo().unwrap();
    drive(&mut team.agent("critic").unwrap(), |_| String::new());
    assert!(!shown(&team.agent("critic").unwrap()).contains("SUMMARY"));
    assert!(shown(&team.agent("writer").unwrap()).contains("SUMMARY"), "an undo is of one agent");
}

#[test]
fn f1_an_agent_that_is_lent_comes_back_with_what_it_did() {
    let mut team = busy_team();
    let mut lent = team.lend("critic").unwrap();
    lent.compactor().compact(Reason::Manual, None).unwrap();
    drive(lent.compactor(), |_| "The planner doubts the budget.".into());
    let view = shown(lent.compactor());
    assert!(view.contains("SUMMARY"), "{view}");
    team.take_back(lent);
    assert_eq!(shown(&team.agent("critic").unwrap()), view);
    assert_eq!(team.agents().collect::<Vec<_>>(), ["critic"]);

    let lines = team.snapshot().to_json_lines().unwrap();
    let snapshot = Snapshot::from_json_lines(&lines).unwrap();
    let mut restored =
        Compactor::restore(snapshot, Contract::default(), Box::new(CharactersPer(3))).unwrap();
    assert_eq!(shown(&restored.agent("critic").unwrap()), view, "it is stored with the team");
}

#[test]
fn f1_a_snapshot_tells_the_policies_of_the_agents_that_have_their_own() {
    let mut team = busy_team();
    for window in [300, 320] {
        team.agent("critic").unwrap().set_policy(Policy { window, ..policy() }).unwrap();
    }
    drop(team.agent("writer").unwrap());
    let snapshot = team.snapshot();
    assert_eq!(snapshot.policy().window, 400);
    let windows: Vec<(&str, u32)> =
        snapshot.agent_policies().into_iter().map(|(name, policy)| (name, policy.window)).collect();
    assert_eq!(windows, [("critic", 320)]);
}

#[test]
fn f1_every_agent_goes_on_after_a_restore() {
    let mut team = busy_team();
    compact(&mut team, "critic", "The planner doubts the budget.");
    let small = Policy { window: 300, ..policy() };
    team.agent("critic").unwrap().set_policy(small).unwrap();
    let views = |team: &mut Compactor| {
        ["critic", "planner", "writer"].map(|name| {
            let agent = team.agent(name).unwrap();
            (shown(&agent), agent.pressure().tokens, agent.policy().window)
        })
    };
    let before = views(&mut team);
    let lines = team.snapshot().to_json_lines().unwrap();
    let snapshot = Snapshot::from_json_lines(&lines).unwrap();
    let mut restored =
        Compactor::restore(snapshot, Contract::default(), Box::new(CharactersPer(3))).unwrap();
    assert_eq!(restored.agents().collect::<Vec<_>>(), ["critic", "planner", "writer"]);
    assert_eq!(views(&mut restored), before);
    // An undo in the restored conversation finds the compaction.
    restored.agent("critic").unwrap().undo().unwrap();
    drive(&mut restored.agent("critic").unwrap(), |_| String::new());
    assert!(!shown(&restored.agent("critic").unwrap()).contains("SUMMARY"));
}

#[test]
fn f1_an_edit_undoes_what_agents_have_summarized_of_the_message() {
    for restored in [false, true] {
        let mut team = busy_team();
        compact(&mut team, "critic", "The planner doubts the budget.");
        compact(&mut team, "writer", "Questions and answers.");
        if restored {
            let snapshot = team.snapshot();
            let tokenizer = Box::new(CharactersPer(3));
            team = Compactor::restore(snapshot, Contract::default(), tokenizer).unwrap();
        }
        team.edit(whispered("n0", "planner", &["critic"], "nothing to see")).unwrap();
        assert!(!shown(&team.agent("critic").unwrap()).contains("SUMMARY"));
        assert!(shown(&team.agent("critic").unwrap()).contains("nothing to see"));
        assert!(shown(&team.agent("writer").unwrap()).contains("SUMMARY"));
        team.edit(said("u0", "user", "another question")).unwrap();
        assert!(!shown(&team.agent("writer").unwrap()).contains("SUMMARY"));
        let again = team.snapshot();
        let tokenizer = Box::new(CharactersPer(3));
        let mut again = Compactor::restore(again, Contract::default(), tokenizer).unwrap();
        for name in ["critic", "writer"] {
            assert_eq!(shown(&again.agent(name).unwrap()), shown(&team.agent(name).unwrap()));
        }
    }
}

#[test]
fn f1_an_edit_cannot_show_a_private_message_to_others() {
    let mut team = busy_team();
    let refused = team.edit(said("n3", "planner", "secret 3 for all"));
    assert!(refused.unwrap_err().to_string().contains("who sees"));
    let refused = team.edit(whispered("a3", "planner", &["critic"], "no longer for all"));
    assert!(refused.is_err());
    assert!(team.move_head(Some(MessageId::from("n3"))).is_err());
    assert!(team.insert(said("new", "user", "hm"), "n3".into()).is_err());
    assert!(team.append(said("n3", "user", "the same id")).is_err());
    team.remove("n3".into()).unwrap();
    assert!(!shown(&team.agent("critic").unwrap()).contains("secret 3"));
}

#[test]
fn f1_agents_follow_the_conversation_to_another_branch_and_back() {
    let mut team = busy_team();
    let before = shown(&team.agent("critic").unwrap());
    team.move_head(Some("a4".into())).unwrap();
    team.append(said("b5", "user", "another question 5")).unwrap();
    let now = shown(&team.agent("critic").unwrap());
    assert!(now.contains("secret 4") && !now.contains("secret 5") && now.ends_with("question 5\n"));
    let shared = shown(&team);
    assert_eq!(shown(&team.agent("fresh").unwrap()), shared);
    team.move_head(Some("a9".into())).unwrap();
    assert_eq!(shown(&team.agent("critic").unwrap()), before);
}

#[test]
fn f1_a_private_message_that_an_agent_has_on_another_branch_can_be_changed() {
    let mut team = team();
    team.append(said("u0", "user", "question for all")).unwrap();
    team.append(whispered("n0", "planner", &["critic"], "secret")).unwrap();
    assert_eq!(team.agent("critic").unwrap().log().len(), 2);
    // For the team nothing was behind the question; for the critic there was.
    team.move_head(Some("u0".into())).unwrap();
    assert_eq!(team.agent("critic").unwrap().log().len(), 1);
    team.edit(whispered("n0", "planner", &["critic"], "no secret")).unwrap();
    assert_eq!(shown(&team.agent("critic").unwrap()), "u: question for all\n");
    team.remove("n0".into()).unwrap();
    assert!(!team.agent("critic").unwrap().log().contains(&"n0".into()));
}

#[test]
fn f1_an_edit_on_another_branch_undoes_the_summary_of_an_agent_after_a_restore_too() {
    let mut team = busy_team();
    compact(&mut team, "critic", "The planner doubts the budget.");
    team.move_head(Some("a0".into())).unwrap();
    team.append(said("b1", "user", "another question 1")).unwrap();
    assert!(!shown(&team.agent("critic").unwrap()).contains("SUMMARY"));
    team.edit(said("u0", "user", "a new question 0")).unwrap();
    team.move_head(Some("a9".into())).unwrap();
    let view = shown(&team.agent("critic").unwrap());
    assert!(!view.contains("SUMMARY"), "{view}");
    let (snapshot, tokenizer) = (team.snapshot(), Box::new(CharactersPer(3)));
    let mut again = Compactor::restore(snapshot, Contract::default(), tokenizer).unwrap();
    assert_eq!(shown(&again.agent("critic").unwrap()), view);
}

#[test]
fn f1_messages_come_to_an_agent_only_through_its_team() {
    let mut team = busy_team();
    let mut critic = team.agent("critic").unwrap();
    let message = said("own", "critic", "mine");
    assert_eq!(critic.append(message.clone()), Err(CommandError::OfTeam));
    assert_eq!(critic.edit(message), Err(CommandError::OfTeam));
    assert_eq!(critic.remove("u0".into()), Err(CommandError::OfTeam));
    assert_eq!(critic.move_head(None), Err(CommandError::OfTeam));
    assert!(critic.agent("nested").is_err());
}

#[test]
fn f1_what_agents_do_is_stored_with_the_records_of_the_team() {
    let mut team = busy_team();
    team.collect_unsaved(Stored::Nothing);
    let mut stored = team.unsaved().unwrap();
    team.handle_saved();
    let mut critic = team.agent("critic").unwrap();
    critic.compact(Reason::Manual, None).unwrap();
    let request = harness::next_request(&mut critic);
    critic.handle_summary(request.id, "The planner doubts the budget.");
    while !matches!(critic.poll_output(), epitome::Output::Persist(_)) {}
    drop(critic);
    // Before it is applied, its record is there to be stored.
    let lines = team.unsaved().unwrap();
    assert_eq!(lines.matches(r#"{"record":"agent","agent":"critic""#).count(), 1);
    team.handle_saved();
    team.agent("critic").unwrap().handle_persisted().unwrap();
    assert!(!team.has_unsaved(), "{}", team.unsaved().unwrap());
    stored += &lines;
    let snapshot = Snapshot::from_json_lines(&stored).unwrap();
    let mut restored =
        Compactor::restore(snapshot, Contract::default(), Box::new(CharactersPer(3))).unwrap();
    let view = shown(&team.agent("critic").unwrap());
    assert_eq!(shown(&restored.agent("critic").unwrap()), view);
    assert!(view.contains("SUMMARY"));
}

#[test]
fn f1_agents_share_the_stored_messages() {
    let mut team = busy_team();
    let pointer = |compactor: &Compactor, id: &str| {
        let mut messages = compactor.log().records().iter().filter_map(Record::message);
        messages.find(|message| message.id.as_str() == id).map(std::ptr::from_ref)
    };
    let own = ["u0", "n3", "a9"].map(|id| pointer(&team, id));
    let critic = team.agent("critic").unwrap();
    assert_eq!(["u0", "n3", "a9"].map(|id| pointer(&critic, id)), own);
    assert!(own.iter().all(Option::is_some));
}

#[test]
fn f1_agents_that_are_not_asked_for_give_their_memory_back_and_go_on_as_they_were() {
    let mut team = busy_team();
    compact(&mut team, "critic", "SUMMARY of what the critic heard");
    let critic = shown(&team.agent("critic").unwrap());
    team.hold_for_agents(50);
    for name in ["planner", "writer"] {
        drop(team.agent(name).unwrap());
    }
    // Of the critic's and the planner's 30 messages and the writer's 20, only 50 are held.
    assert_eq!(team.held_for_agents(), 50);
    assert_eq!(team.agents().count(), 3);
    team.append(said("u10", "user", "and one question more")).unwrap();
    let mut again = team.agent("critic").unwrap();
    let view = shown(&again);
    assert!(view.contains("SUMMARY") && view.contains("one question more"), "{view}");
    again.undo().unwrap();
    drive(&mut again, |_| String::new());
    drop(again);
    assert!(shown(&team.agent("critic").unwrap()).contains("secret 0"));
    assert_ne!(critic, view);
}

#[test]
fn f1_an_edit_undoes_the_summary_of_an_agent_whose_messages_are_not_in_memory() {
    let mut team = busy_team();
    compact(&mut team, "critic", "SUMMARY of what the critic heard");
    team.hold_for_agents(0);
    assert_eq!(team.held_for_agents(), 0);
    team.edit(whispered("n0", "planner", &["critic"], "secret 0: the planner is sure")).unwrap();
    let view = shown(&team.agent("critic").unwrap());
    assert!(!view.contains("SUMMARY") && view.contains("the planner is sure"), "{view}");
}

#[test]
fn f1_a_message_of_the_team_is_not_put_before_one_that_is_only_for_some() {
    let mut team = busy_team();
    let refused = team.insert(said("late", "user", "wait"), "n3".into()).unwrap_err();
    assert_eq!(refused, CommandError::Log(LogError::Private("n3".into())));
    let unknown = team.insert(said("late", "user", "wait"), "n99".into()).unwrap_err();
    assert_eq!(unknown, CommandError::Log(LogError::UnknownId("n99".into())));
}

/// Polls until the compactor waits, without an answer to any request.
fn poll(compactor: &mut Compactor) {
    loop {
        match compactor.poll_output() {
            Output::Before(_) => compactor.proceed().unwrap(),
            Output::Wait(_) => return,
            _ => {}
        }
    }
}

#[test]
fn the_agent_that_was_not_asked_for_the_longest_time_gives_its_memory_back_first() {
    let mut team = busy_team();
    for name in ["writer", "critic"] {
        drop(team.agent(name).unwrap());
    }
    team.hold_for_agents(30);
    assert_eq!(team.held_for_agents(), 30, "the critic's");
    drop(team.agent("writer").unwrap());
    assert_eq!(team.held_for_agents(), 20, "the writer's");
}

#[test]
fn an_agent_that_something_is_going_on_in_keeps_its_messages() {
    type Begin = fn(&mut Compactor);
    let going_on: [(&str, Begin); 5] = [
        ("a summarizer is asked", |agent| {
            agent.compact(Reason::Manual, None).unwrap();
            poll(agent);
        }),
        ("the host has not polled yet", |agent| {
            agent.compact(Reason::Manual, None).unwrap();
            agent.cancel();
        }),
        ("a record is being stored", |agent| {
            agent.compact(Reason::Manual, None).unwrap();
            let request = next_request(agent);
            agent.handle_summary(request.id, "The planner doubts the budget.");
            poll(agent);
        }),
        ("entries of the memory are being blended", |agent| {
            for number in 0..15 {
                let text = format!("note {number}");
                agent.remember(MemoryEntry { text, standing: false }).unwrap();
            }
            poll(agent);
        }),
        ("a summary is being written in advance", |agent| {
            let prepare_at = Some(PrepareAt::Fraction(0.1));
            agent.set_policy(Policy { prepare_at, ..Policy::recommended(2_000) }).unwrap();
            assert_eq!(agent.check(Phase::TurnEnd), None);
            poll(agent);
        }),
    ];
    for (what, begin) in going_on {
        let mut team = busy_team();
        begin(&mut team.agent("critic").unwrap());
        team.hold_for_agents(0);
        assert_eq!(team.held_for_agents(), 30, "{what}");
        // To ask for it again reads nothing, so that no other one has to make room.
        drop(team.agent("writer").unwrap());
        drop(team.agent("critic").unwrap());
        assert_eq!(team.held_for_agents(), 50, "{what}");
    }
}

#[test]
fn an_agent_at_rest_does_not_read_a_message_before_its_edit() {
    let mut team = busy_team();
    drop(team.agent("critic").unwrap());
    team.hold_for_agents(0);
    team.append(said("new", "user", "a question")).unwrap();
    team.edit(said("new", "user", "another question")).unwrap();
    assert_eq!(team.held_for_agents(), 0);
    assert!(shown(&team.agent("critic").unwrap()).ends_with("u: another question\n"));
}

/// A team whose critic has compacted, and waits until its summary is stored.
fn team_with_a_storing_critic() -> Compactor {
    let mut team = busy_team();
    let mut critic = team.agent("critic").unwrap();
    critic.compact(Reason::Manual, None).unwrap();
    let request = next_request(&mut critic);
    critic.handle_summary(request.id, "The planner doubts the budget.");
    poll(&mut critic);
    drop(critic);
    team
}

#[test]
fn a_message_is_not_edited_while_an_agent_stores_a_summary_of_it() {
    let mut team = team_with_a_storing_critic();
    let edited = said("u0", "user", "another question");
    assert_eq!(team.edit(edited.clone()), Err(CommandError::Busy));
    assert!(!shown(&team).contains("another question"), "nobody has the new version");
    team.edit(whispered("other", "planner", &["writer"], "?")).unwrap_err();
    team.agent("critic").unwrap().handle_persisted().unwrap();
    team.edit(edited).unwrap();
    assert!(!shown(&team.agent("critic").unwrap()).contains("SUMMARY"));
}

#[test]
fn a_removal_waits_until_an_agent_has_stored_its_summary() {
    let mut team = team_with_a_storing_critic();
    team.append(said("new", "user", "one question more")).unwrap();
    team.remove("u0".into()).unwrap();
    let mut critic = team.agent("critic").unwrap();
    assert!(critic.log().contains(&"new".into()), "a message is read meanwhile");
    assert!(critic.log().contains(&"u0".into()));
    critic.handle_persisted().unwrap();
    drop(critic);
    let critic = team.agent("critic").unwrap();
    assert!(!critic.log().contains(&"u0".into()) && !shown(&critic).contains("SUMMARY"));
}

#[test]
fn an_agent_that_comes_later_reads_the_edit_of_a_message_that_the_team_has_put_aside() {
    let offload = OffloadToolResults { protect_fraction: 0.0, max_tokens: 100, keep_tokens: 30 };
    let rule = ReducerRule::when(Reducer::OffloadToolResults(offload), Trigger::Always);
    let policy = Policy { reducers: vec![rule], ..Policy::fill_percent(1_000) };
    let mut team = Compactor::new(policy, Contract::default(), Box::new(CharactersPer(3))).unwrap();
    let text = |question: &str| {
        let long = "row ".repeat(300);
        transcript(&format!("u: {question}\na: !call\nt: =call<{long}>\na: done\nu: thanks"))
    };
    text("go").into_iter().for_each(|message| team.append(message).unwrap());
    team.compact(Reason::Reduce, None).unwrap();
    drive(&mut team, |_| String::new());
    assert!(shown(&team).contains("tool-results/call.txt"));
    drop(team.agent("early").unwrap());
    team.edit(text("stop").remove(0)).unwrap();
    for name in ["early", "late"] {
        let view = shown(&team.agent(name).unwrap());
        assert!(view.starts_with("u: stop\n"), "{name}: {view}");
    }
}
