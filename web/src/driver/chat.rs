//! The chat: sends what the user says with the conversation as the model gets it, and compacts before and after the answer if that is
//! due, or if the server refuses the request as too long.

use epitome::message::{MessageId, Role, Usage};
use epitome::policy::Phase;
use epitome::{FailureKind, Outcome, Reason, Scope};
use epitome_browser::{AbortSignal, Completion, EndpointError, EndpointErrorCode, clock};
use epitome_formats::{Format, convert};
use js_sys::{Array, JSON};
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::{Value, json};

use super::summarize::Streamed;
use super::{command, drain, is_refused, start};
use crate::language::t;
use crate::number::thousands;
use crate::store::{Problem, Question, Session, Store};

/// How often a request is sent again that the server refuses as too long, each time after a compaction.
const MOST_REFUSALS: u32 = 2;
/// The most tokens of an answer, also in a large window.
const LONGEST_ANSWER: u32 = 4_096;

/// Sends a message of the user, and asks for the answer. False if that is not possible now, which the page then says.
pub(crate) fn send(store: Store, text: &str) -> bool {
    let is_said = begin(store) && say(store, Role::User, text);
    if is_said {
        prepare(store, Question::default());
    }
    is_said
}

/// Asks for the answer to what was said last once more.
pub(crate) fn try_again(store: Store, left: Option<MessageId>) {
    if begin(store) {
        prepare(store, Question { left, ..Question::default() });
    }
}

/// Has the answer at a position written again. The one that is there stays on a branch.
pub(crate) fn answer_again(store: Store, position: usize) {
    let left = store.read(|session| Some(session.message(position)?.id.clone()));
    if begin(store) && leave(store, position) {
        prepare(store, Question { left, ..Question::default() });
    }
}

/// Sends the message at a position in other words, in its place. What was there stays on a branch, with the answers to it.
pub(crate) fn reword(store: Store, position: usize, text: &str) {
    if begin(store) && leave(store, position) && say(store, Role::User, text) {
        prepare(store, Question::default());
    }
}

/// Shows the branch with this message.
pub(crate) fn show_version(store: Store, id: &MessageId) {
    if begin(store) {
        let shown = store.write(|session| session.switch_to(id));
        turned(store, shown);
    }
}

/// Stops the answer that is being written. What has arrived of it stays.
pub(crate) fn stop_answering(store: Store) {
    store.read(Session::stop);
}

/// What comes behind a compaction: the request that waited for it. A request that the user stopped is not sent.
pub(super) fn compacted(store: Store, outcome: &Outcome) {
    let waiting = store.chat.waiting.try_update_value(Option::take).flatten();
    let Some(question) = waiting else { return };
    match outcome {
        Outcome::Cancelled => give_up(store, question.left),
        // The server will refuse it again.
        Outcome::Skipped { .. } | Outcome::Failed { .. } if question.refused > 0 => {
            fail(store, question.refusal, question.left);
        }
        _ => ask(store, question),
    }
}

/// False if nothing can be said now, which the page then says.
fn begin(store: Store) -> bool {
    if is_refused(store) {
        return false;
    }
    if let Some(obstacle) = store.obstacle() {
        store.announce(obstacle);
        return false;
    }
    store.chat.forget_latest();
    true
}

/// Appends what was said. False if that is not possible, which the page then says.
fn say(store: Store, role: Role, text: &str) -> bool {
    let said = store.write(|session| session.append(role, text));
    went_on(store, said)
}

fn leave(store: Store, position: usize) -> bool {
    let left = store.write(|session| session.leave(position));
    turned(store, left)
}

/// Shows and keeps a change of the conversation. False if it could not be made.
fn went_on(store: Store, change: Option<Result<(), String>>) -> bool {
    if let Some(Err(problem)) = change {
        fail(store, problem, None);
        return false;
    }
    store.chat.is_begun.set(true);
    drain(store);
    store.show_size();
    store.show_change();
    store.keep();
    true
}

/// The same behind a turn to another branch, which may have other messages at the positions that were chosen.
fn turned(store: Store, change: Option<Result<(), String>>) -> bool {
    store.choice.clear();
    went_on(store, change)
}

/// Compacts if that is due before a request, and asks.
fn prepare(store: Store, question: Question) {
    match due(store, Phase::RequestStart) {
        Some(reason) => compact_before(store, reason, question),
        None => ask(store, question),
    }
}

fn due(store: Store, phase: Phase) -> Option<Reason> {
    store.write(|session| session.compactor_mut()?.check(phase)).flatten()
}

fn compact_before(store: Store, reason: Reason, question: Question) {
    let left = question.left.clone();
    store.chat.waiting.set_value(Some(question));
    start(store, reason, "", Scope::default());
    if let Some(problem) = store.live.rejection.get_untracked() {
        store.chat.waiting.set_value(None);
        fail(store, problem, left);
    }
}

