//! What can be done with a message: to have it answered again, to send it in other words, and to show its other versions.

use epitome::message::MessageId;
use leptos::prelude::*;

use super::composer::FIELD;
use crate::browser::{focus, focus_instead_of_nothing, reveal};
use crate::driver;
use crate::language::t;
use crate::store::{Repeatable, Store, Versions};

/// The buttons for the message at a position.
#[component]
pub(crate) fn Offer(
    store: Store,
    position: usize,
    /// What the ids of its elements begin with: a message may be shown twice.
    place: &'static str,
    /// Whether its text is being edited, in the place where it stands.
    editing: RwSignal<bool>,
    /// Runs when something was done, before the focus goes to the chat.
    #[prop(into)]
    on_done: Callback<()>,
) -> impl IntoView {
    let (repeatable, versions) =
        store.read(|session| (session.repeatable(position), session.versions(position)));
    let edit_id = format!("{place}-edit-{position}");
    let again = move |_| {
        on_done.run(());
        go_to_chat();
        driver::answer_again(store, position);
    };
    let disabled = move || store.is_locked();
    let edit = {
        let id = edit_id.clone();
        (repeatable == Some(Repeatable::Request)).then(|| {
            view! {
                <button
                    type="button"
                    class="slight"
                    id=id
                    hidden=move || editing.get()
                    disabled=disabled
                    on:click=move |_| editing.set(true)
                >
                    {t!("Edit")}
                </button>
            }
        })
    };
    let again = (repeatable == Some(Repeatable::Answer)).then(|| {
        view! {
            <button type="button" class="slight" disabled=disabled on:click=again>
                {t!("Answer again")}
            </button>
        }
    });
    view! {
        <div class="offer">
            {versions.map(|versions| view! { <Steps store position place versions /> })}
            {edit}
            {again}
        </div>
        <Show when=move || editing.get()>
            <Reword store position place editing on_done edit_id=edit_id.clone() />
        </Show>
    }
}

/// Has the chat in view, with the focus in its field. At the next frame: a dialog gives the focus back when it closes.
fn go_to_chat() {
    focus(FIELD);
    request_animation_frame(|| {
        focus(FIELD);
        reveal(super::HEADING);
    });
}

/// Two buttons, between which the number of the shown version stands.
#[component]
fn Steps(store: Store, position: usize, place: &'static str, versions: Versions) -> impl IntoView {
    let Versions { ids, shown } = versions;
    let (number, all) = (shown + 1, ids.len());
    let (earlier, later) =
        (format!("{place}-earlier-{position}"), format!("{place}-later-{position}"));
    let before = shown.checked_sub(1).and_then(|before| ids.get(before).cloned());
    let behind = ids.get(shown + 1).cloned();
    view! {
        <span class="versions" role="group" aria-label=t!("Versions")>
            <Step
                store
                sign="‹"
                label=t!("Earlier version")
                id=earlier.clone()
                other=later.clone()
                to=before
            />
            <span>{t!("{number} of {all}", number, all)}</span>
            <Step store sign="›" label=t!("Later version") id=later other=earlier to=behind />
        </span>
    }
}

/// A button that shows another version.
#[component]
fn Step(
    store: Store,
    sign: &'static str,
    label: &'static str,
    id: String,
    /// The id of the button in the other direction.
    other: String,
    /// The version that it shows; `None` at the end.
    to: Option<MessageId>,
) -> impl IntoView {
    let is_end = to.is_none();
    let go = {
        let id = id.clone();
        move |_| {
            let Some(to) = &to else { return };
            driver::show_version(store, to);
            // The buttons are made anew for the version that is shown, and the one at the end cannot have the focus.
            let (id, other) = (id.clone(), other.clone());
            request_animation_frame(move || {
                focus(&other);
                focus(&id);
                focus_instead_of_nothing(FIELD);
            });
        }
    };
    view! {
        <button
            type="button"
            class="slight"
            id=id
            aria-label=label
            disabled=move || is_end || store.is_locked()
            on:click=go
        >
            {sign}
        </button>
    }
}

/// The field with the message in other words.
#[component]
fn Reword(
    store: Store,
    position: usize,
    place: &'static str,
    editing: RwSignal<bool>,
    on_done: Callback<()>,
    /// The id of the button that gets the focus back.
    edit_id: String,
) -> impl IntoView {
    let said = store.read(|session| session.message(position).map(|message| message.text()));
    let text = RwSignal::new(said.unwrap_or_default());
    let id = format!("{place}-reword-{position}");
    let end = {
        let edit_id = edit_id.clone();
        move || {
            editing.set(false);
            let edit_id = edit_id.clone();
            request_animation_frame(move || focus(&edit_id));
        }
    };
    let send = move || {
        let said = text.get_untracked().trim().to_owned();
        if !said.is_empty() {
            editing.set(false);
            on_done.run(());
            go_to_chat();
            driver::reword(store, position, &said);
        }
    };
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        send();
    };
    let cancel = end.clone();
    let keys = move |event: leptos::ev::KeyboardEvent| match event.key().as_str() {
        "Escape" => {
            // A dialog around it stays open.
            event.prevent_default();
            event.stop_propagation();
            end();
        }
        "Enter" if !event.shift_key() && !event.is_composing() => {
            event.prevent_default();
            send();
        }
        _ => {}
    };
    let field = id.clone();
    request_animation_frame(move || focus(&field));
    view! {
        <form class="reword" on:submit=submit>
            <textarea
                id=id
                rows="3"
                dir="auto"
                aria-label=t!("Your message in other words")
                prop:value=text
                on:input=move |event| text.set(event_target_value(&event))
                on:keydown=keys
            ></textarea>
            <div class="chat-row">
                <button type="submit" class="button" disabled=move || store.is_locked()>
                    {t!("Send")}
                </button>
                <button type="button" class="button" on:click=move |_| cancel()>
                    {t!("Cancel")}
                </button>
            </div>
        </form>
    }
}
