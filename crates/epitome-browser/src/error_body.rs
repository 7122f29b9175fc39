//! The error object that a server sends, and which error code it means. One reader for all providers, because their
//! shapes do not contradict each other, and proxies mix them.

use epitome::ContextOverflow;
use serde_json::Value;

use crate::error::{EndpointError, EndpointErrorCode};
use crate::retry_after;
use crate::server::{LocalProduct, Server};

/// The longest part of a server's words that is read.
const MAX_READ_BYTES: usize = 16 * 1024;

/// An error as the server words it: the body of an error response, or an object inside a response with HTTP status
/// 200.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ErrorBody {
    /// The HTTP status. Inside a response with status 200, the status that the error object has as its code.
    status: Option<u16>,
    /// The code, or the type if there is no code; in lower case.
    code: String,
    message: String,
    /// The whole body in lower case, which may name a field of the request anywhere.
    lowercase_body: String,
}

impl ErrorBody {
    /// Parses the body of an error response.
    pub(crate) fn parse(status: u16, body: &str) -> Self {
        let error = match serde_json::from_str::<Value>(body) {
            // Gemini wraps its error in a list.
            Ok(Value::Array(list)) => list.first().map(Self::from_body).unwrap_or_default(),
            Ok(value) => Self::from_body(&value),
            // A web page, mostly of a proxy: its text does not help the user.
            Err(_) if body.trim_start().starts_with('<') => Self::default(),
            Err(_) => Self { message: body.trim().to_owned(), ..Self::default() },
        };
        Self { status: Some(status), lowercase_body: body.to_lowercase(), ..error }
    }

    /// Reads the `error` field, an object or a text, of a response with HTTP status 200.
    pub(crate) fn inside_response(error: &Value) -> Self {
        let status =
            error.get("code").and_then(Value::as_u64).and_then(|code| code.try_into().ok());
        let status = status.filter(|status| (400..600).contains(status));
        Self { status, ..Self::from_error(error) }
    }

    fn from_body(body: &Value) -> Self {
        Self::from_error(body.get("error").filter(|error| !error.is_null()).unwrap_or(body))
    }

    fn from_error(error: &Value) -> Self {
        let text = |name: &str| error.get(name).and_then(Value::as_str).map(beginning);
        let detail = |error: &Value| {
            error.get("detail").map(|value| beginning(&value.to_string()).to_owned())
        };
        let message = error.as_str().map(beginning).or_else(|| text("message")).map(str::to_owned);
        Self {
            status: None,
            code: text("code").or_else(|| text("type")).unwrap_or_default().to_lowercase(),
            message: message.or_else(|| detail(error)).unwrap_or_default(),
            lowercase_body: String::new(),
        }
    }

    /// True if a refused request was refused for something that this field of it says.
    pub(crate) fn names_field(&self, field: &str) -> bool {
        matches!(self.status, Some(400 | 422))
            && self.error_code() != EndpointErrorCode::TooLong
            && self.lowercase_body.contains(field)
    }

    /// Whether the server refuses the request because it does not support this field.
    pub(crate) fn rejects_field(&self, field: &str) -> bool {
        let unsupported =
            ["not supported", "unsupported", "not permitted", "unrecognized", "unknown"];
        self.names_field(field) && unsupported.iter().any(|word| self.lowercase_body.contains(word))
    }

    fn error_code(&self) -> EndpointErrorCode {
        let message = self.message.to_lowercase();
        let code = self.code.as_str();
        // The words come before the status: servers send a context overflow as 400, 413 or 500, and a used-up quota as
        // 429, which would be retried.
        if ContextOverflow::of(self.status, code, &message).is_some() {
            return EndpointErrorCode::TooLong;
        }
        // Gemini also says of a rate that the quota is exceeded, and then when to ask again.
        let is_rate = retry_after::from_message(&self.message).is_some();
        let is_used_up = message.contains("exceeded your current quota") && !is_rate;
        if code == "insufficient_quota" || is_used_up {
            return EndpointErrorCode::Refused;
        }
        // Gemini refuses a wrong key with status 400.
        if message.contains("api key not valid") || message.contains("api key expired") {
            return EndpointErrorCode::Unauthorized;
        }
        // A 5xx that mentions a model is a failure of the server, such as a model file that it cannot find.
        let failed_inside = matches!(self.status, Some(500..));
        if !failed_inside && names_unknown_model(code, &message) {
            return EndpointErrorCode::ModelUnknown;
        }
        match self.status {
            Some(401 | 403) => EndpointErrorCode::Unauthorized,
            Some(404) => EndpointErrorCode::ModelUnknown,
            Some(413) => EndpointErrorCode::TooLong,
            Some(429) => EndpointErrorCode::RateLimited,
            Some(408 | 409 | 500..) => EndpointErrorCode::Overloaded,
            Some(400..) => EndpointErrorCode::Refused,
            Some(_) => EndpointErrorCode::BadAnswer,
            None => classify_code(code, &message),
        }
    }