/// Sends the request.
fn ask(store: Store, question: Question) {
    let begun = store.write(|session| (session.identity(), session.begin().signal()));
    let Some((identity, signal)) = begun else { return };
    store.chat.arriving.set(String::new());
    store.chat.is_answering.set(true);
    spawn_local(async move {
        // The message is drawn before the request is written.
        let _ = clock::sleep(0.0, signal.as_ref()).await;
        let streamed = Streamed::new(store.chat.arriving);
        let mut arrived = String::new();
        let mut on_delta = |delta: &str| {
            arrived.push_str(delta);
            streamed.push(delta);
        };
        let answer = answer(store, signal.as_ref(), &mut on_delta).await;
        if !store.read(|session| session.is(&identity)) {
            return;
        }
        store.chat.is_answering.set(false);
        store.chat.arriving.set(String::new());
        end(store, question, answer, arrived.trim());
    });
}

/// The answer of the server that the settings name.
async fn answer(
    store: Store,
    signal: Option<&AbortSignal>,
    on_delta: &mut dyn FnMut(&str),
) -> Result<Completion, EndpointError> {
    let unreadable = || {
        let problem = "the conversation cannot be written as a request";
        EndpointError::new(EndpointErrorCode::Misconfigured, problem)
    };
    let messages = store.read(chat_messages).ok_or_else(unreadable)?;
    let called = store.read(Session::called_tools);
    let window = store.settings.policy.with_untracked(|policy| policy.window);
    let server = store.settings.server.get_untracked();
    server.answer(messages, &called, (window / 4).clamp(1, LONGEST_ANSWER), signal, on_delta).await
}

/// The messages as those of chat completions, which every server of the list takes, behind the instructions that came with the
/// conversation.
fn chat_messages(session: &Session) -> Option<String> {
    let (format, messages) = (session.format(), session.compacted());
    let instructions = session.overhead().instructions.as_str();
    let system = json!({ "role": "system", "content": instructions });
    let system = Some(system).filter(|_| !instructions.is_empty());
    if format == Format::OpenAiChat {
        let system = system.and_then(|system| JSON::parse(&system.to_string()).ok());
        let messages = system.into_iter().collect::<Array>().concat(&messages);
        return JSON::stringify(&messages).ok().map(String::from);
    }
    let values: Vec<Value> = serde_wasm_bindgen::from_value(messages.into()).ok()?;
    let converted = convert(&values, format, Format::OpenAiChat).messages;
    Some(system.into_iter().chain(converted).collect::<Value>().to_string())
}

/// Appends the answer, and compacts if that is due then. `arrived` is what has come of an answer that has not ended well.
fn end(store: Store, question: Question, answer: Result<Completion, EndpointError>, arrived: &str) {
    let (text, usage, problem) = match answer {
        Ok(Completion { text, usage, .. }) => (text, usage.map(Usage::from), None),
        Err(error) => (arrived.to_owned(), None, Some(error)),
    };
    if let Some(error) = &problem
        && let FailureKind::TooLong(overflow) = error.failure_kind()
        && text.is_empty()
    {
        return too_long(store, question, overflow.limit_tokens, &error.message);
    }
    if !text.is_empty() && !say(store, Role::Assistant, &text) {
        return;
    }
    match problem.map(|error| (error.code, error.message)) {
        None => store.announce(t!("The answer is there.")),
        Some((EndpointErrorCode::Aborted, _)) if text.is_empty() => {
            return give_up(store, question.left);
        }
        Some((EndpointErrorCode::Aborted, _)) => store.announce(t!("Stopped.")),
        Some((EndpointErrorCode::Truncated, _)) => {
            let words = t!("The answer has reached its limit of tokens and was cut off there.");
            store.chat.note.set(Some(words.to_owned()));
        }
        Some((_, message)) => {
            let left = question.left.filter(|_| text.is_empty());
            return fail(store, message, left);
        }
    }
    if let Some(usage) = usage {
        command(store, |compactor| compactor.handle_usage(usage));
    }
    match due(store, Phase::TurnEnd) {
        Some(reason) => start(store, reason, "", Scope::default()),
        None => drain(store),
    }
    store.show_figures();
}

/// Compacts after the server has refused the request as too long, and sends it again.
fn too_long(store: Store, question: Question, limit: Option<u32>, refusal: &str) {
    let window = store.settings.policy.with_untracked(|policy| policy.window);
    if let Some(limit) = limit.filter(|limit| *limit < window) {
        store.settings.form.update(|form| form.set_window(limit));
        store.apply_settings();
        let tokens = thousands(limit);
        let words =
            t!("The server’s window has {tokens} tokens. The settings have it now.", tokens);
        store.chat.note.set(Some(words));
    }
    let again = question.refused < MOST_REFUSALS;
    match again.then(|| due(store, Phase::Overflow)).flatten() {
        Some(reason) => {
            let (refused, refusal) = (question.refused + 1, refusal.to_owned());
            compact_before(store, reason, Question { refused, refusal, ..question });
        }
        None => fail(store, refusal.to_owned(), question.left),
    }
}

/// Nothing came, because the user stopped it: the answer before it is shown again.
fn give_up(store: Store, left: Option<MessageId>) {
    if let Some(left) = left {
        let shown = store.write(|session| session.switch_to(&left));
        turned(store, shown);
    }
    store.announce(t!("Stopped."));
}

fn fail(store: Store, message: String, left: Option<MessageId>) {
    store.live.record(t!("No answer: {message}.", message = message.trim_end_matches('.')));
    store.chat.problem.set(Some(Problem { message, left }));
}
