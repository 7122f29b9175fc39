//! Distinguishes "the prompt does not fit into the context window" from other errors, which each server words
//! differently.

/// Codes and types of error objects, in lower case.
const CODES: &[&str] = &[
    "context_length_exceeded",
    "context_window_exceeded",
    "contextwindowexceedederror",
    "exceed_context_size_error",
    "model_context_window_exceeded",
    "model_max_prompt_tokens_exceeded",
    "request_too_large",
    "tokens_limit_reached",
];

/// Phrases of messages, in lower case. All phrases of an entry have to occur, in this order.
const PHRASES: &[&[&str]] = &[
    &["prompt is too long"],
    &["prompt too long"],
    &["input is too long"],
    &["maximum context length"],
    &["maximum prompt length"],
    &["exceeds the context window"],
    &["exceed", "context window"],
    &["context window", "exceed"],
    &["exceed", "context size"],
    &["exceed", "context length"],
    &["context length", "exceed"],
    &["greater than the context length"],
    &["context", "overflow"],
    &["input token", "exceeds the maximum"],
    &["token count", "exceeds the limit of"],
    &["exceeded model token limit"],
    &["reduce the length of the messages"],
    // This one request exceeds a limit of tokens per minute, so that waiting does not help.
    &["input or output tokens must be reduced"],
    &["contextwindowexceedederror"],
];

/// Whether an error with this code (or type) and message means that a shorter prompt may be accepted.
pub(crate) fn is_context_overflow(code: &str, message: &str) -> bool {
    let code = code.to_lowercase();
    let message = message.to_lowercase();
    CODES.contains(&code.as_str()) || PHRASES.iter().any(|parts| occur_in_order(parts, &message))
}

fn occur_in_order(parts: &[&str], text: &str) -> bool {
    let mut rest = text;
    parts.iter().all(|part| match rest.split_once(part) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_each_server_are_recognized() {
        for (code, message) in [
            ("context_length_exceeded", ""),
            (
                "exceed_context_size_error",
                "request (6972 tokens) exceeds the available context size",
            ),
            ("", "request (6972 tokens) exceeds the available context size (1024 tokens)"),
            ("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
            ("request_too_large", "Request exceeds the maximum size"),
            ("", "This model's maximum context length is 8192 tokens. However, you requested 9000"),
            ("", "The input token count (1200000) exceeds the maximum number of tokens allowed"),
            ("", "This model's maximum prompt length is 131072 but the request contains 537812"),
            ("", "Please reduce the length of the messages or completion."),
            ("", "prompt token count of 130000 exceeds the limit of 128000"),
            ("", "Trying to keep the first 5000 tokens when context the overflows."),
            ("", "tokens to keep from the initial prompt is greater than the context length"),
            ("", "invalid params, context window exceeds limit (2013)"),
            ("", "Your request exceeded model token limit: 131072"),
            ("", "litellm.ContextWindowExceededError: ..."),
            ("", "Your input exceeds the context window of this model"),
            ("", "prompt too long; exceeded max context length by 4 tokens"),
            ("tokens", "Request too large for m: The input or output tokens must be reduced"),
        ] {
            assert!(is_context_overflow(code, message), "{code} {message}");
        }
    }

    #[test]
    fn other_errors_are_not_overflows() {
        for (code, message) in [
            ("", ""),
            ("rate_limit_exceeded", "Rate limit reached for m on tokens per min. Try again in 2s"),
            ("throttling", "Too many tokens, please wait before trying again"),
            ("insufficient_quota", "You exceeded your current quota"),
            ("invalid_request_error", "max_tokens exceeds the limit of this model's output"),
            ("server_error", "stack overflow"),
        ] {
            assert!(!is_context_overflow(code, message), "{code} {message}");
        }
    }
}
