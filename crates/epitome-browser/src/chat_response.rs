//! Collects a chat completion, from one JSON object or from the events of a stream.

use serde_json::Value;

use crate::completion::{Completion, CompletionUsage};
use crate::completion_format::{CompletionResponse, StreamState};
use crate::error::{EndpointError, EndpointErrorCode};
use crate::error_body::ErrorBody;
use crate::server::Server;
use crate::surrogate::replace_lone_surrogates;
use crate::thinking::ThinkingFilter;

/// The data of a stream's last event.
const DONE: &str = "[DONE]";
const TOOL_CALL: &str = "the model called a tool, though none was offered";

/// What has arrived of a response.
pub(crate) struct ChatResponse<'a> {
    server: Server<'a>,
    text: String,
    thinking: ThinkingFilter,
    usage: Option<CompletionUsage>,
    finish_reason: Option<String>,
    /// What the model says in the field `refusal`, in place of an answer.
    refusal: String,
    has_choice: bool,
    has_tool_call: bool,
    /// Whether the server marked the end. Without a mark and without a finish reason the response was cut off.
    has_end: bool,
}

impl<'a> CompletionResponse<'a> for ChatResponse<'a> {
    fn new(server: Server<'a>) -> Self {
        Self {
            server,
            text: String::new(),
            thinking: ThinkingFilter::default(),
            usage: None,
            finish_reason: None,
            refusal: String::new(),
            has_choice: false,
            has_tool_call: false,
            has_end: false,
        }
    }

    fn add_event(
        &mut self,
        data: &str,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<StreamState, EndpointError> {
        let data = data.trim();
        if data == DONE {
            self.has_end = true;
            return Ok(StreamState::Done);
        }
        if data.is_empty() {
            return Ok(StreamState::Open);
        }
        let chunk = parse(data)?;
        self.add(&chunk, "delta", on_delta)?;
        Ok(StreamState::Open)
    }

    fn add_body(
        &mut self,
        body: &str,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<(), EndpointError> {
        let completion = parse(body)?;
        self.has_end = true;
        self.add(&completion, "message", on_delta)
    }

    fn finish(mut self, on_delta: &mut dyn FnMut(&str)) -> Result<Completion, EndpointError> {
        let rest = std::mem::take(&mut self.thinking).finish();
        self.add_text(&rest, on_delta);
        let fail = |code, message: &str| Err(EndpointError::new(code, message));
        let is_empty = self.text.trim().is_empty();
        // The finish reason comes first, because it says more than what is missing: an empty text with the reason
        // `length` means that the limit is too low.
        match self.finish_reason.as_deref() {
            Some("content_filter") => {
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
            Some("tool_calls" | "function_call") => {
                return fail(EndpointErrorCode::BadAnswer, TOOL_CALL);
            }
            _ => {}
        }
        if !self.refusal.is_empty() {
            let message = format!(
                "the model declined to answer: {}",
                self.server.endpoint.redact(&self.refusal)
            );
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
        if !self.has_choice {
            return fail(
                EndpointErrorCode::BadAnswer,
                "the answer has no choices: it is not a chat completion",
            );
        }
        if is_empty {
            return fail(EndpointErrorCode::Empty, "the model answered without any text");
        }
        let Self { text, usage, finish_reason, .. } = self;
        Ok(Completion { text, usage, finish_reason })
    }
}

impl ChatResponse<'_> {
    /// Adds a completion object or a chunk of one. `message` names the field of a choice that holds its text.
    fn add(
        &mut self,
        completion: &Value,
        message: &str,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<(), EndpointError> {
        // Some servers report an error inside of a response with HTTP status 200.
        if let Some(error) = completion.get("error").filter(|error| !error.is_null()) {
            return Err(ErrorBody::inside_response(error).explain(self.server, None));
        }
        self.usage = completion.get("usage").and_then(usage).or(self.usage);
        // A chunk may have no choices, such as the last one, which carries the usage.
        let Some(choice) = completion.get("choices").and_then(|choices| choices.get(0)) else {
            return Ok(());
        };
        self.has_choice = true;
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.finish_reason = Some(reason.to_owned());
        }
        let Some(message) = choice.get(message) else { return Ok(()) };
        if let Some(refusal) = message.get("refusal").and_then(Value::as_str) {
            self.refusal.push_str(refusal);
        }
        let calls = message.get("tool_calls").and_then(Value::as_array);
        self.has_tool_call |= calls.is_some_and(|calls| !calls.is_empty());
        let delta = message.get("content").map(text).unwrap_or_default();
        let visible = self.thinking.push(&delta);
        self.add_text(&visible, on_delta);
        Ok(())
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

/// Parses JSON, and if that fails, the same with lone surrogates replaced, which no JSON parser for UTF-8 accepts.
fn parse(data: &str) -> Result<Value, EndpointError> {
    let parsed = serde_json::from_str(data);
    parsed.or_else(|_| serde_json::from_str(&replace_lone_surrogates(data))).map_err(|_| {
        EndpointError::new(
            EndpointErrorCode::BadAnswer,
            "the server sent something that is not JSON",
        )
    })
}

/// The text of a message's content: a string, or the text parts of a list.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}

fn usage(usage: &Value) -> Option<CompletionUsage> {
    let tokens = |name: &str| usage.get(name)?.as_u64()?.try_into().ok();
    Some(CompletionUsage {
        prompt_tokens: tokens("prompt_tokens")?,
        completion_tokens: tokens("completion_tokens")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::endpoint::Endpoint;

    fn read(events: &[&str]) -> (Result<Completion, EndpointError>, String) {
        let endpoint = Endpoint::new("https://h/v1", "m");
        let address = Address::parse(&endpoint.base_url, &[]).unwrap();
        let mut response = ChatResponse::new(Server::completions(&endpoint, &address));
        let mut shown = String::new();
        let on_delta = &mut |delta: &str| shown.push_str(delta);
        let added = events.iter().try_for_each(|data| response.add_event(data, on_delta).map(drop));
        let result = added.and_then(|()| response.finish(on_delta));
        (result, shown)
    }

    fn check(events: &[&str], code: EndpointErrorCode) {
        let (result, _) = read(events);
        assert_eq!(result.map_err(|error| error.code), Err(code), "{events:?}");
    }

    const HELLO: &str = r#"{"choices":[{"delta":{"content":"hello"}}]}"#;

    fn finish(reason: &str) -> String {
        format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":"{reason}"}}]}}"#)
    }

    #[test]
    fn a_stream_becomes_a_completion() {
        let (result, shown) = read(&[
            r#"{"choices":[{"delta":{"role":"assistant","content":null}}]}"#,
            r#"{"choices":[{"delta":{"reasoning_content":"hm"}}]}"#,
            r#"{"choices":[{"delta":{"content":"<think>so</think>\nhe"}}],"usage":null}"#,
            r#"{"choices":[{"delta":{"content":"llo"},"finish_reason":null}],"error":null}"#,
            "",
            &finish("stop"),
            r#"{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}"#,
            "[DONE]",
        ]);
        assert_eq!(shown, "hello");
        let usage = Some(CompletionUsage { prompt_tokens: 7, completion_tokens: 2 });
        let finish_reason = Some("stop".to_owned());
        assert_eq!(result, Ok(Completion { text: shown, usage, finish_reason }));
    }

    #[test]
    fn a_lone_surrogate_does_not_spoil_the_rest() {
        let half = r#"{"choices":[{"delta":{"content":"a\ud83d"}}]}"#;
        let (result, _) = read(&[half, "[DONE]"]);
        assert_eq!(result.unwrap().text, "a\u{fffd}");
    }

    #[test]
    fn a_finish_reason_or_an_end_mark_is_enough() {
        assert!(read(&[HELLO, &finish("stop")]).0.is_ok());
        assert!(read(&[HELLO, "[DONE]"]).0.is_ok());
        check(&[HELLO], EndpointErrorCode::CutOff);
        check(&[], EndpointErrorCode::CutOff);
    }

    #[test]
    fn an_answer_that_is_not_a_text_is_an_error() {
        check(&[HELLO, &finish("length")], EndpointErrorCode::Truncated);
        check(&[&finish("length")], EndpointErrorCode::Truncated);
        check(&[HELLO, &finish("content_filter")], EndpointErrorCode::Filtered);
        check(&[HELLO, &finish("model_context_window_exceeded")], EndpointErrorCode::TooLong);
        check(&[HELLO, &finish("error")], EndpointErrorCode::Overloaded);
        check(&[&finish("tool_calls")], EndpointErrorCode::BadAnswer);
        check(&[&finish("stop")], EndpointErrorCode::Empty);
        check(
            &[r#"{"choices":[{"delta":{"content":" \n"}}]}"#, "[DONE]"],
            EndpointErrorCode::Empty,
        );
        check(
            &[r#"{"choices":[{"delta":{"content":"<think>hm"}}]}"#, &finish("stop")],
            EndpointErrorCode::Empty,
        );
        check(
            &[r#"{"choices":[{"delta":{"refusal":"no"}}]}"#, "[DONE]"],
            EndpointErrorCode::Filtered,
        );
        check(
            &[r#"{"choices":[{"delta":{"tool_calls":[{"index":0}]}}]}"#, &finish("stop")],
            EndpointErrorCode::BadAnswer,
        );
        check(&["[DONE]"], EndpointErrorCode::BadAnswer);
        check(&["{}", "[DONE]"], EndpointErrorCode::BadAnswer);
        check(&["<html>"], EndpointErrorCode::BadAnswer);
        check(&[HELLO, r#"{"error":{"code":429}}"#], EndpointErrorCode::RateLimited);
    }

    #[test]
    fn an_event_torn_by_the_end_of_the_stream_means_cut_off() {
        let endpoint = Endpoint::new("https://h/v1", "m");
        let address = Address::parse(&endpoint.base_url, &[]).unwrap();
        let mut response = ChatResponse::new(Server::completions(&endpoint, &address));
        response.add_event(HELLO, &mut |_| {}).unwrap();
        response.add_last_event(r#"{"choices":[{"del"#, &mut |_| {}).unwrap();
        assert_eq!(response.finish(&mut |_| {}).unwrap_err().code, EndpointErrorCode::CutOff);
    }

    #[test]
    fn a_response_that_is_not_streamed_is_read_at_once() {
        let endpoint = Endpoint::new("https://h/v1", "m");
        let address = Address::parse(&endpoint.base_url, &[]).unwrap();
        let read = |body: &str| {
            let mut response = ChatResponse::new(Server::completions(&endpoint, &address));
            response.add_body(body, &mut |_| {})?;
            response.finish(&mut |_| {})
        };
        let parts = r#"{"choices":[{"message":{"content":[{"type":"thinking","thinking":[]},
            {"type":"text","text":"hello"}]},"finish_reason":null}]}"#;
        assert_eq!(read(parts).unwrap().text, "hello");
        assert_eq!(read("{}").unwrap_err().code, EndpointErrorCode::BadAnswer);
        assert_eq!(read(r#"{"choices":[]}"#).unwrap_err().code, EndpointErrorCode::BadAnswer);
        assert_eq!(read("").unwrap_err().code, EndpointErrorCode::BadAnswer);
        let error = r#"{"error":{"type":"exceed_context_size_error","message":"too much"}}"#;
        assert_eq!(read(error).unwrap_err().code, EndpointErrorCode::TooLong);
    }
}
