//! Opens a text, a file or a sample.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::candidate::{Candidate, candidates};
use super::reader::read;
use super::sample::Sample;
use crate::browser::{self, File, text_at};
use crate::store::Store;

/// The conversations of a document, while the user chooses one.
pub(crate) type Found = StoredValue<Vec<Candidate>, LocalStorage>;

/// Opens a pasted text.
pub(crate) fn open_text(store: Store, found: Found, text: String) {
    spawn_local(async move { open(store, found, "Pasted text".to_owned(), text).await });
}

/// Opens a file.
pub(crate) fn open_file(store: Store, found: Found, file: File) {
    begin(store, file.name());
    spawn_local(async move {
        match browser::read(&file).await {
            Ok(text) => open(store, found, file.name(), text).await,
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
        store.settings.form.update(|form| form.try_window(sample.window()));
        open(store, found, sample.title().to_owned(), text).await;
    });
}

/// Opens one of the found conversations.
pub(crate) fn choose(store: Store, found: Found, index: usize) {
    let chosen = found.with_value(|found| found.get(index).cloned());
    let Some(candidate) = chosen else { return };
    spawn_local(async move {
        let name = candidate.label.clone();
        settle(store, &name.clone(), read(store, name, candidate).await);
        if store.load_error.with_untracked(Option::is_none) {
            found.set_value(Vec::new());
        }
    });
}

async fn open(store: Store, found: Found, name: String, text: String) {
    begin(store, name.clone());
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
        settle(store, &name.clone(), read(store, name, candidate).await);
    }
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
