//! What a request took, read from what any provider says about it.

use epitome::message::Usage;
use serde_json::Value;

/// Reads a provider's usage object: that of OpenAI Chat Completions and Responses, Anthropic, Gemini, Bedrock
/// Converse, Cohere, the AI SDK and LangChain. `None` where it does not tell how large the prompt was.
///
/// Providers count the prompt with what was cached in it, but for two: Anthropic and Bedrock tell the two
/// apart, and their `cache_read_input_tokens` and `cacheReadInputTokens` beside it say that they do. An
/// Anthropic answer in several iterations is read as its last one, which is what fills the window; an
/// adviser's are another model's. What a total holds beyond prompt and completion is thoughts that were
/// counted nowhere else. Counts that are no whole numbers from 0 on are taken as missing. Constant time,
/// but for iterations.
pub fn usage(value: &Value) -> Option<Usage> {
    let value = last_iteration(value).unwrap_or(value);
    let count = |paths: &[&str]| paths.iter().find_map(|path| whole(value, path));
    let cached = count(&CACHED);
    let written = count(&WRITTEN);
    let mut prompt = count(&PROMPT)?;
    let more = |prompt: u32, beside: Option<u32>| prompt.saturating_add(beside.unwrap_or_default());
    if is_without_cached(value) || cached.is_some_and(|cached| cached > prompt) {
        prompt = more(more(prompt, cached), written);
    }
    prompt = more(prompt, count(&["/toolUsePromptTokenCount"]));
    let completion = count(&COMPLETION).unwrap_or_default();
    let completion = more(completion, count(&["/thoughtsTokenCount"]));
    let total = count(&TOTAL).unwrap_or_default();
    Some(Usage {
        prompt_tokens: prompt,
        completion_tokens: completion.max(total.saturating_sub(prompt)),
        cached_tokens: cached,
        cache_write_tokens: written,
        reasoning_tokens: count(&REASONING),
        ..Usage::default()
    })
}

const PROMPT: [&str; 7] = [
    "/prompt_tokens",
    "/input_tokens",
    "/inputTokens",
    "/inputTokens/total",
    "/promptTokens",
    "/promptTokenCount",
    "/tokens/input_tokens",
];

const COMPLETION: [&str; 8] = [
    "/completion_tokens",
    "/output_tokens",
    "/outputTokens",
    "/outputTokens/total",
    "/completionTokens",
    "/candidatesTokenCount",
    "/responseTokenCount",
    "/tokens/output_tokens",
];

const TOTAL: [&str; 3] = ["/total_tokens", "/totalTokens", "/totalTokenCount"];

const CACHED: [&str; 12] = [
    "/prompt_tokens_details/cached_tokens",
    "/input_tokens_details/cached_tokens",
    "/input_token_details/cache_read",
    "/inputTokenDetails/cacheReadTokens",
    "/inputTokens/cacheRead",
    "/cachedContentTokenCount",
    "/cache_read_input_tokens",
    "/cacheReadInputTokens",
    "/cachedInputTokens",
    "/prompt_cache_hit_tokens",
    "/num_cached_tokens",
    "/cached_tokens",
];

const WRITTEN: [&str; 6] = [
    "/prompt_tokens_details/cache_write_tokens",
    "/input_token_details/cache_creation",
    "/inputTokenDetails/cacheWriteTokens",
    "/inputTokens/cacheWrite",
    "/cache_creation_input_tokens",
    "/cacheWriteInputTokens",
];

const REASONING: [&str; 8] = [
    "/completion_tokens_details/reasoning_tokens",
    "/output_tokens_details/reasoning_tokens",
    "/output_tokens_details/thinking_tokens",
    "/output_token_details/reasoning",
    "/outputTokenDetails/reasoningTokens",
    "/outputTokens/reasoning",
    "/thoughtsTokenCount",
    "/reasoningTokens",
];

fn whole(value: &Value, path: &str) -> Option<u32> {
    value.pointer(path)?.as_u64()?.try_into().ok()
}

/// True where the prompt is counted without what was cached: Anthropic and Bedrock, whose names for the
/// prompt others have too, but not beside these names for the cache.
fn is_without_cached(value: &Value) -> bool {
    let has = |key: &str| value.get(key).is_some_and(Value::is_number);
    has("input_tokens") && (has("cache_read_input_tokens") || has("cache_creation_input_tokens"))
        || has("inputTokens") && (has("cacheReadInputTokens") || has("cacheWriteInputTokens"))
}

fn last_iteration(value: &Value) -> Option<&Value> {
    let iterations = value.get("iterations")?.as_array()?;
    let own = |iteration: &&Value| {
        let kind = iteration.get("type").and_then(Value::as_str);
        kind != Some("advisor_message") && whole(iteration, "/input_tokens").is_some()
    };
    iterations.iter().rev().find(own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Checks the counts of the prompt and the completion, and of what was cached, written and thought in them.
    fn check(value: &Value, counts: (u32, u32), inside: [Option<u32>; 3]) {
        let read = usage(value).unwrap();
        assert_eq!((read.prompt_tokens, read.completion_tokens), counts, "{value}");
        let found = [read.cached_tokens, read.cache_write_tokens, read.reasoning_tokens];
        assert_eq!(found, inside, "{value}");
    }

    #[test]
    fn prompts_that_hold_what_was_cached_are_counted_as_they_are() {
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
    fn what_was_cached_is_added_where_it_is_counted_apart() {
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
    fn thoughts_and_tools_are_added_where_they_are_counted_apart() {
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
    fn the_last_iteration_tells_what_fills_the_window() {
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
    fn what_is_no_count_is_taken_as_missing() {
        for odd in [json!(-1), json!(1.5), json!(null), json!("7"), json!([]), json!(1e300)] {
            assert_eq!(usage(&json!({ "prompt_tokens": odd, "completion_tokens": 1 })), None);
            let value = json!({
                "prompt_tokens": 100, "completion_tokens": odd, "total_tokens": odd,
                "prompt_tokens_details": odd,
            });
            check(&value, (100, 0), [None, None, None]);
        }
        for odd in [json!(null), json!({}), json!([]), json!(7), json!({ "output_tokens": 3 })] {
            assert_eq!(usage(&odd), None, "{odd}");
        }
    }
}
