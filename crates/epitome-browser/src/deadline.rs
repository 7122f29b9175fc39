//! Everything that may stop a request, joined into one signal: the host, the timeouts, and being dropped.

use std::cell::Cell;
use std::rc::Rc;

use web_sys::{AbortController, AbortSignal};

use crate::abort_listener::Listener;
use crate::endpoint::Timeouts;
use crate::error::{EndpointError, EndpointErrorCode};
use crate::timer::Timer;

/// Stops the request when its time is up, when the host's signal aborts, or when it is dropped.
pub(crate) struct Deadline {
    stop: Stop,
    timeouts: Timeouts,
    silence: Option<(EndpointErrorCode, Timer)>,
    _total: Timer,
    _host: Option<Listener>,
}

/// The first cause wins; later ones find the request stopped already.
#[derive(Clone)]
struct Stop {
    controller: AbortController,
    cause: Rc<Cell<Option<EndpointErrorCode>>>,
}

impl Deadline {
    /// Starts the total, and nothing else.
    pub(crate) fn start(
        timeouts: Timeouts,
        host: Option<&AbortSignal>,
    ) -> Result<Self, EndpointError> {
        let controller = AbortController::new().map_err(|_| {
            EndpointError::new(
                EndpointErrorCode::Misconfigured,
                "this place has no AbortController",
            )
        })?;
        let stop = Stop { controller, cause: Rc::default() };
        if host.is_some_and(AbortSignal::aborted) {
            stop.because(EndpointErrorCode::Aborted);
        }
        let by_host = stop.clone();
        let by_total = stop.clone();
        Ok(Self {
            _host: host.map(|host| {
                Listener::start(host, move || by_host.because(EndpointErrorCode::Aborted))
            }),
            _total: Timer::start(f64::from(timeouts.total_ms), move || {
                by_total.because(EndpointErrorCode::TotalTimeout);
            }),
            silence: None,
            stop,
            timeouts,
        })
    }

    pub(crate) fn signal(&self) -> AbortSignal {
        self.stop.controller.signal()
    }

    /// The request goes out, and a streamed answer is to begin.
    pub(crate) fn await_first_byte(&mut self) {
        self.limit(EndpointErrorCode::FirstByteTimeout, self.timeouts.first_byte_ms);
    }

    /// The request goes out, and a plain answer is to come all at once: only the total counts.
    pub(crate) fn await_whole(&mut self) {
        self.silence = None;
    }

    /// A piece of the answer arrived, and the next one is to follow.
    pub(crate) fn await_next_piece(&mut self) {
        self.limit(EndpointErrorCode::IdleTimeout, self.timeouts.idle_ms);
    }

    /// The answer is complete, and only its connection is still open.
    pub(crate) fn await_end(&mut self, grace_ms: u32) {
        self.limit(EndpointErrorCode::IdleTimeout, grace_ms);
    }

    fn limit(&mut self, code: EndpointErrorCode, delay_ms: u32) {
        let delay_ms = f64::from(delay_ms);
        match &mut self.silence {
            Some((current, timer)) if *current == code => timer.restart(delay_ms),
            _ => {
                let stop = self.stop.clone();
                let handler = move || stop.because(code);
                self.silence = Some((code, Timer::start(delay_ms, handler)));
            }
        }
    }

    /// Why the request was stopped, if it was.
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
    /// Whatever is still under way has nobody left to read it. After a complete answer this does nothing.
    fn drop(&mut self) {
        self.stop.controller.abort();
    }
}

impl Stop {
    fn because(&self, code: EndpointErrorCode) {
        if self.cause.get().is_none() {
            self.cause.set(Some(code));
            self.controller.abort();
        }
    }
}
