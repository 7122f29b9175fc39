//! Gets one summary from whoever writes it, and tells the engine.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use epitome::extractive::extract;
use epitome::transcript::Envelope;
use epitome::{Failure, FailureKind, SummaryRequest};
use epitome_browser::{AbortSignal, Endpoint, Prompt, clock, complete};
use epitome_tokens::Heuristic;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{command, now};
use crate::store::{Store, Summarizer};

/// Asks, and settles the request whatever comes back, unless it was called off meanwhile.
pub(super) fn begin(store: Store, request: SummaryRequest) {
    let begun = store.write(|session| (session.identity(), session.begin().signal()));
    let Some((identity, signal)) = begun else { return };
    store.streamed.set(String::new());
    let endpoint = store.summarizer.with_untracked(Summarizer::endpoint);
    let id = request.id;
    spawn_local(async move {
        // Writing a request and taking an answer in are tasks of their own, so that neither is felt.
        let _ = clock::sleep(0.0, signal.as_ref()).await;
        let answer = match endpoint {
            Some(endpoint) => ask(store, &endpoint, request, signal.as_ref()).await,
            None => quote(&request, signal.as_ref()),
        };
        let _ = clock::sleep(0.0, None).await;
        if !store.read(|session| session.is(&identity)) {
            return;
        }
        match answer {
            Ok(text) => command(store, |compactor| compactor.handle_summary(id, &text)),
            // The engine was told when the person called it off.
            Err(failure) if failure.kind == FailureKind::Cancelled => {}
            Err(failure) => {
                command(store, |compactor| compactor.handle_failure(id, failure, now()));
            }
        }
    });
}

/// Has a server write it.
async fn ask(
    store: Store,
    endpoint: &Endpoint,
    request: SummaryRequest,
    signal: Option<&AbortSignal>,
) -> Result<String, Failure> {
    let SummaryRequest { system, input, max_tokens, .. } = request;
    let prompt = Prompt { system, user: input, max_tokens };
    let streamed = Streamed::new(store);
    let mut on_delta = |delta: &str| streamed.push(delta);
    let completion = complete(endpoint, &prompt, signal, &mut on_delta).await;
    completion.map(|completion| completion.text).map_err(Failure::from)
}

/// Quotes the input.
fn quote(request: &SummaryRequest, signal: Option<&AbortSignal>) -> Result<String, Failure> {
    if signal.is_some_and(AbortSignal::aborted) {
        let message = "the request was aborted".to_owned();
        return Err(Failure { kind: FailureKind::Cancelled, message });
    }
    Ok(extract(&Envelope::parse(&request.input), request.target_tokens, &Heuristic))
}

/// Shows what arrives once a frame, however many pieces it comes in.
struct Streamed {
    store: Store,
    waiting: Rc<RefCell<String>>,
    scheduled: Rc<Cell<bool>>,
}

impl Streamed {
    fn new(store: Store) -> Self {
        Self { store, waiting: Rc::default(), scheduled: Rc::default() }
    }

    fn push(&self, delta: &str) {
        self.waiting.borrow_mut().push_str(delta);
        if self.scheduled.replace(true) {
            return;
        }
        let (store, waiting) = (self.store, self.waiting.clone());
        let scheduled = self.scheduled.clone();
        request_animation_frame(move || {
            scheduled.set(false);
            let text = waiting.take();
            store.streamed.update(|streamed| streamed.push_str(&text));
        });
    }
}
