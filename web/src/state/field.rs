//! The text of an entry as a field, which is saved when it is left or by Enter, and the button that removes the entry.

use leptos::html::Textarea;
use leptos::prelude::*;

use crate::language::t;

/// The field. What is typed is saved by `save`, and is then what `text` says.
#[component]
pub(super) fn EntryText(
    /// Its id.
    id: String,
    /// What screen readers call it.
    label: String,
    /// The text, with marks in place of controls of direction.
    text: Memo<String>,
    /// Saves what was typed.
    save: impl Fn(String) + 'static,
) -> impl IntoView {
    let field = NodeRef::<Textarea>::new();
    let save = StoredValue::new_local(save);
    let settle = move || {
        let Some(field) = field.get_untracked() else { return };
        let typed = field.value();
        if typed != text.get_untracked() {
            save.with_value(|save| save(typed));
            // The lists may have it in another form, or refuse it.
            if let Some(saved) = text.try_get_untracked() {
                field.set_value(&saved);
            }
        }
    };
    let press = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter" && !event.is_composing() {
            event.prevent_default();
            settle();
        }
    };
    view! {
        <textarea
            node_ref=field
            id=id
            class="held-text"
            rows="2"
            dir="auto"
            aria-label=label
            prop:value=text
            on:change=move |_| settle()
            on:keydown=press
        ></textarea>
    }
}

/// The button.
#[component]
pub(super) fn Remove(
    /// What screen readers call it.
    label: String,
    /// Removes the entry.
    remove: impl Fn(leptos::ev::MouseEvent) + 'static,
) -> impl IntoView {
    view! {
        <button type="button" class="link" aria-label=label on:click=remove>
            {t!("Remove")}
        </button>
    }
}
