//! A chat completion as it comes together, out of one object or out of the events of a stream.

use serde_json::Value;

use crate::complete::{Completion, Usage};
use crate::error::{EndpointError, EndpointErrorCode};
use crate::error_body::Refusal;
use crate::server::Server;
use crate::surrogate::whole_characters;
use crate::thinking::Thinking;

const DONE: &str = "[DONE]";

/// Whether a stream has more to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    More,
    Done,
}

pub(crate) struct Answer<'a> {
    server: Server<'a>,
    text: String,
    thinking: Thinking,
    usage: Option<Usage>,
    finish_reason: Option<String>,
    /// What the model says instead of answering.
    declined: String,
    has_choice: bool,
    has_tool_call: bool,
    /// Whether the server said that nothing follows.
    is_whole: bool,
}

impl<'a> Answer<'a> {
    pub(crate) fn new(server: Server<'a>) -> Self {
        Self {
            server,
            text: String::new(),
            thinking: Thinking::default(),
            usage: None,
            finish_reason: None,
            declined: String::new(),
            has_choice: false,
            has_tool_call: false,
            is_whole: false,
        }
    }

    /// Takes in the data of one event.
    pub(crate) fn add_event(
        &mut self,
        data: &str,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<Progress, EndpointError> {
        let data = data.trim();
        if data == DONE {
            self.is_whole = true;
            return Ok(Progress::Done);
        }
        if data.is_empty() {
            return Ok(Progress::More);
        }
        let chunk = parse(data)?;
        self.add(&chunk, "delta", on_delta)?;
        Ok(Progress::More)
    }

    /// Takes in the data of an event that the end of the stream may have torn.
    pub(crate) fn add_last_event(
        &mut self,
        data: &str,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<(), EndpointError> {
        let torn = |error: &EndpointError| error.code == EndpointErrorCode::BadAnswer;
        match self.add_event(data, on_delta) {
            Err(error) if !torn(&error) => Err(error),
            _ => Ok(()),
        }
    }

    /// Takes in an answer that came as one object.
    pub(crate) fn add_whole(
        &mut self,
        body: &str,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<(), EndpointError> {
        let answer = parse(body)?;
        self.is_whole = true;
        self.add(&answer, "message", on_delta)
    }

    fn add(
        &mut self,
        part: &Value,
        message: &str,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<(), EndpointError> {
        if let Some(error) = part.get("error").filter(|error| !error.is_null()) {
            return Err(Refusal::inside_answer(error).explain(self.server, None));
        }
        self.usage = part.get("usage").and_then(usage).or(self.usage);
        // A chunk may have no choices, like the last one with the usage.
        let Some(choice) = part.get("choices").and_then(|choices| choices.get(0)) else {
            return Ok(());
        };
        self.has_choice = true;
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.finish_reason = Some(reason.to_owned());
        }
        let Some(message) = choice.get(message) else { return Ok(()) };
        if let Some(declined) = message.get("refusal").and_then(Value::as_str) {
            self.declined.push_str(declined);
        }
        let calls = message.get("tool_calls").and_then(Value::as_array);
        self.has_tool_call |= calls.is_some_and(|calls| !calls.is_empty());
        let delta = message.get("content").map(text).unwrap_or_default();
        let visible = self.thinking.push(&delta);
        self.show(&visible, on_delta);
        Ok(())
    }

    fn show(&mut self, text: &str, on_delta: &mut dyn FnMut(&str)) {
        if !text.is_empty() {
            self.text.push_str(text);
            on_delta(text);
        }
    }

    /// The completion, if that is what came.
    pub(crate) fn finish(
        mut self,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<Completion, EndpointError> {
        let rest = std::mem::take(&mut self.thinking).finish();
        self.show(&rest, on_delta);
        let fail = |code, message: &str| Err(EndpointError::new(code, message));
        let nothing = self.text.trim().is_empty();
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
                return fail(EndpointErrorCode::Truncated, truncated(nothing));
            }
            Some("tool_calls" | "function_call") => {
                return fail(EndpointErrorCode::BadAnswer, TOOL_CALL);
            }
            _ => {}
        }
        if !self.declined.is_empty() {
            let message = format!(
                "the model declined to answer: {}",
                self.server.endpoint.redact(&self.declined)
            );
            return fail(EndpointErrorCode::Filtered, &message);
        }
        if self.has_tool_call {
            return fail(EndpointErrorCode::BadAnswer, TOOL_CALL);
        }
        if !self.is_whole && self.finish_reason.is_none() {
            return fail(
                EndpointErrorCode::CutOff,
                "the connection ended in the middle of the answer",
            );
        }
        if !self.has_choice {
            return fail(
                EndpointErrorCode::BadAnswer,
                "the answer has no choices: no chat completion",
            );
        }
        if nothing {
            return fail(EndpointErrorCode::Empty, "the model answered without any text");
        }
        let Self { text, usage, finish_reason, .. } = self;
        Ok(Completion { text, usage, finish_reason })
    }
}

const TOOL_CALL: &str = "the model called a tool, though none was offered";

fn truncated(nothing: bool) -> &'static str {
    if nothing {
        "the model used up its limit of tokens before it wrote anything, maybe by thinking; raise the \
         limit, or take a model that thinks less"
    } else {
        "the answer reached the limit of tokens and lacks its end"
    }
}

fn parse(data: &str) -> Result<Value, EndpointError> {
    let parsed = serde_json::from_str(data);
    parsed.or_else(|_| serde_json::from_str(&whole_characters(data))).map_err(|_| {
        EndpointError::new(
            EndpointErrorCode::BadAnswer,
            "the server sent something that is not JSON",
        )
    })
}

/// Text as a string, or as the text parts of a list.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}

fn usage(usage: &Value) -> Option<Usage> {
    let tokens = |name: &str| usage.get(name)?.as_u64()?.try_into().ok();
    Some(Usage {
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
        let address = Address::parse(&endpoint.base_url).unwrap();
        let mut answer = Answer::new(Server::completions(&endpoint, &address));
        let mut shown = String::new();
        let on_delta = &mut |delta: &str| shown.push_str(delta);
        let added = events.iter().try_for_each(|data| answer.add_event(data, on_delta).map(drop));
        let result = added.and_then(|()| answer.finish(on_delta));
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
        let usage = Some(Usage { prompt_tokens: 7, completion_tokens: 2 });
        let finish_reason = Some("stop".to_owned());
        assert_eq!(result, Ok(Completion { text: shown, usage, finish_reason }));
    }

    #[test]
    fn half_a_character_costs_no_more_than_itself() {
        let half = r#"{"choices":[{"delta":{"content":"a\ud83d"}}]}"#;
        let (result, _) = read(&[half, "[DONE]"]);
        assert_eq!(result.unwrap().text, "a\u{fffd}");
    }

    #[test]
    fn either_sign_of_the_end_is_enough() {
        assert!(read(&[HELLO, &finish("stop")]).0.is_ok());
        assert!(read(&[HELLO, "[DONE]"]).0.is_ok());
        check(&[HELLO], EndpointErrorCode::CutOff);
        check(&[], EndpointErrorCode::CutOff);
    }

    #[test]
    fn an_answer_that_is_no_summary_is_a_failure() {
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
    fn an_event_torn_by_the_end_is_a_cut() {
        let endpoint = Endpoint::new("https://h/v1", "m");
        let address = Address::parse(&endpoint.base_url).unwrap();
        let mut answer = Answer::new(Server::completions(&endpoint, &address));
        answer.add_event(HELLO, &mut |_| {}).unwrap();
        answer.add_last_event(r#"{"choices":[{"del"#, &mut |_| {}).unwrap();
        assert_eq!(answer.finish(&mut |_| {}).unwrap_err().code, EndpointErrorCode::CutOff);
    }

    #[test]
    fn a_whole_answer_is_read_at_once() {
        let endpoint = Endpoint::new("https://h/v1", "m");
        let address = Address::parse(&endpoint.base_url).unwrap();
        let read = |body: &str| {
            let mut answer = Answer::new(Server::completions(&endpoint, &address));
            answer.add_whole(body, &mut |_| {})?;
            answer.finish(&mut |_| {})
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
