//! Opens a text, a file or a sample.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::candidate::{Candidate, candidates, in_sessions};
use super::reader::read;
use super::sample::{Sample, shown_name};
use crate::browser::{self, File, Log, focus_instead_of_nothing, text_at};
use crate::language::t;
use crate::store::{Kept, Place, SampleWindow, Session, Store, is_archive};

/// The id of the heading with the name of the conversation. It gets the focus if what had it is gone.
pub(super) const HEADING: &str = "loaded-heading";

/// The conversations of a document, while the user chooses one.
pub(crate) type Found = StoredValue<Vec<Candidate>, LocalStorage>;

/// Where a conversation comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Origin {
    /// The user's own: it is kept for the next visit.
    Own,
    /// What the page or the package has exported. It is kept once its compactions are there.
    Archive,
    /// A sample, which is kept once it has changed.
    Sample(Sample),
    /// The browser, which keeps it under this id; it may have been a sample.
    Kept(String, Option<Sample>),
}

impl Origin {
    fn sample(&self) -> Option<Sample> {
        match self {
            Self::Own | Self::Archive => None,
            Self::Sample(sample) => Some(*sample),
            Self::Kept(_, sample) => *sample,
        }
    }

    /// Where it is found again.
    fn place(&self) -> Option<Place> {
        match self {
            Self::Own | Self::Archive => None,
            Self::Sample(sample) => Some(Place::Sample(sample.name())),
            Self::Kept(id, _) => Some(Place::Kept(id.clone())),
        }
    }
}

/// Opens a pasted text.
pub(crate) fn open_text(store: Store, found: Found, text: String) {
    let name = t!("Pasted text").to_owned();
    begin(store, name.clone());
    spawn_local(async move { open(store, found, name, text, Origin::Own).await });
}

/// Opens a file.
pub(crate) fn open_file(store: Store, found: Found, file: File) {
    begin(store, file.name());
    spawn_local(async move {
        match browser::read(&file).await {
            Ok(text) => open(store, found, file.name(), text, Origin::Own).await,
            Err(problem) => fail(store, problem),
        }
    });
}

/// Opens a sample, in a window of its own.
pub(crate) fn open_sample(store: Store, found: Found, sample: Sample) {
    begin(store, sample.name().to_owned());
    spawn_local(async move {
        let Some(text) = text_at(&format!("samples/{}", sample.file_name())).await else {
            let problem = t!("The sample could not be fetched. Is the server still running?");
            return fail(store, problem.to_owned());
        };
        open(store, found, sample.name().to_owned(), text, Origin::Sample(sample)).await;
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
        settle(store, &name.clone(), read_beside(store, name, candidate, Origin::Own).await);
        if store.load_error.with_untracked(Option::is_none) {
            found.set_value(Vec::new());
        }
    });
}

async fn open(store: Store, found: Found, name: String, text: String, origin: Origin) {
    if is_archive(&text) {
        return open_archive(store, name, &text).await;
    }
    let sessions = in_sessions(&text).await;
    let mut candidates = match sessions.map_or_else(|| candidates(&text), Ok) {
        Ok(candidates) => candidates,
        Err(problem) => return fail(store, problem),
    };
    drop(text);
    if candidates.len() > 1 {
        store.choices.set(candidates.iter().map(|candidate| candidate.label.clone()).collect());
        store.loading.set(None);
        store.announce(t!("{number} conversations to choose from.", number = candidates.len()));
        found.set_value(candidates);
        return;
    }
    if let Some(candidate) = candidates.pop() {
        settle(store, &name.clone(), read_beside(store, name, candidate, origin).await);
    }
}

/// Reads a conversation. A sample has a window of its own, which other conversations do not inherit.
async fn read_beside(
    store: Store,
    name: String,
    candidate: Candidate,
    origin: Origin,
) -> Result<(), String> {
    let sample = origin.sample();
    let current = store.settings.policy.with_untracked(|policy| policy.window);
    let held = store.sample_window.get_value().filter(|held| held.shown == current);
    let before = held.map_or(current, |held| held.before);
    let window = sample.map_or(before, Sample::window);
    let is_first = store.document.with_untracked(Option::is_none);
    read(store, name, candidate, window, origin.place()).await?;
    if !is_first {
        focus_instead_of_nothing(HEADING);
    }
    store.sample_window.set_value(sample.map(|_| SampleWindow { shown: window, before }));
    if origin == Origin::Own {
        store.keep();
    }
    Ok(())
}

/// Shows a kept conversation from its records.
pub(super) async fn open_kept(store: Store, found: Found, kept: Kept, log: Log) {
    let text = log.text();
    let sample = Sample::named(&kept.name);
    let candidate = Candidate::in_records(kept.name.clone(), &text);
    found.set_value(Vec::new());
    let origin = Origin::Kept(kept.id.clone(), sample);
    let read = read_beside(store, kept.name.clone(), candidate, origin).await;
    settle(store, &kept.name, read);
    if store.load_error.with_untracked(Option::is_some) {
        return log.close();
    }
    if let Err(problem) = store.replay(&text) {
        log.close();
        return fail(store, t!("Its compactions could not be restored: {problem}.", problem));
    }
    if log.is_damaged() {
        let name = shown_name(&kept.name);
        fail(
            store,
            t!(
                "The browser has lost a part of this conversation. {name} goes on from what is whole.",
                name
            ),
        );
    }
    store.keeping.show(Some((kept.id, log)));
}

/// Opens what this page or the package has exported, with its compactions.
async fn open_archive(store: Store, name: String, text: &str) {
    let candidate = Candidate::in_records(name.clone(), text);
    let read = read_beside(store, name.clone(), candidate, Origin::Archive).await;
    let read = read.and_then(|()| store.replay(text));
    let is_read = read.is_ok();
    settle(store, &name, read);
    if is_read {
        store.write(Session::handle_unstored);
        store.keep();
    }
}

pub(super) fn begin(store: Store, name: String) {
    store.load_error.set(None);
    store.choices.set(Vec::new());
    store.loading.set(Some((name, 0.0)));
}

fn settle(store: Store, name: &str, read: Result<(), String>) {
    match read {
        Ok(()) => store.loading.set(None),
        Err(problem) => fail(store, format!("{}: {problem}", shown_name(name))),
    }
}

pub(super) fn fail(store: Store, problem: String) {
    store.loading.set(None);
    store.load_error.set(Some(problem));
}
