//! Collects a response of the Gemini API, from one JSON object or from the events of a stream.

use serde_json::Value;

use crate::collected::{Collected, parse};
use crate::completion::{Completion, CompletionUsage};
use crate::completion_format::{CompletionResponse, StreamState};
use crate::error::{EndpointError, EndpointErrorCode};
use crate::error_body::ErrorBody;
use crate::server::Server;

/// The finish reasons of filters, in lower case.
const FILTERS: &[&str] = &[
    "safety",
    "recitation",
    "blocklist",
    "prohibited_content",
    "spii",
    "image_safety",
    "language",
];

/// The finish reasons of an answer that is a tool call, in lower case.
const TOOL_CALLS: &[&str] =
    &["malformed_function_call", "unexpected_tool_call", "too_many_tool_calls"];

/// What has arrived of a response.
pub(crate) struct GeminiResponse<'a>(Collected<'a>);

impl<'a> CompletionResponse<'a> for GeminiResponse<'a> {
    fn new(server: Server<'a>) -> Self {
        Self(Collected::new(server))
    }

    fn add_event(
        &mut self,
        data: &str,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<StreamState, EndpointError> {
        if data.trim().is_empty() {
            return Ok(StreamState::Open);
        }
        let response = parse(data)?;
        self.add(&response, on_delta)?;
        // The event with the finish reason is the last one; there is no other mark.
        let has_usage = response.get("usageMetadata").is_some();
        let is_last = has_usage && self.0.finish_reason.is_some();
        Ok(if is_last { StreamState::Done } else { StreamState::Open })
    }

    fn add_body(
        &mut self,
        body: &str,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<(), EndpointError> {
        let response = parse(body)?;
        self.0.has_end = true;
        match &response {
            // A stream without `alt=sse`, which a proxy may drop.
            Value::Array(events) => events.iter().try_for_each(|event| self.add(event, on_delta)),
            response => self.add(response, on_delta),
        }
    }

    fn finish(self, on_delta: &mut dyn FnMut(&str)) -> Result<Completion, EndpointError> {
        self.0.finish(on_delta)
    }
}

impl GeminiResponse<'_> {
    fn add(
        &mut self,
        response: &Value,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<(), EndpointError> {
        let Self(collected) = self;
        if let Some(error) = response.get("error").filter(|error| !error.is_null()) {
            return Err(ErrorBody::inside_response(error).explain(collected.server, None));
        }
        if let Some(reason) = response.pointer("/promptFeedback/blockReason") {
            let reason = reason.as_str().and_then(|reason| collected.server.quote(reason));
            let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
            let message = format!("a filter of the provider blocks the prompt{reason}");
            return Err(EndpointError::new(EndpointErrorCode::Filtered, message));
        }
        let usage = response.get("usageMetadata").and_then(CompletionUsage::read);
        collected.usage = usage.or(collected.usage);
        let Some(candidate) = response.pointer("/candidates/0") else { return Ok(()) };
        collected.has_answer = true;
        if let Some(reason) = candidate.get("finishReason").and_then(Value::as_str) {
            collected.finish_reason = Some(known_reason(reason));
        }
        let parts = candidate.pointer("/content/parts").and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            collected.has_tool_call |= part.get("functionCall").is_some();
            let is_thought = part.get("thought").and_then(Value::as_bool) == Some(true);
            if let Some(text) = part.get("text").and_then(Value::as_str).filter(|_| !is_thought) {
                collected.add(text, on_delta);
            }
        }
        Ok(())
    }
}

/// The finish reason by the name that [`Collected`] knows.
fn known_reason(reason: &str) -> String {
    let reason = reason.to_ascii_lowercase();
    if FILTERS.contains(&reason.as_str()) {
        "content_filter".to_owned()
    } else if TOOL_CALLS.contains(&reason.as_str()) {
        "tool_calls".to_owned()
    } else {
        reason
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::endpoint::Endpoint;

    fn read(events: &[&str]) -> (Result<Completion, EndpointError>, String) {
        let endpoint = Endpoint::new("https://h/v1beta", "m");
        let address = Address::parse(&endpoint.base_url, &[]).unwrap();
        let mut response = GeminiResponse::new(Server::completions(&endpoint, &address));
        let mut shown = String::new();
        let on_delta = &mut |delta: &str| shown.push_str(delta);
        let added = events.iter().try_for_each(|data| response.add_event(data, on_delta).map(drop));
        let result = added.and_then(|()| response.finish(on_delta));
        (result, shown)
    }

    const HELLO: &str =
        r#"{"candidates":[{"content":{"parts":[{"text":"hello"}],"role":"model"},"index":0}]}"#;

    fn end(reason: &str) -> String {
        format!(
            r#"{{"candidates":[{{"content":{{"parts":[]}},"finishReason":"{reason}"}}],"usageMetadata":
            {{"promptTokenCount":105,"cachedContentTokenCount":90,"candidatesTokenCount":5,
            "thoughtsTokenCount":2,"totalTokenCount":112}}}}"#
        )
    }

    #[test]
    fn i38_a_stream_becomes_a_completion_without_thoughts() {
        let (result, shown) = read(&[
            r#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"","thoughtSignature":"sig"}]}}]}"#,
            HELLO,
            &end("STOP"),
        ]);
        assert_eq!(shown, "hello");
        let usage =
            CompletionUsage { prompt_tokens: 105, cached_tokens: Some(90), completion_tokens: 7 };
        let finish_reason = Some("stop".to_owned());
        assert_eq!(result, Ok(Completion { text: shown, usage: Some(usage), finish_reason }));
    }

    #[test]
    fn i38_an_answer_that_is_not_a_text_is_an_error() {
        let check = |events: &[&str], code| {
            assert_eq!(read(events).0.map_err(|error| error.code), Err(code), "{events:?}");
        };
        check(&[HELLO, &end("MAX_TOKENS")], EndpointErrorCode::Truncated);
        for filter in ["SAFETY", "RECITATION", "PROHIBITED_CONTENT", "SPII", "BLOCKLIST"] {
            check(&[HELLO, &end(filter)], EndpointErrorCode::Filtered);
        }
        check(&[&end("MALFORMED_FUNCTION_CALL")], EndpointErrorCode::BadAnswer);
        check(&[&end("STOP")], EndpointErrorCode::Empty);
        check(&[HELLO], EndpointErrorCode::CutOff);
        check(&["{}", r#"{"candidates":[]}"#], EndpointErrorCode::CutOff);
        let call = r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f"}}]},"finishReason":"STOP"}]}"#;
        check(&[call], EndpointErrorCode::BadAnswer);
        let busy =
            r#"{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}"#;
        check(&[HELLO, busy], EndpointErrorCode::Overloaded);
        let blocked = r#"{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}"#;
        check(&[blocked], EndpointErrorCode::Filtered);
        let said = read(&[blocked]).0.unwrap_err().message;
        assert_eq!(said, "a filter of the provider blocks the prompt: PROHIBITED_CONTENT");
    }

    #[test]
    fn i38_a_response_that_is_not_streamed_is_read_at_once() {
        let endpoint = Endpoint::new("https://h/v1beta", "m");
        let address = Address::parse(&endpoint.base_url, &[]).unwrap();
        let whole = format!("[{HELLO},{}]", end("STOP"));
        for body in [HELLO, &whole] {
            let mut response = GeminiResponse::new(Server::completions(&endpoint, &address));
            response.add_body(body, &mut |_| {}).unwrap();
            assert_eq!(response.finish(&mut |_| {}).unwrap().text, "hello");
        }
    }
}
