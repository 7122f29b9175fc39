//! Links from something on the page to the messages that it is from.

use leptos::prelude::*;

use crate::language::t;
use crate::number::{count, thousands};
use crate::store::{Perspective, Store};

/// The number of messages that are linked to. In a long conversation, hundreds can name the same fact.
const MAX_LINKS: usize = 6;

/// A button for each message, which opens it; for a few of many.
#[component]
pub(crate) fn MessageLinks(
    store: Store,
    /// The positions of the messages.
    positions: Vec<usize>,
) -> impl IntoView {
    let unlinked = further(positions.len(), MAX_LINKS);
    let links = positions.into_iter().take(MAX_LINKS).map(|position| {
        let number = store.read(|session| session.number(position));
        let open = move |_| {
            store.perspective.set(Perspective::Conversation);
            store.opened.set(Some(position));
        };
        view! {
            <button type="button" class="link" on:click=open>
                {number.map(|number| format!("#{number}"))}
            </button>
            " "
        }
    });
    view! {
        {links.collect_view()}
        {unlinked}
    }
}

/// What stands behind the first `shown` of `total`, if there are more.
pub(crate) fn further(total: usize, shown: usize) -> Option<String> {
    let more = total.checked_sub(shown).filter(|more| *more > 0)?;
    Some(t!("and {number} more", number = thousands(count(more))))
}
