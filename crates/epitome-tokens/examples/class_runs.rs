//! Writes `src/bpe/class/runs.rs` from the Unicode tables of `regex-syntax`, which the reference tokenizer uses too.
//!
//! `cargo run --package epitome-tokens --example class_runs > crates/epitome-tokens/src/bpe/class/runs.rs`
#![expect(clippy::print_stdout, reason = "the source of a file is what this command is for")]

use fancy_regex::Regex;

/// The classes after the first one, `OTHER`, in the order of the bits of `Class`.
const CLASSES: [&str; 7] = [
    r"[\p{Lu}\p{Lt}]+",
    r"\p{Ll}+",
    r"[\p{Lm}\p{Lo}]+",
    r"\p{M}+",
    r"\p{N}+",
    r"[\s--[\r\n]]+",
    r"[\r\n]+",
];
/// Bytes per line of the literal.
const LINE: usize = 24;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Surrogates are not characters, but have a position in the table.
    let all = (0..0x11_0000_u32).map(|code| char::from_u32(code).unwrap_or('\u{FFFF}'));
    let text: String = all.clone().collect();
    let mut classes = vec![0_u8; 0x11_0000];
    for (class, pattern) in (1_u8..).zip(CLASSES) {
        for run in Regex::new(pattern)?.find_iter(&text) {
            for character in run?.as_str().chars() {
                if let Some(slot) = classes.get_mut(character as usize) {
                    *slot = class;
                }
            }
        }
    }
    let packed: Vec<u8> = classes.chunk_by(|one, other| one == other).flat_map(packed).collect();
    println!(
        "//! The classes of all characters of Unicode 16, in runs; `examples/class_runs.rs` writes this file."
    );
    println!();
    println!("/// `Runs` reads it.");
    println!("#[rustfmt::skip]");
    println!("pub(super) const RUNS: &[u8] = b\"\\");
    for line in packed.chunks(LINE) {
        let escaped: String = line.iter().map(|byte| format!("\\x{byte:02x}")).collect();
        println!("{escaped}\\");
    }
    println!("\";");
    Ok(())
}

fn packed(run: &[u8]) -> Vec<u8> {
    let mut number = run.len() << 3 | usize::from(run.first().copied().unwrap_or(0));
    let mut groups = Vec::new();
    while number >= 0x80 {
        groups.push((number & 0x7F) as u8 | 0x80);
        number >>= 7;
    }
    groups.push(number as u8);
    groups
}
