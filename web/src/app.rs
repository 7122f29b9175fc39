//! The page: its layout.

mod header;

use leptos::prelude::*;

use crate::details::Details;
use crate::findings::Findings;
use crate::load::{Found, Load, Loaded, watch_counting, watch_drops};
use crate::messages::Messages;
use crate::meter::Meter;
use crate::preview::Preview;
use crate::result::Outcome;
use crate::run::{Phases, Run};
use crate::settings::{Settings, find_summarizer};
use crate::store::Store;
use header::Header;

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
    let loaded = Memo::new(move |_| store.document.with(Option::is_some));
    let tokens = move || store.pressure.get().map(|pressure| pressure.tokens);
    let tokens = Signal::derive(tokens);
    view! {
        <a class="skip" href="#main">"Skip to content"</a>
        <Header />
        <main id="main" tabindex="-1" class:dragging=dragging>
            <Show when=move || loaded.get() fallback=move || view! { <Load store found /> }>
                <div class="workbench">
                    <Loaded store found />
                    <Meter store />
                    <div class="columns">
                        <div class="column-act">
                            <section class="card" aria-labelledby="compact-heading">
                                <Preview store />
                                <Run store />
                            </section>
                            <Outcome store />
                            <Phases store />
                        </div>
                        <div class="column-read">
                            <Messages store />
                            <Findings store />
                        </div>
                        <div class="column-set">
                            <Settings settings=store.settings tokens announcement=store.announcement />
                        </div>
                    </div>
                </div>
            </Show>
        </main>
        <footer class="footer">
            <p>
                "No data leaves this page, except what is sent to the summarizer that you choose. "
                "Figures with a “~” are estimates."
            </p>
        </footer>
        <Details store />
        <div class="drop-veil" hidden=move || !dragging.get() aria-hidden="true">
            <p>"Drop the conversation anywhere"</p>
        </div>
        <div class="visually-hidden" role="status" aria-live="polite">{store.announcement}</div>
    }
}
