//! How tokens are counted, what goes along with every request, and how often a summarizer is asked again.

use epitome::Policy;

use super::amount::whole;
use super::entry::{Choice, Entry};

const ESTIMATORS: [(&str, &str); 2] =
    [("heuristic", "Heuristic, by script and word"), ("characters", "Characters ÷ a number")];

/// What counts tokens.
pub(crate) fn estimator() -> Choice {
    let read = |policy: &Policy| match policy.characters_per_token {
        Some(_) => "characters",
        None => "heuristic",
    };
    Choice::new("charactersPerToken", "Tokens are counted by", &ESTIMATORS, read, |policy, name| {
        policy.characters_per_token = (name == "characters").then_some(4);
    })
}

/// True where characters are counted.
pub(crate) fn by_characters(policy: &Policy) -> bool {
    policy.characters_per_token.is_some()
}

/// How many characters make a token.
pub(crate) fn characters_per_token() -> Entry {
    let read = |policy: &Policy| {
        policy.characters_per_token.map(|number| number.to_string()).unwrap_or_default()
    };
    Entry::new("charactersPerToken", "One token is", "characters", read, |policy, text| {
        policy.characters_per_token = Some(whole(text)?);
        Ok(())
    })
}

/// What goes along with every request.
pub(crate) fn tool_schemas() -> Entry {
    let read = |policy: &Policy| policy.tool_schema_tokens.to_string();
    Entry::new("toolSchemaTokens", "Tool schemas", "tokens", read, |policy, text| {
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
