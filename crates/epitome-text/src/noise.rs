//! Text that says nothing about a conversation: notes of cuts, markup, imports, and positions in files.

use super::excerpt::{is_cut_note, without_note};

/// True for a piece that is only noise. Linear in it.
pub fn is_noise(text: &str) -> bool {
    // Of a piece with a note of a cut behind it, sentences have left the beginning of a word.
    is_cut_note(text)
        || without_note(text).len() < text.len()
        || is_bare_key(text)
        || is_markup(text)
        || is_import(text)
        || is_statement(text)
        || is_position(text)
}

/// True for a line of a program, by how it ends: out of its program it says nothing. Comments in it are quoted.
fn is_statement(text: &str) -> bool {
    let calls = || {
        text.as_bytes()
            .windows(2)
            .any(|two| matches!(two, [before, b'('] if before.is_ascii_alphanumeric()))
    };
    match text.as_bytes().last() {
        Some(b'{') => !text.starts_with(['"', '{', '[']),
        Some(b';' | b'(' | b'[' | b':' | b'>') => {
            let begins = text.ends_with("=>") || text.ends_with("):");
            let declares = || {
                text.ends_with(';')
                    && text.rsplit(' ').nth(1).is_some_and(|name| name.ends_with(':'))
            };
            begins
                || (!text.ends_with([':', '>']) && (calls() || text.contains(" = ") || declares()))
        }
        _ => false,
    }
}

/// True for a key of JSON without its value, such as `"legs": [`.
fn is_bare_key(text: &str) -> bool {
    let key = text.trim_end_matches(['{', '[', ' ']);
    let key = key.strip_prefix('"').and_then(|key| key.strip_suffix("\":"));
    key.is_some_and(|key| !key.contains('"'))
}

/// True for tags of markup with nothing between them, such as `<uploaded_files>`.
fn is_markup(text: &str) -> bool {
    // What was read of a tag so far.
    let mut tag: Option<usize> = None;
    let mut tags = 0;
    for byte in text.bytes() {
        match (&mut tag, byte) {
            (None, b'<') => tag = Some(0),
            (Some(_), b'>') => (tag, tags) = (None, tags + 1),
            (Some(0), b'/' | b'!' | b'?') => {}
            (Some(0), _) if !byte.is_ascii_alphabetic() && byte != b'-' => return false,
            // An address in angle brackets is no tag.
            (Some(_), b'@' | b':' | b'<') => return false,
            (Some(read), _) => *read += 1,
            (None, _) if byte.is_ascii_alphanumeric() || !byte.is_ascii() => return false,
            (None, _) => {}
        }
    }
    tags > 0 && tag.is_none()
}

/// True for a line of a program that only names what other files it uses.
pub fn is_import(text: &str) -> bool {
    // A search names the file and the line before what it has found, and a diff has a mark.
    let found = text.split_once(':').filter(|(file, _)| file.contains('.') && !file.contains(' '));
    let text = found.map_or(text, |(_, text)| text);
    let text = text.trim_start_matches([
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', ':', '+', '-', '>', ' ', '\t',
    ]);
    if text.starts_with("} from ") {
        return true;
    }
    let Some((word, rest)) = text.strip_prefix("pub ").unwrap_or(text).split_once(' ') else {
        return false;
    };
    let rest = rest.trim();
    let bare = rest.trim_end_matches(';');
    let is_quoted = || bare.ends_with(['\'', '"']);
    match word {
        "#include" | "#import" => rest.starts_with(['<', '"']),
        "from" => rest.split_once(" import ").is_some_and(|(module, _)| !module.contains(' ')),
        "import" => {
            rest.starts_with(['{', '\'', '"'])
                || (is_quoted() && rest.contains(" from "))
                || bare
                    .trim_start_matches("static ")
                    .replace(" as ", ".")
                    .replace(", ", ".")
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"_./-*,".contains(&byte))
        }
        "export" => rest.contains(" from ") && is_quoted(),
        "use" => bare.len() < rest.len() && rest.contains("::"),
        "using" | "package" => bare.len() < rest.len() && !rest.contains(' '),
        "const" | "let" | "var" => rest.contains("= require("),
        _ => false,
    }
}

/// What is counted where a tool says how much it does not show.
const COUNTED: [&str; 8] =
    ["line", "lines", "character", "characters", "bytes", "files", "entries", "tokens"];
/// What it says of these.
const PARTIAL: [&str; 5] = ["more", "total", "omitted", "truncated", "hidden"];
/// The longest note of this kind, in bytes: it may name a file.
const LONGEST_NOTE: usize = 160;

