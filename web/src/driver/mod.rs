//! Carries out what the engine asks for: one small function for each of its outputs.

mod summarize;

use std::sync::Arc;

use epitome::{Compactor, Event, Outcome, Output, Reason, Report, Timestamp};
use epitome_browser::clock;
use leptos::prelude::Set as _;
use leptos::task::spawn_local;

use crate::number::{change, plural, thousands};
use crate::store::{Progress, RetryNotice, Store};

/// Begins a compaction, paying attention to `instructions` where there are any.
pub(crate) fn compact(store: Store, instructions: &str) {
    let instructions = Some(instructions.trim().to_owned()).filter(|text| !text.is_empty());
    store.write(|session| {
        let compactor = session.compactor_mut()?;
        // The button that leads here is only there while nothing runs.
        compactor.compact(Reason::Manual, instructions).ok()
    });
    // Planning a long conversation takes a moment; the page is drawn before the first request is made.
    spawn_local(async move {
        let _ = clock::sleep(0.0, None).await;
        drain(store);
    });
}

/// Calls a compaction off; the conversation is as it was.
pub(crate) fn cancel(store: Store) {
    store.read(|session| session.stop());
    command(store, Compactor::cancel);
}

/// Takes the latest compaction back.
pub(crate) fn undo(store: Store) {
    command(store, |compactor| {
        let _ = compactor.undo();
    });
    store.report.set(None);
    store.announce("The compaction is undone. The conversation is as it was.");
}

/// Pins a message, or takes its pin away.
pub(crate) fn toggle_pin(store: Store, position: usize) {
    let message = store.read(|session| session.message(position).cloned());
    let Some(mut message) = message else { return };
    message.pinned = !message.pinned;
    store.announce(if message.pinned { "Pinned." } else { "No longer pinned." });
    command(store, |compactor| {
        let _ = compactor.edit(message);
    });
}

/// Tells the engine something and does what it asks for.
fn command(store: Store, tell: impl FnOnce(&mut Compactor)) {
    store.write(|session| session.compactor_mut().map(tell));
    drain(store);
}

fn drain(store: Store) {
    loop {
        let output =
            store.write(|session| session.compactor_mut().map(Compactor::poll_output)).flatten();
        match output {
            Some(Output::Summarize(request)) => summarize::begin(store, request),
            Some(Output::Persist(_)) => persist(store),
            Some(Output::Changed) => store.show_change(),
            Some(Output::Event(event)) => show(store, event),
            Some(Output::Wait(Some(until))) => return wait(store, until),
            Some(Output::Wait(None)) | None => return,
        }
    }
}

/// The page keeps its records in memory, so a record is stored as soon as the page was drawn once more.
fn persist(store: Store) {
    let identity = store.read(|session| session.identity());
    spawn_local(async move {
        let _ = clock::sleep(0.0, None).await;
        if store.read(|session| session.is(&identity)) {
            command(store, |compactor| {
                let _ = compactor.handle_persisted();
            });
        }
    });
}

fn wait(store: Store, until: Timestamp) {
    let begun = store.write(|session| {
        session.begin_wait(until).then(|| (session.identity(), session.begin().signal()))
    });
    let Some((identity, signal)) = begun.flatten() else { return };
    spawn_local(async move {
        let delay_ms = as_ms(until) - clock::now_ms();
        let waited = clock::sleep(delay_ms, signal.as_ref()).await;
        let ours = store.write(|session| {
            let ours = session.is(&identity);
            if ours {
                session.end_wait();
            }
            ours
        });
        if waited.is_ok() && ours == Some(true) {
            command(store, |compactor| compactor.handle_timeout(now()));
        }
    });
}

fn show(store: Store, event: Event) {
    match event {
        Event::Start { chunks, .. } => {
            store.report.set(None);
            store.streamed.set(String::new());
            let started_ms = clock::now_ms();
            store.progress.set(Some(Progress { started_ms, done: 0, chunks, retry: None }));
            let requests = plural(chunks, "request", "requests");
            store.announce(format!("Compacting: {requests} to the summarizer."));
        }
        Event::Progress { done, chunks } => {
            update(store, |progress| {
                progress.done = done;
                progress.retry = None;
            });
            // Somebody who listens to the page does not want to hear of each of a hundred parts.
            let step = (chunks / 8).max(1);
            if done < chunks && done.is_multiple_of(step) {
                store.announce(format!("Part {done} of {chunks} is summarized."));
            }
        }
        Event::Retry { attempt, at, message } => {
            store.announce(format!("The summarizer failed: {message}. Trying again."));
            let retry = RetryNotice { attempt, at_ms: as_ms(at), message };
            update(store, |progress| progress.retry = Some(retry));
        }
        Event::Stale { .. } => {}
        Event::End { report } => end(store, *report),
    }
}

fn end(store: Store, report: Report) {
    store.progress.set(None);
    store.streamed.set(String::new());
    match &report.outcome {
        Outcome::Applied { .. } => store.announce(format!(
            "Compacted: {} tokens became {}, {}.",
            thousands(report.tokens_before),
            thousands(report.tokens_after),
            change(report.tokens_before, report.tokens_after)
        )),
        Outcome::Cancelled => store.announce("Cancelled. The conversation is as it was."),
        // These two are told by an alert of their own.
        Outcome::Skipped { .. } | Outcome::Failed { .. } => {}
    }
    store.report.set(Some(Arc::new(report)));
    // Settings that were changed meanwhile take effect now.
    store.schedule();
}

fn update(store: Store, change: impl FnOnce(&mut Progress)) {
    use leptos::prelude::Update as _;
    store.progress.update(|progress| {
        if let Some(progress) = progress {
            change(progress);
        }
    });
}

/// The browser's clock, as the engine counts.
fn now() -> Timestamp {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "ms since 1970")]
    Timestamp(clock::now_ms() as u64)
}

/// A moment of the engine, on the browser's clock.
fn as_ms(moment: Timestamp) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970 fit 53 bits")]
    let milliseconds = moment.0 as f64;
    milliseconds
}
