//! Carries out what the engine asks for: one small function for each of its outputs.

mod event;
mod summarize;

use epitome::message::Usage;
use epitome::policy::Phase;
use epitome::{BeforeCompaction, Compactor, Output, Reason, Timestamp};
use epitome_browser::clock;
use leptos::prelude::{GetUntracked as _, Set as _};
use leptos::task::spawn_local;

use crate::number::thousands;
use crate::store::Store;

/// Begins a compaction, paying attention to `instructions` where there are any.
pub(crate) fn compact(store: Store, instructions: &str) {
    begin(store, store.reason.get_untracked(), instructions);
}

fn begin(store: Store, reason: Reason, instructions: &str) {
    let instructions = Some(instructions.trim().to_owned()).filter(|text| !text.is_empty());
    store.live.refusal.set(None);
    let begun = store.write(|session| Some(session.compactor_mut()?.compact(reason, instructions)));
    if let Some(Err(error)) = begun.flatten() {
        store.live.refusal.set(Some(error.to_string()));
        return;
    }
    // Planning a long conversation takes a moment; the page is drawn before the first request is made.
    spawn_local(async move {
        let _ = clock::sleep(0.0, None).await;
        drain(store);
    });
}

/// Tells the engine that a phase of the app's work has come, and does what is due then.
pub(crate) fn reach(store: Store, phase: Phase) {
    let due = store.write(|session| session.compactor_mut()?.check(phase)).flatten();
    match due {
        Some(reason) => begin(store, reason, ""),
        None => {
            drain(store);
            store.show_figures();
            store.announce("Nothing is due.");
        }
    }
}

/// Lets the compaction begin that somebody was asked about.
pub(crate) fn proceed(store: Store) {
    store.live.deciding.set(None);
    command(store, |compactor| {
        let _ = compactor.proceed();
    });
}

/// Keeps the compaction from beginning that somebody was asked about.
pub(crate) fn skip(store: Store) {
    store.live.deciding.set(None);
    command(store, |compactor| {
        let _ = compactor.skip();
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
    store.live.too_large.set(None);
    store.live.note("The latest step is undone.");
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

/// Notes the open tasks.
pub(crate) fn set_todo(store: Store, text: String) {
    let todo = text.clone();
    command(store, |compactor| {
        if compactor.log().todo().unwrap_or_default() != todo {
            let _ = compactor.set_todo(todo);
        }
    });
    store.live.todo.set(text);
    store.schedule();
}

/// Takes what a provider counted.
pub(crate) fn read_usage(store: Store, usage: Usage) {
    command(store, |compactor| compactor.handle_usage(usage));
    store.live.note(format!(
        "A call took {} prompt and {} completion tokens.",
        thousands(usage.prompt_tokens),
        thousands(usage.completion_tokens)
    ));
    store.show_figures();
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
            Some(Output::Before(before)) => decide(store, before),
            Some(Output::Summarize(request)) => summarize::begin(store, request),
            Some(Output::Persist(_)) => persist(store),
            Some(Output::Changed) => store.show_change(),
            Some(Output::Event(event)) => event::show(store, event),
            Some(Output::Wait(Some(until))) => return wait(store, until),
            Some(Output::Wait(None)) | None => return,
        }
    }
}

/// Goes on at once, unless somebody wants to be asked.
fn decide(store: Store, before: BeforeCompaction) {
    store.live.note(event::question(&before));
    if store.live.ask_first.get_untracked() {
        store.live.deciding.set(Some(before));
        return;
    }
    store.write(|session| session.compactor_mut().map(Compactor::proceed));
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

/// The browser's clock, as the engine counts.
fn now() -> Timestamp {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "ms since 1970")]
    Timestamp(clock::now_ms() as u64)
}

/// A moment of the engine, on the browser's clock.
fn as_ms(phase: Timestamp) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970 fit 53 bits")]
    let milliseconds = phase.0 as f64;
    milliseconds
}
