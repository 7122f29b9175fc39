//! The answers of summarizers, and their failures.

use epitome::message::RequestId;
use epitome::{ContextOverflow, Failure, FailureKind, Timestamp};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use super::Compactor;
use crate::usage;

#[wasm_bindgen]
impl Compactor {
    /// Takes a summary.
    #[wasm_bindgen(js_name = handleSummary)]
    pub fn handle_summary(&mut self, request: u32, text: &str) {
        self.engine.handle_summary(RequestId(request), text);
    }

    /// Takes a failure after which a retry may succeed.
    #[wasm_bindgen(js_name = handleTransientFailure)]
    pub fn handle_transient_failure(
        &mut self,
        request: u32,
        message: String,
        retry_after_ms: Option<f64>,
        now: f64,
    ) {
        let retry_after_ms = retry_after_ms.map(|delay_ms| delay_ms as u64);
        let kind = FailureKind::Transient { retry_after_ms };
        self.handle_failure(request, Failure { kind, message }, now);
    }

    /// Takes a failure after which a retry would fail too.
    #[wasm_bindgen(js_name = handlePermanentFailure)]
    pub fn handle_permanent_failure(&mut self, request: u32, message: String, now: f64) {
        self.handle_failure(request, Failure { kind: FailureKind::Permanent, message }, now);
    }

    /// Takes a failure after which a transcript may succeed, if the request had messages.
    #[wasm_bindgen(js_name = handleUnsuitable)]
    pub fn handle_unsuitable(&mut self, request: u32, message: String, now: f64) {
        self.handle_failure(request, Failure { kind: FailureKind::Unsuitable, message }, now);
    }

    /// Takes a failure because the prompt does not fit the summarizer's window, with the server's numbers.
    #[wasm_bindgen(js_name = handleTooLong)]
    pub fn handle_too_long(
        &mut self,
        request: u32,
        message: String,
        requested_tokens: Option<u32>,
        limit_tokens: Option<u32>,
        now: f64,
    ) {
        let kind = FailureKind::TooLong(ContextOverflow { requested_tokens, limit_tokens });
        self.handle_failure(request, Failure { kind, message }, now);
    }

    /// Takes a failure because the answer lacks its end.
    #[wasm_bindgen(js_name = handleTruncated)]
    pub fn handle_truncated(&mut self, request: u32, message: String, now: f64) {
        self.handle_failure(request, Failure { kind: FailureKind::Truncated, message }, now);
    }

    /// Says that the summarizer was given the request's instructions, before its answer.
    #[wasm_bindgen(js_name = handleInstructed)]
    pub fn handle_instructed(&mut self, request: u32) {
        self.engine.handle_instructed(RequestId(request));
    }

    /// Takes the usage object that a provider sent with an answer, before the answer. Ignores any other value.
    #[wasm_bindgen(js_name = handleSummaryUsage)]
    pub fn handle_summary_usage(&mut self, request: u32, usage: &JsValue) {
        if let Ok(Some(usage)) = usage::required(usage) {
            self.engine.handle_summary_usage(RequestId(request), &usage);
        }
    }

    /// Takes what a summarizer noted for itself, before its answer.
    #[wasm_bindgen(js_name = handleSummaryNotes)]
    pub fn handle_summary_notes(&mut self, request: u32, notes: &str) {
        self.engine.handle_summary_notes(RequestId(request), notes);
    }

    /// Takes what the summary begins with, before the answer.
    #[wasm_bindgen(js_name = handleSummaryState)]
    pub fn handle_summary_state(&mut self, request: u32, state: &str) {
        self.engine.handle_summary_state(RequestId(request), state);
    }

    /// Takes the cancellation of a request.
    #[wasm_bindgen(js_name = handleCancelled)]
    pub fn handle_cancelled(&mut self, request: u32, now: f64) {
        let failure = Failure { kind: FailureKind::Cancelled, message: String::new() };
        self.handle_failure(request, failure, now);
    }
}

impl Compactor {
    fn handle_failure(&mut self, request: u32, failure: Failure, now: f64) {
        self.engine.handle_failure(RequestId(request), failure, Timestamp(now as u64));
    }
}
