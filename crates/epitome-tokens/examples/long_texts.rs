//! Measures how long one very long message takes to append and to compact, for many kinds of text:
//! `cargo run --release --package epitome-tokens --example long_texts -- [MEGABYTES] [PLACE] [KIND]`
//!
//! PLACE is where it stands: `second` of five messages, which is then summarized by the extract, or `last` behind 99 others
//! that are summarized. All kinds are measured if none is named.
#![expect(clippy::print_stdout, reason = "figures are what this command is for")]
#![expect(clippy::disallowed_types, reason = "it measures time")]
#![expect(clippy::semicolon_if_nothing_returned, reason = "a kind of text is one expression")]

use std::error::Error;
use std::fmt::Write as _;
use std::time::Instant;

use epitome::message::{Message, Role};
use epitome::{Compactor, Contract, Outcome, Output, Policy, Reason};
use epitome_extractive::extract;
use epitome_tokens::{Family, heuristic};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let megabytes: usize = arguments.first().map_or(Ok(10), |number| number.parse())?;
    let is_last = arguments.get(1).is_some_and(|place| place == "last");
    let wanted = arguments.get(2);
    println!("{:>18} {:>10} {:>10} {:>9}", "kind", "append ms", "compact ms", "requests");
    for (name, piece) in KINDS {
        if wanted.is_none_or(|wanted| wanted == name) {
            let (append, compact, requests) = measure(text(piece, megabytes << 20), is_last)?;
            println!("{name:>18} {append:>10.0} {compact:>10.0} {requests:>9}");
        }
    }
    Ok(())
}

/// Milliseconds of appending and of compacting, and the number of requests.
fn measure(text: String, is_last: bool) -> Result<(f64, f64, u32), Box<dyn Error>> {
    let mut messages: Vec<String> = Vec::new();
    let count = if is_last { 99 } else { 4 };
    messages.extend((0..count).map(|turn| {
        format!("What about bed number {turn}? {}", "Roses need water and some sun. ".repeat(60))
    }));
    messages.insert(if is_last { count } else { 1 }, text);
    let tokenizer = heuristic(Family::O200kBase);
    let mut compactor = Compactor::new(
        Policy::recommended(200_000),
        Contract::default(),
        heuristic(Family::O200kBase),
    )?;
    compactor.set_reads_in_slices(true);
    let started = Instant::now();
    for (index, text) in messages.into_iter().enumerate() {
        let role = if index % 2 == 0 { Role::User } else { Role::Assistant };
        compactor.append(Message::new(format!("m{index}"), role, text))?;
    }
    let append = milliseconds(started);
    let started = Instant::now();
    compactor.compact(Reason::Manual, None)?;
    loop {
        match compactor.poll_output() {
            Output::Before(_) => compactor.proceed()?,
            Output::Summarize(request) => {
                let summary = extract(&request.envelope(), request.target_tokens, &*tokenizer);
                compactor.handle_summary_notes(request.id, &summary.notes);
                compactor.handle_summary(request.id, &summary.text);
            }
            Output::Persist(_) => compactor.handle_persisted()?,
            Output::Wait(_) => break,
            Output::Save(_) | Output::Changed | Output::Event(_) | Output::Continue => {}
        }
    }
    let compact = milliseconds(started);
    let report = compactor.report().ok_or("nothing was reported")?;
    if let Outcome::Failed { message } | Outcome::Skipped { message } = &report.outcome {
        println!("{message}");
    }
    Ok((append, compact, report.requests))
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

/// A text of about this many bytes, made of pieces by their numbers.
fn text(piece: fn(&mut String, u64), bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 1_024);
    for number in 0.. {
        piece(&mut text, number);
        if text.len() >= bytes {
            break;
        }
    }
    text
}

/// A number that looks random and follows from this one.
fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

const WORDS: [&str; 16] = [
    "garden", "the", "water", "of", "roses", "plan", "it", "was", "decided", "that", "every",
    "bed", "gets", "a", "number", "soon",
];

fn word(number: u64) -> &'static str {
    let index = usize::try_from(mixed(number) % 16).unwrap_or_default();
    WORDS.get(index).copied().unwrap_or_default()
}

fn character(out: &mut String, first: u32, count: u64, number: u64) {
    let offset = u32::try_from(mixed(number) % count).unwrap_or_default();
    out.extend(char::from_u32(first + offset));
}

/// Writing to a `String` cannot fail.
macro_rules! put {
    ($out:expr, $($format:tt)*) => {{ let _ = write!($out, $($format)*); }};
}

