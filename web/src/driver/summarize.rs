//! Gets a summary for a request of the engine, from an endpoint or from the page itself.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use epitome::history::View;
use epitome::message::Usage;
use epitome::{Failure, FailureKind, SummaryRequest, policy};
use epitome_browser::{AbortSignal, Completion, Endpoint, Prompt, clock, complete};
use epitome_extractive::{Extract, Extraction, ModelRequest, for_model};
use epitome_formats::Format;
use epitome_tokens::Heuristic;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{command, now};
use crate::browser::Pace;
use crate::language::t;
use crate::settings::Summarizer;
use crate::store::{Draft, Session, Store};

/// The longest slice of reading and ranking what is quoted, in milliseconds.
const SLICE_MS: f64 = 16.0;

/// Starts a summarizer request and hands its result to the engine, unless the compaction was cancelled meanwhile.
pub(super) fn start(store: Store, request: SummaryRequest) {
    let is_ahead = request.is_ahead;
    // What is written in advance goes on if a compaction is cancelled, and is not shown.
    let started = store.write(|session| {
        let signal = if is_ahead { None } else { session.begin().signal() };
        (session.identity(), signal)
    });
    let Some((identity, signal)) = started else { return };
    if !is_ahead {
        store.streamed.set(String::new());
    }
    let own = store.settings.summarizer.with_untracked(Summarizer::endpoint);
    let endpoint = own.filter(|_| request.summarizer != policy::Summarizer::Extractive);
    let is_instructed = endpoint.as_ref().is_some_and(Endpoint::follows_instructions);
    let id = request.id;
    let is_last = request.chunk_index + 1 >= request.chunk_count;
    spawn_local(async move {
        // Writing a request and reading its answer are separate tasks, so that neither blocks the page for long.
        let _ = clock::sleep(0.0, signal.as_ref()).await;
        let answer = match endpoint {
            Some(endpoint) => ask(store, &endpoint, request, signal.as_ref()).await,
            None => quote(&request, signal.as_ref()).await,
        };
        let _ = clock::sleep(0.0, None).await;
        if !store.read(|session| session.is(&identity)) {
            return;
        }
        match answer {
            Ok(Answer { text, notes, state, usage }) => {
                let hand_over = move |Draft { text, notes, is_changed }: Draft| {
                    command(store, |compactor| {
                        compactor.handle_summary_notes(id, &notes);
                        compactor.handle_summary_state(id, &state);
                        if let Some(usage) = usage {
                            compactor.handle_summary_usage(id, &usage);
                        }
                        if is_instructed && !is_changed {
                            compactor.handle_instructed(id);
                        }
                        compactor.handle_summary(id, &text);
                    });
                };
                let mut draft = Draft { text, notes, is_changed: false };
                let is_shown = is_last && !is_ahead;
                if let Some(invention) = store.live.invention.get_untracked().filter(|_| is_shown) {
                    draft = draft.and(invention);
                }
                match is_shown && store.live.reads_first.get_untracked() {
                    true => {
                        store.live.show_draft(draft, hand_over);
                        store.announce(t!(
                            "The summary is written. Read it, change it if you want to, and use it."
                        ));
                    }
                    false => hand_over(draft),
                }
            }
            // The engine received this command already, from `cancel`.
            Err(failure) if failure.kind == FailureKind::Cancelled => {}
            Err(failure) => {
                command(store, |compactor| compactor.handle_failure(id, failure, now()));
            }
        }
    });
}

/// What a summarizer has answered.
#[derive(Default)]
struct Answer {
    text: String,
    /// What it notes for itself.
    notes: String,
    /// What the summary begins with, before the text.
    state: String,
    usage: Option<Usage>,
}

