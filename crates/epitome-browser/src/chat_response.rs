//! Collects a chat completion, from one JSON object or from the events of a stream.

use serde_json::Value;

use crate::collected::{Collected, parse};
use crate::completion::{Completion, CompletionUsage};
use crate::completion_format::{CompletionResponse, StreamState};
use crate::error::EndpointError;
use crate::error_body::ErrorBody;
use crate::server::Server;

/// The data of a stream's last event.
const DONE: &str = "[DONE]";

/// What has arrived of a response.
pub(crate) struct ChatResponse<'a>(Collected<'a>);

impl<'a> CompletionResponse<'a> for ChatResponse<'a> {
    fn new(server: Server<'a>) -> Self {
        Self(Collected::new(server))
    }

    fn add_event(
        &mut self,
        data: &str,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<StreamState, EndpointError> {
        let data = data.trim();
        if data == DONE {
            self.0.has_end = true;
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
        self.0.has_end = true;
        self.add(&completion, "message", on_delta)
    }

    fn finish(self, on_delta: &mut dyn FnMut(&str)) -> Result<Completion, EndpointError> {
        self.0.finish(on_delta)
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
        let Self(collected) = self;
        // Some servers report an error inside of a response with HTTP status 200.
        if let Some(error) = completion.get("error").filter(|error| !error.is_null()) {
            return Err(ErrorBody::inside_response(error).explain(collected.server, None));
        }
        let usage = completion.get("usage").and_then(CompletionUsage::read);
        collected.usage = usage.or(collected.usage);
        // A chunk may have no choices, such as the last one, which carries the usage.
        let Some(choice) = completion.get("choices").and_then(|choices| choices.get(0)) else {
            return Ok(());
        };
        collected.has_answer = true;
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            collected.finish_reason = Some(reason.to_owned());
        }
        let Some(message) = choice.get(message) else { return Ok(()) };
        if let Some(refusal) = message.get("refusal").and_then(Value::as_str) {
            collected.refusal.push_str(refusal);
        }
        let calls = message.get("tool_calls").and_then(Value::as_array);
        collected.has_tool_call |= calls.is_some_and(|calls| !calls.is_empty());
        let delta = message.get("content").map(text).unwrap_or_default();
        collected.add(&delta, on_delta);
        Ok(())
    }
}

/// The text of a message's content: a string, or the text parts of a list.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::endpoint::Endpoint;
    use crate::error::EndpointErrorCode;

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
        let usage =
            Some(CompletionUsage { prompt_tokens: 7, cached_tokens: None, completion_tokens: 2 });
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
