//! How long a search takes in a conversation of so many tokens, and how much memory its index takes:
//! `cargo run --release --package epitome-recall --example large -- 100000000`.
//!
//! The conversation is generated, with words as common as those of a language: the second one is said half as often as the
//! first, the third one a third as often.

#![expect(clippy::print_stdout, reason = "figures are what this command is for")]
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "it measures time, and reads what the system says of its memory"
)]

use std::time::Instant;

use epitome::message::Entry;
use epitome::tokens::CharactersPer;
use epitome_recall::Index;

/// How many words the language has, besides those that only one message has.
const WORDS: u64 = 100_000;
/// Messages between two that have a word of their own.
const NAMED: u64 = 100;
const TOKENS: u32 = 1_000;
/// Characters for each token, as in English.
const CHARACTERS: u64 = 4;

/// A pseudo-random number generator: the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    /// A word, as frequent as in a language: the logarithm of its rank is uniformly distributed.
    fn word(&mut self) -> String {
        let share = self.below(1 << 20) as f64 / f64::from(1 << 20);
        word((WORDS as f64).powf(share) as u64)
    }
}

/// A word for a number, in syllables.
fn word(mut number: u64) -> String {
    const SYLLABLES: [&str; 16] = [
        "ba", "ko", "mi", "ru", "te", "va", "zo", "li", "pe", "na", "gu", "do", "fa", "ki", "so",
        "wu",
    ];
    let mut word = String::new();
    loop {
        word.push_str(SYLLABLES.get((number % 16) as usize).unwrap_or(&""));
        number /= 16;
        if number == 0 {
            return word;
        }
    }
}

/// The text of a message: the same for the same number.
fn text(message: u64) -> String {
    let mut random = Random(message * 0x9E37_79B9 + 88_172_645);
    let words = 10 + random.below(110);
    let mut text: String = (0..words).map(|_| random.word() + " ").collect();
    if message.is_multiple_of(NAMED) {
        text.push_str(&format!("Quillfeather{message} keeps it. "));
    }
    text
}

fn main() {
    let tokens: u64 =
        std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let mut index = Index::default();
    let (mut bytes, mut messages) = (0_u64, 0_u64);
    let mut spent = std::time::Duration::ZERO;
    while bytes < tokens * CHARACTERS {
        let speaker = if messages.is_multiple_of(2) { "user" } else { "assistant" };
        let text = text(messages);
        bytes += text.len() as u64;
        let entry = Entry { number: 1, speaker: speaker.to_owned(), time: None, text };
        let started = Instant::now();
        index.append(&entry);
        spent += started.elapsed();
        messages += 1;
    }
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    println!(
        "{messages} messages, {:.0} MB of text, indexed in {:.2} s; {:.0} MB in memory",
        megabytes(bytes),
        spent.as_secs_f64(),
        megabytes(resident()),
    );
    let stored = index.to_bytes().len() as u64;
    println!(
        "stored: {:.1} MB, {:.0} % of the text",
        megabytes(stored),
        100.0 * stored as f64 / bytes as f64
    );
    let common: Vec<String> = (1..12).map(word).collect();
    let mixed: Vec<String> = (0..8).map(|power| word(4_u64.pow(power) + 1)).collect();
    let named = messages / 2 / NAMED * NAMED;
    let questions = [
        ("a name that one message has", format!("What did Quillfeather{named} keep?")),
        ("rare and common words", mixed.join(" ")),
        ("only the commonest words", common.join(" ")),
        ("a long question", (0..40).map(|at| word(at * at * 7 + 1) + " ").collect()),
    ];
    for (what, question) in questions {
        let mut times: Vec<f64> = (0..9)
            .map(|_| {
                let started = Instant::now();
                let mut search = index.search(&question, |_| true);
                search.widen(&index, |message| text(message as u64));
                let passages = search.passages(
                    &index,
                    |message| text(message as u64),
                    TOKENS,
                    "",
                    &CharactersPer(4),
                );
                assert!(!passages.is_empty());
                started.elapsed().as_secs_f64() * 1_000.0
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let time = |at: usize| times.get(at).copied().unwrap_or_default();
        println!("{what}: median {:.1} ms, slowest {:.1} ms", time(4), time(8));
    }
    println!("at most {:.0} MB in memory", megabytes(peak()));
}

/// The bytes of memory that the process has, where the system says so.
fn resident() -> u64 {
    status("VmRSS:")
}

/// The most that it has had.
fn peak() -> u64 {
    status("VmHWM:")
}

fn status(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or_default() * 1_000
}
