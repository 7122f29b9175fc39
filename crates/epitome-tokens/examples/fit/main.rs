//! Fits the weights of the estimate to exact counts by `o200k_base`:
//! `cargo run --release --package epitome-tokens --example fit -- TEXTS VOCABULARY WEIGHTS`
//!
//! TEXTS is a folder that `fit/collect.mjs` has filled. Only its folder `fit` is read; `held-out` is for the example
//! `accuracy`. VOCABULARY is the packed vocabulary of `o200k_base`, whose pieces the state machine knows. WEIGHTS is
//! the file to write, `src/heuristic/o200k_base.weights`; a list of the texts is written next to it. Takes a minute or
//! two.
#![expect(clippy::print_stdout, reason = "figures are what this command is for")]
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "it reads files, and ends where one is not as expected"
)]

mod corpus;
mod model;
mod pieces;
#[allow(dead_code, reason = "the estimator needs more of it")]
#[path = "../../src/heuristic/script_class.rs"]
mod script_class;
#[allow(dead_code, reason = "the estimator needs more of it")]
#[path = "../../src/heuristic/state_machine.rs"]
mod state_machine;
mod token_lengths;

use std::error::Error;
use std::fs;
use std::path::Path;

use corpus::Source;
use epitome_tokens::BytePairs;
use model::Model;
use token_lengths::token_lengths;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut argument = |name: &str| arguments.next().ok_or(format!("{name} is not named"));
    let texts = argument("the folder of texts")?;
    let (vocabulary, weights) = (argument("the vocabulary")?, argument("the file of weights")?);
    let vocabulary = fs::read(vocabulary)?;
    let encoding = BytePairs::read(&vocabulary)?;
    let sources = corpus::read(&Path::new(&texts).join("fit"))?;
    let pieces = pieces::of(&sources, &encoding, &token_lengths(&vocabulary));
    println!("{} sources, {} distinct pieces", sources.len(), pieces.len());
    let weights = Path::new(&weights);
    fs::write(weights, Model::fitted(&pieces).quantized())?;
    fs::write(weights.with_extension("md"), origin(&sources))?;
    Ok(())
}

/// The list of the texts that the weights were fitted to.
fn origin(sources: &[Source]) -> String {
    let mut text = String::from(
        "The weights in `o200k_base.weights` were fitted to texts of these sources, collected by\n\
         `fit/collect.mjs` from pinned packages. Written by `cargo run --example fit`; not to be edited.\n",
    );
    for sources in sources.chunk_by(|one, other| one.kind == other.kind) {
        let bytes: usize =
            sources.iter().flat_map(|one| one.documents.iter().flatten()).map(String::len).sum();
        let names: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
        let kind = sources.first().map_or("", |source| &source.kind);
        text += &format!("\n- {kind}, {} kB: {}", bytes / 1_000, names.join(", "));
    }
    text + "\n"
}
