//! Token counts from the usage object of any provider.

use epitome::message::Usage;
use serde_json::Value;

use crate::registry::Format;
use crate::usage_fields::UsageFields;

/// Reads a provider's usage object: of every [`Format`], and of Cohere and other servers with names of their
/// own. `None` if it does not have the number of prompt tokens.
///
/// Most providers include cached tokens in the prompt. Anthropic and Bedrock report them separately, and they
/// are added. An Anthropic response with several iterations is read as its last one, because that is what
/// fills the context window; iterations of an advisor are those of another model. If the total is larger than
/// prompt and completion, the rest is reasoning that no other count includes. Counts that are not whole
/// numbers from 0 are ignored. Constant time, except for iterations.
pub fn read_usage(value: &Value) -> Option<Usage> {
    let value = last_iteration(value).unwrap_or(value);
    let formats = Format::ALL.map(Format::usage_fields);
    let all = || formats.into_iter().chain([&OTHER_SERVERS]);
    let count = |list: fn(&UsageFields) -> &'static [&'static str]| {
        all().flat_map(list).find_map(|pointer| count_at(value, pointer))
    };
    let cached = count(|fields| fields.cached);
    let cache_written = count(|fields| fields.cache_written);
    let mut prompt = count(|fields| fields.prompt)?;
    let add = |tokens: u32, more: Option<u32>| tokens.saturating_add(more.unwrap_or_default());
    // A prompt that is smaller than what was cached of it cannot include that.
    if all().any(|fields| excludes_cache(value, fields))
        || cached.is_some_and(|cached| cached > prompt)
    {
        prompt = add(add(prompt, cached), cache_written);
    }
    prompt = add(prompt, count(|fields| fields.extra_prompt));
    let completion = count(|fields| fields.completion).unwrap_or_default();
    let completion = add(completion, count(|fields| fields.extra_completion));
    let total = count(|fields| fields.total).unwrap_or_default();
    Some(Usage {
        prompt_tokens: prompt,
        completion_tokens: completion.max(total.saturating_sub(prompt)),
        cached_tokens: cached,
        cache_write_tokens: cache_written,
        reasoning_tokens: count(|fields| fields.reasoning),
        ..Usage::default()
    })
}

/// Names that servers without a format of their own use: Cohere, and for cached tokens DeepSeek and others. And the names
/// of [`Usage`] itself.
const OTHER_SERVERS: UsageFields = UsageFields {
    prompt: &["/tokens/input_tokens"],
    completion: &["/tokens/output_tokens"],
    cached: &["/prompt_cache_hit_tokens", "/num_cached_tokens", "/cached_tokens", "/cachedTokens"],
    cache_written: &["/cacheWriteTokens"],
    ..UsageFields::NONE
};

fn count_at(value: &Value, pointer: &str) -> Option<u32> {
    value.pointer(pointer)?.as_u64()?.try_into().ok()
}

/// True if the usage object is of a format that reports cached tokens separately from the prompt.
fn excludes_cache(value: &Value, fields: &UsageFields) -> bool {
    let has = |pointer: &&str| value.pointer(pointer).is_some_and(Value::is_number);
    fields.prompt_excludes_cache
        && fields.prompt.iter().any(has)
        && fields.cached.iter().chain(fields.cache_written).any(has)
}

