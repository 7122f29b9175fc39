//! A reference for models of Hugging Face, by definition: regular expressions, and merges in the order of a list.

use std::collections::BTreeMap;

use epitome::tokens::Tokenizer;
use epitome_tokens::TokenizerJson;
use fancy_regex::Regex;
use serde_json::{Value, json};

/// A pseudo-random number generator (xorshift).
pub(crate) struct Prng(pub(crate) u32);

impl Prng {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize % bound
    }
}

/// A model, by definition.
pub(crate) struct Reference {
    patterns: Vec<Regex>,
    vocab: BTreeMap<Vec<u8>, u32>,
    merges: Vec<(Vec<u8>, Vec<u8>)>,
    pub(crate) ignore_merges: bool,
}

impl Reference {
    /// The model of `merges`, in any order, and of the tokens `more`, which merging does not lead to.
    pub(crate) fn new(patterns: &[&str], merges: Vec<(Vec<u8>, Vec<u8>)>, more: &[&str]) -> Self {
        let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
        let made = merges.iter().map(|(left, right)| [left.as_slice(), right].concat());
        let more = more.iter().map(|token| token.as_bytes().to_vec());
        let mut vocab = BTreeMap::new();
        for token in bytes.chain(made).chain(more) {
            // Not in the order of merges, and with gaps, as the numbers of real models are.
            let number = 1_000 - vocab.len() as u32 * 2;
            vocab.entry(token).or_insert(number);
        }
        let patterns = patterns.iter().map(|pattern| Regex::new(pattern).unwrap()).collect();
        Self { patterns, vocab, merges, ignore_merges: false }
    }

    /// The `tokenizer.json` of this model.
    pub(crate) fn file(&self, pre_tokenizer: &Value, as_lists: bool) -> String {
        let vocab: BTreeMap<String, u32> =
            self.vocab.iter().map(|(token, &number)| (letters(token), number)).collect();
        let merge = |(left, right): &(Vec<u8>, Vec<u8>)| match as_lists {
            true => json!([letters(left), letters(right)]),
            false => json!(format!("{} {}", letters(left), letters(right))),
        };
        json!({
            "version": "1.0",
            "added_tokens": [{ "id": 7, "content": "<|end|>", "special": true }],
            "normalizer": null,
            "pre_tokenizer": pre_tokenizer,
            "model": {
                "type": "BPE",
                "dropout": null,
                "continuing_subword_prefix": "",
                "byte_fallback": false,
                "ignore_merges": self.ignore_merges,
                "vocab": vocab,
                "merges": self.merges.iter().map(merge).collect::<Vec<_>>(),
            },
        })
        .to_string()
    }

    pub(crate) fn encode(&self, text: &str) -> Vec<u32> {
        let mut pieces = vec![text];
        for pattern in &self.patterns {
            pieces = pieces.into_iter().flat_map(|piece| isolate(pattern, piece)).collect();
        }
        pieces.into_iter().flat_map(|piece| self.merge(piece.as_bytes())).collect()
    }

    /// Merges the pair that is listed first, and of equals the leftmost, until no pair is listed.
    fn merge(&self, piece: &[u8]) -> Vec<u32> {
        if self.ignore_merges
            && let Some(&number) = self.vocab.get(piece)
        {
            return vec![number];
        }
        let mut parts: Vec<Vec<u8>> = piece.iter().map(|&byte| vec![byte]).collect();
        loop {
            let listed = |pair: &[Vec<u8>]| {
                self.merges.iter().rposition(|(left, right)| *left == pair[0] && *right == pair[1])
            };
            let pairs = parts.windows(2).enumerate();
            let Some((_, at)) = pairs.filter_map(|(at, pair)| Some((listed(pair)?, at))).min()
            else {
                break;
            };
            let right = parts.remove(at + 1);
            parts[at].extend(right);
        }
        parts.iter().map(|part| self.vocab[part]).collect()
    }
}

fn isolate<'a>(pattern: &Regex, text: &'a str) -> Vec<&'a str> {
    let (mut pieces, mut start) = (Vec::new(), 0);
    for found in pattern.find_iter(text).map(Result::unwrap) {
        pieces.extend(text.get(start..found.start()).filter(|gap| !gap.is_empty()));
        pieces.push(found.as_str());
        start = found.end();
    }
    pieces.extend(text.get(start..).filter(|rest| !rest.is_empty()));
    pieces
}

/// A token in the byte-level alphabet.
fn letters(token: &[u8]) -> String {
    let visible = |byte: u8| matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    let hidden: Vec<u8> = (0..=u8::MAX).filter(|&byte| !visible(byte)).collect();
    let letter = |&byte: &u8| match hidden.iter().position(|&other| other == byte) {
        Some(place) => char::from_u32(0x100 + place as u32).unwrap(),
        None => char::from(byte),
    };
    token.iter().map(letter).collect()
}

pub(crate) fn byte_level(use_regex: bool) -> Value {
    json!({ "type": "ByteLevel", "add_prefix_space": false, "use_regex": use_regex })
}

pub(crate) fn sequence(patterns: &[&str]) -> Value {
    let splits = patterns.iter().map(|pattern| {
        json!({
            "type": "Split",
            "pattern": { "Regex": pattern },
            "behavior": "Isolated",
            "invert": false,
        })
    });
    let steps: Vec<Value> = splits.chain([byte_level(false)]).collect();
    json!({ "type": "Sequence", "pretokenizers": steps })
}

/// Merges of tokens over few letters, so that many overlap, in any order: a merge may be listed before the one that
/// makes its source, and several may make the same token.
pub(crate) fn merges(prng: &mut Prng, seeds: &str, is_shuffled: bool) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut tokens: Vec<Vec<u8>> = seeds.bytes().map(|byte| vec![byte]).collect();
    let mut merges: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for _ in 0..60 {
        let (left, right) = (prng.below(tokens.len()), prng.below(tokens.len()));
        let pair = (tokens[left].clone(), tokens[right].clone());
        if pair.0.len() + pair.1.len() <= 10 && !merges.contains(&pair) {
            tokens.push([pair.0.as_slice(), &pair.1].concat());
            merges.push(pair);
        }
    }
    if is_shuffled {
        for last in (1..merges.len()).rev() {
            merges.swap(last, prng.below(last + 1));
        }
    }
    merges
}

fn texts(prng: &mut Prng, seeds: &str) -> Vec<String> {
    let seeds: Vec<char> = seeds.chars().collect();
    let mut texts: Vec<String> = (0..60)
        .map(|which| {
            let length = prng.below(40);
            let mut character = || match which % 3 {
                0 => char::from_u32(prng.below(0x11_0000) as u32).unwrap_or(' '),
                1 => char::from_u32(prng.below(0x80) as u32).unwrap_or(' '),
                _ => seeds[prng.below(seeds.len())],
            };
            (0..length).map(|_| character()).collect()
        })
        .collect();
    texts.extend(seeds.iter().map(|seed| seed.to_string().repeat(60)));
    texts
}

pub(crate) fn check(reference: &Reference, pre_tokenizer: &Value, prng: &mut Prng, seeds: &str) {
    let as_lists = prng.below(2) == 0;
    let tokenizer = TokenizerJson::read(&reference.file(pre_tokenizer, as_lists)).unwrap();
    for text in texts(prng, seeds) {
        let expected = reference.encode(&text);
        assert_eq!(tokenizer.encode(&text), expected, "{text:?} by {:?}", reference.merges);
        assert_eq!(tokenizer.count(&text) as usize, expected.len(), "{text:?}");
    }
}
