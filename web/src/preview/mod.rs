//! What a compaction would do, before anything is done.

use std::sync::Arc;

use epitome::Level;
use epitome::{Action, Plan};
use leptos::prelude::*;

use crate::load::tight_window;
use crate::messages::action::words;
use crate::number::{change, count, plural, share, thousands};
use crate::store::Store;

/// The plan, live.
#[component]
pub(crate) fn Preview(store: Store) -> impl IntoView {
    // While a compaction runs, the plan that it carries out stays on display.
    view! {
        <div class="preview">
            <h2 id="compact-heading">"What a compaction would do"</h2>
            {move || store.plan.get().map(|plan| view! { <Forecast store plan /> })}
        </div>
    }
}

#[component]
fn Forecast(store: Store, plan: Arc<Plan>) -> impl IntoView {
    let tokens = plan.tokens_before;
    let roomy =
        move || store.pressure.with(|pressure| pressure.is_some_and(|p| p.level == Level::Ok));
    let tighten = move |_| {
        store.settings.update(|settings| settings.set_window(tight_window(tokens)));
    };
    let floor = plan.floor.clone().filter(|_| plan.idle.is_none());
    let idle = plan.idle.clone();
    view! {
        {match idle {
            Some(idle) => view! { <p class="notice">{capitalized(&idle)} "."</p> }.into_any(),
            None => view! { <Figures plan /> }.into_any(),
        }}
        {floor.map(|floor| view! { <p class="notice warn">{capitalized(&floor)} "."</p> })}
        <Show when=move || roomy() && store.undoable.get() == 0>
            <p class="hint preview-hint">
                "Nothing calls for a compaction yet. "
                <button type="button" class="link" on:click=tighten>
                    "Try a window of 60 % of this conversation"
                </button>
            </p>
        </Show>
    }
}

#[component]
fn Figures(plan: Arc<Plan>) -> impl IntoView {
    let (before, after) = (plan.tokens_before, plan.tokens_after);
    let bar =
        move |tokens: u32| format!("inline-size: {:.2}%", share(tokens, before.max(after)) * 100.0);
    let asked = if plan.summarizes {
        format!(
            "{} to the summarizer, for a summary of at most {} tokens.",
            plural(plan.requests, "request", "requests"),
            thousands(plan.summary_tokens)
        )
    } else {
        "Nobody is asked for a summary.".to_owned()
    };
    view! {
        <p class="forecast">
            <span class="forecast-before">{thousands(before)}</span>
            <span class="forecast-arrow" aria-label="to about">"→"</span>
            <span class="forecast-after">"~" {thousands(after)}</span>
            <span class="forecast-unit">"tokens"</span>
            <span class="forecast-change">{change(before, after)}</span>
        </p>
        <div class="bars" aria-hidden="true">
            <span class="bar-before" style=bar(before)></span>
            <span class="bar-after" style=bar(after)></span>
        </div>
        <Fates plan />
        <p class="hint">{asked}</p>
    }
}

/// How many messages there are of each action, in the words of their badges.
#[component]
fn Fates(plan: Arc<Plan>) -> impl IntoView {
    let tail = count(plan.actions.len().saturating_sub(plan.tail_start));
    let row = move |action: Action| {
        let number = count(plan.actions.iter().filter(|other| **other == action).count());
        let tail = (action == Action::Keep && plan.summarizes)
            .then(|| format!(", the last {} as the tail", thousands(tail)));
        (number > 0).then(|| {
            view! {
                <li>
                    <span class="badge" data-action=action.as_str()>{action.as_str()}</span>
                    <span class="action-number">{thousands(number)}</span>
                    <span>{words(action)} {tail}</span>
                </li>
            }
        })
    };
    view! { <ul class="actions" aria-label="What becomes of the messages">{Action::ALL.iter().copied().map(row).collect_view()}</ul> }
}

/// The engine's sentences begin in lower case; here they stand on their own.
fn capitalized(sentence: &str) -> String {
    let mut characters = sentence.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}