fn last_iteration(value: &Value) -> Option<&Value> {
    let iterations = value.get("iterations")?.as_array()?;
    let own = |iteration: &&Value| {
        let kind = iteration.get("type").and_then(Value::as_str);
        kind != Some("advisor_message") && count_at(iteration, "/input_tokens").is_some()
    };
    iterations.iter().rev().find(own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Checks the tokens of prompt and completion, and the cached, cache-written and reasoning tokens in them.
    fn check(value: &Value, counts: (u32, u32), inside: [Option<u32>; 3]) {
        let read = read_usage(value).unwrap();
        assert_eq!((read.prompt_tokens, read.completion_tokens), counts, "{value}");
        let found = [read.cached_tokens, read.cache_write_tokens, read.reasoning_tokens];
        assert_eq!(found, inside, "{value}");
    }

    #[test]
    fn prompts_that_include_cached_tokens_are_read_as_they_are() {
        let chat = json!({
            "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
            "prompt_tokens_details": { "cached_tokens": 60 },
            "completion_tokens_details": { "reasoning_tokens": 5 },
        });
        check(&chat, (100, 20), [Some(60), None, Some(5)]);
        let responses = json!({
            "input_tokens": 100, "output_tokens": 20, "total_tokens": 120,
            "input_tokens_details": { "cached_tokens": 60 },
            "output_tokens_details": { "reasoning_tokens": 5 },
        });
        check(&responses, (100, 20), [Some(60), None, Some(5)]);
        let langchain = json!({
            "input_tokens": 100, "output_tokens": 20, "total_tokens": 120,
            "input_token_details": { "cache_read": 60, "cache_creation": 30 },
            "output_token_details": { "reasoning": 5 },
        });
        check(&langchain, (100, 20), [Some(60), Some(30), Some(5)]);
        let sdk = json!({
            "inputTokens": 100, "outputTokens": 20, "totalTokens": 120,
            "inputTokenDetails": { "noCacheTokens": 10, "cacheReadTokens": 60, "cacheWriteTokens": 30 },
            "outputTokenDetails": { "textTokens": 15, "reasoningTokens": 5 },
        });
        check(&sdk, (100, 20), [Some(60), Some(30), Some(5)]);
        let model = json!({
            "inputTokens": { "total": 100, "noCache": 10, "cacheRead": 60, "cacheWrite": 30 },
            "outputTokens": { "total": 20, "text": 15, "reasoning": 5 },
        });
        check(&model, (100, 20), [Some(60), Some(30), Some(5)]);
        let five = json!({
            "inputTokens": 100, "outputTokens": 20, "totalTokens": 120,
            "cachedInputTokens": 60, "reasoningTokens": 5,
        });
        check(&five, (100, 20), [Some(60), None, Some(5)]);
        let four = json!({ "promptTokens": 100, "completionTokens": 20 });
        check(&four, (100, 20), [None, None, None]);
        let cohere =
            json!({ "tokens": { "input_tokens": 100, "output_tokens": 20 }, "cached_tokens": 60 });
        check(&cohere, (100, 20), [Some(60), None, None]);
    }

    #[test]
    fn cached_tokens_are_added_if_the_provider_reports_them_separately() {
        let anthropic = json!({
            "input_tokens": 10, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 30,
            "output_tokens": 20,
        });
        check(&anthropic, (100, 20), [Some(60), Some(30), None]);
        let bedrock = json!({
            "inputTokens": 10, "cacheReadInputTokens": 60, "cacheWriteInputTokens": 30,
            "outputTokens": 20, "totalTokens": 120,
        });
        check(&bedrock, (100, 20), [Some(60), Some(30), None]);
        let five = json!({ "inputTokens": 10, "outputTokens": 20, "cachedInputTokens": 60 });
        check(&five, (70, 20), [Some(60), None, None]);
        // Servers that name the cache as Anthropic does and count the prompt as OpenAI does.
        let mixed = json!({
            "prompt_tokens": 100, "completion_tokens": 20, "cache_read_input_tokens": 60,
        });
        check(&mixed, (100, 20), [Some(60), None, None]);
    }

    #[test]
    fn reasoning_and_tool_tokens_are_added_if_reported_separately() {
        let gemini = json!({
            "promptTokenCount": 100, "cachedContentTokenCount": 60, "toolUsePromptTokenCount": 7,
            "candidatesTokenCount": 15, "thoughtsTokenCount": 5, "totalTokenCount": 127,
        });
        check(&gemini, (107, 20), [Some(60), None, Some(5)]);
        let grok = json!({
            "prompt_tokens": 12, "completion_tokens": 1, "total_tokens": 241,
            "completion_tokens_details": { "reasoning_tokens": 228 },
        });
        check(&grok, (12, 229), [None, None, Some(228)]);
    }

    #[test]
    fn the_last_iteration_is_what_fills_the_context_window() {
        let value = json!({
            "input_tokens": 682, "output_tokens": 1320,
            "iterations": [
                { "type": "compaction", "input_tokens": 60385, "output_tokens": 592 },
                { "type": "message", "input_tokens": 682, "cache_read_input_tokens": 18, "output_tokens": 1320 },
                { "type": "advisor_message", "input_tokens": 9000, "output_tokens": 90 },
            ],
        });
        check(&value, (700, 1320), [Some(18), None, None]);
        check(&json!({ "input_tokens": 1, "iterations": [] }), (1, 0), [None, None, None]);
    }

    #[test]
    fn values_that_are_not_counts_are_ignored() {
        for odd in [json!(-1), json!(1.5), json!(null), json!("7"), json!([]), json!(1e300)] {
            assert_eq!(read_usage(&json!({ "prompt_tokens": odd, "completion_tokens": 1 })), None);
            let value = json!({
                "prompt_tokens": 100, "completion_tokens": odd, "total_tokens": odd,
                "prompt_tokens_details": odd,
            });
            check(&value, (100, 0), [None, None, None]);
        }
        for odd in [json!(null), json!({}), json!([]), json!(7), json!({ "output_tokens": 3 })] {
            assert_eq!(read_usage(&odd), None, "{odd}");
        }
    }
}
