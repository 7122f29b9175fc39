//! The time, and waiting, for apps that drive the engine.

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use thiserror::Error;
use web_sys::AbortSignal;

use crate::abort_listener::AbortListener;
use crate::timer::Timer;

/// Milliseconds since 1970, as `Date.now()` gives them.
pub fn now_ms() -> f64 {
    js_sys::Date::now()
}

/// The signal ended the wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the wait was aborted")]
pub struct Aborted;

/// Waits this long, also longer than `setTimeout` can. A delay that is negative or not a number counts as zero.
///
/// Fails as soon as the signal aborts, and at once if it has aborted already. Dropping the future clears the timer.
pub async fn sleep(delay_ms: f64, signal: Option<&AbortSignal>) -> Result<(), Aborted> {
    if signal.is_some_and(AbortSignal::aborted) {
        return Err(Aborted);
    }
    let state = Rc::new(RefCell::new(State::default()));
    let end = |outcome: Result<(), Aborted>| {
        let state = state.clone();
        move || state.borrow_mut().end(outcome)
    };
    // Both have to live until the wait ends: dropping them stops them.
    let _listener = signal.map(|signal| AbortListener::start(signal, end(Err(Aborted))));
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
    /// Sets the outcome, unless there is one already.
    fn end(&mut self, outcome: Result<(), Aborted>) {
        self.outcome.get_or_insert(outcome);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}
