//! The settings that matter: the window, when and how far to compact, and who summarizes.

mod field;
mod policy;
mod summarizer;

use leptos::prelude::*;

use crate::store::Store;
use policy::PolicySettings;
use summarizer::SummarizerSettings;
pub(crate) use summarizer::find_summarizer;

/// All settings.
#[component]
pub(crate) fn Settings(store: Store) -> impl IntoView {
    view! {
        <section class="settings card" aria-labelledby="settings-heading">
            <h2 id="settings-heading">"Settings"</h2>
            <PolicySettings store />
            <SummarizerSettings store />
        </section>
    }
}
