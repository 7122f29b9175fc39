//! Shows the events of the engine, records them in words, and has screen readers announce them.

use std::sync::Arc;

use epitome::policy::Keep;
use epitome::{BeforeCompaction, Event, Outcome, Reason, Report};
use epitome_browser::clock;
use leptos::prelude::{Set as _, Update as _};

use super::as_ms;
use crate::label::reason_label;
use crate::language::t;
use crate::number::{change, percentage, plural, thousands};
use crate::store::{Progress, RetryNotice, Shorter, Store, Warning};

/// Shows an event.
pub(super) fn show(store: Store, event: Event) {
    match event {
        Event::Start { tokens, threshold, budget_used_pct, chunks } => {
            let (shown, percent) = (thousands(tokens), percentage(budget_used_pct));
            store.live.record(match threshold {
                Some(threshold) => t!(
                    "Compacting: {tokens} tokens ({percent}), threshold {threshold}.",
                    tokens = shown,
                    percent,
                    threshold = thousands(threshold)
                ),
                None => t!("Compacting: {tokens} tokens ({percent}).", tokens = shown, percent),
            });
            start(store, tokens, budget_used_pct, chunks);
        }
        Event::Reacting { tokens, budget_used_pct, chunks } => {
            store.live.record(t!(
                "Reacting in the loop: {tokens} tokens ({percent}).",
                tokens = thousands(tokens),
                percent = percentage(budget_used_pct)
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
            if done < chunks {
                store.mention(t!("Part {done} of {chunks} is summarized.", done, chunks));
            }
        }
        Event::Retry { attempt, at, message } => {
            store.live.record(t!("Attempt {attempt} failed: {message}.", attempt, message));
            store.announce(t!("The summarizer failed: {message}. Trying again.", message));
            let retry = RetryNotice { attempt, at_ms: as_ms(at), message };
            update(store, |progress| progress.retry = Some(retry));
        }
        Event::Stale { .. } => {
            store.live.record(t!("A summary arrived too late and was ignored."));
        }
        Event::UsageIgnored { reported, used } => {
            store.live.record(t!(
                "The provider's count of {reported} tokens cannot be true and is ignored; counted here: {counted}.",
                reported = thousands(reported),
                counted = thousands(used)
            ));
        }
        Event::PromptCut { reported, estimated, .. } => {
            let words = t!(
                "The server counted {reported} tokens of a prompt of about {estimated}: it seems to have cut it. Raise its context length.",
                reported = thousands(reported),
                estimated = thousands(estimated)
            );
            store.live.record(words.clone());
            store.announce(words);
        }
        Event::Warning { tokens, threshold, budget_used_pct } => {
            store.live.warning.set(Some(Warning { tokens, threshold, budget_used_pct }));
            store.live.record(t!(
                "Warning: {tokens} tokens, compacts at {threshold}.",
                tokens = thousands(tokens),
                threshold = thousands(threshold)
            ));
            store.announce(t!("The window is filling up."));
        }
        Event::Shorter { tool_result_max_characters, keep } => {
            let usual = store.read(|session| Some(session.compactor()?.policy().keep));
            let tail = match keep {
                Keep::Messages(messages) if usual != Some(keep) => Some(messages),
                _ => None,
            };
            let shorter = Shorter { tool_result_max_characters, tail };
            let words = t!(
                "The result is too large; trying with {shorter}.",
                shorter = shorter.described()
            );
            store.live.record(words.clone());
            store.announce(words);
            update(store, |progress| {
                progress.done = 0;
                progress.shorter = Some(shorter);
            });
        }
        Event::TooLarge { message } => {
            store.live.record(t!("Too large: {message}.", message));
            store.live.too_large.set(Some(message));
        }
        Event::Preparing { tokens, chunks } => {
            store.live.record(t!(
                "The next summary is written in advance, at {tokens} tokens, in {requests}.",
                tokens = thousands(tokens),
                requests = plural(chunks, "request", "requests")
            ));
            store.mention(t!("The next summary is being written."));
            store.show_next_summary();
        }
        Event::Prepared => {
            store.live.record(t!("The next summary is ready."));
            store.mention(t!("The next summary is ready."));
            store.show_next_summary();
        }
        Event::PreparationDropped { because, .. } => {
            store
                .live
                .record(t!("The summary written in advance is not used: {because}.", because));
            store.show_next_summary();
        }
        Event::StateChanged { .. } => store.live.record(t!("The structured state has changed.")),
        Event::MemoryBlended { entries } => {
            store.live.record(t!(
                "{entries} of the memory became its summary.",
                entries = plural(entries, "entry", "entries")
            ));
            store.show_held();
            store.keep();
        }
        Event::MemoryFailed { message } => {
            store.live.record(t!("The memory was not summarized: {message}.", message));
        }
        Event::Offloaded { path } => store.live.record(t!("Offloaded: {path}", path)),
        Event::After { success, messages_before, messages_after, summary_characters } => {
            let (before, after) = (thousands(messages_before), thousands(messages_after));
            let characters = plural(summary_characters, "character", "characters");
            store.live.record(match success {
                true => t!(
                    "After the compaction: applied, {before} → {after} messages, a summary of {characters}.",
                    before,
                    after,
                    characters
                ),
                false => t!(
                    "After the compaction: not applied, {before} → {after} messages, a summary of {characters}.",
                    before,
                    after,
                    characters
                ),
            });
        }
        Event::End { report } | Event::Reacted { report, .. } => end(store, *report),
    }
}

/// What is known before a summary is requested, as an event.
pub(super) fn before(before: &BeforeCompaction) -> String {
    t!(
        "Before the compaction: {reason}, {tokens} tokens ({percent}), {messages}, keeping the last {last}.",
        reason = reason_label(before.reason).to_lowercase(),
        tokens = thousands(before.tokens_used),
        percent = percentage(before.context_percent),
        messages = plural(before.message_count, "message", "messages"),
        last = thousands(before.keep_last)
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
    store.announce(t!("Compacting: {requests} to the summarizer.", requests));
}

fn end(store: Store, report: Report) {
    store.progress.set(None);
    store.live.deciding.set(None);
    store.live.drop_draft();
    store.streamed.set(String::new());
    let (before, after) = (thousands(report.tokens_before), thousands(report.tokens_after));
    let change = change(report.tokens_before, report.tokens_after);
    match &report.outcome {
        Outcome::Applied { .. } => {
            if report.summary.is_some() {
                store.live.warning.set(None);
            }
            store.live.record(t!(
                "Done: {before} → {after} tokens ({change}).",
                before,
                after,
                change
            ));
            store.announce(t!(
                "Compacted: {before} tokens became {after}, {change}.",
                before,
                after,
                change
            ));
        }
        Outcome::Cancelled => {
            store.live.record(t!("Cancelled."));
            store.announce(t!("Cancelled. The conversation is unchanged."));
        }
        // The result shows these two as alerts, which screen readers announce.
        Outcome::Skipped { message } => {
            store.live.record(t!("Nothing was changed: {message}.", message));
        }
        Outcome::Failed { message } => store.live.record(t!("Failed: {message}.", message)),
    }
    let report = Arc::new(report);
    if matches!(report.outcome, Outcome::Applied { .. }) {
        store.keep_report(report.clone());
        store.choice.clear();
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