    /// The error for the caller, with what the user can do about it.
    pub(crate) fn explain(self, server: Server<'_>, retry_after_ms: Option<u64>) -> EndpointError {
        let code = self.error_code();
        let number = self.status.map(|status| format!(" ({status})")).unwrap_or_default();
        let mut message = match code {
            EndpointErrorCode::Unauthorized => unauthorized(server, &number),
            EndpointErrorCode::ModelUnknown => self.model_unknown(server, &number),
            EndpointErrorCode::TooLong => {
                format!("the prompt does not fit the window of `{}`{number}", server.endpoint.model)
            }
            EndpointErrorCode::RateLimited => format!("too many requests for now{number}"),
            EndpointErrorCode::Overloaded => format!("the server cannot answer now{number}"),
            _ => format!("the server refused the request{number}"),
        };
        if let Some(said) = server.quote(&self.message) {
            message += &format!("; the server says: {said}");
        }
        let is_temporary =
            matches!(code, EndpointErrorCode::RateLimited | EndpointErrorCode::Overloaded);
        let from_message =
            || is_temporary.then(|| retry_after::from_message(&self.message)).flatten();
        let retry_after_ms = retry_after_ms.or_else(from_message);
        EndpointError { code, status: self.status, message, retry_after_ms }
    }

    fn model_unknown(&self, server: Server<'_>, number: &str) -> String {
        let model = &server.endpoint.model;
        let shown = server.address.shown();
        let list = match server.local_product() {
            Some(LocalProduct::Ollama) => {
                format!("`ollama list` lists the models, `ollama pull {model}` downloads one")
            }
            _ => {
                let route = server.api().completion.as_ref();
                let path = route.map_or("/models", |route| route.models_path);
                format!("GET {shown}{path} lists the names")
            }
        };
        // A 404 that does not mention a model comes from a server that does not know the path.
        let wrong_path = self.code.is_empty() && !self.message.to_lowercase().contains("model");
        if wrong_path {
            let ending = match server.usual_path() {
                "" => "base URLs mostly have no path".to_owned(),
                path => format!("base URLs mostly end in {path}"),
            };
            return format!(
                "{shown} has no {}{number}; {ending}. If the URL is right, the model `{model}` is \
                 unknown there: {list}",
                server.wanted
            );
        }
        format!("the server knows no model named `{model}`{number}: {list}")
    }
}

fn unauthorized(server: Server<'_>, number: &str) -> String {
    let shown = server.address.shown();
    let keys = &server.endpoint.keys;
    let key_header = server.api().key.name;
    let in_headers = keys.headers().iter().any(|(name, _)| name.eq_ignore_ascii_case(key_header));
    if keys.api_key().is_none() && !in_headers {
        return format!("{shown} wants an API key{number}, and none is set");
    }
    format!(
        "{shown} does not accept the API key{number}: check that it is whole, not expired, and for \
         this server and model"
    )
}

fn names_unknown_model(code: &str, message: &str) -> bool {
    let unknown = ["not found", "not exist", "no such", "unknown model", "not a valid model"];
    code == "model_not_found"
        || message.contains("model") && unknown.iter().any(|word| message.contains(word))
}

/// The error code of an error in the middle of a response, which often has no status. If the words say nothing either,
/// the server has failed at a request that it had accepted, so a retry may help.
fn classify_code(code: &str, message: &str) -> EndpointErrorCode {
    let has = |word: &str| code.contains(word) || message.contains(word);
    if has("rate_limit") || has("rate limit") || has("too many requests") {
        EndpointErrorCode::RateLimited
    } else if has("authentication") || has("permission") || has("api key") || has("api_key") {
        EndpointErrorCode::Unauthorized
    } else if code.contains("invalid_request") || code.contains("billing") {
        EndpointErrorCode::Refused
    } else if has("content_filter") || has("content_policy") {
        EndpointErrorCode::Filtered
    } else {
        EndpointErrorCode::Overloaded
    }
}

