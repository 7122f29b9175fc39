//! Has tokens counted by what the settings name, once that can be had; until then all goes on as it was.

use epitome::policy::{Counting, Encoding};
use epitome_tokens::BytePairs;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::browser::{Pace, bytes_at};
use crate::store::{Effort, Session, Store};

/// Longest stretch of reading a vocabulary or of counting, to which the last of its steps adds a little.
const SLICE_MS: f64 = 8.0;

/// Follows the settings.
pub(crate) fn watch_counting(store: Store) {
    let wanted = Memo::new(move |_| store.policy.read().counting.clone());
    Effect::new(move |_| {
        let counting = wanted.get();
        spawn_local(async move {
            let outcome = prepare(store, &counting).await;
            // Something else may have been chosen meanwhile.
            if wanted.get_untracked() == counting {
                settle(store, counting, outcome);
            }
        });
    });
    let busy = Memo::new(move |_| store.is_busy());
    Effect::new(move |_| {
        store.counter.ready.track();
        store.document.track();
        // A compaction under way goes on with the counts that it began with.
        if !busy.get() {
            spawn_local(recount(store));
        }
    });
}

/// Loads what is needed to count so. Fails with a sentence for a person.
async fn prepare(store: Store, counting: &Counting) -> Result<(), String> {
    let counter = store.counter;
    if let Counting::Tokenizer(name) = counting {
        return Err(format!(
            "This page has no tokenizer called {name}, so tokens are counted as before. The npm package can \
             count by one."
        ));
    }
    let Some(encoding) = counter.missing(counting) else { return Ok(()) };
    counter.problem.set(None);
    counter.effort.set(Some(Effort::Loading(encoding)));
    store.announce(format!("Loading {encoding}."));
    counter.insert(vocabulary(encoding).await?);
    Ok(())
}

async fn vocabulary(encoding: Encoding) -> Result<BytePairs, String> {
    let address = format!("encodings/{encoding}.vocab");
    let Some(file) = bytes_at(&address).await else {
        return Err(format!(
            "{encoding} could not be fetched, so tokens are counted as before. Is the server still \
             running? Choose it again to try again."
        ));
    };
    let mut pace = Pace::start(SLICE_MS);
    let rest = async || {
        if pace.is_due() {
            pace.rest().await;
        }
    };
    let read = async {
        let read = BytePairs::open(file).map_err(|error| error.to_string())?;
        if read.encoding() != encoding {
            return Err(format!("that of {}", read.encoding()));
        }
        read.build_index(rest).await.map_err(|error| error.to_string())?;
        Ok(read)
    };
    read.await.map_err(|problem| {
        format!(
            "What the server has as the vocabulary of {encoding} is {problem}, so tokens are counted as \
             before. Build the page anew, then choose it again."
        )
    })
}

/// Takes what was prepared for ready, or goes back to what is.
fn settle(store: Store, counting: Counting, prepared: Result<(), String>) {
    let counter = store.counter;
    let ready = counter.ready.get_untracked();
    counter.effort.set(None);
    match prepared {
        // Going back after a failure is no choice, and takes nothing off the page.
        Ok(()) if counting == ready => {}
        Ok(()) => {
            counter.problem.set(None);
            counter.ready.set(counting);
        }
        Err(problem) => {
            store.settings.update(|settings| settings.edit(|policy| policy.counting = ready));
            counter.problem.set(Some(problem));
        }
    }
}

/// Counts the conversation by what is ready, in short stretches, unless it is counted so already.
async fn recount(store: Store) {
    let counter = store.counter;
    let counting = counter.ready.get_untracked();
    let family = store.read(|session| session.format().family());
    let tokenizer = counter.tokenizer(family);
    if store.write(|session| session.begin_recount(&counting, tokenizer)) != Some(true) {
        return;
    }
    let conversation = store.read(Session::identity);
    counter.effort.set(Some(Effort::Recounting));
    let mut pace = Pace::start(SLICE_MS);
    while store.write(|session| session.recount_next(&counting)) == Some(true) {
        if pace.is_due() {
            pace.rest().await;
            let same = store.read(|session| session.is(&conversation));
            if !same || counter.ready.get_untracked() != counting {
                return;
            }
        }
    }
    counter.effort.update(|effort| {
        effort.take_if(|effort| *effort == Effort::Recounting);
    });
    if store.read(|session| session.counts_by(&counting)) {
        store.show_change();
        store.announce("Tokens are counted anew.");
    }
}
