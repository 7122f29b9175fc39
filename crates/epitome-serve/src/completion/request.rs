//! The body of a chat completions request, parsed and checked once.

use std::borrow::Cow;

use serde::Deserialize;

use crate::api_error::ApiError;

/// Tokens of an answer if the request sets no limit.
const DEFAULT_TOKENS: u32 = 2_000;

/// A request that has a user message.
#[derive(Debug)]
pub(crate) struct Request {
    fields: Fields,
    last_user_text: String,
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
    /// Parses a body. The error says which field is wrong, like `messages[2].content`.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, ApiError> {
        let mut json = serde_json::Deserializer::from_slice(body);
        let fields: Fields = serde_path_to_error::deserialize(&mut json).map_err(|error| {
            let field = error.path().to_string();
            let error = error.into_inner();
            match error.classify() {
                serde_json::error::Category::Data if field == "." => {
                    ApiError::bad_request("wrong_shape", error.to_string())
                }
                serde_json::error::Category::Data => {
                    ApiError::bad_request("wrong_shape", format!("{field}: {error}"))
                }
                _ => ApiError::bad_request("not_json", format!("the body is not JSON: {error}")),
            }
        })?;
        json.end().map_err(|error| {
            ApiError::bad_request("not_json", format!("the body goes on after its JSON: {error}"))
        })?;
        let last_user = fields.messages.iter().rev().find(|message| message.role == "user");
        let last_user = last_user.ok_or_else(|| {
            ApiError::bad_request("no_user_message", "messages: none has the role `user`")
        })?;
        Ok(Self { last_user_text: last_user.text().into_owned(), fields })
    }

    /// The text of the last user message.
    pub(crate) fn last_user_text(&self) -> &str {
        &self.last_user_text
    }

    /// The texts of all messages, oldest first.
    pub(crate) fn texts(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.fields.messages.iter().map(Message::text)
    }

    /// The model that the client names.
    pub(crate) fn model(&self) -> Option<&str> {
        self.fields.model.as_deref()
    }

    /// Whether the client wants a stream.
    pub(crate) fn stream(&self) -> bool {
        self.fields.stream.unwrap_or(false)
    }

    /// Whether the client wants the usage at the end of the stream.
    pub(crate) fn usage_in_stream(&self) -> bool {
        self.fields
            .stream_options
            .as_ref()
            .and_then(|options| options.include_usage)
            .unwrap_or(false)
    }

    /// Tokens that the answer should have: two thirds of the limit, because a model stays below it too.
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
        let error = Request::parse(body.as_bytes()).unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (code, message), "{body}");
    }

    #[test]
    fn an_error_says_what_is_wrong_and_where() {
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
    fn the_last_user_message_counts_even_if_others_follow() {
        let body = r#"{"messages":[
            {"role":"user","content":"first"},
            {"role":"user","content":[{"type":"text","text":"one"},{"type":"image_url"},{"type":"text","text":"two"}]},
            {"role":"assistant","content":null}]}"#;
        let request = Request::parse(body.as_bytes()).unwrap();
        assert_eq!(request.last_user_text(), "one\ntwo");
        assert_eq!(request.texts().collect::<Vec<_>>(), ["first", "one\ntwo", ""]);
    }

    #[test]
    fn max_completion_tokens_has_precedence_over_max_tokens() {
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
