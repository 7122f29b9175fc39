//! The summary before it is used: the user reads it, changes it, and sees what of it is in no message.

use leptos::prelude::*;

use super::facts::nothing_made_up;
use crate::browser::{focus, focus_instead_of_nothing, reveal};
use crate::direction::marked;
use crate::driver;
use crate::language::t;
use crate::run::CANCEL_BUTTON;
use crate::store::{Draft, Store};

/// The id of the field. It has the focus when the summary is written.
const FIELD: &str = "summary-draft";

/// The summary in a field, checked while it is changed.
#[component]
pub(super) fn DraftField(store: Store, draft: Draft) -> impl IntoView {
    let text = RwSignal::new(draft.text.clone());
    let (written, original) = (draft.text.clone(), draft.text.clone());
    let is_changed = Memo::new(move |_| text.with(|text| *text != written));
    let unsupported = Memo::new(move |_| {
        let Draft { text, notes, .. } = draft.clone().with(text.get());
        store.read(|session| Some(session.compactor()?.unsupported_in(&text, &notes)))
    });
    let verdict = move || {
        let names = unsupported.get().unwrap_or_default();
        match names.is_empty() {
            true => nothing_made_up().into_any(),
            false => view! {
                <p class="verdict" data-verdict="bad">
                    {t!("In no message: {names}", names = marked(&names.join(", ")))}
                </p>
            }
            .into_any(),
        }
    };
    let reset = move |_| {
        text.set(original.clone());
        focus(FIELD);
    };
    request_animation_frame(|| {
        focus(FIELD);
        reveal(FIELD);
    });
    view! {
        <div class="draft" role="group" aria-label=t!("The summary before it is used")>
            {verdict}
            <label for=FIELD>{t!("The summary, which you can change")}</label>
            <textarea
                id=FIELD
                rows="12"
                dir="auto"
                prop:value=text
                on:input=move |event| text.set(event_target_value(&event))
            ></textarea>
            <div class="result-actions">
                <button
                    type="button"
                    class="button primary"
                    aria-disabled=move || text.with(|text| text.trim().is_empty()).to_string()
                    on:click=move |_| {
                        driver::use_draft(store, text.get_untracked());
                        // The field and its buttons are gone.
                        focus_instead_of_nothing(CANCEL_BUTTON);
                    }
                >
                    {t!("Use this summary")}
                </button>
                <button
                    type="button"
                    class="button"
                    disabled=move || !is_changed.get()
                    on:click=reset
                >
                    {t!("As it was written")}
                </button>
                <button type="button" class="button" on:click=move |_| driver::cancel(store)>
                    {t!("Cancel")}
                </button>
            </div>
        </div>
    }
}
