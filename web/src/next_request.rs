//! The next request as a panel: its steps in the order of a turn, with what each adds or takes, and texts for its context.

use epitome::turn::ContextPart;
use leptos::prelude::*;

use crate::browser::is_open;
use crate::label::reason_label;
use crate::language::t;
use crate::number::thousands;
use crate::store::{Due, NextRequest, Store};

/// The panel, closed at first.
#[component]
pub(crate) fn NextRequestPanel(store: Store) -> impl IntoView {
    let with = move |read: fn(&NextRequest) -> String| {
        Signal::derive(move || store.next_request.with(|next| next.as_ref().map(read)))
    };
    let parts = ContextPart::ALL.into_iter().enumerate();
    let parts = parts.map(|(index, part)| view! { <Provider store index part /> });
    let parts = parts.collect_view();
    let brought_back = Memo::new(move |_| {
        store.next_request.with(|next| next.as_ref().map_or(0, |next| next.brought_back))
    });
    view! {
        <details
            class="card panel next-request"
            on:toggle=move |event| store.next_request_shown.set(is_open(&event))
        >
            <summary>
                <h2>{t!("The next request")}</h2>
                <span class="hint">{t!("step by step")}</span>
            </summary>
            <p class="hint">
                {t!("A turn makes each request in this order. The texts are for the next request only: they are counted, and never stored in the conversation.")}
            </p>
            <ol aria-label=t!("Steps of the next request")>
                <Step
                    label=t!("The conversation")
                    hint=t!("as the model gets it, with tools and instructions")
                    tokens=with(|next| thousands(next.view))
                />
                <Step
                    label=t!("Transforms")
                    hint=t!("functions of an app that rewrite the messages; this page has none")
                    tokens=with(|_| "0".to_owned())
                />
                {parts}
                <Show when=move || { brought_back.get() > 0 }>
                    <Step
                        label=t!("Brought back")
                        hint=t!("quotes of messages that a compaction has replaced")
                        tokens=Signal::derive(move || {
                            Some(format!("+{}", thousands(brought_back.get())))
                        })
                    />
                </Show>
                <Step
                    label=t!("Counted")
                    hint=t!("what the meter shows")
                    tokens=with(|next| thousands(next.counted))
                />
                <Step
                    label=t!("Reducers")
                    hint=t!("what can be saved without a model")
                    tokens=with(|next| taken(next.due.map_or(0, |due| due.reduced)))
                />
                <li>
                    <span class="phase-name">
                        {t!("Triggers")}
                        <span class="hint phase-hint">
                            {move || store.next_request.with(|next| triggered(next.as_ref()?.due))}
                        </span>
                    </span>
                    <Tokens tokens=with(|next| taken(next.due.map_or(0, |due| due.summarized))) />
                </li>
                <Step
                    label=t!("The request")
                    hint=t!("which is sent")
                    tokens=with(|next| {
                        let about = if next.due.is_some() { "~" } else { "" };
                        format!("{about}{}", thousands(next.sent()))
                    })
                />
            </ol>
        </details>
    }
}

/// A step without a text of its own.
#[component]
fn Step(
    /// Its name.
    label: &'static str,
    /// What it is.
    hint: &'static str,
    /// What it adds or takes.
    tokens: Signal<Option<String>>,
) -> impl IntoView {
    view! {
        <li>
            <span class="phase-name">{label} <span class="hint phase-hint">{hint}</span></span>
            <Tokens tokens />
        </li>
    }
}

#[component]
fn Tokens(tokens: Signal<Option<String>>) -> impl IntoView {
    view! {
        <span class="step-tokens">{tokens} <span class="visually-hidden">" " {t!("tokens")}</span></span>
    }
}

/// A context provider: its text, and what that adds.
#[component]
fn Provider(
    store: Store,
    /// Its place among [`ContextPart::ALL`].
    index: usize,
    /// What it provides.
    part: ContextPart,
) -> impl IntoView {
    let id = format!("context-{}", part.as_str());
    let text = move || store.context.with(|texts| texts.get(index).cloned().unwrap_or_default());
    let type_in = move |event| {
        let typed = event_target_value(&event);
        store.context.update(|texts| {
            texts.iter_mut().skip(index).take(1).for_each(|text| text.clone_from(&typed));
        });
    };
    let tokens = Signal::derive(move || {
        store.next_request.with(|next| {
            let added = next.as_ref()?.provided.get(index).copied()?;
            Some(if added == 0 { "0".to_owned() } else { format!("+{}", thousands(added)) })
        })
    });
    view! {
        <li>
            <label for=id.clone()>{label(part)}</label>
            <Tokens tokens />
            <textarea id=id rows="1" prop:value=text on:input=type_in></textarea>
        </li>
    }
}

fn label(part: ContextPart) -> &'static str {
    match part {
        ContextPart::Identity => t!("Identity"),
        ContextPart::Date => t!("Date"),
        ContextPart::Memory => t!("Memory"),
        ContextPart::Knowledge => t!("Knowledge"),
        ContextPart::Skills => t!("Skills"),
        ContextPart::Workspace => t!("Workspace"),
    }
}

fn taken(tokens: u32) -> String {
    if tokens == 0 { "0".to_owned() } else { format!("~−{}", thousands(tokens)) }
}

fn triggered(due: Option<Due>) -> Option<String> {
    Some(match due {
        Some(due) => t!("due: {reason}", reason = reason_label(due.reason).to_lowercase()),
        None => t!("nothing due").to_owned(),
    })
}
