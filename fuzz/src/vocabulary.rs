//! Packed vocabularies of any content are refused or count, with and without their index.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use epitome_tokens::{BytePairs, Tokenizer, join_shards};

use crate::choices::Choices;

/// Bytes of each merge: three of the left rank and three of the right one.
const PLANES: usize = 6;

/// The first byte says whether a file has a right header and checksum.
pub(crate) fn check(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    match choices.below(4) {
        0 => counts(choices.rest(), "any text"),
        1 => {
            let length = choices.below(600);
            let bytes = choices.rest();
            let (ascii, rest) = bytes.split_at(length.min(bytes.len()));
            if let Ok(joined) = join_shards(ascii, rest) {
                counts(&joined, "any text");
            }
        }
        _ => {
            let file = packed(&mut choices);
            let text = choices.rest_as_text();
            counts(&file, &text);
        }
    }
}

fn counts(file: &[u8], text: &str) {
    let Ok(vocabulary) = BytePairs::open(file) else { return };
    let tokens = vocabulary.encode(text).len();
    assert_eq!(vocabulary.count(text) as usize, tokens, "{text:?} without the index");
    assert_eq!(vocabulary.count_utf8(text.as_bytes()) as usize, tokens, "{text:?} as bytes");
    let mut building = pin!(vocabulary.build_index(async || {}));
    let built = building.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(built.is_ready(), "nothing is waited for");
    if built == Poll::Ready(Ok(())) {
        for _ in 0..2 {
            assert_eq!(vocabulary.count(text) as usize, tokens, "{text:?} with the index");
        }
    }
}

/// A file whose merges are of tokens before them, most of the time.
fn packed(choices: &mut Choices<'_>) -> Vec<u8> {
    let splitter = choices.byte() % 3;
    let mut bytes: Vec<u8> = (0..=u8::MAX).collect();
    for _ in 0..choices.below(4) {
        let (one, other) = (choices.below(256), choices.below(256));
        bytes.swap(one, other);
    }
    let count = choices.below(40);
    let mut planes = vec![0; count * PLANES];
    for merge in 0..count {
        for side in 0..2 {
            let rank = match choices.below(8) {
                7 => choices.below(1 << 16),
                6 => 256 + choices.below(merge + 1),
                _ => usize::from(b'a') + choices.below(4),
            };
            for place in 0..3 {
                planes[(side * 3 + place) * count + merge] = (rank >> (8 * place)) as u8;
            }
        }
    }
    bytes.extend(planes);
    let mut file = b"EPIVOCAB".to_vec();
    file.extend([1, splitter]);
    file.extend((count as u32).to_le_bytes());
    file.extend(checksum(&bytes).to_le_bytes());
    file.extend(bytes);
    file
}

/// FNV-1a over eight bytes at a time, little-endian, with the last eight filled up with zeros.
fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last.iter_mut().zip(rest).for_each(|(slot, byte)| *slot = *byte);
    words.iter().chain([&last]).fold(0xCBF2_9CE4_8422_2325, |hash, word| {
        (hash ^ u64::from_le_bytes(*word)).wrapping_mul(0x0100_0000_01B3)
    })
}
