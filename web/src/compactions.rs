//! The active compactions as a list: what each one did, with the ways to see its changes and to undo it.

mod changes;
mod compare;

use leptos::prelude::*;

use crate::browser::focus;
use crate::driver;
use crate::label::reason_label;
use crate::language::t;
use crate::number::{change, count, thousands};
use crate::run::COMPACT_BUTTON;
use crate::store::{Compaction, Store};
pub(crate) use compare::Comparison;

/// The list, latest first.
#[component]
pub(crate) fn Compactions(store: Store) -> impl IntoView {
    let rows = move || {
        let compactions = store.compactions.get();
        let rows = compactions.iter().rev().cloned();
        rows.map(|compaction| view! { <CompactionRow store compaction /> }).collect_view()
    };
    view! {
        <Show when=move || store.is_compacted()>
            <section class="compactions card" aria-labelledby="compactions-heading">
                <h2 id="compactions-heading">
                    {t!("Compactions")} " "
                    <span class="count">
                        {move || thousands(count(store.compactions.with(|all| all.len())))}
                    </span>
                </h2>
                <p class="hint">{t!("Each builds on the ones before it, so an undo takes later ones back too.")}</p>
                <ol aria-labelledby="compactions-heading">{rows}</ol>
            </section>
        </Show>
    }
}

#[component]
fn CompactionRow(store: Store, compaction: Compaction) -> impl IntoView {
    let Compaction { checkpoint, number, reason, .. } = compaction;
    let tokens = compaction.report.as_ref().map(|report| {
        let (before, after) = (report.tokens_before, report.tokens_after);
        let tokens = t!(
            "{before} → {after} tokens ({change})",
            before = thousands(before),
            after = thousands(after),
            change = change(before, after)
        );
        format!("{tokens} · ")
    });
    let compare = move |_| store.compared.set(Some(checkpoint));
    let undo = move |_| {
        driver::undo_to(store, checkpoint);
        // This button is gone as soon as the compaction is.
        focus(COMPACT_BUTTON);
    };
    view! {
        <li class="compaction">
            <span class="compaction-number" aria-hidden="true">{number}</span>
            <div class="compaction-done">
                <p>{compaction.described()}</p>
                <p class="figures">{tokens} {reason_label(reason)}</p>
            </div>
            <div class="compaction-actions">
                <button
                    type="button"
                    class="button"
                    aria-label=t!("Diff of compaction {number}", number)
                    on:click=compare
                >
                    {t!("Diff")}
                </button>
                <button
                    type="button"
                    class="button"
                    aria-label=t!("Undo compaction {number}", number)
                    disabled=move || store.is_locked()
                    on:click=undo
                >
                    {t!("Undo")}
                </button>
            </div>
        </li>
    }
}
