//! What the page shows after its first screen, and how compactions run. The code of it is a file of its own, which is fetched once
//! that screen can be used.

use leptos::prelude::*;

use crate::agents::{HeardBy, Lanes};
use crate::chat::Chat;
use crate::compactions::{Compactions, Comparison};
use crate::details::Details;
use crate::doctor::Doctor;
use crate::driver;
use crate::findings::Findings;
use crate::lab::Lab;
use crate::language::t;
use crate::load::Found;
use crate::messages::Messages;
use crate::meter::Legend;
use crate::next_request::NextRequestPanel;
use crate::preview::Preview;
use crate::run::{CompleteTask, Phases, Start};
use crate::settings::Settings;
use crate::shortcuts::{Shortcuts, watch_keys};
use crate::state::StateAndMemory;
use crate::store::Store;
use crate::strip::Strip;
use crate::survives::Survives;

/// A part of the page.
#[derive(Clone, Copy, Debug)]
pub(super) enum Panel {
    Shape,
    Start,
    Kept,
    Messages,
    Settings,
    NextRequest,
    Dialogs,
}

/// What is fetched.
#[derive(Clone, Copy)]
pub(super) struct Later {
    /// Builds a part of the page.
    pub(super) build: fn(Panel, Store, Found) -> AnyView,
    /// Does what the engine asks for, as asking for summaries.
    pub(super) handle_outputs: fn(Store),
}

impl Later {
    const fn new() -> Self {
        Self { build, handle_outputs: driver::handle_outputs }
    }
}

/// The file could not be fetched; the browser's console says why.
#[derive(Debug)]
pub(super) struct NotFetched;

#[cfg(feature = "split")]
impl From<leptos::wasm_split::SplitLoaderError> for NotFetched {
    fn from(_: leptos::wasm_split::SplitLoaderError) -> Self {
        Self
    }
}

/// Fetches it, in a page of two files. What only this function refers to is in the second one.
#[cfg(feature = "split")]
#[leptos::wasm_split::wasm_split(panels, wasm_split_path = ::leptos::wasm_split, fallible)]
pub(super) fn fetch() -> Result<Later, NotFetched> {
    Ok(Later::new())
}

/// The same in a page of one file.
#[cfg(not(feature = "split"))]
pub(super) async fn fetch() -> Result<Later, NotFetched> {
    Ok(Later::new())
}

fn build(panel: Panel, store: Store, found: Found) -> AnyView {
    match panel {
        Panel::Shape => {
            watch_keys(store, found);
            view! {
                <section class="shape card" aria-label=t!("What it consists of")>
                    <Strip store />
                    <Legend store />
                </section>
                <Lanes store />
            }
            .into_any()
        }
        Panel::Start => view! {
            <section class="card" aria-labelledby="compact-heading">
                <Preview store />
                <Start store />
                <CompleteTask store />
            </section>
        }
        .into_any(),
        Panel::Kept => view! {
            <Survives store />
            <StateAndMemory store />
            <Compactions store />
        }
        .into_any(),
        Panel::Messages => view! {
            <Messages store />
            <Chat store />
            <Findings store />
        }
        .into_any(),
        Panel::Settings => {
            let tokens = move || store.pressure.get().map(|pressure| pressure.tokens);
            let tokens = Signal::derive(tokens);
            let format = Signal::derive(move || {
                store.document.track();
                store.read(|session| session.format().as_str())
            });
            view! { <Settings settings=store.settings tokens format /> }.into_any()
        }
        Panel::NextRequest => view! {
            <NextRequestPanel store />
            <Phases store />
        }
        .into_any(),
        Panel::Dialogs => view! {
            <Details store />
            <Comparison store />
            <HeardBy store />
            <Shortcuts />
            <Doctor store found />
            <Lab store />
        }
        .into_any(),
    }
}
