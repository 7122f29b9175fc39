//! Tokens are those that a `tokenizer.json` defines: pieces by regular expressions, and then merging.

#[cfg(test)]
mod definition;

use definition::{Prng, Reference, byte_level, check, merges, sequence};
use epitome::tokens::Tokenizer;
use epitome_tokens::TokenizerJson;
use serde_json::{Value, json};

const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const DEEPSEEK: [&str; 3] = [
    r"\p{N}{1,3}",
    "[一-龥\u{3040}-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
];

#[test]
fn merges_in_any_order_lead_to_the_tokens_of_the_definition() {
    let mut prng = Prng(3);
    for round in 0..80 {
        let seeds = ["ab", "abc", "aeé字\n", "a 1!"][round % 4];
        let merges = merges(&mut prng, seeds, round % 3 > 0);
        let mut reference = Reference::new(&[], merges, &["aabb", "bcbcb", "a é!", "<|end|>"]);
        reference.ignore_merges = round % 2 == 0;
        check(&reference, &byte_level(false), &mut prng, seeds);
    }
}

#[test]
fn text_is_split_as_the_file_says() {
    let mut prng = Prng(5);
    let digits = json!({ "type": "Digits", "individual_digits": true });
    let ways: [(&[&str], Value); 5] = [
        (&[GPT2], byte_level(true)),
        (&[LLAMA3], sequence(&[LLAMA3])),
        (&DEEPSEEK, sequence(&DEEPSEEK)),
        (
            &[r"\p{N}", GPT2],
            json!({ "type": "Sequence", "pretokenizers": [digits, byte_level(true)] }),
        ),
        (
            &[r"\p{N}+", GPT2],
            json!({ "type": "Sequence", "pretokenizers": [{ "type": "Digits" }, byte_level(true)] }),
        ),
    ];
    for (patterns, pre_tokenizer) in ways {
        for _ in 0..6 {
            let seeds = "as '1!字か\n";
            let merges = merges(&mut prng, seeds, false);
            let mut reference = Reference::new(patterns, merges, &[" as", "'s", "11", "字か"]);
            reference.ignore_merges = prng.below(2) == 0;
            check(&reference, &pre_tokenizer, &mut prng, seeds);
        }
    }
}

#[test]
fn text_is_normalized_to_nfc_if_the_file_says_so() {
    let merges = vec![(vec![0xC3], vec![0xA9])];
    let mut file: Value =
        serde_json::from_str(&Reference::new(&[], merges, &[]).file(&byte_level(true), true))
            .unwrap();
    let count = |file: &Value| TokenizerJson::read(&file.to_string()).unwrap().count("e\u{301}é");
    assert_eq!(count(&file), 4);
    file["normalizer"] = json!({ "type": "NFC" });
    assert_eq!(count(&file), 2);
}

#[test]
fn the_text_of_added_tokens_is_plain_text() {
    let file = Reference::new(&[], Vec::new(), &["<|end|>"]).file(&byte_level(false), true);
    assert_eq!(TokenizerJson::read(&file).unwrap().count("<|end|>"), 7);
}

#[test]
fn a_piece_of_a_hundred_thousand_bytes_is_counted() {
    let pair = |left: &str, right: &str| (left.as_bytes().to_vec(), right.as_bytes().to_vec());
    // The last merge takes place first, since `ab` is a source of the first one.
    let merges = vec![pair("ab", "a"), pair("a", "a"), pair("aa", "aa"), pair("a", "b")];
    let file = Reference::new(&[], merges, &[]).file(&byte_level(false), true);
    let tokenizer = TokenizerJson::read(&file).unwrap();
    for (unit, expected) in [("a", 25_000), ("ab", 50_000), ("b", 100_000)] {
        assert_eq!(tokenizer.count(&unit.repeat(100_000 / unit.len())), expected, "{unit}");
    }
}

#[test]
fn unsupported_files_are_errors_that_name_the_place() {
    let file = Reference::new(&[], Vec::new(), &[]).file(&byte_level(false), true);
    let check = |change: &dyn Fn(&mut Value), expected: &str| {
        let mut file: Value = serde_json::from_str(&file).unwrap();
        change(&mut file);
        let refused = TokenizerJson::read(&file.to_string()).map(|_| ()).unwrap_err();
        assert_eq!(refused.to_string(), expected);
    };
    check(
        &|file| {
            file["model"] = json!({ "type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0]] });
        },
        "model.type: Unigram is not known; known are BPE",
    );
    check(
        &|file| file["model"] = json!({ "type": "WordPiece", "vocab": { "[UNK]": 0 } }),
        "model.type: WordPiece is not known; known are BPE",
    );
    check(
        &|file| file["model"]["byte_fallback"] = json!(true),
        "model.byte_fallback: true is not known; known are false: bytes are letters of the vocabulary",
    );
    check(
        &|file| file["model"]["end_of_word_suffix"] = json!("</w>"),
        r#"model.end_of_word_suffix: "</w>" is not known; known are null and """#,
    );
    check(
        &|file| file["model"]["merges"] = json!(["a b"]),
        "model.merges[0]: one of the two tokens, or what they make, is not in the vocabulary",
    );
    check(
        &|file| drop(file["model"]["vocab"].as_object_mut().unwrap().remove("Ġ")),
        "model.vocab: there is no token for the byte 0x20",
    );
    check(
        &|file| file["normalizer"] = json!({ "type": "NFKC" }),
        "normalizer.type: NFKC is not known; known are NFC, Sequence, and none",
    );
    let broken = TokenizerJson::read("{").map(|_| ()).unwrap_err().to_string();
    assert_eq!(broken, "not a tokenizer.json: EOF while parsing an object at line 1 column 1");
}
