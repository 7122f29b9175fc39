//! The fields for several agents: the memory that they share, and the tasks that they complete.

use epitome::Policy;

use super::field::number::whole;
use super::field::{Extent, Switch, TextField};
use crate::language::t;

/// With how many entries the oldest of the memory are blended.
pub(super) fn blend_at() -> TextField {
    let read = |policy: &Policy| policy.memory.blend_at.to_string();
    TextField::new(
        "memory.blendAt",
        t!("Blend the memory at"),
        t!("entries"),
        read,
        |policy, text| {
            policy.memory.blend_at = whole(text)?;
            Ok(())
        },
    )
    .about(t!("With this many entries of the memory, the oldest become one summary; 0: never."))
}

/// True if the memory is blended.
pub(super) fn blends(policy: &Policy) -> bool {
    policy.memory.blend_at > 0
}

/// How many entries are blended.
pub(super) fn blend() -> TextField {
    let read = |policy: &Policy| policy.memory.blend.to_string();
    TextField::new(
        "memory.blend",
        t!("Entries blended at a time"),
        t!("entries"),
        read,
        |policy, text| {
            policy.memory.blend = whole(text)?;
            Ok(())
        },
    )
    .about(t!("How many of the oldest entries become part of the summary of the memory."))
}

/// The longest summary of the memory.
pub(super) fn memory_tokens() -> TextField {
    let read = |policy: &Policy| policy.memory.max_tokens.to_string();
    let label = t!("Longest summary of the memory");
    TextField::new("memory.maxTokens", label, t!("tokens"), read, |policy, text| {
        policy.memory.max_tokens = whole(text)?;
        Ok(())
    })
    .about(t!("What the blended entries take at most."))
}

/// Whether the memory stands behind each summary.
pub(super) fn memory_in_summary() -> Switch {
    let hint = t!("Leave it off if your app adds the memory to each request by itself.");
    let read = |policy: &Policy| policy.memory.in_summary;
    Switch::new(
        "memory.inSummary",
        t!("The memory behind each summary"),
        hint,
        read,
        |policy, on| {
            policy.memory.in_summary = on;
        },
    )
}

/// From how many tokens on a completed task is summarized.
pub(super) fn task_tokens() -> TextField {
    let read = |policy: &Policy| policy.tasks.min_tokens.to_string();
    let label = t!("Summarize a completed task from");
    TextField::new("tasks.minTokens", label, t!("tokens"), read, |policy, text| {
        policy.tasks.min_tokens = whole(text)?;
        Ok(())
    })
    .about(t!("Shorter tasks of a workflow stay as they are; 0: all are summarized."))
}

/// The agent that summarizes completed tasks for all.
pub(super) fn task_writer() -> TextField {
    let read = |policy: &Policy| policy.tasks.shared_by.clone().unwrap_or_default();
    TextField::new("tasks.sharedBy", t!("Agent that summarizes tasks for all"), "", read, |policy, text| {
        policy.tasks.shared_by = Some(text.trim().to_owned()).filter(|name| !name.is_empty());
        Ok(())
    })
    .showing(Extent::Line)
    .about(t!("The name of an agent whose summary of a completed task all agents get; empty: each has its own."))
}
