//! A `tokenizer.json` that is damaged is refused or counts, and a good one counts as its definition says.

#[path = "../../crates/epitome-tokens/tests/definition/mod.rs"]
#[allow(dead_code, reason = "the tests of the tokenizers use all of it")]
mod definition;

use epitome_tokens::{Tokenizer, TokenizerJson};
use serde_json::Value;

use crate::choices::Choices;
use crate::json::damage;
use definition::{Reference, byte_level, sequence};

const PATTERNS: [&str; 3] = [
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"\p{N}{1,3}",
];

const WORDS: [&str; 34] = [
    "version",
    "added_tokens",
    "id",
    "content",
    "special",
    "normalizer",
    "pre_tokenizer",
    "type",
    "NFC",
    "ByteLevel",
    "Sequence",
    "pretokenizers",
    "Split",
    "pattern",
    "Regex",
    "String",
    "behavior",
    "Isolated",
    "Removed",
    "invert",
    "Digits",
    "individual_digits",
    "use_regex",
    "add_prefix_space",
    "model",
    "BPE",
    "vocab",
    "merges",
    "ignore_merges",
    "byte_fallback",
    "a b",
    "ab c",
    "ab",
    "",
];

/// Texts longer than this are not compared: the definition takes quadratic time.
const LONGEST: usize = 300;

/// The first byte says whether a file is read, damaged, or compared with its definition.
pub(crate) fn check(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    match choices.below(4) {
        0 => {
            if let Ok(tokenizer) = TokenizerJson::read(&choices.rest_as_text()) {
                counts(&tokenizer, "a text with ab and 250 rosés");
            }
        }
        1 => {
            let (reference, pre_tokenizer) = reference(&mut choices);
            let file = reference.file(&pre_tokenizer, choices.byte() & 1 == 1);
            let mut document: Value = serde_json::from_str(&file).unwrap_or_default();
            damage(&mut document, &mut choices, &WORDS);
            if let Ok(tokenizer) = TokenizerJson::read(&document.to_string()) {
                counts(&tokenizer, &choices.rest_as_text());
            }
        }
        _ => {
            let (reference, pre_tokenizer) = reference(&mut choices);
            let file = reference.file(&pre_tokenizer, choices.byte() & 1 == 1);
            let read = TokenizerJson::read(&file);
            let Ok(tokenizer) = read else { return };
            let text = choices.text(LONGEST);
            assert_eq!(tokenizer.encode(&text), reference.encode(&text), "{text:?} by {file}");
            counts(&tokenizer, &text);
        }
    }
}

fn counts(tokenizer: &TokenizerJson, text: &str) {
    // Twice: the second time pieces come from the cache.
    for _ in 0..2 {
        assert_eq!(tokenizer.count(text) as usize, tokenizer.encode(text).len(), "{text:?}");
    }
}

/// A small model: each merge is of two tokens that exist already.
fn reference(choices: &mut Choices<'_>) -> (Reference, Value) {
    let seeds = choices.text(8);
    let mut tokens: Vec<Vec<u8>> = seeds.bytes().chain(*b"ab c").map(|byte| vec![byte]).collect();
    let mut merges: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for _ in 0..choices.below(24) {
        let left = tokens[choices.below(tokens.len())].clone();
        let right = tokens[choices.below(tokens.len())].clone();
        let token = [left.as_slice(), &right].concat();
        if token.len() <= 40 {
            merges.push((left, right));
            tokens.push(token);
        }
    }
    if choices.once_in(4) {
        merges.reverse();
    }
    let pattern = choices.one_of(&PATTERNS);
    let (patterns, pre_tokenizer) = match choices.below(3) {
        0 => (vec![], byte_level(false)),
        1 => (vec![PATTERNS[0]], byte_level(true)),
        _ => (vec![pattern], sequence(&[pattern])),
    };
    let mut reference = Reference::new(&patterns, merges, &[" as", "11"]);
    reference.ignore_merges = choices.once_in(2);
    (reference, pre_tokenizer)
}
