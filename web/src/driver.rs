//! Runs the engine: sends commands to it and handles its outputs, with one small function per output.

mod agent;
mod chat;
mod event;
mod held;
mod summarize;
mod tabs;

use std::sync::OnceLock;

use epitome::message::{CheckpointId, Message, Usage};
use epitome::policy::Phase;
use epitome::{BeforeCompaction, Compactor, Output, Reason, Scope, Timestamp};
use epitome_browser::clock;
use leptos::prelude::{
    GetUntracked as _, GetValue as _, Set as _, SetValue as _, WithUntracked as _,
};
use leptos::task::spawn_local;

use crate::language::t;
use crate::number::{count, plural, thousands};
use crate::store::{Span, Store, is_transition_due};

pub(crate) use agent::{compact_agent, undo_agent};
pub(crate) use chat::{answer_again, reword, send, show_version, stop_answering, try_again};
pub(crate) use held::{change_lists, change_memory, undo_change};
use tabs::is_refused;
pub(crate) use tabs::{edit_here, follow, follow_list};

/// Starts a compaction with the chosen reason; `instructions` may be empty.
pub(crate) fn compact(store: Store, instructions: &str) {
    start(store, store.reason.get_untracked(), instructions, store.choice.scope());
}

/// The same as an example: the summary says something that no message does.
pub(crate) fn compact_with(store: Store, invention: &'static str) {
    store.live.invention.set(Some(invention));
    compact(store, "");
}

fn start(store: Store, reason: Reason, instructions: &str, scope: Scope) {
    if is_refused(store) {
        return;
    }
    let instructions = Some(instructions.trim().to_owned()).filter(|text| !text.is_empty());
    store.live.rejection.set(None);
    let quotes = store.quotes();
    let started = store.write(|session| {
        let compactor = session.compactor_mut()?;
        // By it the report says how long the compaction took.
        compactor.set_time(now());
        compactor.set_reads_in_slices(quotes);
        Some(compactor.compact_within(reason, instructions, scope))
    });
    if let Some(Err(error)) = started.flatten() {
        store.live.invention.set(None);
        store.live.rejection.set(Some(error.to_string()));
        return;
    }
    // Planning a long conversation takes time; the page is drawn before more is done.
    drain_soon(store);
}

/// Handles outputs after the page had the time to be drawn and to react.
fn drain_soon(store: Store) {
    spawn_local(async move {
        let _ = clock::sleep(0.0, None).await;
        drain(store);
    });
}

/// Checks what is due at a phase, as an app does, and starts that compaction.
pub(crate) fn check(store: Store, phase: Phase) {
    if is_refused(store) {
        return;
    }
    let due = store.write(|session| session.compactor_mut()?.check(phase)).flatten();
    match due {
        Some(reason) => start(store, reason, "", Scope::default()),
        None => {
            drain(store);
            store.show_figures();
            store.announce(t!("Nothing is due."));
        }
    }
}

/// Continues the compaction that waits for a decision.
pub(crate) fn proceed(store: Store) {
    store.live.deciding.set(None);
    command(store, |compactor| {
        let _ = compactor.proceed();
    });
}

/// Skips the compaction that waits for a decision.
pub(crate) fn skip(store: Store) {
    store.live.deciding.set(None);
    command(store, |compactor| {
        let _ = compactor.skip();
    });
}

/// Goes on with the summary that the user has read and may have changed. Without a text nothing happens.
pub(crate) fn use_draft(store: Store, text: String) {
    if !text.trim().is_empty() {
        store.live.use_draft(text);
    }
}

/// Cancels the running compaction; the conversation stays unchanged.
pub(crate) fn cancel(store: Store) {
    store.read(|session| session.stop());
    store.live.drop_draft();
    command(store, Compactor::cancel);
}

/// Undoes what was done last: a change of the lists of everyone, or the latest compaction.
pub(crate) fn undo(store: Store) {
    if is_refused(store) || store.is_busy() || held::undo_newest(store) {
        return;
    }
    let compactions = store.compactions.get_untracked();
    if let Some(latest) = compactions.last() {
        undo_to(store, latest.checkpoint);
    }
}

