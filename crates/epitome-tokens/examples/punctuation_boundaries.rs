//! Writes `src/bpe/hugging_face/cut/printed/turns.rs` from the tables of `regex-syntax`.
//!
//! `cargo run --package epitome-tokens --example printed_turns > crates/epitome-tokens/src/bpe/hugging_face/cut/printed/turns.rs`
#![expect(clippy::print_stdout, reason = "the source of a file is what this command is for")]

use fancy_regex::Regex;

/// Numbers of a line.
const LINE: usize = 12;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let all: String = ('\0'..=char::MAX).collect();
    let mut turns = Vec::new();
    let mut is_printed = false;
    for run in Regex::new(r"[\p{P}\p{S}]+|\p{C}+")?.find_iter(&all) {
        let first = run?.as_str().chars().next().unwrap_or_default();
        let turned = !first.is_control()
            && Regex::new(r"[\p{P}\p{S}]")?.is_match(first.encode_utf8(&mut [0; 4]))?;
        if turned != is_printed {
            is_printed = turned;
            turns.push(first as u32);
        }
    }
    println!(
        "//! Where printed characters begin and end; `examples/printed_turns.rs` writes this file."
    );
    println!();
    println!(
        "/// Of Unicode 16, in turns: first a printed one, then one that is not. What is neither is left out."
    );
    println!("#[rustfmt::skip]");
    println!("pub(super) const TURNS: &[u32] = &[");
    for line in turns.chunks(LINE) {
        let numbers: Vec<String> = line.iter().map(|turn| format!("0x{turn:x}")).collect();
        println!("    {},", numbers.join(", "));
    }
    println!("];");
    Ok(())
}
