//! The window, when to compact, how far, and what to leave alone.

use leptos::prelude::*;

use super::field::Field;
use crate::load::tight_window;
use crate::store::{KeepKind, Store, TriggerKind};

/// Windows of models people use.
const WINDOWS: [(u32, &str); 5] =
    [(8_000, "8k"), (32_000, "32k"), (128_000, "128k"), (200_000, "200k"), (1_000_000, "1M")];

/// The policy's form.
#[component]
pub(super) fn PolicySettings(store: Store) -> impl IntoView {
    view! {
        <Window store />
        <When store />
        <Keep store />
        <details class="more">
            <summary>"Summary and tools"</summary>
            <div class="fields">
                <Field
                    store
                    name="summary.maxTokens"
                    label="Longest summary"
                    unit="tokens"
                    read=|form| &form.summary_tokens
                    write=|form| &mut form.summary_tokens
                />
                <Field
                    store
                    name="summary.chunkCharacters"
                    label="Longest request"
                    unit="characters"
                    read=|form| &form.chunk_characters
                    write=|form| &mut form.chunk_characters
                />
                <Field
                    store
                    name="toolSchemaTokens"
                    label="Tool schemas"
                    unit="tokens"
                    read=|form| &form.tool_schemas
                    write=|form| &mut form.tool_schemas
                />
            </div>
            <p class="hint">
                "A transcript longer than a request is folded part by part. The page itself takes at "
                "most 20,000 characters at once."
            </p>
        </details>
    }
}

#[component]
fn Window(store: Store) -> impl IntoView {
    let set =
        move |window: u32| move |_| store.form.update(|form| form.window = window.to_string());
    let preset = move |(window, label): (u32, &'static str)| {
        let chosen = move || {
            store.form.with(|form| form.policy(None).is_ok_and(|policy| policy.window == window))
        };
        view! {
            <button
                type="button"
                class="chip"
                aria-pressed=move || chosen().to_string()
                on:click=set(window)
            >
                {label} <span class="visually-hidden">" tokens"</span>
            </button>
        }
    };
    let tighten = move |_| {
        let tokens = store.pressure.with_untracked(|pressure| pressure.map(|p| p.tokens));
        if let Some(tokens) = tokens {
            store.form.update(|form| form.window = tight_window(tokens).to_string());
        }
    };
    view! {
        <fieldset class="group">
            <legend>"Window"</legend>
            <Field
                store
                name="window"
                label="Window of the model"
                unit="tokens"
                read=|form| &form.window
                write=|form| &mut form.window
            />
            <div class="chips">
                {WINDOWS.map(preset)}
                <button type="button" class="chip" on:click=tighten>
                    "60 % of this conversation"
                </button>
            </div>
        </fieldset>
    }
}

#[component]
fn When(store: Store) -> impl IntoView {
    let kind = Memo::new(move |_| store.form.with(|form| form.trigger));
    let options = TriggerKind::ALL.map(|option| {
        view! {
            <option value=option.as_str() selected=move || kind.get() == option>
                {option.label()}
            </option>
        }
    });
    let choose = move |event| {
        let name = event_target_value(&event);
        let chosen = TriggerKind::ALL.into_iter().find(|option| option.as_str() == name);
        store.form.update(|form| form.trigger = chosen.unwrap_or_default());
    };
    view! {
        <fieldset class="group">
            <legend>"When, and how far"</legend>
            <div class="field">
                <label for="trigger">"Compact at"</label>
                <select id="trigger" on:change=choose>{options}</select>
            </div>
            <div class="fields">
                <Show when=move || kind.get() != TriggerKind::Tokens>
                    <Field
                        store
                        name="triggers"
                        label="Threshold"
                        unit="% of the window"
                        read=|form| &form.share
                        write=|form| &mut form.share
                    />
                </Show>
                <Show when=move || kind.get() == TriggerKind::Tokens>
                    <Field
                        store
                        name="triggers"
                        label="Threshold"
                        unit="tokens"
                        read=|form| &form.tokens
                        write=|form| &mut form.tokens
                    />
                </Show>
                <Show when=move || kind.get() == TriggerKind::Budget>
                    <Field
                        store
                        name="outputReserve"
                        label="Room for the answer"
                        unit="tokens"
                        read=|form| &form.output_reserve
                        write=|form| &mut form.output_reserve
                    />
                    <Field
                        store
                        name="safetyMargin"
                        label="Safety margin"
                        unit="tokens"
                        read=|form| &form.safety_margin
                        write=|form| &mut form.safety_margin
                    />
                </Show>
                <Field
                    store
                    name="target"
                    label="Come down to"
                    unit="% of the window"
                    read=|form| &form.target
                    write=|form| &mut form.target
                />
            </div>
        </fieldset>
    }
}

#[component]
fn Keep(store: Store) -> impl IntoView {
    let kind = Memo::new(move |_| store.form.with(|form| form.keep));
    let options = KeepKind::ALL.map(|option| {
        view! {
            <option value=option.as_str() selected=move || kind.get() == option>
                {option.label()}
            </option>
        }
    });
    let choose = move |event| {
        let name = event_target_value(&event);
        let chosen = KeepKind::ALL.into_iter().find(|option| option.as_str() == name);
        let chosen = chosen.unwrap_or_default();
        store.form.update(|form| {
            form.keep = chosen;
            form.keep_amount = chosen.usual().to_owned();
        });
    };
    view! {
        <fieldset class="group">
            <legend>"Keep the end"</legend>
            <div class="fields">
                <Field
                    store
                    name="keep"
                    label="Tail"
                    unit=""
                    read=|form| &form.keep_amount
                    write=|form| &mut form.keep_amount
                />
                <div class="field">
                    <label for="keep-kind">"Measured in"</label>
                    <select id="keep-kind" on:change=choose>{options}</select>
                </div>
            </div>
        </fieldset>
    }
}
