//! Shows the events of the engine, records them in words, and has screen readers announce them.

use std::sync::Arc;

use epitome::policy::Keep;
use epitome::{BeforeCompaction, Event, Outcome, Reason, Report};
use epitome_browser::clock;
use leptos::prelude::{Set as _, Update as _};

use super::as_ms;
use crate::label::reason_label;
use crate::number::{change, percentage, plural, thousands};
use crate::store::{Progress, RetryNotice, Shorter, Store, Warning};

/// Shows an event.
pub(super) fn show(store: Store, event: Event) {
    match event {
        Event::Start { tokens, threshold, budget_used_pct, chunks } => {
            let threshold = threshold.map(|tokens| format!(", threshold {}", thousands(tokens)));
            store.live.record(format!(
                "Compacting: {} tokens ({}){}.",
                thousands(tokens),
                percentage(budget_used_pct),
                threshold.unwrap_or_default()
            ));
            start(store, tokens, budget_used_pct, chunks);
        }
        Event::Reacting { tokens, budget_used_pct, chunks } => {
            store.live.record(format!(
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
            // A screen reader user does not want to hear about each of a hundred parts.
            let step = (chunks / 8).max(1);
            if done < chunks && done.is_multiple_of(step) {
                store.announce(format!("Part {done} of {chunks} is summarized."));
            }
        }
        Event::Retry { attempt, at, message } => {
            store.live.record(format!("Attempt {attempt} failed: {message}."));
            store.announce(format!("The summarizer failed: {message}. Trying again."));
            let retry = RetryNotice { attempt, at_ms: as_ms(at), message };
            update(store, |progress| progress.retry = Some(retry));
        }
        Event::Stale { .. } => {
            store.live.record("A summary arrived too late and was ignored.");
        }
        Event::UsageIgnored { reported, used } => {
            store.live.record(format!(
                "The provider's count of {} tokens cannot be true and is ignored; counted here: {}.",
                thousands(reported),
                thousands(used)
            ));
        }
        Event::Warning { tokens, threshold, budget_used_pct } => {
            store.live.warning.set(Some(Warning { tokens, threshold, budget_used_pct }));
            store.live.record(format!(
                "Warning: {} tokens, compacts at {}.",
                thousands(tokens),
                thousands(threshold)
            ));
            store.announce("The window is filling up.");
        }
        Event::Shorter { tool_result_max_characters, keep } => {
            let usual = store.read(|session| Some(session.compactor()?.policy().keep));
            let tail = match keep {
                Keep::Messages(messages) if usual != Some(keep) => Some(messages),
                _ => None,
            };
            let shorter = Shorter { tool_result_max_characters, tail };
            let words = format!("The result is too large; trying with {}.", shorter.described());
            store.live.record(words.clone());
            store.announce(words);
            update(store, |progress| {
                progress.done = 0;
                progress.shorter = Some(shorter);
            });
        }
        Event::TooLarge { message } => {
            store.live.record(format!("Too large: {message}."));
            store.live.too_large.set(Some(message));
        }
        Event::Preparing { tokens, chunks } => {
            store.live.record(format!(
                "The next summary is written in advance, at {} tokens, in {}.",
                thousands(tokens),
                plural(chunks, "request", "requests")
            ));
            store.announce("The next summary is being written.");
            store.show_next_summary();
        }
        Event::Prepared => {
            store.live.record("The next summary is ready.");
            store.announce("The next summary is ready.");
            store.show_next_summary();
        }
        Event::PreparationDropped { because, .. } => {
            store.live.record(format!("The summary written in advance is not used: {because}."));
            store.show_next_summary();
        }
        Event::StateChanged { .. } => store.live.record("The structured state has changed."),
        Event::MemoryBlended { entries } => {
            store.live.record(format!(
                "{} of the memory became its summary.",
                plural(entries, "entry", "entries")
            ));
            store.show_held();
            store.keep();
        }
        Event::MemoryFailed { message } => {
            store.live.record(format!("The memory was not summarized: {message}."));
        }
        Event::Offloaded { path } => store.live.record(format!("Offloaded: {path}")),
        Event::After { success, messages_before, messages_after, summary_characters } => {
            store.live.record(format!(
                "After the compaction: {}, {} → {} messages, a summary of {}.",
                if success { "applied" } else { "not applied" },
                thousands(messages_before),
                thousands(messages_after),
                plural(summary_characters, "character", "characters")
            ));
        }
        Event::End { report } | Event::Reacted { report, .. } => end(store, *report),
    }
}

/// What is known before a summary is requested, as an event.
pub(super) fn before(before: &BeforeCompaction) -> String {
    format!(
        "Before the compaction: {}, {} tokens ({}), {}, keeping the last {}.",
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
            store.live.record(format!("Done: {tokens}."));
            store.announce(format!(
                "Compacted: {} tokens became {}, {}.",
                thousands(report.tokens_before),
                thousands(report.tokens_after),
                change(report.tokens_before, report.tokens_after)
            ));
        }
        Outcome::Cancelled => {
            store.live.record("Cancelled.");
            store.announce("Cancelled. The conversation is unchanged.");
        }
        // The result shows these two as alerts, which screen readers announce.
        Outcome::Skipped { message } => {
            store.live.record(format!("Nothing was changed: {message}."));
        }
        Outcome::Failed { message } => store.live.record(format!("Failed: {message}.")),
    }
    let report = Arc::new(report);
    if matches!(report.outcome, Outcome::Applied { .. }) {
        store.keep_report(report.clone());
        // A transition is made once.
        if report.reason == Reason::TaskTransition {
            store.reason.set(Reason::Manual);
        }
    }
    store.report.set(Some(report.clone()));
    super::chat::compacted(store, &report.outcome);
    // Settings that were changed during the compaction are applied now.
    store.schedule();
}

fn update(store: Store, change: impl FnOnce(&mut Progress)) {
    store.progress.update(|progress| {
        if let Some(progress) = progress {
            change(progress);
        }
    });
}
