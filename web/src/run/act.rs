//! What can be done now, always in view: compact, decide, or cancel.

use leptos::prelude::*;

use super::decision::Decision;
use super::progress::Running;
use super::{COMPACT_BUTTON, COMPACT_FORM};
use crate::browser::{focus, focus_instead_of_nothing, is_there};
use crate::driver;
use crate::language::t;
use crate::number::{count, plural};
use crate::settings::Summarizer;
use crate::store::Store;

/// The button that compacts, the decision before a summary is requested, or the running compaction.
#[component]
pub(crate) fn Act(store: Store) -> impl IntoView {
    let running = Memo::new(move |_| store.progress.with(Option::is_some));
    let deciding = Memo::new(move |_| store.live.deciding.with(Option::is_some));
    view! {
        <Show when=move || deciding.get()>
            <Decision store />
        </Show>
        <Show when=move || running.get()>
            <Running store />
        </Show>
        <Show when=move || !running.get() && !deciding.get()>
            <Compact store />
        </Show>
    }
}

/// True if there is nothing to compact or the settings are not valid.
pub(super) fn is_blocked(store: Store) -> bool {
    store.settings.error.with(Option::is_some)
        || store.plan.with(|plan| plan.as_ref().is_none_or(|plan| plan.idle.is_some()))
}

/// The button. It belongs to the form with the settings of this one compaction.
#[component]
fn Compact(store: Store) -> impl IntoView {
    let is_following = store.keeping.is_following;
    let is_asked_for = StoredValue::new(false);
    Effect::new(move |_| {
        // The button that asked for it is gone then.
        if !is_following.get() && is_asked_for.get_value() {
            is_asked_for.set_value(false);
            focus_instead_of_nothing(COMPACT_BUTTON);
        }
    });
    let wait = move |_| store.live.is_wanted.set(!is_there(COMPACT_FORM));
    let edit_here = move |_| {
        is_asked_for.set_value(true);
        driver::edit_here(store);
    };
    view! {
        <p id="summarized-by" class="hint">
            <Show when=move || is_following.get() fallback=move || view! { <SummarizedBy store /> }>
                {t!("Another tab edits this conversation.")} " "
                <button type="button" class="link" on:click=edit_here>{t!("Edit here")}</button>
            </Show>
        </p>
        <button
            id=COMPACT_BUTTON
            form=COMPACT_FORM
            type="submit"
            class="button primary large"
            aria-disabled=move || (is_blocked(store) || store.is_locked()).to_string()
            aria-busy=move || store.live.is_wanted.get().then_some("true")
            aria-describedby="summarized-by"
            on:click=wait
        >
            {t!("Compact now")}
        </button>
    }
}

/// What writes the summaries.
#[component]
fn SummarizedBy(store: Store) -> impl IntoView {
    view! {
        {move || {
            let summarizer = store.settings.summarizer.with(Summarizer::described);
            t!("Summarized by {summarizer}.", summarizer)
        }}
        " "
        <a href="#summarizer-heading">{t!("Change")}</a>
        <Scope store />
    }
}

/// What is chosen for this compaction alone.
#[component]
fn Scope(store: Store) -> impl IntoView {
    let choice = store.choice;
    let end = move || {
        let end = choice.end()?;
        let number = store.read(|session| session.number(end))?;
        Some(t!("It ends behind message {number}.", number))
    };
    let exempt = move || {
        let exempt = count(choice.exempted());
        (exempt > 0).then(|| {
            let messages = plural(exempt, "message", "messages");
            t!("Exempt: {messages}.", messages)
        })
    };
    let chosen = move || {
        let chosen: Vec<String> = [end(), exempt()].into_iter().flatten().collect();
        (!chosen.is_empty()).then(|| chosen.join(" "))
    };
    let is_chosen = Memo::new(move |_| chosen().is_some());
    let clear = move |_| {
        choice.clear();
        focus(COMPACT_BUTTON);
    };
    view! {
        <Show when=move || is_chosen.get()>
            " "
            <span class="chosen-scope">{chosen}</span>
            " "
            <button type="button" class="link" on:click=clear>{t!("Leave it to the settings")}</button>
        </Show>
    }
}
