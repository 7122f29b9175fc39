//! Measures how fast exact counting is:
//! `cargo run --release --package epitome-tokens --example throughput -- VOCABULARY TEXT...`
//!
//! Each text is counted as a whole and in messages of about 400 bytes, once with an empty cache and then repeatedly. So
//! are inputs that are worst cases for other tokenizers.
#![expect(clippy::print_stdout, reason = "figures are what this command is for")]
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "it measures time and reads files"
)]

use std::error::Error;
use std::time::Instant;

use epitome::tokens::Tokenizer;
use epitome_tokens::BytePairs;

const MESSAGE: usize = 400;
const PASSES: u32 = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = std::fs::read(arguments.next().ok_or("no vocabulary is named")?)?;
    let started = Instant::now();
    let encoding = BytePairs::read(&file)?;
    println!("read in {:.1} ms", milliseconds(started));
    let again = best(|| BytePairs::read(&file).map_or(0, |_| 0));
    println!("read again in {:.1} ms", again * 1e3);

    println!("{:>9} {:>9} {:>9} {:>9} {:>7}", "bytes", "first", "messages", "whole", "b/token");
    println!("{:>9} {:>9} {:>9} {:>9}", "", "MB/s", "MB/s", "MB/s");
    for name in arguments {
        let text = String::from_utf8_lossy(&std::fs::read(&name)?).into_owned();
        let messages = messages(&text);
        let megabytes = text.len() as f64 / 1e6;
        let each = || messages.iter().map(|message| encoding.count(message)).sum::<u32>();
        let started = Instant::now();
        let tokens = each();
        let first = megabytes / (milliseconds(started) / 1e3);
        let (warm, whole) = (megabytes / best(each), megabytes / best(|| encoding.count(&text)));
        let density = text.len() as f64 / f64::from(tokens);
        println!("{:>9} {first:>9.1} {warm:>9.1} {whole:>9.1} {density:>7.2}  {name}", text.len());
    }

    println!("{:>16} {:>9} {:>9} {:>9}", "worst case", "10 kB ms", "100 kB ms", "tokens");
    for (name, unit) in worst_cases() {
        let of_length = |bytes: usize| {
            unit.chars()
                .cycle()
                .scan(0, move |length, next| {
                    *length += next.len_utf8();
                    (*length <= bytes).then_some(next)
                })
                .collect::<String>()
        };
        let (small, large) = (of_length(10_000), of_length(100_000));
        let (short, long) = (best(|| encoding.count(&small)), best(|| encoding.count(&large)));
        println!(
            "{name:>16} {:>9.3} {:>9.3} {:>9}",
            short * 1e3,
            long * 1e3,
            encoding.count(&large)
        );
    }
    Ok(())
}

fn messages(text: &str) -> Vec<&str> {
    let (mut rest, mut messages) = (text, Vec::new());
    while !rest.is_empty() {
        let (message, others) = rest.split_at(rest.ceil_char_boundary(MESSAGE));
        messages.push(message);
        rest = others;
    }
    messages
}

/// Inputs that are one piece, as long as the input.
fn worst_cases() -> Vec<(&'static str, String)> {
    let mut state = 7_u32;
    let mut random = |first: u32, count: u32| -> String {
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from_u32(first + (state >> 16) % count).unwrap_or(' ')
        };
        (0..100_000).map(|_| next()).collect()
    };
    let letters = random('a' as u32, 26);
    let thai = random(0x0E01, 46);
    let han = random(0x4E00, 3_000);
    let hangul = random(0xAC00, 11_172);
    let digits = random(0, 64);
    let base64 = digits.chars().map(|digit| match digit as u32 {
        value @ 0..26 => char::from_u32(value + 65).unwrap_or('A'),
        value @ 26..52 => char::from_u32(value + 71).unwrap_or('a'),
        value @ 52..62 => char::from_u32(value - 4).unwrap_or('0'),
        62 => '+',
        _ => '/',
    });
    let base64 = base64.collect();
    let one = |unit: &str| unit.to_owned();
    vec![
        ("one letter", one("a")),
        ("spaces", one(" ")),
        ("newlines", one("\n")),
        ("=", one("=")),
        ("two letters", one("ab")),
        ("one han", one("中")),
        ("emoji", one("👍")),
        ("letters", letters),
        ("base64", base64),
        ("thai", thai),
        ("han", han),
        ("hangul", hangul),
    ]
}

fn best(mut work: impl FnMut() -> u32) -> f64 {
    let pass = |work: &mut dyn FnMut() -> u32| {
        let started = Instant::now();
        std::hint::black_box(work());
        started.elapsed().as_secs_f64()
    };
    (0..PASSES).map(|_| pass(&mut work)).fold(f64::INFINITY, f64::min)
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}
