//! The time, and waiting, for hosts that drive the engine.

use std::cell::RefCell;
use std::error::Error;
use std::fmt;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use web_sys::AbortSignal;

use crate::abort_listener::Listener;
use crate::timer::Timer;

/// Milliseconds since 1970, as `Date.now()` gives them.
pub fn now_ms() -> f64 {
    js_sys::Date::now()
}

/// The signal stopped the wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aborted;

/// Waits. A delay below zero, or one that is no number, is none; 24 days are the longest.
///
/// Fails as soon as the signal aborts, at once if it has already. Dropping the future clears the timer.
pub async fn sleep(delay_ms: f64, signal: Option<&AbortSignal>) -> Result<(), Aborted> {
    if signal.is_some_and(AbortSignal::aborted) {
        return Err(Aborted);
    }
    let state = Rc::new(RefCell::new(State::default()));
    let end = |outcome: Result<(), Aborted>| {
        let state = state.clone();
        move || state.borrow_mut().end(outcome)
    };
    let _listener = signal.map(|signal| Listener::start(signal, end(Err(Aborted))));
    let _timer = Timer::start(delay_ms, end(Ok(())));
    poll_fn(|context| {
        let mut state = state.borrow_mut();
        state.waker = Some(context.waker().clone());
        state.outcome.map_or(Poll::Pending, Poll::Ready)
    })
    .await
}

#[derive(Default)]
struct State {
    outcome: Option<Result<(), Aborted>>,
    waker: Option<Waker>,
}

impl State {
    /// The first outcome stays.
    fn end(&mut self, outcome: Result<(), Aborted>) {
        self.outcome.get_or_insert(outcome);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

impl fmt::Display for Aborted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the wait was aborted")
    }
}

impl Error for Aborted {}
