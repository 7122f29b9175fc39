//! A dialog over the page, with a heading and a button that closes it.

use leptos::prelude::*;

use crate::browser::{self, MAIN, close_dialog, focus_instead_of_nothing, open_dialog};
use crate::language::t;

/// A dialog. The element that opened it gets the focus when it is closed, and if that is gone, the page's main part. Escape closes it.
#[component]
pub(crate) fn Dialog(
    id: &'static str,
    class: &'static str,
    /// Opens and closes it. Without, `open_dialog` does.
    #[prop(optional, into)]
    is_open: Option<Signal<bool>>,
    /// Runs when it was closed.
    #[prop(optional, into)]
    on_close: Option<Callback<()>>,
    /// Begins with a [`DialogHead`].
    children: Children,
) -> impl IntoView {
    if let Some(is_open) = is_open {
        Effect::new(move |_| match is_open.get() {
            true => open_dialog(id),
            false => close_dialog(id),
        });
    }
    let close = move |event| {
        // It comes in a task of its own, when the dialog may be open again.
        if browser::is_open(&event) {
            return;
        }
        if let Some(on_close) = on_close {
            on_close.run(());
        }
        focus_instead_of_nothing(MAIN);
    };
    view! {
        <dialog id=id class=class aria-labelledby=heading_id(id) on:close=close>
            {children()}
        </dialog>
    }
}

/// The head of the dialog with this id: its heading, what stands below that, and “Close”.
#[component]
pub(crate) fn DialogHead(
    of: &'static str,
    #[prop(into)] title: String,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    view! {
        <div class="details-head">
            <div>
                <h2 id=heading_id(of)>{title}</h2>
                {children.map(|children| children())}
            </div>
            <button type="button" class="button quiet" on:click=move |_| close_dialog(of)>
                {t!("Close")}
            </button>
        </div>
    }
}

fn heading_id(dialog: &str) -> String {
    format!("{dialog}-heading")
}
