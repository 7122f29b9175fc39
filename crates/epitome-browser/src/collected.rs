//! What has arrived of an answer, whatever the format of its response.

use serde_json::Value;

use crate::bounded_json;
use crate::completion::{Completion, CompletionUsage};
use crate::error::{EndpointError, EndpointErrorCode};
use crate::server::Server;
use crate::thinking::ThinkingFilter;

const TOOL_CALL: &str = "the model called a tool in place of an answer";

/// An answer has a few dozen values; with the probabilities of tokens, that nobody asked for, some thousands.
const MOST_VALUES: usize = 50_000;

/// What has arrived of an answer.
pub(crate) struct Collected<'a> {
    pub(crate) server: Server<'a>,
    text: String,
    thinking: ThinkingFilter,
    pub(crate) usage: Option<CompletionUsage>,
    pub(crate) finish_reason: Option<String>,
    /// What the model says in place of an answer.
    pub(crate) refusal: String,
    /// Whether the response has an answer at all, maybe without text.
    pub(crate) has_answer: bool,
    pub(crate) has_tool_call: bool,
    /// Whether the server marked the end. Without a mark and without a finish reason the response was cut off.
    pub(crate) has_end: bool,
}

impl<'a> Collected<'a> {
    pub(crate) fn new(server: Server<'a>) -> Self {
        Self {
            server,
            text: String::new(),
            thinking: ThinkingFilter::default(),
            usage: None,
            finish_reason: None,
            refusal: String::new(),
            has_answer: false,
            has_tool_call: false,
            has_end: false,
        }
    }

    /// Adds a part of the text.
    pub(crate) fn add(&mut self, delta: &str, on_delta: &mut dyn FnMut(&str)) {
        let visible = self.thinking.push(delta);
        self.add_text(&visible, on_delta);
    }

    /// The completion, or why the response is not one.
    pub(crate) fn finish(
        mut self,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<Completion, EndpointError> {
        let rest = std::mem::take(&mut self.thinking).finish();
        self.add_text(&rest, on_delta);
        let fail = |code, message: &str| Err(EndpointError::new(code, message));
        let is_empty = self.text.trim().is_empty();
        // The finish reason comes first, because it says more than what is missing: an empty text with the reason
        // `length` means that the limit is too low.
        match self.finish_reason.as_deref() {
            Some("content_filter" | "refusal") => {
                return fail(
                    EndpointErrorCode::Filtered,
                    "a filter of the provider stopped the answer",
                );
            }
            Some("model_context_window_exceeded") => {
                return fail(
                    EndpointErrorCode::TooLong,
                    "the answer did not fit the model's window",
                );
            }
            Some("error") => {
                return fail(EndpointErrorCode::Overloaded, "the server failed midway");
            }
            Some("length" | "max_tokens") => {
                return fail(EndpointErrorCode::Truncated, truncated(is_empty));
            }
            Some("tool_calls" | "function_call" | "tool_use") => {
                return fail(EndpointErrorCode::BadAnswer, TOOL_CALL);
            }
            _ => {}
        }
        if !self.refusal.is_empty() {
            let said = self.server.quote(&self.refusal).unwrap_or_default();
            let message = format!("the model declined to answer: {said}");
            return fail(EndpointErrorCode::Filtered, &message);
        }
        if self.has_tool_call {
            return fail(EndpointErrorCode::BadAnswer, TOOL_CALL);
        }
        if !self.has_end && self.finish_reason.is_none() {
            return fail(
                EndpointErrorCode::CutOff,
                "the connection ended in the middle of the answer",
            );
        }
        if !self.has_answer {
            return fail(
                EndpointErrorCode::BadAnswer,
                "the response has no choices and no content: it is not a chat completion",
            );
        }
        if is_empty {
            return fail(EndpointErrorCode::Empty, "the model answered without any text");
        }
        let Self { text, usage, finish_reason, .. } = self;
        Ok(Completion { text, usage, finish_reason })
    }

    fn add_text(&mut self, text: &str, on_delta: &mut dyn FnMut(&str)) {
        if !text.is_empty() {
            self.text.push_str(text);
            on_delta(text);
        }
    }
}

fn truncated(is_empty: bool) -> &'static str {
    if is_empty {
        "the model used up its limit of tokens before it wrote anything, maybe by thinking; raise the \
         limit, or take a model that thinks less"
    } else {
        "the answer reached the limit of tokens and lacks its end"
    }
}

/// Parses an answer, or a part of one.
pub(crate) fn parse(data: &str) -> Result<Value, EndpointError> {
    bounded_json::parse(data, MOST_VALUES).ok_or_else(|| {
        EndpointError::new(
            EndpointErrorCode::BadAnswer,
            "the server sent something that is not JSON",
        )
    })
}
