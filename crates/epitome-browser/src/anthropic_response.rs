//! Collects a message of Anthropic's Messages API, from one JSON object or from the events of a stream.

use serde_json::{Map, Value};

use crate::collected::{Collected, parse};
use crate::completion::{Completion, CompletionUsage};
use crate::completion_format::{CompletionResponse, StreamState};
use crate::error::EndpointError;
use crate::error_body::ErrorBody;
use crate::server::Server;

/// What has arrived of a response.
pub(crate) struct AnthropicResponse<'a> {
    collected: Collected<'a>,
    /// The usage object: a stream sends the prompt's tokens first and those of the answer last.
    usage: Map<String, Value>,
}

impl<'a> CompletionResponse<'a> for AnthropicResponse<'a> {
    fn new(server: Server<'a>) -> Self {
        Self { collected: Collected::new(server), usage: Map::new() }
    }

    fn add_event(
        &mut self,
        data: &str,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<StreamState, EndpointError> {
        let data = data.trim();
        if data.is_empty() {
            return Ok(StreamState::Open);
        }
        let event = parse(data)?;
        self.check_error(&event)?;
        match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message_start" => self.add(event.get("message").unwrap_or(&Value::Null), on_delta),
            "content_block_start" => self.add_block(event.get("content_block"), on_delta),
            "content_block_delta" => self.add_block(event.get("delta"), on_delta),
            "message_delta" => {
                self.add(event.get("delta").unwrap_or(&Value::Null), on_delta);
                self.add_usage(&event);
            }
            "message_stop" => {
                self.collected.has_end = true;
                return Ok(StreamState::Done);
            }
            _ => {}
        }
        Ok(StreamState::Open)
    }

    fn add_body(
        &mut self,
        body: &str,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<(), EndpointError> {
        let message = parse(body)?;
        self.check_error(&message)?;
        self.add(&message, on_delta);
        self.collected.has_end = true;
        Ok(())
    }

    fn finish(mut self, on_delta: &mut dyn FnMut(&str)) -> Result<Completion, EndpointError> {
        self.collected.usage = CompletionUsage::read(&Value::Object(self.usage));
        self.collected.finish(on_delta)
    }
}

impl AnthropicResponse<'_> {
    fn check_error(&self, event: &Value) -> Result<(), EndpointError> {
        match event.get("error").filter(|error| !error.is_null()) {
            Some(error) => {
                Err(ErrorBody::inside_response(error).explain(self.collected.server, None))
            }
            None => Ok(()),
        }
    }

    /// Adds a message, or what has changed in one.
    fn add(&mut self, message: &Value, on_delta: &mut dyn FnMut(&str)) {
        if let Some(reason) = message.get("stop_reason").and_then(Value::as_str) {
            self.collected.finish_reason = Some(reason.to_owned());
        }
        if let Some(blocks) = message.get("content").and_then(Value::as_array) {
            self.collected.has_answer = true;
            blocks.iter().for_each(|block| self.add_block(Some(block), on_delta));
        }
        self.add_usage(message);
    }

    fn add_usage(&mut self, message: &Value) {
        let Some(usage) = message.get("usage").and_then(Value::as_object) else { return };
        let counts = usage.iter().filter(|(_, count)| !count.is_null());
        self.usage.extend(counts.map(|(name, count)| (name.clone(), count.clone())));
    }

    /// Adds a block, or a part of one. Thinking is not part of the answer.
    fn add_block(&mut self, block: Option<&Value>, on_delta: &mut dyn FnMut(&str)) {
        let Some(block) = block else { return };
        match block.get("type").and_then(Value::as_str).unwrap_or_default() {
            "text" | "text_delta" => {
                let text = block.get("text").and_then(Value::as_str).unwrap_or_default();
                self.collected.add(text, on_delta);
            }
            "tool_use" => self.collected.has_tool_call = true,
            _ => {}
        }
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
        let mut response = AnthropicResponse::new(Server::completions(&endpoint, &address));
        let mut shown = String::new();
        let on_delta = &mut |delta: &str| shown.push_str(delta);
        let added = events.iter().try_for_each(|data| response.add_event(data, on_delta).map(drop));
        let result = added.and_then(|()| response.finish(on_delta));
        (result, shown)
    }

    const START: &str = r#"{"type":"message_start","message":{"content":[],"usage":
        {"input_tokens":10,"cache_read_input_tokens":90,"cache_creation_input_tokens":5,"output_tokens":1}}}"#;
    const HELLO: &str =
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hello"}}"#;
    const STOP: &str = r#"{"type":"message_stop"}"#;

    fn delta(reason: &str) -> String {
        format!(
            r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}},"usage":{{"output_tokens":7}}}}"#
        )
    }

    #[test]
    fn d19_a_stream_becomes_a_completion_with_its_cached_tokens() {
        let (result, shown) = read(&[
            START,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
            r#"{"type":"ping"}"#,
            HELLO,
            &delta("end_turn"),
            STOP,
        ]);
        assert_eq!(shown, "hello");
        let usage =
            CompletionUsage { prompt_tokens: 105, cached_tokens: Some(90), completion_tokens: 7 };
        assert_eq!(
            result,
            Ok(Completion {
                text: shown,
                usage: Some(usage),
                finish_reason: Some("end_turn".into())
            })
        );
    }

    #[test]
    fn d19_an_answer_that_is_not_a_text_is_an_error() {
        let check = |events: &[&str], code| {
            assert_eq!(read(events).0.map_err(|error| error.code), Err(code), "{events:?}");
        };
        check(&[START, HELLO, &delta("max_tokens"), STOP], EndpointErrorCode::Truncated);
        check(&[START, HELLO, &delta("tool_use"), STOP], EndpointErrorCode::BadAnswer);
        check(&[START, HELLO, &delta("refusal"), STOP], EndpointErrorCode::Filtered);
        let too_long = delta("model_context_window_exceeded");
        check(&[START, HELLO, &too_long, STOP], EndpointErrorCode::TooLong);
        check(&[START, &delta("end_turn"), STOP], EndpointErrorCode::Empty);
        check(&[START, HELLO], EndpointErrorCode::CutOff);
        check(&[STOP], EndpointErrorCode::BadAnswer);
        let overloaded = r#"{"type":"error","error":{"type":"overloaded_error","message":"busy"}}"#;
        check(&[START, overloaded], EndpointErrorCode::Overloaded);
    }

    #[test]
    fn d19_a_response_that_is_not_streamed_is_read_at_once() {
        let endpoint = Endpoint::new("https://h/v1", "m");
        let address = Address::parse(&endpoint.base_url, &[]).unwrap();
        let mut response = AnthropicResponse::new(Server::completions(&endpoint, &address));
        let body = r#"{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"hello"}],
            "stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2}}"#;
        response.add_body(body, &mut |_| {}).unwrap();
        assert_eq!(response.finish(&mut |_| {}).unwrap().text, "hello");
    }
}
