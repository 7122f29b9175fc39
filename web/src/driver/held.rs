//! Changes of the lists and of the memory, those of everyone or of the agent that is chosen.

use epitome::{Compactor, Memory, StateList, StructuredState};
use leptos::prelude::{GetUntracked as _, Set as _};

use super::{agent, drain, is_refused, now};
use crate::language::t;
use crate::store::Store;

/// Said if a list has fewer entries than the change gave it.
fn left() -> &'static str {
    t!("One entry has left its list, which had it twice or was full.")
}

/// Changes the lists. An undo takes it back. A change that leaves them as they are is none.
pub(crate) fn change_lists(
    store: Store,
    words: &'static str,
    change: impl FnOnce(&mut StructuredState),
) {
    let changed = act(store, |compactor| {
        let mut state = compactor.structured_state().clone();
        change(&mut state);
        let asked = entries(&state);
        let state = state.within_limits();
        if state == *compactor.structured_state() {
            return None;
        }
        let has_left = entries(&state) < asked;
        compactor.set_structured_state(state).ok()?;
        Some(has_left)
    });
    match changed {
        Some(has_left) => {
            store.holding.said.set(if has_left { left() } else { "" });
            show(store, if has_left { left() } else { words });
        }
        None if is_refused(store) => {}
        None => store.announce(t!("Nothing has changed.")),
    }
}

/// Changes the memory. No undo takes that back.
pub(crate) fn change_memory(store: Store, words: &'static str, change: impl FnOnce(&mut Memory)) {
    let changed = act(store, |compactor| {
        let mut memory = compactor.memory().clone();
        change(&mut memory);
        compactor.set_memory(memory).ok()
    });
    if changed.is_some() {
        store.holding.said.set("");
        show(store, words);
    }
}

/// Takes back the latest change of the lists that are shown.
pub(crate) fn undo_change(store: Store) {
    let undone = act(store, |compactor| {
        compactor.log().has_newer_state().then(|| compactor.undo().ok()).flatten()
    });
    if undone.is_some() {
        shown_undone(store);
    }
}

/// Takes back the latest change of the lists of everyone, if it is newer than the latest compaction. False if it is not.
pub(super) fn undo_newest(store: Store) -> bool {
    if !store.holding.is_edited.get_untracked() {
        return false;
    }
    let undone = store.write(|session| session.compactor_mut()?.undo().ok()).flatten();
    if undone.is_some() {
        drain(store);
        shown_undone(store);
    }
    undone.is_some()
}

fn shown_undone(store: Store) {
    store.holding.said.set("");
    show(store, t!("The change of the state is taken back."));
}

/// Sends a command to the engine of everyone or of the agent that is chosen, and handles its outputs.
fn act<T>(store: Store, send: impl FnOnce(&mut Compactor) -> Option<T>) -> Option<T> {
    if is_refused(store) {
        return None;
    }
    let agent = store.holding.agent.get_untracked();
    let sent = store.write(|session| {
        session.of_reader(agent.as_deref(), |compactor| {
            compactor.set_time(now());
            let sent = send(compactor);
            if agent.is_some() {
                agent::drain(compactor);
            }
            sent
        })
    });
    if agent.is_none() {
        drain(store);
    }
    sent.flatten().flatten()
}

/// Shows a change.
fn show(store: Store, words: &str) {
    store.announce(words);
    store.show_change();
    store.keep();
}

/// How many entries all lists have.
fn entries(state: &StructuredState) -> usize {
    StateList::ALL
        .into_iter()
        .map(|list| state.list(list).iter().filter(|it| !it.text.trim().is_empty()).count())
        .sum()
}
