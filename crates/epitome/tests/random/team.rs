//! What happens in a random conversation of a team of five agents.

use epitome::Policy;
use epitome::message::{Audience, Message, Part, Role};
use epitome::policy::{
    Keep, MemorySettings, OffloadToolResults, PrepareAt, Reducer, ReducerRule, Trigger,
};
use proptest::prelude::*;

pub(crate) const AGENTS: [&str; 5] = ["ann", "ben", "cleo", "dan", "eve"];

/// What happens in a conversation. Numbers are taken modulo what there is; the agent behind the last one is the team itself.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Append {
        author: usize,
        audience: u8,
    },
    Tool {
        author: usize,
        audience: u8,
    },
    Insert {
        before: usize,
        audience: u8,
    },
    Edit {
        message: usize,
    },
    Remove {
        message: usize,
    },
    Head {
        message: usize,
    },
    Compact {
        agent: usize,
    },
    Task,
    Remember {
        agent: usize,
        standing: bool,
    },
    Note {
        agent: usize,
    },
    Todo {
        agent: usize,
    },
    /// A check at the end of a turn. While a summary is written in advance, a message comes.
    Check {
        agent: usize,
        author: usize,
        audience: u8,
    },
    Undo {
        agent: usize,
    },
    Restore,
}

pub(crate) fn step() -> impl Strategy<Value = Step> {
    // A third of the messages is for all.
    let audience = || prop_oneof![1 => Just(0), 2 => 1_u8..32];
    prop_oneof![
        24 => (0..6_usize, audience()).prop_map(|(author, audience)| Step::Append { author, audience }),
        4 => (0..5_usize, audience()).prop_map(|(author, audience)| Step::Tool { author, audience }),
        2 => (any::<usize>(), audience()).prop_map(|(before, audience)| Step::Insert { before, audience }),
        2 => any::<usize>().prop_map(|message| Step::Edit { message }),
        1 => any::<usize>().prop_map(|message| Step::Remove { message }),
        1 => any::<usize>().prop_map(|message| Step::Head { message }),
        5 => (0..6_usize).prop_map(|agent| Step::Compact { agent }),
        1 => Just(Step::Task),
        3 => (0..6_usize, any::<bool>())
            .prop_map(|(agent, standing)| Step::Remember { agent, standing }),
        1 => (0..6_usize).prop_map(|agent| Step::Note { agent }),
        1 => (0..6_usize).prop_map(|agent| Step::Todo { agent }),
        6 => (0..6_usize, 0..6_usize, audience())
            .prop_map(|(agent, author, audience)| Step::Check { agent, author, audience }),
        2 => (0..6_usize).prop_map(|agent| Step::Undo { agent }),
        1 => Just(Step::Restore),
    ]
}

/// A policy with everything that could show a message to others, with summaries in advance or without.
pub(crate) fn policy(prepare_at: Option<PrepareAt>) -> Policy {
    let memory = MemorySettings { blend_at: 3, blend: 2, max_tokens: 50, in_summary: true };
    let recommended = Policy::recommended(300);
    let mut policy =
        Policy { keep: Keep::Messages(2), target: 0.5, memory, prepare_at, ..recommended };
    policy.summary.structured_state = true;
    let offload = OffloadToolResults { protect_fraction: 0.0, max_tokens: 15, keep_tokens: 5 };
    let offload = ReducerRule::when(Reducer::OffloadToolResults(offload), Trigger::Always);
    policy.reducers.push(offload);
    policy
}

/// Whether the summaries of a conversation are written in advance.
pub(crate) fn in_advance() -> impl Strategy<Value = Option<PrepareAt>> {
    prop_oneof![Just(None), Just(Some(PrepareAt::Fraction(0.2)))]
}

/// A message, whose text has a word of its own and the names of those who may see it.
pub(crate) fn message(number: usize, version: usize, author: usize, audience: u8) -> Message {
    let names: Vec<String> = AGENTS
        .iter()
        .enumerate()
        .filter(|(at, _)| audience >> at & 1 == 1)
        .map(|(_, name)| (*name).to_owned())
        .collect();
    let author = AGENTS.get(author).copied();
    let role = if author.is_some() { Role::Assistant } else { Role::User };
    let text =
        format!("the word-{number}-x of the garden file/{number}.rs, version {version}, is long");
    Message {
        author: author.map(str::to_owned),
        audience: if audience == 0 { Audience::Everyone } else { Audience::Agents(names) },
        ..Message::new(format!("m{number}"), role, text)
    }
}

/// A call of a tool and its result, for the same agents.
pub(crate) fn tool_round(number: usize, author: usize, audience: u8) -> [Message; 2] {
    let call = format!("call-{number}-x");
    let called = Message {
        parts: vec![Part::ToolCall {
            call: call.as_str().into(),
            name: "look".into(),
            arguments: format!("{{\"at\": \"word-{number}-x\"}}"),
        }],
        ..message(number, 0, author, audience)
    };
    let next = number + 1;
    let text = format!("found word-{next}-x in file/{next}.rs, {}", "line after line ".repeat(4));
    // The author of the call is not that of its result, and has to see it too.
    let audience = if audience == 0 { 0 } else { audience | 1 << author };
    let result = Message {
        role: Role::Tool,
        author: None,
        parts: vec![Part::ToolResult { call: call.as_str().into(), name: None, text }],
        ..message(next, 0, 5, audience)
    };
    [called, result]
}
