//! The fields of token counting, the request overhead, and retries.

use epitome::Policy;
use epitome::policy::{Counting, Encoding};

use crate::language::t;
use crate::settings::field::number::whole;
use crate::settings::field::{Choice, TextField, options};

/// What counts tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CountingKind {
    Estimate,
    Characters,
    O200kBase,
    Cl100kBase,
}

options!(CountingKind {
    Estimate: "estimate", t!("Estimate, by script and word");
    Characters: "characters", t!("Characters per token");
    O200kBase: "o200k_base", t!("Exactly, with o200k_base");
    Cl100kBase: "cl100k_base", t!("Exactly, with cl100k_base");
});

/// What counts tokens.
pub(in crate::settings) fn counting() -> Choice {
    let read = |policy: &Policy| {
        Some(match &policy.counting {
            Counting::CharactersPerToken(_) => CountingKind::Characters,
            Counting::Encoding(Encoding::O200kBase) => CountingKind::O200kBase,
            Counting::Encoding(Encoding::Cl100kBase) => CountingKind::Cl100kBase,
            // The page cannot load tokenizers by name: see `load::recount`.
            Counting::Estimate | Counting::EstimateFor(_) | Counting::Tokenizer(_) => {
                CountingKind::Estimate
            }
        })
    };
    Choice::new("counting", t!("Tokens are counted by"), read, |policy, kind| {
        policy.counting = match kind {
            CountingKind::Estimate => Counting::Estimate,
            CountingKind::Characters => Counting::CharactersPerToken(4),
            CountingKind::O200kBase => Counting::Encoding(Encoding::O200kBase),
            CountingKind::Cl100kBase => Counting::Encoding(Encoding::Cl100kBase),
        };
    })
    .about(t!("An exact count loads a vocabulary once; the estimate needs none."))
}

/// True if tokens are counted by characters.
pub(in crate::settings) fn by_characters(policy: &Policy) -> bool {
    matches!(policy.counting, Counting::CharactersPerToken(_))
}

/// The number of characters per token.
pub(in crate::settings) fn characters_per_token() -> TextField {
    let read = |policy: &Policy| match policy.counting {
        Counting::CharactersPerToken(characters) => characters.to_string(),
        _ => String::new(),
    };
    let name = "counting.charactersPerToken";
    TextField::new(name, t!("One token is"), t!("characters"), read, |policy, text| {
        policy.counting = Counting::CharactersPerToken(whole(text)?);
        Ok(())
    })
    .about(t!("How many characters are counted as one token."))
}

/// The request overhead: tokens of tool schemas and instructions, which every request has in addition to messages.
pub(in crate::settings) fn tool_schemas() -> TextField {
    let read = |policy: &Policy| policy.tool_schema_tokens.to_string();
    TextField::new(
        "toolSchemaTokens",
        t!("Tools and instructions"),
        t!("tokens"),
        read,
        |policy, text| {
            policy.tool_schema_tokens = whole(text)?;
            Ok(())
        },
    )
    .about(t!(
        "Tokens of each request that are in no message: instructions and the descriptions of tools."
    ))
}

/// The maximum number of attempts for a summarizer request.
pub(in crate::settings) fn attempts() -> TextField {
    let read = |policy: &Policy| policy.retry.attempts.to_string();
    TextField::new("retry.attempts", t!("Maximum attempts"), "", read, |policy, text| {
        policy.retry.attempts = whole(text)?;
        Ok(())
    })
    .about(t!("How often the summarizer is asked before the compaction fails."))
}

/// The wait before the second attempt.
pub(in crate::settings) fn first_wait() -> TextField {
    let read = |policy: &Policy| policy.retry.base_ms.to_string();
    TextField::new("retry.baseMs", t!("First wait"), "ms", read, |policy, text| {
        policy.retry.base_ms = whole(text)?.into();
        Ok(())
    })
    .about(t!("The wait before the second try; it doubles each time, unless the server names one."))
}

/// The longest wait.
pub(in crate::settings) fn longest_wait() -> TextField {
    let read = |policy: &Policy| policy.retry.cap_ms.to_string();
    TextField::new("retry.capMs", t!("Longest wait"), "ms", read, |policy, text| {
        policy.retry.cap_ms = whole(text)?.into();
        Ok(())
    })
    .about(t!("The wait between two tries does not become longer than this."))
}
