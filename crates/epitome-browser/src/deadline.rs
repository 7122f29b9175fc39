//! Everything that may stop a request, joined into one abort signal: the caller, the timeouts, and being dropped.

use std::cell::Cell;
use std::rc::Rc;

use web_sys::{AbortController, AbortSignal};

use crate::abort_listener::AbortListener;
use crate::endpoint::Timeouts;
use crate::error::{EndpointError, EndpointErrorCode};
use crate::timer::Timer;

/// Stops the request when a timeout expires, when the caller's signal aborts, or when this is dropped.
pub(crate) struct Deadline {
    stop: Stop,
    timeouts: Timeouts,
    /// The timeout for the next bytes, with the error that it causes.
    silence: Option<(EndpointErrorCode, Timer)>,
    _total: Timer,
    _caller: Option<AbortListener>,
}

/// Aborts the request and remembers why. The first cause wins, because later ones find the request stopped already:
/// dropping a [`Deadline`] aborts too, and must not replace a timeout.
#[derive(Clone)]
struct Stop {
    controller: AbortController,
    cause: Rc<Cell<Option<EndpointErrorCode>>>,
}

impl Deadline {
    /// Starts the total timeout, and no other.
    pub(crate) fn start(
        timeouts: Timeouts,
        caller: Option<&AbortSignal>,
    ) -> Result<Self, EndpointError> {
        let controller = AbortController::new().map_err(|_| {
            EndpointError::new(
                EndpointErrorCode::Misconfigured,
                "this environment has no AbortController",
            )
        })?;
        let stop = Stop { controller, cause: Rc::default() };
        // A signal that has aborted already fires no event.
        if caller.is_some_and(AbortSignal::aborted) {
            stop.because(EndpointErrorCode::Aborted);
        }
        let by_caller = stop.clone();
        let by_total = stop.clone();
        Ok(Self {
            _caller: caller.map(|signal| {
                AbortListener::start(signal, move || by_caller.because(EndpointErrorCode::Aborted))
            }),
            _total: Timer::start(f64::from(timeouts.total_ms), move || {
                by_total.because(EndpointErrorCode::TotalTimeout);
            }),
            silence: None,
            stop,
            timeouts,
        })
    }

    /// The signal for `fetch`.
    pub(crate) fn signal(&self) -> AbortSignal {
        self.stop.controller.signal()
    }

    /// Call when a request for a streamed response is sent.
    pub(crate) fn await_first_byte(&mut self) {
        self.limit(EndpointErrorCode::FirstByteTimeout, self.timeouts.first_byte_ms);
    }

    /// Call when a request for a response in one piece is sent. Its first byte arrives when the whole answer is
    /// written, so only the total timeout applies.
    pub(crate) fn await_whole(&mut self) {
        self.silence = None;
    }

    /// Call when a chunk of the response has arrived.
    pub(crate) fn await_next_chunk(&mut self) {
        self.limit(EndpointErrorCode::IdleTimeout, self.timeouts.idle_ms);
    }

    /// Call when the answer is complete and only its connection is still open.
    pub(crate) fn await_end(&mut self, grace_ms: u32) {
        self.limit(EndpointErrorCode::IdleTimeout, grace_ms);
    }

    fn limit(&mut self, code: EndpointErrorCode, delay_ms: u32) {
        let delay_ms = f64::from(delay_ms);
        match &mut self.silence {
            // Called for every chunk: restarting a timer avoids a new JavaScript closure for each.
            Some((current, timer)) if *current == code => timer.restart(delay_ms),
            _ => {
                let stop = self.stop.clone();
                let handler = move || stop.because(code);
                self.silence = Some((code, Timer::start(delay_ms, handler)));
            }
        }
    }

    /// Why the request was stopped; `None` if it was not.
    pub(crate) fn cause(&self) -> Option<EndpointError> {
        let code = self.stop.cause.get()?;
        let Timeouts { first_byte_ms, idle_ms, total_ms } = self.timeouts;
        let message = match code {
            EndpointErrorCode::FirstByteTimeout => format!(
                "the server sent nothing for {first_byte_ms} ms; it may still be loading the model \
                 or reading the prompt"
            ),
            EndpointErrorCode::IdleTimeout => {
                format!("the answer began, and then nothing came for {idle_ms} ms")
            }
            EndpointErrorCode::TotalTimeout => {
                format!("the answer was not complete after {total_ms} ms")
            }
            _ => "the request was aborted".to_owned(),
        };
        Some(EndpointError::new(code, message))
    }
}

impl Drop for Deadline {
    /// Closes the connection if the request is still running, because nothing reads its response any more: the future
    /// was dropped, or an error ended it early. After a complete response this has no effect.
    fn drop(&mut self) {
        self.stop.controller.abort();
    }
}

impl Stop {
    fn because(&self, code: EndpointErrorCode) {
        if self.cause.get().is_none() {
            // The cause comes first: aborting may run code that reads it.
            self.cause.set(Some(code));
            self.controller.abort();
        }
    }
}
