//! The agents of a team, one lane each: what it sees, how full its window is, and its own compactions.

mod heard;

use std::fmt::Write as _;

use leptos::prelude::*;

use crate::browser::focus;
use crate::driver;
use crate::language::t;
use crate::number::{percent, plural, thousands};
use crate::store::{Lane, Sight, Store};
pub(crate) use heard::HeardBy;

/// The lanes, if the conversation has messages that are only for some.
#[component]
pub(crate) fn Lanes(store: Store) -> impl IntoView {
    let any = Memo::new(move |_| store.lanes.with(|lanes| !lanes.is_empty()));
    let names = Memo::new(move |_| {
        store.lanes.with(|lanes| lanes.iter().map(|lane| lane.name.clone()).collect::<Vec<_>>())
    });
    view! {
        <Show when=move || any.get()>
            <section class="lanes card" aria-labelledby="lanes-heading">
                <h2 id="lanes-heading">{t!("Who sees what")}</h2>
                <p class="hint">
                    {t!("One log, a view of its own for each agent. What is only for some is in no view, plan, summary or receipt of the others, and a compaction of one changes no other’s view.")}
                </p>
                <ul class="lane-list" aria-labelledby="lanes-heading">
                    <For each=move || names.get() key=Clone::clone let:name>
                        <LaneRow store name />
                    </For>
                </ul>
                <Key />
            </section>
        </Show>
    }
}

/// What the marks of a lane mean.
#[component]
fn Key() -> impl IntoView {
    let entries = Sight::SHOWN.map(|sight| {
        view! {
            <li class="legend-entry">
                <span class="swatch" data-sight=sight.as_str() aria-hidden="true"></span>
                {sight.label()}
            </li>
        }
    });
    view! { <ul class="strip-key" aria-label=t!("What the marks mean")>{entries}</ul> }
}

#[component]
fn LaneRow(store: Store, name: String) -> impl IntoView {
    let own = name.clone();
    let lane = Memo::new(move |_| {
        store.lanes.with(|lanes| lanes.iter().find(|lane| lane.name == own).cloned())
    });
    let figures = move || {
        lane.get().map(|lane| {
            let pressure = &lane.pressure;
            let about = if pressure.exact { "" } else { "~" };
            t!(
                "{tokens} of {window} tokens ({fill})",
                tokens = format!("{about}{}", thousands(pressure.tokens)),
                window = thousands(pressure.window),
                fill = percent(pressure.fill)
            )
        })
    };
    let task = move || {
        let is_due = lane.with(|lane| lane.as_ref().is_some_and(|lane| lane.is_transition_due));
        is_due.then(
            || view! { <span class="badge" data-action="summarized">{t!("task completed")}</span> },
        )
    };
    let picture = move || lane.get().map(|lane| view! { <Picture lane /> });
    let fill = move || {
        let fill = lane.get().map_or(0.0, |lane| lane.pressure.fill);
        format!("{:.1}%", fill.clamp(0.0, 1.0) * 100.0)
    };
    let is_idle = move || lane.with(|lane| lane.as_ref().is_none_or(|lane| !lane.is_compactable));
    let is_compacted = Memo::new(move |_| {
        lane.with(|lane| lane.as_ref().is_some_and(|lane| lane.compactions > 0))
    });
    let compact = {
        let name = name.clone();
        move |_| {
            if !is_idle() {
                driver::compact_agent(store, &name);
            }
        }
    };
    let read = {
        let name = name.clone();
        move |_| store.heard_by.set(Some(name.clone()))
    };
    let undo = name.clone();
    let undo_name = name.clone();
    view! {
        <li class="lane">
            <div class="lane-head">
                <strong class="lane-name">{name.clone()}</strong>
                <span class="figures">{figures} " " {task}</span>
                <span class="lane-fill" aria-hidden="true"><span style:inline-size=fill></span></span>
            </div>
            {picture}
            <div class="lane-actions">
                <button
                    type="button"
                    class="link"
                    aria-label=t!("Read what {name} gets", name)
                    on:click=read
                >
                    {t!("Read")}
                </button>
                <button
                    type="button"
                    class="link"
                    id=compact_button(&name)
                    aria-label=t!("Compact for {name}", name)
                    aria-disabled=move || is_idle().to_string()
                    on:click=compact
                >
                    {t!("Compact")}
                </button>
                <Show when=move || is_compacted.get()>
                    {
                        let undo = undo.clone();
                        view! {
                            <button
                                type="button"
                                class="link"
                                aria-label=t!("Undo the compaction for {name}", name = undo_name)
                                on:click=move |_| {
                                    driver::undo_agent(store, &undo);
                                    // This button is gone.
                                    let compact = compact_button(&undo);
                                    request_animation_frame(move || focus(&compact));
                                }
                            >
                                {t!("Undo")}
                            </button>
                        }
                    }
                </Show>
            </div>
        </li>
    }
}

/// The id of the button that compacts for an agent.
fn compact_button(name: &str) -> String {
    format!("compact-for-{name}")
}

/// The messages of the document in a row, as the agent has them.
#[component]
fn Picture(lane: Lane) -> impl IntoView {
    let columns = lane.sights.len().max(1);
    let paths = Sight::SHOWN.map(|sight| {
        let mut path = String::new();
        for (index, _) in lane.sights.iter().enumerate().filter(|(_, own)| **own == sight) {
            // Writing to a string cannot fail.
            let _ = match sight {
                Sight::Private => write!(path, "M{index}.1 0h.8v10h-.8z"),
                Sight::Summarized => write!(path, "M{index}.1 8h.8v2h-.8z"),
                Sight::Shared | Sight::Hidden => write!(path, "M{index}.1 4h.8v6h-.8z"),
            };
        }
        (!path.is_empty()).then(|| view! { <path data-sight=sight.as_str() d=path></path> })
    });
    view! {
        <svg
            class="lane-picture"
            viewBox=format!("0 0 {columns} 10")
            preserveAspectRatio="none"
            role="img"
            aria-label=described(&lane)
        >
            {paths}
        </svg>
    }
}

/// The picture in words.
fn described(lane: &Lane) -> String {
    let mut words = t!(
        "{name}: {messages} for everyone, {private} only for some",
        name = lane.name,
        messages = plural(lane.number(Sight::Shared), "message", "messages"),
        private = thousands(lane.number(Sight::Private))
    );
    let summarized = lane.number(Sight::Summarized);
    if summarized > 0 {
        words = t!("{list}, {number} in its summary", list = words, number = thousands(summarized));
    }
    let hidden = lane.number(Sight::Hidden);
    if hidden > 0 {
        words = t!("{list}, {number} hidden from it", list = words, number = thousands(hidden));
    }
    words
}
