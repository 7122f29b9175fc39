//! The page: its layout.

mod header;
mod stages;

use leptos::prelude::*;

use crate::agents::{HeardBy, Lanes};
use crate::browser::remove;
use crate::chat::Chat;
use crate::compactions::{Compactions, Comparison};
use crate::details::Details;
use crate::doctor::Doctor;
use crate::findings::Findings;
use crate::lab::Lab;
use crate::language::t;
use crate::load::{
    Found, Sources, open_specimen, watch_counting, watch_drops, watch_pastes, watch_tabs,
};
use crate::messages::Messages;
use crate::meter::{Legend, Meter};
use crate::next_request::NextRequestPanel;
use crate::preview::Preview;
use crate::result::Outcome;
use crate::run::{Act, CompleteTask, Phases, Start};
use crate::settings::{Settings, find_summarizer};
use crate::shortcuts::{Shortcuts, watch_keys};
use crate::state::StateAndMemory;
use crate::store::Store;
use crate::strip::Strip;
use crate::survives::Survives;
use header::Header;
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
    open_specimen(store, found);
    watch_keys(store, found);
    let loaded = Memo::new(move |_| store.document.with(Option::is_some));
    let stages = Stages::after(loaded);
    Effect::new(move |_| {
        if stages.is_done() || store.load_error.with(Option::is_some) {
            remove(FIRST_PAINT);
        }
    });
    let loading = Memo::new(move |_| store.loading.with(Option::is_some));
    view! {
        <a class="skip" href="#main">{t!("Skip to content")}</a>
        <Header store />
        <main id="main" tabindex="-1" class:dragging=dragging aria-busy=move || loading.get().to_string()>
            <Sources store found />
            <Show when=stages.has(1)>
                <Workbench store stages />
            </Show>
        </main>
        <footer class="footer">
            <p>
                {t!("No data leaves this page, except what is sent to the summarizer that you choose.")} " "
                {t!("Figures with a “~” are estimates.")}
            </p>
        </footer>
        <Show when=stages.has(8)>
            <Details store />
            <Comparison store />
            <HeardBy store />
            <Shortcuts />
            <Doctor store found />
            <Lab store />
        </Show>
        <div class="drop-veil" hidden=move || !dragging.get() aria-hidden="true">
            <p>{t!("Drop the conversation anywhere")}</p>
        </div>
        <div class="visually-hidden" role="status" aria-live="polite">{store.announcement}</div>
    }
}

/// A loaded conversation.
#[component]
fn Workbench(store: Store, stages: Stages) -> impl IntoView {
    let tokens = move || store.pressure.get().map(|pressure| pressure.tokens);
    let tokens = Signal::derive(tokens);
    let format = Signal::derive(move || {
        store.document.track();
        store.read(|session| session.format().as_str())
    });
    view! {
        <section class="instrument card" aria-labelledby="meter-heading">
            <h2 id="meter-heading" class="visually-hidden">{t!("The window")}</h2>
            <Meter store>
                <Act store />
            </Meter>
            <Outcome store />
        </section>
        <Show when=stages.has(2)>
            <section class="shape card" aria-label=t!("What it consists of")>
                <Strip store />
                <Legend store />
            </section>
            <Lanes store />
        </Show>
        <div class="columns">
            <div class="column-act">
                <Show when=stages.has(3)>
                    <section class="card" aria-labelledby="compact-heading">
                        <Preview store />
                        <Start store />
                        <CompleteTask store />
                    </section>
                </Show>
            </div>
            <div class="column-keep">
                <Show when=stages.has(4)>
                    <Survives store />
                    <StateAndMemory store />
                    <Compactions store />
                </Show>
            </div>
            <div class="column-read">
                <Show when=stages.has(5)>
                    <Messages store />
                    <Chat store />
                    <Findings store />
                </Show>
            </div>
            <div class="column-set">
                <Show when=stages.has(6)>
                    <Settings settings=store.settings tokens format />
                </Show>
                <Show when=stages.has(7)>
                    <NextRequestPanel store />
                    <Phases store />
                </Show>
            </div>
        </div>
    }
}
