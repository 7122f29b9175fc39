//! Exact tokens of `o200k_base`.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use epitome::tokens::Tokenizer as _;
use epitome_tokens::BytePairs;

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../crates/epitome-wasm/npm/encodings/o200k_base.vocab")
}

/// True if the vocabulary is there: `cargo xtask vocab` packs it.
#[cfg(test)]
pub(crate) fn are_packed() -> bool {
    path().is_file()
}

/// How many tokens the text has.
pub(crate) fn count(text: &str) -> usize {
    static VOCABULARY: OnceLock<BytePairs> = OnceLock::new();
    let vocabulary = VOCABULARY.get_or_init(|| {
        let file = std::fs::read(path()).expect("`cargo xtask vocab` packs the vocabulary");
        BytePairs::read(file).expect("the vocabulary is whole")
    });
    vocabulary.count(text) as usize
}
