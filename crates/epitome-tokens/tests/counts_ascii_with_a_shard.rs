//! The ASCII shard counts ASCII text as the whole vocabulary does. Joined with the rest, it is that vocabulary.
#![expect(clippy::disallowed_methods, reason = "tests read files")]
#![allow(dead_code, reason = "the other tests need more of the reference")]

#[cfg(test)]
mod reference;

use epitome::tokens::Tokenizer;
use epitome_tokens::{BytePairs, VocabularyError, join_shards};
use reference::{Corpus, encodings, packed};

/// The encoding whose vocabulary is also packed in two shards.
const IN_SHARDS: &str = "o200k_base";

#[test]
fn ascii_is_counted_exactly_without_the_rest() {
    let corpus = Corpus::read();
    for (name, whole) in encodings().iter().filter(|(name, _)| *name == IN_SHARDS) {
        let Some(ascii) = packed(&format!("{name}.ascii")) else { continue };
        let shard = BytePairs::read(&ascii).unwrap();
        let mut compared = 0;
        for text in (0..3).flat_map(|index| corpus.block(index)) {
            let text: String = text.chars().filter(char::is_ascii).collect();
            assert_eq!(shard.count(&text), whole.count(&text), "{name}: {text:?}");
            compared += usize::from(!text.is_empty());
        }
        assert!(compared > 1_000);
    }
}

#[test]
fn shards_join_to_their_vocabulary_and_a_changed_shard_is_an_error() {
    let files = [".ascii", ".rest", ""].map(|part| packed(&format!("{IN_SHARDS}{part}")));
    let [Some(ascii), Some(rest), Some(whole)] = files else { return };
    assert!(join_shards(&ascii, &rest) == Ok(whole));
    let mut changed = ascii.clone();
    *changed.last_mut().unwrap() ^= 1;
    assert_eq!(join_shards(&changed, &rest), Err(VocabularyError::WrongChecksum));
}
