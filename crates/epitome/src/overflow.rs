//! Recognizes the errors of model servers which say that a prompt does not fit the context window.
//!
//! One table for all servers, because proxies pass on the errors of others: each entry is text that servers send. An
//! error about the answer's limit, a rate, a quota or a filter is none of these, whatever words it shares with them.

use serde::Serialize;

/// A prompt that a server refused because it does not fit the model's context window. A shorter one may be accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct ContextOverflow {
    /// Tokens of the prompt as the server counted them, or of prompt and answer if it names only their sum; `None` if it
    /// does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_tokens: Option<u32>,
    /// The most tokens that the server accepts; `None` if it does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_tokens: Option<u32>,
}

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

/// Phrases of messages, in lower case. All parts of an entry have to occur, in this order.
const PHRASES: &[&[&str]] = &[
    &["prompt is too long"],
    &["prompt too long"],
    &["input is too long"],
    &["too many input tokens"],
    &["input tokens exceeded"],
    &["maximum context length"],
    &["maximum prompt length"],
    &["maximum model length"],
    &["exceeds the context window"],
    &["exceed", "context window"],
    &["context window", "exceed"],
    &["exceed", "context size"],
    &["context size", "exceed"],
    &["exceed", "context length"],
    &["context length", "exceed"],
    &["exceed context limit"],
    &["greater than the context length"],
    &["context the overflows"],
    &["context overflow"],
    &["input token", "exceeds the maximum"],
    &["input token", "exceed the configured limit"],
    &["input token count is", "only supports up to"],
    &["token count", "exceeds the limit of"],
    &["exceeded model token limit"],
    &["request body too large for", "max size", "tokens"],
    &["`inputs` tokens + `max_new_tokens` must be"],
    &["reduce the length of the messages"],
    &["contextwindowexceedederror"],
];

/// Phrases of a request that exceeds a limit of tokens per minute on its own, so that waiting does not help.
const TOO_LARGE_FOR_A_MINUTE: &[&[&str]] = &[
    &["input or output tokens must be reduced"],
    &["request too large for model", "tokens per minute"],
];

/// Statuses of a key, a quota, a missing model and a rate. Their messages are about the prompt only if the request exceeds
/// a limit per minute on its own.
const OTHER_STATUSES: &[u16] = &[401, 402, 403, 404, 429];

