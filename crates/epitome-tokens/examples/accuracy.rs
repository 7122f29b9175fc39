//! Measures how far estimates are from exact counts, and how fast they are:
//! `cargo run --release --package epitome-tokens --example accuracy -- TEXTS VOCABULARY`
//!
//! TEXTS is a folder that `fit/collect.mjs` has filled. Messages of fewer than 20 tokens are left out. A conversation
//! is a document of a source of recordings; the kinds of those begin with `chat`, `coding` or `meetings`.
#![expect(clippy::print_stdout, reason = "figures are what this command is for")]
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "it measures time and reads files"
)]
#![allow(dead_code, reason = "a module is shared")]

#[path = "fit/corpus.rs"]
mod corpus;

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use corpus::Source;
use epitome::tokens::Tokenizer;
use epitome_tokens::{BytePairs, Encoding, Estimate, Family};

const SHORTEST: f64 = 20.0;
const CONVERSATIONS: [&str; 3] = ["chat", "coding", "meetings"];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let texts = arguments.next().ok_or("no folder of texts is named")?;
    let vocabulary = std::fs::read(arguments.next().ok_or("no vocabulary is named")?)?;
    let exact = BytePairs::read(&vocabulary)?;
    let estimate = Estimate(match exact.encoding() {
        Encoding::O200kBase => Family::O200kBase,
        Encoding::Cl100kBase => Family::Cl100kBase,
    });
    println!("{}\n", estimate.name());
    measure(Path::new(&texts), &exact, &estimate)
}

fn measure(texts: &Path, exact: &BytePairs, estimate: &Estimate) -> Result<(), Box<dyn Error>> {
    for split in ["fit", "held-out"] {
        let sources = corpus::read(&texts.join(split))?;
        accuracy(split, &sources, exact, estimate);
        if split == "held-out" {
            conversations(&sources, exact, estimate);
            throughput(&sources, estimate);
        }
    }
    worst_cases(exact, estimate);
    Ok(())
}

/// An exact count and its estimate.
type Counts = (f64, f64);

fn counted(texts: &[&String], exact: &BytePairs, estimate: &impl Tokenizer) -> Vec<Counts> {
    let of = |text: &&String| (f64::from(exact.count(text)), f64::from(estimate.count(text)));
    texts.iter().map(of).collect()
}

fn relative(&(exact, estimate): &Counts) -> f64 {
    (estimate / exact.max(1.0) - 1.0) * 100.0
}

fn sum(counts: &[Counts]) -> Counts {
    counts.iter().fold((0.0, 0.0), |sum, next| (sum.0 + next.0, sum.1 + next.1))
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}

/// The 95th percentile.
fn most(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = (values.len() * 95).div_ceil(100).saturating_sub(1);
    values.get(place).copied().unwrap_or_default()
}

fn accuracy(split: &str, sources: &[Source], exact: &BytePairs, estimate: &impl Tokenizer) {
    println!("{split:<24} {:>8} {:>7} {:>7} {:>7}", "messages", "mean %", "p95 %", "bias %");
    let mut errors = Vec::new();
    for sources in sources.chunk_by(|one, other| one.kind == other.kind) {
        let texts: Vec<&String> =
            sources.iter().flat_map(|one| one.documents.iter().flatten()).collect();
        let mut counts = counted(&texts, exact, estimate);
        let bias = relative(&sum(&counts));
        counts.retain(|(exact, _)| *exact >= SHORTEST);
        let error = mean(counts.iter().map(|counts| relative(counts).abs()));
        let p95 = most(counts.iter().map(|counts| relative(counts).abs()).collect());
        let kind = sources.first().map_or("", |source| &source.kind);
        println!("{kind:<24} {:>8} {error:>7.1} {p95:>7.1} {bias:>+7.1}", counts.len());
        errors.push(error);
    }
    println!("{:<24} {:>8} {:>7.2}\n", "mean over kinds", "", mean(errors.into_iter()));
}

fn conversations(sources: &[Source], exact: &BytePairs, estimate: &impl Tokenizer) {
    println!("{:<24} {:>8} {:>7} {:>7}", "conversations", "", "mean %", "p95 %");
    let mut all = Vec::new();
    let report = |name: &str, errors: &[f64]| {
        let absolute = most(errors.iter().map(|error| error.abs()).collect());
        println!(
            "{name:<24} {:>8} {:>+7.1} {absolute:>7.1}",
            errors.len(),
            mean(errors.iter().copied())
        );
    };
    for source in sources {
        if !CONVERSATIONS.iter().any(|kind| source.kind.starts_with(kind)) {
            continue;
        }
        let errors: Vec<f64> = source
            .documents
            .iter()
            .map(|messages| {
                relative(&sum(&counted(&messages.iter().collect::<Vec<_>>(), exact, estimate)))
            })
            .collect();
        report(&source.kind, &errors);
        all.extend(errors);
    }
    report("all", &all);
    println!();
}

fn throughput(sources: &[Source], estimate: &impl Tokenizer) {
    println!("{:<24} {:>8}", "throughput", "MB/s");
    for sources in sources.chunk_by(|one, other| one.kind == other.kind) {
        let messages: Vec<&String> =
            sources.iter().flat_map(|one| one.documents.iter().flatten()).collect();
        let bytes: usize = messages.iter().map(|message| message.len()).sum();
        let seconds = best(|| messages.iter().map(|message| estimate.count(message)).sum());
        let kind = sources.first().map_or("", |source| &source.kind);
        println!("{kind:<24} {:>8.0}", bytes as f64 / 1e6 / seconds);
    }
    println!();
}

fn worst_cases(exact: &BytePairs, estimate: &impl Tokenizer) {
    println!(
        "{:<24} {:>8} {:>8} {:>8} {:>8}",
        "worst case", "10 kB ms", "100 kB", "exact", "estimate"
    );
    let mut state = 7_u32;
    let mut random = |alphabet: &[char]| -> String {
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            alphabet.get((state >> 16) as usize % alphabet.len()).copied().unwrap_or(' ')
        };
        (0..100_000).map(|_| next()).collect()
    };
    let range = |first: char, last: char| (first..=last).collect::<Vec<char>>();
    let base64 = [range('A', 'Z'), range('a', 'z'), range('0', '9'), vec!['+', '/']].concat();
    let inputs = [
        ("one letter", "a".repeat(100_000)),
        ("spaces", " ".repeat(100_000)),
        ("newlines", "\n".repeat(100_000)),
        ("=", "=".repeat(100_000)),
        ("one han", "中".repeat(33_000)),
        ("letters", random(&range('a', 'z'))),
        ("base64", random(&base64)),
        ("hex", random(&[range('0', '9'), range('a', 'f')].concat())),
        ("thai", random(&range('\u{E01}', '\u{E2E}'))),
    ];
    for (name, text) in inputs {
        let large = text.get(..text.floor_char_boundary(100_000)).unwrap_or(&text);
        let small = text.get(..text.floor_char_boundary(10_000)).unwrap_or(&text);
        let (short, long) = (best(|| estimate.count(small)), best(|| estimate.count(large)));
        println!(
            "{name:<24} {:>8.3} {:>8.3} {:>8} {:>8}",
            short * 1e3,
            long * 1e3,
            exact.count(large),
            estimate.count(large)
        );
    }
}

fn best(mut work: impl FnMut() -> u32) -> f64 {
    let mut pass = || {
        let started = Instant::now();
        std::hint::black_box(work());
        started.elapsed().as_secs_f64()
    };
    (0..5).map(|_| pass()).fold(f64::INFINITY, f64::min)
}
