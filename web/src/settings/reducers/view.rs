//! What saves tokens without a model.

use leptos::prelude::*;

use super::field::{Field, Select, Toggle};
use crate::form::ReducerKind;
use crate::store::Store;

/// Each reducer with its numbers.
#[component]
pub(super) fn Reducers(store: Store) -> impl IntoView {
    ReducerKind::ALL.map(|kind| view! { <Reducer store kind /> })
}

#[component]
fn Reducer(store: Store, kind: ReducerKind) -> impl IntoView {
    let works = Memo::new(move |_| kind.switch().read(&store.policy.read()));
    let has_share = Memo::new(move |_| kind.has_share(&store.policy.read()));
    view! {
        <Toggle store switch=kind.switch() />
        <Show when=move || works.get()>
            <div class="fields inset">
                <Select store choice=kind.when() />
                <Show when=move || has_share.get()>
                    <Field store entry=kind.share() />
                </Show>
                {kind.entries().into_iter().map(|entry| view! { <Field store entry /> }).collect_view()}
            </div>
        </Show>
    }
}