/// Undoes a compaction and all later ones, latest first, because each builds on those before it; and with them what was changed in
/// the lists since.
pub(crate) fn undo_to(store: Store, checkpoint: CheckpointId) {
    if is_refused(store) {
        return;
    }
    let later = store.compactions.with_untracked(|all| {
        all.iter().skip_while(|compaction| compaction.checkpoint != checkpoint).count()
    });
    store.undoing.set_value(Some(checkpoint));
    undo_next(store);
    drain(store);
    store.report.set(None);
    store.live.too_large.set(None);
    let words = match later {
        0 | 1 => t!("The compaction is undone.").to_owned(),
        several => t!("{several} compactions are undone.", several),
    };
    store.live.record(words.clone());
    store.announce(words);
}

/// Undoes the latest compaction if the one that is being undone is still active.
fn undo_next(store: Store) {
    let Some(wanted) = store.undoing.get_value() else { return };
    let begun = store.write(|session| {
        let compactor = session.compactor_mut()?;
        let active = compactor.log().active_checkpoints().any(|checkpoint| checkpoint.id == wanted);
        // The engine takes back what was done last, and at once if that is a change of the lists.
        while active && compactor.log().has_newer_state() {
            compactor.undo().ok()?;
        }
        active.then(|| compactor.undo())
    });
    if !matches!(begun, Some(Some(Ok(())))) {
        store.undoing.set_value(None);
    }
}

/// Pins a message, or removes its pin.
pub(crate) fn toggle_pin(store: Store, position: usize) {
    if is_refused(store) {
        return;
    }
    if let Some(obstacle) = store.read(|session| session.pin_obstacle(position)) {
        return store.announce(obstacle);
    }
    if let Some(obstacle) = store.obstacle() {
        return store.announce(obstacle);
    }
    let message = store.read(|session| session.message(position).cloned());
    let Some(mut message) = message else { return };
    message.pinned = !message.pinned;
    store.announce(if message.pinned { t!("Pinned.") } else { t!("No longer pinned.") });
    command(store, |compactor| {
        let _ = compactor.edit(message);
    });
}

/// Pins all of these messages that can be pinned, or removes their pins if all of them have one.
pub(crate) fn toggle_pins(store: Store, (first, last): Span) {
    if is_refused(store) {
        return;
    }
    if let Some(obstacle) = store.obstacle() {
        return store.announce(obstacle);
    }
    let messages = store.read(|session| {
        let free = (first..=last).filter(|at| session.pin_obstacle(*at).is_none());
        free.filter_map(|at| session.message(at).cloned()).collect::<Vec<_>>()
    });
    let pinned = !messages.iter().all(|message| message.pinned);
    let changed: Vec<_> = messages.into_iter().filter(|it| it.pinned != pinned).collect();
    let number = plural(count(changed.len()), "message", "messages");
    store.announce(match pinned {
        true => t!("{number} pinned.", number),
        false => t!("{number} no longer pinned.", number),
    });
    command(store, |compactor| {
        for message in changed {
            let _ = compactor.edit(Message { pinned, ..message });
        }
    });
}

/// Brings back a message that a compaction has replaced, or takes it out of the next request again.
pub(crate) fn toggle_brought_back(store: Store, position: usize) {
    if is_refused(store) {
        return;
    }
    let is_back = store.write(|session| session.toggle_brought_back(position));
    let words = match is_back {
        Some(true) => t!("Brought back: the next request quotes it."),
        Some(false) | None => t!("Taken out of the next request again."),
    };
    store.live.record(words.to_owned());
    store.announce(words);
    store.show_change();
    store.keep();
}

/// Sets the open tasks, which are appended to every summary.
pub(crate) fn set_todo(store: Store, text: String) {
    if is_refused(store) {
        return;
    }
    let todo = text.clone();
    command(store, |compactor| {
        if compactor.log().todo().unwrap_or_default() != todo {
            let _ = compactor.set_todo(todo);
        }
    });
    store.live.todo.set(text);
    store.schedule();
    store.keep();
}

