//! How tokens are counted, what goes along with every request, and how often a summarizer is asked again.

use epitome::Policy;
use epitome::policy::{Counting, Encoding};

use super::amount::whole;
use super::entry::{Choice, Entry};

const COUNTERS: [(&str, &str); 4] = [
    ("estimate", "Heuristic, by script and word"),
    ("characters", "Characters ÷ a number"),
    ("o200k_base", "Exactly, as o200k_base"),
    ("cl100k_base", "Exactly, as cl100k_base"),
];

/// What counts tokens.
pub(crate) fn counter() -> Choice {
    let read = |policy: &Policy| match &policy.counting {
        Counting::CharactersPerToken(_) => "characters",
        Counting::Encoding(encoding) => encoding.as_str(),
        // The page has no tokenizers by name.
        Counting::Estimate | Counting::EstimateFor(_) | Counting::Tokenizer(_) => "estimate",
    };
    Choice::new("counting", "Tokens are counted by", &COUNTERS, read, |policy, name| {
        let encoding = Encoding::ALL.into_iter().find(|encoding| encoding.as_str() == name);
        policy.counting = match encoding {
            Some(encoding) => Counting::Encoding(encoding),
            None if name == "characters" => Counting::CharactersPerToken(4),
            None => Counting::Estimate,
        };
    })
}

/// True where characters are counted.
pub(crate) fn by_characters(policy: &Policy) -> bool {
    matches!(policy.counting, Counting::CharactersPerToken(_))
}

/// How many characters make a token.
pub(crate) fn characters_per_token() -> Entry {
    let read = |policy: &Policy| match policy.counting {
        Counting::CharactersPerToken(characters) => characters.to_string(),
        _ => String::new(),
    };
    let name = "counting.charactersPerToken";
    Entry::new(name, "One token is", "characters", read, |policy, text| {
        policy.counting = Counting::CharactersPerToken(whole(text)?);
        Ok(())
    })
}

/// What goes along with every request and is no message.
pub(crate) fn tool_schemas() -> Entry {
    let read = |policy: &Policy| policy.tool_schema_tokens.to_string();
    Entry::new("toolSchemaTokens", "Tools and instructions", "tokens", read, |policy, text| {
        policy.tool_schema_tokens = whole(text)?;
        Ok(())
    })
}

/// How often a summarizer is asked.
pub(crate) fn attempts() -> Entry {
    let read = |policy: &Policy| policy.retry.attempts.to_string();
    Entry::new("retry.attempts", "Ask at most", "times", read, |policy, text| {
        policy.retry.attempts = whole(text)?;
        Ok(())
    })
}

/// The wait before the second time.
pub(crate) fn first_wait() -> Entry {
    let read = |policy: &Policy| policy.retry.base_ms.to_string();
    Entry::new("retry.baseMs", "First wait", "ms", read, |policy, text| {
        policy.retry.base_ms = whole(text)?.into();
        Ok(())
    })
}

/// The longest wait.
pub(crate) fn cap() -> Entry {
    let read = |policy: &Policy| policy.retry.cap_ms.to_string();
    Entry::new("retry.capMs", "Longest wait", "ms", read, |policy, text| {
        policy.retry.cap_ms = whole(text)?.into();
        Ok(())
    })
}
