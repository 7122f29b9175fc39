//! What the conversation says about the words of the search, the best first: also where not all of them stand, and what a summary
//! has replaced.

use epitome_browser::clock;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::MessageLinks;
use super::search::show_matches;
use crate::browser::{Pace, focus};
use crate::direction::marked;
use crate::driver::toggle_brought_back;
use crate::language::t;
use crate::store::{Match, Store};

/// How long the words stay the same before they are searched for.
const PAUSE_MS: f64 = 150.0;

/// The longest slice of reading messages, in milliseconds.
const SLICE_MS: f64 = 8.0;

/// The fewest characters that are searched for.
const FEWEST: usize = 3;

/// The best matches; nothing without words.
#[component]
pub(super) fn Matches(store: Store) -> impl IntoView {
    let words = Memo::new(move |_| store.filter.with(|filter| filter.words.trim().to_owned()));
    let found: RwSignal<Vec<Match>> = RwSignal::new(Vec::new());
    let searches = StoredValue::new(0_u32);
    // The message that was just brought back or taken out.
    let toggled = StoredValue::new(None::<usize>);
    Effect::new(move |_| {
        store.revision.track();
        let words = words.get();
        let number = searches.get_value().wrapping_add(1);
        searches.set_value(number);
        if words.chars().count() < FEWEST {
            return found.set(Vec::new());
        }
        spawn_local(async move {
            let _ = clock::sleep(PAUSE_MS, None).await;
            let mut pace = Pace::start(SLICE_MS);
            // Another search may have begun meanwhile.
            while searches.try_get_value() == Some(number) {
                if store.write(|session| session.extend_index()) != Some(false) {
                    found.set(store.read(|session| session.matches(&words)));
                    show_matches();
                    // Its entry is drawn again.
                    if let Some(position) = toggled.try_update_value(Option::take).flatten() {
                        request_animation_frame(move || focus(&button_id(position)));
                    }
                    return;
                }
                if pace.is_due() {
                    pace.rest().await;
                }
            }
        });
    });
    view! {
        <Show when=move || found.with(|found| !found.is_empty())>
            <section class="matches" aria-labelledby="matches-heading">
                <h3 id="matches-heading">{t!("Best matches")}</h3>
                <ul>
                    <For each=move || found.get() key=Match::clone let:found>
                        {entry(store, found, toggled)}
                    </For>
                </ul>
            </section>
        </Show>
    }
}

fn entry(store: Store, found: Match, toggled: StoredValue<Option<usize>>) -> impl IntoView {
    let Match { position, speaker, is_replaced, is_brought_back, quote } = found;
    let place = if is_replaced { t!("only in the history") } else { t!("in the window") };
    let bring_back = is_replaced.then(|| {
        let number = store.read(|session| session.number(position));
        let number = number.map(|number| format!(" {}", t!("message {number}", number)));
        let toggle = move |_| {
            toggled.set_value(Some(position));
            toggle_brought_back(store, position);
        };
        view! {
            <button
                type="button"
                class="link"
                id=button_id(position)
                disabled=move || store.is_locked()
                on:click=toggle
            >
                {if is_brought_back { t!("Take out again") } else { t!("Bring back") }}
                <span class="visually-hidden">{number}</span>
            </button>
        }
    });
    view! {
        <li>
            <p class="match-source">
                <MessageLinks store positions=vec![position] />
                {speaker} " · " {place} " " {bring_back}
            </p>
            <blockquote dir="auto">{marked(&quote).into_owned()}</blockquote>
        </li>
    }
}

fn button_id(position: usize) -> String {
    format!("bring-back-{position}")
}