/// Completes a task of the workflow, and chooses the transition to the next one as the next compaction.
pub(crate) fn complete_task(store: Store, name: String) {
    if is_refused(store) {
        return;
    }
    let words = t!("Task completed: {name}.", name);
    let completed = store.write(|session| {
        let compactor = session.compactor_mut()?;
        let completed = compactor.complete_task(name);
        Some(completed.map(|()| is_transition_due(compactor)))
    });
    match completed.flatten() {
        Some(Ok(true)) => store.reason.set(Reason::TaskTransition),
        Some(Ok(false)) => {}
        Some(Err(error)) => return store.live.rejection.set(Some(error.to_string())),
        None => return,
    }
    drain(store);
    store.live.record(words.clone());
    store.announce(words);
    store.show_figures();
    store.keep();
}

/// Records the usage that a provider reported.
pub(crate) fn record_usage(store: Store, usage: Usage) {
    if is_refused(store) {
        return;
    }
    command(store, |compactor| compactor.handle_usage(usage));
    store.live.record(t!(
        "The provider reported {prompt} prompt and {completion} completion tokens.",
        prompt = thousands(usage.prompt_tokens),
        completion = thousands(usage.completion_tokens)
    ));
    store.show_figures();
}

/// Sends a command to the engine and handles the outputs.
fn command(store: Store, send: impl FnOnce(&mut Compactor)) {
    store.write(|session| {
        let compactor = session.compactor_mut()?;
        compactor.set_time(now());
        send(compactor);
        Some(())
    });
    drain(store);
}

/// What handles outputs, once its code is there.
static HANDLER: OnceLock<fn(Store)> = OnceLock::new();

/// Handles outputs by this from now on, also those that wait for it in the engine.
pub(crate) fn handle_by(handler: fn(Store), store: Store) {
    let _ = HANDLER.set(handler);
    drain(store);
}

fn drain(store: Store) {
    if let Some(handle) = HANDLER.get() {
        handle(store);
    }
}

/// Handles outputs until the engine waits.
pub(crate) fn handle_outputs(store: Store) {
    loop {
        let output =
            store.write(|session| session.compactor_mut().map(Compactor::poll_output)).flatten();
        match output {
            Some(Output::Before(before)) => decide(store, before),
            Some(Output::Summarize(request)) => summarize::start(store, request),
            Some(Output::Persist(_)) => persist(store),
            // Each change is kept when it is made.
            Some(Output::Save(_)) => {}
            Some(Output::Changed) => {
                store.show_change();
                undo_next(store);
                store.keep();
            }
            Some(Output::Event(event)) => event::show(store, event),
            Some(Output::Continue) => return drain_soon(store),
            Some(Output::Wait(Some(until))) => return wait(store, until),
            Some(Output::Wait(None)) | None => return,
        }
    }
}

/// Continues, unless the user wants to decide first.
fn decide(store: Store, before: BeforeCompaction) {
    store.live.record(event::before(&before));
    if store.live.ask_first.get_untracked() {
        store.live.deciding.set(Some(before));
        return;
    }
    store.write(|session| session.compactor_mut().map(Compactor::proceed));
}

/// Stores a record before it is applied. If it cannot be stored, it is applied in memory, and the page says so.
fn persist(store: Store) {
    let identity = store.read(|session| session.identity());
    store.keep_and_then(move || {
        if store.read(|session| session.is(&identity)) {
            command(store, |compactor| {
                let _ = compactor.handle_persisted();
            });
        }
    });
}

fn wait(store: Store, until: Timestamp) {
    let started = store.write(|session| {
        session.begin_wait(until).then(|| (session.identity(), session.begin().signal()))
    });
    let Some((identity, signal)) = started.flatten() else { return };
    spawn_local(async move {
        let delay_ms = as_ms(until) - clock::now_ms();
        let waited = clock::sleep(delay_ms, signal.as_ref()).await;
        let current = store.write(|session| {
            let current = session.is(&identity);
            if current {
                session.end_wait();
            }
            current
        });
        if waited.is_ok() && current == Some(true) {
            command(store, |compactor| compactor.handle_timeout(now()));
        }
    });
}

/// The time of the browser's clock, for the engine.
fn now() -> Timestamp {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "ms since 1970")]
    Timestamp(clock::now_ms() as u64)
}

/// A time of the engine, on the browser's clock.
fn as_ms(time: Timestamp) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970 fit 53 bits")]
    let milliseconds = time.0 as f64;
    milliseconds
}
