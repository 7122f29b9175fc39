//! What the engine tells while it works: shown, said, and noted.

use std::sync::Arc;

use epitome::policy::Keep;
use epitome::{BeforeCompaction, Event, Outcome, Report};
use epitome_browser::clock;
use leptos::prelude::{Set as _, Update as _};

use super::as_ms;
use crate::number::{change, percentage, plural, thousands};
use crate::run::reason_label;
use crate::store::{Progress, RetryNotice, Shorter, Store, Warning};

/// Shows an event.
pub(super) fn show(store: Store, event: Event) {
    match event {
        Event::Start { tokens, threshold, budget_used_pct, chunks } => {
            let threshold = threshold.map(|tokens| format!(", threshold {}", thousands(tokens)));
            store.live.note(format!(
                "Compacting: {} tokens ({}){}.",
                thousands(tokens),
                percentage(budget_used_pct),
                threshold.unwrap_or_default()
            ));
            start(store, tokens, budget_used_pct, chunks);
        }
        Event::Reacting { tokens, budget_used_pct, chunks } => {
            store.live.note(format!(
                "Reacting in the loop: {} tokens ({}).",
                thousands(tokens),
                percentage(budget_used_pct)
            ));
            start(store, tokens, budget_used_pct, chunks);
        }
        Event::Progress { done, chunks } => {
            update(store, |progress| {
                progress.done = done;
                progress.chunks = chunks;
                progress.retry = None;
            });
            // Somebody who listens to the page does not want to hear of each of a hundred parts.
            let step = (chunks / 8).max(1);
            if done < chunks && done.is_multiple_of(step) {
                store.announce(format!("Part {done} of {chunks} is summarized."));
            }
        }
        Event::Retry { attempt, at, message } => {
            store.live.note(format!("Attempt {attempt} failed: {message}."));
            store.announce(format!("The summarizer failed: {message}. Trying again."));
            let retry = RetryNotice { attempt, at_ms: as_ms(at), message };
            update(store, |progress| progress.retry = Some(retry));
        }
        Event::Stale { .. } => {
            store.live.note("An answer came too late and was left aside.");
        }
        Event::Warning { tokens, threshold, budget_used_pct } => {
            store.live.warning.set(Some(Warning { tokens, threshold, budget_used_pct }));
            store.live.note(format!(
                "Warning: {} tokens, compacts at {}.",
                thousands(tokens),
                thousands(threshold)
            ));
            store.announce("The window fills up.");
        }
        Event::Shorter { tool_result_max_characters, keep } => {
            let usual = store.read(|session| Some(session.compactor()?.policy().keep));
            let tail = match keep {
                Keep::Messages(messages) if usual != Some(keep) => Some(messages),
                _ => None,
            };
            let shorter = Shorter { tool_result_max_characters, tail };
            let told = format!("The result is too large; trying with {}.", shorter.described());
            store.live.note(told.clone());
            store.announce(told);
            update(store, |progress| {
                progress.done = 0;
                progress.shorter = Some(shorter);
            });
        }
        Event::TooLarge { message } => {
            store.live.note(format!("Too large: {message}."));
            store.live.too_large.set(Some(message));
        }
        Event::Offloaded { path } => store.live.note(format!("Put aside: {path}")),
        Event::After { success, messages_before, messages_after, summary_characters } => {
            store.live.note(format!(
                "After it: {}, {} → {} messages, a summary of {}.",
                if success { "applied" } else { "not applied" },
                thousands(messages_before),
                thousands(messages_after),
                plural(summary_characters, "character", "characters")
            ));
        }
        Event::End { report } | Event::Reacted { report, .. } => end(store, *report),
    }
}

/// What somebody is asked before a summary is written, as it is noted.
pub(super) fn question(before: &BeforeCompaction) -> String {
    format!(
        "Before it: {}, {} tokens ({}), {}, the last {} stay.",
        reason_label(before.reason).to_lowercase(),
        thousands(before.tokens_used),
        percentage(before.context_percent),
        plural(before.message_count, "message", "messages"),
        thousands(before.keep_last)
    )
}

fn start(store: Store, tokens: u32, budget_used_pct: f64, chunks: u32) {
    store.report.set(None);
    store.live.too_large.set(None);
    store.streamed.set(String::new());
    let started_ms = clock::now_ms();
    store.progress.set(Some(Progress {
        started_ms,
        tokens,
        budget_used_pct,
        done: 0,
        chunks,
        retry: None,
        shorter: None,
    }));
    let requests = plural(chunks, "request", "requests");
    store.announce(format!("Compacting: {requests} to the summarizer."));
}

fn end(store: Store, report: Report) {
    store.progress.set(None);
    store.live.deciding.set(None);
    store.streamed.set(String::new());
    let tokens = format!(
        "{} → {} tokens ({})",
        thousands(report.tokens_before),
        thousands(report.tokens_after),
        change(report.tokens_before, report.tokens_after)
    );
    match &report.outcome {
        Outcome::Applied { .. } => {
            if report.summary.is_some() {
                store.live.warning.set(None);
            }
            store.live.note(format!("Done: {tokens}."));
            store.announce(format!(
                "Compacted: {} tokens became {}, {}.",
                thousands(report.tokens_before),
                thousands(report.tokens_after),
                change(report.tokens_before, report.tokens_after)
            ));
        }
        Outcome::Cancelled => {
            store.live.note("Cancelled.");
            store.announce("Cancelled. The conversation is as it was.");
        }
        // These two are told by an alert of their own.
        Outcome::Skipped { message } => store.live.note(format!("Nothing was changed: {message}.")),
        Outcome::Failed { message } => store.live.note(format!("Failed: {message}.")),
    }
    store.report.set(Some(Arc::new(report)));
    // Settings that were changed meanwhile take effect now.
    store.schedule();
}

fn update(store: Store, change: impl FnOnce(&mut Progress)) {
    store.progress.update(|progress| {
        if let Some(progress) = progress {
            change(progress);
        }
    });
}