/// True for a position in a file, as in the head of a part of a diff, and for a note of how much there is that is not shown:
/// `(14 more lines above)`.
fn is_position(text: &str) -> bool {
    if let Some(rest) = text.strip_prefix("@@ ") {
        return rest.starts_with('-') && rest.contains(" @@");
    }
    if let Some(rest) = text.strip_prefix("index ") {
        return rest.split_once("..").is_some_and(|(hash, _)| {
            hash.len() >= 7 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
    }
    let is_set_apart = text.starts_with(['(', '[', '…', '<']) || text.starts_with("...");
    if !is_set_apart || text.len() > LONGEST_NOTE {
        return false;
    }
    let (mut after_number, mut counts, mut is_partial) = (false, false, false);
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        counts |= after_number && COUNTED.contains(&word);
        is_partial |= PARTIAL.contains(&word);
        after_number = is_number || (after_number && word == "more");
    }
    counts && is_partial
}

/// The lines of texts, without the numbers of lines where a file is listed: they are positions, and not what it says.
pub fn unnumbered<'a>(texts: impl Iterator<Item = &'a str>) -> impl Iterator<Item = &'a str> {
    let mut lines = texts.flat_map(|text| text.split('\n')).peekable();
    let mut before = None;
    std::iter::from_fn(move || {
        let line = lines.next()?;
        let read = numbered(line);
        let last = std::mem::replace(&mut before, read.map(|(number, ..)| number));
        let Some((number, mark, rest)) = read else { return Some(line) };
        let next = lines.peek().and_then(|next| numbered(next)).map(|(next, ..)| next);
        // One number alone may be anything, such as a time of day, but before a drawn line.
        let counts_on = mark == '│'
            || last.is_some_and(|last| number.checked_sub(1) == Some(last))
            || next.is_some_and(|next| next.checked_sub(1) == Some(number));
        Some(if counts_on { rest } else { line })
    })
}

/// The number of a line in a listing, the mark behind it, and the line.
fn numbered(line: &str) -> Option<(u32, char, &str)> {
    let line = line.trim_start_matches([' ', '\t', '>']);
    let (number, rest) = line.split_at_checked(line.find(|c: char| !c.is_ascii_digit())?)?;
    let number = number.parse().ok()?;
    let rest = rest.trim_start_matches(' ');
    let mark = rest.chars().next()?;
    let rest = rest.get(mark.len_utf8()..)?;
    // `1: first` is an item of a list.
    let is_listed = match mark {
        '\t' | '│' | '→' | '|' => true,
        ':' => !rest.starts_with(' ') || rest.starts_with("  "),
        _ => false,
    };
    is_listed.then_some((number, mark, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d10_a_key_without_its_value_says_nothing() {
        assert!(is_bare_key("\"legs\": [") && is_bare_key("\"legs\":"));
        assert!(!is_bare_key("\"legs\": 2") && !is_bare_key("He said: \"go\":"));
    }

    #[test]
    fn d10_what_says_nothing_about_a_conversation_is_noise() {
        for noise in [
            "… [3952 more characters]",
            "thi… [609 more characters]",
            "<uploaded_files>",
            "</div></section>",
            "<input type=\"text\" id=\"q\"/>",
            "from tree_sitter_languages import get_language",
            "import numpy as np, os.path",
            "+import { readFile, writeFile } from 'node:fs/promises';",
            "import React from \"react\"",
            "import java.util.List;",
            "#include <stdio.h>",
            "pub use crate::log::{Log, Record};",
            "const fs = require('fs');",
            "package com.example.shop;",
            "src/a.ts:12:import { b } from './b.js';",
            "export async function main(args: string[]) {",
            "const result = await session.compact(input);",
            "def parse(self, text):",
            "readonly sessionManager: SessionManager;",
            "} from \"./config.js\";",
            "@@ -12,7 +12,9 @@ fn main() {",
            "index 3f1c2ab..9d0e4f1 100644",
            "(14 more lines above)",
            "[File: src/app.py (212 lines total)]",
            "... 12 more files",
        ] {
            assert!(is_noise(noise), "{noise}");
        }
    }

    #[test]
    fn d10_what_only_looks_like_noise_is_quoted() {
        for said in [
            "import the contacts from the old phone",
            "from Monday on we import the goods ourselves",
            "use the blue one; the red one is broken",
            "Ann <ann@example.com>",
            "<https://example.com/orders/98765>",
            "a < b and c > d",
            "<b>Do not</b> deploy on Friday",
            "(see the 3 invoices of May)",
            "index of suppliers: 3f1c2ab",
            "[the meeting is in 14 days]",
            "(20 files changed)",
            "We need apples (red ones);",
            "// Handle editor changes for bash mode;",
            "\"legs\": 2}",
            "{\"paid\": 1532}",
            "Ready to start:",
            "Note: import it (with care) from there",
        ] {
            assert!(!is_noise(said), "{said}");
        }
    }

    #[test]
    fn d10_lines_of_a_listed_file_lose_their_numbers_only() {
        let lines = |text: &'static str| unnumbered([text].into_iter()).collect::<Vec<_>>();
        assert_eq!(lines("   9\tone\n  10\ttwo\nend"), ["one", "two", "end"]);
        assert_eq!(lines("19│one\n20│\n21│  three"), ["one", "", "  three"]);
        assert_eq!(lines("found:\n  > 16 │ one"), ["found:", " one"]);
        assert_eq!(lines("7:def one():\n8:    pass"), ["def one():", "    pass"]);
        for said in ["10:30 we leave", "1: first\n2: second", "7:one\n9:two", "12 | 40 | total"] {
            assert_eq!(lines(said), said.split('\n').collect::<Vec<_>>());
        }
    }
}