/// Requests a summary from an endpoint, which is given the state of the messages if it follows instructions.
async fn ask(
    store: Store,
    endpoint: &Endpoint,
    request: SummaryRequest,
    signal: Option<&AbortSignal>,
) -> Result<Answer, Failure> {
    let given = if endpoint.follows_instructions() { stated(&request) } else { None };
    // Reading the messages and writing the request are separate tasks too.
    let _ = clock::sleep(0.0, signal).await;
    let SummaryRequest { system, input, max_tokens, messages, is_ahead, asks_for_state, .. } =
        request;
    let ModelRequest { state, system, input } =
        given.unwrap_or(ModelRequest { state: String::new(), system, input });
    let fields = match messages {
        Some(view) => vec![("messages".to_owned(), messages_of(store, &view)?)],
        None => Vec::new(),
    };
    let prompt = Prompt { system, user: input, max_tokens, fields, asks_for_state };
    let streamed = Streamed::new(store.streamed);
    let mut on_delta = |delta: &str| {
        if !is_ahead {
            streamed.push(delta);
        }
    };
    let completion = complete(endpoint, &prompt, signal, &mut on_delta).await;
    let Completion { text, usage, .. } = completion?;
    Ok(Answer { text, state, usage: usage.map(Usage::from), ..Answer::default() })
}

/// The request with the state of its messages; `None` if it has messages in place of a transcript, or no state.
fn stated(request: &SummaryRequest) -> Option<ModelRequest> {
    let SummaryRequest { system, messages, target_tokens, given_state, asks_for_state, .. } =
        request;
    let reads = messages.is_none();
    reads
        .then(|| {
            for_model(
                system,
                &request.envelope(),
                *target_tokens,
                (*given_state, *asks_for_state),
                &Heuristic,
            )
        })
        .flatten()
}

/// The messages of a request as JSON. The endpoints of this page take them in one format only.
fn messages_of(store: Store, view: &View) -> Result<String, Failure> {
    let native = |session: &Session| session.format() == Format::OpenAiChat;
    let messages = store.read(|session| session.asked(view).filter(|_| native(session)));
    messages.ok_or_else(|| Failure {
        kind: FailureKind::Unsuitable,
        message: t!("this page sends messages only in the format of OpenAI’s chat completions")
            .to_owned(),
    })
}

/// Summarizes in the page, by quoting the input: a slice in each task, so that the page is drawn and the user can cancel.
async fn quote(request: &SummaryRequest, signal: Option<&AbortSignal>) -> Result<Answer, Failure> {
    let mut extraction = begun(request);
    let mut pace = Pace::start(SLICE_MS);
    loop {
        if signal.is_some_and(AbortSignal::aborted) {
            let message = "the request was aborted".to_owned();
            return Err(Failure { kind: FailureKind::Cancelled, message });
        }
        if let Some(Extract { text, notes }) = extraction.advance(&Heuristic) {
            return Ok(Answer { text, notes, ..Answer::default() });
        }
        if pace.is_due() {
            pace.rest().await;
        }
    }
}

/// Begins the summary of a request without a model, with changes to the lists if they are asked for.
pub(super) fn begun(request: &SummaryRequest) -> Extraction {
    Extraction::new(request.envelope(), request.target_tokens, request.asks_for_state)
}

/// Shows an arriving text once per frame, for any number of pieces.
pub(super) struct Streamed {
    shown: RwSignal<String>,
    waiting: Rc<RefCell<String>>,
    scheduled: Rc<Cell<bool>>,
}

impl Streamed {
    /// Text that arrives at the end of what is `shown`.
    pub(super) fn new(shown: RwSignal<String>) -> Self {
        Self { shown, waiting: Rc::default(), scheduled: Rc::default() }
    }

    /// Shows a piece, at the next frame at the latest.
    pub(super) fn push(&self, delta: &str) {
        self.waiting.borrow_mut().push_str(delta);
        if self.scheduled.replace(true) {
            return;
        }
        let (shown, waiting) = (self.shown, self.waiting.clone());
        let scheduled = self.scheduled.clone();
        request_animation_frame(move || {
            scheduled.set(false);
            let text = waiting.take();
            shown.update(|shown| shown.push_str(&text));
        });
    }
}
