//! Loads what the settings count tokens by, then counts the conversation again. Until then the old counts stay.

use epitome::policy::{Counting, Encoding};
use epitome_tokens::BytePairs;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::browser::{Pace, bytes_at};
use crate::language::t;
use crate::settings::CountingProgress;
use crate::store::{Session, Store};

/// The longest slice of reading a vocabulary or of counting. The last step of a slice may exceed it a little.
const SLICE_MS: f64 = 8.0;

/// Starts to follow the settings.
pub(crate) fn watch_counting(store: Store) {
    let wanted = Memo::new(move |_| store.settings.policy.read().counting.clone());
    Effect::new(move |_| {
        let counting = wanted.get();
        spawn_local(async move {
            let outcome = prepare(store, &counting).await;
            // The user may have chosen something else meanwhile.
            if wanted.get_untracked() == counting {
                settle(store, counting, outcome);
            }
        });
    });
    let busy = Memo::new(move |_| store.is_busy());
    Effect::new(move |_| {
        store.settings.counting.active.track();
        store.document.track();
        // A running compaction keeps the counts that it started with.
        if !busy.get() {
            spawn_local(recount(store));
        }
    });
}

/// Loads what `counting` needs. Fails with a sentence for the user.
async fn prepare(store: Store, counting: &Counting) -> Result<(), String> {
    let state = store.settings.counting;
    if let Counting::Tokenizer(name) = counting {
        return Err(t!(
            "This page has no tokenizer called {name}, so tokens are counted as before. The npm package can use one.",
            name
        ));
    }
    let Some(encoding) = state.missing(counting) else { return Ok(()) };
    state.problem.set(None);
    state.progress.set(Some(CountingProgress::Loading(encoding)));
    store.announce(t!("Loading {encoding}.", encoding));
    state.insert(vocabulary(encoding).await?);
    Ok(())
}

async fn vocabulary(encoding: Encoding) -> Result<BytePairs, String> {
    let address = format!("encodings/{encoding}.vocab");
    let Some(file) = bytes_at(&address).await else {
        return Err(t!(
            "{encoding} could not be fetched, so tokens are counted as before. Is the server still running? Choose it again to try again.",
            encoding
        ));
    };
    let mut pace = Pace::start(SLICE_MS);
    let rest = async || {
        if pace.is_due() {
            pace.rest().await;
        }
    };
    let unreadable = |problem| {
        t!(
            "The server's vocabulary of {encoding} is {problem}, so tokens are counted as before. Build the page again, then choose it again.",
            encoding,
            problem
        )
    };
    let read = BytePairs::open(file).map_err(unreadable)?;
    if read.encoding() != encoding {
        return Err(t!(
            "The server's vocabulary of {encoding} is that of {other}, so tokens are counted as before. Build the page again, then choose it again.",
            encoding,
            other = read.encoding()
        ));
    }
    read.build_index(rest).await.map_err(unreadable)?;
    Ok(read)
}

/// Activates what was loaded, or resets the setting to what is active.
fn settle(store: Store, counting: Counting, prepared: Result<(), String>) {
    let state = store.settings.counting;
    let active = state.active.get_untracked();
    state.progress.set(None);
    match prepared {
        // This is the reset after a failure: the problem stays on the page.
        Ok(()) if counting == active => {}
        Ok(()) => {
            state.problem.set(None);
            state.active.set(counting);
        }
        Err(problem) => {
            store.settings.form.update(|form| form.edit(|policy| policy.counting = active));
            state.problem.set(Some(problem));
        }
    }
}

/// Counts the conversation again in short slices, unless it is counted by the active setting already.
async fn recount(store: Store) {
    let state = store.settings.counting;
    let counting = state.active.get_untracked();
    let family = store.read(|session| session.format().family());
    let tokenizer = state.tokenizer(family);
    if store.write(|session| session.begin_recount(&counting, tokenizer)) != Some(true) {
        return;
    }
    let conversation = store.read(Session::identity);
    state.progress.set(Some(CountingProgress::Recounting));
    let mut pace = Pace::start(SLICE_MS);
    while store.write(|session| session.recount_next(&counting)) == Some(true) {
        if pace.is_due() {
            pace.rest().await;
            let same = store.read(|session| session.is(&conversation));
            if !same || state.active.get_untracked() != counting {
                return;
            }
        }
    }
    state.progress.update(|progress| {
        progress.take_if(|progress| *progress == CountingProgress::Recounting);
    });
    if store.read(|session| session.counts_by(&counting)) {
        store.show_change();
        store.announce(t!("Tokens are counted again."));
    }
}
