//! What the next compaction would do.

use std::sync::Arc;

use epitome::Level;
use epitome::{Action, Plan};
use leptos::prelude::*;

use crate::label::{Treatment, action_label, action_summary, engine_sentence};
use crate::language::t;
use crate::number::{count, plural, thousands};
use crate::settings::tight_window;
use crate::store::Store;

/// The plan, which follows the settings.
#[component]
pub(crate) fn Preview(store: Store) -> impl IntoView {
    // A running compaction does not update the plan, so its own plan stays on the page.
    view! {
        <div class="preview">
            <h2 id="compact-heading">{t!("What a compaction would do")}</h2>
            {move || store.plan.get().map(|plan| view! { <Forecast store plan /> })}
        </div>
    }
}

#[component]
fn Forecast(store: Store, plan: Arc<Plan>) -> impl IntoView {
    let tokens = plan.tokens_before;
    let has_space =
        move || store.pressure.with(|pressure| pressure.is_some_and(|p| p.level == Level::Ok));
    let tighten = move |_| {
        store.settings.form.update(|form| form.set_window(tight_window(tokens)));
    };
    let floor = plan.floor.clone().filter(|_| plan.idle.is_none());
    let idle = plan.idle.clone();
    view! {
        {match idle {
            Some(idle) => view! { <p class="notice">{engine_sentence(&idle)}</p> }.into_any(),
            None => view! { <Figures plan /> }.into_any(),
        }}
        {floor.map(|floor| view! { <p class="notice warn">{engine_sentence(&floor)}</p> })}
        <Show when=move || has_space() && !store.is_compacted()>
            <p class="hint preview-hint">
                {t!("No compaction is due yet.")} " "
                <button type="button" class="link" on:click=tighten>
                    {t!("Try a window of 60 % of this conversation")}
                </button>
            </p>
        </Show>
    }
}

#[component]
fn Figures(plan: Arc<Plan>) -> impl IntoView {
    let requests = if plan.summarizes {
        t!(
            "{requests} to the summarizer, for a summary of at most {tokens} tokens.",
            requests = plural(plan.requests, "request", "requests"),
            tokens = thousands(plan.summary_tokens)
        )
    } else {
        t!("No summary is requested.").to_owned()
    };
    view! {
        <Actions plan />
        <p class="hint">{requests}</p>
    }
}

/// The number of messages with each action.
#[component]
fn Actions(plan: Arc<Plan>) -> impl IntoView {
    let tail = count(plan.actions.len().saturating_sub(plan.tail_start));
    let row = move |action: Action| {
        let number = count(plan.actions.iter().filter(|other| **other == action).count());
        let summary = action_summary(action);
        let words = match action == Action::Keep && plan.summarizes {
            true => {
                t!("{summary}, the last {number} as the tail", summary, number = thousands(tail))
            }
            false => summary.to_owned(),
        };
        (number > 0).then(|| {
            view! {
                <li>
                    <span class="badge" data-action=Treatment::of(action).as_str()>{action_label(action)}</span>
                    <span class="action-number">{thousands(number)}</span>
                    <span>{words}</span>
                </li>
            }
        })
    };
    let rows = Action::ALL.iter().copied().map(row).collect_view();
    view! { <ul class="actions" aria-label=t!("Planned actions")>{rows}</ul> }
}
