//! The list of messages. Only the visible rows are on the page, for any number of messages.

mod layout;
mod links;
mod matches;
mod preview;
mod row;
mod search;
mod visible_rows;

use leptos::prelude::*;

use crate::browser::{focus, scroll_top};
use crate::language::t;
use crate::number::{count, thousands};
use crate::store::{Filter, Perspective, Store};
use layout::Layout;
pub(crate) use links::{MessageLinks, further};
use matches::Matches;
pub(crate) use preview::{approval, attachment, signed_reasoning, size};
use row::RowView;
pub(crate) use row::{Row, Status};
use search::Search;
pub(crate) use search::begin_search;
use visible_rows::{PAGE, ROW_HEIGHT, Rows};

/// The id of the list with everything around it.
const MESSAGES: &str = "messages";

const LIST: &str = "message-list";

/// The list, with the choice of what it shows.
#[component]
pub(crate) fn Messages(store: Store) -> impl IntoView {
    let layout = Memo::new(move |_| Layout::of(store));
    let tab = move |perspective: Perspective, id: &'static str, label: &'static str| {
        view! {
            <input
                type="radio"
                name="perspective"
                id=id
                class="visually-hidden"
                prop:checked=move || store.perspective.get() == perspective
                on:change=move |_| store.perspective.set(perspective)
            />
            <label for=id>{label}</label>
        }
    };
    view! {
        <section id=MESSAGES class="messages card" aria-labelledby="messages-heading">
            <div class="messages-head">
                <h2 id="messages-heading">
                    {t!("Messages")} <span class="count">{move || thousands(count(layout.with(Layout::messages)))}</span>
                </h2>
                <fieldset class="segmented">
                    <legend class="visually-hidden">{t!("Show")}</legend>
                    {tab(Perspective::Conversation, "show-conversation", t!("Conversation"))}
                    {tab(Perspective::Model, "show-model", t!("What the model sees"))}
                </fieldset>
            </div>
            <Search store layout />
            <Matches store />
            <List store layout />
        </section>
    }
}

#[component]
fn List(store: Store, layout: Memo<Layout>) -> impl IntoView {
    let total = Memo::new(move |_| layout.with(Layout::len));
    let scrolled = RwSignal::new(0);
    let active = RwSignal::new(0_usize);
    let rows = move || Rows { total: total.get(), scrolled: scrolled.get() };
    Effect::new(move |before: Option<()>| {
        // A different list starts at the top.
        store.perspective.track();
        store.filter.track();
        if before.is_some() {
            active.set(0);
            scrolled.set(scroll_top(LIST, Some(0)));
        }
    });
    let visible = Memo::new(move |_| rows().visible(active.get()));
    let go = move |to: usize| {
        let last = total.get_untracked().saturating_sub(1);
        let to = to.min(last);
        active.set(to);
        let rows = Rows { total: last + 1, scrolled: scroll_top(LIST, None) };
        if let Some(top) = rows.reveal(to) {
            scrolled.set(scroll_top(LIST, Some(top)));
        }
        // The row may only be on the page after this change.
        request_animation_frame(move || focus(&row::element_id(to)));
    };
    let keys = move |event: leptos::ev::KeyboardEvent| {
        let at = active.get_untracked();
        let to = match event.key().as_str() {
            "ArrowDown" => at.saturating_add(1),
            "ArrowUp" => at.saturating_sub(1),
            "PageDown" => at.saturating_add(PAGE),
            "PageUp" => at.saturating_sub(PAGE),
            "Home" => 0,
            "End" => usize::MAX,
            _ => return,
        };
        event.prevent_default();
        go(to);
    };
    let height = move || format!("{}px", total.get().saturating_mul(ROW_HEIGHT));
    view! {
        <div
            id=LIST
            class="scroller"
            on:scroll=move |_| scrolled.set(scroll_top(LIST, None))
            on:keydown=keys
        >
            <Show
                when=move || { total.get() > 0 }
                fallback=move || {
                    let has_words = store.filter.with(|filter| !filter.words.trim().is_empty());
                    let words = match store.filter.with(Filter::is_set) {
                        // The best matches above may have some of them.
                        true if has_words => t!("No message has all of these words."),
                        true => t!("No message is like that."),
                        false => t!("There are no messages."),
                    };
                    view! { <p class="hint empty">{words}</p> }
                }
            >
                <div class="rows" role="list" aria-label=t!("Messages") style:block-size=height>
                    <For each=move || visible.get() key=|index| *index let:index>
                        <RowView store layout index total active />
                    </For>
                </div>
            </Show>
        </div>
    }
}
