//! Where a provider reports token counts in its usage object.

/// JSON pointers into a usage object, one list per count. The first pointer that leads to a count wins.
#[derive(Debug)]
pub(crate) struct UsageFields {
    /// Tokens of the prompt.
    pub(crate) prompt: &'static [&'static str],
    /// Prompt tokens that `prompt` does not include.
    pub(crate) extra_prompt: &'static [&'static str],
    /// Tokens of the completion.
    pub(crate) completion: &'static [&'static str],
    /// Completion tokens that `completion` does not include.
    pub(crate) extra_completion: &'static [&'static str],
    /// Prompt and completion together.
    pub(crate) total: &'static [&'static str],
    /// Prompt tokens that were read from the provider's cache.
    pub(crate) cached: &'static [&'static str],
    /// Prompt tokens that were written to the provider's cache.
    pub(crate) cache_written: &'static [&'static str],
    /// Reasoning tokens of the completion.
    pub(crate) reasoning: &'static [&'static str],
    /// True if `prompt` excludes the tokens of `cached` and `cache_written`. It holds for usage objects that
    /// have one of these lists' counts next to one of `prompt`: other providers use the same name for the
    /// prompt, but not together with these names for the cache.
    pub(crate) prompt_excludes_cache: bool,
}

impl UsageFields {
    /// No fields: a base for the formats' own.
    pub(crate) const NONE: Self = Self {
        prompt: &[],
        extra_prompt: &[],
        completion: &[],
        extra_completion: &[],
        total: &[],
        cached: &[],
        cache_written: &[],
        reasoning: &[],
        prompt_excludes_cache: false,
    };
}
