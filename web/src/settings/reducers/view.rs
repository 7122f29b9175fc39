//! How the reducers are shown.

use leptos::prelude::*;

use super::model::ReducerKind;
use crate::settings::SettingsState;
use crate::settings::field::{Checkbox, Options as _, Select, TextInput};

/// Every reducer with its limits.
#[component]
pub(in crate::settings) fn ReducerSettings(settings: SettingsState) -> impl IntoView {
    let reducers = ReducerKind::ALL.iter();
    reducers.map(|kind| view! { <Reducer settings kind=*kind /> }).collect_view()
}

#[component]
fn Reducer(settings: SettingsState, kind: ReducerKind) -> impl IntoView {
    let on = Memo::new(move |_| kind.switch().read(&settings.policy.read()));
    let has_share = Memo::new(move |_| kind.has_share(&settings.policy.read()));
    let fields = move || {
        let fields = kind.fields().into_iter();
        fields.map(|field| view! { <TextInput settings field /> }).collect_view()
    };
    view! {
        <Checkbox settings switch=kind.switch() />
        <Show when=move || on.get()>
            <div class="fields inset">
                <Select settings choice=kind.when() />
                <Show when=move || has_share.get()>
                    <TextInput settings field=kind.share() />
                </Show>
                {fields()}
            </div>
        </Show>
    }
}
