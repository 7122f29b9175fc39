//! Reads a rank file of the package `tiktoken`: the bytes of every token, by rank.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

use crate::failure::{Failure, Result};

/// The tokens of a rank file with this text, in the order of their ranks. It has no special tokens.
pub(super) fn tokens(text: &str) -> Result<Vec<Vec<u8>>> {
    let document: Value =
        serde_json::from_str(text).map_err(|error| Failure::new(error.to_string()))?;
    let ranks = document
        .get("bpe_ranks")
        .and_then(Value::as_str)
        .ok_or_else(|| Failure::new("the text `bpe_ranks` is missing"))?;
    let mut tokens = Vec::new();
    for line in ranks.lines() {
        // A line is `!`, the rank of its first token, and its tokens in base64.
        let mut words = line.split(' ').skip(1);
        let first = words.next().and_then(|rank| rank.parse::<usize>().ok());
        if first != Some(tokens.len()) {
            return Err(Failure::new(format!("rank {} is missing", tokens.len())));
        }
        for word in words {
            let token = BASE64_STANDARD.decode(word).ok().filter(|token| !token.is_empty());
            tokens.push(token.ok_or_else(|| Failure::new(format!("`{word}` is not a token")))?);
        }
    }
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_continue_from_the_one_at_the_start_of_a_line() {
        let text = r#"{"bpe_ranks": "! 0 YQ== Yg==\n! 2 YWI="}"#;
        assert_eq!(tokens(text), Ok(vec![b"a".to_vec(), b"b".to_vec(), b"ab".to_vec()]));
    }

    #[test]
    fn a_gap_and_a_broken_token_are_refused() {
        for text in
            [r#"{"bpe_ranks": "! 0 YQ==\n! 2 YWI="}"#, r#"{"bpe_ranks": "! 0 *"}"#, "{}", "[", "7"]
        {
            assert!(tokens(text).is_err(), "{text}");
        }
    }
}
