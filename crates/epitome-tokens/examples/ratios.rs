//! Computes a ratio for each class of characters: tokens of another vocabulary per token of `o200k_base`:
//! `cargo run --release --package epitome-tokens --example ratios -- TEXTS O200K_BASE VOCABULARY`
//!
//! TEXTS is a folder that `fit/collect.mjs` has filled. Only its folder `fit` is read. A piece of text counts for the
//! class of its last character. The printed ratios are for `src/heuristic/estimate.rs`.
#![expect(clippy::print_stdout, reason = "figures are what this command is for")]
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "it reads files, and ends where one is not as expected"
)]
#![allow(dead_code, reason = "modules are shared")]

#[path = "fit/corpus.rs"]
mod corpus;
#[path = "fit/pieces.rs"]
mod pieces;
#[path = "../src/heuristic/script_class.rs"]
mod script_class;
#[path = "../src/heuristic/state_machine.rs"]
mod state_machine;
#[path = "fit/token_lengths.rs"]
mod token_lengths;

use std::error::Error;
use std::fs;
use std::path::Path;

use corpus::Source;
use epitome_tokens::BytePairs;
use pieces::Piece;
use script_class::CLASSES;
use state_machine::CLASS_BITS;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut argument = |name: &str| arguments.next().ok_or(format!("{name} is not named"));
    let sources = corpus::read(&Path::new(&argument("the folder of texts")?).join("fit"))?;
    let base = read(&sources, &argument("o200k_base")?)?;
    let other = read(&sources, &argument("the vocabulary")?)?;
    let mut sums = [(0.0, 0.0); CLASSES];
    for (base, other) in base.iter().zip(&other) {
        let last = base.features.last().map_or(0, |[slot, ..]| usize::from(*slot));
        let sum = &mut sums[last & ((1 << CLASS_BITS) - 1)];
        sum.0 += base.importance * base.tokens;
        sum.1 += other.importance * other.tokens;
    }
    for (class, (base, other)) in sums.into_iter().enumerate() {
        println!("{class:>2} {:>5.0} % {:>12.0} tokens", 100.0 * other / base, base);
    }
    Ok(())
}

/// The pieces of the texts by `o200k_base`, with the number of tokens of a vocabulary that begin in each.
fn read(sources: &[Source], path: &str) -> Result<Vec<Piece>, Box<dyn Error>> {
    let file = fs::read(path)?;
    let encoding = BytePairs::read(&file)?;
    Ok(pieces::of(sources, &encoding, &token_lengths::token_lengths(&file)))
}
