//! What is due at each phase of an app's request loop, and the usage that a provider reported.

use epitome::message::Usage;
use epitome::policy::Phase;
use leptos::prelude::*;

use crate::browser::is_open;
use crate::driver;
use crate::label::{PHASES, phase_hint, phase_label, reason_label};
use crate::language::{number, t};
use crate::number::thousands;
use crate::settings::whole;
use crate::store::Store;

/// The phases, and the reported usage.
#[component]
pub(crate) fn Phases(store: Store) -> impl IntoView {
    let row = move |index: usize, phase: Phase| {
        let label = phase_label(phase);
        let due = move || store.live.due.get().get(index).copied().flatten();
        let words = move || match due() {
            Some(reason) => t!("due: {reason}", reason = reason_label(reason).to_lowercase()),
            None => t!("nothing due").to_owned(),
        };
        view! {
            <li data-due=move || due().is_some().to_string()>
                <span class="phase-name">
                    {label} <span class="hint phase-hint">{phase_hint(phase)}</span>
                </span>
                <span class="phase-due">{words}</span>
                <button
                    type="button"
                    class="button"
                    aria-label=t!("Check now: {phase}", phase = label.to_lowercase())
                    disabled=move || store.is_locked()
                    on:click=move |_| driver::check(store, phase)
                >
                    {t!("Check")}
                </button>
            </li>
        }
    };
    let rows = PHASES.into_iter().enumerate().map(|(index, phase)| row(index, phase));
    let rows = rows.collect_view();
    let toggle = move |event| {
        store.live.due_shown.set(is_open(&event));
        store.schedule();
    };
    view! {
        <details class="card panel phases" on:toggle=toggle>
            <summary>
                <h2>{t!("What is due at each phase")}</h2>
                <span class="hint">{t!("of an app’s request loop")}</span>
            </summary>
            <p class="hint">
                {t!("An app checks at these phases. A check here does the same as in an app: it starts what is due, and gives the warning.")}
            </p>
            <ul aria-label=t!("What is due")>{rows}</ul>
            <ReportedUsage store />
        </details>
    }
}

/// The usage of a provider, typed manually because this page does not call the model.
#[component]
fn ReportedUsage(store: Store) -> impl IntoView {
    let prompt = RwSignal::new(String::new());
    let completion = RwSignal::new("0".to_owned());
    let duration = RwSignal::new(String::new());
    let problem = RwSignal::new(None::<String>);
    let record = move |_| {
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
                driver::record_usage(store, usage);
            }
            Err(error) => problem.set(Some(error)),
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
            <legend>{t!("Usage of the last call, as the provider reported it")}</legend>
            <div class="fields">
                {number("usage-prompt", t!("Prompt"), t!("tokens"), prompt)}
                {number("usage-completion", t!("Completion"), t!("tokens"), completion)}
                {number("usage-duration", t!("Duration"), t!("ms"), duration)}
            </div>
            <p class="field-error" id="usage-problem" role="status">
                {move || problem.get().map(|error| t!("A number {error}.", error))}
            </p>
            <div class="result-actions">
                <button
                    type="button"
                    class="button"
                    disabled=move || store.is_locked() || prompt.with(|text| text.trim().is_empty())
                    on:click=record
                >
                    {t!("Record usage")}
                </button>
            </div>
            <Statistics store />
        </fieldset>
    }
}

/// The totals of the reported usage.
#[component]
fn Statistics(store: Store) -> impl IntoView {
    move || {
        store.live.statistics.get().map(|totals| {
            let facts = [
                (t!("Last prompt"), thousands(totals.last_prompt_tokens)),
                (t!("Last completion"), thousands(totals.last_completion_tokens)),
                (t!("Context"), thousands(totals.context_tokens)),
                (t!("All prompts"), all(totals.session_prompt_tokens)),
                (t!("All completions"), all(totals.session_completion_tokens)),
                (t!("Tokens per second"), number(totals.tokens_per_second, 1)),
            ];
            let facts =
                facts.map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> });
            view! { <dl class="asked" aria-label=t!("Usage")>{facts}</dl> }
        })
    }
}

fn all(tokens: u64) -> String {
    thousands(u32::try_from(tokens).unwrap_or(u32::MAX))
}
