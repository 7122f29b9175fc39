//! Compactions of one agent of a team. The page writes their summaries, at once and without a model.

use epitome::{Compactor, Outcome, Output, Reason};
use epitome_tokens::Heuristic;

use super::summarize::begun;
use super::{is_refused, now};
use crate::language::t;
use crate::number::{change, thousands};
use crate::store::{Store, is_transition_due};

/// Compacts the view of an agent; no other view changes.
pub(crate) fn compact_agent(store: Store, name: &str) {
    if is_refused(store) {
        return;
    }
    let report = store.write(|session| {
        let mut agent = session.compactor_mut()?.agent(name).ok()?;
        agent.set_time(now());
        let reason = match is_transition_due(&agent) {
            true => Reason::TaskTransition,
            false => Reason::Manual,
        };
        agent.compact(reason, None).ok()?;
        drain(&mut agent);
        agent.report().cloned()
    });
    let Some(report) = report.flatten() else { return };
    let words = match &report.outcome {
        Outcome::Applied { .. } => {
            let (before, after) = (report.tokens_before, report.tokens_after);
            t!(
                "Compacted for {name}: {before} tokens became {after}, {change}.",
                name,
                before = thousands(before),
                after = thousands(after),
                change = change(before, after)
            )
        }
        Outcome::Skipped { message } | Outcome::Failed { message } => {
            t!("Nothing was changed for {name}: {message}.", name, message)
        }
        Outcome::Cancelled => return,
    };
    show(store, words);
}

/// Undoes the latest compaction of an agent, and with it what was changed in its lists since.
pub(crate) fn undo_agent(store: Store, name: &str) {
    if is_refused(store) {
        return;
    }
    store.write(|session| {
        let mut agent = session.compactor_mut()?.agent(name).ok()?;
        while agent.log().has_newer_state() {
            agent.undo().ok()?;
        }
        agent.undo().ok()?;
        drain(&mut agent);
        Some(())
    });
    show(store, t!("The compaction for {name} is undone.", name));
}

/// Handles the outputs of an agent until it waits.
pub(super) fn drain(agent: &mut Compactor) {
    loop {
        match agent.poll_output() {
            Output::Before(_) => {
                let _ = agent.proceed();
            }
            Output::Summarize(request) => {
                let summary = begun(&request).at_once(&Heuristic);
                agent.handle_summary_notes(request.id, &summary.notes);
                agent.handle_summary(request.id, &summary.text);
            }
            Output::Persist(_) => {
                let _ = agent.handle_persisted();
            }
            // The page shows the lanes again when the agent waits.
            Output::Save(_) | Output::Changed | Output::Event(_) | Output::Continue => {}
            Output::Wait(_) => return,
        }
    }
}

fn show(store: Store, words: String) {
    store.live.record(words.clone());
    store.announce(words);
    store.show_lanes();
    store.show_held();
    store.keep();
}
