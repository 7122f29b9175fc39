//! Writes `src/bpe/hugging_face/pattern/punctuation/boundaries.rs` from the Unicode tables of `regex-syntax`.
//!
//! `cargo run --package epitome-tokens --example punctuation_boundaries > crates/epitome-tokens/src/bpe/hugging_face/pattern/punctuation/boundaries.rs`
#![expect(clippy::print_stdout, reason = "the source of a file is what this command is for")]

use fancy_regex::Regex;

/// Numbers per line.
const LINE: usize = 12;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let all: String = ('\0'..=char::MAX).collect();
    let mut boundaries = Vec::new();
    let mut was_punctuation = false;
    for run in Regex::new(r"[\p{P}\p{S}]+|\p{C}+")?.find_iter(&all) {
        let first = run?.as_str().chars().next().unwrap_or_default();
        let is_punctuation = !first.is_control()
            && Regex::new(r"[\p{P}\p{S}]")?.is_match(first.encode_utf8(&mut [0; 4]))?;
        if is_punctuation != was_punctuation {
            was_punctuation = is_punctuation;
            boundaries.push(first as u32);
        }
    }
    println!(
        "//! Where runs of punctuation and symbols start and end; `examples/punctuation_boundaries.rs` writes this file."
    );
    println!();
    println!(
        "/// The first character of each run, and the first one after it, in Unicode 16. Letters, marks, numbers and white space"
    );
    println!("/// do not end a run.");
    println!("#[rustfmt::skip]");
    println!("pub(super) const BOUNDARIES: &[u32] = &[");
    for line in boundaries.chunks(LINE) {
        let numbers: Vec<String> = line.iter().map(|boundary| format!("0x{boundary:x}")).collect();
        println!("    {},", numbers.join(", "));
    }
    println!("];");
    Ok(())
}
