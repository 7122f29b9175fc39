//! Tokens are those of the reference tokenizer, for any text.
#![expect(clippy::disallowed_methods, reason = "tests read files")]

#[cfg(test)]
mod reference;

use epitome::tokens::{CountState, Tokenizer};
use epitome_tokens::BytePairs;
use reference::{Corpus, Reference, encodings, packed, root};
use serde_json::Value;

fn hash(mut hash: u32, number: u32) -> u32 {
    for byte in number.to_le_bytes() {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    hash
}

fn digest(encoding: &BytePairs, texts: &[String]) -> (u32, u32) {
    let (mut tokens, mut digest) = (0, 0x811C_9DC5);
    for text in texts {
        let numbers = encoding.encode(text);
        assert_eq!(encoding.count(text) as usize, numbers.len(), "{text:?}");
        assert_eq!(encoding.count_utf8(text.as_bytes()) as usize, numbers.len(), "{text:?}");
        tokens += numbers.len() as u32;
        digest = hash(numbers.into_iter().fold(digest, hash), u32::MAX);
    }
    (tokens, digest)
}

fn pair(value: &Value) -> (u32, u32) {
    let number = |at: usize| value.get(at).and_then(Value::as_u64).unwrap_or(0) as u32;
    (number(0), number(1))
}

#[test]
fn random_texts_and_long_repetitions_are_encoded_as_the_pinned_tokenizer_does() {
    let corpus = Corpus::read();
    let golden = root().join("crates/epitome-tokens/tests/golden/counts.json");
    let golden: Value = serde_json::from_str(&std::fs::read_to_string(golden).unwrap()).unwrap();
    for (name, encoding) in encodings() {
        for index in 0..corpus.number("blocks") {
            let found = digest(encoding, &corpus.block(index));
            assert_eq!(
                found,
                pair(&golden[name]["blocks"][index as usize]),
                "{name}, block {index}"
            );
        }
        let times = corpus.number("repeatedTimes") as usize;
        for (unit, expected) in
            corpus.texts("repeated").iter().zip(golden[name]["repeated"].as_array().unwrap())
        {
            let found = digest(encoding, &[unit.repeat(times)]);
            assert_eq!(found, pair(expected), "{name}, {unit:?} {times} times");
        }
    }
}

#[test]
fn tokens_are_the_same_without_an_index() {
    let corpus = Corpus::read();
    for (name, indexed) in encodings() {
        let Some(file) = packed(name) else { return };
        let merging = BytePairs::open(file).unwrap();
        for index in (0..corpus.number("blocks")).step_by(10) {
            for text in corpus.block(index) {
                assert_eq!(merging.encode(&text), indexed.encode(&text), "{name}: {text:?}");
                assert_eq!(merging.count(&text), indexed.count(&text), "{name}: {text:?}");
            }
        }
        for unit in corpus.texts("repeated") {
            let text = unit.repeat(corpus.number("repeatedTimes") as usize);
            assert_eq!(merging.encode(&text), indexed.encode(&text), "{name}: {unit:?}");
        }
    }
}

#[test]
fn random_texts_are_encoded_as_by_definition() {
    let corpus = Corpus::read();
    for (name, encoding) in encodings() {
        let Some(reference) = Reference::read(name) else { return };
        for text in corpus.block(corpus.number("blocks")) {
            assert_eq!(encoding.encode(&text), reference.encode(&text), "{name}: {text:?}");
        }
    }
}

#[test]
fn texts_of_real_conversations_are_encoded_as_by_definition() {
    const BYTES_OF_A_FILE: usize = 10_000;
    let texts = reference::recordings(BYTES_OF_A_FILE);
    for (name, encoding) in encodings() {
        let Some(reference) = Reference::read(name) else { return };
        for text in &texts {
            assert_eq!(encoding.encode(text), reference.encode(text), "{name}: {text:?}");
        }
    }
}

#[test]
fn the_text_of_special_tokens_is_plain_text() {
    for (name, encoding) in encodings() {
        assert_eq!(encoding.count("<|endoftext|>"), 7, "{name}");
        assert!(encoding.count("<|im_start|>system<|im_sep|>") > 6, "{name}");
    }
}

#[test]
fn invalid_utf8_counts_as_replacement_characters() {
    for (name, encoding) in encodings() {
        let broken = b"caf\xE9 \xF0\x9F\x98 ok";
        let decoded = "caf\u{FFFD} \u{FFFD} ok";
        assert_eq!(encoding.count_utf8(broken), encoding.count(decoded), "{name}");
    }
}

#[test]
fn a_piece_of_a_hundred_thousand_bytes_is_counted() {
    for (name, encoding) in encodings() {
        let counts = ["a", " ", "\n", "=", "中"].map(|unit| {
            let text = unit.repeat(100_000 / unit.len());
            (encoding.count(&text), encoding.count(&text.repeat(2)))
        });
        for (one, two) in counts {
            assert!(two.abs_diff(one * 2) <= 2, "{name}: {counts:?}");
        }
    }
}

#[test]
fn a_damaged_file_is_an_error() {
    let Some(file) = reference::packed("cl100k_base") else { return };
    assert!(BytePairs::read(&file).is_ok());
    for at in [0, 8, 9, 10, 14, 22, 300, file.len() / 2, file.len() - 1] {
        let mut damaged = file.clone();
        damaged[at] ^= 0x55;
        assert!(BytePairs::read(&damaged).is_err(), "byte {at}");
    }
    for length in [0, 7, 8, 9, 13, 21, 22, 277, 278, file.len() - 1] {
        assert!(BytePairs::read(&file[..length]).is_err(), "{length} bytes");
    }
}

#[test]
fn j24_a_text_that_is_counted_in_steps_has_the_tokens_of_one_call_also_if_it_is_one_piece() {
    let random = |count: usize, letters: &str| {
        let letters: Vec<char> = letters.chars().collect();
        let numbers = (0..count).scan(7_usize, |state, _| {
            *state = (*state * 1_103_515_245 + 12_345) % (1 << 31);
            Some(*state >> 12)
        });
        numbers.filter_map(|number| letters.get(number % letters.len())).collect::<String>()
    };
    let one_piece = [
        " ".repeat(300_000),
        "a".repeat(300_001),
        "\n\r\n".repeat(90_000),
        "-=".repeat(150_000) + "!",
        "🌹".repeat(60_000),
        "字".repeat(60_000),
        random(300_000, "abcdefghijklmnopqrstuvwxyz"),
        random(300_000, "!?#-=*/%&|<>"),
    ];
    let mixed = ["Roses need water. ".repeat(9_000), one_piece.join(" and "), " ".repeat(80_000)];
    for text in one_piece.into_iter().chain([mixed.concat()]) {
        for (name, encoding) in encodings() {
            let (mut state, mut steps) = (CountState::default(), 1);
            let tokens = loop {
                match encoding.count_on(&text, &mut state) {
                    Some(tokens) => break tokens as usize,
                    None => steps += 1,
                }
            };
            let shown: String = text.chars().take(8).collect();
            assert_eq!(tokens, encoding.encode(&text).len(), "{name}: {shown:?}");
            assert_eq!(tokens, encoding.count(&text) as usize, "{name}: {shown:?}");
            assert!(steps > 2, "{name}: {steps} steps for {shown:?}");
        }
    }
}