type Kind = (&'static str, fn(&mut String, u64));

const KINDS: [Kind; 34] = [
    ("prose", |out, n| {
        put!(out, "{} {} {}", word(n * 3), word(n * 3 + 1), word(n * 3 + 2));
        out.push_str(if n % 5 == 4 { ". " } else { " " });
    }),
    ("paragraphs", |out, n| {
        put!(out, "{} {} {}", word(n * 3), word(n * 3 + 1), word(n * 3 + 2));
        out.push_str(if n % 40 == 39 {
            ".\n\n"
        } else if n % 5 == 4 {
            ". "
        } else {
            " "
        });
    }),
    ("code", |out, n| {
        put!(out, "    let {}_{n} = self.{}({n}, \"{}\")?;\n", word(n), word(n + 1), word(n + 2))
    }),
    ("json", |out, n| {
        put!(
            out,
            "{{\"id\":{n},\"name\":\"{}\",\"tags\":[\"{}\"],\"ok\":true}},",
            word(n),
            word(n + 1)
        )
    }),
    ("json lines", |out, n| {
        put!(out, "{{\"id\": {n}, \"name\": \"{}\", \"note\": null}}\n", word(n))
    }),
    ("base64", |out, n| {
        const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        out.extend(
            (0..8).filter_map(|at| DIGITS.chars().nth((mixed(n) >> (at * 6)) as usize % 64)),
        );
    }),
    ("unique words", |out, n| put!(out, "w{n} ")),
    ("unique names", |out, n| put!(out, "Al{n}ce met Bob{n}. ")),
    ("digits", |out, n| put!(out, "{}", mixed(n))),
    ("numbers", |out, n| put!(out, "{} ", mixed(n) % 1_000_000)),
    ("spaces", |out, _| out.push_str("        ")),
    ("newlines", |out, _| out.push_str("\n\n\n\n")),
    ("carriage returns", |out, _| out.push_str("\r\r\r\r")),
    ("one long word", |out, _| out.push_str("abcdefgh")),
    ("one letter", |out, _| out.push_str("aaaaaaaa")),
    ("chinese", |out, n| {
        character(out, 0x4E00, 3_000, n);
        out.push_str(if n % 23 == 22 { "。" } else { "" });
    }),
    ("emoji", |out, n| character(out, 0x1F300, 400, n)),
    ("joined emoji", |out, _| out.push_str("👩\u{200d}👩\u{200d}👧 ")),
    ("combining marks", |out, _| out.push_str("e\u{301}\u{302}\u{303}")),
    ("marks alone", |out, _| out.push_str("\u{301}\u{301}")),
    ("urls", |out, n| put!(out, "https://example.org/{}/{n}?q={} ", word(n), mixed(n) % 1_000)),
    ("paths", |out, n| put!(out, "/srv/{}/{}/file{n}.rs\n", word(n), word(n + 1))),
    ("hexadecimal", |out, n| put!(out, "{:016x}", mixed(n))),
    ("uuids", |out, n| {
        put!(
            out,
            "{:08x}-{:04x}-4a1b-9c2d-{:012x}\n",
            mixed(n) as u32,
            mixed(n + 1) as u16,
            mixed(n + 2) >> 16
        )
    }),
    ("names", |out, n| {
        const NAMES: [&str; 6] = ["Alice", "Bob", "Carol", "Dave", "Erin", "Frank"];
        let name = |at: u64| NAMES.get((mixed(at) % 6) as usize).copied().unwrap_or_default();
        put!(out, "{} {} asked {}. ", name(n), name(n + 7), name(n + 3));
    }),
    ("markdown table", |out, n| {
        put!(out, "| {n} | {} | {} | {}% |\n", word(n), word(n + 1), n % 100)
    }),
    ("html", |out, n| {
        put!(out, "<div class=\"{}\"><a href=\"/p/{n}\">{}</a></div>", word(n), word(n + 1))
    }),
    ("logs", |out, n| {
        put!(
            out,
            "2026-03-{:02}T10:{:02}:00Z INFO worker-{} took {} ms: {}\n",
            n % 28 + 1,
            n % 60,
            n % 9,
            mixed(n) % 900,
            word(n)
        )
    }),
    ("mixed scripts", |out, n| put!(out, "garden сад 庭園 حديقة बगीचा {n} ")),
    ("arabic", |out, n| {
        character(out, 0x627, 36, n);
        out.push_str(if n % 6 == 5 { " " } else { "" });
    }),
    ("punctuation", |out, _| out.push_str("()[]{}<>;:,.!?")),
    ("quotes", |out, n| put!(out, "\"{} {}\" `{}` ", word(n), word(n + 1), word(n + 2))),
    ("checklist", |out, n| put!(out, "- [ ] {} {} {n}\n", word(n), word(n + 1))),
    ("brackets in lines", |out, n| put!(out, "[{n}] user:\r")),
];
