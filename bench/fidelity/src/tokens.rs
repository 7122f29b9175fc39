//! Exact tokens of `o200k_base`.

use std::path::Path;
use std::sync::OnceLock;

use epitome::tokens::Tokenizer as _;
use epitome_tokens::BytePairs;

/// How many tokens the text has.
pub(crate) fn count(text: &str) -> usize {
    static VOCABULARY: OnceLock<BytePairs> = OnceLock::new();
    let vocabulary = VOCABULARY.get_or_init(|| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../crates/epitome-wasm/npm/encodings/o200k_base.vocab");
        let file = std::fs::read(path).expect("`cargo xtask vocab` packs the vocabulary");
        BytePairs::read(file).expect("the vocabulary is whole")
    });
    vocabulary.count(text) as usize
}
