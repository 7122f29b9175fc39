//! Opens a text, a file or a sample.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::candidate::{Candidate, candidates};
use super::reader::read;
use super::sample::Sample;
use crate::browser::{self, File, focus_instead_of_nothing, text_at};
use crate::store::{SampleWindow, Store};

/// The id of the heading with the name of the conversation. It gets the focus if what had it is gone.
pub(super) const HEADING: &str = "loaded-heading";

/// The conversations of a document, while the user chooses one.
pub(crate) type Found = StoredValue<Vec<Candidate>, LocalStorage>;

/// Opens a pasted text.
pub(crate) fn open_text(store: Store, found: Found, text: String) {
    let name = "Pasted text".to_owned();
    begin(store, name.clone());
    spawn_local(async move { open(store, found, name, text, None).await });
}

/// Opens a file.
pub(crate) fn open_file(store: Store, found: Found, file: File) {
    begin(store, file.name());
    spawn_local(async move {
        match browser::read(&file).await {
            Ok(text) => open(store, found, file.name(), text, None).await,
            Err(problem) => fail(store, problem),
        }
    });
}

/// Opens a sample, with a window that it nearly fills.
pub(crate) fn open_sample(store: Store, found: Found, sample: Sample) {
    begin(store, sample.title().to_owned());
    spawn_local(async move {
        let Some(text) = text_at(&format!("samples/{}", sample.file_name())).await else {
            let problem = "The sample could not be fetched. Is the server still running?";
            return fail(store, problem.to_owned());
        };
        open(store, found, sample.title().to_owned(), text, Some(sample)).await;
    });
}

/// Opens one of the found conversations.
pub(crate) fn choose(store: Store, found: Found, index: usize) {
    let chosen = found.with_value(|found| found.get(index).cloned());
    let Some(candidate) = chosen else { return };
    let name = candidate.label.clone();
    store.load_error.set(None);
    store.loading.set(Some((name.clone(), 0.0)));
    spawn_local(async move {
        settle(store, &name.clone(), read_beside(store, name, candidate, None).await);
        if store.load_error.with_untracked(Option::is_none) {
            found.set_value(Vec::new());
        }
    });
}

async fn open(store: Store, found: Found, name: String, text: String, sample: Option<Sample>) {
    let mut candidates = match candidates(&text) {
        Ok(candidates) => candidates,
        Err(problem) => return fail(store, problem),
    };
    drop(text);
    if candidates.len() > 1 {
        store.choices.set(candidates.iter().map(|candidate| candidate.label.clone()).collect());
        store.loading.set(None);
        store.announce(format!("{} conversations to choose from.", candidates.len()));
        found.set_value(candidates);
        return;
    }
    if let Some(candidate) = candidates.pop() {
        settle(store, &name.clone(), read_beside(store, name, candidate, sample).await);
    }
}

/// Reads a conversation. A sample has a window of its own, which other conversations do not inherit.
async fn read_beside(
    store: Store,
    name: String,
    candidate: Candidate,
    sample: Option<Sample>,
) -> Result<(), String> {
    let current = store.settings.policy.with_untracked(|policy| policy.window);
    let held = store.sample_window.get_value().filter(|held| held.shown == current);
    let before = held.map_or(current, |held| held.before);
    let window = sample.map_or(before, Sample::window);
    let is_first = store.document.with_untracked(Option::is_none);
    read(store, name, candidate, window).await?;
    if !is_first {
        focus_instead_of_nothing(HEADING);
    }
    store.sample_window.set_value(sample.map(|_| SampleWindow { shown: window, before }));
    Ok(())
}

fn begin(store: Store, name: String) {
    store.load_error.set(None);
    store.choices.set(Vec::new());
    store.loading.set(Some((name, 0.0)));
}

fn settle(store: Store, name: &str, read: Result<(), String>) {
    match read {
        Ok(()) => store.loading.set(None),
        Err(problem) => fail(store, format!("{name}: {problem}")),
    }
}

fn fail(store: Store, problem: String) {
    store.loading.set(None);
    store.load_error.set(Some(problem));
}
