//! The page: its layout.

mod header;
mod panel;
mod stages;

use std::time::Duration;

use leptos::prelude::*;

use crate::browser::remove;
use crate::language::t;
use crate::load::{
    Found, Sources, open_specimen, watch_counting, watch_drops, watch_pastes, watch_tabs,
};
use crate::meter::Meter;
use crate::result::Outcome;
use crate::run::Act;
use crate::settings::find_summarizer;
use crate::store::Store;
use header::Header;
use panel::Panel;
use stages::Stages;

/// The id of what `index.html` shows until a conversation is loaded.
const FIRST_PAINT: &str = "first-paint";

/// The page.
#[component]
pub(crate) fn App() -> impl IntoView {
    let store = Store::new();
    let found: Found = StoredValue::new_local(Vec::new());
    let dragging = RwSignal::new(false);
    store.watch_settings();
    watch_counting(store);
    find_summarizer(store.settings);
    watch_drops(store, found, dragging);
    watch_pastes(store, found);
    watch_tabs(store);
    let loaded = Memo::new(move |_| store.document.with(Option::is_some));
    let stages = Stages::after(store, loaded);
    Effect::new(move |_| {
        if stages.is_done() || store.load_error.with(Option::is_some) {
            remove(FIRST_PAINT);
        }
    });
    let loading = Memo::new(move |_| store.loading.with(Option::is_some));
    let has_header = RwSignal::new(false);
    // Each in a task of its own: together they would be the longest one of the page.
    set_timeout(move || open_specimen(store, found), Duration::ZERO);
    set_timeout(move || has_header.set(true), Duration::ZERO);
    view! {
        <a class="skip" href="#main">{t!("Skip to content")}</a>
        <Header store />
        <main id="main" tabindex="-1" class:dragging=dragging aria-busy=move || loading.get().to_string()>
            <Show when=move || has_header.get()>
                <Sources store found />
            </Show>
            <Show when=stages.has(1)>
                <Workbench store found stages />
            </Show>
        </main>
        <footer class="footer">
            <p>
                {t!("No data leaves this page, except what is sent to the summarizer that you choose.")} " "
                {t!("Figures with a “~” are estimates.")}
            </p>
        </footer>
        <Show when=stages.has(8)>{move || stages.build(Panel::Dialogs, store, found)}</Show>
        <div class="drop-veil" hidden=move || !dragging.get() aria-hidden="true">
            <p>{t!("Drop the conversation anywhere")}</p>
        </div>
        <div class="visually-hidden" role="status" aria-live="polite">{store.announcement}</div>
    }
}

/// A loaded conversation.
#[component]
fn Workbench(store: Store, found: Found, stages: Stages) -> impl IntoView {
    let panel = move |panel: Panel| move || stages.build(panel, store, found);
    view! {
        <section class="instrument card" aria-labelledby="meter-heading">
            <h2 id="meter-heading" class="visually-hidden">{t!("The window")}</h2>
            <Meter store>
                <Act store />
            </Meter>
            <Outcome store />
        </section>
        <Show when=stages.has(2)>{panel(Panel::Shape)}</Show>
        <div class="columns">
            <div class="column-act">
                <Show when=stages.has(3)>{panel(Panel::Start)}</Show>
            </div>
            <div class="column-keep">
                <Show when=stages.has(4)>{panel(Panel::Kept)}</Show>
            </div>
            <div class="column-read">
                <Show when=stages.has(5)>{panel(Panel::Messages)}</Show>
            </div>
            <div class="column-set">
                <Show when=stages.has(6)>{panel(Panel::Settings)}</Show>
                <Show when=stages.has(7)>{panel(Panel::NextRequest)}</Show>
            </div>
        </div>
    }
}