/// Where a number stands in a message: right behind this text, or right before it.
enum Place {
    After(&'static str),
    Before(&'static str),
}

use Place::{After, Before};

/// Where messages say how many tokens the prompt has; the first that has a number counts.
const REQUESTED: &[Place] = &[
    Before(" in the messages"),
    Before(" of text input"),
    After("however, you requested about "),
    After("however, you requested "),
    After("your request has "),
    After("messages resulted in "),
    After("n_prompt_tokens"),
    After("request input token count"),
    After("input token count is "),
    After("input token count ("),
    After("token count of "),
    After("request contains "),
    After("prompt contains "),
    After("(length "),
    After("request ("),
    After("given: "),
    After(", requested "),
    After("too long: "),
    After("exceed context limit: "),
];

/// Where messages name the limit.
const LIMITS: &[Place] = &[
    After("n_ctx"),
    After("context length is "),
    After("prompt length is "),
    After("model length of "),
    After("context size ("),
    After("context length of only "),
    After("configured limit of "),
    After("exceeds the limit of "),
    After("only supports up to "),
    After("tokens allowed "),
    After("max input tokens"),
    After("max size"),
    After("model token limit"),
    After("must be <= "),
    After("): limit "),
    Before(" maximum context length"),
    After(" > "),
];

/// Where messages say how long the answer may become.
const OUTPUT: &[Place] = &[
    Before(" in the completion"),
    Before(" in the output"),
    After("`max_completion_tokens` is too large: "),
    After("'max_completion_tokens' is too large: "),
    After("`max_tokens` is too large: "),
    After("'max_tokens' is too large: "),
];

/// The longest text that is read, in bytes.
const MAX_READ_BYTES: usize = 16 * 1024;

impl ContextOverflow {
    /// What an error says about the prompt, by its HTTP status, if it has one, its code or type, and its message or body;
    /// `None` if it is another error. Linear in the first 16 KiB of the text.
    pub fn of(status: Option<u16>, code: &str, text: &str) -> Option<Self> {
        let text = text.get(..text.floor_char_boundary(MAX_READ_BYTES)).unwrap_or_default();
        let text = text.to_lowercase();
        let code = code.to_lowercase();
        let says = |phrases: &[&[&str]]| phrases.iter().any(|parts| occur_in_order(parts, &text));
        let is_other = status.is_some_and(|status| OTHER_STATUSES.contains(&status));
        let is_overflow = says(TOO_LARGE_FOR_A_MINUTE)
            || !is_other && (CODES.contains(&code.as_str()) || says(PHRASES));
        if !is_overflow {
            return None;
        }
        let limit_tokens = number_at(LIMITS, &text);
        let output = number_at(OUTPUT, &text);
        // No prompt is short enough for an answer that takes the whole window.
        if output.zip(limit_tokens).is_some_and(|(output, limit)| output >= limit) {
            return None;
        }
        Some(Self { requested_tokens: number_at(REQUESTED, &text), limit_tokens })
    }
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

fn number_at(places: &[Place], text: &str) -> Option<u32> {
    places.iter().find_map(|place| match place {
        After(words) => text.match_indices(words).find_map(|(at, _)| {
            let rest = text.get(at + words.len()..)?;
            digits(rest.trim_start_matches(['"', '\'', ':', ' ', '=', '(']).chars())
        }),
        Before(words) => text.match_indices(words).find_map(|(at, _)| {
            let before = text.get(..at)?;
            let before = before.strip_suffix(" tokens").unwrap_or(before);
            let reversed: String = before.chars().rev().take_while(is_of_number).collect();
            digits(reversed.chars().rev())
        }),
    })
}

fn is_of_number(character: &char) -> bool {
    character.is_ascii_digit() || matches!(character, ',' | '_')
}

/// The number that a text begins with, which may have separators of thousands.
fn digits(text: impl Iterator<Item = char>) -> Option<u32> {
    let digits: String = text.take_while(is_of_number).filter(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Server, status, code or type, message, tokens of the request and the limit. 0: not named, or no status.
    const OVERFLOWS: &[(&str, u16, &str, &str, u32, u32)] = &[
        (
            "OpenAI",
            400,
            "context_length_exceeded",
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9411 tokens. Please reduce the length of the messages.",
            9411,
            8192,
        ),
        (
            "OpenAI",
            400,
            "context_length_exceeded",
            "This model's maximum context length is 4097 tokens. However, you requested 5097 tokens (4097 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
            4097,
            4097,
        ),
        (
            "OpenAI",
            400,
            "context_length_exceeded",
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            0,
            0,
        ),
        (
            "OpenAI",
            429,
            "tokens",
            "Request too large for gpt-4o in organization org on tokens per min (TPM): Limit 30000, Requested 41234. The input or output tokens must be reduced in order to run successfully.",
            41234,
            30000,
        ),
        (
            "OpenAI",
            400,
            "",
            "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 301,424 tokens. Please reduce the length of the messages.",
            301_424,
            272_000,
        ),
        (
            "Anthropic",
            400,
            "invalid_request_error",
            "prompt is too long: 210000 tokens > 200000 maximum",
            210_000,
            200_000,
        ),
        (
            "Anthropic",
            400,
            "invalid_request_error",
            "input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000, decrease input length or `max_tokens` and try again",
            190_000,
            200_000,
        ),
        ("Anthropic", 413, "request_too_large", "Request exceeds the maximum size", 0, 0),
        (
            "Gemini",
            400,
            "INVALID_ARGUMENT",
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            1_200_000,
            1_048_576,
        ),
        (
            "Gemini",
            400,
            "INVALID_ARGUMENT",
            "The input token count exceeds the maximum number of tokens allowed 1048576.",
            0,
            1_048_576,
        ),
        (
            "Vertex",
            400,
            "INVALID_ARGUMENT",
            "Unable to submit request because the input token count is 2000000 but the model only supports up to 1048576. Reduce the input token count and try again.",
            2_000_000,
            1_048_576,
        ),
        ("Bedrock", 400, "ValidationException", "Input is too long for requested model.", 0, 0),
        (
            "Bedrock",
            400,
            "ValidationException",
            "The model returned the following errors: prompt is too long: 208712 tokens > 200000 maximum",
            208_712,
            200_000,
        ),
        (
            "Bedrock",
            400,
            "ValidationException",
            "400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 11530",
            11530,
            8192,
        ),
        (
            "Bedrock",
            400,
            "ValidationException",
            "Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.",
            0,
            0,
        ),
        (
            "llama.cpp",
            400,
            "exceed_context_size_error",
            "request (6972 tokens) exceeds the available context size (1024 tokens), try increasing it",
            6972,
            1024,
        ),
        (
            "llama.cpp",
            400,
            "",
            r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":6972,"n_ctx":1024}}"#,
            6972,
            1024,
        ),
        ("llama.cpp", 500, "server_error", "Context size has been exceeded.", 0, 0),
        (
            "vLLM",
            400,
            "BadRequestError",
            "This model's maximum context length is 32768 tokens. However, your request has 33012 input tokens. Please reduce the length of the input messages.",
            33012,
            32768,
        ),
        (
            "vLLM",
            400,
            "BadRequestError",
            "'max_tokens' or 'max_completion_tokens' is too large: 1000. This model's maximum context length is 8192 tokens and your request has 7500 input tokens (1000 > 8192 - 7500).",
            7500,
            8192,
        ),
        (
            "vLLM",
            400,
            "BadRequestError",
            "The decoder prompt (length 40211) is longer than the maximum model length of 32768. Make sure that `max_model_len` is no smaller than the number of text tokens.",
            40211,
            32768,
        ),
        ("Ollama", 400, "", "prompt too long; exceeded max context length by 4 tokens", 0, 0),
        ("Ollama", 400, "", "the input length exceeds the context length", 0, 0),
        (
            "LM Studio",
            400,
            "",
            "Trying to keep the first 5213 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
            0,
            4096,
        ),
        (
            "LM Studio",
            400,
            "",
            "The number of tokens to keep from the initial prompt is greater than the context length.",
            0,
            0,
        ),
        (
            "OpenRouter",
            400,
            "400",
            "This endpoint's maximum context length is 131072 tokens. However, you requested about 150123 tokens (140123 of text input, 10000 in the output). Please reduce the length of either one.",
            140_123,
            131_072,
        ),
        (
            "LiteLLM",
            400,
            "400",
            "litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: OpenAIException - This model's maximum context length is 8192 tokens.",
            0,
            8192,
        ),
        ("LiteLLM", 0, "ContextWindowExceededError", "", 0, 0),
        (
            "Azure",
            400,
            "context_length_exceeded",
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 130021 tokens.",
            130_021,
            128_000,
        ),
        (
            "Azure",
            413,
            "tokens_limit_reached",
            "Request body too large for gpt-4o model. Max size: 8000 tokens.",
            0,
            8000,
        ),
        (
            "GitHub Copilot",
            400,
            "model_max_prompt_tokens_exceeded",
            "prompt token count of 130000 exceeds the limit of 128000",
            130_000,
            128_000,
        ),
        (
            "Groq",
            413,
            "rate_limit_exceeded",
            "Request too large for model `m` in organization `o` on tokens per minute (TPM): Limit 6000, Requested 7012, please reduce your message size and try again.",
            7012,
            6000,
        ),
        (
            "Groq",
            400,
            "context_length_exceeded",
            "Please reduce the length of the messages or completion.",
            0,
            0,
        ),
        (
            "Mistral",
            400,
            "3051",
            "Prompt contains 40123 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            40123,
            32768,
        ),
        (
            "xAI",
            400,
            "",
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
            537_812,
            131_072,
        ),
        (
            "Moonshot",
            400,
            "invalid_request_error",
            "Invalid request: Your request exceeded model token limit: 131072",
            0,
            131_072,
        ),
        ("MiniMax", 400, "", "invalid params, context window exceeds limit (2013)", 0, 0),
        (
            "TGI",
            422,
            "validation",
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5011 `inputs` tokens and 100 `max_new_tokens`",
            5011,
            4096,
        ),
    ];

    /// Server, status, code or type, message.
    const OTHERS: &[(&str, u16, &str, &str)] = &[
        ("none", 0, "", ""),
        (
            "OpenAI",
            429,
            "rate_limit_exceeded",
            "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000. Please try again in 2s.",
        ),
        (
            "OpenAI",
            429,
            "insufficient_quota",
            "You exceeded your current quota, please check your plan and billing details.",
        ),
        (
            "OpenAI",
            400,
            "invalid_value",
            "max_tokens is too large: 5000. This model supports at most 4096 completion tokens, whereas you provided 5000.",
        ),
        (
            "OpenAI",
            400,
            "context_length_exceeded",
            "This model's maximum context length is 4097 tokens. However, you requested 8100 tokens (100 in the messages, 8000 in the completion). Please reduce the length of the messages or completion.",
        ),
        (
            "OpenAI",
            400,
            "content_policy_violation",
            "Your request was rejected as a result of our safety system.",
        ),
        ("OpenAI", 401, "invalid_api_key", "Incorrect API key provided"),
        (
            "OpenAI",
            404,
            "model_not_found",
            "The model `long-context-window` does not exist or you do not have access to it.",
        ),
        (
            "Anthropic",
            400,
            "invalid_request_error",
            "max_tokens: 200000 > 8192, which is the maximum allowed number of output tokens for claude",
        ),
        (
            "Anthropic",
            429,
            "rate_limit_error",
            "This request would exceed your organization's rate limit of 40,000 input tokens per minute. Please reduce the prompt length or the maximum tokens requested.",
        ),
        ("Anthropic", 529, "overloaded_error", "Overloaded"),
        ("Anthropic", 401, "authentication_error", "invalid x-api-key"),
        ("Anthropic", 400, "invalid_request_error", "messages: at least one message is required"),
        (
            "Gemini",
            429,
            "RESOURCE_EXHAUSTED",
            "Quota exceeded for metric: generate_content_free_tier_input_token_count, limit: 250000",
        ),
        (
            "Gemini",
            400,
            "INVALID_ARGUMENT",
            "Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive).",
        ),
        ("Gemini", 400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
        (
            "Bedrock",
            429,
            "ThrottlingException",
            "Too many tokens, please wait before trying again.",
        ),
        (
            "Bedrock",
            400,
            "ValidationException",
            "The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.",
        ),
        (
            "Bedrock",
            403,
            "AccessDeniedException",
            "You don't have access to the model with the specified model ID.",
        ),
        ("llama.cpp", 503, "unavailable_error", "Loading model"),
        (
            "llama.cpp",
            500,
            "server_error",
            "input is too large to process. increase the physical batch size",
        ),
        (
            "vLLM",
            400,
            "BadRequestError",
            "'max_tokens' or 'max_completion_tokens' is too large: 20000. This model's maximum context length is 8192 tokens and your request has 100 input tokens (20000 > 8192 - 100).",
        ),
        ("Ollama", 404, "", "model \"llama3\" not found, try pulling it first"),
        ("Ollama", 500, "", "llama runner process has terminated: stack overflow"),
        (
            "OpenRouter",
            402,
            "402",
            "This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 1000.",
        ),
        ("OpenRouter", 403, "403", "Input was flagged by moderation."),
        (
            "LiteLLM",
            429,
            "429",
            "litellm.RateLimitError: RateLimitError: OpenAIException - Rate limit reached",
        ),
        ("LiteLLM", 400, "400", "litellm.ContentPolicyViolationError: The response was filtered"),
        (
            "Azure",
            400,
            "content_filter",
            "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        ),
        (
            "Azure",
            429,
            "429",
            "Requests to the ChatCompletions_Create Operation have exceeded token rate limit of your current pricing tier. Please retry after 20 seconds.",
        ),
        ("proxy", 504, "", "upstream request timeout"),
    ];

    #[test]
    fn b9_the_overflow_errors_of_each_server_are_recognized_with_their_numbers() {
        for (server, status, code, message, requested, limit) in OVERFLOWS {
            let named = |number: u32| (number > 0).then_some(number);
            let status = (*status > 0).then_some(*status);
            let found = ContextOverflow::of(status, code, message);
            let (requested_tokens, limit_tokens) = (named(*requested), named(*limit));
            let expected = ContextOverflow { requested_tokens, limit_tokens };
            assert_eq!(found, Some(expected), "{server}: {message}");
        }
    }

    #[test]
    fn b9_other_errors_are_no_overflows() {
        for (server, status, code, message) in OTHERS {
            let status = (*status > 0).then_some(*status);
            assert_eq!(ContextOverflow::of(status, code, message), None, "{server}: {message}");
        }
    }

    #[test]
    fn a_number_beyond_the_range_is_not_read() {
        let text = "prompt is too long: 99999999999 tokens > 200000 maximum";
        let expected = ContextOverflow { requested_tokens: None, limit_tokens: Some(200_000) };
        assert_eq!(ContextOverflow::of(None, "", text), Some(expected));
    }
}
