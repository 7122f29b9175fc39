//! What the error of a provider says about a request.

use epitome::ContextOverflow;
use serde_json::Value;

/// What an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// The prompt does not fit the window.
    TooLong(ContextOverflow),
    /// The key, the model's name, a quota or a rate; the messages have nothing to do with it.
    NotTheMessages,
    /// Something else, probably the messages.
    Other,
}

/// An error, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// What it is about.
    pub(super) cause: Cause,
    /// The index of the message that it names.
    pub(super) message: Option<usize>,
}

/// Statuses that are about the key, the model's name, a quota or a rate.
const OTHER_STATUSES: [u16; 5] = [401, 402, 403, 404, 429];

/// The names under which the lists of messages stand in the requests of providers.
const LISTS: [&str; 3] = ["messages", "contents", "input"];

impl Refusal {
    /// Reads an error as a server or an SDK shows it; `None` if there is no text.
    pub(super) fn of(error: &str) -> Option<Self> {
        let error = error.trim();
        if error.is_empty() {
            return None;
        }
        let status = status(error);
        let cause = match ContextOverflow::of(status, &code(error), error) {
            Some(overflow) => Cause::TooLong(overflow),
            None if status.is_some_and(|status| OTHER_STATUSES.contains(&status)) => {
                Cause::NotTheMessages
            }
            None => Cause::Other,
        };
        Some(Self { cause, message: named_message(error) })
    }
}

/// The first number in the text that can be the status of a failed request.
fn status(error: &str) -> Option<u16> {
    let mut numbers = error.split(|character: char| !character.is_ascii_alphanumeric());
    numbers.find_map(|word| word.parse().ok().filter(|status| (400..600).contains(status)))
}

/// The code or type of an error object; empty without one.
fn code(error: &str) -> String {
    let object = error.find('{').and_then(|start| error.get(start..));
    let parsed = object.and_then(|object| {
        let mut values = serde_json::Deserializer::from_str(object).into_iter::<Value>();
        values.next()?.ok()
    });
    let inner = parsed.as_ref().map(|parsed| parsed.get("error").unwrap_or(parsed));
    let field = |name: &str| inner?.get(name)?.as_str().map(str::to_owned);
    field("code").or_else(|| field("type")).unwrap_or_default()
}

/// The index in `messages.3`, `messages[3]` and the like.
fn named_message(error: &str) -> Option<usize> {
    let error = error.to_lowercase();
    LISTS.iter().find_map(|list| {
        error.match_indices(list).find_map(|(start, _)| {
            let rest = error.get(start + list.len()..)?;
            // `messages.[3]` is used too.
            let digits = rest.trim_start_matches(['.', '[']);
            if digits.len() == rest.len() {
                return None;
            }
            let end = digits.find(|character: char| !character.is_ascii_digit());
            digits.get(..end.unwrap_or(digits.len()))?.parse().ok()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_their_message_in_several_ways() {
        let cases = [
            ("messages.3: `tool_use` ids were found without `tool_result` blocks", Some(3)),
            ("Invalid parameter: messages with role 'tool' must … [messages[12].role]", Some(12)),
            ("GenerateContentRequest.contents[0].parts: must not be empty", Some(0)),
            ("An assistant message … \"param\":\"messages.[3].role\"", Some(3)),
            ("messages 3 and something went wrong", None),
        ];
        for (error, message) in cases {
            assert_eq!(Refusal::of(error).and_then(|read| read.message), message, "{error}");
        }
    }

    #[test]
    fn an_error_is_about_the_length_the_messages_or_neither() {
        let cause = |error: &str| Refusal::of(error).map(|read| read.cause);
        let long = r#"400 {"error":{"code":"context_length_exceeded","message":"too much"}}"#;
        assert!(matches!(cause(long), Some(Cause::TooLong(_))));
        assert_eq!(cause("HTTP 401: invalid x-api-key"), Some(Cause::NotTheMessages));
        let order = "400 messages.2: roles must alternate between \"user\" and \"assistant\"";
        assert_eq!(cause(order), Some(Cause::Other));
        assert_eq!(Refusal::of("  "), None);
    }
}
