//! What is due at each phase of an app's work, and what the provider counted.

use epitome::message::Usage;
use epitome::policy::Phase;
use leptos::prelude::*;

use super::reason_label;
use crate::browser::is_open;
use crate::driver;
use crate::form::whole;
use crate::number::thousands;
use crate::store::{PHASES, Store};

/// The phases, and the reading of a call.
#[component]
pub(crate) fn Moments(store: Store) -> impl IntoView {
    let row = move |index: usize, phase: Phase, label: &'static str| {
        let due = move || store.live.due.get().get(index).copied().flatten();
        let told = move || match due() {
            Some(reason) => format!("due: {}", reason_label(reason).to_lowercase()),
            None => "nothing due".to_owned(),
        };
        view! {
            <li data-due=move || due().is_some().to_string()>
                <span class="phase-name">{label}</span>
                <span class="phase-due">{told}</span>
                <button
                    type="button"
                    class="button"
                    aria-label=format!("Check now: {}", label.to_lowercase())
                    disabled=move || store.is_busy()
                    on:click=move |_| driver::reach(store, phase)
                >
                    "Check"
                </button>
            </li>
        }
    };
    let rows =
        PHASES.into_iter().enumerate().map(|(index, (phase, label))| row(index, phase, label));
    let rows = rows.collect_view();
    let watch = move |event| {
        store.live.watched.set(is_open(&event));
        store.schedule();
    };
    view! {
        <details class="card phases" on:toggle=watch>
            <summary>
                <h2>"What is due at …"</h2>
                <span class="hint">"each phase of an app’s work"</span>
            </summary>
            <p class="hint">
                "An app checks at these phases. Checking does here what it does there: what is due is "
                "done at once, and a warning is given."
            </p>
            <ul aria-label="What is due">{rows}</ul>
            <Reading store />
        </details>
    }
}

/// What a provider counted, typed by hand: here no model is called.
#[component]
fn Reading(store: Store) -> impl IntoView {
    let prompt = RwSignal::new(String::new());
    let completion = RwSignal::new("0".to_owned());
    let duration = RwSignal::new(String::new());
    let problem = RwSignal::new(None::<String>);
    let take = move |_| {
        let read = whole(&prompt.read_untracked()).and_then(|prompt_tokens| {
            let completion_tokens = whole(&completion.read_untracked())?;
            let duration = duration.get_untracked();
            let duration_ms = Some(duration.trim()).filter(|text| !text.is_empty());
            let duration_ms = duration_ms.map(whole).transpose()?;
            Ok(Usage { prompt_tokens, completion_tokens, duration_ms, ..Usage::default() })
        });
        match read {
            Ok(usage) => {
                problem.set(None);
                driver::read_usage(store, usage);
            }
            Err(told) => problem.set(Some(told)),
        }
    };
    let number =
        move |id: &'static str, label: &'static str, unit: &'static str, text: RwSignal<String>| {
            view! {
                <div class="field">
                    <label for=id>{label}</label>
                    <div class="field-input">
                        <input
                            id=id
                            type="text"
                            inputmode="numeric"
                            autocomplete="off"
                            aria-describedby="usage-problem"
                            prop:value=text
                            on:input=move |event| text.set(event_target_value(&event))
                        />
                        <span class="unit">{unit}</span>
                    </div>
                </div>
            }
        };
    view! {
        <fieldset class="group">
            <legend>"What the last call took, by the provider"</legend>
            <div class="fields">
                {number("usage-prompt", "Prompt", "tokens", prompt)}
                {number("usage-completion", "Completion", "tokens", completion)}
                {number("usage-duration", "Took", "ms", duration)}
            </div>
            <p class="field-error" id="usage-problem" role="status">
                {move || problem.get().map(|told| format!("A number {told}."))}
            </p>
            <div class="result-actions">
                <button
                    type="button"
                    class="button"
                    disabled=move || store.is_busy() || prompt.with(|text| text.trim().is_empty())
                    on:click=take
                >
                    "Take the reading"
                </button>
            </div>
            <Statistics store />
        </fieldset>
    }
}

/// What the readings add up to.
#[component]
fn Statistics(store: Store) -> impl IntoView {
    move || {
        store.live.statistics.get().map(|read| {
            let facts = [
                ("Last prompt", thousands(read.last_prompt_tokens)),
                ("Last completion", thousands(read.last_completion_tokens)),
                ("Context", thousands(read.context_tokens)),
                ("All prompts", all(read.session_prompt_tokens)),
                ("All completions", all(read.session_completion_tokens)),
                ("Tokens a second", format!("{:.1}", read.tokens_per_second)),
            ];
            let facts =
                facts.map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> });
            view! { <dl class="asked" aria-label="Usage">{facts}</dl> }
        })
    }
}

fn all(tokens: u64) -> String {
    thousands(u32::try_from(tokens).unwrap_or(u32::MAX))
}
