//! What a client asks for, read once into a shape that cannot be wrong.

use std::borrow::Cow;

use serde::Deserialize;

use crate::api_error::Problem;

/// Tokens of an answer when the request sets no limit.
const DEFAULT_TOKENS: u32 = 2_000;

/// A request with a user's message in it.
#[derive(Debug)]
pub(crate) struct Request {
    fields: Fields,
    asked: String,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "an object with messages")]
struct Fields {
    model: Option<String>,
    messages: Vec<Message>,
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    max_completion_tokens: Option<u32>,
    max_tokens: Option<u32>,
}

#[derive(Debug, Deserialize)]
struct StreamOptions {
    include_usage: Option<bool>,
}

#[derive(Debug, Deserialize)]
struct Message {
    role: String,
    content: Option<Content>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a text or a list of parts, each with a type")]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Debug, Deserialize)]
struct Part {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
}

impl Request {
    /// Reads a body. The problem says which field is wrong, like `messages[2].content`.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, Problem> {
        let mut json = serde_json::Deserializer::from_slice(body);
        let fields: Fields = serde_path_to_error::deserialize(&mut json).map_err(|error| {
            let place = error.path().to_string();
            let error = error.into_inner();
            match error.classify() {
                serde_json::error::Category::Data if place == "." => {
                    Problem::bad_request("wrong_shape", error.to_string())
                }
                serde_json::error::Category::Data => {
                    Problem::bad_request("wrong_shape", format!("{place}: {error}"))
                }
                _ => Problem::bad_request("not_json", format!("the body is not JSON: {error}")),
            }
        })?;
        json.end().map_err(|error| {
            Problem::bad_request("not_json", format!("the body goes on after its JSON: {error}"))
        })?;
        let asked = fields.messages.iter().rev().find(|message| message.role == "user");
        let asked = asked.ok_or_else(|| {
            Problem::bad_request("no_user_message", "messages: none has the role `user`")
        })?;
        Ok(Self { asked: asked.text().into_owned(), fields })
    }

    /// The text of the last user message.
    pub(crate) fn asked(&self) -> &str {
        &self.asked
    }

    /// The texts of all messages, oldest first.
    pub(crate) fn texts(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.fields.messages.iter().map(Message::text)
    }

    /// The model as the client calls it.
    pub(crate) fn model(&self) -> Option<&str> {
        self.fields.model.as_deref()
    }

    /// Whether the answer goes piece by piece.
    pub(crate) fn stream(&self) -> bool {
        self.fields.stream.unwrap_or(false)
    }

    /// Whether the stream ends with the usage.
    pub(crate) fn usage_in_stream(&self) -> bool {
        self.fields
            .stream_options
            .as_ref()
            .and_then(|options| options.include_usage)
            .unwrap_or(false)
    }

    /// Tokens that the answer is to take. Like a model, it stays clear of the limit: by a third.
    pub(crate) fn target_tokens(&self) -> u32 {
        let Fields { max_completion_tokens, max_tokens, .. } = self.fields;
        let limit = max_completion_tokens.or(max_tokens);
        limit.map_or(DEFAULT_TOKENS, |limit| limit - limit / 3)
    }
}

impl Message {
    fn text(&self) -> Cow<'_, str> {
        match &self.content {
            None => Cow::Borrowed(""),
            Some(Content::Text(text)) => Cow::Borrowed(text),
            Some(Content::Parts(parts)) => {
                let texts = parts.iter().filter(|part| part.kind == "text");
                let texts: Vec<&str> = texts.filter_map(|part| part.text.as_deref()).collect();
                Cow::Owned(texts.join("\n"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, code: &str, message: &str) {
        let problem = Request::parse(body.as_bytes()).unwrap_err();
        assert_eq!((problem.code, problem.message.as_str()), (code, message), "{body}");
    }

    #[test]
    fn a_problem_says_what_is_wrong_and_where() {
        check(
            "{",
            "not_json",
            "the body is not JSON: EOF while parsing an object at line 1 column 1",
        );
        check(
            "[]",
            "wrong_shape",
            "invalid length 0, expected an object with messages at line 1 column 2",
        );
        check("{}", "wrong_shape", "missing field `messages` at line 1 column 2");
        check(
            r#"{"messages":[{"role":"user","content":"a"},{"role":"user","content":7}]}"#,
            "wrong_shape",
            "messages[1].content: expected a text or a list of parts, each with a type at line 1 column 70",
        );
        check(
            r#"{"messages":[{"role":"system","content":"a"}]}"#,
            "no_user_message",
            "messages: none has the role `user`",
        );
        check(
            r#"{"messages":[{"role":"user"}]} x"#,
            "not_json",
            "the body goes on after its JSON: trailing characters at line 1 column 32",
        );
    }

    #[test]
    fn the_last_user_message_is_what_is_asked_whatever_follows_it() {
        let body = r#"{"messages":[
            {"role":"user","content":"first"},
            {"role":"user","content":[{"type":"text","text":"one"},{"type":"image_url"},{"type":"text","text":"two"}]},
            {"role":"assistant","content":null}]}"#;
        let request = Request::parse(body.as_bytes()).unwrap();
        assert_eq!(request.asked(), "one\ntwo");
        assert_eq!(request.texts().collect::<Vec<_>>(), ["first", "one\ntwo", ""]);
    }

    #[test]
    fn the_newer_name_of_the_limit_wins() {
        let cases = [
            ("", 2_000),
            (r#","max_tokens":90"#, 60),
            (r#","max_tokens":90,"max_completion_tokens":150"#, 100),
        ];
        for (limits, expected) in cases {
            let body = format!(r#"{{"messages":[{{"role":"user","content":"a"}}]{limits}}}"#);
            assert_eq!(Request::parse(body.as_bytes()).unwrap().target_tokens(), expected);
        }
    }
}
