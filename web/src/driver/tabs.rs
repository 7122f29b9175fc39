//! Follows what other tabs do with the conversation on the page.

use leptos::prelude::{GetUntracked as _, Set as _};
use leptos::task::spawn_local;

use super::cancel;
use crate::browser::Role;
use crate::language::t;
use crate::store::{Saved, Session, Store};

/// Said of a change in a tab that follows another one.
fn follows() -> &'static str {
    t!("Another tab edits this conversation. Choose “Edit here” to change it in this one.")
}

/// Shows what another tab has committed, and which tab edits the conversation.
pub(crate) fn follow(store: Store) {
    let keeping = store.keeping;
    let was_following = keeping.is_following.get_untracked();
    match keeping.role() {
        None => {}
        Some(Role::Stale) => lose(store),
        Some(Role::Follower) => {
            if !was_following {
                store.live.deciding.set(None);
                cancel(store);
                keeping.is_following.set(true);
            }
            let is_newer = show_newer(store);
            if !was_following {
                store.announce(follows());
            } else if is_newer {
                store.announce(t!("Another tab has changed this conversation."));
            }
        }
        Some(Role::Writer) => {
            keeping.is_following.set(false);
            show_newer(store);
            if was_following {
                store.announce(t!("This tab edits the conversation now."));
            }
        }
    }
}

/// Makes this tab the one that edits the conversation.
pub(crate) fn edit_here(store: Store) {
    spawn_local(async move {
        if store.keeping.take_over().await.is_err() {
            store.announce(t!("The other tab could not be stopped. Try again."));
        }
    });
}

/// Shows the list of kept conversations as another tab has changed it.
pub(crate) fn follow_list(store: Store) {
    if !store.keeping.read_list() {
        lose(store);
    }
}

/// Shows what this tab has not shown yet. False if there is nothing.
fn show_newer(store: Store) -> bool {
    let Some(text) = store.keeping.newer_text() else { return false };
    if text.is_empty() {
        // It was deleted: what this tab shows is all that is left of it.
        store.write(Session::handle_unstored);
        if !store.keeping.is_following.get_untracked() {
            store.keep();
        }
    } else if let Err(problem) = store.replay(&text) {
        store
            .load_error
            .set(Some(t!("What another tab has stored cannot be read: {problem}.", problem)));
    }
    true
}

/// Says that nothing of the conversation is stored any more.
fn lose(store: Store) {
    if store.keeping.saved.get_untracked() != Saved::Lost {
        store.keeping.lose();
        store.announce(t!(
            "Another tab has changed or deleted this conversation. Nothing of this tab is saved."
        ));
    }
}

/// True if this tab follows another one and changes nothing, which it then says.
pub(super) fn is_refused(store: Store) -> bool {
    let is_following = store.keeping.is_following.get_untracked();
    if is_following {
        store.announce(follows());
    }
    is_following
}
