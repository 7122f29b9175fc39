//! When to compact and how far, and what else calls for it while a request runs.

use leptos::prelude::*;

use super::field::{Field, Select, Toggle};
use crate::form::{
    TriggerKind, at_messages, at_share, at_tokens, instead_tokens, output_reserve, phase, reactive,
    reactive_entries, request_boundary, request_entries, safety_margin, target, trigger_kind,
};
use crate::store::Store;

/// The main trigger.
#[component]
pub(super) fn When(store: Store) -> impl IntoView {
    let kind = Memo::new(move |_| TriggerKind::of(&store.policy.read()));
    let is = move |wanted: TriggerKind| move || kind.get() == wanted;
    let share = move || matches!(kind.get(), TriggerKind::Share | TriggerKind::Budget);
    view! {
        <fieldset class="group when">
            <legend>"When, and how far"</legend>
            <Select store choice=trigger_kind() />
            <div class="fields">
                <Show when=share>
                    <Field store entry=at_share() />
                </Show>
                <Show when=is(TriggerKind::Tokens)>
                    <Field store entry=at_tokens() />
                </Show>
                <Show when=is(TriggerKind::Messages)>
                    <Field store entry=at_messages() />
                </Show>
                <Show when=is(TriggerKind::Share)>
                    <Field store entry=instead_tokens() />
                </Show>
                <Show when=is(TriggerKind::Budget)>
                    <Field store entry=output_reserve() />
                    <Field store entry=safety_margin() />
                </Show>
                <Field store entry=target() />
                <Show when=move || kind.get() != TriggerKind::Manual>
                    <Select store choice=phase() />
                </Show>
            </div>
            <p class="hint">"Shares are shares of the window."</p>
        </fieldset>
    }
}

/// The triggers of requests.
#[component]
pub(super) fn Requests(store: Store) -> impl IntoView {
    let begins = Memo::new(move |_| request_boundary().read(&store.policy.read()));
    let reacts = Memo::new(move |_| reactive().read(&store.policy.read()));
    view! {
        <Toggle store switch=request_boundary() />
        <Show when=move || begins.get()>
            <div class="fields inset">
                {request_entries().map(|entry| view! { <Field store entry /> })}
            </div>
        </Show>
        <Toggle store switch=reactive() />
        <Show when=move || reacts.get()>
            <div class="fields inset">
                {reactive_entries().map(|entry| view! { <Field store entry /> })}
            </div>
        </Show>
    }
}