/// As much of a text as is read: inside of a response it may have megabytes, and is searched for many words.
fn beginning(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_READ_BYTES)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::endpoint::Endpoint;
    use crate::keys::Keys;

    fn explain(body: ErrorBody, base_url: &str, api_key: Option<&str>) -> EndpointError {
        let keys = Keys::new(base_url).with_api_key(api_key.unwrap_or_default());
        let endpoint = Endpoint { keys, ..Endpoint::new(base_url, "m-7b") };
        let address = Address::parse(base_url, &[]).unwrap();
        body.explain(Server::completions(&endpoint, &address), None)
    }

    fn check(status: u16, body: &str, expected: EndpointErrorCode, part: &str) {
        let error = explain(ErrorBody::parse(status, body), "https://h/v1", None);
        assert_eq!(error.code, expected, "{status} {body}: {error}");
        assert_eq!(error.status, Some(status));
        assert!(error.message.contains(part), "{status} {body}: {error}");
    }

    #[test]
    fn a_status_is_classified() {
        check(400, "", EndpointErrorCode::Refused, "refused the request (400)");
        check(401, "", EndpointErrorCode::Unauthorized, "https://h/v1 wants an API key (401)");
        check(403, "", EndpointErrorCode::Unauthorized, "(403)");
        check(
            402,
            r#"{"error":{"message":"Insufficient credits"}}"#,
            EndpointErrorCode::Refused,
            "credits",
        );
        check(404, "", EndpointErrorCode::ModelUnknown, "base URLs mostly end in /v1");
        check(405, "", EndpointErrorCode::Refused, "(405)");
        check(408, "", EndpointErrorCode::Overloaded, "cannot answer now (408)");
        check(409, "", EndpointErrorCode::Overloaded, "(409)");
        check(413, "", EndpointErrorCode::TooLong, "does not fit the window of `m-7b` (413)");
        check(429, "", EndpointErrorCode::RateLimited, "too many requests for now (429)");
        check(500, "", EndpointErrorCode::Overloaded, "(500)");
        check(
            529,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            EndpointErrorCode::Overloaded,
            "says: Overloaded",
        );
        check(304, "", EndpointErrorCode::BadAnswer, "(304)");
    }

    #[test]
    fn the_servers_words_have_precedence_over_its_status() {
        check(
            400,
            r#"{"error":{"message":"maximum context length is 8192 tokens","code":"context_length_exceeded"}}"#,
            EndpointErrorCode::TooLong,
            "says: maximum context length",
        );
        check(
            400,
            r#"{"error":{"code":400,"type":"exceed_context_size_error","message":"request (6972 tokens)
            exceeds the available context size (1024 tokens)","n_prompt_tokens":6972}}"#,
            EndpointErrorCode::TooLong,
            "(6972 tokens)",
        );
        check(
            500,
            r#"{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}"#,
            EndpointErrorCode::TooLong,
            "9 tokens",
        );
        check(
            429,
            r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#,
            EndpointErrorCode::Refused,
            "quota",
        );
        check(
            404,
            r#"{"error":{"message":"The model `x` does not exist","code":"model_not_found"}}"#,
            EndpointErrorCode::ModelUnknown,
            "no model named `m-7b` (404): GET https://h/v1/models",
        );
        check(
            400,
            r#"{"error":{"message":"x is not a valid model ID","code":400}}"#,
            EndpointErrorCode::ModelUnknown,
            "not a valid model ID",
        );
        check(
            500,
            r#"{"error":{"message":"model runner: file not found"}}"#,
            EndpointErrorCode::Overloaded,
            "file not found",
        );
    }

    #[test]
    fn a_dummy_key_is_hidden_in_the_servers_words_only() {
        let body = r#"{"error":{"message":"model not found in ollama"}}"#;
        let url = "http://localhost:11434/v1";
        let error = explain(ErrorBody::parse(404, body), url, Some("ollama"));
        assert!(error.message.contains("`ollama list`"), "{error}");
        assert!(error.message.ends_with("model not found in [key]"), "{error}");
    }

    #[test]
    fn every_shape_of_error_object_is_read() {
        for body in [
            r#"{"error":{"message":"Nope"}}"#,
            r#"{"error":"Nope"}"#,
            r#"{"object":"error","message":"Nope","type":"BadRequestError"}"#,
            r#"[{"error":{"code":400,"message":"Nope"}}]"#,
            r#"{"detail":"Nope"}"#,
            r#"{"detail":[{"loc":["body"],"msg":"Nope"}]}"#,
            "Nope",
        ] {
            check(400, body, EndpointErrorCode::Refused, "Nope");
        }
        for body in ["<html>Nope</html>", "{}", "[]", "null", ""] {
            let error = explain(ErrorBody::parse(400, body), "https://h/v1", None);
            assert_eq!(error.message, "the server refused the request (400)", "{body}");
        }
    }

    #[test]
    fn errors_inside_a_response_are_classified_by_their_fields() {
        for (error, expected) in [
            (r#"{"code":429,"message":"slow down"}"#, EndpointErrorCode::RateLimited),
            (r#"{"code":502,"message":"upstream"}"#, EndpointErrorCode::Overloaded),
            (
                r#"{"type":"rate_limit_error","message":"slow down"}"#,
                EndpointErrorCode::RateLimited,
            ),
            (
                r#"{"type":"overloaded_error","message":"Overloaded"}"#,
                EndpointErrorCode::Overloaded,
            ),
            (r#"{"type":"authentication_error","message":"no"}"#, EndpointErrorCode::Unauthorized),
            (r#"{"type":"invalid_request_error","message":"no"}"#, EndpointErrorCode::Refused),
            (r#"{"type":"exceed_context_size_error","message":"no"}"#, EndpointErrorCode::TooLong),
            (r#"{"code":"content_filter","message":"no"}"#, EndpointErrorCode::Filtered),
            (r#"{"message":"model 'x' not found"}"#, EndpointErrorCode::ModelUnknown),
            (r#""something broke""#, EndpointErrorCode::Overloaded),
            (r#"{"code":1}"#, EndpointErrorCode::Overloaded),
        ] {
            let value: Value = serde_json::from_str(error).unwrap();
            let error = explain(ErrorBody::inside_response(&value), "https://h/v1", None);
            assert_eq!(error.code, expected, "{value}");
        }
    }

    #[test]
    fn j5_of_a_long_error_only_the_beginning_is_read() {
        let long = "é".repeat(100_000);
        for error in [Value::from(long.as_str()), serde_json::json!({ "message": long })] {
            let read = ErrorBody::inside_response(&error).message.len();
            assert!(read > MAX_READ_BYTES - 2 && read <= MAX_READ_BYTES, "{read}");
        }
    }

    #[test]
    fn a_message_distinguishes_a_missing_key_from_a_wrong_one_and_ollama_from_others() {
        let error = explain(ErrorBody::parse(401, ""), "https://h/v1", Some("sk-1"));
        assert!(error.message.contains("does not accept the API key"), "{error}");
        let body = r#"{"error":{"message":"model \"m-7b\" not found, try pulling it first"}}"#;
        let error = explain(ErrorBody::parse(404, body), "http://localhost:11434/v1", None);
        assert!(error.message.contains("ollama pull m-7b"), "{error}");
    }

    #[test]
    fn a_long_message_is_shortened_to_one_line() {
        let error = explain(ErrorBody::parse(400, &"é\n".repeat(1000)), "https://h/v1", None);
        assert_eq!(error.message.chars().filter(|c| *c == 'é').count(), 150);
        assert!(error.message.ends_with('…') && !error.message.contains('\n'), "{error}");
    }

    #[test]
    fn the_delay_is_read_from_the_message() {
        let body = r#"{"error":{"message":"Rate limit reached. Please try again in 1.5s."}}"#;
        let error = explain(ErrorBody::parse(429, body), "https://h/v1", None);
        assert_eq!(error.retry_after_ms, Some(1500));
        let error = explain(ErrorBody::parse(400, body), "https://h/v1", None);
        assert_eq!(error.retry_after_ms, None);
    }
}
