//! Collects an answer of Ollama's chat, from one JSON object or from the lines of a stream.

use serde_json::{Value, json};

use crate::collected::{Collected, parse};
use crate::completion::{Completion, CompletionUsage};
use crate::completion_format::{CompletionResponse, Framing, StreamState};
use crate::error::{EndpointError, EndpointErrorCode};
use crate::error_body::ErrorBody;
use crate::server::Server;

/// What has arrived of a response.
pub(crate) struct OllamaResponse<'a>(Collected<'a>);

impl<'a> CompletionResponse<'a> for OllamaResponse<'a> {
    const FRAMING: Framing = Framing::Lines;

    fn new(server: Server<'a>) -> Self {
        Self(Collected::new(server))
    }

    fn add_event(
        &mut self,
        data: &str,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<StreamState, EndpointError> {
        let Self(collected) = self;
        let response = parse(data)?;
        if let Some(error) = response.get("error").filter(|error| !error.is_null()) {
            return Err(ErrorBody::inside_response(error).explain(collected.server, None));
        }
        if response.get("message").is_none() && response.get("done").is_none() {
            return Err(no_answer());
        }
        if let Some(message) = response.get("message") {
            collected.has_answer = true;
            let calls = message.get("tool_calls").and_then(Value::as_array);
            collected.has_tool_call |= calls.is_some_and(|calls| !calls.is_empty());
            // What it thinks is in a field of its own.
            let text = message.get("content").and_then(Value::as_str).unwrap_or_default();
            collected.add(text, on_delta);
        }
        if let Some(reason) = response.get("done_reason").and_then(Value::as_str) {
            collected.finish_reason = Some(reason.to_owned());
        }
        if response.get("done").and_then(Value::as_bool) != Some(true) {
            return Ok(StreamState::Open);
        }
        collected.has_end = true;
        collected.usage = usage(&response);
        Ok(StreamState::Done)
    }

    /// Half a line in place of an answer is no answer that was cut off.
    fn add_last_event(
        &mut self,
        data: &str,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<(), EndpointError> {
        match self.add_event(data, on_delta) {
            Err(error) if error.code != EndpointErrorCode::BadAnswer || !self.0.has_answer => {
                Err(error)
            }
            _ => Ok(()),
        }
    }

    fn add_body(
        &mut self,
        body: &str,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<(), EndpointError> {
        self.add_event(body, on_delta).map(drop)
    }

    fn finish(self, on_delta: &mut dyn FnMut(&str)) -> Result<Completion, EndpointError> {
        self.0.finish(on_delta)
    }
}

fn no_answer() -> EndpointError {
    let message = "the response has no message and no end: it is not a chat completion";
    EndpointError::new(EndpointErrorCode::BadAnswer, message)
}

/// The counts by the names that are common. A prompt that was read from the cache as a whole has none.
fn usage(response: &Value) -> Option<CompletionUsage> {
    let prompt = response.get("prompt_eval_count")?;
    let completion = response.get("eval_count").unwrap_or(&Value::Null);
    CompletionUsage::read(&json!({ "prompt_tokens": prompt, "completion_tokens": completion }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::endpoint::Endpoint;

    fn read(lines: &[&str]) -> (Result<Completion, EndpointError>, String) {
        let endpoint = Endpoint::new("http://h:11434", "m");
        let address = Address::parse(&endpoint.base_url, &[]).unwrap();
        let mut response = OllamaResponse::new(Server::completions(&endpoint, &address));
        let mut shown = String::new();
        let on_delta = &mut |delta: &str| shown.push_str(delta);
        let added = lines.iter().try_for_each(|data| response.add_event(data, on_delta).map(drop));
        let result = added.and_then(|()| response.finish(on_delta));
        (result, shown)
    }

    const HELLO: &str =
        r#"{"model":"m","message":{"role":"assistant","content":"hello"},"done":false}"#;

    fn end(reason: &str) -> String {
        format!(
            r#"{{"model":"m","message":{{"role":"assistant","content":""}},"done":true,"done_reason":"{reason}",
            "prompt_eval_count":26,"eval_count":7,"load_duration":1}}"#
        )
    }

    #[test]
    fn i38_a_stream_becomes_a_completion_without_thinking() {
        let (result, shown) = read(&[
            r#"{"message":{"role":"assistant","content":"","thinking":"hm"},"done":false}"#,
            HELLO,
            &end("stop"),
        ]);
        assert_eq!(shown, "hello");
        let usage =
            CompletionUsage { prompt_tokens: 26, cached_tokens: None, completion_tokens: 7 };
        let finish_reason = Some("stop".to_owned());
        assert_eq!(result, Ok(Completion { text: shown, usage: Some(usage), finish_reason }));
    }

    #[test]
    fn i38_an_answer_that_is_not_a_text_is_an_error() {
        let check = |lines: &[&str], code| {
            assert_eq!(read(lines).0.map_err(|error| error.code), Err(code), "{lines:?}");
        };
        check(&[HELLO, &end("length")], EndpointErrorCode::Truncated);
        check(&[&end("stop")], EndpointErrorCode::Empty);
        check(&[HELLO], EndpointErrorCode::CutOff);
        check(&[r#"{"done":true}"#], EndpointErrorCode::BadAnswer);
        let call = r#"{"message":{"content":"","tool_calls":[{"function":{"name":"f"}}]},"done":true,"done_reason":"stop"}"#;
        check(&[call], EndpointErrorCode::BadAnswer);
        let crashed = r#"{"error":"llama runner process has terminated: exit status 2"}"#;
        check(&[HELLO, crashed], EndpointErrorCode::Overloaded);
        check(&["not json"], EndpointErrorCode::BadAnswer);
        check(&[r#"{"oops":true}"#], EndpointErrorCode::BadAnswer);
    }
}
